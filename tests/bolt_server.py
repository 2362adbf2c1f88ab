"""A server that speaks Bolt as Neo4j does, and notes the statements that arrive: `with bolt() as server:`.

Bolt 4.4 and 5.4 (https://neo4j.com/docs/bolt/current/): handshake, HELLO, LOGON, ROUTE, BEGIN, RUN, PULL, COMMIT,
RESET. Rows are what a script answers a statement with; MERGE and MATCH are executed by nobody.
"""

import socketserver
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

MAGIC = b"\x60\x60\xb0\x17"
HELLO, GOODBYE, RESET, RUN, BEGIN, COMMIT, ROLLBACK = 0x01, 0x02, 0x0F, 0x10, 0x11, 0x12, 0x13
DISCARD, PULL, ROUTE, LOGON, LOGOFF, TELEMETRY = 0x2F, 0x3F, 0x66, 0x6A, 0x6B, 0x54
SUCCESS, RECORD, IGNORED, FAILURE = 0x70, 0x71, 0x7E, 0x7F
Rows = Sequence[Mapping[str, Any]]


def pack(value: Any) -> bytes:
    """A value in PackStream; a tuple is a structure: its tag and its fields."""
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return struct.pack(">b", value) if -16 <= value < 128 else b"\xcb" + struct.pack(">q", value)
        case float():
            return b"\xc1" + struct.pack(">d", value)
        case str():
            return b"\xd2" + struct.pack(">I", len(value.encode())) + value.encode()
        case list():
            return b"\xd6" + struct.pack(">I", len(value)) + b"".join(map(pack, value))
        case dict():
            said = b"".join(pack(name) + pack(one) for name, one in value.items())
            return b"\xda" + struct.pack(">I", len(value)) + said
        case (tag, *fields):
            return bytes((0xB0 + len(fields), tag)) + b"".join(map(pack, fields))
    raise TypeError(value)


