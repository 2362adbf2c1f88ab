"""Downloads: what is hostile is refused and leaves nothing behind, what was ended goes on, one file is kept once."""

import gzip
import shutil
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from conspectus.core import public_hosts, transport
from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.job_context import JobContext, Stopped
from conspectus.core.public_hosts import is_public
from conspectus.services import download as downloads
from conspectus.services.download import PARTS, DownloadedFile, download
from file_server import JATS, MAIN, PAGE, PDF, TEI, FileServer, archive, file_server, tag_of
from grobid_server import address_of_nobody
from helpers import until
from hostile_server import MEGABYTE, bomb, hostile
from loopback import QuietHandler

PACKED_TEX = gzip.compress(MAIN.encode(), mtime=0)


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server() as found:
        yield found


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr(downloads, "sleep", found.append)
    return found


def fetch(server: FileServer, folder: Path, path: str = "/a.pdf", **options: object) -> DownloadedFile:
    given: dict[str, object] = {"most_bytes": 4 * MEGABYTE, "timeout": 60.0, "trusted": (server.url,), **options}
    return download(server.url + path, folder, **given)  # type: ignore[arg-type]


def papers(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name != PARTS)


def parts(folder: Path) -> list[Path]:
    return list((folder / PARTS).glob("*.part"))


@pytest.mark.parametrize(
    ("body", "name", "ending"),
    [
        (PDF, "pdf", ".pdf"),
        (b"\n junk \n" + PDF, "pdf", ".pdf"),
        (JATS, "jats", ".xml"),
        (TEI, "tei", ".xml"),
        (archive(main__tex=MAIN), "latex", ".tar.gz"),
        (gzip.decompress(archive(main__tex=MAIN)), "latex", ".tar"),
        (PACKED_TEX, "latex", ".tex.gz"),
        (MAIN.encode(), "latex", ".tex"),
    ],
)
def test_a_file_is_what_its_bytes_say(server: FileServer, tmp_path: Path, body: bytes, name: str, ending: str) -> None:
    """A reader would be given a file under an ending that another reader takes."""
    server.files["/x.exe"] = body
    found = fetch(server, tmp_path, "/x.exe")
    assert (found.format, found.path.name, found.size) == (name, found.sha256 + ending, len(body))
    assert found.path.read_bytes() == body and found.url == f"{server.url}/x.exe"
    assert papers(tmp_path) == [found.path] and not parts(tmp_path)


@pytest.mark.parametrize(
    ("body", "expect", "why"),
    [
        (PAGE, ("pdf",), "the publisher's page, not the paper"),
        (b"\n<script>location='/login'</script>", ("pdf",), "web page"),
        (JATS, ("pdf",), "PDF was expected, and it sends JATS"),
        (PDF, ("jats",), "JATS was expected, and it sends PDF"),
        (b"<rss><channel/></rss>", ("jats", "tei"), "XML of another kind"),
        (b"MZ\x90\x00" + bytes(100), ("pdf",), "unknown kind"),
        (b"", ("pdf",), "it sends nothing"),
        (PDF[:-200], ("pdf",), "ends in the middle of the PDF"),
        (JATS[:-30], ("jats",), "ends in the middle of the XML"),
        (b"<article><front/></article>", ("jats",), "no text of the paper"),
        (archive(main__tex=MAIN)[:-20], ("latex",), "ends in the middle of the archive"),
    ],
)
def test_what_is_no_whole_paper_is_refused(
    server: FileServer, tmp_path: Path, body: bytes, expect: Sequence[str], why: str
) -> None:
    """A login page, or half a paper, would be added as the paper."""
    server.files["/a"] = body
    with pytest.raises(ServiceError, match=why) as caught:
        fetch(server, tmp_path, "/a", expect=expect)
    assert not caught.value.retry and not papers(tmp_path) and not parts(tmp_path)
    assert server.count("/a") == 1


