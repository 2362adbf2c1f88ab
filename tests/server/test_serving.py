"""`conspectus serve` as a program: its first line, its end, and what it refuses before it begins."""

import json
import signal
import socket
import sys
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import UsageError
from conspectus.server import guard, lifecycle
from conspectus.server.access import Access
from conspectus.server.app import create_app
from conspectus.server.lifecycle import address, bound
from helpers import HANG
from language_server import Say, serve_script
from serving import program, run_server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as Unix does")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_tells_where_it_is_and_ends_when_told(library: Library, number: int) -> None:
    """A script could not know where to ask; a server could only be killed."""
    library.close()
    with program(library.folder, "--port", "0", "--token", "auto") as process:
        assert process.stdout
        place = process.stdout.readline().strip()
        assert place.startswith("http://127.0.0.1:") and len(place.partition("?token=")[2]) >= 32
        root, _, token = place.partition("?token=")
        asked = urllib.request.Request(f"{root}api/v1/papers", headers={"authorization": f"Bearer {token}"})
        with urllib.request.urlopen(asked, timeout=60) as answered:
            assert len(json.load(answered)["papers"]) == 3
        process.send_signal(number)
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert not out and "Traceback" not in errors


def test_a_token_of_the_environment_counts(library: Library) -> None:
    """On the command line everybody on the machine would see it."""
    library.close()
    with program(library.folder, "--port", "0", "--json", CONSPECTUS_SERVER_TOKEN="from-outside") as process:
        assert process.stdout
        assert json.loads(process.stdout.readline())["address"].endswith("?token=from-outside")


def test_without_a_token_others_are_not_served(library: Library) -> None:
    """The café would read along."""
    library.close()
    with program(library.folder, "--host", "0.0.0.0") as process:
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 2 and not out and "--token auto" in errors


def test_a_port_that_is_taken() -> None:
    """A traceback would stand where a remedy should."""
    with bound(Access(port=0)) as taken, pytest.raises(UsageError, match=r"cannot be listened on.*`port=N`"):
        bound(Access(port=taken.getsockname()[1]))


def test_small_answers_are_sent_at_once() -> None:
    """Each answer on a connection that is kept would come 40 ms late: asyncio looks at this before it says so."""
    with bound(Access(port=0)) as place, socket.create_connection(place.getsockname()), place.accept()[0] as accepted:
        assert accepted.proto == socket.IPPROTO_TCP


def test_addresses_can_be_opened() -> None:
    """The link printed would lead nowhere."""
    assert address(Access("::1", 80)) == "http://[::1]:80/"
    assert address(Access("0.0.0.0", 80, "t")) == f"http://{socket.gethostname()}:80/?token=t"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_while_somebody_follows(library: Library, number: int) -> None:
    """Ctrl-C would seem to do nothing for as long as a page is open, and then fill the terminal."""
    library.close()
    with (
        serve_script(lambda _: Say("no", delay=HANG)) as model,
        program(library.folder, "--port", "0", "--set", f"language.model={model.url}") as process,
    ):
        assert process.stdout
        root = process.stdout.readline().strip()
        ask = urllib.request.Request(
            f"{root}api/v1/ask", b'{"question": "Why?"}', headers={"content-type": "application/json"}
        )
        with urllib.request.urlopen(ask, timeout=HANG) as begun:
            name = json.load(begun)["job"]
        with urllib.request.urlopen(f"{root}api/v1/jobs/{name}/events", timeout=HANG) as stream:
            assert stream.readline().startswith(b"event:")
            process.send_signal(number)
            out, errors = process.communicate(timeout=HANG)
    assert process.returncode == 0
    assert not out and not errors, "nothing had to be cut off"


@pytest.mark.slow
def test_a_server_that_only_shows_asks_no_model(library: Library) -> None:
    """A public library would spend the money of who shows it, search by search."""
    library.close()
    with (
        serve_script(["never"]) as model,
        program(
            library.folder,
            "--port",
            "0",
            "--read-only",
            "--set",
            f"language.model={model.url}",
            "--set",
            f"language.judge={model.url}",
            "--set",
            "search.reranker=judge",
        ) as process,
    ):
        assert process.stdout
        root = process.stdout.readline().strip()
        for path in ("search?q=cells", "search?q=cells&expand=hyde", "search?q=cells&expand=rephrase", "doctor"):
            with suppress(urllib.error.HTTPError):  # without a model it may not be possible
                urllib.request.urlopen(f"{root}api/v1/{path}", timeout=HANG).close()
        assert not model.requests


def test_who_says_nothing_is_not_waited_for(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few callers that never finish what they ask would take all the connections."""
    monkeypatch.setattr(lifecycle, "HEAD", 0.2)
    with run_server(create_app(library, Access())) as port:
        for said in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nhost: localhost\r\n"):
            with socket.create_connection(("127.0.0.1", port), HANG) as caller:
                caller.sendall(said)
                assert caller.recv(100) == b"", "it is closed, and nothing said"
        with socket.create_connection(("127.0.0.1", port), HANG) as caller:
            caller.sendall(b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert b"200 OK" in caller.recv(100)


def test_a_body_has_to_come(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bodies that come byte by byte would be waited for for ever."""
    monkeypatch.setattr(guard, "BEGIN", 0.2)
    head = b"POST /api/v1/%s HTTP/1.1\r\nhost: localhost\r\ncontent-type: %s\r\n%s\r\n\r\n"
    form = b"multipart/form-data; boundary=b"
    with run_server(create_app(library, Access())) as port:
        for path, kind, length, begun in (
            (b"ask", b"application/json", b"content-length: 20", b""),
            (b"ask", b"application/json", b"transfer-encoding: chunked", b'4\r\n{"q"\r\n'),
            (b"files", form, b"content-length: 2000", b"--b\r\n"),
        ):
            with socket.create_connection(("127.0.0.1", port), HANG) as caller:
                caller.sendall(head % (path, kind, length) + begun)
                assert b" 408 " in caller.recv(100)


def test_the_client_of_the_documentation(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    """Who copies it would begin with what does not work."""
    page = (Path(__file__).parents[2] / "docs" / "serving.md").read_text("utf-8")
    client = page.partition("```py\n")[2].partition("```")[0]
    with run_server(create_app(library, Access())) as port:
        exec(client.replace("8765", str(port)), {})
    shown = capsys.readouterr().out
    assert "Grid cells" in shown and "hexagonal" in shown
