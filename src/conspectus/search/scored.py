"""A passage found, and the order of passages found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage with its score and what it is made of."""

    key: int
    score: float
    factors: Mapping[str, float]

    def with_score(self, score: float, **factors: float) -> Scored:
        """The same with another score, and what it is made of besides."""
        return Scored(self.key, score, {**self.factors, **factors})


def ranked(found: Sequence[Scored]) -> list[Scored]:
    """Best first; ties: the higher cosine, then the lower key."""
    return sorted(found, key=lambda scored: (-scored.score, -scored.factors["cosine"], scored.key))
