"""What a service sends is bounded: in bytes, in bytes that they unfold to, and in the time that it takes."""

import asyncio
import itertools
import tracemalloc

import httpx2
import pytest

from conspectus.core import http
from conspectus.core.errors import ConspectusError, ServiceError
from conspectus.core.http import NoAnswerError, exchange, once
from conspectus.models.language import Message, Request
from conspectus.models.languages.registry import language_model
from conspectus.models.remote import HttpReranker, OllamaEmbedder, OpenAIEmbedder
from conspectus.references.comparison import CrossrefLookup
from conspectus.settings import load_settings
from conspectus.settings.groups import SourcesSettings
from hostile_server import ANSWERS, HEADS, MEGABYTE, bomb, hostile
from loopback import QuietHandler, serve_handler

pytestmark = pytest.mark.slow
LARGE = ("endless", "endless-text", "endless-list", "gzip", "gzip-twice", "deflate", "gzip-nothing")
SLOW = ("drops", *HEADS)


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.usefixtures("collected")
def test_an_answer_without_end_is_left(name: str) -> None:
    """A service that is broken, or hostile, would fill the memory of the user's machine."""
    bomb(), bomb(layers=2), bomb(kind=15)  # made now, in the memory that is not measured
    with hostile(name) as server:
        tracemalloc.start()
        with pytest.raises(NoAnswerError, match="larger than 2 MB") as told:
            once("GET", server.url, timeout=60, most=2 * MEGABYTE)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert not told.value.retry
    assert peak < 24 * MEGABYTE
    assert server.sent < 32 * MEGABYTE, "what the sockets hold included"


@pytest.mark.parametrize("name", SLOW)
def test_an_answer_by_drops_ends_in_its_time(name: str) -> None:
    """A byte now and then would keep a command waiting for ever, since each wait by itself is short."""
    with hostile(name) as server, pytest.raises(NoAnswerError, match=r"within 0\.5 s|too long"):
        once("GET", server.url, timeout=0.5)


def test_redirects_stay_at_home_and_end() -> None:
    """A redirect would carry a key to another host, or never end."""

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            self.send(302, b"", {"location": "http://localhost:1/" if self.path == "/away" else self.path + "x"})

    with serve_handler(Handler) as url:
        with pytest.raises(NoAnswerError, match="another host"):
            exchange("GET", f"{url}/away", timeout=5)
        with pytest.raises(NoAnswerError, match="without end"):
            exchange("GET", f"{url}/on", timeout=5)


def test_redirects_to_another_port_are_refused() -> None:
    """Behind another port of the same machine another user may listen, who would be sent the texts."""
    heard = []

    class Other(QuietHandler):
        def do_POST(self) -> None:
            heard.append(self.path)
            self.send(200, b"{}", {})

    with serve_handler(Other) as other:

        class Handler(QuietHandler):
            def do_POST(self) -> None:
                self.send(307, b"", {"location": f"{other}/embeddings"})

        with serve_handler(Handler) as url, pytest.raises(NoAnswerError, match="another host"):
            exchange("POST", f"{url}/embeddings", body={"input": "private"}, timeout=5)
    assert not heard


@pytest.mark.parametrize(
    ("asked", "following", "home"),
    [
        ("http://a.example/x", "https://a.example/y", True),
        ("https://a.example/x", "https://a.example:443/y", True),
        ("https://a.example/x", "http://a.example/y", False),
        ("http://a.example:8070/x", "https://a.example/y", False),
        ("https://a.example/x", "https://b.example/y", False),
    ],
)
def test_what_is_one_server(asked: str, following: str, home: bool) -> None:
    """HTTP after HTTPS would show a text to all on the way; HTTPS after HTTP is what servers ask for."""
    assert http._is_at_home(httpx2.URL(asked), httpx2.URL(following)) is home


@pytest.mark.parametrize("name", [name for name in ANSWERS if name not in SLOW])
def test_every_client_bounds_what_it_hears(name: str) -> None:
    """One client that reads without a bound is enough to lose the session in which it is used."""
    with hostile(name) as server:  # a slow machine that takes longer is asked again, and hears more
        calls = [
            lambda: OpenAIEmbedder(server.url, "m", timeout=60).embed_query("a"),
            lambda: OllamaEmbedder(server.url, "m", timeout=60).embed_query("a"),
            lambda: HttpReranker(server.url, "m", timeout=60).scores("a", ["b"]),
            lambda: CrossrefLookup(SourcesSettings(crossref_url=server.url, timeout=60)).work("10.1/x"),
            lambda: asyncio.run(_said(server.url, streamed=False)),
            lambda: asyncio.run(_said(server.url, streamed=True)),
        ]
        for call in calls:
            before = server.sent
            with pytest.raises(ConspectusError) as told:
                call()
            assert not told.value.retry
            assert server.sent - before < 80 * MEGABYTE, "a stream's bound, and what the sockets hold"


def test_a_stream_may_be_longer_than_one_answer() -> None:
    """A long answer says hundreds of bytes with each word; the bound of one event must not end it."""
    event = b'data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [%s]}\n\n'
    piece = event % (b'{"index": 0, "delta": {"content": "word "}, "x": "%s"}' % (b"y" * 20_000))
    end = event % b'{"index": 0, "delta": {}, "finish_reason": "stop"}'

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            body = b"".join([*itertools.repeat(piece, 300), end, b"data: [DONE]\n\n"])
            assert len(body) > 5 * MEGABYTE
            self.send(200, body, {"content-type": "text/event-stream"})

    with serve_handler(Handler) as url:
        assert asyncio.run(_said(url, streamed=True)) == "word " * 300


async def _said(url: str, *, streamed: bool) -> str:
    name = f"{url}#m"
    flags = {"language.model": name, "language.timeout": 5, "language.context": 8000}
    model = language_model(name, load_settings(None, flags).language)
    request = Request((Message("user", "hello"),), max_tokens=1000)
    try:
        if not streamed:
            return (await model.complete(request)).text
        return "".join([piece async for piece in model.stream(request) if isinstance(piece, str)])
    finally:
        await model.close()


def test_what_was_too_large_is_said() -> None:
    """Without it the user would look for the fault at home."""
    with hostile("endless") as server, pytest.raises(ServiceError, match="larger than 4 MB") as told:
        asyncio.run(_said(server.url, streamed=False))
    assert not told.value.retry
