"""Whether the works of a reference list exist and are as the list says: an audit by identifier and title (K10).

First the library is asked, then, where the user has allowed it, a bibliographic service. What cannot be told is said to
be `unchecked`, never taken for right or wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from conspectus.core.errors import ServiceAwayError, ServiceError
from conspectus.core.job_context import emit
from conspectus.index.protocol import SearchIndex
from conspectus.ingest.linked_files import ReferencedPapers, candidates
from conspectus.parse.process.pool import Limits
from conspectus.parse.references.files import references_of
from conspectus.parse.text.titles import DISTINCT_WORDS, LEAST_WORDS, main_title, plain_title, similarity, title_words
from conspectus.records import (
    AuditReport,
    Filters,
    Metadata,
    Paper,
    Reference,
    ReferenceCheck,
    ReferenceVerdict,
    normal_name,
)
from conspectus.records.events import Progress
from conspectus.references.comparison import Comparison, CrossrefLookup, compare
from conspectus.settings import Settings
from conspectus.store.catalog import Catalog

OFFLINE = "The library has no such paper, and no service was asked."
_NEAR = 10
"""Passages whose papers are looked at for a title that no paper has exactly."""
_MOST_FAILURES = 3
"""After so many answers in a row that could not be used the service is not asked any more."""
T = TypeVar("T")
_NAMES = {"doi": "DOI", "arxiv_id": "arXiv id", "pmid": "PMID"}


class ReferenceService(Protocol):
    """A bibliographic service; see `comparison.CrossrefLookup`."""

    @property
    def address(self) -> str:
        """Its address."""
        ...

    def work(self, doi: str) -> Metadata | None:
        """The work under a DOI."""
        ...

    def works(self, words: str, rows: int = 5) -> tuple[Metadata, ...]:
        """The works that fit words best."""
        ...

    def agency(self, doi: str) -> str:
        """Who registered a DOI."""
        ...


class _CountingService:
    """A service, and whether it was asked and never answered."""

    def __init__(self, service: ReferenceService) -> None:
        self._service = service
        self._calls = 0
        self._replies = 0

    @property
    def silent(self) -> bool:
        return self._calls > 0 and not self._replies

    @property
    def address(self) -> str:
        return self._service.address

    def work(self, doi: str) -> Metadata | None:
        return self._count_call(lambda: self._service.work(doi))

    def works(self, words: str, rows: int = 5) -> tuple[Metadata, ...]:
        return self._count_call(lambda: self._service.works(words, rows))

    def agency(self, doi: str) -> str:
        return self._count_call(lambda: self._service.agency(doi))

    def _count_call(self, ask: Callable[[], T]) -> T:
        self._calls += 1
        answer = ask()
        self._replies += 1
        return answer


@dataclass(frozen=True, slots=True)
class _Match:
    record: Metadata
    how: Comparison

    @property
    def paper_id(self) -> str:
        return self.record.id if isinstance(self.record, Paper) else ""


def audit(
    catalog: Catalog, index: SearchIndex, source: str | Path, settings: Settings, *, online: bool | None = None
) -> AuditReport:
    """The check of every reference in a file or a text.

    Args:
        catalog: of the library that is asked first.
        index: finds papers whose titles are nearly the same.
        source: a file, or a text; see `parse.references.files.references_of`.
        settings: where the service is, and the limits within which a file is read.
        online: whether a service is asked; None: as `sources.online` says.

    Raises:
        InputError: the file cannot be read.
    """
    reference_list = references_of(source, Limits(settings.parse.timeout, settings.parse.memory))
    known, use_service = settings.sources, settings.sources.online if online is None else online
    service = CrossrefLookup(known) if use_service else None
    report = check_references(catalog, reference_list.references, service, lambda title: _near(catalog, index, title))
    notes = (
        reference_list.notes
        if reference_list.references
        else (*reference_list.notes, "No references were found in it.")
    )
    return replace(report, notes=(*notes, *report.notes))


def check_references(
    catalog: Catalog,
    references: Sequence[Reference],
    service: ReferenceService | None,
    near: Callable[[str], Iterable[Paper]] = lambda _: (),
) -> AuditReport:
    """The check of each reference; without a service the library alone is asked."""
    counting_service = _CountingService(service) if service else None
    auditor = _Auditor(catalog, counting_service, near)
    possible_papers = candidates(catalog, references, _titles)
    checks: list[ReferenceCheck] = []
    for pair in zip(references, possible_papers, strict=True):
        checks.append(auditor.check(*pair))
        emit(Progress("checking references", len(checks), len(references), "references"))
    return AuditReport(
        tuple(checks),
        service.address if service else "",
        auditor.notes,
        bool(counting_service and counting_service.silent),
    )


def _titles(reference: Reference) -> list[str]:
    """The titles under which the library may have a work: as it stands, and without a subtitle."""
    title = plain_title(reference.title)
    names = dict.fromkeys(normal_name(part) for part in (reference.title, title, main_title(title)))
    return [name for name in names if len(name.split()) >= LEAST_WORDS]


def _near(catalog: Catalog, index: SearchIndex, title: str) -> list[Paper]:
    """Papers that have the words of a title, or many of them."""
    keys = [candidate.key for candidate in index.search_text(title, _NEAR, Filters())]
    return list(catalog.papers_by_key(sorted(set(catalog.papers_of_passages(keys).values()))).values())


class _Auditor:
    """Checks one reference after the other; a service that is away is not asked again."""

    def __init__(
        self, catalog: Catalog, service: ReferenceService | None, near: Callable[[str], Iterable[Paper]]
    ) -> None:
        self._catalog = catalog
        self._service = service
        self._near = near
        self._away = "" if service else OFFLINE
        self._failures = 0
        self._works: dict[str, tuple[Metadata, ...]] = {}
        self.notes: tuple[str, ...] = ()

    def check(self, reference: Reference, can: ReferencedPapers) -> ReferenceCheck:
        """What became of one reference."""
        if can.by_identifier:
            return self._check_identified(reference, can)
        library_match = self._find_title(reference, can.titled)
        if self._service is None or self._away:
            return self._check_in_library(reference, library_match, self._away)
        try:
            check = self._check_online(reference, library_match, self._service)
        except ServiceError as error:
            return self._check_in_library(reference, library_match, self._note_failure(error))
        self._failures = 0
        return check

    def _note_failure(self, error: ServiceError) -> str:
        """Why a reference is unchecked; the service is given up where it is away or goes on failing."""
        self._failures += 1
        if isinstance(error, ServiceAwayError) or self._failures >= _MOST_FAILURES:
            self._away = f"{error.message} It was not asked any more."
            self.notes = (f"{error.message} {error.hint} What the library does not have is unchecked.",)
        return error.message

    def _check_identified(self, reference: Reference, can: ReferencedPapers) -> ReferenceCheck:
        """The library has a paper under an identifier of the reference."""
        paper = next(iter(can.by_identifier.values()))
        how = compare(reference, paper)
        others = tuple(name for name, other in can.by_identifier.items() if other.id != paper.id)
        same = tuple(name for name in can.by_identifier if name not in (*others, *how.agrees))
        how = Comparison(
            (*same, *how.agrees), (*others, *(name for name in how.contradicts if name not in can.by_identifier))
        )
        if not how.contradicts:
            return _check(reference, "in library", _Match(paper, how), "" if len(how.agrees) > 1 else _NOTHING_ELSE)
        meant = self._find_title(reference, can.titled)
        note = (
            f"The library has another work under this {_NAMES[next(iter(can.by_identifier))]}."
            if _is_other(how)
            else ""
        )
        if meant and meant.record.title != paper.title and "title" in meant.how.agrees:
            note = f"{note} The title is that of {_describe_work(meant.record)}.".strip()
        return _check(reference, "wrong", _Match(paper, how), note, titled=bool(meant and "title" in meant.how.agrees))

    def _find_title(self, reference: Reference, titled: Iterable[Paper]) -> _Match | None:
        """The library's paper of this title that contradicts the reference least."""
        best = _best(reference, titled)
        if best is None and len(title_words(reference.title)) >= LEAST_WORDS:
            best = _best(reference, self._near(plain_title(reference.title)))
        return best

    def _check_in_library(self, reference: Reference, library_match: _Match | None, why: str) -> ReferenceCheck:
        """The verdict without a service."""
        if library_match is None:
            return _check(reference, "unchecked", None, why)
        if not library_match.how.contradicts:
            return _check(reference, "in library", library_match)
        return _check(reference, "wrong", library_match)

    def _check_online(
        self, reference: Reference, best_match: _Match | None, service: ReferenceService
    ) -> ReferenceCheck:
        if reference.doi:
            record = service.work(reference.doi)
            if record is not None:
                return self._check_registered(reference, record, best_match, service)
            agency = service.agency(reference.doi)
        elif best_match is not None and not best_match.how.contradicts:
            return _check(reference, "in library", best_match)
        else:
            agency = service.agency(f"10.48550/arxiv.{reference.arxiv_id}") if reference.arxiv_id else ""
        if best_match is None or best_match.how.contradicts:
            best_match = _least([best_match, self._search_title(reference, service)])
        return self._by_title(reference, best_match, agency, service)

    def _check_registered(
        self, reference: Reference, record: Metadata, library_match: _Match | None, service: ReferenceService
    ) -> ReferenceCheck:
        """The service knows the DOI: is it this work's?"""
        how = compare(reference, replace(record, doi=reference.doi))  # the service may answer with a newer DOI
        if not how.contradicts:
            paper = self._find_in_library(record)
            match = _Match(paper or (library_match.record if library_match else record), how)
            note = "" if len(how.agrees) > 1 else _NOTHING_ELSE
            if library_match and not paper and library_match.record.doi and library_match.record.doi != reference.doi:
                note = f"The library has it as {_describe_work(library_match.record)}."
            return _check(reference, "in library" if match.paper_id else "found", match, note)
        note = f"The DOI is that of {_describe_work(record)}." if _is_other(how) else ""
        meant = library_match or (self._search_title(reference, service) if "title" in how.contradicts else None)
        if meant and meant.record.doi != record.doi and "title" in meant.how.agrees:
            note = f"{note} The title is that of {_describe_work(meant.record)}.".strip()
        return _check(reference, "wrong", _Match(record, how), note, titled=bool(meant and "title" in meant.how.agrees))

    def _by_title(
        self, reference: Reference, match: _Match | None, agency: str, service: ReferenceService
    ) -> ReferenceCheck:
        """The service has nothing under an identifier, or the reference has none that it knows."""
        unknown = "doi" if reference.doi else "arxiv_id" if reference.arxiv_id else ""
        if match is None:
            return self._report_missing(reference, unknown, agency, service)
        how, note = match.how, ""
        if unknown and not agency:
            rest = tuple(name for name in how.contradicts if name != unknown)
            how = Comparison(how.agrees, (unknown, *rest))
            note = f"Nobody registered this {_NAMES[unknown]}; the title is that of {_describe_work(match.record)}."
        elif unknown:
            how = Comparison(how.agrees, tuple(name for name in how.contradicts if name != unknown))
            note = f"The {_NAMES[unknown]} is registered with {agency}, which was not asked; the title was found."
        if paper := self._find_in_library(match.record):
            match = replace(match, record=paper)
        verdict: ReferenceVerdict = "wrong" if how.contradicts else "in library" if match.paper_id else "found"
        return _check(reference, verdict, _Match(match.record, how), note)

    def _report_missing(
        self, reference: Reference, unknown: str, agency: str, service: ReferenceService
    ) -> ReferenceCheck:
        if agency:
            note = f"The {_NAMES[unknown]} is registered with {agency}, which was not asked."
            return _check(reference, "unchecked", None, note)
        if unknown:
            note = f"Nobody registered this {_NAMES[unknown]}, and no work of this title was found."
            note = note if reference.title else f"Nobody registered this {_NAMES[unknown]}."
            return replace(_check(reference, "not found", None, note), contradicts=(unknown,))
        if len(title_words(reference.title)) < LEAST_WORDS:
            note = "It has no identifier that the service knows, and no title of three words or more."
            return _check(reference, "unchecked", None, note)
        near = self._find_nearest(reference, service)
        return _check(
            reference, "not found", None, f"The nearest title is that of {_describe_work(near)}." if near else ""
        )

    def _search_title(self, reference: Reference, service: ReferenceService) -> _Match | None:
        """The work of this title that the service has."""
        if len(title_words(reference.title)) < LEAST_WORDS:
            return None
        return _best(reference, self._find_works(reference, service))

    def _find_works(self, reference: Reference, service: ReferenceService) -> tuple[Metadata, ...]:
        first = reference.authors[0].surname if reference.authors else ""
        words = " ".join(part for part in (plain_title(reference.title), first) if part)
        if words not in self._works:
            self._works = {words: service.works(words)}
        return self._works[words]

    def _find_nearest(self, reference: Reference, service: ReferenceService) -> Metadata | None:
        works = self._find_works(reference, service)
        return max(works, key=lambda work: similarity(reference.title, work.title), default=None)

    def _find_in_library(self, record: Metadata) -> Paper | None:
        """The library's paper under the DOI of a record that the service gave."""
        if isinstance(record, Paper) or not record.doi:
            return record if isinstance(record, Paper) else None
        keys = self._catalog.papers_known_as([("doi", record.doi)]).get(("doi", record.doi), ())
        papers = self._catalog.papers_by_key(keys).values()
        return max(papers, key=lambda paper: similarity(paper.title, record.title), default=None)


