"""Works that services know, as papers of a library: found, looked up, kept as records, read where a copy is open."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any

from conspectus.core.disk import possible_path
from conspectus.core.errors import UsageError
from conspectus.core.job_context import emit
from conspectus.core.threads import call_side_by_side
from conspectus.ingest.work_identity import has_distinct_title, title_is_shared, title_tells
from conspectus.parse.process.pool import Limits
from conspectus.parse.registry import readers
from conspectus.parse.text.titles import title_words
from conspectus.records import LedgerRow, Metadata, normal_name
from conspectus.records.events import Progress
from conspectus.records.sources import AddedWorks, FoundWork, OnlineResults
from conspectus.services.full_text import DOWNLOAD_SECONDS, fetch_full_text, full_text_links
from conspectus.services.identifiers import identifiers_of, read_identifier
from conspectus.services.pool import ServicePool, check_online
from conspectus.services.protocol import Identifier, WorkQuery
from conspectus.session.session import Session
from conspectus.sources.online_folder import OnlineFolder, record_key
from conspectus.sources.queries import describe_query
from conspectus.store.rows import SCHEMES

RANK_OFFSET = 60
"""k of reciprocal rank fusion (Cormack and others 2009, https://doi.org/10.1145/1571941.1572114)."""


def same_works(records: Sequence[Metadata]) -> list[list[int]]:
    """The records of each work, by their numbers, in the order of the first of each.

    Records are of one work if they share an identifier and have no two DOIs; or if title, first author and year are the
    same, no identifiers of one kind differ, and the title tells a work: "Preface" does not, nor does one that several
    works here have.
    """
    titles: dict[object, list[Metadata]] = {}
    for record in records:
        titles.setdefault(_title_name(record), []).append(record)
    shared = {name for name, same_title in titles.items() if name is None or title_is_shared(same_title)}
    work_of: dict[object, int] = {}
    groups: list[list[int]] = []
    for number, record in enumerate(records):
        title = _title_name(record)
        known = (work_of[name] for name in identifiers_of(record) if name in work_of)
        group = next(
            (place for place in known if not _differ(record, [records[member] for member in groups[place]], ("doi",))),
            None,
        )
        if group is None and title not in shared and title in work_of:
            others = [records[member] for member in groups[work_of[title]]]
            if not _differ(record, others, _SCHEMES) and any(title_tells(record, other) for other in others):
                group = work_of[title]
        if group is None:
            group = len(groups)
            groups.append([])
        groups[group].append(number)
        for name in (*identifiers_of(record), title):
            work_of.setdefault(name, group)
    return groups


_SCHEMES = ("doi", "pmid", "pmcid", "arxiv_id", "bibcode")


def _differ(record: Metadata, others: Sequence[Metadata], schemes: Sequence[str]) -> bool:
    """Whether a record has an identifier of one of the schemes where all others that have one have another."""
    values = {identifier.scheme: identifier.value for identifier in identifiers_of(record)}
    theirs = {(identifier.scheme, identifier.value) for other in others for identifier in identifiers_of(other)}
    kinds = {scheme for scheme, _ in theirs}
    return any(scheme in values and scheme in kinds and (scheme, values[scheme]) not in theirs for scheme in schemes)


def _title_name(record: Metadata) -> object:
    """By what a record is found by its title; None where that is many works'."""
    if not record.year or not record.authors or not has_distinct_title(record):
        return None
    return tuple(title_words(record.title)), normal_name(record.authors[0].surname), record.year


def combine(records: Sequence[Metadata]) -> Metadata:
    """One record of several: each field from the first that says it."""
    values: dict[str, Any] = {}
    for known in fields(Metadata):
        values[known.name] = next(filter(None, (getattr(record, known.name) for record in records)), known.default)
    values["extra"] = {key: value for record in reversed(records) for key, value in record.extra.items()}
    return replace(records[0], **values)


def rank_works(
    works_by_service: Mapping[str, Sequence[Metadata]],
    k: int,
    papers_of: Callable[[Sequence[Sequence[Metadata]]], list[str]],
) -> tuple[tuple[FoundWork, ...], list[list[Metadata]]]:
    """The best `k` works by reciprocal rank fusion, and all records of each.

    Args:
        works_by_service: service -> its works, best first.
        k: how many.
        papers_of: for the records of each work, the id of the paper of the library that they are of; "": none.
    """
    listed = [(place, work) for works in works_by_service.values() for place, work in enumerate(works)]
    records = [work for _, work in listed]
    groups = same_works(records)
    score = {id(group): sum(1 / (RANK_OFFSET + listed[number][0]) for number in group) for group in groups}
    best = sorted(groups, key=lambda group: -score[id(group)])[:k]
    chosen = [[records[number] for number in group] for group in best]
    known = enumerate(zip(chosen, papers_of(chosen), strict=True), 1)
    return tuple(_work_at(rank, group_records, paper) for rank, (group_records, paper) in known), chosen


def _work_at(rank: int, records: Sequence[Metadata], in_library: str) -> FoundWork:
    services = tuple(dict.fromkeys(str(record.extra["service"]) for record in records))
    is_open = any(record.extra.get("full_text") for record in records)
    paper = combine(records)
    return FoundWork(rank, services[0], services, paper, in_library, is_open, paper.publication_status == "retracted")


Works = Sequence[Sequence[Metadata]]
"""Of each work the records that services have of it."""
AddWorks = Callable[[Works, str, bool, ServicePool], AddedWorks]
"""Adds works, marked with what they were found for; says whether their full texts are fetched, too."""
_AT_ONCE = 4
"""Full texts that are fetched at one time."""
_OPEN_COPIES = ("europepmc", "unpaywall", "openalex")
"""Services that know open copies, for works whose records name none."""


def find_works(
    session: Session, pool: ServicePool, services: Sequence[str], query: WorkQuery, k: int, *, loosely: bool = True
) -> tuple[OnlineResults, Works]:
    """The best `k` works that services find, and all their records; `loosely` as of `ServicePool.find`."""
    works_of = pool.find(services, query, k, loosely=loosely)
    results, works = rank_works(works_of, k, partial(papers_of, session))
    return OnlineResults(describe_query(query), results, pool.reports()), works


def papers_of(session: Session, works: Works) -> list[str]:
    """For each work the id of the paper of the library that has one of its identifiers; "" where none has."""
    names = [
        [
            (identifier.scheme, identifier.value.lower())
            for record in records
            for identifier in identifiers_of(record)
            if identifier.scheme in SCHEMES
        ]
        for records in works
    ]
    known = session.catalog.papers_known_as(name for work_names in names for name in work_names)
    keys = [next((key for name in work_names for key in known.get(name, ())), 0) for work_names in names]
    ids = session.catalog.ids_of({*keys})
    return [ids.get(key, "") for key in keys]


def digest_of(records: Sequence[Metadata]) -> str:
    """What a kept search knows a work by: a digest of its surest identifier, or of its title."""
    return digests_of(records)[0]


def digests_of(records: Sequence[Metadata]) -> list[str]:
    """By what a kept search may know a work: digests of all its identifiers, the surest first, or of its title."""
    names = [str(identifier) for record in records for identifier in identifiers_of(record)] or [
        records[0].title.casefold()
    ]
    return [blake2b(name.encode(), digest_size=12).hexdigest() for name in names]


@dataclass(slots=True)
class FullTexts:
    """Full texts that were fetched: by the key of the record, and why others were not, a sentence each."""

    files: dict[str, Path] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)


