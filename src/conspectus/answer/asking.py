"""One question from beginning to end: which way it is answered, with which models, and where the answer is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from conspectus.answer import extractive, without_model
from conspectus.answer.agent import answer_by_agent
from conspectus.answer.conversation import Conversations
from conspectus.answer.followup import AS_IT_STANDS, TURNS, standing_alone
from conspectus.answer.pipeline import Run, answer
from conspectus.answer.suiting import suit, suited_quotes
from conspectus.catalog import answers
from conspectus.catalog.engine import aside, transact
from conspectus.core.errors import (
    BudgetError,
    BusyError,
    LibraryError,
    LibraryReadOnlyError,
    NotFoundError,
    ServiceError,
    UnavailableError,
)
from conspectus.evidence.gather import Tell
from conspectus.llm.call_cache import LibraryCallCache
from conspectus.llm.client import LlmClient
from conspectus.llm.prompting import Prompts
from conspectus.models.entailment import OnnxEntailment
from conspectus.models.language import LanguageModel
from conspectus.models.languages.names import LanguageModels
from conspectus.records import Answer, AskOptions, Filters
from conspectus.records.events import Cited, Done, Found, Searching, Stated, Told
from conspectus.search.retrieve import Retriever
from conspectus.search.vocabulary import word_knowledge
from conspectus.settings import NO_MODEL, Role, Settings


@dataclass(frozen=True, slots=True)
class Chosen:
    """The models of an answer: those of the settings, or one for all roles."""

    models: LanguageModels
    name: str = ""

    def of(self, role: Role) -> LanguageModel:
        """The model for a role."""
        found = self.models.named(self.name) if self.name else self.models.of(role)
        if found is None:
            raise UnavailableError(
                f"There is no language model for the role '{role}'.",
                f"Set language.{role}, or language.model for all roles (or `model=NAME`).",
            )
        return found

    def named(self, name: str) -> LanguageModel:
        """The model of this name."""
        return self.models.named(name)

    def entailment(self) -> OnnxEntailment | None:
        """The model of entailment that judges statements, whatever model has the roles."""
        return self.models.entailment()


@dataclass(frozen=True, slots=True)
class Asker:
    """Answers questions for one library; `illustrate` tells the figures of an answer that is kept."""

    retriever: Retriever
    settings: Settings
    models: LanguageModels
    prompts: Prompts
    conversations: Conversations
    illustrate: Callable[[Answer], Answer]

    async def ask(self, question: str, filters: Filters, options: AskOptions, tell: Tell) -> Answer:
        """The answer, kept in the library; told on the way are its events, `Done` last.

        Raises:
            UsageError: what is asked for cannot be had without a language model, and there is none; an empty question.
        """
        earlier: tuple[Answer, ...] = ()
        name = options.model or self.settings.language.of("write")
        quoting = not name or name == NO_MODEL
        expanding = self.settings.search.expand in ("hyde", "rephrase")
        notes = without_model.notes(options, self.settings.language, expanding=expanding) if quoting else []
        if options.conversation:
            talk = await asyncio.to_thread(self.conversations.find, options.conversation)
            options = replace(options, conversation=talk.id)
            earlier = await asyncio.to_thread(self.conversations.turns, options.conversation, TURNS)
        if quoting:
            notes += [AS_IT_STANDS] if earlier else []
            retriever = self.retriever
            if options.auto:
                known = partial(word_knowledge, self.settings.models.store, retriever.index)
                retriever, note = await asyncio.to_thread(suited_quotes, retriever, question, known)
                notes.append(note)
            quoted = await asyncio.to_thread(self._quoted, retriever, question, filters, tell, notes)
            found = await self._kept(quoted, options, filters)
        else:
            found = await self._written(question, filters, options, tell, earlier)
        if options.conversation and not (found.id and self.conversations.keeps(options.conversation)):
            found = self.conversations.remember(options.conversation, found)
        found = await asyncio.to_thread(self.illustrate, found)
        tell(Done(found))
        return found

    def _quoted(
        self, retriever: Retriever, question: str, filters: Filters, tell: Tell, notes: Sequence[str]
    ) -> Answer:
        for note in notes:
            tell(Told(note))
        tell(Searching(question))
        found = extractive.answer(retriever, question, filters, self.settings.answer)
        tell(Found(found.usage.passages, len({c.paper.id for item in found.statements for c in item.citations})))
        for statement in found.statements:
            for citation in statement.citations:
                tell(Cited(citation))
            tell(Stated(statement))
        note = " ".join(part for part in (found.note, *notes) if part)
        return replace(found, id=answers.new_id(self.retriever.catalog), note=note)

    async def _written(
        self, question: str, filters: Filters, options: AskOptions, tell: Tell, earlier: Sequence[Answer]
    ) -> Answer:
        self.models.warm()
        answer_id = await asyncio.to_thread(answers.new_id, self.retriever.catalog)
        call_cache = LibraryCallCache(self.retriever.catalog, answer_id)
        models, fresh = Chosen(self.models, options.model), not options.cache
        client = LlmClient(models, self.prompts, call_cache, self.settings.language, self.settings.budget, fresh=fresh)
        run = Run(self.retriever, client, question, filters, options, self.settings, tell)
        try:
            made = await _made(run, earlier)
            alone = run.question
            found = replace(made, id=answer_id, question=question, standalone=alone if alone != question else "")
        finally:
            await call_cache.finish()
        if call_cache.trouble:
            return replace(found, id="", note=f"{found.note} {call_cache.trouble}".strip(), made=answers.now())
        return await self._kept(found, options, filters)

    async def _kept(self, found: Answer, options: AskOptions, filters: Filters) -> Answer:
        """The answer as the library keeps it; where it can only be read, without a name."""
        made = replace(found, made=answers.now())
        if not (options.conversation and self.conversations.keeps(options.conversation)):
            options = replace(options, conversation="")
        engine = self.retriever.catalog.engine
        shown = {paper_id for step in made.trace for paper_id in step.papers}
        try:
            keep = partial(answers.save, answer=made, options=options, papers=shown, filters=filters)
            await asyncio.to_thread(transact, engine, keep, aside)
        except LibraryReadOnlyError:
            return replace(made, id="")
        except NotFoundError as error:  # the conversation: removed while the answer was being made
            alone = replace(made, note=f"{made.note} It is kept outside of the conversation: {error.message}".strip())
            return await self._kept(alone, replace(options, conversation=""), filters)
        except (LibraryError, ServiceError, BusyError) as error:  # such as a full disk
            return replace(made, id="", note=f"{made.note} The answer is not kept: {error}".strip())
        return made


async def _made(run: Run, earlier: Sequence[Answer]) -> Answer:
    try:
        if run.options.auto:
            await suit(run)
        await run.prepare()
        run.question = await standing_alone(run, earlier)
        return await (answer_by_agent(run) if run.options.agent else answer(run))
    except BudgetError as error:  # before anything was read
        return run.none(f"{error.message} Nothing was read. {error.hint}")
