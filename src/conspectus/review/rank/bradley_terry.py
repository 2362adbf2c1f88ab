"""Rank things by pairwise comparisons: a Bradley–Terry model with a position term, and the choice of pairs.

The first of a pair is preferred with probability σ(sᵢ - sⱼ + b), with strengths s and position term b, in logits
(Bradley & Terry, Biometrika 39, 1952; b as in Davidson & Beaver, Biometrics 33, 1977). Strengths have a normal prior
whose spread is estimated with them (MacKay, Neural Computation 4, 1992), so a thing that was compared once is not at
the end of the list. The position term, too, is the one with the largest evidence. A tie is half a win for each.
Uncertainty is the normal approximation at the maximum, times the dispersion of the verdicts (McCullagh & Nelder 1989,
chapter 4.5), where that is below 1.

Things are numbers from 0. Nothing here knows of papers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pair = tuple[int, int]
"""Two things, the first shown first."""
Verdict = tuple[int, int, float]
"""The first shown, the second, and what was preferred: 1 the first, 0 the second, 0.5 neither."""

CONFIDENCE = 1.96
"""Standard deviations of a two-sided interval of 95 %."""
DRAWS = 1000
"""Rankings drawn for intervals of ranks."""
_BIAS_SPREAD = 1.0
"""Standard deviation of the prior of the position term, in logits."""
_BIAS_STEP, _HELD = 0.3, 1e6
"""How far values of the position term that are compared lie apart, and the precision of one that is held."""
_SPREAD_STEP, _SPREADS = 1.25, range(-5, 12)
"""The spread of the strengths is a power of 1.25 from 0.33, where a judge is right in 57 %, to 11.6."""
_USUAL_SPREAD, _SPREAD_PRIOR = 1.5, 0.7
"""Before any comparison: median of the spread (a judge who is right in 79 %), and deviation of its logarithm."""
_MOST_LEVERAGE, _DISPERSION_PRIOR = 0.95, 2.0
_STEPS, _PRECISION = 40, 1e-2
_LONGEST_STEP = 2.0


@dataclass(frozen=True, slots=True)
class Strengths:
    """What comparisons say of things.

    Attributes:
        means: strengths in logits; their mean is 0.
        covariance: of the strengths.
        bias: the position term, in logits; above 0 if the first of a pair is preferred.
        bias_error: its standard error.
        spread: standard deviation of the prior.
    """

    means: Floats
    covariance: Floats
    bias: float
    bias_error: float
    spread: float

    @property
    def errors(self) -> Floats:
        """Standard errors of the strengths."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def variances_between(self) -> Floats:
        """The variance of the difference of each two strengths."""
        variances = np.diag(self.covariance)
        return np.maximum(variances[:, None] + variances[None, :] - 2 * self.covariance, 0)

    def interval(self) -> tuple[Floats, Floats]:
        """The 95 % interval of each strength."""
        margin = CONFIDENCE * self.errors
        return self.means - margin, self.means + margin


def fit_strengths(count: int, verdicts: Sequence[Verdict], start: Strengths | None = None) -> Strengths:
    """Strengths of `count` things by comparisons; `start` is an earlier fit, from which it is quicker.

    Takes time with the cube and memory with the square of `count`. The spread of the prior is that under which the
    verdicts are most probable, in steps of 25 %.
    """
    columns = _columns(verdicts)
    values = np.zeros(count + 1)
    if start is not None and len(start.means) == count:
        values[:count], values[count] = start.means, start.bias
    fits: dict[int, _Fit] = {}
    begin = _SPREADS[::4] if start is None else [round(np.log(start.spread) / np.log(_SPREAD_STEP))]
    for step in begin:
        fits[step] = _fit(count, columns, _SPREAD_STEP**step, values)
    best = max(fits, key=lambda step: fits[step].evidence)
    for direction in (1, -1):
        while (step := best + direction) in _SPREADS and step not in fits:
            fits[step] = _fit(count, columns, _SPREAD_STEP**step, fits[best].values)
            best = max(best, step, key=lambda step: fits[step].evidence)
    spread, covariance = _SPREAD_STEP**best, np.asarray(np.linalg.inv(fits[best].precision))
    bias = _most_evident_bias(count, columns, spread, fits[best].values)
    values = _fit(count, columns, spread, fits[best].values, bias).values
    return _centred(values, _dispersion(columns, values, covariance) * covariance, spread)


