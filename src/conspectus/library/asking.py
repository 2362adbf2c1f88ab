"""The verb of `Library` that answers questions."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, TypeVar, Unpack, get_args, overload

import msgspec

from conspectus.errors import UsageError
from conspectus.library.session import OpenLibrary
from conspectus.records import Answer, AnswerKind, AskOptions, Depth, Filters, Use
from conspectus.settings import BudgetSettings, LanguageSettings, Settings

if TYPE_CHECKING:
    from conspectus.answer.asking import Asker, Chosen
    from conspectus.answer.conversation import Conversations
    from conspectus.llm.client import LlmClient
    from conspectus.llm.event_loop import Engine, Job
    from conspectus.llm.prompting import Prompts
    from conspectus.models.languages.names import LanguageModels
    from conspectus.models.protocol import Reranker
    from conspectus.records.events import Event
    from conspectus.search.retrieve import Retriever


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


T = TypeVar("T")


class _once(cached_property[T]):
    """`cached_property` of a library that two threads never make twice; none is made of one that is closed."""

    @overload
    def __get__(self, library: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, library: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, library: Any, owner: type[Any] | None = None) -> Self | T:
        if library is None:
            return self
        with library._making:
            if library._is_closed:
                from conspectus.llm.event_loop import closed

                raise closed()
            made: T = super().__get__(library, owner)
            return made


class Asking(OpenLibrary):
    """The part of `Library` that answers questions."""

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        settings: Settings | Mapping[str, Any] | None = None,
        *,
        create: bool = True,
    ) -> None:
        self._making = threading.RLock()
        self._preparing = threading.Lock()
        self._is_closed = False
        self._rerankers: dict[tuple[str, tuple[LanguageSettings, BudgetSettings] | None], Reranker] = {}
        self._other_models: dict[LanguageSettings, LanguageModels] = {}
        super().__init__(folder, settings, create=create)

    def ask(self, question: str, filters: Filters | None = None, **options: Unpack[AskKeywords]) -> Answer:
        """An answer whose every statement is cited, or the reason why there is none.

        With a language model (`language.model` in the settings, or `model` here) it is written from evidence that the
        model gathers; without one it is made of quoted sentences. `options` are those of `AskOptions`. The answer is
        kept in the library under its `id`.

        Raises:
            UsageError: an empty question, an option that does not exist or needs a model where there is none, or the
                library is closed.
            SettingsError: a model's name that has no known form.
            ServiceError: the model cannot be asked, or gives nothing that can be used. What was read is kept.
        """
        *_, done = self.events(question, filters, **options)
        return _answer_of(done)

    async def aask(self, question: str, filters: Filters | None = None, **options: Unpack[AskKeywords]) -> Answer:
        """`ask`, without blocking the event loop."""
        done: Event | None = None
        async for event in self.stream(question, filters, **options):
            done = event
        return _answer_of(done)

    def events(
        self, question: str, filters: Filters | None = None, **options: Unpack[AskKeywords]
    ) -> Generator[Event, None, None]:
        """`ask` as typed events, as they come (`conspectus.records.events`); `Done` with the answer is the last."""
        return self._engine.events(self._job(question, filters, options))

    async def stream(
        self, question: str, filters: Filters | None = None, **options: Unpack[AskKeywords]
    ) -> AsyncIterator[Event]:
        """`events` for an event loop: `async for event in library.stream(question)`."""
        events = self._engine.aevents(self._job(question, filters, options))
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    def _job(self, question: str, filters: Filters | None, options: AskKeywords) -> Job[Event]:
        from conspectus.search.syntax import asked

        chosen, question = ask_options(options), asked(question)

        async def job(tell: Any) -> None:
            asker = await asyncio.to_thread(self._asker, chosen.use)  # it may have to bring the index up to date
            await asker.ask(question, filters or Filters(), chosen, tell)

        return job

    def _asker(self, use: Use | Literal[""] = "") -> Asker:
        from conspectus.answer.asking import Asker

        return Asker(self._retriever(use=use), self.settings, self._language_models, self._prompts, self._conversations)

    def close(self) -> None:
        """Give everything back; closing again does nothing. What is being asked ends, and what was paid is kept."""
        with self._making:
            self._is_closed = True
            engine: Engine | None = self.__dict__.get("_engine")
            own: LanguageModels | None = self.__dict__.get("_language_models")
            models = [*([own] if own else []), *self._other_models.values()]

        async def close_models() -> None:
            for made in models:
                await made.close()

        try:
            if engine:
                engine.close(close_models)
        finally:
            super().close()

    @_once
    def _engine(self) -> Engine:
        from conspectus.llm.event_loop import Engine

        return Engine()

    @_once
    def _language_models(self) -> LanguageModels:
        from conspectus.models.languages.names import LanguageModels

        return LanguageModels(self.settings.language)

    @_once
    def _prompts(self) -> Prompts:
        from conspectus.llm.prompting import Prompts

        return Prompts(self.folder, own=self._standing.trusted)

    @_once
    def _conversations(self) -> Conversations:
        from conspectus.answer.conversation import Conversations

        return Conversations(self._catalog)

    def _retriever(
        self,
        settings: Settings | None = None,
        use: Use | Literal[""] = "",
        prefer: Sequence[str] = (),
        *,
        reranked: bool = True,
    ) -> Retriever:
        """What searches the library.

        Args:
            settings: instead of the library's.
            use: instead of the setting `search.use`.
            prefer: keywords that papers are preferred for.
            reranked: False: for what ranks nothing; the reranker that is set need not be there.

        Raises:
            UsageError: a `use` that there is not.
        """
        from conspectus.ingest.sync import catch_up, is_synced
        from conspectus.search.balance import WEIGHED
        from conspectus.search.retrieve import Retriever
        from conspectus.search.vocabulary import everyday

        if use and use not in get_args(Use):
            raise UsageError(f"What is searched cannot be '{use}'.", f"`use` is one of {', '.join(get_args(Use))}.")
        note = ""
        with self._preparing:  # two threads would open the index twice, and one of them find it being written
            self._check_model()
            if not is_synced(self._catalog, self._index, self._embedder.id):
                note = catch_up(self._catalog, self._index, self._embedder.id, self.folder)
        settings = settings or self.settings
        weighed = settings.search.by_query and not any(f"search.{name}" in settings.origins for name in WEIGHED)
        own = replace(settings.search, use=use or settings.search.use, by_query=weighed)
        reranker = self._reranker(settings) if reranked else None
        return Retriever(
            *(self._catalog, self._index, self._embedder, own, note, tuple(prefer)),
            reranker=reranker,
            everyday=partial(everyday, settings.models.store),
        )

    def _reranker(self, settings: Settings) -> Reranker | None:
        """The reranker that is set, made once; None: late interaction, or none."""
        from conspectus.models.rerankers import names

        name = settings.search.reranker
        kind = names.parse(name).kind
        if kind in (names.LATE, names.NONE):
            return None
        with self._making:
            key = (name, (settings.language, settings.budget) if kind == names.JUDGE else None)
            if key not in self._rerankers:
                made = self._judge(settings) if kind == names.JUDGE else names.reranker(name, settings.models)
                self._rerankers[key] = made
            return self._rerankers[key]

    def _judge(self, settings: Settings) -> Reranker:
        from conspectus.answer.reranking import judge_reranker

        return judge_reranker(self._engine, self._chosen(settings), self._prompts, self._catalog, settings)

    def _keeping(
        self, settings: Settings, model: str = "", *, fresh: bool = False
    ) -> AbstractAsyncContextManager[LlmClient]:
        """What asks language models for other things than answers; see `llm.call_cache.keeping`."""
        from conspectus.llm.call_cache import keeping

        return keeping(self._catalog, self._chosen(settings, model), self._prompts, settings, fresh=fresh)

    def _chosen(self, settings: Settings, model: str = "") -> Chosen:
        """The language models of these settings, or `model` for all roles."""
        from conspectus.answer.asking import Chosen

        return Chosen(self._models_of(settings.language), model)

    def _models_of(self, settings: LanguageSettings) -> LanguageModels:
        """The language models of these settings, made once."""
        from conspectus.models.languages.names import LanguageModels

        if settings == self.settings.language:
            return self._language_models
        with self._making:
            return self._other_models.setdefault(settings, LanguageModels(settings))


def ask_options(given: AskKeywords) -> AskOptions:
    """Options that are there, of the right types.

    Raises:
        UsageError: one that is not there, or has a value that it cannot have.
    """
    unknown = [name for name in given if name not in AskOptions.__slots__]
    if unknown:
        import difflib

        near = difflib.get_close_matches(unknown[0], AskOptions.__slots__, n=1)
        hint = f"Did you mean '{near[0]}'?" if near else f"There are: {', '.join(AskOptions.__slots__)}."
        raise UsageError(f"`ask` has no option '{unknown[0]}'.", hint)
    try:
        return msgspec.convert(dict(given), AskOptions)
    except msgspec.ValidationError as error:
        raise UsageError(f"An option of `ask` cannot have this value: {error}.", "See `AskOptions`.") from error


def _answer_of(event: Event | None) -> Answer:
    from conspectus.records.events import Done

    assert isinstance(event, Done)
    return event.answer
