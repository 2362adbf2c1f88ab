"""Hypotheses by Swanson's A-B-C: what no sentence joins to an entity, though both are joined to a third (F19)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np
import numpy.typing as npt

from conspectus.core.errors import UsageError
from conspectus.core.groups import grouped
from conspectus.graph import sql
from conspectus.graph.entities import find_unspecific
from conspectus.graph.explorer import Explorer, size
from conspectus.graph.linking.plausibility import head_word, label_words
from conspectus.graph.linking.words import fold
from conspectus.graph.sql import SentencePlace
from conspectus.records import Filters
from conspectus.records.graph import Bridge, Edge, Entity, Hypothesis, Later, Ranking
from conspectus.session.session import Session
from conspectus.store import entities

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
HALF_LIFE = 5.0
"""Years after which a sentence counts half, from the latest paper on; chosen by `benchmarks/discovery.py choose`."""


@dataclass(frozen=True, slots=True)
class Network:
    """Concepts, what joins them, and which papers mention them.

    Attributes:
        concepts: their keys, sorted, int64 [concepts].
        spoken: ln(1 + sentences that mention each), newer ones counting more, float64 [concepts].
        starts: where the neighbours of each begin in `near`, and where they end, int64 [concepts + 1].
        near: the neighbours, rows of `concepts`, sorted, int64 [2 × joined pairs].
        beside: (paper's key, row of a concept that it mentions), each once, int64 [pairs, 2].
        weights: what each of these counts by the year of its paper, float64 [pairs].
    """

    concepts: Ints
    spoken: Floats
    starts: Ints
    near: Ints
    beside: Ints
    weights: Floats

    @classmethod
    def of(cls, rows: Iterable[tuple[int, str, int]], years: Mapping[int, int]) -> Network:
        """Of (paper, sentence, concept), sentence by sentence; a paper without a year is a half-life old."""
        return cls.made(number_rows(rows), years)

    @classmethod
    def made(cls, told: Ints, years: Mapping[int, int]) -> Network:
        """Of rows as `numbered` makes them, or some of these."""
        concepts, columns = np.unique(told[:, 2], return_inverse=True)
        columns, size = columns.reshape(-1), len(concepts)
        first, second = _join_pairs(told[:, 1], columns, size)
        ends = np.stack((np.append(first, second), np.append(second, first)))
        beside = np.unique(np.stack((told[:, 0], columns), 1), axis=0)
        return cls(
            concepts,
            np.log1p(np.bincount(columns, _weights(told[:, 0], years), size)),
            np.append(0, np.cumsum(np.bincount(ends[0], minlength=size))),
            ends[1][np.lexsort((ends[1], ends[0]))],
            beside,
            _weights(beside[:, 0], years),
        )

    def around(self, row: int) -> Ints:
        """The neighbours of a concept, sorted."""
        return self.near[self.starts[row] : self.starts[row + 1]]

    @property
    def rare(self) -> Floats:
        """1 / ln(neighbours) of each concept: what is joined to everything tells little (Adamic and Adar 2003)."""
        return np.asarray(1 / np.log(np.maximum(np.diff(self.starts), 2)))

    def shared(self, row: int) -> tuple[Floats, Ints]:
        """Over the neighbours that each concept shares with one, the sum of `rare`, and how many they are."""
        worth, number, rare = np.zeros(len(self.concepts)), np.zeros(len(self.concepts), np.int64), self.rare
        for between in self.around(row):
            far = self.around(between)
            worth[far] += rare[between]
            number[far] += 1
        return np.round(worth, 9), number  # rounded, so that equals stay equals in whatever order they are added up

    def between(self, one: int, two: int) -> list[tuple[int, float]]:
        """The neighbours that two concepts share, with what each adds to the sum, the rarest first."""
        both = np.intersect1d(self.around(one), self.around(two), assume_unique=True)
        worth = np.round(self.rare[both], 9)
        order = np.lexsort((both, -worth))
        return [(int(both[at]), float(worth[at])) for at in order]

    def papers_beside(self, row: int) -> Ints:
        """How many papers mention a concept and each other one, int64 [concepts]."""
        return np.bincount(self.beside[self._beside(row), 1], minlength=len(self.concepts))

    def lately_beside(self, row: int) -> Floats:
        """The same, newer papers counting more, float64 [concepts]."""
        inside = self._beside(row)
        return np.bincount(self.beside[inside, 1], self.weights[inside], len(self.concepts)).astype(np.float64)

    def _beside(self, row: int) -> npt.NDArray[np.bool_]:
        papers, columns = self.beside.T
        return np.isin(papers, papers[columns == row])


def number_rows(rows: Iterable[tuple[int, str, int]]) -> Ints:
    """(paper, running number of the sentence, concept), sorted, each once, int64 [mentions, 3]."""
    return np.unique(np.fromiter(_flatten_rows(rows), np.int64).reshape(-1, 3), axis=0)


def _flatten_rows(rows: Iterable[tuple[int, str, int]]) -> Iterator[int]:
    """Paper, running number of the sentence, concept, one after another."""
    number, last = -1, None
    for paper, sentence, concept in rows:
        if last != (paper, sentence):
            number, last = number + 1, (paper, sentence)
        yield from (paper, number, concept)


def _weights(papers: Ints, years: Mapping[int, int]) -> Floats:
    """What a row counts by the year of its paper, float64: 1 of the latest, half of it each `HALF_LIFE` before."""
    keys, rows = np.unique(papers, return_inverse=True)
    latest = max((years[key] for key in keys.tolist() if key in years), default=0)
    ages = np.array([latest - years[key] if key in years else HALF_LIFE for key in keys.tolist()], np.float64)
    return np.asarray(np.exp2(-ages / HALF_LIFE)[rows.reshape(-1)])


def _join_pairs(sentences: Ints, columns: Ints, size: int) -> tuple[Ints, Ints]:
    """Each pair of rows that a sentence joins, once, the lower one first."""
    found, at = [np.zeros(0, np.int64)], np.arange(len(sentences))
    for apart in count(1):  # a sentence's concepts are next to each other: each with the next, the one after, …
        at = at[at + apart < len(sentences)]
        at = at[sentences[at] == sentences[at + apart]]
        if not len(at):
            break
        found.append(np.unique(columns[at] * size + columns[at + apart]))
    pairs = np.unique(np.concatenate(found))
    return pairs // max(size, 1), pairs % max(size, 1)


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

    `worth` is that of `Network.shared`; `spoken` and `product` are sum and product of how often either is mentioned
    lately; `beside` is ln(1 + papers that mention both), newer ones counting more.
    """
    one, other = network.spoken[row], network.spoken
    return np.stack((worth, one + other, one * other, np.log1p(network.lately_beside(row))), axis=1)


def network_and_foresight(rows: Iterable[tuple[int, str, int]], years: Mapping[int, int]) -> tuple[Network, Foresight]:
    """Of (paper, sentence, concept), sentence by sentence: what joins concepts, and how they come to be joined."""
    told = number_rows(rows)
    return Network.made(told, years), _learn_foresight(told, years)


def _learn_foresight(told: Ints, years: Mapping[int, int]) -> Foresight:
    if not years:
        return PLAIN
    cut, of = max(years.values()) - YEARS, np.array([years.get(key, 0) for key in told[:, 0].tolist()])
    known, later = (Network.made(told[rows], years) for rows in ((of > 0) & (of <= cut), of > cut))
    pairs = np.concatenate([np.zeros((0, len(MEASURES) + 1)), *_examples(known, later)])
    if pairs[:, -1].sum() < FEWEST:
        return PLAIN
    best = pairs[:, :-1] @ PLAIN.weights
    pairs = pairs[best >= np.quantile(best, 1 - SHARE)]
    return Foresight(_fit_weights(pairs[:, :-1], pairs[:, -1]), int(pairs[:, -1].sum()))


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


def _fit_weights(pairs: Floats, right: Floats) -> Floats:
    """The weights of a logistic regression, by Newton's method, with a small ridge on standardised measures."""
    deviations = pairs.std(axis=0) + 1e-9
    scaled = np.column_stack(((pairs - pairs.mean(axis=0)) / deviations, np.ones(len(pairs))))
    ridge, weights = RIDGE * np.diag([*np.ones(pairs.shape[1]), 0.0]), np.zeros(scaled.shape[1])
    for _ in range(STEPS):
        sure = 1 / (1 + np.exp(-np.clip(scaled @ weights, -30, 30)))
        slope = scaled.T @ (right - sure) - ridge @ weights
        weights = weights + np.linalg.solve((scaled * (sure * (1 - sure))[:, None]).T @ scaled + ridge, slope)
    return np.asarray(weights[:-1] / deviations)


NEAR, KIND = 4.0, 8.0
"""What a candidate loses that is near in vocabularies, and one that is a kind of what is joined (`left amygdala`)."""
WELL_SPOKEN = float(np.log1p(10))
"""`Network.spoken` of what ten new sentences mention."""
BRIDGES = 3
"""Of what two entities share, how many are shown."""


@dataclass(frozen=True)
class Discoverer:
    """Finds hypotheses of one entity.

    Attributes:
        explorer: of the papers that count.
        network: of the same papers.
        foresight: learnt of these.
        key: the entity.
        after: the papers that came later; None: none are asked.
        above: what is above concepts, in words; see `ConceptKind`.
    """

    explorer: Explorer
    network: Network
    foresight: Foresight
    key: int
    after: Filters | None = None
    above: Mapping[int, frozenset[str]] = field(default_factory=dict)
    _hops: dict[tuple[int, int], list[SentencePlace]] = field(default_factory=dict)

    @property
    def row(self) -> int:
        """The entity's row in the network."""
        return int(np.searchsorted(self.network.concepts, self.key))

    def pairs(self, k: int, *, apart: bool) -> tuple[int, tuple[Hypothesis, ...], tuple[Entity, ...]]:
        """Count the candidates, and return the k best and all entities that these name.

        `apart`: no candidate that a paper mentions with the entity.
        """
        worth, shared = self.network.shared(self.row)
        beside = self.network.papers_beside(self.row)
        measured = measures(self.network, self.row, worth).round(9)
        scores = self.foresight.scores(self.network, self.row, worth)
        rows = self._candidates(shared, beside if apart else np.zeros_like(beside))
        textbook = np.round(self._textbook(rows), 9)
        order = np.lexsort((rows, textbook - scores[rows]))
        best = rows[order][:k].tolist()
        bridges = {row: self._bridges(row) for row in best}
        names = self._entities([*best, *(row for found in bridges.values() for row, _ in found), self.row])
        pairs = tuple(
            Hypothesis(
                rank,
                names[self.row].id,
                names[row].id,
                float(scores[row]),
                **dict(zip(MEASURES, measured[row].tolist(), strict=True)),
                shared=int(shared[row]),
                papers=int(beside[row]),
                paths=tuple(self._bridge(row, between, adds, names) for between, adds in bridges[row]),
                later=self._later(row) if self.after else None,
            )
            for rank, row in enumerate(best, 1)
        )
        return len(rows), pairs, tuple(names.values())

    def _bridges(self, row: int) -> list[tuple[int, float]]:
        """What two entities share, with what it adds: the rarest first, but last what hardly any sentence mentions."""
        spoken = self.network.spoken
        found = self.network.between(self.row, row)
        return sorted(found, key=lambda pair: float(spoken[pair[0]]) < WELL_SPOKEN)[:BRIDGES]

    def _candidates(self, shared: Ints, beside: Ints) -> Ints:
        """The rows that share something with the entity, but no sentence, model or vocabulary joins to it."""
        catalog, group = self.explorer.catalog, self.explorer.group(self.key)
        known = [
            *sql.relation_places(catalog, group, self.explorer.filters),
            *sql.linked_concepts(catalog, group),
            self.key,
        ]
        wanted = (shared > 0) & (beside == 0) & ~np.isin(self.network.concepts, known)
        wanted[self.network.around(self.row)] = False
        return np.flatnonzero(wanted)

    def _textbook(self, rows: Ints) -> Floats:
        """What candidates lose because anybody knows: kinds of what is joined, and what is near in vocabularies.

        The latter by the share of the words above both that are above either.
        """
        concepts, own = self.network.concepts, self.above.get(self.key, frozenset[str]())
        keys, catalog = concepts.tolist(), self.explorer.catalog
        labels = entities.concept_labels(catalog, keys) | sql.plain_labels(catalog, keys)
        words = [frozenset(map(fold, label_words(labels.get(int(one), "")))) for one in concepts]
        heads = [head_word(labels.get(int(one), "")) for one in concepts]
        joined = grouped((heads[row], words[row]) for row in (self.row, *self.network.around(self.row).tolist()))
        found = np.zeros(len(rows))
        for at, row in enumerate(rows.tolist()):
            above = self.above.get(int(concepts[row]), frozenset())
            near = len(above & own) / max(len(above | own), 1)
            is_kind = any(one <= words[row] for one in joined.get(heads[row], ()) if one)
            found[at] = NEAR * near + KIND * is_kind
        return found

    def _entities(self, rows: Sequence[int]) -> dict[int, Entity]:
        keys = {int(self.network.concepts[row]): row for row in rows}
        counts = self.explorer.counts(list(keys))
        found = sql.read_entities(self.explorer.catalog, {key: counts[key] for key in keys})
        return {keys[key]: one for key, one in found.items()}

    def _bridge(self, row: int, between: int, adds: float, names: Mapping[int, Entity]) -> Bridge:
        hops = (self._hop(self.row, between, names), self._hop(between, row, names))
        return Bridge(names[between].id, adds, hops)

    def _hop(self, one: int, two: int, names: Mapping[int, Entity]) -> Edge:
        if (one, two) not in self._hops:
            self._hops[one, two] = self._both(one, two, self.explorer.filters)
        places = self._hops[one, two]
        return Edge(names[one].id, names[two].id, "co-mention", *size(places), self.explorer.cited(places))

    def _both(self, one: int, two: int, filters: Filters) -> list[SentencePlace]:
        first, second = (self.explorer.group(int(self.network.concepts[row])) for row in (one, two))
        return sql.sentences_between(self.explorer.catalog, first, second, filters)

    def _later(self, row: int) -> Later | None:
        """What the later papers say of the entity and another one."""
        assert self.after is not None
        if not (places := self._both(self.row, row, self.after)):
            return None
        papers = self.explorer.catalog.papers_by_key([place.paper for place in places])
        years = {key: paper.year or 0 for key, paper in papers.items()}
        first = min(places, key=lambda place: years[place.paper])
        told = sql.read_citations(self.explorer.catalog, [first])
        return Later(years[first.paper], *size(places), told[0] if told else None)


def network_of(session: Session, explorer: Explorer, asked: int) -> tuple[Network, Foresight]:
    """The network of the papers that an explorer counts, and what is learnt of them.

    What is too general, methods and materials are not in it, but for the entity that is asked for.
    """
    catalog, filters = explorer.catalog, explorer.filters
    left = find_unspecific(session, sql.count_mentions(catalog, filters=filters), filters) - {asked}
    rows = entities.iterate_mentions(catalog, filters)
    return network_and_foresight(
        ((paper, sentence, concept) for paper, _, sentence, concept in rows if concept not in left),
        sql.paper_years(catalog, filters),
    )


def split_years(filters: Filters, until: int | None) -> tuple[Filters, Filters | None]:
    """The papers up to a year, and those after it, if there can be any."""
    first, last = filters.year or (None, None)
    if until is None or (last is not None and last <= until):
        return filters, None
    if first is not None and first > until:
        raise UsageError(f"No paper is of {first} or later and of {until} or earlier.", "Give a later `until`.")
    after = until + 1
    return replace(filters, year=(first, until)), replace(filters, year=(after, last))
