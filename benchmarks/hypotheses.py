"""Are the pairs that `hypotheses` and `graph discover` rank high later said together? Judged by time.

    python benchmarks/hypotheses.py [prior | choose | judge]

A network of the papers up to a time ranks all pairs of specific concepts that no sentence joins; right are those that
a sentence of a later paper joins. Measured are AUC (ties count half), P@100, and the same P@100 with each right pair
counting by its importance: ln(1 + log-likelihood ratio) of its later sentences, over the mean of all right pairs
(after Dyport, Tyagin and Safro 2024: what is said once by chance is no discovery). Intervals (95 %) are of 200
resamples of the concepts, for pairs with a concept in common are not independent.

Held against, in the same run: Adamic–Adar, and a logistic regression over temporal degrees (the degrees of both now
and one, two and three years ago, as in Science4Cast's baseline), learnt of the same earlier pairs; also common
neighbours, preferential attachment and chance. `prior` makes `link_prior.json` from arxiv_astro and arxiv_topics;
`choose` has the slices by which measures were chosen; `judge` those that were read once.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from dated_mentions import DatedMentions, read_mentions
from results import Figure, join_figures, store_figures

import conspectus.graph
from conspectus.graph.link_prediction import (
    APART,
    MEASURES,
    YEARS,
    LinkForecast,
    fit_weights,
    forecast_of,
    past_examples,
)
from conspectus.graph.network import Floats, Ints, Network

SLICES = {
    "choose": [
        ("arxiv_astro", 2013, 2016),
        ("arxiv_astro", 2016, 2019),
        ("arxiv_topics", 2010, 2013),
        ("neuro_corpus", 2013, 2015),
        ("neuro_corpus", 2014, 2017),
    ],
    "judge": [
        ("arxiv_cited", 4 * 1993 + 3, 4 * 1994 + 3),
        ("arxiv_cited", 4 * 1994 + 1, 4 * 1996 + 3),
        ("bioasq", 2014, 2017),
        ("bioasq", 2017, 2021),
        ("neuro_corpus", 2018, 2021),
        ("neuro_corpus", 2021, 2024),
    ],
}
"""Corpus, the last time that is known, the last that is asked of; arxiv_cited by quarters, four to a year."""
PRIOR = [("arxiv_astro", 2012), ("arxiv_astro", 2018), ("arxiv_topics", 2012), ("arxiv_topics", 2018)]
OURS, DEGREES, SHARED = "hypotheses", "temporal degree + LR", "Adamic–Adar"
RESAMPLES, BEST = 200, 100
WEIGHTS = Path(conspectus.graph.__file__).with_name("link_prior.json")


def split_mentions(rows: Ints) -> tuple[Ints, dict[int, int]]:
    """Mentions as a network takes them, and the years of papers."""
    return rows[:, :3], dict(rows[:, [0, 3]].tolist())


@dataclass(frozen=True)
class TimeSlice:
    """Pairs of concepts that nothing joins up to a time, in compressed form.

    Attributes:
        first, second: the two concepts of each pair, int64 [pairs].
        right: whether a later sentence joins them, bool [pairs].
        importance: of those that are right, with a mean of 1, float64 [pairs].
        scores: by the name of who ranks, each float64 [pairs].
        concepts: how many there are.
    """

    first: Ints
    second: Ints
    right: Any
    importance: Floats
    scores: dict[str, Floats]
    concepts: int


def cut_slice(mentions: DatedMentions, until: int, last: int) -> TimeSlice:
    """The pairs of a slice with all scores of them."""
    began = perf_counter()
    rows = mentions.specific
    known, years = split_mentions(rows[rows[:, 3] <= until])
    forecast = forecast_of(known, years)
    network = forecast.network
    size = len(network.concepts)
    first, second = np.nonzero(np.triu(~network.joined, 1))
    ours = np.concatenate([_ours(forecast, row, second[first == row]) for row in range(size)])
    print(f"  {size} concepts, {perf_counter() - began:.1f} s, learnt of {forecast.foresight.learnt}", flush=True)
    near = network.joined.astype(np.float64)
    often = np.diag(network.sentences).astype(np.float64)
    every = {
        SHARED: (near * network.rare) @ near,
        "common neighbours": near @ near,
        "preferential": np.outer(often, often),
        "chance": np.random.default_rng(0).random((size, size)),
    }
    scores = {OURS: ours, DEGREES: degree_scores(known, years, network, first, second)}
    scores |= {name: values[first, second] for name, values in every.items()}
    later = Network.from_mentions(*split_mentions(rows[(rows[:, 3] > until) & (rows[:, 3] <= last)]), network.concepts)
    right = later.joined[first, second]
    strength = np.concatenate([later.association(row)[second[first == row]] for row in range(size)])
    importance = np.where(right, np.log1p(strength), 0)
    return TimeSlice(first, second, right, importance / max(importance[right].mean(), 1e-9), scores, size)


def _ours(forecast: LinkForecast, row: int, others: Ints) -> Floats:
    return forecast.foresight.scores(forecast.measures.rows(np.array([row]))[0][others])


def degree_scores(known: Ints, years: dict[int, int], network: Network, first: Ints, second: Ints) -> Floats:
    """The baseline: a logistic regression over degrees at three times, learnt of pairs of the last window."""
    when = np.array([years[key] for key in known[:, 0].tolist()])
    last = int(when.max())
    past = known[when <= last - YEARS]
    then = Network.from_mentions(past, years)
    one, two = np.nonzero(np.triu(~then.joined, 1))
    later = Network.from_mentions(known[when > last - YEARS], years, then.concepts).joined[one, two]
    others = np.random.default_rng(0).permutation(np.flatnonzero(~later))[:APART]
    some = np.concatenate((np.flatnonzero(later), others))
    counts = np.where(later[some], 1.0, (~later).sum() / max(len(others), 1))
    values = _degrees(past, years, then, last - YEARS)
    learnt = _paired(values, one[some], two[some])
    every = _paired(values, one, two)
    means, deviations = every.mean(axis=0), every.std(axis=0) + 1e-9
    weights = fit_weights((learnt - means) / deviations, later[some].astype(float), counts, np.zeros(len(means)), 1.0)
    asked = _paired(_degrees(known, years, network, last), first, second)
    return (asked - asked.mean(axis=0)) / (asked.std(axis=0) + 1e-9) @ weights


def _degrees(rows: Ints, years: dict[int, int], network: Network, last: int) -> Floats:
    """ln(1 + degree) of each concept now, and one, two and `YEARS` years ago."""
    when = np.array([years[key] for key in rows[:, 0].tolist()])
    before = (Network.from_mentions(rows[when <= last - ago], years, network.concepts).degrees for ago in (1, 2, YEARS))
    return np.log1p(np.stack((network.degrees, *before), axis=1))


def _paired(values: Floats, first: Ints, second: Ints) -> Floats:
    one, two = values[first], values[second]
    return np.concatenate((one + two, one * two, np.abs(one - two)), axis=1)


@dataclass(frozen=True)
class RankedPairs:
    """Pairs from the best to the worst; `ends`: where each group of equals ends."""

    order: Ints
    ends: Ints

    @classmethod
    def of(cls, scores: Floats) -> RankedPairs:
        """By their scores."""
        order = np.argsort(-scores, kind="stable")
        ends = np.append(np.flatnonzero(np.diff(scores[order])) + 1, len(order))
        return cls(order, ends)

    def judge(self, right: Any, importance: Floats, weights: Floats) -> tuple[float, float, float]:
        """P@100, the same by importance, and AUC; equals count as if in any order, a pair as often as its weight."""
        own = weights[self.order]
        hits = np.cumsum(own * right[self.order])[self.ends - 1]
        worth = np.cumsum(own * importance[self.order])[self.ends - 1]
        number = np.cumsum(own)[self.ends - 1]
        plain, weighted = (
            float(np.interp(BEST, np.append(0, number), np.append(0, values))) / BEST for values in (hits, worth)
        )
        wrong = np.append(0, number - hits)
        area = np.sum(np.diff(wrong) * (np.append(0, hits)[:-1] + np.append(0, hits)[1:])) / 2
        return plain, weighted, float(area / (hits[-1] * wrong[-1]))


def resample(one: TimeSlice, ranked: dict[str, RankedPairs]) -> Floats:
    """The measures of each who ranks, of concepts drawn again, float64 [resamples, rankers, 3]."""
    draw = np.random.default_rng(1)
    found = np.zeros((RESAMPLES, len(ranked), 3))
    for number in range(RESAMPLES):
        often = np.bincount(draw.integers(0, one.concepts, one.concepts), minlength=one.concepts)
        weights = (often[one.first] * often[one.second]).astype(np.float64)
        found[number] = [each.judge(one.right, one.importance, weights) for each in ranked.values()]
    return found


def span(values: Floats) -> str:
    """The 95 % interval of resampled values."""
    low, high = np.percentile(values, (2.5, 97.5))
    return f"[{low:+.3f}, {high:+.3f}]"


def print_measures(names: list[str], real: Floats, drawn: Floats) -> None:
    """A line for each who ranks, with what ours has more."""
    for row, name in enumerate(names):
        parts = [
            f"{what} {real[row, at]:.3f}"
            + (f" ({real[0, at] - real[row, at]:+.3f} {span(drawn[:, 0, at] - drawn[:, row, at])})" if row else "")
            for at, what in enumerate(("P@100", "weighted", "AUC"))
        ]
        print(f"  {name:21} {' | '.join(parts)}", flush=True)


def run_slices(which: str) -> None:
    """Prints all slices of `choose` or `judge`, and their mean, and keeps the latter of `judge`."""
    reals, draws, names = [], [], list[str]()
    for corpus, until, last in SLICES[which]:
        print(f"{corpus}, up to {until}, asked of {until + 1} to {last}:")
        one = cut_slice(read_mentions(corpus), until, last)
        print(f"  {len(one.right)} pairs, {int(one.right.sum())} said later")
        ranked = {name: RankedPairs.of(scores) for name, scores in one.scores.items()}
        names = list(ranked)
        everything = np.ones(len(one.right))
        reals.append(np.array([each.judge(one.right, one.importance, everything) for each in ranked.values()]))
        draws.append(resample(one, ranked))
        print_measures(names, reals[-1], draws[-1])
    print("mean of all")
    real, drawn = np.mean(reals, axis=0), np.mean(draws, axis=0)
    print_measures(names, real, drawn)
    if which == "judge":
        _store(names, real, drawn)


def _store(names: list[str], real: Floats, drawn: Floats) -> None:
    def peer(name: str, at: int) -> str:
        row = names.index(name)
        more, interval = real[0, at] - real[row, at], span(drawn[:, 0, at] - drawn[:, row, at])
        return f"{name} {real[row, at]:.3f}, ours {more:+.3f} {interval}"

    whats = ("P@100", "P@100 weighted by importance", "AUC")
    figures = [
        Figure(
            what,
            f"{real[0, at]:.3f}",
            peer=f"{peer(SHARED, at)}; {peer(DEGREES, at)}",
        )
        for at, what in enumerate(whats)
    ]
    store_figures(
        "hypotheses",
        "graph",
        "python benchmarks/hypotheses.py judge",
        [join_figures("Pairs joined later, six slices", figures)],
    )


def make_prior() -> None:
    """Write the weights of other corpora, each window of each counting the same."""
    parts = list[tuple[Floats, Floats, Floats]]()
    for corpus, until in PRIOR:
        rows = read_mentions(corpus).specific
        parts += list(_windows(rows[rows[:, 3] <= until]))
    table = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    weights = fit_weights(table[0], table[1], table[2], np.zeros(len(MEASURES)), 30.0)
    held = {name: round(float(weight), 4) for name, weight in zip(MEASURES, weights, strict=True)}
    WEIGHTS.write_text(json.dumps(held, indent=1) + "\n", "utf-8")
    print(held)


def _windows(rows: Ints) -> Iterator[tuple[Floats, Floats, Floats]]:
    for values, right, counts in past_examples(*split_mentions(rows)):
        yield values, right, counts * 300 / right.sum()


if __name__ == "__main__":
    asked = sys.argv[1] if len(sys.argv) > 1 else "judge"
    make_prior() if asked == "prior" else run_slices(asked)
