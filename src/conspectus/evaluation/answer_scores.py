"""Scores of answers: options chosen ("unsure" among them), refusals, and citations held against gold (P9)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec

from conspectus.export.answer import cited
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec, schema_of
from conspectus.llm.prompts import fenced
from conspectus.records import Answer, Paper

UNSURE = "I cannot tell (unsure)"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_BLIND = "If you do not know, choose {letter} instead of guessing: a wrong answer is worse than none."
_GIVEN = "If the answer comes to none of the options, leaves it open or speaks for several, choose {letter}."


class PickedOption(msgspec.Struct):
    """The reply to the prompts `eval_blind` and `eval_choose`."""

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
        """The real options, to append to the question."""
        return "; ".join(" ".join(option.split()) for option in self.shown if option != UNSURE)


def shuffle_options(options: Sequence[str], name: str, seed: int) -> Choice:
    """Shuffle the options and `UNSURE` by seed and question name, so that no place is always right. Every
    configuration gets the same order.

    Raises:
        ValueError: there are more than there are letters.
    """
    if len(options) >= len(LETTERS):
        raise ValueError(f"{len(options)} options are more than there are letters for.")
    found = [*options, UNSURE]
    Random(f"{seed}:{name}").shuffle(found)  # noqa: S311 - nothing is secret here
    return Choice(tuple(found))


async def choose_blindly(client: LlmClient, question: str, choice: Choice) -> PickedOption:
    """Let a model choose without papers."""
    values = _values(question, choice, _BLIND)
    return await client.ask("write", "eval_blind", values, _option_reply(choice))


async def choose_from_answer(client: LlmClient, question: str, choice: Choice, answer: Answer) -> PickedOption:
    """Let a model say which option an answer comes to."""
    said = fenced("answer", answer.text)
    papers = [paper.id for paper in cited([answer])]
    values = {**_values(question, choice, _GIVEN), "answer": said}
    return await client.ask("judge", "eval_choose", values, _option_reply(choice), papers=papers)


def choice_scores(option: str, right: str) -> dict[str, float]:
    """Scores of one question: accuracy (right of all), precision (right of those sure; absent if unsure), unsure."""
    sure = option not in ("", UNSURE)
    hit = float(sure and option == right)
    return {"accuracy": hit, **({"precision": hit} if sure else {}), "unsure": float(not sure)}


def _values(question: str, choice: Choice, unsure: str) -> dict[str, str]:
    return {
        "question": fenced("question", question),
        "options": fenced("options", choice.text),
        "unsure": unsure.format(letter=choice.unsure),
    }


def _option_reply(choice: Choice) -> OutputSpec[PickedOption]:
    letters = list(choice.letters)
    schema: dict[str, Any] = schema_of(PickedOption)
    schema["properties"]["option"] = {"type": "string", "enum": letters}

    def check(said: PickedOption) -> str:
        return "" if said.option in letters else f"there is no option '{said.option[:20]}'; there are {letters}"

    return OutputSpec(PickedOption, check, schema)


_WORD = re.compile(r"\w+")
LEAST_WORDS = 4
"""Words that a sentence needs, to be found as a part of another."""

Gold = Mapping[str, Sequence[str]]


def citation_scores(answer: Answer, gold: Gold, name: Callable[[Paper], str]) -> dict[str, float]:
    """Precision and recall of what an answer cites; empty if it did not answer, or nothing is known.

    `paper P` is the share of the cited papers that are gold, `paper R` the share of the gold papers that are cited;
    `sentence P` and `sentence R` the same of sentences, where gold sentences are known. A cited sentence is gold where
    one of the two has the other in it, word for word, in the same paper: sets cut their texts otherwise.
    Statements that the program itself marks as unsupported are not counted.

    Args:
        answer: the answer.
        gold: the papers that answer the question, each with its sentences.
        name: what the set calls a paper.
    """
    if not (answer.answered and gold):
        return {}
    cited = [
        (name(citation.paper), span.text)
        for statement in answer.statements
        if statement.status != "unsupported"
        for citation in statement.citations
        for span in citation.spans
    ]
    papers = {paper for paper, _ in cited}
    if not papers:
        return {}
    right = papers & set(gold)
    found = {"paper P": len(right) / len(papers), "paper R": len(right) / len(gold)}
    known = [(paper, normalize_words(text)) for paper, texts in gold.items() for text in texts]
    if known:
        spans = list(dict.fromkeys((paper, normalize_words(text)) for paper, text in cited))
        hits = [span for span in spans if any(is_same_sentence(span, one) for one in known)]
        met = [one for one in known if any(is_same_sentence(span, one) for span in spans)]
        found |= {"sentence P": len(hits) / len(spans), "sentence R": len(met) / len(known)}
    return found


def refusal_scores(answered: bool, answerable: bool | None) -> dict[str, float]:
    """Scores of one question.

    Means over questions: of `refusal P` the share of refusals that were right, of `refusal R` the share of unanswerable
    questions that were refused, of `answered R` the share of answerable ones answered.
    """
    if answerable is None:
        return {}
    refused = not answered
    return {
        **({"refusal P": float(not answerable)} if refused else {}),
        **({"answered R": float(answered)} if answerable else {"refusal R": float(refused)}),
    }


def normalize_words(text: str) -> str:
    """Lower-case words of a text without punctuation, to compare texts."""
    return " ".join(_WORD.findall(text.casefold()))


def is_same_sentence(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two sentences (paper, words) are of one paper and one contains the other."""
    if one[0] != other[0]:
        return False
    short, long = sorted((one[1], other[1]), key=len)
    return short == long or (len(short.split()) >= LEAST_WORDS and f" {short} " in f" {long} ")
