"""What strangers send: each case was, or could be, a way into a server like this one. See also `test_guard.py`."""

import io
import json
import socket
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from conspectus import Library
from conspectus.server.access import GUESSES, Access
from conspectus.server.app import create_app, install_page
from conspectus.server.guard import BODY
from helpers import HANG, InlinePool, open_library, until, write_jsonl
from loopback import record_connections
from serving import body, collect_notices, events_of, make_client, run_server

TOKEN = "correct-horse-battery"
API = "/api/v1"
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """One for all who only try: nothing changes it."""
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patched, open_library(folder / "lib") as library:
        patched.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
        names = ("Grid cells", "Place cells", "Purring of cats")
        papers = [{"id": f"p{n}", "title": name, "abstract": f"{name} do it."} for n, name in enumerate(names)]
        library.add(write_jsonl(folder / "a.jsonl", papers))
        yield library


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Library]:
    """One for what is taken in."""
    with open_library(tmp_path / "own") as library:
        yield library


@pytest.fixture
def taking(own: Library, quick_pool: None) -> Iterator[TestClient]:
    with make_client(own) as client:
        yield client


@pytest.fixture
def guarded(library: Library) -> Iterator[TestClient]:
    with make_client(library, Access("0.0.0.0", 80, TOKEN)) as client:
        yield client


# Paths


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/%252e%252e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%c0%ae%c0%ae/etc/passwd",
        "/assets/..%2f..%2f..%2fetc%2fpasswd",
        f"{API}/papers/..%2f..%2f..%2fetc%2fpasswd",
        f"{API}/papers/file:%2f%2f%2fetc%2fpasswd",
        f"{API}/papers/p0/figures/..%2f..%2fetc%2fpasswd.png",
        f"{API}/papers/%00",
        f"{API}/jobs/..%2f..%2fetc%2fpasswd/events",
        f"{API}/export?format=..%2f..%2fetc%2fpasswd",
    ],
)
def test_no_path_leads_to_a_file(client: TestClient, path: str) -> None:
    """A server would show the files of its machine."""
    found = client.get(path)
    is_page = found.headers["content-type"].startswith("text/html") and not path.startswith(API)  # the client cut `..`
    assert "root:" not in found.text and (is_page or 400 <= found.status_code < 500), found.text


@pytest.mark.parametrize("path", ["/link", "/assets/link", "/link/passwd", "/%2e%2e/secret.txt"])
def test_links_in_the_page_lead_nowhere(library: Library, tmp_path: Path, path: str) -> None:
    """A link in the folder of the page would give away what it leads to."""
    (tmp_path / "secret.txt").write_text("a secret")
    web = tmp_path / "web"
    (web / "assets").mkdir(parents=True)
    (web / "index.html").write_text("the page")
    for place in (web / "link", web / "assets" / "link"):
        place.symlink_to(tmp_path / "secret.txt")
    app = FastAPI(openapi_url=None)
    install_page(app, web)
    found = TestClient(app, "http://localhost").get(path)
    assert found.status_code == 404 and "a secret" not in found.text


# Hosts, origins, methods


@pytest.mark.parametrize(
    "host",
    [
        "localhost@evil.org",
        "evil.org/localhost",
        "localhost.",
        "localhost,evil.org",
        "127.0.0.1.evil.org",
        "0x7f000001",
        "[localhost]",
        "\u24db\u24de\u24d2\u24d0\u24db",
    ],
)
def test_a_host_that_is_none(client: TestClient, host: str) -> None:
    """A site bound to this machine's address would read the library through the browser."""
    wanted = 200 if host == "localhost." else 421  # the same name, written out
    assert client.get(f"{API}/status", headers={"host": host.encode()}).status_code == wanted


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("text/plain", '{"question": "x"}'),
        ("application/x-www-form-urlencoded", "question=x"),
        ("multipart/form-data; boundary=b", '--b\r\ncontent-disposition: form-data; name="question"\r\n\r\nx\r\n--b--'),
        ("", '{"question": "x"}'),
    ],
)
def test_what_a_form_of_another_site_can_send(client: TestClient, kind: str, sent: str) -> None:
    """Browsers send these for anybody, without asking first; an old one tells no origin."""
    found = client.post(f"{API}/ask", content=sent, headers={"content-type": kind} if kind else {})
    assert found.status_code == 422 and body(client, "/jobs")["jobs"] == []


