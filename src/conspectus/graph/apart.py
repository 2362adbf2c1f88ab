"""Entities that no sentence speaks of together, though others join them: what multi-entity questions ask about (K9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from random import Random

from conspectus.graph import sql as kept
from conspectus.graph.exploring import Explorer, Path
from conspectus.graph.sql import SentencePlace

SPOKEN = 3
"""Sentences that speak of an entity, at least."""
JOINED = 10.83
"""The log-likelihood ratio of a hop, at least: chance has it once in 1,000 (chi-square, one degree of freedom)."""
TRIED, WAYS = 20, 3
"""Middles that are tried for an entity, and ways that count of each two."""


@dataclass(frozen=True, slots=True)
class Apart:
    """Entities, and the strongest ways of two hops between each two of them."""

    keys: tuple[int, ...]
    ways: tuple[Path, ...]

    def places(self, explorer: Explorer) -> list[SentencePlace]:
        """The sentences of all hops."""
        hops = dict.fromkeys(pair for way in self.ways for pair in pairwise(way))
        groups = ((explorer.group(one), explorer.group(two)) for one, two in hops)
        found = (kept.sentences_between(explorer.catalog, *pair, explorer.filters) for pair in groups)
        return list(dict.fromkeys(place for places in found for place in places))


def drawn(explorer: Explorer, seed: int) -> Iterator[Apart]:
    """Two entities, or every third time three where there are, drawn at random; no entity comes twice."""
    rng, used = Random(seed), set[int]()  # noqa: S311 - nothing is secret here
    keys = sorted(key for key, one in kept.count_mentions(explorer.catalog).items() if one.sentences >= SPOKEN)
    rng.shuffle(keys)
    number = 0
    for key in keys:
        if key in used or not (chosen := _further(explorer, rng, (key,), used)):
            continue
        if number % 3 == 2:
            chosen = _further(explorer, rng, chosen, used) or chosen
        number, used = number + 1, used | set(chosen)
        yield Apart(chosen, tuple(way for pair in combinations(chosen, 2) for way in _ways(explorer, *pair)))


def _strong(explorer: Explorer, key: int) -> list[int]:
    return [other for other, worth in explorer.strengths(key).items() if worth >= JOINED]


def _further(explorer: Explorer, rng: Random, keys: tuple[int, ...], used: set[int]) -> tuple[int, ...]:
    """The entities with one that stands beside none of them, behind a middle of the last; none: there is no such."""
    near = set(keys) | used
    for key in keys:
        near |= explorer.around(key).keys() | set(kept.linked_concepts(explorer.catalog, explorer.group(key)))
    middles = _strong(explorer, keys[-1])
    for middle in rng.sample(middles, min(TRIED, len(middles))):
        far = [other for other in _strong(explorer, middle) if other not in near]
        if far := [other for other in far if explorer.counts(far)[other].sentences >= SPOKEN]:
            return (*keys, rng.choice(far))
    return ()


def _ways(explorer: Explorer, one: int, two: int) -> Sequence[Path]:
    """The strongest ways over a middle."""
    middles = set(_strong(explorer, one)) & set(_strong(explorer, two))
    ways = [(one, middle, two) for middle in middles]
    return sorted(ways, key=lambda way: (-explorer.worth(way), way))[:WAYS]
