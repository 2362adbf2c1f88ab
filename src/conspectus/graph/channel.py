"""Passages for a question by the entities that it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from conspectus.graph import sql as kept
from conspectus.graph.candidate_rows import passage_keys
from conspectus.graph.mention_finder import concepts_in
from conspectus.records import Filters
from conspectus.session.session import Session
from conspectus.store import entities
from conspectus.store.catalog import Catalog
from conspectus.store.rows import local_name

if TYPE_CHECKING:
    from conspectus.core.arrays import FloatArray
    from conspectus.graph.exploring import Explorer
    from conspectus.graph.walking import Walker
    from conspectus.search.asked import Asked
    from conspectus.search.retrieve import Retriever

_WALKED = 1000
"""Passages that a walk on the graph brings, at most."""


@dataclass(frozen=True, slots=True)
class GraphChannel:
    """Passages for a question by the entities that it names; see `search.retrieve.Channel`.

    Attributes:
        method: `subgraph` or `pagerank`.
        apart: only for a question of entities of which no sentence joins the two that are spoken of least.
    """

    session: Session
    method: str
    apart: bool = False

    def __call__(
        self, found_by: Retriever, text: str, vector: FloatArray, filters: Filters, k: int
    ) -> dict[int, float]:
        """The k best passages, each with 1 for the first, less for those behind it."""
        from conspectus.graph.exploring import Explorer

        catalog = found_by.catalog
        explorer = Explorer(catalog, filters)
        counts = explorer.counts(named := concepts_in(self.session, text))
        if not (named := [key for key in named if counts[key].sentences]):
            return {}
        if self.apart and not _apart(explorer, named):
            return {}
        scores = (
            self._walked(explorer, named)
            if self.method == "pagerank"
            else self._between(found_by, explorer, named, vector)
        )
        best = sorted(scores, key=lambda key: (-scores[key], key))[:k]
        return {key: 1 - rank / len(best) for rank, key in enumerate(best)}

    def _between(
        self, found_by: Retriever, explorer: Explorer, named: Sequence[int], vector: FloatArray
    ) -> Mapping[int, float]:
        from conspectus.graph.subgraph import most_specific, relevant

        places = dict.fromkeys((one.paper, one.passage) for one in relevant(explorer, most_specific(explorer, named)))
        return found_by.cosines(vector, list(passage_keys(explorer.catalog, list(places), explorer.filters).values()))

    def _walked(self, explorer: Explorer, named: Sequence[int]) -> Mapping[int, float]:
        walker = self._walker(explorer)
        ranked = walker.ranked({key: 1 / explorer.counts([key])[key].sentences for key in named})
        best = (-ranked).argsort(kind="stable")[:_WALKED]
        wanted = {walker.passages[row]: float(ranked[row]) for row in best.tolist() if ranked[row] > 0}
        keys = passage_keys(explorer.catalog, list(wanted), explorer.filters)
        return {key: wanted[name] for name, key in keys.items()}

    def _walker(self, explorer: Explorer) -> Walker:
        from conspectus.graph.walking import Walker

        def make() -> Walker:
            rows = entities.iterate_mentions(explorer.catalog, explorer.filters)
            return Walker.of((paper, passage, concept) for paper, passage, _, concept in rows)

        return self.session.parts.held(
            "graph", make, "walker", explorer.filters, *kept.graph_state(self.session.catalog)
        )


def _apart(explorer: Explorer, named: Sequence[int]) -> bool:
    from conspectus.graph.subgraph import most_specific

    first, *others = most_specific(explorer, named)
    return bool(others) and others[0] not in explorer.around(first)


@dataclass(frozen=True, slots=True)
class NearTies:
    """The two nearest passages told apart by what they say of a question's entities; see `search.retrieve.Retold`."""

    session: Session

    def __call__(self, found_by: Retriever, asked: Asked, cosines: Mapping[int, float]) -> dict[int, float]:
        """What the cosines become; nothing where they are not near, or no sentence speaks of such an entity."""
        from conspectus.graph.near_ties import THRESHOLD, told_apart

        first, second = cosines.values() if len(cosines) == 2 else (THRESHOLD, 0.0)
        if first - second >= THRESHOLD:
            return {}
        spans = self._spans(found_by.catalog, asked.text, list(cosines))
        if not any(spans):
            return {}
        texts = [text for texts in spans for text in texts]
        vectors = np.array([one.vector for one in found_by.embedder.embed(texts)])
        told = told_apart(asked.target, (first, second), (vectors[: len(spans[0])], vectors[len(spans[0]) :]))
        return dict(zip(cosines, told, strict=True))

    def _spans(self, catalog: Catalog, text: str, keys: Sequence[int]) -> list[list[str]]:
        """The sentences of each passage that speak of an entity which the text names."""
        groups = entities.merge_groups(catalog, concepts_in(self.session, text)).values()
        named, stored = {key for group in groups for key in group}, catalog.passages_by_key(keys)
        spoken = kept.sentences_with(catalog, {one.paper_key for one in stored.values()}, named)
        return [
            [span.text for span in one.passage.spans if (one.paper_key, local_name(span.id)) in spoken] if one else []
            for one in map(stored.get, keys)
        ]
