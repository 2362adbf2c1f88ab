"""A service that exists nowhere, a local server that answers for it, and processes that ask it.

As a program: `python tests/service_clients.py URL PATH TIMES REQUESTS SECONDS AT_ONCE` asks in four threads.
"""

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from conspectus.services.client import ServiceClient
from conspectus.services.protocol import RateLimit
from conspectus.settings.groups import SourcesSettings
from conspectus.settings.secret import Secret
from loopback import QuietHandler, serve_handler

Answer = tuple[int, bytes, dict[str, str]]
UNLIMITED = RateLimit(requests=10_000, seconds=1, at_once=100)


class PretendedService:
    """OpenAlex by name, so that it has an address and a key in the settings; nothing of it is asked."""

    name = "openalex"
    title = "Pretended Works"
    url = ""

    def __init__(self, limits: RateLimit = UNLIMITED, keyed: RateLimit | None = None) -> None:
        self.limits = limits
        self.keyed_limits = keyed or limits


def client_of(url: str, limits: RateLimit = UNLIMITED, keyed: RateLimit | None = None, **more: Any) -> ServiceClient:
    """A client of the server at `url`; settings as `openalex_key="…"`."""
    settings = SourcesSettings(online=True, openalex_url=url, **{"openalex_key": Secret(), **more})
    return ServiceClient(PretendedService(limits, keyed), settings)  # type: ignore[arg-type]


@dataclass
class RecordedRequest:
    """A request as the server saw it, with the times at which it came and was answered."""

    path: str
    headers: dict[str, str]
    began: float
    ended: float = 0.0


@dataclass
class ServiceServer:
    """What came in, and how it is answered: by `answer`, given the request and its number."""

    url: str = ""
    requests: list[RecordedRequest] = field(default_factory=list)
    answer: Callable[[RecordedRequest, int], Answer] = lambda *_: (200, b'{"works": 1}', {})
    most_at_once: int = 0


@contextlib.contextmanager
def service_server(*answers: Answer) -> Iterator[ServiceServer]:
    """Answers in this order, then the last again and again; none: always the same."""
    server = ServiceServer()
    if answers:
        server.answer = lambda _, number: answers[min(number, len(answers) - 1)]
    lock = threading.Lock()
    active = 0

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            nonlocal active
            self.rfile.read(int(self.headers.get("content-length", 0)))
            with lock:
                number = len(server.requests)
                headers = {name.lower(): text for name, text in self.headers.items()}
                request = RecordedRequest(self.path, headers, time.time())
                server.requests.append(request)
                active += 1
                server.most_at_once = max(server.most_at_once, active)
            try:
                answer = server.answer(request, number)
            finally:
                with lock:
                    active -= 1
                    request.ended = time.time()
            self.send(*answer)

        do_POST = do_GET

    with serve_handler(Handler) as server.url:
        yield server


@contextlib.contextmanager
def asking_process(url: str, path: str, times: int, limits: RateLimit) -> Iterator[subprocess.Popen[bytes]]:
    """A process that asks so many times, and ends with 0 where all was answered."""
    numbers = map(str, (times, limits.requests, limits.seconds, limits.at_once))
    with subprocess.Popen([sys.executable, __file__, url, path, *numbers], stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def main(url: str, path: str, times: str, requests: str, seconds: str, at_once: str) -> None:
    limits = RateLimit(requests=int(requests), seconds=float(seconds), at_once=int(at_once))
    client = client_of(url, limits, timeout=3000.0)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: client.get(f"{path}/{number}", {"q": "lace"}), range(int(times))))


if __name__ == "__main__":
    main(*sys.argv[1:])