@pytest.mark.parametrize(
    ("headers", "query"),
    [
        ({"x-http-method-override": "DELETE"}, ""),
        ({"x-http-method": "DELETE"}, ""),
        ({"x-method-override": "DELETE"}, ""),
        ({}, "?_method=DELETE"),
        ({"x-original-url": f"{API}/papers/p1", "x-rewrite-url": f"{API}/papers/p1"}, ""),
    ],
)
def test_no_header_makes_another_request_of_it(
    client: TestClient, library: Library, headers: dict[str, str], query: str
) -> None:
    """What only looks would remove papers, past whatever stands before this server."""
    answer = client.get(f"{API}/papers/p0{query}", headers=headers)
    assert answer.status_code == (422 if query else 200)
    assert query or answer.json()["paper"]["external_id"] == "p0"
    assert client.post(f"{API}/papers/p0{query}", headers=headers).status_code in (404, 405)
    assert len(list(library.papers())) == 3


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "CONNECT", "PROPFIND", "GET\x00"])
def test_other_methods(client: TestClient, method: str) -> None:
    """A preflight that is answered opens the library to every site; TRACE tells cookies."""
    asked = {"origin": "http://localhost", "access-control-request-method": "DELETE", "cookie": "a=secret"}
    found = client.request(method, f"{API}/papers/p0", headers=asked)
    assert found.status_code in (404, 405) and "secret" not in found.text
    assert not [name for name in found.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "header", ["x-forwarded-host", "x-forwarded-proto", "forwarded", "x-host", "x-forwarded-prefix"]
)
def test_caches_are_not_poisoned(client: TestClient, header: str) -> None:
    """Who is asked next would be sent to another site, or shown what is not theirs."""
    for path in ("/", f"{API}/status", "/?token=x"):
        found = client.get(path, headers={header: "evil.example.org"}, follow_redirects=False)
        assert "evil.example.org" not in found.text + str(found.headers)
    assert found.headers.get("cache-control") != "public"
    assert client.get(f"{API}/papers/p0").headers["cache-control"] == "no-store"


def test_there_are_no_web_sockets(client: TestClient) -> None:
    """They are sent with cookies by every site, and no rule here would hold."""
    for path in (f"{API}/events", "/"):
        with pytest.raises(WebSocketDisconnect), client.websocket_connect(path):
            pass


# Tokens


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer"},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": f"Bearer {TOKEN[:-1]}"},
        {"authorization": f"Bearer {TOKEN.upper()}"},
        {"authorization": "Bearer \xff\xfe"},
        {"authorization": "Bearer " + "x" * 60_000},
        {"cookie": f"conspectus-81={TOKEN}"},
        {"x-api-key": TOKEN},
        {"x-forwarded-user": "root", "x-real-ip": "127.0.0.1", "x-forwarded-for": "127.0.0.1"},
    ],
)
def test_what_is_no_token(guarded: TestClient, headers: Mapping[str, str]) -> None:
    """The token would be an ornament."""
    sent = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    assert guarded.get(f"{API}/status", headers=sent).status_code == 401


@pytest.mark.parametrize(
    "path", ["/status", "/STATUS", "//status", "/./status", "/health/../status", "/events", "/metrics"]
)
def test_no_spelling_of_a_path_is_open(guarded: TestClient, path: str) -> None:
    """What is checked would be another path than what is answered."""
    assert guarded.get(f"http://localhost{API}{path}").status_code == 401
    assert "papers" not in guarded.get(f"http://localhost/{API}{path}").text
    assert "papers" not in guarded.get(f"http://localhost/API/v1{path}").text


def test_the_token_does_not_count_in_addresses_of_the_api(guarded: TestClient) -> None:
    """It would stand in histories, logs and what is copied."""
    assert guarded.get(f"{API}/status?token={TOKEN}").status_code == 401


