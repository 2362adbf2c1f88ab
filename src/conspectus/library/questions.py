"""Asking questions: what is run in the event loop, and the options."""

from __future__ import annotations

import asyncio
import os
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import msgspec

from conspectus.answer.conversation import open_conversations
from conspectus.core.errors import UsageError
from conspectus.core.job_context import Notice, listen
from conspectus.papers.retriever import make_retriever
from conspectus.records import Answer, AnswerKind, AskOptions, Depth, Filters, Use
from conspectus.records.answer import Preferred, Weighting
from conspectus.records.events import Done
from conspectus.session.session import Session
from conspectus.settings.user_folders import recall, remember

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conspectus.answer.asker import Asker
    from conspectus.answer.online import SearchOnline
    from conspectus.llm.event_loop import Job
    from conspectus.records.events import Event

_ASKED = "asked"
"""The kind of record of models that were named in questions, in the state folder."""


class AskKeywords(TypedDict, total=False):
    """`AskOptions` as keywords."""

    model: str
    kind: AnswerKind
    level: str
    language: str
    depth: Depth
    agent: bool
    strict: bool
    background: bool
    second_opinion: str
    conversation: str
    cache: bool
    use: Use | Literal[""]
    auto: bool
    weight: tuple[Preferred, ...]
    weighting: Weighting | Literal[""]
    read_figures: bool
    online: bool | None


def job(session: Session, question: str, filters: Filters | None, options: AskKeywords) -> Job[Event]:
    """What answers a question, for the event loop. Raises as `Library.ask`."""
    from conspectus.search.query_syntax import check_query

    began = time.monotonic()
    question_options, question = ask_options(options), check_query(question)
    session = session.with_settings(_of_a_question(question_options))
    _remember_models(session, question_options)

    async def run(tell: Any) -> None:
        with listen(tell, Notice, alone=True):
            asker = await asyncio.to_thread(
                asker_of, session, question_options.use, began, question_options.online
            )  # it may have to bring the index up to date
            await asker.ask(question, filters or Filters(), question_options, tell)

    return run


def used_models(session: Session) -> set[str]:
    """The language models that this user has named in questions to the library."""
    models = recall(_ASKED, os.path.realpath(session.folder)).get("models")
    return set(map(str, models)) if isinstance(models, list) else set()


def _remember_models(session: Session, options: AskOptions) -> None:
    known = used_models(session)
    if new := {options.model, options.second_opinion} - {"", *known}:
        remember(_ASKED, os.path.realpath(session.folder), {"models": sorted({*known, *new})})


def _of_a_question(question_options: AskOptions) -> dict[str, Any]:
    """The settings that hold for one question alone."""
    values: dict[str, Any] = {f"search.{name}": True for name in question_options.weight}
    return {**values, "search.weighting": question_options.weighting} if question_options.weighting else values


def asker_of(
    session: Session, use: Use | Literal[""] = "", began: float | None = None, online: bool | None = False
) -> Asker:
    """What answers questions; `use` as for `search`, `began` as for `Asker`, `online` as of `AskOptions`."""
    from conspectus.answer.asker import Asker
    from conspectus.figures.answer_figures import add_cited_figures, read_figures

    retriever = make_retriever(session, use)
    figure_readers = partial(add_cited_figures, session), partial(read_figures, session)
    search = _online_search(session, use) if (session.settings.sources.online if online is None else online) else None
    talks = open_conversations(session)
    return Asker(retriever, session.settings, session.models, session.prompts, talks, *figure_readers, began, search)


def _online_search(session: Session, use: Use | Literal[""]) -> SearchOnline:
    from conspectus.answer.online import OnlineRound
    from conspectus.library.paper_changes import add
    from conspectus.sources.question_search import bring_papers

    def search(question: str, queries: Sequence[str], filters: Filters) -> OnlineRound:
        outcome = bring_papers(session, question, queries, filters, partial(add, session))
        return OnlineRound(
            make_retriever(session, use), outcome.papers, outcome.found, outcome.unread, outcome.troubles
        )

    return search


def ask_options(keywords: AskKeywords) -> AskOptions:
    """Options that are there, of the right types.

    Raises:
        UsageError: one that is not there, or has a value that it cannot have.
    """
    unknown = [name for name in keywords if name not in AskOptions.__slots__]
    if unknown:
        import difflib

        near = difflib.get_close_matches(unknown[0], AskOptions.__slots__, n=1)
        hint = f"Did you mean '{near[0]}'?" if near else f"There are: {', '.join(AskOptions.__slots__)}."
        raise UsageError(f"`ask` has no option '{unknown[0]}'.", hint)
    try:
        return msgspec.convert(dict(keywords), AskOptions)
    except msgspec.ValidationError as error:
        raise UsageError(f"An option of `ask` cannot have this value: {error}.", "See `AskOptions`.") from error


def answer_of(event: Event | None) -> Answer:
    """The answer that the last event brings."""
    assert isinstance(event, Done)
    return event.answer
