"""Who may ask a server, and how much they may send: each of these once broke into servers like this one."""

import itertools
from collections.abc import Iterator

import pytest
from anyio import BrokenResourceError
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from conspectus import Library
from conspectus.core.errors import UsageError
from conspectus.server.access import ADDRESSES, GUESSES, Access
from conspectus.server.app import NAMED
from conspectus.server.guard import BODY, Guard
from serving import make_client

TOKEN = "correct-horse-battery"
STATUS = "/api/v1/status"


@pytest.fixture
def guarded(library: Library) -> Iterator[TestClient]:
    with make_client(library, Access("0.0.0.0", 80, TOKEN)) as client:
        yield client


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "::", "lab.example.org"])
def test_others_than_this_machine_need_a_token(host: str) -> None:
    """A library would be read by everybody in the café."""
    with pytest.raises(UsageError, match="needs a token"):
        Access(host)
    assert len(Access(host, token="auto").token) >= 32


@pytest.mark.parametrize("host", ["localhost", "localhost:8765", "127.0.0.1:80", "[::1]:80"])
def test_this_machine_may_ask(client: TestClient, host: str) -> None:
    assert client.get(STATUS, headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example.org"},
        {"origin": "null"},
        {"origin": "http://localhost:3000"},
        {"origin": "http://localhost.evil.org"},
        {"origin": "http://["},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_pages_may_not_ask(client: TestClient, headers: dict[str, str]) -> None:
    """A page somewhere would remove papers, or spend money on models, with the browser of who looks at it."""
    for verb in ("get", "post", "delete"):
        assert client.request(verb, STATUS, headers=headers).status_code == 403
    assert (
        client.get(STATUS, headers={"origin": "http://localhost", "sec-fetch-site": "same-origin"}).status_code == 200
    )


def test_without_the_token_nothing(guarded: TestClient) -> None:
    """The token would be an ornament."""
    assert guarded.get(STATUS).status_code == 401
    assert guarded.get("/api/v1/health").status_code == 200
    assert guarded.get("/api/v1/openapi.json").status_code == 401
    assert guarded.get(STATUS, headers={"authorization": "Basic abc"}).status_code == 401
    assert guarded.get(STATUS, headers={"authorization": f"bearer {TOKEN}"}).status_code == 200


def test_the_link_puts_the_token_into_a_cookie(guarded: TestClient) -> None:
    """The token would stay in the address, in the history, and in what is copied from there."""
    found = guarded.get(f"/?q=cats&token={TOKEN}", follow_redirects=False)
    assert (found.status_code, found.headers["location"]) == (303, "/?q=cats")
    cookie = found.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and cookie.startswith("conspectus-80=")
    assert guarded.get(STATUS).status_code == 200
    assert guarded.get("/?token=wrong", follow_redirects=False).status_code == 401
    away = guarded.get(f"http://localhost//evil.org/x?token={TOKEN}", follow_redirects=False)
    assert away.headers["location"] == "/evil.org/x", "on this server"


def test_tokens_are_not_guessed(guarded: TestClient) -> None:
    """Who has time would try them all."""
    for number in range(GUESSES):
        assert guarded.get(STATUS, headers={"authorization": f"Bearer {number}"}).status_code == 401
    told = guarded.get(STATUS, headers={"authorization": "Bearer x"})
    assert told.status_code == 429 and told.headers["retry-after"]
    assert guarded.get("/?token=x", follow_redirects=False).status_code == 401


def test_other_sites_cannot_shut_out_who_is_sent_there(guarded: TestClient) -> None:
    """Ten pictures on any page, each with a wrong token, would lock the owner out. A link from a message leads in."""
    picture = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    for number in range(2 * GUESSES):
        assert guarded.get(f"/?token=guess{number}", headers=picture).status_code == 403
    assert guarded.get(f"/?token={TOKEN}", headers=picture).status_code == 403
    assert guarded.get(STATUS, headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert guarded.get(f"/?token={TOKEN}", headers=link, follow_redirects=False).status_code == 303
    for number in range(GUESSES):
        assert guarded.get(f"/?token=guess{number}", headers=link).status_code == 401
    assert guarded.get(f"/?token={TOKEN}", headers=link, follow_redirects=False).status_code == 401, "these are counted"


def test_the_link_is_of_this_host(guarded: TestClient) -> None:
    """A name bound anew would be given the cookie."""
    asked = guarded.get(f"/?token={TOKEN}", headers={"host": "evil.example.org"}, follow_redirects=False)
    assert asked.status_code == 421 and "set-cookie" not in asked.headers


def test_an_old_token_shuts_nobody_out(guarded: TestClient) -> None:
    """A page left open since the server began anew would send its old token all day, and nobody could come in."""
    for _ in range(3 * GUESSES):
        assert guarded.get(STATUS, headers={"authorization": "Bearer of-yesterday"}).status_code == 401
    assert guarded.get(STATUS, headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_who_guesses_shuts_out_only_himself(library: Library) -> None:
    """Anybody in the network could keep everybody out, a wrong token at a time."""
    access = Access("0.0.0.0", 80, TOKEN)
    for number in range(GUESSES):
        assert not access.is_token(f"{number}", "192.0.2.7")
        assert not access.is_token(f"{number}", f"2001:db8::{number}")
    assert access.is_blocked("192.0.2.7") and not access.is_blocked("192.0.2.8")
    assert access.is_blocked("2001:db8::ffff"), "one network has all of these"
    assert access.is_token(TOKEN, "192.0.2.8")
    for number in range(2 * ADDRESSES):
        access.is_token("x", f"10.0.{number // 256}.{number % 256}")
    assert len(access._wrong_guesses) == ADDRESSES


def test_names_are_known_in_any_case(library: Library) -> None:
    """Browsers ask by small letters, whatever was written."""
    with make_client(library, Access(port=80, names=("Lab.Example.ORG",))) as client:
        assert client.get(STATUS, headers={"host": "lab.example.org"}).status_code == 200


def test_who_goes_away_in_the_middle_is_no_fault() -> None:
    """Each page that is closed while a job runs would leave sixty lines of traceback behind."""

    def gone(*others: Exception) -> TestClient:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            raise ExceptionGroup("streams", [BrokenResourceError(), *others])

        return TestClient(Guard(app, Access(port=80), {}), "http://localhost")

    with pytest.raises(AssertionError, match="did not receive"):  # by the client: it is still there, and got no answer
        gone().get(STATUS)
    with pytest.raises(ExceptionGroup) as raised:
        gone(ValueError("a fault")).get(STATUS)
    assert [type(one) for one in raised.value.exceptions] == [ValueError]


def test_who_only_looks_changes_nothing(library: Library) -> None:
    """A library shown to a class would be emptied by it."""
    with make_client(library, Access(port=80, read_only=True)) as client:
        for verb, path in (
            ("delete", "/papers/p0"),
            ("post", "/reindex"),
            ("post", "/ask"),
            ("post", "/files"),
            ("patch", "/conversations/x"),
        ):
            assert client.request(verb, f"/api/v1{path}").status_code == 403
        assert client.get("/api/v1/search?q=cells").status_code == 200


def test_too_much_is_refused(library: Library) -> None:
    """A disk would be filled, or memory, by one request; also by one that does not say how long it is."""
    with make_client(library, uploads=1000) as client:
        assert client.post("/api/v1/files", files={"file": ("a.md", "x" * 2000)}).status_code == 413
        begin = b'--b\r\ncontent-disposition: form-data; name="file"; filename="a.md"\r\n\r\n'
        endless = itertools.chain([begin], (b"x" * 100 for _ in range(50)))
        kind = {"content-type": "multipart/form-data; boundary=b"}
        assert client.post("/api/v1/files", content=endless, headers=kind).status_code == 413
        assert client.post("/api/v1/figures/like", files={"file": ("a.png", "x" * 2000)}).status_code == 413
        assert client.post("/api/v1/ask", content=b"x" * (BODY + 1)).status_code == 413
        assert client.post("/api/v1/export", content=b"x" * (NAMED + 1)).status_code == 413
    with make_client(library, Access(port=80, read_only=True)) as client:
        photograph = client.post("/api/v1/figures/like", files={"file": ("a.png", "x" * (BODY + 1))})
        assert photograph.status_code not in {403, 413}, "it is large, and changes nothing"
    assert not (library.folder / "files").exists()


@pytest.mark.parametrize("path", ["/", "/papers/x", STATUS, "/api/v1/nothing", "/?token=x"])
def test_browsers_are_told_to_load_nothing_from_elsewhere(client: TestClient, path: str) -> None:
    """What a paper or a model says could run as a program in the page."""
    headers = client.get(path).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"], "and no other page may show it in a frame"
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
