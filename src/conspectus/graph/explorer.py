"""What papers say around entities, and between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice, pairwise
from math import log

from conspectus.graph import sql
from conspectus.graph.sql import MentionCounts, SentencePlace
from conspectus.records import Citation, Filters
from conspectus.records.graph import Edge, Subgraph
from conspectus.store import entities
from conspectus.store.catalog import Catalog

BEAM = 50
"""The strongest neighbours, and unfinished paths, by which paths of more than two hops go on."""
MOST_EDGES = 200
"""Pairs of neighbours that are told."""
Path = tuple[int, ...]


@dataclass(frozen=True)
class Explorer:
    """Reads the graph of a catalog, of the papers that pass filters; what was read once is not read again.

    Attributes:
        examples: sentences that are shown of an edge.
    """

    catalog: Catalog
    filters: Filters = Filters()
    examples: int = 1
    _around: dict[int, dict[int, MentionCounts]] = field(default_factory=dict)
    _stated: dict[int, dict[int, list[SentencePlace]]] = field(default_factory=dict)
    _counts: dict[int, MentionCounts] = field(default_factory=dict)
    _strengths: dict[int, dict[int, float]] = field(default_factory=dict)

    @cached_property
    def total(self) -> int:
        """How many sentences mention anything."""
        return sql.count_sentences(self.catalog, self.filters)

    def group(self, key: int) -> list[int]:
        """A concept with those that were merged into it."""
        return entities.merge_groups(self.catalog, [key])[key]

    def around(self, key: int) -> Mapping[int, MentionCounts]:
        """The concepts that a sentence, or a relation that a model read, joins to one."""
        if key not in self._around:
            group = self.group(key)
            self._stated[key] = sql.relation_places(self.catalog, group, self.filters)
            neighbours = sql.neighbours(self.catalog, group, self.filters)
            joined = {
                other: MentionCounts(len(set(places)), len({place.paper for place in places}))
                for other, places in self._stated[key].items()
            }
            self._around[key] = joined | neighbours
        return self._around[key]

    def stated_between(self, key: int, others: Sequence[int]) -> Iterator[SentencePlace]:
        """The sentences by which a model has related a concept to others."""
        self.around(key)
        return (place for other in others for place in self._stated[key].get(other, ()))

    def counts(self, keys: Sequence[int]) -> Mapping[int, MentionCounts]:
        """How much mentions each."""
        if lacking := [key for key in keys if key not in self._counts]:
            self._counts.update(dict.fromkeys(lacking, MentionCounts(0, 0)))
            self._counts.update(sql.count_mentions(self.catalog, lacking, self.filters))
        return self._counts

    def strengths(self, key: int) -> dict[int, float]:
        """Neighbour -> how much more often than by chance it is with a concept; the strongest first."""
        if key not in self._strengths:
            around = self.around(key)
            counts = self.counts([key, *around])
            strengths = {
                other: log_likelihood(count.sentences, counts[key].sentences, counts[other].sentences, self.total)
                for other, count in around.items()
            }
            order = sorted(strengths, key=lambda other: (-strengths[other], -around[other].sentences, other))
            self._strengths[key] = {other: strengths[other] for other in order}
        return self._strengths[key]

    def paths(self, first: int, last: int, longest: int) -> list[Path]:
        """The ways from one concept to another of at most so many hops, the shortest, and then the strongest, first.

        All that have one or two; of the longer ones those that go by strong neighbours (`BEAM`).
        """
        if longest < 1:
            return []
        paths: list[Path] = [(first, last)] if last in self.around(first) else []
        if longest > 1:
            both = self.around(first).keys() & self.around(last).keys()
            paths += [(first, between, last) for between in both]
        for hops in range(3, longest + 1):
            paths += self._long(first, last, hops)
        self.strengths(first), self.strengths(last)  # each hop of a path of two has one of these
        return sorted(paths, key=lambda path: (len(path), -self.worth(path), path))

    def _long(self, first: int, last: int, hops: int) -> Iterator[Path]:
        ends = set(list(self.strengths(last))[:BEAM]) - {first}
        partial: list[Path] = [(first,)]
        for _ in range(hops - 2):
            longer = [
                (*path, near)
                for path in partial
                for near in list(self.strengths(path[-1]))[:BEAM]
                if near not in path and near != last
            ]
            partial = sorted(longer, key=lambda path: (-self.worth(path), path))[:BEAM]
        for path in partial:
            for near in self.around(path[-1]).keys() & ends:
                if near not in path:
                    yield (*path, near, last)

    def worth(self, path: Path) -> float:
        """The strength of the weakest hop."""
        return min(self._strength(first, second) for first, second in pairwise(path))

    def _strength(self, first: int, second: int) -> float:
        """That of a hop, from whichever of its ends it is known."""
        if second in self._strengths and first not in self._strengths:
            first, second = second, first
        return self.strengths(first).get(second, 0.0)

    def edges(self, first_key: int, second_key: int) -> Iterator[Edge]:
        """What joins two concepts: that a model read it, and that sentences mention both."""
        group, other = self.group(first_key), self.group(second_key)
        both = sql.sentences_between(self.catalog, group, other, self.filters)
        self.around(first_key)
        names = sql.read_entities(self.catalog, self.counts([first_key, second_key]))
        first, second = names[first_key].id, names[second_key].id
        if stated := self._stated[first_key].get(second_key):
            places = list(dict.fromkeys(stated))
            yield Edge(first, second, "stated", *size(places), self.cite(places))
        if both:
            yield Edge(first, second, "co-mention", *size(both), self.cite(both))

    def cite(self, places: Sequence[SentencePlace]) -> tuple[Citation, ...]:
        """The first `examples` of some sentences."""
        return tuple(sql.read_citations(self.catalog, places[: self.examples]))


def size(places: Sequence[SentencePlace]) -> tuple[int, int]:
    """How many papers the sentences are of, and how many these are."""
    return len({place.paper for place in places}), len(places)


def explore(explorer: Explorer, concept_keys: Sequence[int], depth: int, k: int) -> Subgraph:
    """What stands around one entity, or between several, at most `depth` hops away.

    Args:
        explorer: of the graph.
        concept_keys: the concepts.
        depth: hops, from 1.
        k: neighbours of each, or paths between two, at most.
    """
    pairs: dict[tuple[int, int], None] = {}
    ways: list[Path] = []
    if len(concept_keys) > 1:
        for first, second in combinations(concept_keys, 2):
            ways += explorer.paths(first, second, depth)[:k]
        pairs = dict.fromkeys(pair for path in ways for pair in pairwise(path))
    else:
        pairs = dict.fromkeys(islice(_rings(explorer, concept_keys, depth, k), MOST_EDGES + 1))
    note = f"Only {MOST_EDGES} pairs are shown: fewer hops or neighbours say more." if len(pairs) > MOST_EDGES else ""
    pairs = dict.fromkeys(list(pairs)[:MOST_EDGES])
    keys = list(
        dict.fromkeys(
            (*concept_keys, *(key for path in ways for key in path), *(key for pair in pairs for key in pair))
        )
    )
    counts = explorer.counts(keys)
    names = sql.read_entities(explorer.catalog, {key: counts[key] for key in keys})
    undirected = dict.fromkeys(tuple(sorted(pair)) for pair in pairs)
    edges = tuple(edge for first, second in undirected for edge in explorer.edges(first, second))
    return Subgraph(
        tuple(names[key].id for key in concept_keys),
        tuple(names.values()),
        edges,
        tuple(tuple(names[key].id for key in path) for path in ways),
        note,
    )


def _rings(explorer: Explorer, concepts: Sequence[int], depth: int, k: int) -> Iterator[tuple[int, int]]:
    """Pairs of concepts: of each its k strongest neighbours, those of these, and so on."""
    seen, ring = set(concepts), list(concepts)
    for _ in range(depth):
        further = []
        for key in ring:
            for near in list(explorer.strengths(key))[:k]:
                yield key, near
                further += [] if near in seen else [near]
                seen.add(near)
        ring = further


def log_likelihood(together: int, first: int, second: int, total: int) -> float:
    """The log-likelihood ratio (Dunning 1993), at least 0; 0 where they are together no more often than by chance.

    Args:
        together: sentences with both.
        first, second: sentences with each.
        total: sentences that mention anything.
    """
    table = (together, first - together, second - together, max(total - first - second + together, 0))
    if together * total <= first * second:
        return 0.0
    rows, columns = (first, max(total - first, 0)), (second, max(total - second, 0))
    return max(0.0, 2 * (_entropy(table) - _entropy(rows) - _entropy(columns) + _entropy((total,))))


def _entropy(counts: tuple[int, ...]) -> float:
    return sum(count * log(count) for count in counts if count > 0)
