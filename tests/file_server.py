"""A server on loopback that sends files, as well or as badly as a test tells it to, and notes what it was asked."""

import contextlib
import hashlib
import io
import re
import tarfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from loopback import QuietHandler, serve_handler

PDF = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n" + bytes(range(256)) * 2000 + b"\nstartxref\n0\n%%EOF\n"
JATS = b'<?xml version="1.0"?>\n<article><front/><body><p>Grid cells fire.</p></body></article>\n'
TEI = b'<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p>Grid cells fire.</p></body></text></TEI>'
PAGE = b"<!DOCTYPE html><html><head><title>Buy %PDF-1.7 here</title></head><body>Sign in</body></html>"
MAIN = (
    r"\documentclass{article}\title{Lace plants}\begin{document}\maketitle Cells of the lace plant die.\end{document}"
)


def archive(**files: str) -> bytes:
    """A tar archive packed with gzip; `__` in a name stands for a dot."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name.replace("__", "."))
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return packed.getvalue()


def tag_of(body: bytes) -> str:
    """The entity tag of a file."""
    return f'"{hashlib.sha256(body).hexdigest()[:8]}"'


@dataclass
class FileServer:
    """Files by their paths, answers that are no files, and the headers of each request with its path.

    Attributes:
        cut: after how many bytes each of the next answers ends.
        tags: whether files have entity tags, by which the rest of them can be asked for.
    """

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    answers: dict[str, Callable[[QuietHandler], None]] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    tags: bool = True
    ranges: bool = True
    pause: float = 0.0

    def count(self, path: str) -> int:
        return sum(asked == path for asked, _ in self.asked)

    def redirect(self, path: str, to: str) -> None:
        self.answers[path] = lambda handler: handler.send(302, b"", {"location": to, "set-cookie": "id=secret"})


@contextlib.contextmanager
def file_server() -> Iterator[FileServer]:
    """Serves what the test puts into it."""
    state = FileServer()

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            state.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            self.close_connection = True
            if answer := state.answers.get(self.path):
                with contextlib.suppress(OSError):
                    answer(self)
            elif self.path in state.files:
                self._send_file(state.files[self.path])
            else:
                self.send(404, b"nothing here", {})

        def _send_file(self, body: bytes) -> None:
            tag = tag_of(body)
            if state.tags and self.headers.get("if-none-match") == tag:
                self.send(304, b"", {})
                return
            match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("range", ""))
            whole = not (match and state.ranges and self.headers.get("if-range") == tag)
            start = 0 if whole or not match else int(match[1])
            self.send_response(200 if whole else 206)
            if not whole:
                self.send_header("content-range", f"bytes {start}-{len(body) - 1}/{len(body)}")
            if state.tags:
                self.send_header("etag", tag)
            self.send_header("content-length", str(len(body) - start))
            self.end_headers()
            end = min(len(body), start + state.cut.pop(0)) if state.cut else len(body)
            with contextlib.suppress(OSError):
                for at in range(start, end, 50_000):
                    self.wfile.write(body[at : min(at + 50_000, end)])
                    time.sleep(state.pause)

    with serve_handler(Handler) as state.url:
        yield state
