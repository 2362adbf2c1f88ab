"""The simulator: services of publications on one local server, which search works, fail on request and keep a record.

with Simulator(["neuro_corpus", {"title": "Place cells", "doi": "10.1000/1"}]) as simulator:
    library = Library(folder, simulator.settings)
"""

from __future__ import annotations

import contextlib
import itertools
import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from conspectus.records import Metadata
from conspectus_evaluations.simulator import arxiv, biomedical, scholarly
from conspectus_evaluations.simulator.collection import (
    NOT_FOUND,
    SimulatedAnswer,
    SimulatedRequest,
    WorkCollection,
    json_answer,
)
from conspectus_evaluations.simulator.queries import QueryError, QueryLanguage
from conspectus_evaluations.simulator.works import Record, SimulatedWork, narrower_terms, read_corpus

Shape = Callable[[WorkCollection, SimulatedRequest, QueryLanguage], SimulatedAnswer]
SHAPES: dict[str, tuple[Shape, QueryLanguage]] = {
    "arxiv": (arxiv.answer_arxiv, arxiv.ARXIV),
    "europepmc": (biomedical.answer_europepmc, biomedical.EUROPE_PMC),
    "pubmed": (biomedical.answer_eutils, biomedical.PUBMED),
    "pmc": (biomedical.answer_bucket, biomedical.PUBMED),
    "openalex": (scholarly.answer_openalex, scholarly.WORDS),
    "crossref": (scholarly.answer_crossref, scholarly.WORDS),
    "semanticscholar": (scholarly.answer_semanticscholar, scholarly.WORDS),
    "datacite": (scholarly.answer_datacite, scholarly.WORDS),
    "files": (arxiv.answer_files, scholarly.WORDS),
}
"""What is served, each under its name: `/arxiv/api/query`."""
ALL_WORDS = ("europepmc", "pubmed")
"""Services at which, in truth, words side by side must all be there."""
SERVICES = (*SHAPES, "ads", "unpaywall")
"""Services whose addresses lead to the simulator. DataCite, NASA ADS and Unpaywall know nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """What goes wrong, drawn for each request by its number; shares are from 0 to 1 and add up to at most 1.

    Attributes:
        error_share: HTTP 503.
        busy_share: HTTP 429 with `retry_after`, in seconds or as a date.
        half_share: an answer with half of the works that it should have.
        cut_share: the connection ends in the middle of the answer.
        malformed_share: an answer that is neither JSON nor XML.
        redirect_share: a redirect to `redirect_to`, or where that is empty to the same address.
        total_factor: what totals are multiplied by.
        seconds: that each answer takes.
        services: that are concerned; empty: all.
        seed: of the draw.
    """

    error_share: float = 0.0
    busy_share: float = 0.0
    retry_after: str = "0"
    half_share: float = 0.0
    cut_share: float = 0.0
    malformed_share: float = 0.0
    redirect_share: float = 0.0
    redirect_to: str = ""
    total_factor: float = 1.0
    seconds: float = 0.0
    services: tuple[str, ...] = ()
    seed: int = 0

    def draw(self, service: str, number: int) -> str:
        """What happens to a request: `error`, `busy`, `half`, `cut`, `malformed`, `redirect`, or "" for nothing."""
        if self.services and service not in self.services:
            return ""
        place = random.Random(f"{self.seed} {number}").random()  # noqa: S311
        for kind in ("error", "busy", "half", "cut", "malformed", "redirect"):
            place -= getattr(self, f"{kind}_share")
            if place < 0:
                return kind
        return ""


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """A request that came.

    Attributes:
        service: the first part of its path.
        path: behind it.
        params: of the address, and of a form.
        headers: by names in small letters.
        at: when it came, in seconds of a clock that only goes forward.
        at_once: requests to this service that were open then, itself included.
        fault: what went wrong on request, as `Faults.draw` says it.
        status: of the answer.
    """

    service: str
    method: str
    path: str
    params: Mapping[str, str]
    body: bytes
    headers: Mapping[str, str]
    at: float
    at_once: int
    fault: str
    status: int = 0


class Simulator:
    """Services of publications on a local server, from entering to leaving the context.

    Attributes:
        faults: what goes wrong; may be changed at any time.
        requests: those that came, in order; may be cleared.
        url: of the server; that of a service is `url/NAME`.

    Args:
        corpora: records, and names of corpora of the shared data: one name, or any of both.
        data: where the shared data is; needed for names.
        faults: what goes wrong from the beginning.
        narrower: MeSH descriptors, each with all narrower ones and itself, in small letters; None: those of `data`.
        every_word: whether Europe PMC and PubMed find only works with every word of a query, as in truth they do.
    """

    def __init__(
        self,
        corpora: str | Iterable[str | Record | Metadata],
        *,
        data: Path | None = None,
        faults: Faults | None = None,
        every_word: bool = False,
        narrower: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        listed = [corpora] if isinstance(corpora, str) else list(corpora)
        self.faults = faults or Faults()
        self.requests: list[SeenRequest] = []
        self.url = ""
        self._data = data
        self._every_word = every_word
        if narrower is None:
            narrower = narrower_terms(data) if data and (data / "mesh2017").is_dir() else {}
        self._collection = WorkCollection(self._records(listed), narrower)
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._open: dict[str, int] = {}
        self._closing = contextlib.ExitStack()

    def __enter__(self) -> Self:
        _ = self._collection.index  # made here, or the first request would wait for it
        server = _Server(("127.0.0.1", 0), _handler(self))
        self._closing.enter_context(server)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        self._closing.callback(thread.join)
        self._closing.callback(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of a library that asks this server and nobody else."""
        return {
            "sources.online": True,
            **{f"sources.{name}.url": f"{self.url}/{name}" for name in SERVICES if name != "files"},
        }

    @property
    def works(self) -> Sequence[SimulatedWork]:
        """All works, in the order of their records."""
        return self._collection.works

    def add(self, *records: str | Record | Metadata) -> list[SimulatedWork]:
        """Add works while it runs: they are what is new."""
        with self._lock:
            return self._collection.add(self._records(records))

    def find(self, name: str) -> SimulatedWork:
        """The work with an identifier; KeyError where there is none. A test may change it: `.retracted = True`."""
        if work := self._collection.find(name):
            return work
        raise KeyError(name)

    def works_on(self, mesh: str) -> list[SimulatedWork]:
        """The works with a descriptor of MeSH or a narrower one."""
        mask = self._collection.index.mesh(mesh).mask
        return [work for work, is_on in zip(self.works, mask, strict=True) if is_on]

    def requests_to(self, service: str = "", path: str = "") -> list[SeenRequest]:
        """Requests to a service whose path begins so; "" is any."""
        return [one for one in self.requests if service in ("", one.service) and one.path.startswith(path)]

    def most_at_once(self, service: str) -> int:
        """The most requests to a service that were open at the same time."""
        return max((one.at_once for one in self.requests_to(service)), default=0)

    def most_within(self, service: str, seconds: float) -> int:
        """The most requests to a service that came within so many seconds."""
        times = [one.at for one in self.requests_to(service)]
        return max((sum(start <= at < start + seconds for at in times) for start in times), default=0)

    def _records(self, corpora: Iterable[str | Record | Metadata]) -> Iterable[Record | Metadata]:
        for part in corpora:
            if not isinstance(part, str):
                yield part
            elif self._data is None:
                raise ValueError(f"'{part}' is a corpus of the shared data: say where that is (data=…)")
            else:
                yield from read_corpus(part, self._data)

    def answer(self, method: str, address: str, body: bytes, headers: Mapping[str, str]) -> tuple[SimulatedAnswer, str]:
        """The answer to a request, which is noted, and what goes wrong with it."""
        parts = urlsplit(address)
        service, _, path = parts.path.lstrip("/").partition("/")
        form = body.decode("utf-8", "replace") if "form" in headers.get("content-type", "") else ""
        params = dict(parse_qsl(f"{parts.query}&{form}", keep_blank_values=True))
        with self._lock:
            fault = self.faults.draw(service, next(self._numbers))
            self._open[service] = self._open.get(service, 0) + 1
            place, now = len(self.requests), time.monotonic()
            seen = SeenRequest(service, method, f"/{path}", params, body, headers, now, self._open[service], fault)
            self.requests.append(seen)
        try:
            time.sleep(
                self.faults.seconds if fault or not self.faults.services or service in self.faults.services else 0
            )
            is_concerned = not self.faults.services or service in self.faults.services
            factor = self.faults.total_factor if is_concerned else 1.0
            asked = SimulatedRequest(f"/{path}", params, body, self.url, fault == "half", factor)
            answer = self._with_fault(fault, address) or self._ask(service, asked)
        finally:
            with self._lock:
                self._open[service] -= 1
        with self._lock:
            if place < len(self.requests) and self.requests[place] is seen:
                self.requests[place] = replace(seen, status=answer.status)
        return answer, fault

    def _with_fault(self, fault: str, address: str) -> SimulatedAnswer | None:
        if fault == "error":
            return SimulatedAnswer(503, b"Service unavailable", "text/plain")
        if fault == "busy":
            return SimulatedAnswer(429, b"Too many requests", "text/plain", {"Retry-After": self.faults.retry_after})
        if fault == "malformed":
            return SimulatedAnswer(200, b'{"resultList": <html>')
        if fault == "redirect":
            return SimulatedAnswer(302, b"", "text/plain", {"Location": self.faults.redirect_to or self.url + address})
        return None

    def _ask(self, service: str, asked: SimulatedRequest) -> SimulatedAnswer:
        shape, language = SHAPES.get(service, (None, None))
        if shape is None or language is None:
            return NOT_FOUND
        if self._every_word and service in ALL_WORDS:
            language = language._replace(every=True)
        try:
            with self._lock:
                return shape(self._collection, asked, language)
        except (QueryError, ValueError) as error:
            return json_answer({"error": "Bad request", "message": str(error)}, 400)


class _Server(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """Callers that leave in the middle are no fault of the server's."""


def _handler(simulator: Simulator) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Lets the simulator answer; logs nothing."""

        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer, fault = simulator.answer(self.command, self.path, body, headers)
            self.send_response(answer.status)
            for name, value in {"Content-Type": answer.kind, **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            is_cut = fault == "cut"
            with contextlib.suppress(OSError):
                self.wfile.write(answer.body[: len(answer.body) // 2] if is_cut else answer.body)
            self.close_connection = self.close_connection or is_cut

        do_GET = do_POST = _answer

        def log_message(self, *_: object) -> None:
            pass

        def finish(self) -> None:
            with contextlib.suppress(OSError, ValueError):
                super().finish()

    return Handler
