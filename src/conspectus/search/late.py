"""Late interaction: a question's words each against the nearest word of a passage, or of one of its sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.models.protocol import TokenVectors

AT_ONCE = 50
"""Passages compared in one product: some 10 MB with a long question."""


def similarities(query: TokenVectors, passage: TokenVectors) -> FloatArray:
    """Cosines, float32 [query words, passage words]."""
    if not len(query.vectors) or not len(passage.vectors):
        return np.zeros((len(query.vectors), len(passage.vectors)), np.float32)
    product = query.vectors.astype(np.float32) @ passage.vectors.astype(np.float32).T
    return np.asarray(product / (127.0 * 127.0), np.float32)


def nearest(matrix: FloatArray) -> FloatArray:
    """Of each query word the best cosine, float32 [query words]; 0 where the passage has none. `matrix`: [query words,
    passage words]."""
    return matrix.max(axis=1) if matrix.size else np.zeros(len(matrix), np.float32)


def late_interaction(matrix: FloatArray, weights: FloatArray) -> float:
    """The weighted mean of `nearest` (ColBERT's MaxSim, Khattab and Zaharia 2020)."""
    return float(weights @ nearest(matrix))


def late_interactions(query: TokenVectors, passages: Sequence[TokenVectors], weights: FloatArray) -> list[float]:
    """`late_interaction` of a question with each passage; many in one product."""
    found = [0.0] * len(passages)
    rows = [row for row, passage in enumerate(passages) if len(passage.vectors)] if len(query.vectors) else []
    for block in (rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE)):
        words = [passages[row].vectors for row in block]
        begins = np.cumsum([0, *map(len, words[:-1])])
        matrix = similarities(TokenVectors(query.starts, np.concatenate(words)), query)
        best = np.maximum.reduceat(matrix, begins, axis=0)
        for row, score in zip(block, (best @ weights).tolist(), strict=True):
            found[row] = score
    return found


def by_stretch(matrix: FloatArray, starts: npt.NDArray[np.uint32], stretches: Sequence[tuple[int, int]]) -> FloatArray:
    """`nearest` in each stretch of the text alone, float32 [stretches, query words]: with the words that start in
    [begin, end)."""
    bounds = np.searchsorted(starts, np.array(stretches, np.int64).reshape(-1, 2))
    found = [nearest(matrix[:, begin:end]) for begin, end in bounds.tolist()]
    return np.array(found, np.float32).reshape(len(stretches), len(matrix))