def fetch_full_texts(session: Session, pool: ServicePool, works: Works, seconds: float | None = None) -> FullTexts:
    """The open copies of works that the library has no text of; `seconds`: those that come by then."""
    folder = OnlineFolder(session.folder)
    fetched = FullTexts()
    papers = papers_of(session, works)
    texts = {paper.id for name in papers if name and (paper := session.paper(name)).has_full_text}
    known = _with_copies(pool, [records for records, paper in zip(works, papers, strict=True) if paper not in texts])
    came = count(1)

    def fetch(records: Sequence[Metadata]) -> tuple[Path | None, str]:
        fetched_file = _fetch(session, pool, folder, records)
        emit(Progress("fetching full texts", next(came), len(known), "papers"))
        return fetched_file

    emit(Progress("fetching full texts", 0, len(known), "papers"))
    late = (None, f"It had not come after {seconds or 0:.0f} s and was not waited for.")
    for records, result in zip(known, call_side_by_side(fetch, known, _AT_ONCE, seconds), strict=True):
        path, why = result or late
        if path:
            fetched.files[record_key(records[0])] = path
        else:
            fetched.unread.append(f"{records[0].label}: {why}")
    return fetched


def _fetch(
    session: Session, pool: ServicePool, folder: OnlineFolder, records: Sequence[Metadata]
) -> tuple[Path | None, str]:
    links = full_text_links(records, session.settings.sources)
    if not links:
        return None, "No service lists an open copy."
    library_settings = session.settings
    limits = Limits(library_settings.parse.timeout, library_settings.parse.memory)
    gate = partial(pool.turn, seconds=DOWNLOAD_SECONDS)
    text = fetch_full_text(links, folder.files, library_settings.sources, limits=limits, gate=gate)
    return (text.file.path, "") if text.file else (None, " ".join(text.reasons))


