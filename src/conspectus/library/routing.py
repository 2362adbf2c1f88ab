"""What kind of question is asked (F9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from conspectus.core.errors import BudgetError, SettingsError, UnavailableError
from conspectus.core.retry import once_only
from conspectus.records import Routing
from conspectus.session.session import Session
from conspectus.settings import NO_MODEL


def route(session: Session, question: str, *, model: str = "", cache: bool = True) -> Routing:
    """What kind of question it is, what is special about it, and which settings suit it (F9).

    With a language model (`language.ask` or `language.model` in the settings, or `model` here) the model tells;
    without one, or with `model="none"`, a small model tells that knows English only. So it does, at once and with a
    note, where the model of the settings cannot be asked: what it says is a suggestion.

    Args:
        question: as it would be asked.
        model: instead of the one for the role `ask`.
        cache: False: the model is asked also what it has answered before.

    Raises:
        UsageError: the question is empty, or the library is closed.
        SettingsError: a model's name that has no known form.
        ServiceError: `model` cannot be asked, or gives nothing that can be used.
    """
    from conspectus.search.syntax import asked

    question = asked(question)
    name = model or session.settings.language.of("ask")
    if not name or name == NO_MODEL:
        return by_rules(session, question)
    if model:
        return _by_model(session, question, model, cache)
    token = once_only.set(True)
    try:
        return _by_model(session, question, "", cache)
    except (UnavailableError, BudgetError, SettingsError) as error:
        note = f"The language model that is set cannot be asked, so the rules tell: {error.message}"
        return replace(by_rules(session, question), note=note)
    finally:
        once_only.reset(token)


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
