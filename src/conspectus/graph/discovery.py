"""Hypotheses by Swanson's A-B-C: what no sentence joins to an entity, though both are joined to a third (F19)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import islice

import numpy as np

from conspectus.core.errors import UsageError
from conspectus.graph import sql
from conspectus.graph.entities import find_unspecific, rate_generality
from conspectus.graph.example_sentences import order_by_clarity
from conspectus.graph.explorer import Explorer, size
from conspectus.graph.link_prediction import MEASURES, LinkForecast, forecast_links
from conspectus.graph.linking.plausibility import describe_concepts
from conspectus.graph.name_table_cache import load_name_table
from conspectus.graph.network import Floats, Ints, Network
from conspectus.graph.pair_interest import FEWEST, NEAR, PairInterest
from conspectus.graph.sql import SentencePlace
from conspectus.graph.vocabularies import sql as vocabulary_sql
from conspectus.records import Citation, Filters
from conspectus.records.graph import Bridge, Edge, Entity, Hypothesis, Later
from conspectus.session.session import Session
from conspectus.store import entities
from conspectus.store.connection import CatalogReader

PAPERS, BRIDGES, SPECIFIC = 3, 3, 2
"""Papers that each entity of a pair needs in a library that is not small, entities that both are joined to, and how
many of these are not general."""
DEEP = 200
"""Candidates of an entity that are compared name by name, at least."""
AT_ONCE = 64
EXAMPLES = 12
"""Sentences of an edge among which the clearest are chosen."""


@dataclass(frozen=True)
class Discoverer:
    """Finds hypotheses in a network.

    Attributes:
        explorer: of the papers that count.
        interest: of pairs of the network of the same papers.
        after: the papers that came later; None: none are asked.
    """

    explorer: Explorer
    interest: PairInterest
    after: Filters | None = None
    _hops: dict[tuple[int, int], list[SentencePlace]] = field(default_factory=dict)
    _known_of: dict[int, frozenset[int]] = field(default_factory=dict)

    @property
    def forecast(self) -> LinkForecast:
        """What joins concepts, and what will."""
        return self.interest.forecast

    @property
    def network(self) -> Network:
        """The network."""
        return self.forecast.network

    def row(self, key: int) -> int:
        """An entity's row in the network."""
        return int(np.searchsorted(self.network.concepts, key))

    def pairs(self, key: int, k: int, *, only_apart: bool) -> tuple[int, tuple[Hypothesis, ...], tuple[Entity, ...]]:
        """Count the candidates of an entity, and return the k best and all entities that these name.

        `only_apart`: no candidate that a paper mentions with the entity.
        """
        row = self.row(key)
        measures = self.forecast.measures.rows(np.array([row]))[0]
        number, rows = self.rank_candidates(row, measures, k, only_apart=only_apart)
        return number, *self.describe([(row, other, worth) for other, worth in rows[:k]])

    def best_pairs(self, rows: Collection[int], k: int, each: int) -> tuple[int, list[tuple[int, int, float]]]:
        """Count the candidate pairs of some rows with any; the k best and their worth; an entity is in `each` at most.

        An entity that is asked for may be in any number.
        """
        asked_rows = set[int]() if len(rows) == len(self.network.concepts) else set(rows)
        number, lists = 0, []
        order = list(rows) if asked_rows else np.flatnonzero(self.interest.specific).tolist()
        for start in range(0, len(order), AT_ONCE):
            chunk = order[start : start + AT_ONCE]
            for row, measures in zip(chunk, self.forecast.measures.rows(np.array(chunk)), strict=True):
                count, others = self.rank_candidates(row, measures, known=False)
                number += count
                lists.append([(-worth, row, other) for other, worth in others])
        chosen = list(islice(self._spread(merge(*lists), asked_rows, each), k))
        return number if asked_rows else number // 2, chosen

    def _spread(
        self, pairs: Iterator[tuple[float, int, int]], asked_rows: Collection[int], each: int
    ) -> Iterator[tuple[int, int, float]]:
        """Pairs that nothing joins, once each, without those whose entities were in enough pairs."""
        number: dict[int, int] = {}
        seen = set[tuple[int, int]]()
        for loss, first, second in pairs:
            ends = (min(first, second), max(first, second))
            if ends in seen or any(number.get(end, 0) >= each and end not in asked_rows for end in ends):
                continue
            seen.add(ends)
            if int(self.network.concepts[second]) in self._joined_concepts(first):
                continue
            for end in ends:
                number[end] = number.get(end, 0) + 1
            yield first, second, -loss

    def rank_candidates(
        self, row: int, measures: Floats, k: int = 0, *, only_apart: bool = False, known: bool = True
    ) -> tuple[int, list[tuple[int, float]]]:
        """Count the candidates of an entity, and return the best with what they are worth, k or more.

        Worth is the log odds that a sentence joins them soon, less what `PairInterest` says.

        Args:
            row: of the entity.
            measures: of it with each, float64 [concepts, measures].
            only_apart: leave out what a paper mentions with it.
            known: leave out what a model or a vocabulary joins to it.
        """
        rows = self._candidates(row, only_apart=only_apart)
        if known:
            rows = rows[~np.isin(self.network.concepts[rows], list(self._joined_concepts(row)))]
        costs = self.interest.costs[row] + self.interest.costs[rows] + self.interest.sameness(measures[rows])
        worth = np.round(self.forecast.foresight.scores(measures[rows]) - costs, 9)
        deep = np.lexsort((rows, -worth))[: max(4 * k, DEEP)]
        best, worth = rows[deep], np.round(worth[deep] - self.interest.textbook(row, rows[deep]), 9)
        order = np.lexsort((best, -worth))
        return len(rows), list(zip(best[order].tolist(), worth[order].tolist(), strict=True))

    def _candidates(self, row: int, *, only_apart: bool) -> Ints:
        """The rows of specific entities that share enough with an entity, but that no sentence joins to it.

        A sentence on primordial black holes is one on black holes, too.
        """
        network, papers = self.network, np.diag(self.network.papers)
        of, kinds = self.interest.kinds.T
        joined = np.logical_or.reduce(network.joined[[row, *kinds[of == row]]])
        joined[of[joined[kinds]]] = True
        specific, around = self.interest.specific, network.around(row)
        shared = network.joined[around].sum(axis=0)
        large = network.totals[1] >= FEWEST
        mask = specific & (shared >= (BRIDGES if large else 1)) & (papers >= (PAPERS if large else 1)) & ~joined
        if only_apart:
            mask &= network.papers[row] == 0
        if large:
            mask &= network.joined[around[specific[around]]].sum(axis=0) >= SPECIFIC
        mask[row] = False
        return np.flatnonzero(mask)

    def _joined_concepts(self, row: int) -> frozenset[int]:
        """The concepts that a model or a vocabulary joins to one."""
        if row not in self._known_of:
            catalog, group = self.explorer.catalog, self.explorer.group(int(self.network.concepts[row]))
            stated = sql.relation_places(catalog, group, self.explorer.filters)
            self._known_of[row] = frozenset((*stated, *sql.linked_concepts(catalog, group)))
        return self._known_of[row]

    def describe(self, pairs: Sequence[tuple[int, int, float]]) -> tuple[tuple[Hypothesis, ...], tuple[Entity, ...]]:
        """Pairs of rows with their worth as records in their order, and all entities that these name."""
        worth = {(first, second): value for first, second, value in pairs}
        bridges = {pair: self._bridges(*pair) for pair in worth}
        rows = dict.fromkeys(
            row for pair, pair_bridges in bridges.items() for row in (*pair, *(via for via, _ in pair_bridges))
        )
        names = self._entities(list(rows))
        hypotheses = (
            self._hypothesis(rank, pair, worth[pair], bridges[pair], names) for rank, pair in enumerate(worth, 1)
        )
        return tuple(hypotheses), tuple(names.values())

    def _hypothesis(
        self,
        rank: int,
        pair: tuple[int, int],
        worth: float,
        bridges: Sequence[tuple[int, float]],
        names: Mapping[int, Entity],
    ) -> Hypothesis:
        first, second = pair
        measures = self.forecast.measures.rows(np.array([first]))[0, second]
        by_measure = dict(zip(MEASURES, measures.round(9).tolist(), strict=True))
        return Hypothesis(
            rank,
            names[first].id,
            names[second].id,
            worth,
            **{name: by_measure[name] for name in ("worth", "spoken", "product", "beside")},
            shared=int((self.network.joined[first] & self.network.joined[second]).sum()),
            papers=int(self.network.papers[first, second]),
            paths=tuple(self._bridge(pair, via, adds, names) for via, adds in bridges),
            later=self._later(pair) if self.after else None,
        )

    def _bridges(self, first: int, second: int) -> list[tuple[int, float]]:
        """The best of what two entities share, with what it adds to their score.

        Best is what is specific, mentioned with both much more often than by chance, and neither joined to everything
        nor near one of them in vocabularies.
        """
        shared_rows = [pair for pair in self.network.between(first, second) if self.interest.specific[pair[0]]]
        rows = np.array([row for row, _ in shared_rows], np.int64)
        if not len(rows):
            return []
        ties = np.minimum(*(np.log1p(self.network.association(end)[rows]) for end in (first, second)))
        textbook = np.maximum(*(self.interest.textbook(end, rows) for end in (first, second)))
        worth = ties * self.network.rare[rows] - self.interest.costs[rows] / 4 - np.minimum(textbook, NEAR) / 4
        order = np.lexsort((rows, -np.round(worth, 9)))
        return [shared_rows[at] for at in order[:BRIDGES]]

    def _entities(self, rows: Sequence[int]) -> dict[int, Entity]:
        keys = {int(self.network.concepts[row]): row for row in rows}
        counts = self.explorer.counts(list(keys))
        entity_by_key = sql.read_entities(self.explorer.catalog, {key: counts[key] for key in keys})
        return {keys[key]: entity for key, entity in entity_by_key.items()}

    def _bridge(self, pair: tuple[int, int], via: int, adds: float, names: Mapping[int, Entity]) -> Bridge:
        hops = (self._hop(pair[0], via, names), self._hop(via, pair[1], names))
        return Bridge(names[via].id, adds, hops)

    def _hop(self, first: int, second: int, names: Mapping[int, Entity]) -> Edge:
        if (first, second) not in self._hops:
            self._hops[first, second] = self._both(first, second, self.explorer.filters)
        places = self._hops[first, second]
        return Edge(names[first].id, names[second].id, "co-mention", *size(places), self._clearest(places))

    def _clearest(self, places: Sequence[SentencePlace]) -> tuple[Citation, ...]:
        if not self.explorer.examples:
            return ()
        read = sql.read_citations(self.explorer.catalog, places[: max(EXAMPLES, self.explorer.examples)])
        return tuple(order_by_clarity(read)[: self.explorer.examples])

    def _both(self, first_row: int, second_row: int, filters: Filters) -> list[SentencePlace]:
        first, second = (self.explorer.group(int(self.network.concepts[row])) for row in (first_row, second_row))
        return sql.sentences_between(self.explorer.catalog, first, second, filters)

    def _later(self, pair: tuple[int, int]) -> Later | None:
        """What the later papers say of two entities."""
        assert self.after is not None
        if not (places := self._both(*pair, self.after)):
            return None
        papers = self.explorer.catalog.papers_by_key([place.paper for place in places])
        years = {key: paper.year or 0 for key, paper in papers.items()}
        first = min(places, key=lambda place: years[place.paper])
        citations = sql.read_citations(self.explorer.catalog, [first])
        return Later(years[first.paper], *size(places), citations[0] if citations else None)


