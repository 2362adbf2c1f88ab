"""Works that services know, as papers of a library: found, looked up, kept as records, read where a copy is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import count
from pathlib import Path

from conspectus.core.job_context import emit
from conspectus.core.side_by_side import call_side_by_side
from conspectus.parse.process.pool import Limits
from conspectus.records import Metadata
from conspectus.records.jobs import Progress
from conspectus.records.sources import AddedWorks, OnlineResults
from conspectus.services.full_text import DOWNLOAD_SECONDS, fetch_full_text, full_text_links
from conspectus.services.identifiers import identifiers_of
from conspectus.services.pool import ServicePool
from conspectus.services.protocol import Identifier, WorkQuery
from conspectus.session.session import Session
from conspectus.sources.found_works import rank_works, same_works
from conspectus.sources.online_folder import OnlineFolder, record_key
from conspectus.sources.queries import describe_query
from conspectus.store.rows import SCHEMES

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
    found = pool.find(services, query, k, loosely=loosely)
    results, works = rank_works(found, k, partial(papers_of, session))
    return OnlineResults(describe_query(query), results, pool.reports()), works


def papers_of(session: Session, works: Works) -> list[str]:
    """For each work the id of the paper of the library that has one of its identifiers; "" where none has."""
    names = [
        [(one.scheme, one.value.lower()) for record in own for one in identifiers_of(record) if one.scheme in SCHEMES]
        for own in works
    ]
    known = session.catalog.papers_known_as(name for own in names for name in own)
    keys = [next((key for name in own for key in known.get(name, ())), 0) for own in names]
    ids = session.catalog.ids_of({*keys})
    return [ids.get(key, "") for key in keys]


def digest_of(records: Sequence[Metadata]) -> str:
    """What a kept search knows a work by: a digest of its surest identifier, or of its title."""
    return digests_of(records)[0]


def digests_of(records: Sequence[Metadata]) -> list[str]:
    """By what a kept search may know a work: digests of all its identifiers, the surest first, or of its title."""
    names = [str(one) for record in records for one in identifiers_of(record)] or [records[0].title.casefold()]
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
    known = _with_copies(pool, [own for own, paper in zip(works, papers, strict=True) if paper not in texts])
    came = count(1)

    def fetch(own: Sequence[Metadata]) -> tuple[Path | None, str]:
        found = _fetch(session, pool, folder, own)
        emit(Progress("fetching full texts", next(came), len(known), "papers"))
        return found

    emit(Progress("fetching full texts", 0, len(known), "papers"))
    late = (None, f"It had not come after {seconds or 0:.0f} s and was not waited for.")
    for own, result in zip(known, call_side_by_side(fetch, known, _AT_ONCE, seconds), strict=True):
        path, why = result or late
        if path:
            fetched.files[record_key(own[0])] = path
        else:
            fetched.unread.append(f"{own[0].label}: {why}")
    return fetched


def _fetch(
    session: Session, pool: ServicePool, folder: OnlineFolder, records: Sequence[Metadata]
) -> tuple[Path | None, str]:
    links = full_text_links(records, session.settings.sources)
    if not links:
        return None, "No service lists an open copy."
    own = session.settings
    limits = Limits(own.parse.timeout, own.parse.memory)
    gate = partial(pool.turn, seconds=DOWNLOAD_SECONDS)
    told = fetch_full_text(links, folder.files, own.sources, limits=limits, gate=gate)
    return (told.file.path, "") if told.file else (None, " ".join(told.reasons))


def _with_copies(pool: ServicePool, works: Works) -> Works:
    """The works, with more records where theirs name no open copy."""
    lacking = {_surest(own): number for number, own in enumerate(works) if not _names_copies(own)}
    more: dict[int, list[Metadata]] = {}
    for name in _OPEN_COPIES:
        wanted = [key for key, number in lacking.items() if key and number not in more]
        if wanted and not pool.cannot(name):
            for key, record in pool.look_up_at(name, wanted).items():
                if _names_copies([record]):
                    more.setdefault(lacking[key], []).append(record)
    return [[*own, *more.get(number, ())] for number, own in enumerate(works)]


def _surest(records: Sequence[Metadata]) -> Identifier | None:
    return next((one for record in records for one in identifiers_of(record)), None)


def _names_copies(records: Sequence[Metadata]) -> bool:
    return any(one.extra.get("full_text") or one.extra.get("pmcid") or one.arxiv_id for one in records)


def keep_records(session: Session, works: Works, found_for: str, files: Mapping[str, Path]) -> list[Path]:
    """Write the records of works into the library's folder; returns the files to add."""
    with session.writing():
        return OnlineFolder(session.folder).keep([one for own in works for one in own], found_for, files)


def group_works(records: Sequence[Metadata]) -> Works:
    """Records put together by work."""
    return [[records[number] for number in group] for group in same_works(records)]
