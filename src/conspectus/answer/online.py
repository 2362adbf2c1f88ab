"""Papers brought from services on the internet while a question is answered (P1): found, added, and then read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from conspectus.answer.out_of_scope import declined
from conspectus.core.errors import BusyError, LibraryError, ServiceError, UsageError
from conspectus.core.text import pluralize
from conspectus.evidence.candidates import Tell
from conspectus.records import Answer, Filters, Paper
from conspectus.records.events import Notice, Searching
from conspectus.search.retriever import Retriever
from conspectus.services.query_words import keywords_of


@dataclass(frozen=True, slots=True)
class OnlineRound:
    """What a search online brought.

    Attributes:
        retriever: finds what was added, too; None where nothing could be searched.
        brought: papers that are new to the library, or have a text now that they had not.
        work_count: how many works were found in all.
        unread: full texts that could not be read, a sentence each.
        troubles: what went wrong with services.
    """

    retriever: Retriever | None
    brought: tuple[Paper, ...]
    work_count: int
    unread: tuple[str, ...] = ()
    troubles: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What the user is told."""
        if self.retriever is None:
            return " ".join(("Nothing was searched online.", *self.troubles))
        read = sum(paper.has_full_text for paper in self.brought)
        new = f"{pluralize(len(self.brought), 'paper')} added, {read} with full text"
        return " ".join([f"Searched online: {pluralize(self.work_count, 'work')} found, {new}.", *self.troubles])


SearchOnline = Callable[[str, Sequence[str], Filters], OnlineRound]
"""Searches for a question by each of the texts, and adds what it finds that passes the filters. It blocks."""


async def answer_with_papers(
    make: Callable[[Retriever | None], Awaitable[Answer]],
    search: SearchOnline | None,
    question: str,
    filters: Filters,
    tell: Tell,
    online: bool | None,
) -> Answer:
    """An answer, and a note on the papers that were brought for it.

    Args:
        make: answers with what a retriever finds; None: that of the library as it was.
        search: None where services may not be asked.
        question: gives the keywords. What no paper can answer is not searched for.
        filters: hold online, too.
        tell: is told of searches.
        online: True: papers are brought first; None: only if there is no answer without; False: never.
    """
    may_search = search is not None and online is not False and not declined(question)
    brought = await _bring(search, question, filters, tell) if search and may_search and online else None
    answer = await make(brought.retriever if brought else None)
    if search and may_search and not brought and not answer.answered:
        brought = await _bring(search, question, filters, tell)
        if brought.brought:
            answer = await make(brought.retriever)
    if brought is None:
        return answer
    return replace(answer, note=f"{answer.note} {brought.note}".strip(), unread=(*answer.unread, *brought.unread))


async def _bring(search: SearchOnline, question: str, filters: Filters, tell: Tell) -> OnlineRound:
    queries = keywords_of(question)
    for query in queries:
        tell(Searching(f"online: {query}"))
    try:
        online_round = await asyncio.to_thread(search, question, queries, filters)
    except (UsageError, ServiceError, BusyError, LibraryError) as error:
        online_round = OnlineRound(None, (), 0, (), (error.message,))
    tell(Notice(online_round.note))
    return online_round
