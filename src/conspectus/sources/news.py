"""What kept searches find that they had not found before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial

from conspectus.core.errors import ServiceAwayError, UsageError
from conspectus.core.job_context import Notice, emit
from conspectus.records import Metadata
from conspectus.records.sources import AddedWorks, FoundWork, OnlineResults
from conspectus.services import registry
from conspectus.services.pool import ServicePool
from conspectus.services.protocol import WorkQuery
from conspectus.session.session import Session
from conspectus.sources import sql
from conspectus.sources.found_works import rank_works
from conspectus.sources.online_works import AddWorks, digest_of, digests_of, find_works, papers_of
from conspectus.sources.queries import query_of_fields
from conspectus.store.connection import aside, transact, utc_now

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
        before = {one.name: one.note for one in pool.reports()}
        found = find_recent(session, pool, services, query_of_fields(values), search.asked)
        known = sql.known_finds(session.catalog, key)
        new = [(work, own) for work, own in found if known.isdisjoint(digests_of(own))]
        if add_works and new:
            reports.append(add_works([own for _, own in new], search.name, full_text, pool))
        failed = {one.name for one in pool.reports() if one.note != before.get(one.name, "")}
        if not failed:
            finds = {digest_of(own) for _, own in new}
            transact(session.catalog.engine, partial(sql.note_news, search_key=key, finds=finds), aside)
        chosen += new
    shown = tuple(replace(work, rank=rank) for rank, (work, _) in enumerate(chosen, 1))
    unread = tuple(text for one in reports for text in one.unread)
    added = sum(one.added for one in reports) if add_works else None
    title = "; ".join(one.name for one in wanted)
    return OnlineResults(title, shown, pool.reports(), added, unread)


def known_works(session: Session, pool: ServicePool, services: Sequence[str], query: WorkQuery) -> set[str]:
    """Digests of the works that a search finds now, and of those added lately: they are no news.

    Raises:
        ServiceAwayError: no service answered.
    """
    _, works = find_works(session, pool, services, query, MOST_NEWS, loosely=False)
    recent = find_recent(session, pool, services, query, utc_now())
    troubles = {one.name: one.note for one in pool.reports() if one.note}
    if troubles and len(troubles) == len(services):
        raise ServiceAwayError(f"No service answered. {' '.join(troubles.values())}", "Try again later.")
    for note in troubles.values():
        emit(Notice(note))
    return {digest_of(own) for own in works} | {digest_of(own) for _, own in recent}


def find_recent(
    session: Session, pool: ServicePool, services: Sequence[str], query: WorkQuery, asked: str
) -> list[tuple[FoundWork, Sequence[Metadata]]]:
    """The works of a search that services added since it was asked, best first, and some that they had before.

    A service that does not say when it added a work is asked for the best works of all years, and for those of the
    last two; so is every one for citing works, for a citation can become known long after both papers.
    """
    able = pool.able(services, query)
    is_linked = query.citing or query.cited_by
    dated = [name for name in able if "since" in registry.service(name).queries and not is_linked]
    others = [name for name in able if name not in dated]
    day = date.fromisoformat(asked[:10]) - timedelta(days=OVERLAP_DAYS)
    found: dict[str, list[Metadata]] = {}
    if dated:
        found |= pool.find(dated, replace(query, since=day.isoformat()), MOST_NEWS, loosely=False)
    for one in pool.reports():
        if one.name in dated and one.total and one.total > MOST_NEWS:
            what = f"added {one.total:,} such works since {day}; only the best {MOST_NEWS:,} were checked"
            emit(Notice(f"{registry.service(one.name).title} {what}. Follow something narrower."))
    if others:
        found |= pool.find(others, query, MOST_NEWS, loosely=False)
        recent = replace(query, first_year=max(query.first_year or 0, day.year - 1))
        if not (query.last_year and query.last_year < day.year - 1) and not query.cited_by:
            late = pool.find(others, recent, MOST_NEWS, loosely=False)
            found |= {f"{name} lately": works for name, works in late.items()}
    most = sum(map(len, found.values()))
    return list(zip(*rank_works(found, most, partial(papers_of, session)), strict=True))
