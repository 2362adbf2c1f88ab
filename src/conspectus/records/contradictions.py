"""Contradictions: pairs of statements of different papers that cannot both hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from conspectus.records.answer import Citation, Usage

PairVerdict = Literal["contradict", "compatible", "unrelated", "not judged"]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements of different papers about the same thing.

    Attributes:
        first, second: the sentence of each paper.
        verdict: `contradict` (they cannot both hold), `compatible`, `unrelated` (they are not about the same thing), or
            `not judged`: a candidate.
        why: the model's words, in short; for reading only.
        score: how much more alike the sentences are than each is, on average, with its nearest others.
    """

    first: Citation
    second: Citation
    verdict: PairVerdict
    why: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class ContradictionReport:
    """The contradictions of some papers.

    Attributes:
        contradictions: those that a model found, the most alike pairs first.
        candidates: pairs that nobody judged: without a model, or where it could not be asked.
        papers, statements: that were compared.
        pairs: about the same thing, in all.
        judged: pairs that a model judged.
        left: pairs that were neither judged nor listed, because only so many were wanted.
        note: what the user should know of how it came about.
        models: that were asked, and the embedder.
        usage: what it took.
    """

    contradictions: tuple[Contradiction, ...]
    candidates: tuple[Contradiction, ...] = ()
    papers: int = 0
    statements: int = 0
    pairs: int = 0
    judged: int = 0
    left: int = 0
    note: str = ""
    models: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
