"""The model that tells the kind of a question without a language model: its training, and how well it does.

    python benchmarks/question_kinds.py check     # four-fold cross-validation on the training part
    python benchmarks/question_kinds.py fit       # src/conspectus/search/question_kinds.json
    python benchmarks/question_kinds.py sealed    # the sealed part: read once, when all was settled

Questions of our own, `tests/search/question_kinds.tsv`: a hash decides which third is sealed; those of the style
`training` were written after the first look at cross-validation and are never sealed. The first half of the 150 of
`routing.py` and of PubMedQA's and BioASQ's questions, whose kinds follow from how those were made, are trained with,
the latter for little each: they are of one field. `routing.py` measures on the other halves.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import corpora
import msgspec
import numpy as np
from numpy.typing import NDArray
from routing import load_other_questions
from tests_path import routing_cases as cases

from conspectus.records import QUESTION_KINDS, QuestionKind
from conspectus.search import question_kinds
from conspectus.search.question_kinds import KindModel, features, plain_form

TARGET = corpora.ROOT / "src" / "conspectus" / "search" / "question_kinds.json"
KEPT_FROM, LEAST = 4, 3
"""Of the training questions, that a word is in to be kept in outlines; that a feature is in to have weights."""
PIECES = 0.3
"""What a piece of a word counts, where another feature counts 1."""
OTHERS = 0.5
"""What a question of others counts, where one of ours counts 1."""
RIDGE, LASSO = 2e-3, 1e-4
STEPS = 200
FOLDS = 4
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    question: str
    kind: QuestionKind
    weight: float = 1.0
    source: str = "ours"


def ours(sealed: bool) -> list[cases.Kind]:
    """Our own questions: those that are sealed, or the others."""
    return [one for one in cases.kinds() if one.sealed == sealed]


def training() -> list[Sample]:
    """All that the model is made of."""
    first = [Sample(case.question, case.kind) for case in cases.halves()["develop"]]
    foreign = [
        Sample(one, kind, OTHERS, name)
        for name, (kind, questions) in load_other_questions().items()
        for one in questions[::2]
    ]
    return [*(Sample(one.question, one.kind) for one in ours(sealed=False)), *first, *foreign]


def fit(samples: Sequence[Sample]) -> KindModel:
    """A multinomial logistic regression with an elastic net, by accelerated proximal gradient steps."""
    counted = Counter(word for one in samples if one.weight == 1 for word in words_of(one.question))
    words = frozenset(word for word, number in counted.items() if number >= KEPT_FROM)
    found = [features(one.question, words) for one in samples]
    often = Counter(name for one in found for name in one)
    names = sorted(name for name, number in often.items() if number >= LEAST)
    at = {name: index for index, name in enumerate(names)}
    scale = np.array([PIECES if name.startswith("#") else 1.0 for name in names])
    matrix = np.zeros((len(samples), len(names)), np.float32)
    for row, one in zip(matrix, found, strict=True):
        row[[at[name] for name in one if name in at]] = 1
    truth = np.array([[one.kind == kind for kind in QUESTION_KINDS] for one in samples], np.float64)
    share = np.array([one.weight for one in samples]) / sum(one.weight for one in samples)
    weights, intercepts = _descend(matrix * scale.astype(np.float32), truth, share)
    hundredths = np.rint(100 * weights * scale[:, None]).astype(int)
    rows = {name: tuple(row) for name, row in zip(names, hundredths.tolist(), strict=True) if any(row)}
    return KindModel(words, tuple(np.rint(100 * intercepts).astype(int).tolist()), rows)


def words_of(question: str) -> set[str]:
    """Its words as they are counted."""
    return {plain_form(match[0]) for match in question_kinds._TOKEN.finditer(question)}


def _descend(matrix: NDArray[np.float32], truth: Floats, share: Floats) -> tuple[Floats, Floats]:
    kinds = truth.shape[1]
    weights, intercepts = np.zeros((matrix.shape[1], kinds)), np.zeros(kinds)
    ahead, ahead_intercepts, pace = weights, intercepts, 1.0
    step = 1 / (0.5 * _steepest(matrix, share) + RIDGE + 0.5)
    for _ in range(STEPS):
        odds = matrix @ ahead.astype(np.float32) + ahead_intercepts
        raised = np.exp(odds - odds.max(1, keepdims=True))
        wrong = (raised / raised.sum(1, keepdims=True) - truth) * share[:, None]
        moved = ahead - step * (matrix.T @ wrong.astype(np.float32) + RIDGE * ahead)
        moved = np.sign(moved) * np.maximum(np.abs(moved) - step * LASSO, 0)
        moved_intercepts = ahead_intercepts - step * wrong.sum(0)
        next_pace = (1 + (1 + 4 * pace**2) ** 0.5) / 2
        push = (pace - 1) / next_pace
        ahead, ahead_intercepts = (
            moved + push * (moved - weights),
            moved_intercepts + push * (moved_intercepts - intercepts),
        )
        weights, intercepts, pace = moved, moved_intercepts, next_pace
    return weights, intercepts


def _steepest(matrix: NDArray[np.float32], share: Floats) -> float:
    """The greatest eigenvalue of the features' second moments."""
    vector = np.ones(matrix.shape[1], np.float32)
    for _ in range(20):
        vector = matrix.T @ (share.astype(np.float32) * (matrix @ vector))
        vector /= (length := float(np.linalg.norm(vector)))
    return length


