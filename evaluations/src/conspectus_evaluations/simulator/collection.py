"""The works that a simulator serves, found by name and by query; what it is asked, and what it answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from lxml import etree

from conspectus.records import Metadata
from conspectus_evaluations.simulator.jats import write_xml
from conspectus_evaluations.simulator.queries import QueryLanguage
from conspectus_evaluations.simulator.search import Match, WorkIndex
from conspectus_evaluations.simulator.works import Record, SimulatedWork, link_works, make_work

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SimulatedRequest:
    """What a service is asked.

    Attributes:
        path: behind the service's address.
        params: the query; of POST with a form, that too.
        body: as sent.
        url: of the server, without the service.
        half: whether pages are to have half of what they should.
        total_factor: what totals are multiplied by.
    """

    path: str
    params: Mapping[str, str]
    body: bytes = b""
    url: str = ""
    half: bool = False
    total_factor: float = 1.0

    def number(self, name: str, default: int, most: int) -> int:
        """A parameter that is a number, at most `most`; ValueError where it is none or below 0."""
        number = int(self.params.get(name) or default)
        if number < 0:
            raise ValueError(f"{name} must be zero or positive")
        return min(number, most)

    def page(self, rows: list[T], start: int, size: int) -> list[T]:
        """A page of works."""
        page = rows[start : start + size]
        return page[: len(page) // 2] if self.half else page

    def total(self, number: int) -> int:
        """How many works there are, as the service says."""
        return round(number * self.total_factor)


@dataclass(frozen=True, slots=True)
class SimulatedAnswer:
    """What a service answers."""

    status: int
    body: bytes
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


def json_answer(content: Any, status: int = 200) -> SimulatedAnswer:
    """An answer in JSON."""
    return SimulatedAnswer(status, json.dumps(content, ensure_ascii=False).encode())


def xml_answer(root: etree._Element, status: int = 200, kind: str = "text/xml") -> SimulatedAnswer:
    """An answer in XML."""
    return SimulatedAnswer(status, write_xml(root), kind)


NOT_FOUND = SimulatedAnswer(404, b"Resource not found.", "text/plain")


class WorkCollection:
    """Works; those added later are found too.

    Attributes:
        works: in the order of their records; a work's place is its number less one.
        venues: journals, numbered from 1.
        histories: results that E-utilities keep, by the names that they gave them.

    Args:
        records: of the works.
        narrower: MeSH descriptors, each with all narrower ones, in small letters.
    """

    def __init__(self, records: Iterable[Record | Metadata], narrower: Mapping[str, frozenset[str]]) -> None:
        self.works: list[SimulatedWork] = []
        self.venues: dict[str, int] = {}
        self.histories: dict[str, list[SimulatedWork]] = {}
        self._narrower = narrower
        self._numbers: dict[str, int] = {}
        self._index: WorkIndex | None = None
        self._times_cited: Counter[int] = Counter()
        self.add(records)

    def add(self, records: Iterable[Record | Metadata]) -> list[SimulatedWork]:
        """Add works; the first one with an identifier keeps it."""
        works = [make_work(number, record) for number, record in enumerate(records, len(self.works) + 1)]
        self.works.extend(works)
        for work in works:
            for name in work.names():
                self._numbers.setdefault(name, work.number)
        link_works(self.works, self._numbers)
        names = dict.fromkeys(work.data.venue for work in self.works if work.data.venue)
        self.venues = {name: number for number, name in enumerate(names, 1)}
        self._times_cited = Counter(number for work in self.works for number in work.cites)
        self._index = None
        return works

    def find(self, name: str) -> SimulatedWork | None:
        """The work with an identifier: `10.1000/x`, `arxiv:2101.00001`, `PMC123`, `W4000000001`."""
        number = self._numbers.get(name.strip().lower())
        return self.works[number - 1] if number else None

    def search(
        self, language: QueryLanguage, query: str, *, sort: str = "relevance", also: Iterable[Match] = ()
    ) -> list[SimulatedWork]:
        """The works that a query finds.

        Args:
            language: how it is read.
            query: in that language.
            sort: `relevance`, `date` (newest first), `-date` or `cited`.
            also: other conditions.

        Raises:
            QueryError: it cannot be read.
        """
        match = language.search(self.index, query)
        mask = np.logical_and.reduce([match.mask, *(other.mask for other in also)])
        rows = np.flatnonzero(mask)
        if sort == "relevance":
            rows = rows[np.argsort(-match.scores[rows], kind="stable")]
        elif sort == "cited":
            rows = rows[np.argsort([-self.times_cited(self.works[row]) for row in rows], kind="stable")]
        else:
            days = np.array([self.works[row].day for row in rows], np.int64)
            rows = rows[np.argsort(days if sort == "-date" else -days, kind="stable")]
        return [self.works[row] for row in rows]

    def keep_history(self, works: list[SimulatedWork]) -> str:
        """Keep a result; returns its name."""
        name = f"MCID_{len(self.histories) + 1:08x}"
        self.histories[name] = works
        return name

    @property
    def index(self) -> WorkIndex:
        """The words of all works; made when they are first searched."""
        if self._index is None:
            self._index = WorkIndex(tuple(self.works), self._narrower)
        return self._index

    def citing(self, work: SimulatedWork) -> list[SimulatedWork]:
        """Works that cite one."""
        return [other for other in self.works if work.number in other.cites]

    def cited_by(self, work: SimulatedWork) -> list[SimulatedWork]:
        """Works that one cites."""
        return [self.works[number - 1] for number in sorted(work.cites)]

    def times_cited(self, work: SimulatedWork) -> int:
        """As its record says, else by works of the collection."""
        return self._times_cited[work.number] if work.data.citation_count is None else work.data.citation_count
