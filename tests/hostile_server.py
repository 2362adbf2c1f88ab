"""A server on loopback whose answers are hostile: without end, by drops, or packed so that they unfold to gigabytes."""

import contextlib
import gzip
import struct
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from loopback import QuietHandler, serve_handler

MEGABYTE = 2**20
CHUNK = 2**16


@dataclass
class Hostile:
    """Where it listens, and how many bytes of bodies it got rid of."""

    url: str = ""
    sent: int = 0


@cache
def bomb(megabytes: int = 400, layers: int = 1, kind: int = 31) -> bytes:
    """So many megabytes of spaces, packed; a thousandth of it, or less with more `layers`. `kind` is zlib's."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    spaces = b" " * MEGABYTE
    packed = packer.compress(spaces) + packer.flush(zlib.Z_FULL_FLUSH)  # can be repeated: it refers to nothing before
    is_gzip = kind == 31
    crc, adler = 0, 1
    for _ in range(megabytes):
        crc, adler = (zlib.crc32(spaces, crc), 1) if is_gzip else (0, zlib.adler32(spaces, adler))
    head = b"\x1f\x8b\x08\0\0\0\0\0\x02\xff" if is_gzip else b"\x78\xda"
    tail = struct.pack("<II", crc, megabytes * MEGABYTE) if is_gzip else struct.pack(">I", adler)
    data = head + packed * megabytes + b"\x03\0" + tail
    for _ in range(layers - 1):
        data = gzip.compress(data, 9)
    return data


def nothing_packed() -> Iterator[bytes]:
    """A gzip stream without end that unfolds to nothing."""
    yield bytes.fromhex("1f8b0800000000000003")
    while True:
        yield b"\x00\x00\x00\xff\xff" * (CHUNK // 5)


def forever(piece: bytes, pause: float = 0.0, start: bytes = b"") -> Iterator[bytes]:
    """The piece again and again."""
    yield start
    while True:
        yield piece
        time.sleep(pause)


ANSWERS = {
    "endless": ("application/json", "", lambda: forever(b" " * CHUNK)),
    "endless-text": ("application/json", "", lambda: forever(b"a" * CHUNK, start=b'{"data": "')),
    "endless-list": ("application/json", "", lambda: forever(b"[{}]," * (CHUNK // 5), start=b'{"data": [')),
    "deep": ("application/json", "", lambda: iter([b"[" * 200_000])),
    "number": ("application/json", "", lambda: iter([b'{"data": ' + b"9" * 100_000 + b"}"])),
    "drops": ("application/json", "", lambda: forever(b" ", 0.05)),
    "gzip": ("application/json", "gzip", lambda: iter([bomb()])),
    "gzip-twice": ("application/json", "gzip, gzip", lambda: iter([bomb(layers=2)])),
    "deflate": ("application/json", "deflate", lambda: iter([bomb(kind=15)])),
    "gzip-nothing": ("application/json", "gzip", nothing_packed),
    "gzip-cut": ("application/json", "gzip", lambda: iter([bomb(1)[:20]])),
    "event": ("text/event-stream", "", lambda: forever(b"a" * CHUNK, start=b'data: {"choices": "')),
    "events": ("text/event-stream", "", lambda: forever(b": %s\n\n" % (b"a" * 4000))),
    "events-gzip": ("text/event-stream", "gzip", lambda: iter([bomb()])),
}
"""By name: kind of the content, its encoding, and its parts."""
HEADS = ("head-drops", "head-endless", "mute")
"""More names: headers by drops, headers without end, and nothing at all."""


@contextlib.contextmanager
def hostile(name: str) -> Iterator[Hostile]:
    """A server that answers everything in the way of that name."""
    state = Hostile()

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            with contextlib.suppress(OSError):
                self._answer()
            self.close_connection = True

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.do_GET()

        def _answer(self) -> None:
            if name in HEADS:
                self.wfile.write(b"HTTP/1.1 200 OK\r\n")
                for _ in range(200):
                    self.wfile.write(b"" if name == "mute" else b"x-a: b\r\n" * (1 if name == "head-drops" else 99999))
                    time.sleep(0.05)
                return
            kind, packed, parts = ANSWERS[name]
            self.send_response(200)
            self.send_header("content-type", kind)
            if packed:
                self.send_header("content-encoding", packed)
            self.end_headers()
            for part in parts():
                self.wfile.write(part)
                state.sent += len(part)

    with serve_handler(Handler) as state.url:
        yield state
