"""Passages for a question by what it names: the subgraph around and between its entities (Ta et al., Algorithm 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from conspectus.graph import sql as kept
from conspectus.graph.exploring import Explorer
from conspectus.graph.sql import SentencePlace
from conspectus.store import entities
from conspectus.store.connection import split_chunks


def most_specific(explorer: Explorer, keys: Sequence[int]) -> list[int]:
    """Concepts, first those that fewest sentences speak of: what stands for a model's choice of the important ones."""
    counts = explorer.counts(keys)
    return sorted(keys, key=lambda key: (counts[key].sentences, keys.index(key)))


def relevant(explorer: Explorer, important: Sequence[int]) -> Iterator[SentencePlace]:
    """The sentences, with their passages, that Algorithm 2 collects; each edge's, so that one may come several times.

    Of one entity all that describes it; of two the edges on the paths between them, of at most two hops; of more the
    edges on the paths between the two most important ones and each of the others.

    Args:
        explorer: of the graph.
        important: the concepts that the question names, the two most important ones first.
    """
    if len(important) == 1:
        group = explorer.group(important[0])
        described = kept.description_places(explorer.catalog, group, explorer.filters)
        yield from chain(described, kept.sentences_of(explorer.catalog, group, explorer.filters))
    elif len(important) == 2:
        yield from _between(explorer, important[0], [important[1]])
    else:
        first, second, *others = important
        yield from _between(explorer, first, others)
        yield from _between(explorer, second, others)


def _between(explorer: Explorer, one: int, others: Iterable[int]) -> Iterator[SentencePlace]:
    """What stands on the edges of the paths of one or two hops from a concept to others."""
    for other in others:
        near, far = explorer.around(one), explorer.around(other)
        if other in near:
            yield from _edges(explorer, one, [other])
        between = sorted(near.keys() & far.keys())
        yield from _edges(explorer, one, between)
        yield from _edges(explorer, other, between)


def _edges(explorer: Explorer, one: int, others: Sequence[int]) -> Iterator[SentencePlace]:
    """What a model has read of a concept and others, and the sentences that speak of it and one of them."""
    group = explorer.group(one)
    for some in split_chunks(others):
        members = [key for group in entities.merge_groups(explorer.catalog, some).values() for key in group]
        for two in split_chunks(members):
            yield from kept.sentences_between(explorer.catalog, group, two, explorer.filters)
    yield from explorer.stated_between(one, others)
