"""What kept searches find that they had not found before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from conspectus.core.errors import ServiceAwayError, UsageError
from conspectus.core.job_context import Notice, emit
from conspectus.records import Metadata
from conspectus.records.sources import AddedWorks, FoundWork, OnlineResults
from conspectus.services.pool import ServicePool
from conspectus.services.protocol import WorkQuery
from conspectus.session.session import Session
from conspectus.sources import sql
from conspectus.sources.online_works import AddWorks, digest_of, find_works
from conspectus.sources.queries import query_of_fields
from conspectus.store.connection import aside, transact, utc_now

MOST_NEWS = 1000
"""Works of one search that are looked through for new ones."""


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
    kept = sql.list_searches(session.catalog)
    if not kept:
        raise UsageError("No saved searches.", "Save one: `sources follow WORDS`.")
    wanted = [one for one in kept if not name or sql.name_term(one.name) == sql.name_term(name)]
    if not wanted:
        sql.query_of(session.catalog, name)
    chosen: list[tuple[FoundWork, Sequence[Metadata]]] = []
    reports: list[AddedWorks] = []
    for search in wanted:
        key, values, services = sql.query_of(session.catalog, search.name)
        query = recent_query(query_of_fields(values), search.asked)
        before = {one.name: one.note for one in pool.reports()}
        results, works = find_works(session, pool, services, query, MOST_NEWS, loosely=False)
        known = sql.known_finds(session.catalog, key)
        digests = [digest_of(own) for own in works]
        new = [number for number, digest in enumerate(digests) if digest not in known]
        if add_works and new:
            reports.append(add_works([works[number] for number in new], search.name, full_text, pool))
        failed = {one.name for one in pool.reports() if one.note != before.get(one.name, "")}
        if not failed:
            transact(session.catalog.engine, partial(sql.note_news, search_key=key, finds=digests), aside)
        chosen += ((results.results[number], works[number]) for number in new)
    found = tuple(replace(work, rank=rank) for rank, (work, _) in enumerate(chosen, 1))
    unread = tuple(text for one in reports for text in one.unread)
    added = sum(one.added for one in reports) if add_works else None
    title = "; ".join(one.name for one in wanted)
    return OnlineResults(title, found, pool.reports(), added, unread)


def known_works(session: Session, pool: ServicePool, services: Sequence[str], query: WorkQuery) -> set[str]:
    """Digests of the works that a search finds now, of all years and of the last two: they are no news.

    Raises:
        UsageError: its years have ended, so there will be none.
        ServiceAwayError: no service answered.
    """
    now = utc_now()
    if query.last_year and query.last_year < int(now[:4]) - 1:
        raise UsageError("Nothing new can appear in years that have ended.", "Leave the last year out.")
    _, works = find_works(session, pool, services, query, MOST_NEWS, loosely=False)
    _, recent = find_works(session, pool, services, recent_query(query, now), MOST_NEWS, loosely=False)
    troubles = {one.name: one.note for one in pool.reports() if one.note}
    if troubles and len(troubles) == len(services):
        raise ServiceAwayError(f"No service answered. {' '.join(troubles.values())}", "Try again later.")
    for note in troubles.values():
        emit(Notice(note))
    return {digest_of(own) for own in (*works, *recent)}


def recent_query(query: WorkQuery, asked: str) -> WorkQuery:
    """The query for what appeared since the year before it was asked: works get into services late."""
    year = int(asked[:4]) - 1 if asked[:4].isdigit() else 0
    return replace(query, first_year=max(query.first_year or 0, year)) if year else query
