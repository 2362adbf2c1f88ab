"""How soon a sentence may join two concepts, learnt of which a library's last years did join."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from conspectus.graph.network import Floats, Ints, Network, numbered
from conspectus.records.graph import Ranking

MEASURES = ("worth", "spoken", "product", "beside")
YEARS = 3
"""The last years, of which is learnt what foretold in the years before that sentences join two concepts."""
PAIRS = 500_000
"""Pairs that are learnt of, about; of these the best `SHARE` by `PLAIN`, for the rest is hardly ever joined."""
SHARE = 0.2
FEWEST = 100
"""Pairs that were joined in the last years, below which nothing is learnt."""
RIDGE, STEPS = 1.0, 25


@dataclass(frozen=True, slots=True)
class Foresight:
    """A logistic regression over measures of pairs.

    Attributes:
        weights: of each of `MEASURES`, float64 [measures].
        learnt: of how many pairs that were joined; 0: the weights are those of before anything is learnt.
    """

    weights: Floats
    learnt: int = 0

    @property
    def ranking(self) -> Ranking:
        """The same as a record."""
        worth, spoken, product, beside = (round(float(one), 9) for one in self.weights)
        return Ranking(worth, spoken, product, beside, self.learnt)

    def scores(self, network: Network, row: int, worth: Floats) -> Floats:
        """Of each concept beside one: the log odds that a sentence joins them soon, but for a constant."""
        return np.asarray(np.round(measures(network, row, worth) @ self.weights, 9))


PLAIN = Foresight(np.array([1.0, 1.0, 0.0, 0.0]))
"""Of a library too small or too new to learn of; chosen by `benchmarks/discovery.py choose`."""


def measures(network: Network, row: int, worth: Floats) -> Floats:
    """Of each concept beside one, as `MEASURES`, float64 [concepts, measures].

    `worth` is that of `Network.shared`; `spoken` and `product` are sum and product of how much is spoken of either
    lately; `beside` is ln(1 + papers that speak of both), newer ones counting more.
    """
    one, other = network.spoken[row], network.spoken
    return np.stack((worth, one + other, one * other, np.log1p(network.lately_beside(row))), axis=1)


def network_and_foresight(rows: Iterable[tuple[int, str, int]], years: Mapping[int, int]) -> tuple[Network, Foresight]:
    """Of (paper, sentence, concept), sentence by sentence: what joins concepts, and how they come to be joined."""
    told = numbered(rows)
    return Network.made(told, years), _learnt(told, years)


def _learnt(told: Ints, years: Mapping[int, int]) -> Foresight:
    if not years:
        return PLAIN
    cut, of = max(years.values()) - YEARS, np.array([years.get(key, 0) for key in told[:, 0].tolist()])
    known, later = (Network.made(told[rows], years) for rows in ((of > 0) & (of <= cut), of > cut))
    pairs = np.concatenate([np.zeros((0, len(MEASURES) + 1)), *_examples(known, later)])
    if pairs[:, -1].sum() < FEWEST:
        return PLAIN
    best = pairs[:, :-1] @ PLAIN.weights
    pairs = pairs[best >= np.quantile(best, 1 - SHARE)]
    return Foresight(_fitted(pairs[:, :-1], pairs[:, -1]), int(pairs[:, -1].sum()))


def _examples(known: Network, later: Network) -> Iterator[Floats]:
    """The measures of pairs that nothing joined, and whether it does later; those of concepts drawn by chance."""
    size = len(known.concepts)
    drawn = np.random.default_rng(0).permutation(size)[: PAIRS // max(size, 1) + 1]
    for row in drawn.tolist():
        apart = np.ones(size, bool)
        apart[[row, *known.around(row).tolist()]] = False
        at = np.searchsorted(later.concepts, known.concepts[row])
        same = at < len(later.concepts) and later.concepts[at] == known.concepts[row]
        near = later.concepts[later.around(int(at))] if same else later.concepts[:0]
        right = np.isin(known.concepts, near)
        yield np.column_stack((measures(known, row, known.shared(row)[0]), right)).astype(np.float64)[apart]


def _fitted(pairs: Floats, right: Floats) -> Floats:
    """The weights of a logistic regression, by Newton's method, with a small ridge on standardised measures."""
    deviations = pairs.std(axis=0) + 1e-9
    scaled = np.column_stack(((pairs - pairs.mean(axis=0)) / deviations, np.ones(len(pairs))))
    ridge, weights = RIDGE * np.diag([*np.ones(pairs.shape[1]), 0.0]), np.zeros(scaled.shape[1])
    for _ in range(STEPS):
        sure = 1 / (1 + np.exp(-np.clip(scaled @ weights, -30, 30)))
        slope = scaled.T @ (right - sure) - ridge @ weights
        weights = weights + np.linalg.solve((scaled * (sure * (1 - sure))[:, None]).T @ scaled + ridge, slope)
    return np.asarray(weights[:-1] / deviations)