def _with_copies(pool: ServicePool, works: Works) -> Works:
    """The works, with more records where theirs name no open copy."""
    lacking = {_surest(records): number for number, records in enumerate(works) if not _names_copies(records)}
    more: dict[int, list[Metadata]] = {}
    for name in _OPEN_COPIES:
        keys = [key for key, number in lacking.items() if key and number not in more]
        if keys and not pool.cannot(name):
            for key, record in pool.look_up_at(name, keys).items():
                if _names_copies([record]):
                    more.setdefault(lacking[key], []).append(record)
    return [[*records, *more.get(number, ())] for number, records in enumerate(works)]


def _surest(records: Sequence[Metadata]) -> Identifier | None:
    return next((identifier for record in records for identifier in identifiers_of(record)), None)


def _names_copies(records: Sequence[Metadata]) -> bool:
    return any(record.extra.get("full_text") or record.extra.get("pmcid") or record.arxiv_id for record in records)


def keep_records(session: Session, works: Works, found_for: str, files: Mapping[str, Path]) -> list[Path]:
    """Write the records of works into the library's folder; returns the files to add."""
    with session.writing():
        return OnlineFolder(session.folder).keep([record for records in works for record in records], found_for, files)


def group_works(records: Sequence[Metadata]) -> Works:
    """Records put together by work."""
    return [[records[number] for number in group] for group in same_works(records)]


_PREFIXED = re.compile(r"(?:doi|arxiv|pmid|pmcid|bibcode|openalex|s2|orcid):", re.I)
_NO_IDENTIFIER = "This is not a paper identifier, nor a link from which one can be recognised."


@dataclass(frozen=True, slots=True)
class FetchedNames:
    """What became of names: files to add, rows of those that failed, and why full texts could not be fetched."""

    paths: Sequence[Path]
    failed: tuple[LedgerRow, ...]
    unread: tuple[str, ...] = ()


def names_work(name: str) -> bool:
    """Whether a name that is added is an identifier of a paper or an address, and no file."""
    if "://" in name or (_PREFIXED.match(name) and not os.path.lexists(possible_path(name))):
        return True
    suffixes = {suffix for reader in readers() for suffix in reader.suffixes}
    is_file = Path(name).suffix.lower() in suffixes or os.path.lexists(possible_path(name))
    return not is_file and read_identifier(name) is not None


def fetch_names(
    session: Session, names: Sequence[str], found_for: str, full_text: bool, online: bool | None
) -> FetchedNames:
    """Look works up and keep what is said of them in the library's folder.

    Args:
        session: the open library.
        names: identifiers and links.
        found_for: the question or search that brought them.
        full_text: whether open copies are fetched, too.
        online: as of `Library.add`.
    """
    settings = session.settings.sources
    try:
        check_online(settings, online)
    except UsageError as error:
        why = f"{error.message} {error.hint}"
        return FetchedNames((), tuple(LedgerRow(name, "failed", why) for name in names))
    pool = ServicePool(settings)
    meant = {name: read_identifier(name) for name in dict.fromkeys(names)}
    looked_up = pool.look_up(identifier for identifier in meant.values() if identifier)
    failed: list[LedgerRow] = []
    works: list[Metadata] = []
    for name, identifier in meant.items():
        if identifier is None:
            failed.append(LedgerRow(name, "failed", _NO_IDENTIFIER))
        elif identifier in looked_up.works:
            works.append(looked_up.works[identifier])
        else:
            failed.append(LedgerRow(name, "failed", looked_up.problems[identifier], identifier in looked_up.away))
    grouped = group_works(works)
    fetched = fetch_full_texts(session, pool, grouped) if full_text else FullTexts()
    paths = keep_records(session, grouped, found_for, fetched.files)
    return FetchedNames(paths, tuple(failed), tuple(fetched.unread))