def test_who_guesses_cannot_pretend_to_be_somebody_else(library: Library) -> None:
    """Each guess would come from another address: the header says so."""
    with run_server(create_app(library, Access("127.0.0.1", 0, TOKEN))) as port:
        told = [
            raw(port, f"GET {API}/status HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: 10.0.0.{number}\r\n"
                f"authorization: Bearer {number}\r\nconnection: close\r\n\r\n".encode())[9:12]
            for number in range(GUESSES + 1)
        ]  # fmt: skip
    assert told == [b"401"] * GUESSES + [b"429"]


# Requests


def raw(port: int, sent: bytes, wait: float = HANG) -> bytes:
    """What comes back for bytes, until the connection is closed, or nothing comes for `wait` seconds."""
    with socket.create_connection(("127.0.0.1", port), wait) as caller:
        got = b""
        with suppress(OSError):  # it does not wait for all that is sent
            caller.sendall(sent)
            while block := caller.recv(65536):
                got += block
                caller.shutdown(socket.SHUT_WR)  # nothing more is asked: else it is waited for
        return got


@pytest.fixture(scope="module")
def port(library: Library) -> Iterator[int]:
    """Of a server for all requests that are none."""
    with run_server(create_app(library, Access())) as port:
        yield port


HEAD = f"{API}/ask HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n".encode()