def told(made: KindModel, question: str) -> QuestionKind:
    """The most probable kind."""
    chances = made.probabilities(features(" ".join(question.split()), made.words))
    return max(QUESTION_KINDS, key=chances.__getitem__)


def show(name: str, chosen: Sequence[Sample], tell: Callable[[str], QuestionKind]) -> None:
    """Print the share that is told rightly, of all and of each kind."""
    right = [(one.kind, tell(one.question) == one.kind) for one in chosen]
    each = {kind: [good for is_kind, good in right if is_kind == kind] for kind in QUESTION_KINDS}
    parts = "  ".join(f"{kind} {np.mean(good):.3f}" for kind, good in each.items() if good)
    print(f"{name:24} {len(right):5}  {np.mean([good for _, good in right]):.3f}  {parts}", flush=True)


def check() -> None:
    """Cross-validation: each fold of our own questions by a model of the others."""
    samples, results = training(), {}
    for fold in range(FOLDS):
        made = fit([one for one in samples if _number(one.question) % FOLDS != fold])
        results |= {one: told(made, one.question) for one in samples if _number(one.question) % FOLDS == fold}
    told_as = {one.question: kind for one, kind in results.items()}
    for source in dict.fromkeys(one.source for one in samples):
        show(source, [one for one in samples if one.source == source], told_as.__getitem__)
    for one, kind in results.items():
        if kind != one.kind:
            print(f"  {one.kind:14} {kind:14} {one.question}")


def _number(question: str) -> int:
    return int.from_bytes(blake2b(f"fold\0{question}".encode(), digest_size=4).digest())


def sealed() -> None:
    """The sealed part, by languages, and its styles."""
    chosen = ours(sealed=True)
    english = [one for one in chosen if not one.other_language]
    made = question_kinds.load_kind_model()
    for name, group in (("English", english), ("other languages", [one for one in chosen if one.other_language])):
        show(name, [Sample(one.question, one.kind) for one in group], lambda question: told(made, question))
    for style in sorted({one.style for one in english}):
        group = [one for one in english if one.style == style]
        show(f"  {style}", [Sample(one.question, one.kind) for one in group], lambda question: told(made, question))


def main() -> None:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("check", "fit", "sealed"))
    what = parser.parse_args().what
    if what == "check":
        check()
    elif what == "sealed":
        sealed()
    else:
        made = fit(training())
        rows = [
            f"{msgspec.json.encode(name).decode()}:{msgspec.json.encode(row).decode()}"
            for name, row in made.weights.items()
        ]
        words, intercepts = (
            msgspec.json.encode(sorted(made.words)).decode(),
            msgspec.json.encode(made.intercepts).decode(),
        )
        weights = ",\n".join(rows)
        TARGET.write_text(f'{{"words":{words},\n"intercepts":{intercepts},\n"weights":{{\n{weights}}}}}\n', "utf-8")
        print(f"{len(made.weights)} features, {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