_NOTHING_ELSE = "Only the identifier was given, so nothing else was compared."


def _best(reference: Reference, works: Iterable[Metadata]) -> _Match | None:
    """Of the works with this title the one that contradicts the reference least.

    One of another author is no match where the title is so short that works share it.
    """
    matches = [_Match(work, compare(reference, work)) for work in works]
    matches = [match for match in matches if "title" in match.how.agrees]
    if len(title_words(reference.title)) < DISTINCT_WORDS:
        matches = [match for match in matches if "author" not in match.how.contradicts]
    return _least(matches)


def _least(matches: Iterable[_Match | None]) -> _Match | None:
    """The match with the fewest contradictions."""
    there = [match for match in matches if match]
    return min(there, key=lambda match: (len(match.how.contradicts), -len(match.how.agrees)), default=None)


def _is_other(how: Comparison) -> bool:
    """Whether a record is another work, rather than this one with a wrong year."""
    return "title" in how.contradicts or ("author" in how.contradicts and "title" not in how.agrees)


def _check(
    reference: Reference, verdict: ReferenceVerdict, match: _Match | None, note: str = "", *, titled: bool = False
) -> ReferenceCheck:
    if match is None:
        return ReferenceCheck(reference, verdict, note=note)
    how = match.how
    details = (match.record, match.paper_id, how.agrees, how.contradicts, note, titled or "title" in how.agrees)
    return ReferenceCheck(reference, verdict, *details)


def _describe_work(record: Metadata) -> str:
    """A work in a message: `'Title' (Author et al. 2015, doi:10.1000/1)`."""
    title = record.title if len(record.title) <= 120 else record.title[:119].rstrip() + "…"
    doi = f"doi:{record.doi}" if record.doi else ""
    label = record.label if record.byline else str(record.year or "")
    rest = ", ".join(part for part in (label, doi) if part)
    return f"'{title}'" + (f" ({rest})" if rest else "")