def test_what_unfolds_to_too_much_is_refused(server: FileServer, tmp_path: Path) -> None:
    """Memory and the disk would be full of zeros."""
    body = gzip.compress(b"\\documentclass{a}" + bytes(300 * MEGABYTE), 9, mtime=0)
    test_what_is_no_whole_paper_is_refused(server, tmp_path, body, ("latex",), "unfolds to more than")


@pytest.mark.parametrize("name", ["endless", "endless-text", "gzip", "gzip-twice", "deflate", "gzip-nothing"])
def test_downloads_without_end_and_bombs_are_left(tmp_path: Path, name: str) -> None:
    """A hostile server would fill the disk."""
    bomb(), bomb(layers=2), bomb(kind=15)
    with hostile(name) as there, pytest.raises(ServiceError) as caught:
        download(there.url, tmp_path, most_bytes=2 * MEGABYTE, timeout=60, trusted=[there.url])
    assert not caught.value.retry and not papers(tmp_path) and not parts(tmp_path)


@pytest.mark.parametrize("packed", [False, True])
def test_what_begins_as_a_paper_has_a_size_too(server: FileServer, tmp_path: Path, packed: bool) -> None:
    """As before, from a server that knows what is looked for."""

    def send(handler: QuietHandler) -> None:
        handler.send_response(200)
        if packed:
            handler.send_header("content-encoding", "gzip")
        handler.end_headers()
        handler.wfile.write(gzip.compress(PDF + bytes(100 * MEGABYTE), 1, mtime=0) if packed else PDF)
        while not packed:
            handler.wfile.write(bytes(MEGABYTE))

    server.answers["/a"] = send
    with pytest.raises(ServiceError, match=r"more than the 4 MB|larger than 4 MB") as caught:
        fetch(server, tmp_path, "/a")
    assert not caught.value.retry and not papers(tmp_path) and not parts(tmp_path) and len(server.asked) == 1


def test_packings_that_were_not_asked_for_are_refused(server: FileServer, tmp_path: Path) -> None:
    """Packed bytes would be kept as a paper, or unfold without a bound."""
    server.answers["/a"] = lambda handler: handler.send(200, PDF, {"content-encoding": "zstd"})
    with pytest.raises(ServiceError, match="packed as 'zstd'"):
        fetch(server, tmp_path, "/a")
    server.answers["/b"] = lambda handler: handler.send(200, gzip.compress(PDF, mtime=0), {"content-encoding": "gzip"})
    assert fetch(server, tmp_path, "/b").path.read_bytes() == PDF
    server.answers["/c"] = lambda handler: handler.send(200, PACKED_TEX, {"content-encoding": "x-gzip"})
    assert fetch(server, tmp_path, "/c").path.read_bytes() == PACKED_TEX


def test_what_says_that_it_is_too_large_is_not_begun(server: FileServer, tmp_path: Path) -> None:
    """Megabytes would be fetched to be thrown away."""
    server.files["/a.pdf"] = PDF + bytes(5 * MEGABYTE)
    with pytest.raises(ServiceError, match=r"5\.\d+ MB, more than the 4 MB"):
        fetch(server, tmp_path)
    assert not papers(tmp_path) and not parts(tmp_path)


@pytest.mark.parametrize("name", ["drops", "head-drops", "mute"])
def test_slow_drips_end_in_their_time(tmp_path: Path, name: str) -> None:
    """A byte now and then would keep a command waiting for ever."""
    with hostile(name) as there, pytest.raises(ServiceAwayError, match=r"within 0\.5 s|too long"):
        download(there.url, tmp_path, most_bytes=MEGABYTE, timeout=0.5, trusted=[there.url])


def test_a_server_must_keep_a_pace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waits: list[float]) -> None:
    """A server could hold a download for the whole of its time."""
    monkeypatch.setattr(downloads, "_GRACE", 0.0)
    with hostile("drops") as there, pytest.raises(ServiceAwayError, match="less than 1,024 bytes a second"):
        download(there.url, tmp_path, most_bytes=MEGABYTE, timeout=600, trusted=[there.url])


