"""How far a library's papers agree on a claim (F10)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal, get_args

from conspectus.core.job_context import Notice, listen
from conspectus.library.retrieving import retriever_of
from conspectus.library.session import Session
from conspectus.records import Consensus, Filters, Use
from conspectus.records.events import Concluded, Event


def consensus(  # noqa: PLR0913 - its options are those of a search
    session: Session,
    question: str,
    k: int | None = None,
    filters: Filters | None = None,
    *,
    claim: str = "",
    model: str = "",
    use: Use | Literal[""] = "",
    cache: bool = True,
    tell: Callable[[Event], None] | None = None,
) -> Consensus:
    """How far the k papers found agree with what is asked, made a claim.

    A language model says of each paper, read alone, whether it supports or opposes the claim, and by which of its
    sentences; these are quoted. The level follows from the stances by a rule (docs/consensus.md). What models said
    is kept; the settings `budget.*` hold.

    Args:
        question: what is asked; a question is made a claim by a model.
        k: how many papers are judged, at most; None: the setting `consensus.papers`.
        filters: which papers.
        claim: the claim itself; then no model restates the question.
        model: instead of those for the roles `ask` and `judge`.
        use: as for `search`.
        cache: False: the model is asked also what it has answered before.
        tell: told typed events as they come (`conspectus.records.events`), `Concluded` last; in the calling thread.

    Raises:
        UnavailableError: no language model is set: nothing is guessed without.
        UsageError: an empty question, or k below 1.
        ServiceError: the model cannot be asked, or could judge no paper.
    """
    from conspectus.consensus.survey import Survey, require_models
    from conspectus.search.syntax import asked

    settings = session.settings
    question, claim = asked(question), asked(claim)
    require_models(settings, model)
    count = settings.consensus.papers if k is None else k

    async def job(put: Callable[[Event], None]) -> None:
        with listen(put, Notice, alone=True):
            found = await asyncio.to_thread(retriever_of, session, use)  # it may bring the index up to date
            async with session.client(model, fresh=not cache) as client:
                await Survey(found, client, question, count, filters or Filters(), settings, put, claim).run()

    made: Consensus | None = None
    with listen(tell, *get_args(Event)):
        for event in session.loop.events(job):
            if isinstance(event, Concluded):
                made = event.consensus
    assert made
    return made