class _Fit(NamedTuple):
    """Strengths and position term at their most probable, by a prior: their precision, and the prior's evidence."""

    values: Floats
    precision: Floats
    evidence: float


def _fit(
    count: int, columns: tuple[Ints, Ints, Floats], spread: float, values: Floats, bias: float | None = None
) -> _Fit:
    """The most probable strengths by Newton's method, and the logarithm of the evidence by Laplace's approximation.

    With `bias` the position term is that.
    """
    first, second, outcome = columns
    prior, middle = np.full(count + 1, spread**-2), np.zeros(count + 1)
    prior[count], middle[count] = (_BIAS_SPREAD**-2, 0) if bias is None else (_HELD, bias)
    for _ in range(_STEPS):
        chance = _sigmoid(values[first] - values[second] + values[count])
        surplus = outcome - chance
        slope = np.bincount(first, surplus, count + 1) - np.bincount(second, surplus, count + 1)
        slope[count] = surplus.sum()
        precision = _information(count, first, second, chance * (1 - chance)) + np.diag(prior)
        step = np.clip(np.linalg.solve(precision, slope - prior * (values - middle)), -_LONGEST_STEP, _LONGEST_STEP)
        values = values + step
        if np.abs(step).max() < _PRECISION:
            break
    margin = values[first] - values[second] + values[count]
    likelihood = np.sum(outcome * margin - np.logaddexp(0, margin))
    determinant = np.linalg.slogdet(precision)[1]
    evidence = likelihood + (np.sum(np.log(prior) - prior * (values - middle) ** 2) - determinant) / 2
    evidence -= (np.log(spread / _USUAL_SPREAD) / _SPREAD_PRIOR) ** 2 / 2
    return _Fit(values, precision, float(evidence))


def _most_evident_bias(count: int, columns: tuple[Ints, Ints, Floats], spread: float, values: Floats) -> float:
    """The position term under which the verdicts are most probable, whatever the strengths are.

    The one that is most probable together with strengths is too near 0, because these are: they are shrunk by their
    prior. The evidence is nearly a parabola, which three values tell.
    """
    tried = values[count] + _BIAS_STEP * np.arange(-1, 2)
    low, middle, high = (
        _fit(count, columns, spread, values, bias).evidence - (bias / _BIAS_SPREAD) ** 2 / 2 for bias in tried.tolist()
    )
    curvature = low - 2 * middle + high
    return float(values[count] + (_BIAS_STEP * (low - high) / (2 * curvature) if curvature < 0 else 0))


def _dispersion(columns: tuple[Ints, Ints, Floats], values: Floats, covariance: Floats) -> float:
    """How much verdicts differ from their probabilities, as a share of what they should; at most 1.

    It is below 1 for a judge who knows more of close pairs than their strengths say. What the fit itself takes from the
    residuals (their leverage) counts as expected. Ties say nothing of it, and few verdicts little.
    """
    first, second, outcome = (column[columns[2] != 0.5] for column in columns)
    chance = _sigmoid(values[first] - values[second] + values[-1])
    expected = chance * (1 - chance)
    variances = np.diag(covariance)
    leverage = expected * (variances[first] + variances[second] - 2 * covariance[first, second])
    residual = np.sum(expected * (1 - np.minimum(leverage, _MOST_LEVERAGE)))
    observed = np.sum((outcome - chance) ** 2)
    return min(1.0, float((observed + _DISPERSION_PRIOR) / (residual + _DISPERSION_PRIOR)))


def _columns(verdicts: Sequence[Verdict]) -> tuple[Ints, Ints, Floats]:
    table = np.array(verdicts, dtype=np.float64).reshape(-1, 3)
    return table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2]


