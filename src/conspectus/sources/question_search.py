"""Papers for a question: found by several sets of keywords, added with their open texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from conspectus.core.errors import UsageError
from conspectus.records import AddReport, Filters, Metadata, Paper
from conspectus.records.filters import facet_terms
from conspectus.services.pool import DEFAULT_SEARCH, ServicePool
from conspectus.services.protocol import WorkQuery
from conspectus.session.session import Session
from conspectus.sources.online_folder import record_key
from conspectus.sources.online_works import FullTexts, Works, fetch_full_texts, keep_records, papers_of, rank_works

_EACH = 20
"""Works that one search of one service gives."""
_BROUGHT = 10
"""Works that are added for one question at one time."""
_MOST_NAMES = 3
"""Authors, or venues, of a filter that are asked for one by one; of more, works are chosen when they have come."""
_OF_LIBRARY = ("tag", "collection", "among")
"""Filters that name papers which the library has."""


@dataclass(frozen=True, slots=True)
class BroughtPapers:
    """Papers that were brought; see `answer.online.OnlineRound`."""

    papers: tuple[Paper, ...]
    found: int
    unread: tuple[str, ...]
    troubles: tuple[str, ...]


def bring_papers(
    session: Session,
    question: str,
    queries: Sequence[str],
    filters: Filters,
    add: Callable[[list[Path]], AddReport],
) -> BroughtPapers:
    """Find works by each query, add the best of all that pass the filters, and fetch their open texts.

    Args:
        session: the open library.
        question: marks what is brought.
        queries: sets of keywords.
        filters: the user's.
        add: adds files.

    Raises:
        UsageError: no paper that is found can pass the filters.
    """
    for name in _OF_LIBRARY:
        if getattr(filters, name):
            raise UsageError(
                f"The filter `{name}` names papers of the library, and papers found online cannot pass it.",
                "Ask without this filter.",
            )
    patience = session.settings.sources.patience
    pool = ServicePool(session.settings.sources)
    searches = [search for words in queries for search in _searches(words, filters)]
    works_of = pool.find_within(DEFAULT_SEARCH, searches, _EACH, patience)
    lists = {str(number): works for number, works in enumerate(works_of)}
    pairs = list(zip(*rank_works(lists, sum(map(len, works_of)), partial(papers_of, session)), strict=True))
    passing = [(work, records) for work, records in pairs if _passes(work.paper, filters)]
    works: Works = [records for _, records in passing[:_BROUGHT]]
    no_texts = filters.full_text is False
    fetched = FullTexts() if no_texts else fetch_full_texts(session, pool, works, patience)
    new: Works = [
        records
        for work, records in passing[:_BROUGHT]
        if any(record_key(record) in fetched.files for record in records) or not (work.in_library or filters.full_text)
    ]
    paths = keep_records(session, new, question, fetched.files)
    if paths:
        add(paths)
    papers = [session.paper(name) for name in dict.fromkeys(papers_of(session, new)) if name]
    troubles = tuple(report.note for report in pool.reports() if report.note)
    return BroughtPapers(tuple(papers), len(passing), tuple(fetched.unread), troubles)


def _searches(words: str, filters: Filters) -> Iterator[WorkQuery]:
    """The searches for words within filters: one for each author and venue."""
    first, last = filters.year or (None, None)
    text = " ".join((words, *filters.keyword[:_MOST_NAMES]))
    for author in _names(filters.author):
        for venue in _names(filters.venue):
            yield WorkQuery(words=text, first_year=first, last_year=last, author=author, venue=venue, any_word=True)


def _names(names: Sequence[str]) -> Sequence[str]:
    return names if 0 < len(names) <= _MOST_NAMES else ("",)


def _passes(work: Metadata, filters: Filters) -> bool:
    """Whether a work passes filters, as far as services tell: they find by spellings and dates of their own."""
    if filters.year:
        first, last = filters.year
        if work.year is None or not (first or 0) <= work.year <= (last or 9999):
            return False
    terms = facet_terms(work)
    if any((required := filters.terms(name)) and not {*required} & {*terms[name]} for name in ("venue", "author")):
        return False
    language = str(work.extra.get("language") or "").lower()
    is_code = len(language) == len("en")
    return not (filters.language and is_code and language not in filters.terms("language"))
