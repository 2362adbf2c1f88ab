"""Weighted min-max fusion of two rankings of different scale."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from conspectus.search.scored import Scored
from conspectus.settings import SearchSettings

FloatVector = npt.NDArray[np.float64]


def min_max(scores: FloatVector) -> FloatVector:
    """Scores moved to [0, 1]; all 1 where they are all the same."""
    if not scores.size:
        return scores
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.ones_like(scores)


def over_max(scores: FloatVector) -> FloatVector:
    """Scores that begin at 0 (BM25, 0 for what shares no word) moved to [0, 1]; all 0 where none is above."""
    high = scores.max(initial=0.0)
    return scores / high if high > 0 else np.zeros_like(scores)


def above_half(parts: FloatVector) -> FloatVector:
    """Parts of a whole: 0 for half of it and less, 1 for all."""
    return np.maximum(2.0 * parts - 1.0, 0.0)


def fused(
    cosine: Mapping[int, float], text: Mapping[int, float], coverage: Mapping[int, float], own: SearchSettings
) -> list[Scored]:
    """The passages that have a cosine, their scores added as `Retriever.retrieve` says, in no order.

    Args:
        cosine: by key.
        text: BM25; what is not there has none.
        coverage: which part of the query's words they hold; with the setting `search.exact_weight` only.
        own: the weights.
    """
    raw = {"cosine": cosine, "bm25": text} | ({"coverage": coverage} if own.exact_weight else {})
    columns = {name: np.array([known.get(key, 0.0) for key in cosine]) for name, known in raw.items()}
    parts = {"dense": min_max(columns["cosine"]), "text": over_max(columns["bm25"])}
    fusion = own.dense_weight * parts["dense"] + (1 - own.dense_weight) * parts["text"]
    if own.exact_weight:
        parts["exact"] = above_half(columns["coverage"])
        fusion = (1 - own.exact_weight) * fusion + own.exact_weight * parts["exact"]
    factors = columns | parts | {"fusion": fusion}
    rows = [{name: float(column[row]) for name, column in factors.items()} for row in range(len(cosine))]
    return [Scored(key, factors["fusion"], factors) for key, factors in zip(cosine, rows, strict=True)]
