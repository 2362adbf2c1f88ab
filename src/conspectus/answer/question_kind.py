"""The kind of a question by a language model (F9); by rules it is `search.router`."""

from __future__ import annotations

import asyncio
import re

import msgspec

from conspectus.core.errors import UsageError
from conspectus.core.text import line
from conspectus.evidence.model_text import cleaned
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced
from conspectus.records import QUESTION_FLAGS, QuestionFlag, QuestionKind, Routing
from conspectus.records.models import Role
from conspectus.search.router import suggest_settings
from conspectus.search.subquestions import MOST

ROLE: Role = "ask"
"""Whose model routes: the one that understands questions."""
PROMPT = "route"
LONGEST_PART = 400
"""Characters of a sub-question."""
LONGEST_REASON = 400

_MARK = re.compile(r"</?question-[0-9a-f]{8}")


class Sorted(msgspec.Struct):
    """What the prompt `route` gives. The reason comes first, so that it is thought of before the choice."""

    reason: str
    kind: QuestionKind
    flags: list[QuestionFlag]
    parts: list[str]


async def route(client: LlmClient, question: str, *, model: str = "") -> Routing:
    """The kind of a question, its flags and sub-questions as a language model sees them; the settings are Table 1's.

    The model of the role `ask` is asked, or the one called `model`. There is no falling back to the rules.

    Raises:
        UsageError: the question is empty.
        UnavailableError: no model has the role.
        ModelAnswerError: the second answer, too, names a kind or flag that there is not, or has no sub-questions for a
            compositional question.
        BudgetError: the budget is used up.
        ServiceError: the model cannot be asked.
    """
    if not question.strip():
        raise UsageError("There is nothing to route: the question is empty.", "Give a question.")
    values = {"question": fenced("question", question), "most": str(MOST)}
    reply = await client.ask(ROLE, PROMPT, values, OutputSpec(Sorted, trouble), by=model)
    chosen = client.models.get_model(model) if model else client.models.of(ROLE)
    by = await asyncio.to_thread(lambda: chosen.id)
    flags = tuple(flag for flag in QUESTION_FLAGS if flag in reply.flags)
    parts = tuple(map(line, reply.parts)) if reply.kind == "compositional" else ()
    reason = cleaned(line(reply.reason))[0][:LONGEST_REASON]
    return Routing(
        question, reply.kind, flags, (reason,) if reason else (), by, suggest_settings(reply.kind, flags), parts
    )


def trouble(reply: Sorted) -> str:
    """What is wrong with an answer; "" where nothing is."""
    if reply.kind != "compositional":
        return ""
    parts = [line(part) for part in reply.parts]
    if not 2 <= len(parts) <= MOST:
        return f"a compositional question has 2 to {MOST} parts, and these are {len(parts)}"
    if len({part.casefold() for part in parts}) < len(parts):
        return "two parts are the same"
    return next((wrong for part in parts if (wrong := _trouble_of_part(part))), "")


def _trouble_of_part(part: str) -> str:
    if not any(sign.isalnum() for sign in part):
        return "a part is empty"
    if len(part) > LONGEST_PART:
        return f"a part has more than {LONGEST_PART} characters"
    return "the marks around the question are not part of a sub-question" if _MARK.search(part) else ""
