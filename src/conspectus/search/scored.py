"""A passage found, and the order of passages found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Places = Callable[[Sequence[int]], Mapping[int, tuple[int, int]]]
"""Keys of passages -> where each stands: its paper, in the order they came, and its number there."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage with its score and what it is made of."""

    key: int
    score: float
    factors: Mapping[str, float]

    def with_score(self, score: float, **factors: float) -> Scored:
        """The same with another score, and what it is made of besides."""
        return Scored(self.key, score, {**self.factors, **factors})


def ranked(found: Sequence[Scored], places: Places) -> list[Scored]:
    """Best first; ties: the higher cosine, then reading order, which is asked for where there are any."""
    worth = {one.key: (-one.score, -one.factors.get("cosine", 0.0)) for one in found}
    equals = Counter(worth.values())
    tied = [key for key, value in worth.items() if equals[value] > 1]
    place = places(tied) if tied else {}
    return sorted(found, key=lambda one: (worth[one.key], place.get(one.key, (0, 0)), one.key))
