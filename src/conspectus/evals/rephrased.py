"""Questions that a language model makes of sentences (F15, as pathfinder does, sec. 4.1)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec

from conspectus.answer.asking import Chosen
from conspectus.core.errors import BudgetError, ModelAnswerError
from conspectus.core.listening import tell
from conspectus.evals.records import Question
from conspectus.evals.running import Posed
from conspectus.library import Library
from conspectus.llm.call_cache import LibraryCallCache
from conspectus.llm.client import LlmClient
from conspectus.llm.prompting import fenced
from conspectus.llm.wanted import Wanted
from conspectus.records.jobs import Progress

PROMPT = "eval_question"
COPIED = 6
"""Words in a row of the sentence that make a question a copy."""

_WORD = re.compile(r"\w+")


class Said(msgspec.Struct):
    """What the prompt `eval_question` gives."""

    question: str


def rephrased(library: Library, questions: Sequence[Question], posed: Posed) -> Posed:
    """`posed` with the questions that the model for the role `ask` makes of the sentences of `questions`.

    Calls are kept in the library like any other. A sentence that the model makes no usable question of is left out, and
    so are those behind the budget's end; the notes say how many.

    Raises:
        UnavailableError: no language model is set.
        ServiceError: it cannot be asked at all.
    """
    call_cache = LibraryCallCache(library.session.catalog, "")
    settings = library.settings
    models = Chosen(library.session.models)
    client = LlmClient(models, library.session.prompts, call_cache, settings.language, settings.budget)
    client.models.of("ask")  # a setting that is wrong is told before anything else is done
    made: dict[str, str] = {}

    async def job(told: Callable[[tuple[str, str]], None]) -> None:
        turns = asyncio.Semaphore(settings.language.concurrency)
        try:
            await asyncio.gather(*(_one(library, client, one, turns, told) for one in questions))
        finally:
            await call_cache.finish()

    for number, (name, text) in enumerate(library.session.loop.events(job), 1):
        made[name] = text
        tell(Progress("asking for questions", number, len(questions), "questions"))
    kept = [replace(one, text=made[one.id]) for one in questions if made.get(one.id)]
    notes = [f"{len(questions) - len(kept)} sentences gave no usable question."] if len(kept) < len(questions) else []
    cost = client.usage.cost
    notes += [f"Making the questions cost ${cost:.2f}."] if cost else []
    prompt = client.prompts.get(PROMPT).id
    return replace(posed, questions=tuple(kept), notes=(*posed.notes, *notes), models=client.names(), prompts=(prompt,))


async def _one(
    library: Library,
    client: LlmClient,
    question: Question,
    turns: asyncio.Semaphore,
    told: Callable[[tuple[str, str]], None],
) -> None:
    """Tell what the model makes of a question's sentence; "" where that cannot be used."""
    _, _, span = await asyncio.to_thread(library.citation, question.source)
    papers = list(question.relevant)
    values = {"sentence": fenced("sentence", " ".join(span.text.split()))}
    async with turns:
        try:
            said = await client.ask(
                "ask", PROMPT, values, Wanted(Said, lambda one: trouble(one, span.text)), papers=papers
            )
        except (ModelAnswerError, BudgetError):
            told((question.id, ""))
        else:
            told((question.id, " ".join(said.question.split())))


def trouble(said: Said, sentence: str) -> str:
    """What is wrong with a question: it is empty, or copies the sentence."""
    asked, there = ([word.lower() for word in _WORD.findall(text)] for text in (said.question, sentence))
    if len(asked) < 3:
        return "the question is empty or of two words"
    runs = {tuple(there[at : at + COPIED]) for at in range(len(there) - COPIED + 1)}
    for at in range(len(asked) - COPIED + 1):
        if tuple(asked[at : at + COPIED]) in runs:
            return f"it copies '{' '.join(asked[at : at + COPIED])}' from the sentence; use words of your own"
    return ""
