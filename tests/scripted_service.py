"""A local server that answers as a test says, for every service at once, and clients that ask it."""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from conspectus.records import Metadata
from conspectus.services.client import ServiceClient
from conspectus.services.protocol import Identifier, RateLimit, Service, WorkPage, WorkQuery
from conspectus.settings.groups import SourcesSettings
from conspectus.settings.secret import Secret
from loopback import QuietHandler, serve_handler

Asked = tuple[str, dict[str, str]]
"""The path and the query of a request."""


@dataclass
class ScriptedService:
    """What it was asked, and how it answers: from `answers` first, then by `answer`.

    An answer is bytes, a text, an object that becomes JSON, or (status, one of these).
    """

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    answer: Callable[[str, dict[str, str]], Any] = lambda path, query: (404, f"nothing at {path} {query}")

    def client(self, service: Any, **settings: Any) -> ServiceClient:
        """A client that asks this server for a service, as fast as it can."""
        service.limits = service.keyed_limits = RateLimit(requests=10_000, seconds=1.0, at_once=100)
        urls = {f"{name}_url": self.url for name in ("arxiv", "europepmc", "pubmed")}
        given = {**urls, "pmc_url": self.url + "/bucket", "pubmed_key": Secret(), "max_age": 0, **settings}
        return ServiceClient(service, SourcesSettings(online=True, **given))

    def find(self, service: Service, query: WorkQuery, *answers: Any, size: int = 10, at: str = "") -> WorkPage:
        """What a service finds that is answered so."""
        self.answers = list(answers)
        return service.find(self.client(service), query, size, at)

    def look_up(self, service: Service, wanted: Sequence[Identifier], *answers: Any) -> Mapping[Identifier, Metadata]:
        """What a service knows that is answered so."""
        self.answers = list(answers)
        return service.look_up(self.client(service), wanted)

    def walk(self, service: Service, query: WorkQuery, size: int) -> list[Metadata]:
        """All works of a search, page by page, answered by `answer`."""
        page = self.find(service, query, size=size)
        works = [*page.works]
        while page.next:
            page = self.find(service, query, size=size, at=page.next)
            works += page.works
        return works


def esearch_reply(*ids: Any, count: int | None = None, more: str = "") -> str:
    """What esearch answers: ids, and how many there are in all."""
    numbers = "".join(f"<Id>{number}</Id>" for number in ids)
    return f"""<?xml version="1.0"?><!DOCTYPE eSearchResult PUBLIC "-//NLM//DTD esearch//EN" "https://x/y.dtd">
    <eSearchResult><Count>{len(ids) if count is None else count}</Count><RetMax>{len(ids)}</RetMax>
    <IdList>{numbers}</IdList>
    <TranslationStack><TermSet><Term>x</Term><Count>99</Count></TermSet></TranslationStack>{more}</eSearchResult>"""


@contextlib.contextmanager
def scripted_service() -> Iterator[ScriptedService]:
    server = ScriptedService()
    lock = threading.Lock()

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            address = urlsplit(self.path)
            query = dict(parse_qsl(address.query, keep_blank_values=True))
            with lock:
                server.asked.append((address.path, query))
                said = server.answers.pop(0) if server.answers else server.answer(address.path, query)
            status, body = said if isinstance(said, tuple) else (200, said)
            raw = body if isinstance(body, bytes) else body if isinstance(body, str) else json.dumps(body)
            self.send(status, raw if isinstance(raw, bytes) else raw.encode(), {"content-type": "text/plain"})

    with serve_handler(Handler) as server.url:
        yield server
