"""Passages found for a question, a row each: their scores, what these are made of, and their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from conspectus.settings import SearchSettings

FloatVector = npt.NDArray[np.float64]
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


@dataclass(frozen=True, slots=True)
class Candidates:
    """Passages, each once, in no order until they are listed.

    Attributes:
        keys: of the passages, [rows].
        scores: float64 [rows].
        factors: what the scores are made of, each float64 [rows]; nan: a passage has none.
        places: tells where passages stand in the library.
    """

    keys: Sequence[int]
    scores: FloatVector
    factors: Mapping[str, FloatVector]
    places: Places

    @classmethod
    def by_cosine(cls, cosines: Mapping[int, float], places: Places) -> Candidates:
        """Passages with their cosines alone."""
        scores = np.array(list(cosines.values()), np.float64)
        return cls(list(cosines), scores, {"cosine": scores}, places)

    @property
    def similarities(self) -> FloatVector:
        """The cosines; of those that were told apart from another one (`near_tie`) what they became."""
        told = self.factors.get("near_tie")
        return self.factors["cosine"] if told is None else np.where(np.isnan(told), self.factors["cosine"], told)

    def column(self, values: Mapping[int, float], missing: float = np.nan) -> FloatVector:
        """What is known of passages by key, float64 [rows]."""
        return np.array([values.get(key, missing) for key in self.keys], np.float64)

    def scored(self, scores: FloatVector, **factors: FloatVector) -> Candidates:
        """The same with other scores, and what they are made of besides."""
        return Candidates(self.keys, scores, {**self.factors, **factors}, self.places)

    def best(self, most: int) -> Candidates:
        """The best of them."""
        rows = self._order()[:most]
        factors = {name: column[rows] for name, column in self.factors.items()}
        return Candidates([self.keys[row] for row in rows], self.scores[rows], factors, self.places)

    def mixed(self, name: str, scores: Mapping[int, float], weight: float) -> Candidates:
        """The same with another score in 0..1, 0 for those without: `(1 - weight) score + weight other`."""
        other = self.column(scores, 0.0)
        return self.scored((1 - weight) * self.scores + weight * other, **{name: other})

    def compared(self, raw: Mapping[int, float], weight: float, names: tuple[str, str]) -> Candidates:
        """The same, of which some were compared with the question once more: `(1 - weight) score + weight compared`.

        Args:
            raw: the scores of the comparison by key, which are brought to 0..1; 0 for those not compared.
            weight: of the comparison.
            names: of the factors: the score as it was given, and that brought to 0..1.
        """
        scaled = dict(zip(raw, min_max(np.array(list(raw.values()))).tolist(), strict=True))
        scores = (1 - weight) * self.scores + weight * self.column(scaled, 0.0)
        return self.scored(scores, **{names[0]: self.column(raw), names[1]: self.column(scaled)})

    def listed(self) -> list[Scored]:
        """Best first; ties: the higher cosine, then reading order."""
        columns = {name: column.tolist() for name, column in self.factors.items()}
        scores = self.scores.tolist()
        return [
            Scored(
                self.keys[row],
                scores[row],
                {name: column[row] for name, column in columns.items() if column[row] == column[row]},
            )
            for row in self._order()
        ]

    def _order(self) -> list[int]:
        """Rows, best first. Where passages stand is asked only of those that are equally good."""
        cosines = self.factors["cosine"] if "cosine" in self.factors else np.zeros(len(self.keys))
        worth = list(zip((-self.scores).tolist(), (-cosines).tolist(), strict=True))
        equals = Counter(worth)
        tied = [key for key, value in zip(self.keys, worth, strict=True) if equals[value] > 1]
        place = self.places(tied) if tied else {}
        keys = [(*value, place.get(key, (0, 0)), key) for value, key in zip(worth, self.keys, strict=True)]
        return sorted(range(len(keys)), key=keys.__getitem__)


SAME = 1e-5
"""Of the larger of two scores: by less they differ only by how a processor rounds, which may put nothing in order."""


def min_max(scores: FloatVector) -> FloatVector:
    """Scores moved to [0, 1]; all 1 where they are all the same."""
    if not scores.size:
        return scores
    low, high = scores.min(), scores.max()
    same = high - low <= SAME * max(abs(low), abs(high))
    return np.ones_like(scores) if same else (scores - low) / (high - low)


def over_max(scores: FloatVector) -> FloatVector:
    """Scores that begin at 0 (BM25, 0 for what shares no word) moved to [0, 1]; all 0 where none is above."""
    high = scores.max(initial=0.0)
    return scores / high if high > 0 else np.zeros_like(scores)


def fused(
    found: Candidates, text: Mapping[int, float], coverage: Mapping[int, float], own: SearchSettings
) -> Candidates:
    """The passages, of which the cosines are known, with all scores added as `Retriever.retrieve` says.

    Args:
        found: by cosine.
        text: BM25; what is not there has none.
        coverage: which part of the query's words they hold; with the setting `search.exact_weight` only.
        own: the weights.
    """
    parts = {"bm25": found.column(text, 0.0)}
    if own.exact_weight:
        parts["coverage"] = found.column(coverage, 0.0)
    parts |= {"dense": min_max(found.similarities), "text": over_max(parts["bm25"])}
    fusion = own.dense_weight * parts["dense"] + (1 - own.dense_weight) * parts["text"]
    if own.exact_weight:
        parts["exact"] = np.maximum(2.0 * parts["coverage"] - 1.0, 0.0)  # from a half on, 1 for all
        fusion = (1 - own.exact_weight) * fusion + own.exact_weight * parts["exact"]
    return found.scored(fusion, **parts, fusion=fusion)
