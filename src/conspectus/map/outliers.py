"""Texts that are far, by what they mean, from what else is in their region."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray

Ints = npt.NDArray[np.int64]
FENCE = 1.5
"""Times the interquartile range of a region's distances, above its upper quartile (Tukey 1977)."""
FEWEST = 8
"""Texts of a region, below which none is an outlier."""


def apart(read: Callable[[], Iterable[tuple[Ints, FloatArray]]], regions: Ints) -> FloatArray:
    """How far each text is from the mean of the others of its region, of unit vectors: float32 [texts].

    NaN where there is no other, or no vector.

    Args:
        read: gives rows of the map and their vectors, in batches; read twice.
        regions: the region of each text.
    """
    ids, of = np.unique(regions, return_inverse=True)
    sums: npt.NDArray[np.float64] | None = None
    counts = np.zeros(len(ids), np.int64)
    for rows, vectors in read():
        sums = np.zeros((len(ids), vectors.shape[1])) if sums is None else sums
        np.add.at(sums, of[rows], vectors)
        counts += np.bincount(of[rows], minlength=len(ids))
    far = np.full(len(regions), np.nan, np.float32)
    for rows, vectors in read() if sums is not None else ():
        others = counts[of[rows]] - 1
        means = (sums[of[rows]] - vectors) / np.maximum(others, 1)[:, None]  # type: ignore[index]
        far[rows] = np.where(others > 0, np.linalg.norm(vectors - means, axis=1), np.nan)
    return far


def outlying(far: FloatArray, regions: Ints) -> npt.NDArray[np.bool_]:
    """Which texts are farther than the others of their regions by Tukey's fence: bool [texts]."""
    found = np.zeros(len(far), bool)
    for region in np.unique(regions):
        own = np.flatnonzero((regions == region) & np.isfinite(far))
        if len(own) >= FEWEST:
            low, high = np.quantile(far[own], [0.25, 0.75])
            found[own] = far[own] > high + FENCE * (high - low)
    return found
