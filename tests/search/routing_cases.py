"""150 questions of our own with their kinds and flags, in two halves, and how well a router does on them.

What the labels mean: a *named entity* is written as a name (a project, instrument, survey, object, gene, drug code,
formula, species, person, place; acronyms but for DNA, RNA, UV and the like; Earth, Sun and Moon are none). *Jargon* is
what a scientist of another field would look up, or a word that means something else there. *Bibliometric* questions ask
for papers, authors or citations; those that are *time-sensitive* will be answered otherwise in a few years.

The questions and labels were written before there was a router. Those at even places are to develop with; those at odd
places are held out: their errors are not looked at. `question_kinds.tsv` has more questions, with kinds alone.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import cast

import msgspec

from conspectus.records import QUESTION_FLAGS, QUESTION_KINDS, QuestionFlag, QuestionKind, Routing


class Case(msgspec.Struct, frozen=True):
    """A question and what it should be taken for."""

    question: str
    kind: QuestionKind
    flags: tuple[QuestionFlag, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 of one class, and how many truly belong to it."""

    precision: float
    recall: float
    f1: float
    number: int


Outcome = tuple[Case, Routing]


def cases() -> list[Case]:
    """All questions in their order."""
    return msgspec.json.decode((Path(__file__).parent / "routing_questions.json").read_bytes(), type=list[Case])


def halves() -> dict[str, list[Case]]:
    """`develop` and `held out`."""
    every = cases()
    return {"develop": every[::2], "held out": every[1::2]}


def route_cases(chosen: Iterable[Case], router: Callable[[str], Routing]) -> list[Outcome]:
    """Each question with what a router takes it for."""
    return [(case, router(case.question)) for case in chosen]


def accuracy(outcomes: Sequence[Outcome]) -> float:
    """The share of questions whose kind is right."""
    return sum(case.kind == found.kind for case, found in outcomes) / len(outcomes)


def majority(outcomes: Sequence[Outcome]) -> float:
    """The accuracy of always saying the most frequent kind."""
    return Counter(case.kind for case, _ in outcomes).most_common(1)[0][1] / len(outcomes)


def of_kind(outcomes: Sequence[Outcome], kind: QuestionKind) -> Score:
    """How well a kind is told."""
    return _score([(case.kind == kind, found.kind == kind) for case, found in outcomes])


def of_flag(outcomes: Sequence[Outcome], flag: QuestionFlag) -> Score:
    """How well a flag is told."""
    return _score([(flag in case.flags, flag in found.flags) for case, found in outcomes])


def all_flags(outcomes: Sequence[Outcome]) -> Score:
    """All flags together (micro-averaged)."""
    return _score([(flag in case.flags, flag in found.flags) for case, found in outcomes for flag in QUESTION_FLAGS])


def every_flag(outcomes: Sequence[Outcome]) -> Score:
    """All flags together, where every question is given every flag: what a flag is worth must be more."""
    return _score([(flag in case.flags, True) for case, _ in outcomes for flag in QUESTION_FLAGS])


def macro_f1(outcomes: Sequence[Outcome]) -> float:
    """The mean of the kinds' F1."""
    return sum(of_kind(outcomes, kind).f1 for kind in QUESTION_KINDS) / len(QUESTION_KINDS)


def confusion(outcomes: Sequence[Outcome]) -> dict[QuestionKind, Counter[QuestionKind]]:
    """True kind -> what its questions were taken for."""
    table: dict[QuestionKind, Counter[QuestionKind]] = {kind: Counter() for kind in QUESTION_KINDS}
    for case, found in outcomes:
        table[case.kind][found.kind] += 1
    return table


def _score(pairs: Sequence[tuple[bool, bool]]) -> Score:
    right = sum(true and said for true, said in pairs)
    true, said = sum(true for true, _ in pairs), sum(said for _, said in pairs)
    precision, recall = right / said if said else 0.0, right / true if true else 0.0
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return Score(precision, recall, f1, true)


@dataclass(frozen=True, slots=True)
class Kind:
    """A question of `question_kinds.tsv`: its kind, the field it is from, and how it is put."""

    kind: QuestionKind
    field: str
    style: str
    question: str

    @property
    def other_language(self) -> bool:
        """Whether it is not English: its style is the name of its language."""
        return self.style[0].isupper()

    @property
    def sealed(self) -> bool:
        """Whether it is of the third that no model is made or chosen by."""
        number = int.from_bytes(blake2b(self.question.encode(), digest_size=8).digest())
        return self.style != "training" and number % 3 == 0


def kinds() -> list[Kind]:
    """Our questions with kinds alone, written without a look at what tells them."""
    lines = (Path(__file__).parent / "question_kinds.tsv").read_text("utf-8").splitlines()[1:]
    return [Kind(cast(QuestionKind, kind), *rest) for kind, *rest in (line.split("\t") for line in lines)]
