"""Embedders behind HTTP, against a server that answers as it is told to."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from conspectus.core import http
from conspectus.core.errors import ServiceError, SettingsError
from conspectus.models.protocol import Embedder
from conspectus.models.registry import make_embedder
from conspectus.models.remote import OllamaEmbedder, OpenAIEmbedder
from conspectus.settings import load_settings
from loopback import QuietHandler, serve_handler

Answer = tuple[int, Any, dict[str, str]]


@dataclass
class Server:
    """What it was asked, and what it will say: each answer once, the last for ever; None: vectors as they should be."""

    url: str = ""
    asked: list[tuple[str, dict[str, Any], str]] = field(default_factory=list)
    answers: list[Answer | None] = field(default_factory=lambda: [None])

    def say(self, status: int, body: Any = "", **headers: str) -> None:
        self.answers.append((status, body, headers))

    def next(self) -> Answer | None:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def vector(text: str) -> list[float]:
    return [3.0 * len(text), 1.0, 2.0]


def right(path: str, texts: list[str]) -> Any:
    if path.endswith("/api/embed"):
        return {"embeddings": [vector(text) for text in texts]}
    rows = [{"index": number, "embedding": vector(text)} for number, text in enumerate(texts)]
    return {"data": rows[::-1]}  # servers may answer in any order


@pytest.fixture
def server() -> Iterator[Server]:
    known = Server(answers=[])

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            known.asked.append((self.path, body, self.headers.get("authorization", "")))
            status, answer, headers = (known.next() if known.answers else None) or (
                200,
                right(self.path, body["input"]),
                {},
            )
            raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send(status, raw, {"content-type": "application/json", **headers})

    with serve_handler(Handler) as known.url:
        yield known


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited; no time passes."""
    found: list[float] = []
    monkeypatch.setattr(http.time, "sleep", found.append)
    return found


MAKE: list[Callable[[str], Embedder]] = [
    lambda url: OpenAIEmbedder(url + "/v1", "m", timeout=5.0),
    lambda url: OllamaEmbedder(url, "m", timeout=5.0),
]
both = pytest.mark.parametrize("make", MAKE, ids=["openai", "ollama"])


@both
def test_vectors_are_in_the_order_of_the_texts(server: Server, make: Callable[[str], Embedder]) -> None:
    """Else every paper has the vector of another."""
    model = make(server.url)
    texts = ["x" * length for length in range(1, 71)]
    found = list(model.embed(texts))
    assert len(server.asked) == 3 and all(len(body["input"]) <= 32 for _, body, _ in server.asked)
    for text, embedding in zip(texts, found, strict=True):
        wanted = np.array(vector(text)) / np.linalg.norm(vector(text))
        np.testing.assert_allclose(embedding.vector, wanted, rtol=1e-5)
        assert embedding.vector.dtype == np.float32 and embedding.tokens is None
    assert model.dimensions == 3 == len(model.embed_query("x").vector)
    assert {body["model"] for _, body, _ in server.asked} == {"m"}
    assert isinstance(model, Embedder)
    assert list(model.embed([])) == []


def test_the_shapes_of_the_two(server: Server) -> None:
    """Else one of them is spoken to in the other's language."""
    MAKE[0](server.url).embed_query("x")
    MAKE[1](server.url).embed_query("x")
    assert [path for path, _, _ in server.asked] == ["/v1/embeddings", "/api/embed"]


def test_the_key_is_sent_and_never_shown(server: Server) -> None:
    """Else a service refuses, or the key is in the error that is pasted into a forum."""
    model = OpenAIEmbedder(server.url, "m", key="sk-hidden", timeout=5.0)
    model.embed_query("x")
    assert server.asked[0][2] == "Bearer sk-hidden"
    assert "sk-hidden" not in model.id
    server.say(401, {"error": "no"})
    with pytest.raises(ServiceError) as caught:
        model.embed_query("x")
    assert "sk-hidden" not in str(caught.value)
    OllamaEmbedder(server.url, "m", timeout=5.0)


@both
def test_what_can_pass_is_tried_again(server: Server, make: Callable[[str], Embedder], waits: list[float]) -> None:
    """Else a run of hours ends at the first 'too many requests'."""
    server.say(429, "slow down", retry_after="7")
    server.say(503)
    server.answers.append(None)
    assert len(make(server.url).embed_query("x").vector) == 3
    assert len(server.asked) == 3
    assert waits[0] == 7.0 and 0 < waits[1] < 10


