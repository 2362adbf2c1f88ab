"""Which concepts a sentence will soon join: a logistic regression over measures of pairs, learnt from earlier years.

The measures are those that do well in predicting links of concepts (Krenn et al. 2023, "Forecasting the future of
artificial intelligence with machine learning-based link prediction"): degrees and their growth, what two concepts
share, and low-rank pictures of who is mentioned with whom. `benchmarks/hypotheses.py prior` makes the weights that
`link_prior.json` has, which a library's own years correct.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files

import msgspec
import numpy as np
import numpy.typing as npt

from conspectus.graph.network import Floats, Ints, Network, choose_concepts, number_rows
from conspectus.records.graph import Ranking

MEASURES = (
    "worth",
    "spoken",
    "product",
    "beside",
    "resource",
    "common",
    "neighbours",
    "growth",
    "excess",
    "alike_sentences",
    "alike_papers",
    "latent_sentences",
    "latent_papers",
    "worth_logarithm",
    "worth_papers",
    "degrees",
    "spoken_least",
)
"""Of a pair of concepts; see `PairMeasures`."""
YEARS, WINDOWS = 3, 2
"""The last years, of which is learnt what foretold in the years before that sentences join concepts; and how often."""
PAIRS = 1_000_000
"""Pairs of a window that are looked at, about; of those that nothing joins later, `APART` count for all."""
APART = 40_000
FEWEST = 30
"""Pairs that were joined in the last years, below which nothing is learnt."""
CHANCE = 0.5
"""What a pair counts that was joined no more often than by chance: at .3 the first hundred are joined less often, at 1
less strongly."""
RIDGE, STEPS = 50.0, 40
"""How strongly the weights are held to those that come with the program."""
LATENT, TURNS = 32, 8
SAME = 1e-6
"""The deviation of a measure up to which all pairs have the same."""
_LITTLE, _SOME = 0.01, 0.1


@dataclass(frozen=True)
class PairMeasures:
    """Measures of the pairs of a network's concepts.

    Attributes:
        network: the concepts.
        growth: ln of how many times more neighbours each has than `YEARS` before, float64 [concepts].
    """

    network: Network
    growth: Floats

    def rows(self, rows: Ints) -> Floats:
        """Of some concepts with each, as `MEASURES`, float64 [rows, concepts, measures].

        * worth, resource, common: what both are joined to, each counted by 1 / ln(neighbours) (Adamic and Adar 2003),
          by 1 / neighbours (Zhou et al. 2009; as a logarithm), or as one (as ln(1 + number)).
        * spoken, product: sum and product of how often either is mentioned lately.
        * neighbours, growth: the sums of their logarithms, now and against years ago.
        * beside: ln(1 + papers that mention both), newer ones counting more; excess: ln of these against chance.
        * alike: cosine of what is mentioned with either more often than by chance (positive pointwise mutual
          information), in sentences and in papers.
        * latent: what the strongest `LATENT` eigenvectors of ln(1 + number together) say of the pair.
        * worth_logarithm, worth_papers: the logarithm of worth, and of the same over papers that mention both, each
          neighbour by the products of ln(1 + papers) and 1 / ln(their sum).
        * degrees, spoken_least: the product of the logarithms of neighbours; how often the rarer one is mentioned.

        The last four matter for what is ranked first: there the others, in a line, foretell too much.
        """
        network = self.network
        joined, near = self._joined, self._joined[rows]
        degrees, spoken = np.maximum(network.degrees, 1), network.spoken
        wide = np.log1p(network.degrees)
        each = np.diag(network.papers).astype(np.float64)
        chance = np.outer(each[rows], each) / max(network.totals[1], 1)
        worth, (in_papers, rare) = np.round((near * network.rare.astype(np.float32)) @ joined, 6), self._in_papers
        by_measure = {
            "worth": worth,
            "resource": np.log(_LITTLE + (near / degrees.astype(np.float32)) @ joined),
            "common": np.log1p(near @ joined),
            "spoken": spoken[rows, None] + spoken,
            "product": spoken[rows, None] * spoken,
            "neighbours": wide[rows, None] + wide,
            "growth": self.growth[rows, None] + self.growth,
            "beside": np.log1p(network.lately[rows]),
            "excess": np.log((network.papers[rows] + 0.5) / (chance + 0.5)),
            "alike_sentences": self._profiles[0][rows] @ self._profiles[0].T,
            "alike_papers": self._profiles[1][rows] @ self._profiles[1].T,
            "latent_sentences": self._latent[0][rows] @ self._latent[1],
            "latent_papers": self._latent[2][rows] @ self._latent[3],
            "worth_logarithm": np.log(_SOME + worth),
            "worth_papers": np.log(_SOME + (in_papers[rows] * rare) @ in_papers),
            "degrees": wide[rows, None] * wide,
            "spoken_least": np.minimum(spoken[rows, None], spoken),
        }
        return np.stack([by_measure[name].astype(np.float64) for name in MEASURES], axis=2)

    @cached_property
    def _joined(self) -> npt.NDArray[np.float32]:
        return self.network.joined.astype(np.float32)

    @cached_property
    def _in_papers(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """ln(1 + papers that mention two concepts), and what each counts as a neighbour."""
        in_papers = np.log1p(self.network.papers)
        np.fill_diagonal(in_papers, 0)
        return in_papers, np.asarray(1 / np.log(2 + in_papers.sum(axis=1)), np.float32)

    @cached_property
    def _profiles(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        network = self.network
        return _profiles(network.sentences, network.totals[0]), _profiles(network.papers, network.totals[1])

    @cached_property
    def _latent(self) -> tuple[Floats, Floats, Floats, Floats]:
        return *_factors(self.network.sentences), *_factors(self.network.papers)


def _profiles(together: npt.NDArray[np.float32], total: int) -> npt.NDArray[np.float32]:
    """Unit rows of positive pointwise mutual information; a concept is not with itself."""
    each = np.maximum(np.diag(together), 1)
    with np.errstate(divide="ignore"):
        information = np.maximum(np.log(together * np.float32(total) / np.outer(each, each)), 0)
    np.fill_diagonal(information, 0)
    return np.asarray(information / np.maximum(np.linalg.norm(information, axis=1, keepdims=True), 1e-9), np.float32)


def _factors(together: npt.NDArray[np.float32]) -> tuple[Floats, Floats]:
    """Two factors of the best approximation by `LATENT` eigenvectors, found by subspace iteration."""
    matrix = np.log1p(together)
    np.fill_diagonal(matrix, 0)
    size = len(matrix)
    base = np.random.default_rng(0).standard_normal((size, min(LATENT + 8, size)))
    for _ in range(TURNS):
        base, _ = np.linalg.qr(matrix @ base)
    values, turned = np.linalg.eigh(base.T @ (matrix @ base))
    best = np.argsort(-np.abs(values), kind="stable")[:LATENT]
    vectors = base @ turned[:, best]
    return np.asarray(vectors * values[best]), np.asarray(vectors.T)


@dataclass(frozen=True, slots=True)
class Foresight:
    """A logistic regression over measures of pairs that nothing joins.

    Attributes:
        weights: of each of `MEASURES` in deviations, float64 [measures].
        means, deviations: of the measures, over pairs that nothing joins, float64 [measures].
        learnt: of how many pairs that were joined; 0: the weights are those that come with the program.
    """

    weights: Floats
    means: Floats
    deviations: Floats
    learnt: int = 0

    @property
    def ranking(self) -> Ranking:
        """The same as a record, the weights in units of the measures."""
        each = (round(float(weight), 9) for weight in self.weights / self.deviations)
        weights = dict(zip(MEASURES, each, strict=True))
        main = {name: weights.pop(name) for name in ("worth", "spoken", "product", "beside")}
        return Ranking(**main, learnt=self.learnt, others=weights)

    def scores(self, measures: Floats) -> Floats:
        """Log odds of pairs, by their measures, of being joined soon, but for a constant; float64 [..., measures]."""
        return np.asarray(np.round((measures - self.means) / self.deviations @ self.weights, 9))


@dataclass(frozen=True, slots=True)
class LinkForecast:
    """What joins concepts, the measures of pairs, and how these foretell what is joined next."""

    network: Network
    measures: PairMeasures
    foresight: Foresight


@lru_cache(1)
def prior_weights() -> Floats:
    """The weights that come with the program, float64 [measures]."""
    by_measure = msgspec.json.decode(
        files("conspectus.graph").joinpath("link_prior.json").read_bytes(), type=dict[str, float]
    )
    return np.array([by_measure[name] for name in MEASURES])


def forecast_links(
    rows: Iterable[tuple[int, str, int]], years: Mapping[int, int], needed: Collection[int] = ()
) -> LinkForecast:
    """Learn from (paper, sentence, concept), sentence by sentence, and the years of papers.

    `needed`: concepts that are in the network, however few papers mention them.
    """
    mentions = number_rows(rows)
    return forecast_of(mentions, years, choose_concepts(mentions, needed))


def forecast_of(
    mentions: Ints, years: Mapping[int, int], concepts: Ints | None = None, prior: Floats | None = None
) -> LinkForecast:
    """The same from rows as `number_rows` makes them."""
    prior = prior_weights() if prior is None else prior
    when = np.array([years.get(key, 0) for key in mentions[:, 0].tolist()], np.int64)
    last = max(years.values(), default=0)
    network = Network.from_mentions(mentions, years, concepts)
    measures = PairMeasures(network, _growth(network, mentions, years, when, last))
    means, deviations = _scales(measures)
    examples = list(past_examples(mentions, years)) if years else []
    learnt = int(sum((right > 0).sum() for _, right, _ in examples))
    weights = prior
    if learnt >= FEWEST:
        values, right, counts = (np.concatenate(parts) for parts in zip(*examples, strict=True))
        weights = fit_weights(values, right, counts, prior)
    return LinkForecast(network, measures, Foresight(weights, means, deviations, learnt if learnt >= FEWEST else 0))


def _growth(network: Network, mentions: Ints, years: Mapping[int, int], when: Ints, last: int) -> Floats:
    before = Network.from_mentions(mentions[(when > 0) & (when <= last - YEARS)], years, network.concepts)
    return np.log1p(network.degrees) - np.log1p(before.degrees)


def _scales(measures: PairMeasures) -> tuple[Floats, Floats]:
    values = np.concatenate([np.zeros((0, len(MEASURES))), *(block for block, _ in _unjoined_measures(measures))])
    if not len(values):
        return np.zeros(len(MEASURES)), np.ones(len(MEASURES))
    deviations = values.std(axis=0)
    return values.mean(axis=0), np.where(deviations > SAME, deviations, 1.0)


def _unjoined_measures(measures: PairMeasures) -> Iterator[tuple[Floats, tuple[Ints, Ints]]]:
    """The measures of pairs that nothing joins, with their rows; of concepts drawn by chance, if they are many."""
    size = len(measures.network.concepts)
    drawn = np.sort(np.random.default_rng(0).permutation(size)[: PAIRS // max(size, 1) + 1])
    for rows in np.array_split(drawn, max(len(drawn) // 128, 1)):
        apart = ~measures.network.joined[rows]
        apart[np.arange(len(rows)), rows] = False
        first, second = np.nonzero(apart)
        yield measures.rows(rows)[first, second], (rows[first], second)


def past_examples(mentions: Ints, years: Mapping[int, int]) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Pairs that nothing joined at an earlier time: measures in deviations, whether they were joined then, and weights.

    A pair that was joined counts by ln(1 + log-likelihood ratio) of its sentences over the mean of this, so that what
    is joined by chance counts `CHANCE`.
    """
    when = np.array([years.get(key, 0) for key in mentions[:, 0].tolist()], np.int64)
    last = max(years.values())
    for window in range(1, WINDOWS + 1):
        cut = last - YEARS * window
        past, then = mentions[(when > 0) & (when <= cut)], mentions[(when > cut) & (when <= cut + YEARS)]
        if not len(past) or not len(then):
            continue
        network = Network.from_mentions(past, years)
        later = Network.from_mentions(then, years, network.concepts)
        measures = PairMeasures(network, _growth(network, past, years, when[(when > 0) & (when <= cut)], cut))
        parts = [(values, *_right(later, *pair)) for values, pair in _unjoined_measures(measures)]
        values, right, importance = (np.concatenate(part) for part in zip(*parts, strict=True))
        if right.any():
            yield _thin((values - values.mean(axis=0)) / (values.std(axis=0) + 1e-9), right, importance)


