"""`conspectus serve` as a program: its first line, its end, and what it refuses before it begins."""

import json
import signal
import socket
import sys
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

from conspectus import Library
from conspectus.cli.app import app
from conspectus.core.errors import UsageError
from conspectus.server import guard, lifecycle
from conspectus.server.access import Access
from conspectus.server.app import create_app
from conspectus.server.lifecycle import address, bound
from helpers import HANG
from language_server import Say, serve_script
from serving import make_client, program, run_server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as Unix does")


def test_it_tells_where_it_is_and_ends_when_told(library: Library) -> None:
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
        process.send_signal(signal.SIGTERM)
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert not out and "Traceback" not in errors


def test_without_a_token_others_are_not_served(library: Library) -> None:
    """The café would read along."""
    library.close()
    result = CliRunner().invoke(app, ["--library", str(library.folder), "serve", "--host", "0.0.0.0"])
    assert result.exit_code == 2 and not result.stdout and "--token auto" in result.stderr


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
    """Ctrl-C would seem to do nothing for as long as a page is open, and then fill the terminal.

    The token is one of the environment: on the command line everybody on the machine would see it.
    """
    library.close()
    token = {"CONSPECTUS_SERVER_TOKEN": "from-outside"}
    bearer = {"authorization": "Bearer from-outside"}
    with (
        serve_script(lambda _: Say("no", delay=HANG)) as model,
        program(library.folder, "--port", "0", "--json", "--set", f"language.model={model.url}", **token) as process,
    ):
        assert process.stdout
        root, _, said = json.loads(process.stdout.readline())["address"].partition("?token=")
        assert said == "from-outside"
        ask = urllib.request.Request(
            f"{root}api/v1/ask", b'{"question": "Why?"}', headers={**bearer, "content-type": "application/json"}
        )
        with urllib.request.urlopen(ask, timeout=HANG) as begun:
            name = json.load(begun)["job"]
        events = urllib.request.Request(f"{root}api/v1/jobs/{name}/events", headers=bearer)
        with urllib.request.urlopen(events, timeout=HANG) as stream:
            assert stream.readline().startswith(b"event:")
            process.send_signal(number)
            out, errors = process.communicate(timeout=HANG)
    assert process.returncode == 0
    assert not out and not errors, "nothing had to be cut off"


def test_a_server_that_only_shows_asks_no_model(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """A public library would spend the money of who shows it, search by search."""
    library.close()
    answered: list[int] = []

    def look(served: Library, access: Access, *_: object) -> None:
        with make_client(served, access) as client:
            paths = ("search?q=cells", "search?q=cells&expand=hyde", "search?q=cells&expand=rephrase", "doctor")
            # without a model it may not be possible
            answered.extend(client.get(f"/api/v1/{path}").status_code for path in paths)

    monkeypatch.setattr(lifecycle, "serve", look)
    with serve_script(["never"]) as model:
        roles = [f"language.model={model.url}", f"language.judge={model.url}", "search.reranker=judge"]
        flags = [word for role in roles for word in ("--set", role)]
        result = CliRunner().invoke(app, ["--library", str(library.folder), "serve", "--read-only", *flags])
        assert result.exit_code == 0, result.output
        assert len(answered) == 4 and not model.requests


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