def _information(count: int, first: Ints, second: Ints, weights: Floats) -> Floats:
    """Fisher information of strengths and position term."""
    size = count + 1
    between = np.bincount(first * size + second, weights, size * size).reshape(size, size)
    information: Floats = np.asarray(-(between + between.T))
    by_first, by_second = np.bincount(first, weights, size), np.bincount(second, weights, size)
    information[np.diag_indices(size)] += by_first + by_second
    information[count, :] = information[:, count] = by_first - by_second
    information[count, count] = weights.sum()
    return information


def _centred(values: Floats, covariance: Floats, spread: float) -> Strengths:
    """Strengths relative to their mean: only differences are determined by comparisons."""
    strength_covariance = covariance[:-1, :-1]
    rows = strength_covariance.mean(axis=0)
    strength_covariance = strength_covariance - rows[None, :] - rows[:, None] + rows.mean()
    means = values[:-1] - values[:-1].mean()
    return Strengths(means, strength_covariance, float(values[-1]), float(np.sqrt(covariance[-1, -1])), spread)


def _sigmoid(value: Floats | float) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.asarray(value, dtype=np.float64))))


def order(strengths: Strengths) -> Ints:
    """The things, strongest first; equals in their order."""
    return np.argsort(-strengths.means, kind="stable")


def position_shift(bias: float) -> float:
    """By how much a position term, in logits, raises the probability of the first of two equals above one half."""
    return float(_sigmoid(bias)) - 0.5


def preference_to_average(strengths: Strengths) -> Floats:
    """The probability that each thing is preferred to one of mean strength."""
    return _sigmoid(strengths.means)


def rank_intervals(strengths: Strengths, seed: int = 0) -> tuple[Ints, Ints]:
    """The best and the worst rank of each thing, from 1, between which its rank is with a probability of 95 %."""
    count = len(strengths.means)
    scale, axes = np.linalg.eigh(strengths.covariance)
    noise = np.random.default_rng(seed).standard_normal((DRAWS, count))
    drawn = strengths.means + (noise * np.sqrt(np.maximum(scale, 0))) @ axes.T
    ranks = np.argsort(np.argsort(-drawn, axis=1), axis=1) + 1
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0)
    return np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)


def draw_pairs(count: int, most: int, rng: np.random.Generator) -> list[Pair]:
    """Random pairs in random order. Each thing is in one before any is in two (one is, if `count` is odd)."""
    pairs: list[Pair] = []
    while count > 1 and len(pairs) < most:
        things = [int(thing) for thing in rng.permutation(count)]
        things += things[:1] if count % 2 else []
        pairs += zip(things[::2], things[1::2], strict=True)
    return pairs[:most]


def draw_fresh_pairs(count: int, asked_pairs: Iterable[Pair], most: int, rng: np.random.Generator) -> list[Pair]:
    """`draw_pairs` without `asked_pairs`; of a few that are left, those."""
    known = {frozenset(pair) for pair in asked_pairs}
    drawn = {frozenset(pair): pair for pair in draw_pairs(count, 2 * most + count, rng)}
    fresh = [pair for key, pair in drawn.items() if key not in known]
    if not fresh:
        left = [
            (ours, other) for ours in range(count) for other in range(ours) if frozenset((ours, other)) not in known
        ]
        fresh = [_shuffled(left[place][0], left[place][1], rng) for place in rng.permutation(len(left)).tolist()]
    return fresh[:most]