def _right(later: Network, first: Ints, second: Ints) -> tuple[Floats, Floats]:
    """Whether pairs are joined later, 0 or 1, and how strongly."""
    if not len(first):
        return np.zeros(0), np.zeros(0)
    strengths = np.stack([later.association(row) for row in np.unique(first)])
    at = np.searchsorted(np.unique(first), first)
    return later.joined[first, second].astype(np.float64), np.log1p(strengths[at, second])


def _thin(values: Floats, right: Floats, importance: Floats) -> tuple[Floats, Floats, Floats]:
    """All pairs that were joined, and `APART` of the others, which count for all of these."""
    joined, others = np.flatnonzero(right > 0), np.flatnonzero(right == 0)
    sample = np.random.default_rng(0).permutation(others)[:APART]
    worth = CHANCE + (1 - CHANCE) * importance[joined] / max(float(importance[joined].mean()), 1e-9)
    weights = np.concatenate((worth, np.full(len(sample), len(others) / max(len(sample), 1))))
    rows = np.concatenate((joined, sample))
    return values[rows], right[rows], weights


def fit_weights(values: Floats, right: Floats, counts: Floats, prior: Floats, ridge: float = RIDGE) -> Floats:
    """The weights of a logistic regression with a ridge towards others, by Newton's method with halved steps."""
    table = np.column_stack((values, np.ones(len(values))))
    center = np.append(prior, 0.0)
    holds = np.append(np.full(len(prior), ridge), 1e-6)
    weights = np.append(prior, np.log(max(float(np.average(right, weights=counts)), 1e-9)))

    def loss(at: Floats) -> float:
        odds = table @ at
        return float((counts * (np.logaddexp(0, odds) - right * odds)).sum() + (holds * (at - center) ** 2).sum() / 2)

    now = loss(weights)
    for _ in range(STEPS):
        sure = 1 / (1 + np.exp(-np.clip(table @ weights, -30, 30)))
        slope = table.T @ (counts * (right - sure)) - holds * (weights - center)
        bend = (table * (counts * sure * (1 - sure))[:, None]).T @ table + np.diag(holds)
        step = np.linalg.solve(bend, slope)
        part = next((half for half in np.exp2(-np.arange(12)) if loss(weights + half * step) < now), 0.0)
        weights, before, now = weights + part * step, now, loss(weights + part * step)
        if before - now < 1e-7 * abs(before):
            break
    return np.asarray(weights[:-1])
