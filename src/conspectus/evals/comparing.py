"""Results held against each other, question by question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conspectus.catalog.connection import utc_now
from conspectus.core.errors import UsageError
from conspectus.evals.bootstrap import interval, paired
from conspectus.evals.provenance import effective, environment
from conspectus.evals.records import Changed, Comparison, Difference, Estimate, Result, Scored
from conspectus.settings import Settings

MOST_CHANGED = 10


def compare(
    first: Result, second: Result, *, seed: int = 0, most: int = MOST_CHANGED, named: bool = True
) -> Comparison:
    """The second against the first: differences by metric with intervals and p, the questions that changed most, and
    what keeps the two from being compared.

    Args:
        first: the baseline.
        second: what is held against it.
        seed: of the bootstrap.
        most: questions that changed, at most.
        named: whether they are called by their ids; else by the names of their configurations.
    """
    pairs = _pairs(first, second)
    metrics = [name for name in first.metrics if name in second.metrics]
    changed = _changed(pairs, metrics[0], most) if metrics else ()
    names = (first.id, second.id) if named else (first.configuration.name, second.configuration.name)
    return Comparison(
        first.dataset, *names, differences(pairs, metrics, seed), changed, tuple(warnings(first, second, len(pairs)))
    )


def against_baseline(results: Sequence[Result], baseline: str, seed: int = 0) -> list[Comparison]:
    """Each configuration against the baseline on each set; then, of several sets, over the union of their questions.

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
    found = [
        compare(one[baseline], one[name], seed=seed, named=False)
        for one in sets.values()
        for name in others
        if baseline in one and name in one
    ]
    if len(sets) > 1:
        found += [union(list(sets.values()), baseline, name, seed) for name in others]
    return found


UNION = "all sets"


def union(sets: Sequence[dict[str, Result]], baseline: str, name: str, seed: int = 0) -> Comparison:
    """Two configurations over all questions of all sets that both have; every question counts the same."""
    both = [one for one in sets if baseline in one and name in one]
    pairs = [pair for one in both for pair in _pairs(one[baseline], one[name])]
    metrics = [
        metric
        for metric in (both[0][baseline].metrics if both else ())
        if all(metric in one[which].metrics for one in both for which in (baseline, name))
    ]
    return Comparison(UNION, baseline, name, differences(pairs, metrics, seed))


def differences(
    pairs: Sequence[tuple[Scored, Scored]], metrics: Sequence[str], seed: int = 0
) -> tuple[Difference, ...]:
    """The paired difference by metric, over the questions that have it on both sides."""
    found = []
    for metric in metrics:
        both = [(a.scores[metric], b.scores[metric]) for a, b in pairs if metric in a.scores and metric in b.scores]
        if both:
            found.append(paired(metric, [one for one, _ in both], [other for _, other in both], seed))
    return tuple(found)


def warnings(first: Result, second: Result, common: int) -> list[str]:
    """Why two results may not be comparable, one sentence each; none where they are."""
    found = []
    if first.kind != second.kind:
        found.append(f"One is of the kind {first.kind}, the other {second.kind}.")
    if first.dataset != second.dataset:
        found.append(f"The sets are two: {first.dataset} and {second.dataset}.")
    only = (len(first.questions) - common, len(second.questions) - common)
    if any(only):
        found.append(
            f"Not the same questions: {common} are in both, {only[0]} only in the first, {only[1]} only in the second. "
            "Only those in both are compared."
        )
    if first.library and second.library and first.library.content != second.library.content:
        found.append(
            f"The library was not the same: {first.library.papers} papers and {first.library.passages} passages, then "
            f"{second.library.papers} and {second.library.passages}."
        )
    if first.depth != second.depth:
        found.append(f"Rankings of {first.depth} papers are compared with such of {second.depth}.")
    return found


def estimates(questions: Sequence[Scored], metrics: Sequence[str], seed: int = 0) -> dict[str, Estimate]:
    """The mean by metric with its interval, over the questions that have it; metrics that none has are left out."""
    found = {}
    for metric in metrics:
        values = [one.scores[metric] for one in questions if metric in one.scores]
        if values:
            found[metric] = interval(values, seed)
    return found


def result_of(
    settings: Settings, questions: tuple[Scored, ...], metrics: tuple[str, ...], seed: int, **said: Any
) -> Result:
    """A result with where it comes from, and the means of its questions; `said` are its other fields."""
    return Result(
        settings=effective(settings),
        environment=environment(),
        made=utc_now(),
        seed=seed,
        metrics=metrics,
        aggregates=estimates(questions, metrics, seed),
        questions=questions,
        **said,
    )


def lowest(result: Result, count: int, metric: str = "") -> list[Scored]:
    """The questions with the lowest score by a metric ("": the main one), in their order where it is the same.

    Raises:
        UsageError: the result does not have that metric.
    """
    name = metric or result.metrics[0]
    if name not in result.metrics:
        raise UsageError(f"The result {result.id} has no metric '{name}'.", f"It has {', '.join(result.metrics)}.")
    having = [one for one in result.questions if name in one.scores]
    return sorted(having, key=lambda one: one.scores[name])[:count]


def _pairs(first: Result, second: Result) -> list[tuple[Scored, Scored]]:
    """The questions that both have: the same id and the same words."""
    others = {(one.id, one.question): one for one in second.questions}
    return [(one, others[key]) for one in first.questions if (key := (one.id, one.question)) in others]


def _changed(pairs: Sequence[tuple[Scored, Scored]], metric: str, most: int) -> tuple[Changed, ...]:
    moved = [
        Changed(one.id, one.question, one.scores[metric], other.scores[metric])
        for one, other in pairs
        if metric in one.scores and metric in other.scores and one.scores[metric] != other.scores[metric]
    ]
    largest = sorted(moved, key=lambda one: -abs(one.after - one.before))[:most]
    return tuple(sorted(largest, key=lambda one: one.after - one.before))
