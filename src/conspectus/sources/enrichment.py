"""What services know of papers that a library has, added to what its files say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import islice

from conspectus.core.errors import ServiceError
from conspectus.ingest.work_identity import same_by_title
from conspectus.records import Metadata, Paper
from conspectus.records.parsed_paper import ParsedPaper
from conspectus.records.sources import INTERNAL, EnrichReport
from conspectus.services.identifiers import identifiers_of
from conspectus.services.pool import ServicePool
from conspectus.services.protocol import Identifier, WorkQuery, service
from conspectus.session.session import Session
from conspectus.sources.online_works import AddWorks
from conspectus.store.rows import StoredDocument

ASKED = ("crossref", "europepmc", "pubmed", "arxiv", "ads", "semanticscholar", "unpaywall", "datacite")
"""Who is asked where nobody is named, those that tell other identifiers first; OpenAlex, which costs, is not."""
_TITLED = ("crossref", "europepmc")
"""Who is searched by title for papers that have no identifier."""
_CANDIDATES = 5
_BOOKKEEPING = INTERNAL - {"full_text", "notices", "versions"} | {"external_id", "extra"}
"""Fields, and keys of `extra`, that say where a record is from; they change with each look-up."""
_BATCH = 500
"""Papers that are looked up together."""


def enrich_papers(
    session: Session,
    pool: ServicePool,
    services: Sequence[str] | None,
    paper_ids: Sequence[str] | None,
    add_works: AddWorks,
    full_text: bool,
) -> EnrichReport:
    """Look papers up and add what is said of them.

    Args:
        session: the open library.
        pool: the services.
        services: names of those that are asked; None: all that cost nothing and need no key that is missing.
        paper_ids: None: all papers.
        add_works: keeps records.
        full_text: whether open copies are read, too.
    """
    names = services or tuple(name for name in ASKED if not pool.cannot(name))
    changed: Counter[str] = Counter()
    unknown: list[str] = []
    unread: list[str] = []
    papers = known = 0
    for batch in _batches(session, paper_ids):
        papers += len(batch)
        records = _look_up(pool, names, batch)
        unknown += (paper.id for paper in batch if paper.id not in records)
        known += len(records)
        if records:
            unread += add_works(list(records.values()), "", full_text, pool).unread
            changed += _changes(session, [paper for paper in batch if paper.id in records])
    reports = tuple(replace(report, total=None) for report in pool.reports())  # of searches for single titles
    return EnrichReport(papers, known, dict(changed.most_common()), tuple(unknown), reports, tuple(unread))


def _batches(session: Session, paper_ids: Sequence[str] | None) -> Iterator[list[Paper]]:
    catalog = session.catalog
    if paper_ids is not None:
        keys = list(catalog.keys_of(paper_ids).values())
        chunks: Iterator[list[int]] = (keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH))
    else:
        chunks = iter([*catalog.paper_keys(_BATCH)])  # what is added meanwhile is not looked up again
    return (list(catalog.papers_by_key(chunk).values()) for chunk in chunks)


def _look_up(pool: ServicePool, names: Sequence[str], papers: Sequence[Paper]) -> dict[str, list[Metadata]]:
    """Paper id -> what services say of it. Each is asked by the identifiers that the paper has, or others told."""
    records_of: dict[str, list[Metadata]] = {}
    for paper in papers:
        if not identifiers_of(paper) and (titled := _by_title(pool, paper)):
            records_of[paper.id] = [titled]
    for name in names:
        schemes = service(name).schemes
        papers_by_identifier: dict[Identifier, str] = {}
        for paper in papers:
            records = [paper, *records_of.get(paper.id, ())]
            if all(record.extra.get("service") != name for record in records[1:]):
                known = (
                    identifier
                    for record in records
                    for identifier in identifiers_of(record)
                    if identifier.scheme in schemes
                )
                papers_by_identifier |= dict.fromkeys(islice(known, 1), paper.id)
        for identifier, record in pool.look_up_at(name, list(papers_by_identifier)).items():
            records_of.setdefault(papers_by_identifier[identifier], []).append(record)
    return records_of


def _by_title(pool: ServicePool, paper: Paper) -> Metadata | None:
    """The work of this title, if author and year agree, too."""
    if not (paper.title and paper.authors and paper.year):
        return None
    for name in _TITLED:
        if pool.cannot(name):
            continue
        try:
            works = pool.find([name], WorkQuery(words=paper.title, author=paper.authors[0].surname), _CANDIDATES)
        except ServiceError:  # it is in the pool's report
            continue
        for record in works.get(name, ()):
            if _is_same(paper, record):
                return record
    return None


def _is_same(paper: Metadata, record: Metadata) -> bool:
    """Whether the record will become one paper with this; else it would be another paper of the library."""
    ours, other = (StoredDocument(0, "", "", 0, b"", ParsedPaper(work)) for work in (paper, record))
    return same_by_title(ours, other)


def _changes(session: Session, before: Sequence[Paper]) -> Counter[str]:
    """For how many of the papers each field says something else now."""
    now = session.catalog.papers_by_key(list(session.catalog.keys_of([paper.id for paper in before]).values()))
    by_id = {paper.id: paper for paper in now.values()}
    changed: Counter[str] = Counter()
    for paper in before:
        if (after := by_id.get(paper.id)) is None:
            continue
        changed.update(
            field.name
            for field in fields(Metadata)
            if field.name not in _BOOKKEEPING and getattr(paper, field.name) != getattr(after, field.name)
        )
        changed.update(
            key for key, value in after.extra.items() if key not in _BOOKKEEPING and paper.extra.get(key) != value
        )
    return changed