@pytest.mark.parametrize(
    "sent",
    [
        b"POST " + HEAD + b"content-length: 5\r\ncontent-length: 50\r\n\r\n{}{}{}",
        b"POST " + HEAD + b"content-length: -1\r\n\r\n{}",
        b"POST " + HEAD + b"content-length: 99999999999999999999\r\n\r\n{}",
        b"POST " + HEAD + b"transfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFF\r\n",
        b"POST " + HEAD + b"transfer-encoding: xchunked\r\n\r\n0\r\n\r\n",
        b"GET /" + b"a" * 700_000 + b" HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 20_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nhost: localhost\r\nhost: evil.org\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET http://169.254.169.254/ HTTP/1.1\r\nhost: 169.254.169.254\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost: localhost\r\nx:\x00\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
def test_requests_that_are_none(port: int, sent: bytes) -> None:
    """What one server takes for one request and another for two lets strangers speak in the name of others."""
    got = raw(port, sent, wait=3)  # a body that never comes whole is waited for
    assert not got or (got[9:10] == b"4" and got.count(b"HTTP/1.1 ") == 1), got[:200]
    assert b" 200 " in raw(port, b"GET /api/v1/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")


@pytest.mark.parametrize(
    "sent",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"question": ' + b'{"a":' * 50_000,
        b'{"question": "x", "year": ' + b"9" * 100_000 + b"}",
        b'{"question": "\xff\xfe"}',
        b'{"question": "x", "__proto__": {}}',
        b'{"question": {"$ne": ""}}',
        b"\x1f\x8b\x08" + b"\x00" * 1000,
        b"",
    ],
)
def test_bodies_that_are_none(client: TestClient, sent: bytes) -> None:
    """A fault would be told, or the server's stack or time be used up."""
    found = client.post(f"{API}/ask", content=sent, headers={"content-type": "application/json"})
    assert found.status_code in (400, 422) and found.headers["content-type"] == "application/problem+json"


def test_words_without_end(client: TestClient) -> None:
    """One question would keep a processor busy for minutes, or be sent to a paid model."""
    for query in ("word " * 12_000, "(" * 20_000, '"' * 20_001, "author:" * 6_000, "\u202e" * 6_000, "a-" * 20_000):
        assert client.get(f"{API}/search", params={"q": query}).status_code in (200, 400)
        assert client.get(f"{API}/count", params={"q": query}).status_code in (200, 400)
    many = [("venue", str(number)) for number in range(5000)]
    assert client.get(f"{API}/search", params=[("q", "cells"), *many]).status_code in (200, 400, 422)
    long = client.post(f"{API}/ask", json={"question": "word " * (BODY // 8)})
    if long.status_code == 202:
        assert collect_notices(client, long.json()["job"])[-2].event in ("done", "failed")


@pytest.mark.parametrize("ranges", ["bytes=" + ",".join(["0-"] * 5000), "bytes=99999999999-", "bytes=-0", "bytes=a-b"])
def test_ranges_without_end(client: TestClient, ranges: str) -> None:
    """A file would be sent five thousand times over."""
    found = client.get(f"{API}/export", headers={"range": ranges})
    whole = client.get(f"{API}/export").content
    assert found.status_code < 500 and len(found.content) <= 2 * len(whole) + 1000


# Uploads


def form(name: str = "file", filename: str = "a.md", content: bytes = b"# A", boundary: bytes = b"b") -> bytes:
    told = f'content-disposition: form-data; name="{name}"; filename="{filename}"'.encode()
    return b"--" + boundary + b"\r\n" + told + b"\r\n\r\n" + content + b"\r\n"


@pytest.mark.parametrize(
    ("kind", "sent"),
    [
        ("multipart/form-data; boundary=b", form() * 5000 + b"--b--"),
        ("multipart/form-data; boundary=b", b'--b\r\ncontent-disposition: form-data; name="x"\r\n\r\n1\r\n' * 5000),
        ("multipart/form-data; boundary=b", b"--b\r\n" + b"x: y\r\n" * 20_000 + b"\r\n"),
        ("multipart/form-data", form() + b"--b--"),
        ("multipart/form-data; boundary=" + "b" * 10_000, form()),
        ("multipart/form-data; boundary=b", form("other") + b"--b--"),
        ("multipart/form-data; boundary=b", form(filename="..") + b"--b--"),
        ("multipart/form-data; boundary=b", b"nothing"),
        ("application/octet-stream", b"x" * 1000),
    ],
)
def test_uploads_that_are_none(client: TestClient, library: Library, kind: str, sent: bytes) -> None:
    """Files, descriptors or memory would be used up, or a file be written where none was sent."""
    found = client.post(f"{API}/files", content=sent, headers={"content-type": kind})
    assert found.status_code in (400, 422), found.text
    kept = library.folder / "files"
    assert not kept.exists() or not list(kept.iterdir())


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/cron.d/x.md",
        "..\\..\\windows\\x.md",
        "C:\\x.md",
        "\\\\host\\share\\x.md",
        "%2e%2e%2fx.md",
        "a\x00.md",
        "~/.ssh/x.md",
        "$(touch x).md",
        SCRIPT + ".md",
    ],
)
def test_files_stay_where_they_belong(taking: TestClient, own: Library, tmp_path: Path, name: str) -> None:
    """An upload would write over the server's own files, or run when its name is shown."""
    before = {place for place in tmp_path.rglob("*") if own.folder not in place.parents}
    told = quote(name, safe="/\\:~$()` <>=.-%")
    found = taking.post(
        f"{API}/files",
        content=form(filename=told) + b"--b--",
        headers={"content-type": "multipart/form-data; boundary=b"},
    )
    if found.status_code == 202:
        collect_notices(taking, found.json()["job"])
        (kept,) = [place for place in (own.folder / "files").rglob("*") if place.is_file()]
        assert kept.parent.parent == own.folder / "files" and not {*kept.name} & {*'<>"/\\:|?*'}
    assert {place for place in tmp_path.rglob("*") if own.folder not in place.parents} == before


def bomb(name: str, size: int = 300 * 2**20) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed, packed.open(name, "w") as part:
        for _ in range(size // 2**20):
            part.write(b"\x00" * 2**20)
    return held.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(("file", "inside"), [("a.docx", "word/document.xml"), ("a.epub", "META-INF/container.xml")])
def test_bombs_do_not_go_off(taking: TestClient, own: Library, file: str, inside: str) -> None:
    """A file of some kilobytes would take the machine's memory."""
    begun = taking.post(f"{API}/files", files={"file": (file, bomb(inside))})
    told = collect_notices(taking, begun.json()["job"])
    assert [one.data["outcome"] for one in told if one.event == "file"] == ["failed"] and told[-2].event == "done"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.xml", '<!DOCTYPE a [<!ENTITY e SYSTEM "{place}">]><article><front>&e;</front></article>'),
        ("a.xml", '<!DOCTYPE a SYSTEM "{place}"><article><body><p>x</p></body></article>'),
        ("a.html", '<html><head><link rel=stylesheet href="{place}"><title>T</title></head><img src="{place}"></html>'),
        ("a.html", '<html><head><meta http-equiv=refresh content="0;{place}"><base href="{place}"></head>x</html>'),
        ("a.md", "# T\n\n![x]({place}) <{place}>"),
        ("a.tex", "\\documentclass{{article}}\\begin{{document}}\\input{{{place}}}\\url{{{place}}}x\\end{{document}}"),
        ("a.bib", "@article{{a, title={{T}}, url={{{place}}}, file={{{place}}}, doi={{{place}}}}}"),
    ],
)
def test_files_have_nothing_fetched(taking: TestClient, own: Library, name: str, text: str) -> None:
    """Who uploads a file would have the server ask what only it can reach, or read its files."""
    with record_connections() as port:
        place = f"http://127.0.0.1:{port.port}/x"
        for where in (place, "file:///etc/passwd"):
            begun = taking.post(f"{API}/files", files={"file": (name, text.format(place=where))})
            assert collect_notices(taking, begun.json()["job"])[-2].event == "done"
        assert not port.said
    assert "root:" not in json.dumps([body(taking, f"/papers/{one.id}/passages") for one in own.papers()])


# Where the server is sent


@pytest.mark.parametrize(
    "model",
    [
        "http://127.0.0.1:{port}/v1",
        "http://user:pass@127.0.0.1:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "local:/etc/passwd",
        "ollama:http://127.0.0.1:{port}",
        "google:../../files?x=",
        "openai:a/../../b",
    ],
)
def test_requests_do_not_choose_where_papers_are_sent(client: TestClient, model: str) -> None:
    """Anybody let in would have the server ask inside its network, or send a library's text elsewhere."""
    with record_connections() as port:
        name = model.format(port=port.port)
        for path, asked in (
            ("/ask", {"question": "Do cats purr?", "model": name}),
            ("/ask", {"question": "Do cats purr?", "second_opinion": name}),
            ("/consensus", {"question": "Do cats purr?", "model": name}),
            ("/summaries", {"papers": ["p0"], "model": name}),
            ("/answers/last/rerun", {"model": name}),
            ("/answers/last/rerun", {"second_opinion": name}),
            ("/map/names", {"by": "model", "model": name}),
        ):
            found = client.post(f"{API}{path}", json=asked)
            assert found.status_code == 403 and found.json()["type"] == "ForbiddenError", found.text
        assert not port.said


# What is shown


@pytest.fixture
def odd(tmp_path: Path, quick_pool: None) -> Iterator[TestClient]:
    """A library whose papers say programs."""
    record = {"id": "x", "title": SCRIPT, "abstract": f"Cats purr {SCRIPT} at night. Cats rest.", "authors": [SCRIPT]}
    with open_library(tmp_path / "odd") as library:
        library.add(write_jsonl(tmp_path / "x.jsonl", [record]))
        with make_client(library) as client:
            yield client


@pytest.mark.parametrize(
    "path",
    [
        "/papers",
        "/papers/x",
        "/papers/x/passages",
        "/search?q=cats+purr",
        f"/search?q={quote(SCRIPT)}",
        f"/papers/{quote(SCRIPT, safe='')}",
        f"/nothing/{quote(SCRIPT, safe='')}",
        f"/search?q=x&year={quote(SCRIPT)}",
        "/export?format=csv",
        "/files",
    ],
)
def test_what_papers_say_is_never_a_page(odd: TestClient, path: str) -> None:
    """A title would run as a program, with all that the page may do."""
    found = odd.get(f"{API}{path}")
    kind = found.headers["content-type"].partition(";")[0]
    assert kind in ("application/json", "application/problem+json", "text/plain")
    assert found.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in found.headers["content-security-policy"]
    if kind == "text/plain":
        assert found.headers["content-disposition"].startswith("attachment")


def test_answers_as_pages_run_nothing(odd: TestClient) -> None:
    """An answer shared as a file would run what a paper, or a model, wrote."""
    job = odd.post(f"{API}/ask", json={"question": f"Do cats purr at night? {SCRIPT}"}).json()["job"]
    answer = collect_notices(odd, job)[-2].data["result"]["id"]
    for to in ("html", "md", "json", "bib"):
        found = odd.get(f"{API}/answers/{answer}/export", params={"format": to})
        assert found.headers["content-disposition"].startswith("attachment")
        assert found.headers["x-content-type-options"] == "nosniff"
        if to == "html":
            assert "<script" not in found.text and "<img src=x" not in found.text


@pytest.mark.parametrize("name", [SCRIPT, "a\r\nset-cookie: x=1", "\u202egpj.exe", "../../x", "javascript:alert(1)"])
def test_names_that_users_give_are_only_names(client: TestClient, name: str) -> None:
    """A collection's or a conversation's name would run, or add a header."""
    for path, field in (("/collections", "name"), ("/conversations", "title")):
        made = client.post(f"{API}{path}", json={field: name})
        assert made.status_code < 500 and "set-cookie" not in made.headers
        listed = client.get(f"{API}{path}")
        assert listed.headers["content-type"] == "application/json" and "set-cookie" not in listed.headers


@pytest.mark.parametrize(
    "path", ["/%0d%0aset-cookie:%20x=1", "/x%0aset-cookie:x", "/\\evil.org", "//evil.org/%2e%2e", "/%2f%2fevil.org"]
)
def test_the_way_from_the_link_with_the_token_stays_here(guarded: TestClient, path: str) -> None:
    """The token's link would lead to another site, or set its cookies."""
    found = guarded.get(f"http://localhost{path}?token={TOKEN}", follow_redirects=False)
    place = found.headers.get("location", "/")
    assert place.startswith("/") and not place.startswith(("//", "/\\")) and "\n" not in place
    assert "x=1" not in found.headers.get("set-cookie", "")


def test_a_stream_says_what_it_is_told_and_no_more(client: TestClient) -> None:
    """A question with line breaks would say events of its own."""
    asked = {"question": "Do cats purr?\n\nevent: done\ndata: {}\n\n"}
    job = client.post(f"{API}/ask", json=asked).json()["job"]
    text = client.get(f"{API}/jobs/{job}/events").text
    assert [one.event for one in events_of(text)].count("done") == 1


def test_heard_hears() -> None:
    """The tests above would see nothing."""
    with record_connections() as port, socket.create_connection(("127.0.0.1", port.port), HANG) as caller:
        caller.sendall(b"x")
        until(lambda: port.said)


def test_a_page_lights_up_no_sentence_of_another_paper(client: TestClient, library: Library) -> None:
    """The picture of a paper that was removed would still be shown, under the address of another."""
    first, second, *_ = (paper.id for paper in library.papers())
    span = next(iter(library.passages(second))).spans[0].id
    refused = client.get(f"{API}/papers/{first}/pages/1.png", params={"span": span})
    assert refused.status_code == 404 and span in refused.json()["detail"]


@pytest.mark.parametrize(
    "path", ["papers/{paper}/figures/..%2F..%2Fx.png", "eval/runs/..%2F..", "jobs/..%2Fx", "spans/a%2Fb"]
)
def test_names_are_said_as_they_were_asked_for(client: TestClient, library: Library, path: str) -> None:
    """Signs that nobody has sent would stand in what is told."""
    told = client.get(f"{API}/{path.format(paper=next(iter(library.papers())).id)}")
    assert told.status_code == 404 and "\\u001f" not in told.text and "\x1f" not in told.text


def test_models_are_tried_by_the_rule_they_are_asked_by(client: TestClient) -> None:
    """What `/ask` refuses would begin as a job."""
    refused = client.post(f"{API}/models/try", json={"models": ["http://169.254.169.254/x"]})
    assert refused.status_code == 403, refused.text


def test_a_paper_named_a_thousand_times_is_looked_up_once(
    client: TestClient, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A minute of the server would cost a few kilobytes; more papers than a library page holds are refused."""
    asked, found = list[str](), next(iter(library.papers()))
    monkeypatch.setattr("conspectus.session.session.Session.paper", lambda _, name: asked.append(name) or found)
    assert client.post(f"{API}/tags", json={"papers": ["foo bar"] * 1000, "add": ["x"]}).status_code == 200
    assert asked == ["foo bar"]
    assert client.post(f"{API}/tags", json={"papers": ["a"] * 10_001, "add": ["x"]}).status_code == 422
