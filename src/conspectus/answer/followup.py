"""Follow-up questions: rewritten so that they stand alone, and then answered like any other (S6)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from conspectus.answer.out_of_scope import declined
from conspectus.answer.pipeline import QuestionRun
from conspectus.answer.prose import prose
from conspectus.core.errors import BudgetError, ModelAnswerError
from conspectus.core.text import line
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import chars_left, fenced
from conspectus.records import Answer
from conspectus.records.events import Notice

TURNS = 6
"""Turns that are looked back at."""
QUESTION_CHARS = 800
"""Characters of an earlier question that are shown."""
ANSWER_CHARS = 1500
"""Characters of an earlier answer that are shown."""
HISTORY_CHARS = 8000
"""Characters of all turns together, at most; fewer where a model's context is small."""
LONGER = 600
"""Characters by which a question may become longer when it is made to stand alone."""
AS_IT_STANDS = "The question was asked as typed, because rewriting a follow-up needs a language model."

_MARK = re.compile(r"</?(?:turn|question)-[0-9a-f]{8}")


class Standalone(msgspec.Struct):
    """What the prompt `standalone` gives."""

    question: str


async def standing_alone(run: QuestionRun, earlier: Sequence[Answer]) -> str:
    """The run's question with what it takes from the conversation before it put in; told, where it is another then.

    Where the model gives nothing usable, or the budget is used up, it is the question itself, and that is noted.

    Args:
        run: its `question` is as the user put it.
        earlier: the last turns, the most recent last; none: the question begins the conversation.

    Raises:
        ServiceError: the model cannot be asked.
    """
    question = run.question
    if not earlier or not question.strip() or declined(question):
        return question
    turns = fitting(earlier, _room(run, question))
    values = {
        "conversation": "\n\n".join(text for _, text in turns),
        "question": fenced("question", question),
    }
    papers = sorted(
        {item.paper.id for answer, _ in turns for statement in answer.statements for item in statement.citations}
    )
    spec = OutputSpec(Standalone, lambda reply: _trouble(reply.question, question))
    try:
        reply = await run.client.ask("ask", "standalone", values, spec, papers=papers)
    except (ModelAnswerError, BudgetError) as error:
        run.note(f"The question was asked as typed, without the conversation so far: {error.message}")
        return question
    standalone = line(reply.question)
    if standalone.casefold() == line(question).casefold():
        return question
    run.tell(Notice(f"Asked as: {standalone}"))
    return standalone


def fitting(earlier: Sequence[Answer], room: int) -> list[tuple[Answer, str]]:
    """The last turns as the prompt shows them, as many as have room (characters), the most recent last.

    The most recent one is always there, if need be cut shorter.
    """
    chosen: list[tuple[Answer, str]] = []
    for answer in reversed(earlier[-TURNS:]):
        text = _turn(answer, ANSWER_CHARS)
        if not chosen and len(text) > room:
            text = _turn(answer, max(ANSWER_CHARS - (len(text) - room), 0))
        elif len(text) > room:
            break
        room -= len(text)
        chosen.append((answer, text))
    return chosen[::-1]


def _room(run: QuestionRun, question: str) -> int:
    language = run.settings.language
    context = language.context or run.client.models.of("ask").context
    if not context:
        return HISTORY_CHARS
    return max(min(chars_left(context, language.max_tokens) - len(question), HISTORY_CHARS), 0)


def _turn(answer: Answer, most: int) -> str:
    """A turn between marks of its own: it has words of models and of papers."""
    lines = (
        f"question: {_cut(answer.standalone or answer.question, QUESTION_CHARS)}",
        f"answer: {_cut(_summarise_answer(answer), most)}",
    )
    return fenced("turn", "\n".join(lines))


def _summarise_answer(answer: Answer) -> str:
    """What an answer said, without what its sources do not support."""
    if not answer.answered:
        return "(It could not be answered from the library.)"
    if not answer.statements:
        return answer.text
    statements = [statement for statement in answer.statements if statement.status != "unsupported"]
    return prose(statements) or "(What was said is not supported by its sources.)"


def _trouble(standalone: str, question: str) -> str:
    """What is wrong with a question made to stand alone."""
    text = line(standalone)
    if not any(sign.isalnum() for sign in text):
        return "the question is empty; where nothing is to be put in, repeat it as it is"
    if len(text) > len(question) + LONGER:
        return f"the question has {len(text)} characters; put in only what it takes from the conversation"
    if _MARK.search(text):
        return "the marks around the conversation and the question are not part of the question"
    return ""


def _cut(text: str, most: int) -> str:
    text = line(text)
    return text if len(text) <= most else text[:most].rstrip() + " …"
