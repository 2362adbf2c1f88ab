"""How far a library's papers agree on a claim (F10)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from conspectus.core.listening import Told, hearing
from conspectus.library.retrieving import Wanted, retriever_of
from conspectus.library.session import Session
from conspectus.records import Consensus

if TYPE_CHECKING:
    from conspectus.records.events import Event


def consensus(
    session: Session,
    question: str,
    wanted: Wanted,
    claim: str,
    model: str,
    *,
    cache: bool,
) -> Consensus:
    """See `Library.consensus`."""
    from conspectus.consensus.survey import Survey, require_models
    from conspectus.records.events import Concluded
    from conspectus.search.syntax import asked

    settings = session.settings
    question, claim = asked(question), asked(claim)
    require_models(settings, model)
    count = settings.consensus.papers if wanted.k is None else wanted.k

    async def job(put: Callable[[Event], None]) -> None:
        with hearing(put, Told, alone=True):
            found = await asyncio.to_thread(retriever_of, session, wanted.use)  # it may bring the index up to date
            async with session.client(model, fresh=not cache) as client:
                await Survey(found, client, question, count, wanted.filters, settings, put, claim).run()

    made: Consensus | None = None
    for event in session.loop.events(job):
        if isinstance(event, Concluded):
            made = event.consensus
    assert made
    return made
