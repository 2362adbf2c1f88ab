"""A local server that gives the answers it is told to, in order, and notes what it was asked."""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from loopback import QuietHandler, serve_handler


@dataclass(frozen=True)
class Question:
    """A request: `params` has the last value of each name, `body` what was sent as JSON."""

    path: str
    params: dict[str, str]
    headers: dict[str, str]
    body: Any = None


@dataclass
class ScriptedServer:
    """Its address, the answers that are left, and the requests."""

    url: str = ""
    answers: list[tuple[int, bytes]] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)

    def say(self, body: Any, status: int = 200) -> None:
        self.answers.append((status, body if isinstance(body, bytes) else json.dumps(body).encode()))


@contextlib.contextmanager
def scripted_server() -> Iterator[ScriptedServer]:
    """Answers 404 where nothing is left to say."""
    known = ScriptedServer()

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            sent, kind = self.rfile.read(length), self.headers.get("content-type", "")
            body = (json.loads(sent) if "json" in kind else sent.decode()) if length else None
            address = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            known.asked.append(Question(address.path, dict(parse_qsl(address.query)), headers, body))
            status, answer = known.answers.pop(0) if known.answers else (404, b"{}")
            self.send(status, answer, {"content-type": "application/json"})

        do_POST = do_GET

    with serve_handler(Handler) as known.url:
        yield known
