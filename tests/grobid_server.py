"""A local server that answers as GROBID does, or as it is told to."""

import contextlib
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from loopback import QuietHandler, serve_handler
from xml_samples import TEI


@dataclass
class GrobidServer:
    """What it was asked, and what it will say: each answer once, then the paper of `xml_samples` for ever."""

    url: str = ""
    alive: bool = True
    asked: list[dict[str, list[str]]] = field(default_factory=list)
    answers: list[tuple[int, bytes, dict[str, str]]] = field(default_factory=list)
    delay: float = 0.0
    now: int = 0
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def say(self, status: int, body: str | bytes = "", **headers: str) -> None:
        self.answers.append((status, body.encode() if isinstance(body, str) else body, headers))


def form_of(body: bytes, content_type: str) -> dict[str, list[str]]:
    """The fields of a multipart form, each with all its values."""
    boundary = content_type.partition("boundary=")[2].encode()
    found: dict[str, list[str]] = {}
    for part in body.split(b"--" + boundary)[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        name = re.search(rb'name="([^"]*)"', head)
        assert name
        found.setdefault(name[1].decode(), []).append(content.removesuffix(b"\r\n").decode("latin-1"))
    return found


@contextlib.contextmanager
def grobid_server() -> Iterator[GrobidServer]:
    known = GrobidServer()

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            assert self.path == "/api/isalive"
            self.send(200 if known.alive else 503, b"true" if known.alive else b"false", {})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path != "/api/processFulltextDocument":
                return self.send(404, b"", {})
            with known.lock:
                known.asked.append(form_of(body, self.headers["content-type"]))
                known.now += 1
                known.most = max(known.most, known.now)
                answer = known.answers.pop(0) if known.answers else None
            time.sleep(known.delay)
            with known.lock:
                known.now -= 1
            if not known.alive:
                return self.close_connection_now()
            return self.send(*(answer or (200, TEI.encode(), {})))

        def close_connection_now(self) -> None:
            self.close_connection = True
            self.connection.close()

    with serve_handler(Handler) as known.url:
        yield known


def address_of_nobody() -> str:
    """An address at which nothing answers."""
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"
