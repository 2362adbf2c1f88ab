"""What kind of question is asked (F9)."""

from __future__ import annotations

from collections.abc import Callable

from conspectus.library.session import Session
from conspectus.records import Routing
from conspectus.settings import NO_MODEL


def route(session: Session, question: str, model: str = "", *, cache: bool = True) -> Routing:
    """See `Library.route`."""
    from conspectus.search.syntax import asked

    question = asked(question)
    name = model or session.settings.language.of("ask")
    if name and name != NO_MODEL:
        return _by_model(session, question, model, cache)
    return by_rules(session, question)


def by_rules(session: Session, question: str) -> Routing:
    """What rules for English tell, whatever model there is."""
    from conspectus.search.route import route
    from conspectus.search.vocabulary import word_knowledge

    return route(question, word_knowledge(session.settings.models.store, session.own_index()))


def _by_model(session: Session, question: str, model: str, cache: bool) -> Routing:
    from conspectus.answer.routing import route

    async def job(tell: Callable[[Routing], None]) -> None:
        async with session.client(model, fresh=not cache) as client:
            tell(await route(client, question))

    (found,) = session.loop.events(job)
    return found
