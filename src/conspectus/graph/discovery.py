"""Hypotheses by Swanson's A–B–C: what no sentence joins to an entity, though both are joined to a third (F19)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from conspectus.graph import sql as kept
from conspectus.graph.exploring import Explorer, size
from conspectus.graph.foresight import MEASURES, Foresight, measures, network_and_foresight
from conspectus.graph.network import Ints, Network
from conspectus.graph.sql import SentencePlace
from conspectus.records import Filters
from conspectus.records.graph import Bridge, Edge, Entity, Hypothesis, Later
from conspectus.store import entities

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
    """

    explorer: Explorer
    network: Network
    foresight: Foresight
    key: int
    after: Filters | None = None
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
        best = [int(row) for row in rows[np.lexsort((rows, -scores[rows]))][:k]]
        bridges = {row: self.network.between(self.row, row)[:BRIDGES] for row in best}
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

    def _candidates(self, shared: Ints, beside: Ints) -> Ints:
        """The rows that share something with the entity, but no sentence, model or vocabulary joins to it."""
        catalog, group = self.explorer.catalog, self.explorer.group(self.key)
        known = [
            *kept.relation_places(catalog, group, self.explorer.filters),
            *kept.linked_concepts(catalog, group),
            self.key,
        ]
        wanted = (shared > 0) & (beside == 0) & ~np.isin(self.network.concepts, known)
        wanted[self.network.around(self.row)] = False
        return np.flatnonzero(wanted)

    def _entities(self, rows: Sequence[int]) -> dict[int, Entity]:
        keys = {int(self.network.concepts[row]): row for row in rows}
        counts = self.explorer.counts(list(keys))
        found = kept.read_entities(self.explorer.catalog, {key: counts[key] for key in keys})
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
        return kept.sentences_between(self.explorer.catalog, first, second, filters)

    def _later(self, row: int) -> Later | None:
        """What the later papers say of the entity and another one."""
        assert self.after is not None
        if not (places := self._both(self.row, row, self.after)):
            return None
        papers = self.explorer.catalog.papers_by_key([place.paper for place in places])
        years = {key: paper.year or 0 for key, paper in papers.items()}
        first = min(places, key=lambda place: years[place.paper])
        told = kept.read_citations(self.explorer.catalog, [first])
        return Later(years[first.paper], *size(places), told[0] if told else None)


def network_of(explorer: Explorer) -> tuple[Network, Foresight]:
    """The network of the papers that an explorer counts, and what is learnt of them."""
    rows = entities.iterate_mentions(explorer.catalog, explorer.filters)
    return network_and_foresight(
        ((paper, sentence, concept) for paper, _, sentence, concept in rows),
        kept.paper_years(explorer.catalog, explorer.filters),
    )