def network_of(session: Session, explorer: Explorer, extra_keys: Collection[int] = ()) -> LinkForecast:
    """The network of the papers that an explorer counts, and what is learnt of them.

    What is too general, methods and materials are not in it, but for the entities that are asked for.
    """
    catalog, filters = explorer.catalog, explorer.filters
    left = find_unspecific(session, sql.count_mentions(catalog, filters=filters), filters) - set(extra_keys)
    rows = entities.iterate_mentions(catalog, filters)
    return forecast_links(
        ((paper, sentence, concept) for paper, _, sentence, concept in rows if concept not in left),
        sql.paper_years(catalog, filters),
        extra_keys,
    )


def find_discoverer(
    session: Session, explorer: Explorer, entity_keys: Collection[int], after: Filters | None
) -> Discoverer:
    """The discoverer of a library, whose network is held in memory."""

    def load(extra_keys: Collection[int]) -> LinkForecast:
        state = explorer.filters, tuple(extra_keys), *sql.graph_state(session.catalog)
        return session.parts.get_cached("network", lambda: network_of(session, explorer, extra_keys), *state, most=2)

    forecast = load(())
    if lacking := [key for key in entity_keys if key not in forecast.network.concepts]:  # general, a method, or rare
        forecast = load(sorted(lacking))
    keys, catalog = forecast.network.concepts.tolist(), session.catalog
    counts = sql.count_mentions(catalog, keys, explorer.filters)
    interest = PairInterest(
        forecast,
        entities.concept_labels(catalog, keys) | sql.plain_labels(catalog, keys),
        {concept: standing.above for concept, standing in load_name_table(session).standings(keys).items()},
        rate_generality(session, counts, explorer.filters),
        sql.mean_scores(catalog),
        session.parts.get_cached("narrower", lambda: count_narrower(catalog), *sql.graph_state(catalog), most=1),
    )
    return Discoverer(explorer, interest, after)


def count_narrower(catalog: CatalogReader) -> dict[int, int]:
    """How many concepts are below each, in its vocabulary."""
    below: dict[int, int] = {}
    for vocabulary in vocabulary_sql.sources(catalog):
        parents = entities.broader_concepts(catalog, vocabulary)
        below |= {key: kind.below for key, kind in describe_concepts(dict.fromkeys(parents, ""), parents).items()}
    return below


def split_years(filters: Filters, until: int | None) -> tuple[Filters, Filters | None]:
    """The papers up to a year, and those after it, if there can be any."""
    first, last = filters.year or (None, None)
    if until is None or (last is not None and last <= until):
        return filters, None
    if first is not None and first > until:
        raise UsageError(f"No paper is of {first} or later and of {until} or earlier.", "Give a later `until`.")
    after = until + 1
    return replace(filters, year=(first, until)), replace(filters, year=(after, last))
