"""One question from beginning to end: which way it is answered, with which models, and where the answer is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from conspectus.answer import extractive, sql, without_model
from conspectus.answer.agent import answer_by_agent
from conspectus.answer.conversation import Conversations
from conspectus.answer.followup import AS_IT_STANDS, TURNS, standing_alone
from conspectus.answer.online import SearchOnline, answer_with_papers
from conspectus.answer.pipeline import QuestionRun, answer
from conspectus.answer.question_kind import route
from conspectus.answer.quotes import quote_instead
from conspectus.core.errors import (
    BudgetError,
    BusyError,
    LibraryError,
    LibraryReadOnlyError,
    ModelAnswerError,
    NotFoundError,
    ServiceError,
)
from conspectus.evidence.candidates import Tell
from conspectus.llm.call_cache import LibraryCallCache
from conspectus.llm.client import LlmClient, RoleModels
from conspectus.llm.prompts import Prompts
from conspectus.models.languages.registry import LanguageModels
from conspectus.records import Answer, AnswerKind, AskOptions, Filters, QuestionKind, Routing
from conspectus.records.events import Cited, Done, Notice, PassagesFound, Searching, StatementChecked
from conspectus.search.question_flags import WordKnowledge, load_word_knowledge
from conspectus.search.retriever import Retriever
from conspectus.search.router import adapt_settings
from conspectus.search.router import route_question as route_by_rules
from conspectus.settings import NO_MODEL, Settings
from conspectus.store import connection, schema
from conspectus.store.connection import aside, transact, utc_now


@dataclass(frozen=True, slots=True)
class Asker:
    """Answers questions for one library.

    Attributes:
        illustrate: adds the figures that an answer rests on.
        read_figures: has a model read them.
        began: when the question was asked, by `time.monotonic`, from which on the budget counts; None: at `ask`.
        search_online: brings papers from services; None where none may be asked.
    """

    retriever: Retriever
    settings: Settings
    models: LanguageModels
    prompts: Prompts
    conversations: Conversations
    illustrate: Callable[[Answer], Answer]
    read_figures: Callable[[Answer, LlmClient], Awaitable[Answer]]
    began: float | None = None
    search_online: SearchOnline | None = None

    async def ask(self, question: str, filters: Filters, options: AskOptions, tell: Tell) -> Answer:
        """The answer, kept in the library; told on the way are its events, `Done` last.

        Raises:
            UsageError: what is asked for cannot be had without a language model, and there is none; an empty question.
            UnavailableError: figures are to be read, and no model is set that does.
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
        answer_id = await asyncio.to_thread(connection.new_id, self.retriever.catalog, schema.answers, "ans-")
        call_cache = LibraryCallCache(self.retriever.catalog, answer_id)
        client = self._make_client(options, call_cache)
        try:
            if options.read_figures:
                await client.prepare(("vision",), ("figure",))
            if quoting:
                notes += [AS_IT_STANDS] if earlier else []
                new_answer = await self._answer_from_quotes(question, filters, options, tell, notes)
            else:
                new_answer = await self._write_answer(question, filters, options, tell, earlier, client)
            new_answer = await asyncio.to_thread(self.illustrate, replace(new_answer, id=answer_id))
            new_answer = await self.read_figures(new_answer, client) if options.read_figures else new_answer
        finally:
            await call_cache.finish()
        if call_cache.trouble:
            final_answer = replace(
                new_answer, id="", note=f"{new_answer.note} {call_cache.trouble}".strip(), made=utc_now()
            )
        else:
            final_answer = await self._save_answer(new_answer, options, filters)
        if options.conversation and not (final_answer.id and self.conversations.keeps(options.conversation)):
            final_answer = self.conversations.remember(options.conversation, final_answer)
        tell(Done(final_answer))
        return final_answer

    def _make_client(self, options: AskOptions, call_cache: LibraryCallCache) -> LlmClient:
        models, fresh = RoleModels(self.models, options.model), not options.cache
        settings = self.settings
        return LlmClient(
            models, self.prompts, call_cache, settings.language, settings.budget, fresh=fresh, began=self.began
        )

    async def _answer_from_quotes(
        self, question: str, filters: Filters, options: AskOptions, tell: Tell, notes: list[str]
    ) -> Answer:
        retriever = self.retriever
        if options.auto:
            known = partial(load_word_knowledge, self.settings.models.store, retriever.index)
            retriever, note = await asyncio.to_thread(suited_quotes, retriever, question, known)
            notes.append(note)

        async def quote(new_retriever: Retriever | None) -> Answer:
            settings = retriever.settings
            searched = replace(new_retriever, settings=settings) if new_retriever else retriever
            return await asyncio.to_thread(self._quote_passages, searched, question, filters, tell, notes)

        return await answer_with_papers(quote, self.search_online, question, filters, tell, options.online)

    def _quote_passages(
        self, retriever: Retriever, question: str, filters: Filters, tell: Tell, notes: Sequence[str]
    ) -> Answer:
        for note in notes:
            tell(Notice(note))
        tell(Searching(question))
        new_answer = extractive.answer(retriever, question, filters, self.settings.answer)
        tell(
            PassagesFound(
                new_answer.usage.passages, len({c.paper.id for item in new_answer.statements for c in item.citations})
            )
        )
        for statement in new_answer.statements:
            for citation in statement.citations:
                tell(Cited(citation))
            tell(StatementChecked(statement))
        note = " ".join(part for part in (new_answer.note, *notes) if part)
        return replace(new_answer, note=note)

    async def _write_answer(
        self,
        question: str,
        filters: Filters,
        options: AskOptions,
        tell: Tell,
        earlier: Sequence[Answer],
        client: LlmClient,
    ) -> Answer:
        run = QuestionRun(
            self.retriever, client, question, filters, options, self.settings, tell, search_online=self.search_online
        )
        try:
            new_answer = await client.within_budget(_make_answer(run, earlier))
        except BudgetError as error:  # it was over while something else than a model was waited for
            new_answer = run.out_of_time(error)
        standalone = run.question if run.question != question else ""
        unread = tuple(dict.fromkeys((*new_answer.unread, *run.unread)))
        return replace(new_answer, question=question, standalone=standalone, unread=unread)

    async def _save_answer(self, new_answer: Answer, options: AskOptions, filters: Filters) -> Answer:
        """The answer as the library keeps it; where it can only be read, without a name."""
        dated_answer = replace(new_answer, made=utc_now())
        if not (options.conversation and self.conversations.keeps(options.conversation)):
            options = replace(options, conversation="")
        engine = self.retriever.catalog.engine
        shown_ids = {paper_id for step in dated_answer.trace for paper_id in step.papers}
        try:
            keep = partial(sql.save_answer, answer=dated_answer, options=options, papers=shown_ids, filters=filters)
            await asyncio.to_thread(transact, engine, keep, aside)
        except LibraryReadOnlyError:
            return replace(dated_answer, id="")
        except NotFoundError as error:  # the conversation: removed while the answer was being made
            alone = replace(
                dated_answer,
                note=f"{dated_answer.note} It is kept outside of the conversation: {error.message}".strip(),
            )
            return await self._save_answer(alone, replace(options, conversation=""), filters)
        except (LibraryError, ServiceError, BusyError) as error:  # such as a full disk
            return replace(dated_answer, id="", note=f"{dated_answer.note} The answer is not kept: {error}".strip())
        return dated_answer


