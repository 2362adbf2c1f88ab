"""Passages for a question by the entities that it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.graph import sql
from conspectus.graph.candidate_rows import passage_keys
from conspectus.graph.explorer import Explorer
from conspectus.graph.mention_finder import concepts_in
from conspectus.graph.sql import SentencePlace
from conspectus.records import Filters
from conspectus.session.session import Session
from conspectus.store import entities
from conspectus.store.catalog import Catalog
from conspectus.store.connection import split_chunks
from conspectus.store.rows import local_name

if TYPE_CHECKING:
    from conspectus.search.encoded_query import EncodedQuery
    from conspectus.search.retriever import Retriever

THRESHOLD = 0.05
"""From this difference of their cosines on two passages are distinguished by these."""
WEIGHTS = ((0.01, 0.10), (0.02, 0.15), (0.03, 0.20), (0.04, 0.25), (0.05, 0.30))
"""Up to a difference, the weight of the spans (Table I)."""


def span_weight(difference: float) -> float:
    """The weight of the spans at a difference of the passages' cosines: 0.1 to 0.3, and 0 above `THRESHOLD`."""
    return next((weight for most, weight in WEIGHTS if difference <= most), 0.0)


def rescore_near_tie(
    question: FloatArray, scores: tuple[float, float], spans: tuple[FloatArray, FloatArray]
) -> tuple[float, float]:
    """The scores of the two best passages, the first the better, of which neither gets less than it had.

    Args:
        question: its vector, of length 1, float32 [dimensions].
        scores: the cosines of the passages.
        spans: the vectors of each passage's entity-centred spans, of length 1, float32 [spans, dimensions].
    """
    difference = scores[0] - scores[1]
    if difference >= THRESHOLD:
        return scores
    weight = span_weight(difference)
    first, second = (
        max(score, score * (1 - weight) + float(np.max(rows @ question)) * weight) if len(rows) else score
        for score, rows in zip(scores, spans, strict=True)
    )
    return first, second


Ints = npt.NDArray[np.int64]
DAMPING = 0.5
"""The part of each step that goes on; the rest goes back to the concepts of the question."""
_STEPS = 100
_ENOUGH = 1e-9


@dataclass(frozen=True, slots=True)
class PassageWalk:
    """Which passages mention which concepts.

    Attributes:
        concepts: their keys, int64 [concepts].
        passages: ids, [passages].
        ends: of each edge the row of its passage and that of its concept, int64 [2, edges]; each pair once.
    """

    concepts: Ints
    passages: Sequence[tuple[int, str]]
    ends: Ints

    @classmethod
    def of(cls, rows: Iterable[tuple[int, str, int]]) -> PassageWalk:
        """Of (paper's key, passage, concept's key), each as often as it likes."""
        known: dict[tuple[int, str], int] = {}
        ends = ((known.setdefault((paper, passage), len(known)), key) for paper, passage, key in rows)
        flat = np.fromiter(chain.from_iterable(ends), np.int64).reshape(-1, 2)
        pairs = np.unique(flat, axis=0)
        concepts, columns = np.unique(pairs[:, 1], return_inverse=True)
        return cls(concepts, list(known), np.stack((pairs[:, 0], columns.reshape(-1))))

    def rank_passages(self, seeds: dict[int, float]) -> npt.NDArray[np.float64]:
        """How often one who walks from concept to passage to concept is at each passage, float64 [passages].

        Args:
            seeds: concepts with their weights, where each walk begins; those that nobody mentions do not count.
        """
        passages, concepts = self.ends
        start = np.zeros(len(self.concepts))
        for key, weight in seeds.items():
            start[self.concepts == key] = weight
        if not start.sum():
            return np.zeros(len(self.passages))
        start /= start.sum()
        per_concept = np.bincount(concepts, minlength=len(self.concepts))
        per_passage = np.bincount(passages, minlength=len(self.passages))
        here, scores = start, np.zeros(len(self.passages), np.float64)
        for _ in range(_STEPS):
            scores = np.bincount(passages, (here / per_concept)[concepts], len(self.passages)).astype(np.float64)
            back = np.bincount(concepts, (scores / per_passage)[passages], len(self.concepts))
            there = (1 - DAMPING) * start + DAMPING * back
            if np.abs(there - here).sum() < _ENOUGH:
                break
            here = there
        return scores


def sort_by_rarity(explorer: Explorer, keys: Sequence[int]) -> list[int]:
    """Concepts, first those that fewest sentences mention: what stands for a model's choice of the important ones."""
    counts = explorer.counts(keys)
    return sorted(keys, key=lambda key: (counts[key].sentences, keys.index(key)))


def collect_places(explorer: Explorer, important: Sequence[int]) -> Iterator[SentencePlace]:
    """The sentences, with their passages, that Algorithm 2 collects; each edge's, so that one may come several times.

    Of one entity all that describes it; of two the edges on the paths between them, of at most two hops; of more the
    edges on the paths between the two most important ones and each of the others.

    Args:
        explorer: of the graph.
        important: the concepts that the question names, the two most important ones first.
    """
    if len(important) == 1:
        group = explorer.group(important[0])
        described = sql.description_places(explorer.catalog, group, explorer.filters)
        yield from chain(described, sql.sentences_of(explorer.catalog, group, explorer.filters))
    elif len(important) == 2:
        yield from _between(explorer, important[0], [important[1]])
    else:
        first, second, *others = important
        yield from _between(explorer, first, others)
        yield from _between(explorer, second, others)


