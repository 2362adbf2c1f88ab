"""Kept searches: their rows in the catalog, and what they find that they had not found before."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from conspectus.core.errors import NotFoundError, ServiceAwayError, UsageError
from conspectus.core.job_context import Notice, emit
from conspectus.records import Metadata
from conspectus.records.sources import AddedWorks, FoundWork, KeptSearch, OnlineResults
from conspectus.services import protocol
from conspectus.services.pool import ServicePool
from conspectus.services.protocol import WorkQuery
from conspectus.session.session import Session
from conspectus.sources.online_works import AddWorks, digest_of, digests_of, find_works, papers_of, rank_works
from conspectus.sources.queries import describe_query, query_of_fields
from conspectus.store.connection import CatalogReader, aside, insert_rows, transact, utc_now
from conspectus.store.schema import kept_finds, kept_searches


def list_searches(catalog: CatalogReader) -> tuple[KeptSearch, ...]:
    """The kept searches, the oldest first."""
    counted = (
        select(func.count()).where(kept_finds.c.search_key == kept_searches.c.key).scalar_subquery().label("known")
    )
    return tuple(map(_search, catalog.rows(select(kept_searches, counted).order_by(kept_searches.c.key))))


def query_of(catalog: CatalogReader, name: str) -> tuple[int, dict[str, Any], tuple[str, ...]]:
    """The key, the query and the services of a kept search.

    Raises:
        NotFoundError: there is none of this name.
    """
    for row in catalog.rows(select(kept_searches).where(kept_searches.c.term == name_term(name))):
        return row.key, json.loads(row.query), tuple(json.loads(row.services))
    raise NotFoundError(f"There is no saved search '{name}'.", "`sources followed` lists them.")


def check_free(catalog: CatalogReader, name: str) -> None:
    """See that no kept search has a name.

    Raises:
        UsageError: one has.
    """
    if catalog.scalar(select(kept_searches.c.key).where(kept_searches.c.term == name_term(name))) is not None:
        raise _name_taken(name)


def _name_taken(name: str) -> UsageError:
    return UsageError(f"There is a saved search '{name}' already.", "Give this one another name (`name=NAME`).")


def add_search(
    connection: Connection, name: str, query: dict[str, Any], services: Sequence[str], finds: Collection[str]
) -> None:
    """Keep a search, with what it finds now.

    Raises:
        UsageError: another one has the name.
    """
    if connection.scalar(select(kept_searches.c.key).where(kept_searches.c.term == name_term(name))) is not None:
        raise _name_taken(name)
    now = utc_now()
    values = {"name": name, "term": name_term(name), "query": json.dumps(query), "services": json.dumps(list(services))}
    inserted = connection.execute(insert(kept_searches).values(**values, made=now, asked=now))
    assert inserted.inserted_primary_key is not None
    _add_finds(connection, inserted.inserted_primary_key[0], finds)


def known_finds(catalog: CatalogReader, search_key: int) -> set[str]:
    """The digests of what a search has found."""
    return {
        row.digest for row in catalog.rows(select(kept_finds.c.digest).where(kept_finds.c.search_key == search_key))
    }


def note_news(connection: Connection, search_key: int, finds: Iterable[str]) -> None:
    """What a search found now, and that it was asked."""
    connection.execute(update(kept_searches).where(kept_searches.c.key == search_key).values(asked=utc_now()))
    known = set(connection.scalars(select(kept_finds.c.digest).where(kept_finds.c.search_key == search_key)))
    _add_finds(connection, search_key, set(finds) - known)


def drop_search(connection: Connection, search_key: int) -> None:
    """Forget a search."""
    connection.execute(delete(kept_searches).where(kept_searches.c.key == search_key))


def _add_finds(connection: Connection, search_key: int, finds: Iterable[str]) -> None:
    insert_rows(connection, kept_finds, [{"search_key": search_key, "digest": digest} for digest in sorted(finds)])


def name_term(name: str) -> str:
    """A kept search's name, for comparing."""
    return " ".join(name.casefold().split())


def _search(row: Row[Any]) -> KeptSearch:
    words = describe_query(query_of_fields(json.loads(row.query)))
    return KeptSearch(row.name, words, tuple(json.loads(row.services)), row.made, row.asked, row.known)


MOST_NEWS = 1000
"""Works of one search that are looked through for new ones."""
OVERLAP_DAYS = 30
"""Days before the last time from which on services are asked: works can be found some time after they were added."""