async def _make_answer(run: QuestionRun, earlier: Sequence[Answer]) -> Answer:
    try:
        if run.options.auto:
            await suit(run)
        await run.prepare()
        run.question = await standing_alone(run, earlier)

        async def write(new_retriever: Retriever | None) -> Answer:
            run.retriever = replace(new_retriever, settings=run.retriever.settings) if new_retriever else run.retriever
            return await (answer_by_agent(run) if run.options.agent else answer(run))

        online = run.options.online
        if online is None and (run.options.agent or run.options.kind == "bibliometric"):
            online = False  # an agent searches itself, and a query for others needs no papers
        return await answer_with_papers(write, run.search_online, run.question, run.filters, run.tell, online)
    except ModelAnswerError as error:
        if run.options.kind == "bibliometric":
            raise  # quotes are something else than the queries asked for
        return await quote_instead(run, error)
    except BudgetError as error:
        return run.out_of_time(error)


KINDS: Mapping[QuestionKind, AnswerKind] = {"single-paper": "single", "consensus": "nuanced", "what-if": "nuanced"}
"""Kinds of answers that suit kinds of questions; of the others the usual one."""


async def suit(run: QuestionRun) -> None:
    """Take what suits the question for one answer; a model tells its kind, and the user is told.

    What was asked for otherwise than usual stays: a kind of answer, an agent, an expansion.

    Raises:
        ServiceError, SettingsError, BudgetError: as `answer.routing.route`.
    """
    await run.client.prepare(("ask",), ["route"])
    routing = await route(run.client, run.question)
    settings, _ = adapt_settings(run.retriever.settings, routing, model=True)
    run.retriever = replace(run.retriever, settings=settings)
    if routing.suggested:
        kind = KINDS.get(routing.kind, "multi") if run.options.kind == "multi" else run.options.kind
        agent = run.options.agent or (routing.suggested.agent and kind != "bibliometric")
        run.options = replace(run.options, kind=kind, agent=agent)
    run.parts = routing.parts
    run.note(describe_routing(routing))


def suited_quotes(retriever: Retriever, question: str, known: Callable[[], WordKnowledge]) -> tuple[Retriever, str]:
    """The same for an answer of quotes, by rules and what is `known` of words, and what the user is told."""
    routing = route_by_rules(question, known())
    settings, note = adapt_settings(retriever.settings, routing, model=False)
    return replace(retriever, settings=settings), " ".join(part for part in (describe_routing(routing), note) if part)


def describe_routing(routing: Routing) -> str:
    """What a question was taken for."""
    return f"Taken as a {routing.kind} question ({routing.reasons[0].partition(': ')[2] or routing.by})."
