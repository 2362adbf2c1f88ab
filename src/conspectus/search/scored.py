"""A passage found, and the order of passages found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conspectus.index.protocol import Candidate

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


def by_cosine(cosines: Mapping[int, float], places: Places) -> list[Scored]:
    """Passages with their cosines alone, best first."""
    return ranked([Scored(key, cosine, {"cosine": cosine}) for key, cosine in cosines.items()], places)


def scores(found: Iterable[Iterable[Candidate]]) -> dict[int, float]:
    """What several indexes found: scores by key."""
    return {hit.key: hit.score for hits in found for hit in hits}
