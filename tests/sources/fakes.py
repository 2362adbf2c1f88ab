"""Services of the test's own: what they know is in memory, and they can fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pytest

from conspectus.core.errors import UsageError
from conspectus.records import Author, Metadata
from conspectus.services import pool, protocol
from conspectus.services.client import ServiceClient
from conspectus.services.identifiers import identifiers_of
from conspectus.services.protocol import Identifier, RateLimit, Scheme, Service, WorkPage, WorkQuery
from conspectus.sources import enrichment

ALL: frozenset[Scheme] = frozenset({"doi", "arxiv_id", "pmid", "pmcid", "bibcode", "openalex", "s2"})


class FakeService(Service):
    """Knows some works; pages of `page`; a service of the name `name`."""

    schemes = ALL
    queries = frozenset({"words", "first_year", "last_year", "author"})
    batch = 100
    page = 10
    limits = RateLimit()

    def __init__(self, name: str, works: Sequence[Metadata]) -> None:
        self.name, self.title = name, name.capitalize()
        self.works = list(works)
        self.asked: list[object] = []
        self.away = 0

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        self._ask(client, (query, at))
        words = query.words.casefold().split()
        found = [one for one in self.works if all(word in f"{one.title} {one.abstract}".casefold() for word in words)]
        found = [one for one in found if (one.year or 0) >= (query.first_year or 0)]
        start = int(at or 0)
        rest = str(start + size) if start + size < len(found) else ""
        return WorkPage(tuple(found[start : start + size]), len(found), rest)

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> dict[Identifier, Metadata]:
        self._ask(client, tuple(identifiers))
        known = {name: one for one in self.works for name in identifiers_of(one)}
        return {name: known[name] for name in identifiers if name in known}

    def _ask(self, client: ServiceClient, what: object) -> None:
        client.requests += 1
        self.asked.append(what)
        if self.away:
            self.away -= 1
            raise client.away("did not answer (it is a test)")


def work(number: int, title: str = "", **more: object) -> Metadata:
    """A work with a title, an abstract, an author, a year and a DOI."""
    words = title or f"Grid cells in the entorhinal cortex, part {number}"
    made = Metadata(
        title=words,
        abstract=f"We recorded {number} cells. They fire in a grid.",
        authors=(Author(f"Ada Moser{number}", f"Moser{number}", "Ada"),),
        year=2000 + number % 20,
        doi=f"10.1000/w.{number}",
    )
    return replace(made, **more)  # type: ignore[arg-type]


@contextmanager
def services(monkeypatch: pytest.MonkeyPatch, *fakes: FakeService) -> Iterator[None]:
    """In here these are all services."""
    known = {one.name: one for one in fakes}

    def service(name: str) -> FakeService:
        if name not in known:
            raise UsageError(f"There is no service '{name}'.")
        return known[name]

    with monkeypatch.context() as patch:
        for module in (pool, protocol, enrichment):
            patch.setattr(module, "service", service)
        patch.setattr(enrichment, "ASKED", tuple(known))
        patch.setattr(enrichment, "_TITLED", tuple(known))
        patch.setattr(pool, "KNOWN_BY", dict.fromkeys(ALL, tuple(known)))
        patch.setattr(pool, "DEFAULT_SEARCH", tuple(known))
        yield
