"""PubMed, by NCBI's E-utilities."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, NamedTuple

from conspectus.parse.bibliography.xml_lists import describe_pubmed
from conspectus.parse.text.identifiers import normal_pmid
from conspectus.services import eutils
from conspectus.services.answers import WorkReader, elements_of, page_of, read_place
from conspectus.services.protocol import Identifier, Service, WorkPage, WorkQuery
from conspectus.services.query_words import chunks, plain_phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from conspectus.records import Metadata
    from conspectus.services.client import ServiceClient

_READER = WorkReader(describe_pubmed, notices=True)
_DEEPEST = 9_999
"""Works of one search that PubMed lists."""
_EARLIEST = date(1700, 1, 1).toordinal()
_SLICE = re.compile(r"(\d{1,9}) (\d{6}) (\d{6}) (\d{1,4})", re.ASCII)


class _Slice(NamedTuple):
    """Where a search with more than 9,999 works is: the days on which PubMed added works, from the last to the first.

    Attributes:
        total: works of the whole search.
        low, high: the days in hand, both included, as ordinals; later ones are done.
        start: works of these days that came before.
    """

    total: int
    low: int
    high: int
    start: int = 0

    @property
    def options(self) -> dict[str, str]:
        """The days, as parameters of a search."""
        low, high = (date.fromordinal(day).strftime("%Y/%m/%d") for day in (self.low, self.high))
        return {"datetype": "edat", "mindate": low, "maxdate": high}

    def older(self, count: int) -> _Slice:
        """The days before these, which have `count` works; more days where that is few."""
        days = (self.high - self.low + 1) * (4 if count < _DEEPEST // 5 else 1)
        return _Slice(self.total, max(_EARLIEST, self.low - days), self.low - 1)


class PubMed(Service):
    """PubMed."""

    name = "pubmed"
    title = "PubMed"
    schemes = frozenset({"pmid", "doi"})
    queries = frozenset({"words", "any_word", "first_year", "last_year", "since", "author", "venue", "mesh"})
    batch = 200
    page = 200
    limits = eutils.LIMITS
    keyed_limits = eutils.KEYED_LIMITS

    def find(self, client: ServiceClient, query: WorkQuery, size: int, at: str = "") -> WorkPage:
        """As `Service.find`.

        PubMed lists 9,999 works of a search. Of one with more, those behind them come day by day. Without words there
        is no best first, so they come day by day from the start; with words, the first 9,999 come again among them.
        """
        term, size = eutils.search_term(client, query, "crdt"), min(size, self.page)
        if " " in at:
            return _sliced(client, term, size, _read_slice(client, at))
        start, _ = read_place(client, at)
        if start >= _DEEPEST:
            raise client.failed(f"lists no more than {_DEEPEST:,} works of a search")
        size = min(size, _DEEPEST - start)
        total, ids, known = eutils.esearch(client, "pubmed", term, start, size, {"sort": "relevance"})
        if query.mesh and not known:  # the descriptor would be left out of the search
            return WorkPage((), 0)
        slices = _Slice(total, _EARLIEST, datetime.now(UTC).toordinal() + 1)
        if total > _DEEPEST and not query.words:
            return _sliced(client, term, size, slices)
        page = page_of(client, tuple(_fetch(client, ids).values()), size, total, start, "start")
        seen = page.next.partition(" ")[0]
        return replace(page, next=_write_slice(slices) if seen and int(seen) >= _DEEPEST else seen)

    def look_up(self, client: ServiceClient, identifiers: Sequence[Identifier]) -> Mapping[Identifier, Metadata]:
        """As `Service.look_up`; a long list of DOIs takes several requests."""
        ids = dict.fromkeys(
            wanted.value
            for wanted in identifiers
            if wanted.scheme == "pmid" and normal_pmid(wanted.value) == wanted.value
        )
        dois = (f"{plain_phrase(wanted.value)}[doi]" for wanted in identifiers if wanted.scheme == "doi")
        for term in chunks(dois, eutils.LONGEST):
            ids |= dict.fromkeys(eutils.find_ids(client, "pubmed", term))
        found: dict[Identifier, Metadata] = {}
        for work in _fetch(client, ids, known=False).values():
            found[Identifier("pmid", work.pmid)] = work
            found.setdefault(Identifier("doi", work.doi), work)
        return {wanted: found[wanted] for wanted in identifiers if wanted in found}


def _sliced(client: ServiceClient, term: str, size: int, part: _Slice) -> WorkPage:
    """The next page of a search with more works than PubMed lists: fewer days until they are no more than that."""
    while True:
        count, ids, _ = eutils.esearch(client, "pubmed", term, part.start, size, part.options)
        if count > _DEEPEST:
            if part.low == part.high:
                raise client.failed(f"added {count:,} works on one day, and lists only {_DEEPEST:,} of them")
            part = _Slice(part.total, (part.low + part.high) // 2 + 1, part.high)
            continue
        works = tuple(_fetch(client, ids).values())
        more = page_of(client, works, size, count, part.start, "start").next
        following = part._replace(start=part.start + len(ids)) if more else part.older(count)
        done = not more and part.low == _EARLIEST
        if ids or done:
            return WorkPage(works, part.total, "" if done else _write_slice(following))
        part = following


def _write_slice(part: _Slice) -> str:
    return " ".join(map(str, part))


def _read_slice(client: ServiceClient, at: str) -> _Slice:
    match = _SLICE.fullmatch(at)
    part = _Slice(*map(int, match.groups())) if match else None
    if part is None or not _EARLIEST <= part.low <= part.high <= date.max.toordinal():
        raise client.failed(f"cannot continue at {at[:40]!r}, which is not a place in its list")
    return part


def _fetch(client: ServiceClient, ids: Iterable[str], *, known: bool = True) -> dict[str, Metadata]:
    """The records with these ids, in this order, at most 200 a request.

    Args:
        client: asks PubMed.
        ids: of works.
        known: whether PubMed has said that it has them; else those that it does not know are left out.

    Raises:
        ServiceAwayError: it gives fewer than it has.
    """
    wanted = list(ids)
    found: dict[str, Metadata] = {}
    for first in range(0, len(wanted), PubMed.batch):
        some = wanted[first : first + PubMed.batch]
        articles = elements_of(client, eutils.efetch(client, "pubmed", some), {"PubmedArticle", "PubmedBookArticle"})
        given = [_READER.work(client, article) for article in articles]
        found |= {work.pmid: work for work in given if work.pmid}
        missing = [number for number in some if number not in found]
        if missing and not known:
            missing = _existing(client, missing)
        if missing:
            raise client.away(f"answered without {len(missing)} of {len(some)} works (PMID {missing[0]})")
    return {number: found[number] for number in wanted if number in found}


def _existing(client: ServiceClient, ids: Sequence[str]) -> list[str]:
    """Those ids that PubMed knows."""
    return [
        number
        for term in chunks((f"{number}[uid]" for number in ids), eutils.LONGEST)
        for number in eutils.find_ids(client, "pubmed", term)
        if number in ids
    ]
