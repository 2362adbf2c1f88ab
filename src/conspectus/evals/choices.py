"""Questions with options: shown in an order of their own, answered with a letter, "unsure" among them (P9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec

from conspectus.export.answer import cited
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec, schema_of
from conspectus.llm.prompting import fenced
from conspectus.records import Answer

UNSURE = "I cannot tell (unsure)"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BLIND = "If you do not know, choose {letter} instead of guessing: a wrong answer is worse than none."
_GIVEN = "If the answer comes to none of the options, leaves it open or speaks for several, choose {letter}."


class Picked(msgspec.Struct):
    """What the prompts `eval_blind` and `eval_choose` give."""

    reasoning: str
    option: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The options of a question in the order they are shown, `UNSURE` among them."""

    shown: tuple[str, ...]

    @property
    def letters(self) -> dict[str, str]:
        """Letter -> option."""
        return dict(zip(LETTERS, self.shown, strict=False))

    @property
    def unsure(self) -> str:
        """The letter of `UNSURE`."""
        return LETTERS[self.shown.index(UNSURE)]

    @property
    def text(self) -> str:
        """The options as prompts show them."""
        return "\n".join(f"{letter}. {' '.join(option.split())}" for letter, option in self.letters.items())

    @property
    def said(self) -> str:
        """The real options, as a part of the question."""
        return "; ".join(" ".join(option.split()) for option in self.shown if option != UNSURE)


def ordered(options: Sequence[str], name: str, seed: int) -> Choice:
    """The options and `UNSURE` in an order drawn at random for the question `name`, so that no place is always right;
    the same for the same seed, whatever answers.

    Raises:
        ValueError: there are more than there are letters.
    """
    if len(options) >= len(LETTERS):
        raise ValueError(f"{len(options)} options are more than there are letters for.")
    found = [*options, UNSURE]
    Random(f"{seed}:{name}").shuffle(found)  # noqa: S311 - nothing is secret here
    return Choice(tuple(found))


async def blindly(client: LlmClient, question: str, choice: Choice) -> Picked:
    """What a model chooses by itself."""
    values = _values(question, choice, _BLIND)
    return await client.ask("write", "eval_blind", values, _wanted(choice))


async def chosen_in(client: LlmClient, question: str, choice: Choice, answer: Answer) -> Picked:
    """Which option an answer comes to, as a model judges."""
    said = fenced("answer", answer.text)
    papers = [paper.id for paper in cited([answer])]
    values = {**_values(question, choice, _GIVEN), "answer": said}
    return await client.ask("judge", "eval_choose", values, _wanted(choice), papers=papers)


def scores(option: str, right: str) -> dict[str, float]:
    """Of one question: accuracy (right of all), precision (right of those sure; left out where unsure), unsure."""
    sure = option not in ("", UNSURE)
    hit = float(sure and option == right)
    return {"accuracy": hit, **({"precision": hit} if sure else {}), "unsure": float(not sure)}


def _values(question: str, choice: Choice, unsure: str) -> dict[str, str]:
    return {
        "question": fenced("question", question),
        "options": fenced("options", choice.text),
        "unsure": unsure.format(letter=choice.unsure),
    }


def _wanted(choice: Choice) -> OutputSpec[Picked]:
    letters = list(choice.letters)
    schema: dict[str, Any] = schema_of(Picked)
    schema["properties"]["option"] = {"type": "string", "enum": letters}

    def check(said: Picked) -> str:
        return "" if said.option in letters else f"there is no option '{said.option[:20]}'; there are {letters}"

    return OutputSpec(Picked, check, schema)
