"""Answers to many questions, several at a time, with the calls of language models that each took."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, get_args

from conspectus.answer import extractive
from conspectus.answer.pipeline import QuestionRun, from_evidence
from conspectus.answer.pipeline import answer as answer_run
from conspectus.core.errors import BudgetError, ModelAnswerError, UnavailableError
from conspectus.core.job_context import emit
from conspectus.evaluation.configurations import AnswerConfig
from conspectus.evidence.candidates import candidates, search
from conspectus.evidence.gather import Gathering, phrasings
from conspectus.library import Library
from conspectus.library.questions import asker_of
from conspectus.llm.budget import CallUsage, count_calls
from conspectus.llm.call_cache import LibraryCallCache
from conspectus.llm.client import LlmClient, RoleModels
from conspectus.papers.retriever import make_retriever
from conspectus.records import Answer, Evidence, Filters
from conspectus.records.events import Event, Progress
from conspectus.records.models import Role
from conspectus.settings import LanguageSettings

Q = TypeVar("Q")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class QuestionOutcome(Generic[T]):
    """The outcome of one question.

    Attributes:
        value: what was made of it; None where nothing could be.
        trouble: why, where a model gave nothing usable or the budget of the question was used up.
        spent: the calls of language models that it took.
    """

    value: T | None
    trouble: str = ""
    spent: tuple[CallUsage, ...] = ()
    seconds: float = 0.0


def ask_each(
    library: Library,
    questions: Sequence[Q],
    make: Callable[[Q, LlmClient], Awaitable[T]],
    stage: str,
    *,
    together: bool = False,
) -> list[QuestionOutcome[T]]:
    """Call `make` for each question, several at a time if a model is asked; outcomes are in the questions' order.

    Each has a caller of its own, so that the settings `budget.*` hold for each; `together`: for all. Calls are kept in
    the library. What cannot be used of one question is its trouble; a model that cannot be asked at all ends the run.

    Raises:
        ServiceError: a model cannot be asked. What was said until then is kept.
    """
    call_cache = LibraryCallCache(library.session.catalog, "")
    settings = library.settings
    models = RoleModels(library.session.models)
    at_once = settings.language.concurrency if any(map(settings.language.of, get_args(Role))) else 1
    outcomes: dict[int, QuestionOutcome[T]] = {}

    def caller() -> LlmClient:
        return LlmClient(models, library.session.prompts, call_cache, settings.language, settings.budget)

    shared = caller() if together else None

    async def run_question(
        place: int, turns: asyncio.Semaphore, emit: Callable[[tuple[int, QuestionOutcome[T]]], None]
    ) -> None:
        async with turns:
            began = time.perf_counter()
            value, trouble = None, ""
            with count_calls() as spent:
                try:
                    value = await make(questions[place], shared or caller())
                except (ModelAnswerError, BudgetError) as error:
                    trouble = error.message
            emit((place, QuestionOutcome(value, trouble, tuple(spent), round(time.perf_counter() - began, 4))))

    async def job(emit: Callable[[tuple[int, QuestionOutcome[T]]], None]) -> None:
        turns = asyncio.Semaphore(at_once)
        try:
            async with asyncio.TaskGroup() as group:
                for place in range(len(questions)):
                    group.create_task(run_question(place, turns, emit))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            await call_cache.finish()

    emit(Progress(stage, 0, len(questions), "questions"))
    for number, (place, outcome) in enumerate(library.session.loop.events(job), 1):
        outcomes[place] = outcome
        emit(Progress(stage, number, len(questions), "questions"))
    return [outcomes[place] for place in range(len(questions))]


async def answer_question(
    library: Library, config: AnswerConfig, question: str, filters: Filters, client: LlmClient
) -> Answer:
    """Answer a question by a configuration that has papers.

    Raises:
        ModelAnswerError: a model gives nothing that can be used.
        ServiceError: it cannot be asked.
        BudgetError: the budget is used up before anything could be written.
    """
    if config.how == "ask":
        asker = await asyncio.to_thread(asker_of, library.session, config.options.use)
        answer = await asker.ask(question, filters, config.options, _silent)
        if (
            answer.method == extractive.METHOD and answer.usage.calls
        ):  # quotes in place of what the model could not write
            raise ModelAnswerError(answer.note)
        return answer
    retriever = await asyncio.to_thread(make_retriever, library.session)
    run = QuestionRun(retriever, client, question, filters, config.options, library.settings, _silent)
    await run.prepare()
    return await answer_run(run, _vanilla if config.how == "vanilla" else _unread)


async def _unread(run: QuestionRun) -> Answer:
    """Write an answer from the passages of several phrasings, which no model has read before."""
    return await from_evidence(run, await _passages(run, run.reading.phrasings))


async def _vanilla(run: QuestionRun) -> Answer:
    """Write an answer from the passages of one search, without a check by a model."""
    gathering = await _passages(run, 0)
    evidence = run.chosen(gathering)
    if not evidence:
        return run.none(run.reason(gathering), gathering)
    run.options = replace(run.options, depth="quick")  # a quick answer is not judged
    return await run.answer(gathering, evidence)


async def _passages(run: QuestionRun, count: int) -> Gathering:
    """Search, and return passages as evidence with all their sentences, without summaries and scores."""
    others = await phrasings(run.client, run.question, count)
    questions = [run.question, *others]
    reading = run.reading
    looked = (asyncio.to_thread(search, run.retriever, text, run.filters, reading, run.tell) for text in questions)
    scores = await asyncio.gather(*looked)
    ranked_papers = await asyncio.to_thread(candidates, run.retriever, scores, reading, run.tell)
    run.passages |= {passage.id: passage for item in ranked_papers for passage, _ in item.own_passages}
    evidence = tuple(
        Evidence("", item.paper, passage.id, spans, "", 0, item.score)
        for item in ranked_papers
        for passage, spans in item.own_passages
    )
    papers = tuple(dict.fromkeys(item.paper.id for item in ranked_papers))
    return Gathering(evidence, tuple(item.passage.id for item in ranked_papers), papers, tuple(questions))


def has_model(language: LanguageSettings, role: Role = "write") -> bool:
    """Whether a language model is set for a role."""
    return bool(language.of(role))


def model_needed(what: str) -> UnavailableError:
    """The error for something that needs a language model."""
    return UnavailableError(
        f"{what} needs a language model, and none is set.",
        "Connect one (`models connect`), or name one with `model=NAME`.",
    )


def cost_note(outcomes: Sequence[QuestionOutcome[Any]]) -> str:
    """Tokens and cost of all calls in one sentence; "" if there were none."""
    spent = [call for outcome in outcomes for call in outcome.spent]
    if not spent:
        return ""
    new_calls = [call for call in spent if not call.from_cache]
    tokens = sum(call.reply.tokens.prompt + call.reply.tokens.completion for call in new_calls)
    prices = [call.reply.cost for call in new_calls]
    known = sum(price for price in prices if price is not None)
    money = f", ${known:.4f}" if known else ""
    more = " for those whose price is known" if known and None in prices else ""
    cache_note = f" ({len(spent) - len(new_calls)} from the cache)" if len(new_calls) < len(spent) else ""
    return f"Models were asked {len(spent)} times{cache_note}: {tokens:,} tokens{money}{more}."


def models_and_prompts(outcomes: Sequence[QuestionOutcome[Any]]) -> tuple[dict[str, None], dict[str, None]]:
    """The models and the prompts with their versions, in the order of their first use."""
    spent = [call for outcome in outcomes for call in outcome.spent]
    return dict.fromkeys(call.model for call in spent), dict.fromkeys(call.prompt for call in spent)


def _silent(_: Event) -> None:
    """Ignore the event."""
