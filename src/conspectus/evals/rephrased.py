"""Questions that a language model makes of sentences (F15, as pathfinder does, sec. 4.1)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from conspectus.evals.answering import cost_note, each, used
from conspectus.evals.records import Question
from conspectus.evals.running import Posed
from conspectus.library import Library
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompting import fenced
from conspectus.llm.role_models import RoleModels

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
    RoleModels(library.session.models).of("ask")  # a setting that is wrong is told before anything else is done

    async def make(question: Question, client: LlmClient) -> str:
        _, _, span = await asyncio.to_thread(library.citation, question.source)
        values = {"sentence": fenced("sentence", " ".join(span.text.split()))}
        wanted = OutputSpec(Said, lambda said: trouble(said, span.text))
        said = await client.ask("ask", PROMPT, values, wanted, papers=list(question.relevant))
        return " ".join(said.question.split())

    told = each(library, questions, make, "asking for questions", together=True)
    made = [replace(one, text=outcome.value) for one, outcome in zip(questions, told, strict=True) if outcome.value]
    models, prompts = used(told)
    notes = [f"{len(questions) - len(made)} sentences gave no usable question."] if len(made) < len(questions) else []
    notes = [*posed.notes, *notes, *([cost] if (cost := cost_note(told)) else [])]
    of_models = replace(posed, models=tuple(models), prompts=tuple(prompts))
    return replace(of_models, questions=tuple(made), notes=tuple(notes))


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