def choose_pairs(strengths: Strengths, asked_pairs: Iterable[Pair], most: int, rng: np.random.Generator) -> list[Pair]:
    """The pairs from which most is learned, best first, each in random order.

    A pair is worth (p(1-p))² times the variance of its difference: what the comparison says of the difference, by how
    close the two are. No thing is in two of them, and none is in `asked_pairs`, in whichever order; fewer come if there
    are no more.
    """
    count = len(strengths.means)
    chance = _sigmoid(strengths.means[:, None] - strengths.means[None, :])
    worth = (chance * (1 - chance)) ** 2 * strengths.variances_between
    for first, second in asked_pairs:
        worth[first, second] = worth[second, first] = -1
    worth[np.tril_indices(count)] = -1
    pairs: list[Pair] = []
    used = np.zeros(count, dtype=bool)
    for place in np.argsort(-worth, axis=None, kind="stable"):
        ours, other = divmod(int(place), count)
        if len(pairs) == most or worth[ours, other] < 0:
            break
        if not (used[ours] or used[other]):
            used[ours] = used[other] = True
            pairs.append(_shuffled(ours, other, rng))
    return pairs


def choose_opponent(
    strengths: Strengths, verdicts: Sequence[Verdict], asked_pairs: Iterable[Pair], thing: int, rng: np.random.Generator
) -> Pair | None:
    """The pair that says most of the place of one thing, in random order; None if `asked_pairs` has all of its pairs.

    All places between the others are equally probable before its first comparison. The pair is the one whose outcome
    and the place share most information (Lindley, Annals of Mathematical Statistics 27, 1956): at first the middle.
    """
    others = np.delete(np.arange(len(strengths.means)), thing)
    levels = np.sort(strengths.means[others])
    edge = max(float(levels[-1] - levels[0]) / len(levels), 1e-6)
    places = np.concatenate([levels[:1] - edge, (levels[1:] + levels[:-1]) / 2, levels[-1:] + edge])
    chances = np.ones(len(places))
    for first, second, outcome in verdicts:
        if thing in (first, second):
            other, won = (second, outcome) if first == thing else (first, 1 - outcome)
            bias = strengths.bias if first == thing else -strengths.bias
            win = _sigmoid(places - strengths.means[other] + bias)
            chances *= win**won * (1 - win) ** (1 - won)
    chances /= chances.sum()
    wins = _sigmoid(places[None, :] - strengths.means[others][:, None])
    shared = _entropy(wins @ chances) - _entropy(wins) @ chances
    opponents = {second if first == thing else first for first, second in asked_pairs if thing in (first, second)}
    shared[np.isin(others, list(opponents))] = -1
    best = int(np.argmax(shared))
    return None if shared[best] < 0 else _shuffled(thing, int(others[best]), rng)


def _entropy(chance: Floats) -> Floats:
    inner = np.clip(chance, 1e-12, 1 - 1e-12)
    return np.asarray(-inner * np.log(inner) - (1 - inner) * np.log(1 - inner))


def _shuffled(ours: int, other: int, rng: np.random.Generator) -> Pair:
    return (ours, other) if rng.random() < 0.5 else (other, ours)


def insertion_steps(count: int) -> int:
    """Comparisons that put one more thing into a ranking of `count`: log₂ of its possible places, rounded up."""
    return max(1, int(np.ceil(np.log2(count + 1)))) if count else 0


def order_by_swaps(count: int, verdicts: Sequence[Verdict], rng: np.random.Generator) -> list[int]:
    """The things, strongest first, by the procedure of SciBot (Yager, Digital Discovery 2, 2023, section 4.4).

    Two things of a random list are swapped if that does not raise the number of misordered pairs; 100 times the number
    of pairs of places, and at most 200,000 times.
    """
    first, second, outcome = _columns(verdicts)
    wins = np.bincount(first * count + second, 2 * outcome - 1, count * count).reshape(count, count)
    lead = wins - wins.T  # above 0: the row's thing was preferred to the column's
    ranked = rng.permutation(count)
    places = np.sort(rng.integers(0, count, (min(50 * count * (count - 1), 200_000), 2)), axis=1)
    for above, below in places.tolist():
        upper, lower, between = ranked[above], ranked[below], ranked[above + 1 : below]
        fewer = lead[lower, upper] + lead[lower, between].sum() + lead[between, upper].sum()
        if above != below and fewer >= 0:
            ranked[above], ranked[below] = lower, upper
    return [int(thing) for thing in ranked]
