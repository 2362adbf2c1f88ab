"""Papers for a question: found by several sets of keywords, added with their open texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from conspectus.records import AddReport, Metadata, Paper
from conspectus.services.pool import DEFAULT_SEARCH, ServicePool
from conspectus.services.protocol import WorkQuery
from conspectus.session.session import Session
from conspectus.sources.found_works import rank_works, same_works
from conspectus.sources.online_folder import record_key
from conspectus.sources.online_works import Works, fetch_full_texts, keep_records, papers_of

_EACH = 20
"""Works that one search of one service gives."""
_BROUGHT = 10
"""Works that are added for one question at one time."""


@dataclass(frozen=True, slots=True)
class BroughtPapers:
    """Papers that were brought; see `answer.online.OnlineRound`."""

    papers: tuple[Paper, ...]
    found: int
    unread: tuple[str, ...]
    troubles: tuple[str, ...]


def bring_papers(
    session: Session,
    queries: Sequence[str],
    first: int | None,
    last: int | None,
    add: Callable[[list[Path]], AddReport],
) -> BroughtPapers:
    """Find works by each query, add the best of all, and fetch their open texts.

    Args:
        session: the open library.
        queries: sets of keywords; the first is the question, which marks what it brings.
        first, last: years of publication.
        add: adds files.
    """
    pool = ServicePool(session.settings.sources)
    found: dict[str, list[Metadata]] = {}
    for query in queries:
        asked = WorkQuery(words=query, first_year=first, last_year=last, any_word=True)
        found |= {f"{name} {query}": works for name, works in pool.find(DEFAULT_SEARCH, asked, _EACH).items()}
    ranked, works = rank_works(found, _BROUGHT, partial(papers_of, session))
    total = len(same_works([work for own in found.values() for work in own]))
    fetched = fetch_full_texts(session, pool, works)
    new: Works = [
        own
        for work, own in zip(ranked, works, strict=True)
        if not work.in_library or any(record_key(one) in fetched.files for one in own)
    ]
    paths = keep_records(session, new, queries[0], fetched.files)
    if paths:
        add(paths)
    papers = [session.paper(name) for name in dict.fromkeys(papers_of(session, new)) if name]
    troubles = tuple(report.note for report in pool.reports() if report.note)
    return BroughtPapers(tuple(papers), total, tuple(fetched.unread), troubles)