def test_waiting_has_an_end(server: Server, waits: list[float]) -> None:
    """Else a service that says 'come back tomorrow' holds the program for a day."""
    server.say(429, retry_after="86400")
    with pytest.raises(ServiceError) as caught:
        MAKE[0](server.url).embed_query("x")
    assert caught.value.retry and "429" in caught.value.message
    assert 2 <= len(server.asked) <= 10 and max(waits) <= 60


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_cannot_is_not(server: Server, waits: list[float], status: int) -> None:
    """Else a wrong key is told only after minutes, and may lock the account."""
    server.say(status, {"error": "that is wrong"})
    with pytest.raises(ServiceError) as caught:
        MAKE[0](server.url).embed_query("x")
    assert not caught.value.retry and caught.value.exit_code == 3
    assert str(status) in caught.value.message and "that is wrong" in caught.value.message
    assert caught.value.hint
    assert len(server.asked) == 1 and not waits


def test_nobody_there(waits: list[float]) -> None:
    """Else a server that was not started is a traceback."""
    with pytest.raises(ServiceError) as caught:
        OpenAIEmbedder("http://127.0.0.1:9", "m", timeout=1.0).embed_query("x")
    assert caught.value.retry and "127.0.0.1:9" in caught.value.message


OPENAI_WRONG: dict[str, Any] = {
    "too few": {"data": []},
    "too many": {"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1, 2]}]},
    "ragged": {"data": [{"index": 0, "embedding": [1, [2]]}]},
    "scalar": {"data": [{"index": 0, "embedding": 5}]},
    "text": {"data": [{"index": 0, "embedding": ["a", "b"]}]},
    "empty": {"data": [{"index": 0, "embedding": []}]},
    "NaN": b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}',
    "infinite": b'{"data": [{"index": 0, "embedding": [Infinity, 1.0]}]}',
    "null": {"data": [{"index": 0, "embedding": [None, 1.0]}]},
    "zeros": {"data": [{"index": 0, "embedding": [0.0, 0.0]}]},
    "other": {"result": "ok"},
    "list": [1, 2],
    "nothing": b"",
    "page": b"<html>Please log in</html>",
    "cut": b'{"data": [{"ind',
}


@pytest.mark.parametrize("name", OPENAI_WRONG)
def test_a_wrong_answer_is_an_error_of_the_service(server: Server, waits: list[float], name: str) -> None:
    """Else nonsense is stored as a vector, or ends in a traceback."""
    server.say(200, OPENAI_WRONG[name])
    with pytest.raises(ServiceError) as caught:
        MAKE[0](server.url).embed_query("x")
    assert server.url in caught.value.message and caught.value.hint


def test_an_answer_that_is_not_json(server: Server) -> None:
    """Else the login page of a hotel network is a traceback."""
    server.say(200, b"<html></html>", content_type="text/html")
    with pytest.raises(ServiceError):
        MAKE[1](server.url).embed_query("x")


@both
def test_dimensions_must_not_change(server: Server, make: Callable[[str], Embedder]) -> None:
    """Else a server that was restarted with another model mixes two kinds of vectors."""
    model = make(server.url)
    model.embed_query("x")
    server.say(200, {"data": [{"index": 0, "embedding": [1.0, 2.0]}], "embeddings": [[1.0, 2.0]]})
    with pytest.raises(ServiceError, match="2 dimensions"):
        model.embed_query("x")


def test_embedders_by_their_names(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else what the documentation says to set does not work."""

    def made(name: str, **more: Any) -> Embedder:
        return make_embedder(load_settings(None, {"models.embedder": name, **more}, {}).models)

    monkeypatch.setenv("OLLAMA_HOST", server.url.removeprefix("http://"))
    monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-env")
    made("ollama:nomic").embed_query("x")
    made("openai:small").embed_query("x")
    made(f"{server.url}/other#mine").embed_query("x")
    made(f"{server.url}/other#mine", **{"models.api_key": "sk-set"}).embed_query("x")
    assert [(path, body["model"], key) for path, body, key in server.asked] == [
        ("/api/embed", "nomic", ""),
        ("/v1/embeddings", "small", "Bearer sk-env"),
        ("/other/embeddings", "mine", ""),
        ("/other/embeddings", "mine", "Bearer sk-set"),
    ]
    for name in ("gpt", "", "ollama:", "http://host", "#x", "ftp://host#m"):
        with pytest.raises(SettingsError, match=r"models\.embedder"):
            made(name)
