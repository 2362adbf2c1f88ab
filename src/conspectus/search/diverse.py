"""Maximal marginal relevance (P2): what is relevant and unlike what was chosen before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.store.vectors import vectors_of

if TYPE_CHECKING:
    from conspectus.search.retrieve import Retriever

AMONG = 4
"""So many times as many passages as are wanted are chosen from."""


def by_marginal_relevance(
    scores: Sequence[float], vectors: FloatArray, trade: float, count: int
) -> list[tuple[int, float]]:
    """`count` rows in the order they are chosen, each with its marginal relevance at that moment.

    That is `trade * score - (1 - trade) * highest cosine with a row chosen before` (Carbonell and Goldstein 1998); of
    equals the first row.

    Args:
        scores: of each row; at best 0..1, as cosines are.
        vectors: float32 [rows, dimensions], of length 1.
        trade: lambda, from 0 (only unlike) to 1 (only relevant).
        count: how many are wanted.
    """
    relevance = trade * np.asarray(scores, np.float64)
    nearest: npt.NDArray[np.float64] = np.zeros(len(relevance))
    left = np.ones(len(relevance), np.bool_)
    chosen: list[tuple[int, float]] = []
    for _ in range(min(count, len(relevance))):
        marginal = np.where(left, relevance - (1 - trade) * nearest, -np.inf)
        row = int(marginal.argmax())
        chosen.append((row, float(marginal[row])))
        left[row] = False
        cosines = vectors @ vectors[row]
        nearest = cosines.astype(np.float64) if len(chosen) == 1 else np.maximum(nearest, cosines)
    return chosen


def diverse(now: Retriever, scores: Mapping[int, float], count: int) -> dict[int, float]:
    """The `count` passages by marginal relevance among the best, in the order they are chosen: key -> that relevance.

    Args:
        now: what searches; `search.mmr` is its lambda.
        scores: of passages by key, best first.
        count: how many are wanted.
    """
    keys = list(scores)[: AMONG * count]
    vectors = vectors_of(now.catalog, keys, now.embedder.id)
    keys = [key for key in keys if key in vectors]
    if not keys:
        return {}
    matrix = np.stack([vectors[key] for key in keys])
    order = by_marginal_relevance([scores[key] for key in keys], matrix, now.settings.mmr, count)
    return {keys[row]: marginal for row, marginal in order}
