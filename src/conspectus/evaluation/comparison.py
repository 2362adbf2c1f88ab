"""Comparison of results question by question, with intervals and tests by resampling questions.

Efron and Tibshirani 1993; for retrieval Smucker et al. 2007.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from conspectus.core.errors import UsageError
from conspectus.evaluation.records import Difference, Estimate, Result, ResultComparison, ScoreChange, ScoredQuestion

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
    low, high = _percentiles(np.concatenate(list(_resampled_means(values, seed, resamples))))
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
    baseline, other = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if baseline.shape != other.shape or not baseline.size:
        raise ValueError(f"{baseline.size} scores cannot be paired with {other.size}.")
    differences = other - baseline
    mean = float(differences.mean())
    means = np.concatenate(list(_resampled_means(differences, seed, resamples)))
    low, high = _percentiles(means)
    extreme = int(np.count_nonzero(np.abs(means - mean) >= abs(mean) - 1e-12))
    p = 1.0 if not differences.any() else (extreme + 1) / (resamples + 1)
    return Difference(metric, mean, low, high, p, int(differences.size))


def _resampled_means(values: Values, seed: int, resamples: int) -> Iterator[Values]:
    """Means of resamples of the values, block by block."""
    draw = np.random.default_rng(seed)
    block = max(1, _CELLS // values.size)
    for begin in range(0, resamples, block):
        chosen = draw.integers(0, values.size, size=(min(block, resamples - begin), values.size))
        yield values[chosen].mean(axis=1)


def _percentiles(means: Values) -> tuple[float, float]:
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


MOST_CHANGED = 10


def compare(
    first: Result, second: Result, *, seed: int = 0, most: int = MOST_CHANGED, by_id: bool = True
) -> ResultComparison:
    """Compare the second result with the first: differences with intervals and p, the questions that changed most,
    and warnings if the two are not comparable.

    Args:
        first: the baseline.
        second: what is held against it.
        seed: of the bootstrap.
        most: questions that changed, at most.
        by_id: whether they are called by their ids; else by the names of their configurations.
    """
    pairs = _pairs(first, second)
    metrics = [name for name in first.metrics if name in second.metrics]
    changed = _largest_changes(pairs, metrics[0], most) if metrics else ()
    names = (first.id, second.id) if by_id else (first.configuration.name, second.configuration.name)
    return ResultComparison(
        first.dataset, *names, differences(pairs, metrics, seed), changed, tuple(warnings(first, second, len(pairs)))
    )


def against_baseline(results: Sequence[Result], baseline: str, seed: int = 0) -> list[ResultComparison]:
    """Compare each configuration with the baseline on each set; of several sets, also over all their questions.

    Raises:
        UsageError: no result has the baseline's configuration.
    """
    sets: dict[str, dict[str, Result]] = {}
    for result in results:
        sets.setdefault(result.dataset, {})[result.configuration.name] = result
    names = list(dict.fromkeys(result.configuration.name for result in results))
    if baseline not in names:
        raise UsageError(f"There is no configuration '{baseline}' in this run.", f"There are: {', '.join(names)}.")
    others = [name for name in names if name != baseline]
    comparisons = [
        compare(by_configuration[baseline], by_configuration[name], seed=seed, by_id=False)
        for by_configuration in sets.values()
        for name in others
        if baseline in by_configuration and name in by_configuration
    ]
    if len(sets) > 1:
        comparisons += [union(list(sets.values()), baseline, name, seed) for name in others]
    return comparisons


UNION = "all sets"


def union(sets: Sequence[dict[str, Result]], baseline: str, name: str, seed: int = 0) -> ResultComparison:
    """Compare two configurations over all questions of the sets that both have; every question counts the same."""
    both = [by_configuration for by_configuration in sets if baseline in by_configuration and name in by_configuration]
    pairs = [pair for by_configuration in both for pair in _pairs(by_configuration[baseline], by_configuration[name])]
    metrics = [
        metric
        for metric in (both[0][baseline].metrics if both else ())
        if all(metric in by_configuration[which].metrics for by_configuration in both for which in (baseline, name))
    ]
    return ResultComparison(UNION, baseline, name, differences(pairs, metrics, seed))


def differences(
    pairs: Sequence[tuple[ScoredQuestion, ScoredQuestion]], metrics: Sequence[str], seed: int = 0
) -> tuple[Difference, ...]:
    """Paired differences by metric, over the questions that have it on both sides."""
    paired_differences = []
    for metric in metrics:
        both = [(a.scores[metric], b.scores[metric]) for a, b in pairs if metric in a.scores and metric in b.scores]
        if both:
            paired_differences.append(paired(metric, [ours for ours, _ in both], [other for _, other in both], seed))
    return tuple(paired_differences)


def warnings(first: Result, second: Result, common: int) -> list[str]:
    """Why two results may not be comparable, one sentence each."""
    reasons = []
    if first.kind != second.kind:
        reasons.append(f"One is of the kind {first.kind}, the other {second.kind}.")
    if first.dataset != second.dataset:
        reasons.append(f"The sets are two: {first.dataset} and {second.dataset}.")
    only = (len(first.questions) - common, len(second.questions) - common)
    if any(only):
        reasons.append(
            f"Not the same questions: {common} are in both, {only[0]} only in the first, {only[1]} only in the second. "
            "Only those in both are compared."
        )
    if first.library and second.library and first.library.content != second.library.content:
        reasons.append(
            f"The library was not the same: {first.library.papers} papers and {first.library.passages} passages, then "
            f"{second.library.papers} and {second.library.passages}."
        )
    if first.depth != second.depth:
        reasons.append(f"Rankings of {first.depth} papers are compared with such of {second.depth}.")
    return reasons


def estimates(questions: Sequence[ScoredQuestion], metrics: Sequence[str], seed: int = 0) -> dict[str, Estimate]:
    """Means by metric with intervals, over the questions that have it; a metric that no question has is absent."""
    by_metric = {}
    for metric in metrics:
        values = [question.scores[metric] for question in questions if metric in question.scores]
        if values:
            by_metric[metric] = interval(values, seed)
    return by_metric


def lowest(result: Result, count: int, metric: str = "") -> list[ScoredQuestion]:
    """The questions with the lowest score by a metric ("": the main one), ties in their order.

    Raises:
        UsageError: the result does not have that metric.
    """
    name = metric or result.metrics[0]
    if name not in result.metrics:
        raise UsageError(f"The result {result.id} has no metric '{name}'.", f"It has {', '.join(result.metrics)}.")
    having = [question for question in result.questions if name in question.scores]
    return sorted(having, key=lambda question: question.scores[name])[:count]


def _pairs(first: Result, second: Result) -> list[tuple[ScoredQuestion, ScoredQuestion]]:
    """The questions that both have: the same id and the same words."""
    others = {(question.id, question.question): question for question in second.questions}
    return [
        (question, others[key]) for question in first.questions if (key := (question.id, question.question)) in others
    ]


def _largest_changes(
    pairs: Sequence[tuple[ScoredQuestion, ScoredQuestion]], metric: str, most: int
) -> tuple[ScoreChange, ...]:
    moved = [
        ScoreChange(ours.id, ours.question, ours.scores[metric], other.scores[metric])
        for ours, other in pairs
        if metric in ours.scores and metric in other.scores and ours.scores[metric] != other.scores[metric]
    ]
    largest = sorted(moved, key=lambda change: -abs(change.after - change.before))[:most]
    return tuple(sorted(largest, key=lambda change: change.after - change.before))