def test_a_job_that_is_stopped_leaves_its_download(tmp_path: Path) -> None:
    """Whoever cancels a run would wait for minutes until the file has come."""
    job = JobContext(lambda event: None)
    with hostile("drops") as there:
        stopper = threading.Thread(target=lambda: (until(lambda: there.sent > 2), job.stop()))
        with job.listen(), pytest.raises(Stopped):
            stopper.start()
            download(there.url, tmp_path, most_bytes=MEGABYTE, timeout=600, trusted=[there.url])
        stopper.join()


@pytest.mark.parametrize(
    "address",
    "10.0.0.1 127.0.0.1 0.0.0.0 169.254.169.254 100.64.1.1 192.168.1.1 172.16.0.1 224.0.0.1 240.0.0.1 192.0.0.192 "
    "168.63.129.16 198.18.0.1 ::1 :: fe80::1 fe80::1%eth0 fc00::1 fd00:ec2::254 ff02::1 ::ffff:127.0.0.1 ::7f00:1 "
    "64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1 nothing".split(),
)
def test_private_addresses(address: str) -> None:
    """Links in a service's answer would reach into the user's network, or read a cloud's keys."""
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_public_addresses(address: str) -> None:
    """Nothing could be downloaded."""
    assert is_public(address)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "[::1]", "[::ffff:7f00:1]"]
)
def test_links_and_redirects_to_private_hosts_are_refused(server: FileServer, tmp_path: Path, host: str) -> None:
    """Whoever writes a link would have the user's machine ask what only that machine can."""
    with file_server() as private:
        private.files["/a.pdf"] = PDF
        place = f"http://{host}:{private.url.rpartition(':')[2]}/a.pdf"
        server.redirect("/away", place)
        for url in (place, f"{server.url}/away"):
            with pytest.raises(ServiceError, match="not a public address") as caught:
                download(url, tmp_path, most_bytes=MEGABYTE, timeout=20, trusted=[server.url])
            assert not caught.value.retry
        assert not private.asked and not papers(tmp_path)


