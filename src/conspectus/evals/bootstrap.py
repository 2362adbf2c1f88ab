"""Intervals and tests by resampling questions (Efron and Tibshirani 1993; for retrieval Smucker et al. 2007)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from conspectus.evals.records import Difference, Estimate

RESAMPLES = 10_000
_CELLS = 8_000_000
"""Numbers of a block of resamples in memory at a time."""

Values = npt.NDArray[np.float64]


def interval(scores: Sequence[float], seed: int = 0, resamples: int = RESAMPLES) -> Estimate:
    """The mean of one score a question, and the percentiles 2.5 and 97.5 of the means of resampled questions.

    The same scores and seed give the same interval. With one question it is a point, which says nothing.

    Raises:
        ValueError: there are no scores.
    """
    values = np.asarray(scores, np.float64)
    if not values.size:
        raise ValueError("There are no scores to take a mean of.")
    low, high = _percentiles(np.concatenate(list(_means(values, seed, resamples))))
    return Estimate(float(values.mean()), low, high, int(values.size))


def paired(
    metric: str, first: Sequence[float], second: Sequence[float], seed: int = 0, resamples: int = RESAMPLES
) -> Difference:
    """The mean of `second - first` over the same questions, its 95 % interval, and p.

    p is the two-sided bootstrap shift test: how often the mean of resampled differences, moved so that their mean is 0,
    is as far from 0 as the one observed; (count + 1) / (resamples + 1), so never 0. Where nothing differs p is 1.

    Raises:
        ValueError: the two have not the same number of questions, or none.
    """
    one, other = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if one.shape != other.shape or not one.size:
        raise ValueError(f"{one.size} scores cannot be paired with {other.size}.")
    differences = other - one
    mean = float(differences.mean())
    means = np.concatenate(list(_means(differences, seed, resamples)))
    low, high = _percentiles(means)
    extreme = int(np.count_nonzero(np.abs(means - mean) >= abs(mean) - 1e-12))
    p = 1.0 if not differences.any() else (extreme + 1) / (resamples + 1)
    return Difference(metric, mean, low, high, p, int(differences.size))


def _means(values: Values, seed: int, resamples: int) -> Iterator[Values]:
    """Means of resamples of the values, block by block."""
    draw = np.random.default_rng(seed)
    block = max(1, _CELLS // values.size)
    for begin in range(0, resamples, block):
        chosen = draw.integers(0, values.size, size=(min(block, resamples - begin), values.size))
        yield values[chosen].mean(axis=1)


def _percentiles(means: Values) -> tuple[float, float]:
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)
