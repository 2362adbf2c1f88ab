"""The verb of `Library` that tells what kind of question is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from conspectus.library.asking import Asking
from conspectus.records import Routing
from conspectus.settings import NO_MODEL

if TYPE_CHECKING:
    from conspectus.settings import Settings


class RoutingQuestions(Asking):
    """The part of `Library` that routes questions."""

    def route(self, question: str, *, model: str = "", cache: bool = True) -> Routing:
        """What kind of question it is, what is special about it, and which settings suit it (F9).

        With a language model (`language.ask` or `language.model` in the settings, or `model` here) the model tells;
        without one, or with `model="none"`, it is told by rules for English.

        Args:
            question: as it would be asked.
            model: instead of the one for the role `ask`.
            cache: False: the model is asked also what it has answered before.

        Raises:
            UsageError: the question is empty, or the library is closed.
            SettingsError: a model's name that has no known form.
            ServiceError: the model cannot be asked, or gives nothing that can be used.
        """
        from conspectus.search.syntax import asked

        return self._route(asked(question), self.settings, model, cache=cache)

    def _route(self, question: str, settings: Settings, model: str = "", *, cache: bool = True) -> Routing:
        name = model or settings.language.of("ask")
        if name and name != NO_MODEL:
            return self._route_by_model(question, settings, model, cache)
        return self._route_by_rules(question)

    def _route_by_rules(self, question: str) -> Routing:
        from conspectus.search.route import route
        from conspectus.search.vocabulary import word_knowledge

        return route(question, word_knowledge(self.settings.models.store, self._own_index()))

    def _route_by_model(self, question: str, settings: Settings, model: str, cache: bool) -> Routing:
        from conspectus.answer.routing import route

        async def job(tell: Callable[[Routing], None]) -> None:
            async with self._keeping(settings, model, fresh=not cache) as client:
                tell(await route(client, question))

        (found,) = self._engine.events(job)
        return found