def test_strangers_do_not_lead_to_trusted_servers(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server on the internet would have a local one that settings name asked in our name."""
    with file_server() as stranger:
        answers = iter([True, False])
        monkeypatch.setattr(public_hosts, "is_public", lambda address: next(answers))
        stranger.redirect("/on", f"{server.url}/a.pdf")
        url = stranger.url.replace("127.0.0.1", "stranger.example") + "/on"

        async def resolver(host: str, port: int) -> Sequence[str]:
            return ["127.0.0.1"]

        with pytest.raises(ServiceError, match="not a public address"):
            download(url, tmp_path, most_bytes=MEGABYTE, timeout=20, trusted=[server.url], resolver=resolver)
        assert len(stranger.asked) == 1
    assert not server.asked


def test_the_address_that_was_checked_is_the_one_that_is_asked(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that means a public address at first and a private one then would get around the check."""
    server.files["/a.pdf"] = PDF
    monkeypatch.setattr(public_hosts, "is_public", lambda address: address == "127.0.0.1")
    answers = [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1", "127.0.0.2"]]
    asked = []

    async def resolver(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return answers.pop(0)

    url = server.url.replace("127.0.0.1", "paper.example") + "/a.pdf"
    found = download(url, tmp_path, most_bytes=MEGABYTE, timeout=20, resolver=resolver)
    assert found.url == url and asked == ["paper.example"], "it is resolved once"
    assert server.asked[0][1]["host"] == url.split("/")[2], "a server with many sites must know which is meant"
    for _ in range(2):  # private now; one of two private
        with pytest.raises(ServiceError, match=r"\(127\.0\.0\.2\), which is not a public address"):
            download(url, tmp_path, most_bytes=MEGABYTE, timeout=20, resolver=resolver)
    assert len(server.asked) == 1


@pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl")
def test_tls_is_of_the_name_and_not_of_the_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the address in place of the name no certificate would fit, or any would."""
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=x -addext subjectAltName=DNS:paper.example"
    subprocess.run(["openssl", *words.split(), "-keyout", key, "-out", cert], check=True, capture_output=True)
    names: list[str | None] = []
    there = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    there.load_cert_chain(cert, key)
    there.sni_callback = lambda _socket, name, _context: names.append(name)
    here = ssl.create_default_context(cafile=str(cert))
    monkeypatch.setattr(transport, "_certificates", lambda: here)

    async def resolver(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    from http.server import ThreadingHTTPServer

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            if self.path == "/down":
                self.send(302, b"", {"location": "http://paper.example/a"})
            else:
                self.send(200, PDF, {})

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.handle_error = lambda *_: None  # type: ignore[method-assign]
        http.socket = there.wrap_socket(http.socket, server_side=True)
        threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        places = [f"https://{host}:{http.server_address[1]}" for host in ("paper.example", "other.example")]
        options = {"most_bytes": MEGABYTE, "timeout": 20.0, "trusted": places, "resolver": resolver}
        assert download(f"{places[0]}/a", tmp_path, **options).size == len(PDF)  # type: ignore[arg-type]
        with pytest.raises(ServiceError, match=r"its certificate is not accepted .*other\.example"):
            download(f"{places[1]}/a", tmp_path, **options)  # type: ignore[arg-type]
        with pytest.raises(ServiceError, match="from https to http"):
            download(f"{places[0]}/down", tmp_path, **options)  # type: ignore[arg-type]
        http.shutdown()
    assert names == ["paper.example", "other.example", "paper.example"]


def test_redirects_are_followed_and_end(server: FileServer, tmp_path: Path) -> None:
    """Most copies are behind a redirect; one that never ends would be followed for ever."""
    server.files["/a.pdf"] = PDF
    server.redirect("/1", "/2")
    server.redirect("/2", f"{server.url}/a.pdf")
    found = fetch(server, tmp_path, "/1")
    assert found.url == f"{server.url}/a.pdf"
    server.redirect("/round", "/round")
    with pytest.raises(ServiceError, match="more than 5 times"):
        fetch(server, tmp_path, "/round")
    assert server.count("/round") == 6


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://example.org/a.pdf", "http://", "x", "http://[::1/", ""])
def test_only_the_web_is_asked(server: FileServer, tmp_path: Path, url: str) -> None:
    """A link could read the user's files."""
    with pytest.raises(ServiceError) as caught:
        download(url, tmp_path, most_bytes=MEGABYTE, timeout=20)
    assert not caught.value.retry
    server.redirect("/on", url or "file:///etc/passwd")
    with pytest.raises(ServiceError):
        fetch(server, tmp_path, "/on")
    assert not papers(tmp_path)


def test_passwords_and_cookies_are_not_sent(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link, or a server, would have secrets sent to another; a proxy would choose whom to ask."""
    monkeypatch.setenv("HTTP_PROXY", address_of_nobody())
    server.files["/a.pdf"] = PDF
    server.redirect("/on", server.url.replace("http://", "http://me:secret@") + "/a.pdf#secret")
    url = server.url.replace("http://", "http://me:secret@") + "/on"
    found = download(url, tmp_path, most_bytes=MEGABYTE, timeout=20, trusted=[server.url])
    assert "secret" not in repr(server.asked) and "secret" not in repr(found)
    assert not {"cookie", "authorization", "referer"} & set(server.asked[-1][1])
    with pytest.raises(ServiceError) as caught:
        fetch(server, tmp_path, "/missing?token=secret")
    assert "HTTP 404" in caught.value.message and "secret" not in caught.value.message


@pytest.mark.parametrize("name", ["../../evil.pdf", "/etc/evil.pdf", "a\\..\\evil.pdf", "evil.pdf\x00.exe"])
def test_names_that_servers_give_are_not_used(server: FileServer, tmp_path: Path, name: str) -> None:
    """A server would choose where on the disk it writes."""
    header = {"content-disposition": f'attachment; filename="{name}"', "content-type": "text/html"}
    header["content-disposition"] = header["content-disposition"].replace("\x00", "%00")
    server.answers["/%2e%2e/%2e%2e/evil.pdf"] = lambda handler: handler.send(200, PDF, header)
    found = fetch(server, tmp_path / "in", "/%2e%2e/%2e%2e/evil.pdf")
    assert found.path.parent == tmp_path / "in" and found.path.name == f"{found.sha256}.pdf"
    assert not list(tmp_path.rglob("*evil*"))


def test_a_broken_connection_goes_on_where_it_was(server: FileServer, tmp_path: Path, waits: list[float]) -> None:
    """A large file over a poor line would begin again and again, and never come."""
    server.files["/a.pdf"], server.cut = PDF, [200_000, 150_000]
    assert fetch(server, tmp_path).path.read_bytes() == PDF
    assert [headers.get("range") for _, headers in server.asked] == [None, "bytes=200000-", "bytes=350000-"]
    assert len(waits) == 2


@pytest.mark.parametrize("lost", ["tags", "ranges", "other"])
def test_what_cannot_go_on_begins_anew(server: FileServer, tmp_path: Path, waits: list[float], lost: str) -> None:
    """Halves of two files, or the same beginning twice, would be kept as one paper."""
    server.files["/a.pdf"], server.cut = PDF, [200_000]
    server.tags, server.ranges = lost != "tags", lost != "ranges"
    wanted = PDF
    if lost == "other":
        server.cut = [200_000] * 4
        with pytest.raises(ServiceAwayError):
            fetch(server, tmp_path, timeout=0.3)
        wanted = server.files["/a.pdf"] = PDF.replace(b"<<>>", b"<< >>")
        server.cut = []
    assert fetch(server, tmp_path).path.read_bytes() == wanted


@pytest.mark.parametrize(
    ("status", "sent"),
    [
        (206, {"content-range": "bytes 0-10/520000"}),
        (206, {"content-range": "bytes 200000-99999999/520000"}),
        (206, {"content-range": "bytes 200000-200010/900000", "etag": tag_of(PDF)}),
        (206, {"content-range": f"bytes 200000-{len(PDF) - 1}/{len(PDF)}", "etag": '"other"'}),
        (206, {"content-range": "nonsense"}),
        (206, {}),
        (416, {}),
    ],
)
def test_lies_about_parts_and_totals_begin_anew(
    server: FileServer, tmp_path: Path, waits: list[float], status: int, sent: dict[str, str]
) -> None:
    """A server, or a cache on the way, that is wrong about what it sends would mix up a paper."""
    server.files["/a.pdf"], server.cut = PDF, [200_000]

    def lie(handler: QuietHandler) -> None:
        del server.answers["/a.pdf"]
        handler.send(status, (b"lies " * len(PDF))[: len(PDF) - 200_006] + b"%%EOF\n", sent)

    def cut_then_lie(handler: QuietHandler) -> None:
        server.answers["/a.pdf"] = lie
        handler._send_file(PDF)  # type: ignore[attr-defined]

    server.answers["/a.pdf"] = cut_then_lie
    assert fetch(server, tmp_path).path.read_bytes() == PDF
    assert len(server.asked) == 3


@pytest.mark.parametrize("length", ["100", "99999", "999999999999999999999", "-5", "x"])
def test_lies_about_the_length_keep_no_half(
    server: FileServer, tmp_path: Path, waits: list[float], length: str
) -> None:
    """Half a paper would be kept as the whole."""

    def lie(handler: QuietHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", length)
        handler.end_headers()
        handler.wfile.write(PDF[:50_000])

    server.answers["/a"] = lie
    with pytest.raises(ServiceError):
        fetch(server, tmp_path, "/a")
    assert not papers(tmp_path)


def test_statuses(server: FileServer, tmp_path: Path, waits: list[float]) -> None:
    """What may pass is asked again, as the server wishes; what will not is not."""
    server.files["/busy"] = PDF

    def busy(handler: QuietHandler) -> None:
        del server.answers["/busy"]
        handler.send(429, b"slow", {"retry-after": "7"})

    server.answers["/busy"] = busy
    assert fetch(server, tmp_path, "/busy").size and waits == [7.0]
    server.answers["/no"] = lambda handler: handler.send(403, b"", {})
    with pytest.raises(ServiceError, match=r"forbids it \(HTTP 403\)"):
        fetch(server, tmp_path, "/no")
    assert server.count("/no") == 1
    nobody = address_of_nobody()
    with pytest.raises(ServiceAwayError):
        download(f"{nobody}/a", tmp_path, most_bytes=9, timeout=5, trusted=[nobody])


def test_the_same_file_is_sent_and_kept_once(server: FileServer, tmp_path: Path) -> None:
    """A second run would fetch gigabytes again, and the library would have papers twice."""
    server.files |= {"/a.pdf": PDF, "/b.pdf": PDF}
    found = fetch(server, tmp_path)
    assert fetch(server, tmp_path) == found
    assert server.asked[1][1]["if-none-match"], "answered by 304, without the file"
    assert fetch(server, tmp_path, "/b.pdf").path == found.path and papers(tmp_path) == [found.path]
    found.path.unlink()
    assert fetch(server, tmp_path).path.read_bytes() == PDF, "one that was removed is fetched again"


CHILD = """
import sys
from pathlib import Path
from conspectus.services.download import download
url, folder = sys.argv[1:]
print(download(url, Path(folder), most_bytes=2**24, timeout=60.0, trusted=[url]).path.name)
"""


def child(server: FileServer, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHILD, f"{server.url}/a.pdf", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_a_killed_download_goes_on(server: FileServer, tmp_path: Path) -> None:
    """Whoever interrupts a long run would lose what has come."""
    server.files["/a.pdf"], server.pause = PDF, 0.1
    process = child(server, tmp_path)
    until(lambda: any(path.stat().st_size > 100_000 for path in parts(tmp_path)))
    process.kill()
    process.communicate()
    (part,) = parts(tmp_path)
    size = part.stat().st_size
    assert 0 < size < len(PDF) and not papers(tmp_path)
    server.pause = 0.0
    assert fetch(server, tmp_path).path.read_bytes() == PDF
    assert server.asked[-1][1]["range"] == f"bytes={size}-" and not parts(tmp_path)


def test_two_processes_that_want_the_same_fetch_it_once(server: FileServer, tmp_path: Path) -> None:
    """They would write into each other's part."""
    server.files["/a.pdf"], server.pause = PDF, 0.1
    first = child(server, tmp_path)
    until(lambda: server.asked)
    second = child(server, tmp_path)
    names = {process.communicate()[0].strip() for process in (first, second)}
    (path,) = papers(tmp_path)
    assert names == {path.name} and path.read_bytes() == PDF
    assert [headers.get("if-none-match", "") == "" for _, headers in server.asked].count(True) == 1


def test_whoever_waited_for_another_asks_nobody(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two runs over the same papers would fetch each twice."""
    server.files["/a.pdf"], server.tags = PDF, False
    lock = downloads.FileLock

    class SlowLock(lock):  # type: ignore[misc, valid-type]
        def __enter__(self) -> object:
            monkeypatch.setattr(downloads, "FileLock", lock)
            fetch(server, tmp_path)  # another process, while this one waits
            return super().__enter__()

    monkeypatch.setattr(downloads, "FileLock", SlowLock)
    assert fetch(server, tmp_path).path.read_bytes() == PDF
    assert len(server.asked) == 1


def test_many_threads_that_want_the_same(server: FileServer, tmp_path: Path) -> None:
    """As two processes."""
    server.files["/a.pdf"] = PDF
    found: list[DownloadedFile] = []
    work: Callable[[], None] = lambda: found.append(fetch(server, tmp_path))  # noqa: E731
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6 and len({file.path for file in found}) == 1