def _between(explorer: Explorer, concept: int, others: Iterable[int]) -> Iterator[SentencePlace]:
    """What is on the edges of the paths of one or two hops from a concept to others."""
    for other in others:
        near, far = explorer.around(concept), explorer.around(other)
        if other in near:
            yield from _edges(explorer, concept, [other])
        between = sorted(near.keys() & far.keys())
        yield from _edges(explorer, concept, between)
        yield from _edges(explorer, other, between)


def _edges(explorer: Explorer, concept: int, others: Sequence[int]) -> Iterator[SentencePlace]:
    """What a model has read of a concept and others, and the sentences that mention it and one of them."""
    group = explorer.group(concept)
    for chunk in split_chunks(others):
        members = [key for group in entities.merge_groups(explorer.catalog, chunk).values() for key in group]
        for member_chunk in split_chunks(members):
            yield from sql.sentences_between(explorer.catalog, group, member_chunk, explorer.filters)
    yield from explorer.stated_between(concept, others)


_WALKED = 1000
"""Passages that a walk on the graph brings, at most."""


@dataclass(frozen=True, slots=True)
class GraphChannel:
    """Passages for a question by the entities that it names; see `search.retriever.Channel`.

    Attributes:
        method: `subgraph` or `pagerank`.
        only_apart: only for a question of entities of which no sentence joins the two that are mentioned least.
    """

    session: Session
    method: str
    only_apart: bool = False

    def __call__(
        self, retriever: Retriever, text: str, vector: FloatArray, filters: Filters, k: int
    ) -> dict[int, float]:
        """The k best passages, each with 1 for the first, less for those behind it."""
        from conspectus.graph.explorer import Explorer

        catalog = retriever.catalog
        explorer = Explorer(catalog, filters)
        counts = explorer.counts(concepts := concepts_in(self.session, text))
        if not (concepts := [key for key in concepts if counts[key].sentences]):
            return {}
        if self.only_apart and not _are_distant(explorer, concepts):
            return {}
        scores = (
            self._walk(explorer, concepts)
            if self.method == "pagerank"
            else self._between(retriever, explorer, concepts, vector)
        )
        best = sorted(scores, key=lambda key: (-scores[key], key))[:k]
        return {key: 1 - rank / len(best) for rank, key in enumerate(best)}

    def _between(
        self, retriever: Retriever, explorer: Explorer, concepts: Sequence[int], vector: FloatArray
    ) -> Mapping[int, float]:
        places = dict.fromkeys(
            (place.paper, place.passage) for place in collect_places(explorer, sort_by_rarity(explorer, concepts))
        )
        return retriever.cosines(vector, list(passage_keys(explorer.catalog, list(places), explorer.filters).values()))

    def _walk(self, explorer: Explorer, concepts: Sequence[int]) -> Mapping[int, float]:
        walker = self._walker(explorer)
        ranked = walker.rank_passages({key: 1 / explorer.counts([key])[key].sentences for key in concepts})
        best = (-ranked).argsort(kind="stable")[:_WALKED]
        score_by_name = {walker.passages[row]: float(ranked[row]) for row in best.tolist() if ranked[row] > 0}
        keys = passage_keys(explorer.catalog, list(score_by_name), explorer.filters)
        return {key: score_by_name[name] for name, key in keys.items()}

    def _walker(self, explorer: Explorer) -> PassageWalk:
        def make() -> PassageWalk:
            rows = entities.iterate_mentions(explorer.catalog, explorer.filters)
            return PassageWalk.of((paper, passage, concept) for paper, passage, _, concept in rows)

        return self.session.parts.get_cached(
            "graph", make, "walker", explorer.filters, *sql.graph_state(self.session.catalog)
        )


def _are_distant(explorer: Explorer, concepts: Sequence[int]) -> bool:
    first, *others = sort_by_rarity(explorer, concepts)
    return bool(others) and others[0] not in explorer.around(first)


@dataclass(frozen=True, slots=True)
class NearTies:
    """Tell the two nearest passages apart by what they say of a question's entities; a `TieBreaker`."""

    session: Session

    def __call__(self, retriever: Retriever, query: EncodedQuery, cosines: Mapping[int, float]) -> dict[int, float]:
        """What the cosines become; nothing where they are not near, or no sentence mentions such an entity."""
        first, second = cosines.values() if len(cosines) == 2 else (THRESHOLD, 0.0)
        if first - second >= THRESHOLD:
            return {}
        spans = self._spans(retriever.catalog, query.text, list(cosines))
        if not any(spans):
            return {}
        texts = [text for texts in spans for text in texts]
        vectors = np.array([embedding.vector for embedding in retriever.embedder.embed(texts)])
        scores = rescore_near_tie(query.target, (first, second), (vectors[: len(spans[0])], vectors[len(spans[0]) :]))
        return dict(zip(cosines, scores, strict=True))

    def _spans(self, catalog: Catalog, text: str, keys: Sequence[int]) -> list[list[str]]:
        """The sentences of each passage that mention an entity which the text names."""
        groups = entities.merge_groups(catalog, concepts_in(self.session, text)).values()
        concept_keys, stored = {key for group in groups for key in group}, catalog.passages_by_key(keys)
        spoken = sql.sentences_with(catalog, {record.paper_key for record in stored.values()}, concept_keys)
        return [
            [span.text for span in record.passage.spans if (record.paper_key, local_name(span.id)) in spoken]
            if record
            else []
            for record in map(stored.get, keys)
        ]
