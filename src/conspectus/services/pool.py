"""Asks several services in one run: searches page by page, and looks identifiers up in batches where they are known."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from conspectus.core.errors import ServiceAwayError, ServiceError, UsageError
from conspectus.core.job_context import Notice, emit
from conspectus.core.text import pluralize
from conspectus.core.threads import call_side_by_side
from conspectus.records import Metadata
from conspectus.records.events import Progress
from conspectus.records.sources import ServiceReport
from conspectus.services.client import ServiceClient
from conspectus.services.gate import format_dollars
from conspectus.services.identifiers import identifiers_of
from conspectus.services.protocol import Identifier, Scheme, Service, ShortPageError, WorkQuery, service
from conspectus.settings.groups import SourcesSettings

KNOWN_BY: Mapping[Scheme, tuple[str, ...]] = {
    "doi": ("crossref", "datacite", "openalex", "europepmc", "semanticscholar"),
    "arxiv_id": ("arxiv", "semanticscholar"),
    "pmid": ("pubmed", "europepmc"),
    "pmcid": ("europepmc", "pmc"),
    "bibcode": ("ads",),
    "openalex": ("openalex",),
    "s2": ("semanticscholar",),
}
"""Services that look up identifiers of a scheme: the second is asked for what the first does not know."""
DEFAULT_SEARCH = ("europepmc", "arxiv", "crossref")
"""Services searched by default: no key, no price, and together most fields of science."""
_MOST_STALE = 60
"""Pages in a row that may bring nothing new: PubMed lists the first 9,999 works of a long search twice."""
_DRIFT = 10
"""Works by which a total may change between pages: works are added all the time."""
_SEARCHED = {
    "words": "by words",
    "first_year": "by year",
    "last_year": "by year",
    "author": "by author",
    "venue": "by venue",
    "mesh": "by MeSH heading",
    "citing": "for papers that cite a paper",
    "cited_by": "for papers that a paper cites",
    "since": "by the day on which it added papers",
}
"""What cannot be done where a service lacks a field of `WorkQuery`."""


@dataclass(slots=True)
class _Tally:
    client: ServiceClient
    work_count: int = 0
    total: int | None = None
    notes: list[str] = field(default_factory=list)
    is_asked: bool = False
    some_words: bool = False

    def report(self, name: str) -> ServiceReport:
        note = " ".join(dict.fromkeys(self.notes))
        client = self.client
        return ServiceReport(name, client.requests, client.cost, self.work_count, self.total, note, self.some_words)


@dataclass(frozen=True, slots=True)
class WorkLookups:
    """Results of looking up identifiers.

    Attributes:
        works: the work of an identifier; `extra["service"]` names the service.
        problems: why the others were not found, in a few sentences each.
        away: identifiers whose problem may pass, for a service did not answer.
    """

    works: Mapping[Identifier, Metadata]
    problems: Mapping[Identifier, str]
    away: frozenset[Identifier]


class ServicePool:
    """The services of one run, each with its client.

    Args:
        settings: addresses, keys and limits.
    """

    def __init__(self, settings: SourcesSettings) -> None:
        self._settings = settings
        self._tallies: dict[str, _Tally] = {}

    def reports(self) -> tuple[ServiceReport, ...]:
        """What each service did that was asked, in the order in which they were first asked."""
        tallies = ((name, tally) for name, tally in self._tallies.items() if tally.is_asked or tally.notes)
        return tuple(tally.report(name) for name, tally in tallies)

    def cannot(self, name: str, query: WorkQuery | None = None) -> str:
        """Why a service cannot be asked this, in one sentence; "" where it can."""
        source, client = self._source(name)
        if source.needs_key and not client.key:
            return f"{source.title} requires a key: set sources.{name}.key."
        if source.needs_mailto and not client.mailto:
            return f"{source.title} requires an e-mail address: set sources.mailto."
        if query and not source.queries:
            return f"{source.title} cannot be searched; it only looks up identifiers."
        narrowing = {name for name in _SEARCHED if getattr(query, name)} if query else set()
        if lacking := sorted(narrowing - source.queries):
            ways = dict.fromkeys(_SEARCHED[name] for name in lacking)
            return f"{source.title} cannot be searched {' or '.join(ways)}."
        return ""

    def find(
        self, names: Sequence[str], query: WorkQuery, k: int, *, loosely: bool = True
    ) -> dict[str, list[Metadata]]:
        """At most `k` works of each service, best first. What went wrong with one is in its report, and costs only it.

        Args:
            names: of services.
            query: what is looked for.
            k: number of works.
            loosely: whether works with some of the words are returned if none has all.

        Raises:
            UsageError: none of the services can be asked this.
        """
        able = self.able(names, query)
        for name in able:
            self._tell_price(name, [service(name).plan(query, k)])
        lists = call_side_by_side(lambda name: self._search(name, query, k, loosely=loosely), able, len(able))
        return {name: works or [] for name, works in zip(able, lists, strict=True)}

    def find_within(
        self, names: Sequence[str], queries: Sequence[WorkQuery], k: int, seconds: float
    ) -> list[list[Metadata]]:
        """The works of each search, as `find`, of services that answer in so many seconds.

        One that does not costs only what it has not answered by then; its report says so.
        """
        able = [name for name in names if name in self.able(names, queries[0])]
        works_of: dict[tuple[str, int], list[Metadata]] = {}
        is_late = threading.Event()

        def search(name: str) -> None:
            for number, query in enumerate(queries):
                if not is_late.is_set():
                    works = self._search(name, query, k, loosely=False)
                    if not is_late.is_set():
                        works_of[name, number] = works

        for name in able:
            self._tell_price(name, [service(name).plan(query, k) for query in queries])
        call_side_by_side(search, able, len(able), seconds)
        is_late.set()
        came = dict(works_of)
        for name in able:
            answered = sum(service_name == name for service_name, _ in came)
            if answered < len(queries):
                progress = f"had answered {answered} of {len(queries)} searches" if answered else "had not answered"
                title = service(name).title
                self._tallies[name].notes.append(f"{title} {progress} after {seconds:.0f} s and was not waited for.")
        return [came[key] for key in sorted(came, key=lambda key: (key[1], able.index(key[0])))]

    def able(self, names: Sequence[str], query: WorkQuery) -> list[str]:
        """Those services that can be asked this; why the others cannot goes into their reports.

        Raises:
            UsageError: none can.
        """
        hindered = {name: why for name in names if (why := self.cannot(name, query))}
        if hindered and len(hindered) == len(names):
            raise UsageError(" ".join(hindered.values()), "Name another service.")
        for name, why in hindered.items():
            self._tallies[name].notes.append(why)
        return [name for name in names if name not in hindered]

    def _tell_price(self, name: str, plans: Iterable[tuple[int, float]]) -> None:
        """Tell what a search, or looking up identifiers, costs, before anything is asked."""
        source, client = self._source(name)
        listed = list(plans)
        if (price := sum(dollars for _, dollars in listed)) > 0:
            requests = pluralize(sum(number for number, _ in listed), "request")
            left = format_dollars(client.budget_left() or 0.0)
            emit(Notice(
                f"{source.title}: {requests} for about {format_dollars(price)}; {left} can still be spent today."
            ))  # fmt: skip

    def _search(self, name: str, query: WorkQuery, k: int, *, loosely: bool) -> list[Metadata]:
        """The works of one service; where none has all words, and `loosely`, those that have some."""
        works = self._pages(name, query, k)
        is_last = not loosely or works or self._tallies[name].notes or "any_word" not in service(name).queries
        if is_last or query.any_word or len(query.words.split()) < 2:
            return works
        works = self._pages(name, replace(query, any_word=True), k)
        self._tallies[name].some_words = bool(works)
        return works

    def _pages(self, name: str, query: WorkQuery, k: int) -> list[Metadata]:
        source, client = self._source(name)
        tally = self._tallies[name]
        tally.is_asked = True
        works: dict[str, Metadata] = {}
        totals: list[int] = []
        at, names, stale = "", set[str](), 0
        try:
            while len(works) < k:
                page = source.find(client, query, min(source.page, k), at)
                totals += [] if page.total is None else [page.total]
                tally.total = totals[-1] if totals else None
                before = names, len(works)
                names = _take(works, page.works, name)
                emit(Progress(f"asking {source.title}", min(len(works), k), min(k, tally.total or k), "works"))
                if not page.next or not page.works or page.next == at:
                    break
                stale = stale + 1 if len(works) == before[1] else 0
                if stale and (names == before[0] or stale > _MOST_STALE):
                    raise client.away("repeats works instead of going on")
                at = page.next
        except ServiceError as error:
            if isinstance(error, ShortPageError):
                _take(works, error.works, name)
            gave = f" It gave {pluralize(len(works), 'work')} before." if works else ""
            tally.notes.append(f"{error.message}{gave}")
        else:
            tally.notes += filter(None, [_describe_miscount(source.title, len(works), totals, k)])
        best = list(works.values())[:k]
        tally.work_count += len(best)
        return best

    def look_up(self, identifiers: Iterable[Identifier]) -> WorkLookups:
        """Look up works, each at the first service of `KNOWN_BY` that knows it."""
        by_scheme: dict[Scheme, list[Identifier]] = {}
        for identifier in dict.fromkeys(identifiers):
            by_scheme.setdefault(identifier.scheme, []).append(identifier)
        works_found: dict[Identifier, Metadata] = {}
        problems: dict[Identifier, str] = {}
        away: set[Identifier] = set()
        for scheme, of_scheme in by_scheme.items():
            titles: list[str] = []
            reasons: dict[Identifier, list[str]] = {}
            for name in KNOWN_BY[scheme]:
                left = [identifier for identifier in of_scheme if identifier not in works_found]
                if not left:
                    break
                if why := self.cannot(name):
                    for identifier in left:
                        reasons.setdefault(identifier, []).append(why)
                    continue
                answered = False
                for works, missed, why, passes in self._batches(name, left):
                    works_found |= works
                    answered = answered or not why
                    for identifier in missed if why else ():
                        reasons.setdefault(identifier, []).append(why)
                    away |= set(missed) if passes else set()
                titles += [service(name).title] if answered else []
            for identifier in of_scheme:
                if identifier not in works_found:
                    outcome = [f"Not found at: {', '.join(titles)}."] if titles else []
                    problems[identifier] = " ".join([*outcome, *reasons.get(identifier, ())])
        return WorkLookups(works_found, problems, frozenset(away - works_found.keys()))

    def look_up_at(self, name: str, identifiers: Sequence[Identifier]) -> dict[Identifier, Metadata]:
        """Look up works at one service. What it does not know, or cannot look up, is left out."""
        if why := self.cannot(name):
            self._tallies[name].notes.append(why)
            return {}
        schemes = service(name).schemes
        lookups = [identifier for identifier in dict.fromkeys(identifiers) if identifier.scheme in schemes]
        return {key: work for works, *_ in self._batches(name, lookups) for key, work in works.items()}

    def _batches(
        self, name: str, identifiers: Sequence[Identifier]
    ) -> Iterator[tuple[dict[Identifier, Metadata], list[Identifier], str, bool]]:
        """For each batch: what is known, what is not, why the service said nothing, and whether that may pass."""
        source, client = self._source(name)
        tally = self._tallies[name]
        tally.is_asked = tally.is_asked or bool(identifiers)
        batches = [identifiers[start : start + source.batch] for start in range(0, len(identifiers), source.batch)]
        self._tell_price(name, map(source.plan_look_up, batches))
        for start, batch in zip(range(0, len(identifiers), source.batch), batches, strict=True):
            emit(Progress(f"asking {source.title}", start, len(identifiers), "works"))
            try:
                known = source.look_up(client, batch)
            except ServiceError as error:
                tally.notes.append(error.message)
                yield {}, list(batch), error.message, isinstance(error, ServiceAwayError)
                continue
            works = {key: _of_service(known[key], name) for key in batch if key in known}
            tally.work_count += len(works)
            yield works, [key for key in batch if key not in works], "", False

    def turn(self, name: str, seconds: float) -> AbstractContextManager[object]:
        """See `ServiceClient.turn`; of no service ("") it is nothing."""
        return self._source(name)[1].turn(seconds) if name else nullcontext()

    def _source(self, name: str) -> tuple[Service, ServiceClient]:
        source = service(name)
        if name not in self._tallies:
            self._tallies[name] = _Tally(ServiceClient(source, self._settings))
        return source, self._tallies[name].client


def check_online(settings: SourcesSettings, online: bool | None) -> None:
    """See that services may be asked.

    Raises:
        UsageError: they may not.
    """
    if not (settings.online if online is None else online):
        raise UsageError(
            "Online services are turned off.",
            "Turn sources.online on in the settings, or allow them for this call (`online=True`).",
        )


def chosen_services(names: Sequence[str]) -> tuple[str, ...]:
    """The services of these names, each once; those that are searched by default where none is named.

    Raises:
        UsageError: there is no such service.
    """
    for name in names:
        service(name)
    return tuple(dict.fromkeys(names)) or DEFAULT_SEARCH


def _take(works: dict[str, Metadata], came: Iterable[Metadata], service: str) -> set[str]:
    """Put works to those of the pages before, each once; returns what those that came are called."""
    names = set()
    for work in came:
        key = work.external_id or next(map(str, identifiers_of(work)), "") or f"{work.title} {work.byline} {work.year}"
        works.setdefault(key, _of_service(work, service))
        names.add(key)
    return names


def _describe_miscount(title: str, count: int, totals: Sequence[int], k: int) -> str:
    """What the user is told where a service has counted its works wrongly; "" where it has not.

    Args:
        title: the service's.
        count: works that came.
        totals: how many there are in all, as each page says.
        k: how many were wanted.
    """
    if not totals:
        return ""
    low, high = min(totals), max(totals)
    if count < min(k, totals[-1]):
        return f"{title} reported {totals[-1]:,} works but returned only {count:,}."
    if count > high:
        return f"{title} reported {high:,} works but returned {count:,} or more; those that came are kept."
    if high - low > max(_DRIFT, high // 50):
        return f"{title} reported {totals[0]:,} works at first and {totals[-1]:,} later; some may be missing."
    return ""


def _of_service(work: Metadata, name: str) -> Metadata:
    return replace(work, extra={**work.extra, "service": name})