def find_news(
    session: Session, pool: ServicePool, name: str, add_works: AddWorks | None, full_text: bool
) -> OnlineResults:
    """The new works of the kept search of this name, or of all; they are known from then on.

    Args:
        session: the open library.
        pool: the services.
        name: of a kept search; "": all.
        add_works: adds what is new; None: it is not added.
        full_text: whether open copies are read, too.

    Raises:
        NotFoundError: there is no such search.
        UsageError: there is none at all.
    """
    searches = list_searches(session.catalog)
    if not searches:
        raise UsageError("No saved searches.", "Save one: `sources follow WORDS`.")
    matching = [search for search in searches if not name or name_term(search.name) == name_term(name)]
    if not matching:
        query_of(session.catalog, name)
    chosen: list[tuple[FoundWork, Sequence[Metadata]]] = []
    reports: list[AddedWorks] = []
    for search in matching:
        key, values, services = query_of(session.catalog, search.name)
        before = {report.name: report.note for report in pool.reports()}
        recent = find_recent(session, pool, services, query_of_fields(values), search.asked)
        known = known_finds(session.catalog, key)
        new = [(work, records) for work, records in recent if known.isdisjoint(digests_of(records))]
        if add_works and new:
            reports.append(add_works([records for _, records in new], search.name, full_text, pool))
        failed = {report.name for report in pool.reports() if report.note != before.get(report.name, "")}
        if not failed:
            finds = {digest_of(records) for _, records in new}
            transact(session.catalog.engine, partial(note_news, search_key=key, finds=finds), aside)
        chosen += new
    results = tuple(replace(work, rank=rank) for rank, (work, _) in enumerate(chosen, 1))
    unread = tuple(text for report in reports for text in report.unread)
    added = sum(report.added for report in reports) if add_works else None
    title = "; ".join(search.name for search in matching)
    return OnlineResults(title, results, pool.reports(), added, unread)


def known_works(session: Session, pool: ServicePool, services: Sequence[str], query: WorkQuery) -> set[str]:
    """Digests of the works that a search finds now, and of those added lately: they are no news.

    Raises:
        ServiceAwayError: no service answered.
    """
    _, works = find_works(session, pool, services, query, MOST_NEWS, loosely=False)
    recent = find_recent(session, pool, services, query, utc_now())
    troubles = {report.name: report.note for report in pool.reports() if report.note}
    if troubles and len(troubles) == len(services):
        raise ServiceAwayError(f"No service answered. {' '.join(troubles.values())}", "Try again later.")
    for note in troubles.values():
        emit(Notice(note))
    return {digest_of(records) for records in works} | {digest_of(records) for _, records in recent}


def find_recent(
    session: Session, pool: ServicePool, services: Sequence[str], query: WorkQuery, search_date: str
) -> list[tuple[FoundWork, Sequence[Metadata]]]:
    """The works of a search that services added since it was asked, best first, and some that they had before.

    A service that does not say when it added a work is asked for the best works of all years, and for those of the
    last two; so is every one for citing works, for a citation can become known long after both papers.
    """
    able = pool.able(services, query)
    is_linked = query.citing or query.cited_by
    dated = [name for name in able if "since" in protocol.service(name).queries and not is_linked]
    others = [name for name in able if name not in dated]
    day = date.fromisoformat(search_date[:10]) - timedelta(days=OVERLAP_DAYS)
    works_of: dict[str, list[Metadata]] = {}
    if dated:
        works_of |= pool.find(dated, replace(query, since=day.isoformat()), MOST_NEWS, loosely=False)
    for report in pool.reports():
        if report.name in dated and report.total and report.total > MOST_NEWS:
            what = f"added {report.total:,} such works since {day}; only the best {MOST_NEWS:,} were checked"
            emit(Notice(f"{protocol.service(report.name).title} {what}. Follow something narrower."))
    if others:
        works_of |= pool.find(others, query, MOST_NEWS, loosely=False)
        recent = replace(query, first_year=max(query.first_year or 0, day.year - 1))
        if not (query.last_year and query.last_year < day.year - 1) and not query.cited_by:
            late = pool.find(others, recent, MOST_NEWS, loosely=False)
            works_of |= {f"{name} lately": works for name, works in late.items()}
    most = sum(map(len, works_of.values()))
    return list(zip(*rank_works(works_of, most, partial(papers_of, session)), strict=True))
