"""Weighted min-max fusion of two rankings of different scale."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

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