class Unpacker:
    """Values out of PackStream, one after another."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def _take(self, form: str) -> Any:
        size = struct.calcsize(form)
        self._at += size
        return struct.unpack(form, self._data[self._at - size : self._at])[0]

    def value(self) -> Any:
        """The next one; a structure is a tuple of its tag and its fields."""
        mark = self._take(">B")
        simple = {0xC0: None, 0xC2: False, 0xC3: True}
        numbers = {0xC1: ">d", 0xC8: ">b", 0xC9: ">h", 0xCA: ">i", 0xCB: ">q"}
        if mark in simple:
            return simple[mark]
        if mark in numbers:
            return self._take(numbers[mark])
        if mark < 0x80 or mark >= 0xF0:
            return mark if mark < 0x80 else mark - 0x100
        return self._sized(mark)

    def _sized(self, mark: int) -> Any:
        if mark < 0xC0:
            kind, size = mark & 0xF0, mark & 0x0F
        else:
            kind = {0xD0: 0x80, 0xD4: 0x90, 0xD8: 0xA0}[mark & 0xFC]
            size = self._take((">B", ">H", ">I")[mark & 3])
        if kind == 0x80:
            self._at += size
            return self._data[self._at - size : self._at].decode()
        if kind == 0xB0:
            return (self._take(">B"), *(self.value() for _ in range(size)))
        if kind == 0xA0:
            return {self.value(): self.value() for _ in range(size)}
        return [self.value() for _ in range(size)]


@dataclass
class BoltServer:
    """What arrived.

    Attributes:
        url: `bolt://127.0.0.1:PORT`.
        ran: statements with their parameters, those of transactions that were committed.
        modes: `w` or `r` of each transaction.
        greetings: what clients said of themselves, passwords among it.
    """

    answer: Callable[[str, Mapping[str, Any]], Rows | Exception]
    version: tuple[int, int]
    password: str
    port: int = 0
    ran: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)
    greetings: list[dict[str, Any]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"bolt://127.0.0.1:{self.port}"


class _Talk(socketserver.StreamRequestHandler):
    """One connection."""

    def handle(self) -> None:
        self.told: BoltServer = self.server.told  # type: ignore[attr-defined]
        if self.rfile.read(4) != MAGIC:
            return
        self.rfile.read(16)
        major, minor = self.told.version
        self.wfile.write(bytes((0, 0, minor, major)))
        self.open: list[tuple[str, dict[str, Any]]] | None = None
        self.rows: Rows = ()
        self.failed = False
        while (message := self._read()) and message[0] != GOODBYE:
            self._say(*message)

    def _read(self) -> tuple[Any, ...] | None:
        data = b""
        while head := self.rfile.read(2):
            size = int.from_bytes(head)
            if not size and data:
                return tuple(Unpacker(data).value())
            data += self.rfile.read(size)
        return None

    def _tell(self, tag: int, *fields: Any) -> None:
        data = pack((tag, *fields))
        chunks = (data[at : at + 0xFFFF] for at in range(0, len(data), 0xFFFF))
        self.wfile.write(b"".join(len(one).to_bytes(2) + one for one in chunks) + b"\0\0")

    def _fail(self, code: str, message: str) -> None:
        self.failed = True
        self._tell(FAILURE, {"code": code, "message": message})

    def _say(self, tag: int, *fields: Any) -> None:
        if tag == RESET:
            self.failed, self.open, self.rows = False, None, ()
        if self.failed:
            self._tell(IGNORED)
        elif tag in (HELLO, LOGON):
            self._greet(fields[0], last=tag == LOGON or self.told.version < (5, 1))
        elif tag == RUN:
            self._run(*fields)
        elif tag in (PULL, DISCARD):
            for row in self.rows if tag == PULL else ():
                self._tell(RECORD, list(row.values()))
            self.rows = ()
            self._tell(SUCCESS, {"type": "rw"})
        else:
            self._other(tag, fields)

    def _greet(self, said: dict[str, Any], *, last: bool) -> None:
        self.told.greetings.append(said)
        if last and said.get("credentials", "") != self.told.password:
            self._fail("Neo.ClientError.Security.Unauthorized", "The client is unauthorized.")
        else:
            self._tell(SUCCESS, {"server": "Neo4j/5.13.0", "connection_id": "bolt-1", "hints": {}})

    def _run(self, statement: str, values: dict[str, Any], extra: dict[str, Any]) -> None:
        found = self.told.answer(statement, values)
        if isinstance(found, Exception):
            return self._fail("Neo.ClientError.Statement.SyntaxError", str(found))
        if self.open is None:
            self.told.modes.append(extra.get("mode", "w"))
            self.told.ran.append((statement, values))
        else:
            self.open.append((statement, values))
        self.rows = found
        return self._tell(SUCCESS, {"fields": list(found[0]) if found else []})

    def _other(self, tag: int, fields: tuple[Any, ...]) -> None:
        said: dict[str, Any] = {}
        if tag == BEGIN:
            self.open = []
            self.told.modes.append(fields[0].get("mode", "w"))
        elif tag in (COMMIT, ROLLBACK):
            self.told.ran += self.open or () if tag == COMMIT else ()
            self.open = None
        elif tag == ROUTE:
            here = [f"127.0.0.1:{self.told.port}"]
            roles = [{"role": role, "addresses": here} for role in ("ROUTE", "READ", "WRITE")]
            said = {"rt": {"ttl": 300, "db": "neo4j", "servers": roles}}
        self._tell(SUCCESS, said)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextmanager
def bolt(
    answer: Callable[[str, Mapping[str, Any]], Rows | Exception] = lambda *_: (),
    version: tuple[int, int] = (5, 4),
    password: str = "purr",
) -> Iterator[BoltServer]:
    """A server on a free port of the loopback, until the end of the block."""
    with _Server(("127.0.0.1", 0), _Talk) as server:
        server.told = told = BoltServer(answer, version, password, server.server_address[1])  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield told
        finally:
            server.shutdown()
