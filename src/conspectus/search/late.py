"""Late interaction: a question's words each against the nearest word of a passage, or of one of its sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from conspectus.models.protocol import FloatArray, TokenVectors


def similarities(query: TokenVectors, passage: TokenVectors) -> FloatArray:
    """Cosines, float32 [query words, passage words]."""
    if not len(query.vectors) or not len(passage.vectors):
        return np.zeros((len(query.vectors), len(passage.vectors)), np.float32)
    product = query.vectors.astype(np.float32) @ passage.vectors.astype(np.float32).T
    return np.asarray(product / (127.0 * 127.0), np.float32)


def late_interaction(matrix: FloatArray) -> float:
    """The mean over query words of the best cosine (ColBERT's MaxSim, averaged); 0 where there are no words."""
    return float(matrix.max(axis=1).mean()) if matrix.size else 0.0


def by_stretch(matrix: FloatArray, starts: npt.NDArray[np.uint32], stretches: Sequence[tuple[int, int]]) -> list[float]:
    """Late interaction with each stretch of the text alone: with the words that start in [begin, end)."""
    bounds = np.searchsorted(starts, np.array(stretches, np.int64).reshape(-1, 2))
    return [late_interaction(matrix[:, begin:end]) for begin, end in bounds.tolist()]
