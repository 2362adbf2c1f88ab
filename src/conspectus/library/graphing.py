"""The graph of what papers speak of: what stands around entities and between them, and passages found by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from conspectus.catalog import derivations
from conspectus.catalog import mentions as kept
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.passage_rows import own_name
from conspectus.catalog.whole_graph import passage_keys
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.plural import pluralize
from conspectus.ingest.derivations.mentions import Mentions
from conspectus.library.linking import NONE, as_linked, version
from conspectus.library.session import Session
from conspectus.records import Filters
from conspectus.records.graph import Subgraph

if TYPE_CHECKING:
    from conspectus.core.arrays import FloatArray
    from conspectus.graph.exploring import Explorer
    from conspectus.graph.walking import Walker
    from conspectus.search.asked import Asked
    from conspectus.search.retrieve import Retriever

DEEPEST = 4
"""Hops of a path."""
_WALKED = 1000
"""Passages that a walk on the graph brings, at most."""


def graph(
    session: Session,
    names: Sequence[str],
    *,
    depth: int = 2,
    k: int = 10,
    examples: int = 1,
    filters: Filters | None = None,
) -> Subgraph:
    """What the library says around an entity, or between several, each edge with its sentences.

    Args:
        names: of entities, or their ids.
        depth: hops, 1 to 4: to neighbours of one, or from one to another.
        k: neighbours of each, or paths between two, at most.
        examples: sentences that are shown of each edge.
        filters: which papers count.

    Raises:
        UsageError: no name, or `depth` is out of range.
        NotFoundError: no vocabulary has an entity of this name, or no paper speaks of it.
    """
    from conspectus.graph.exploring import Explorer, explore

    if isinstance(names, str) or not names:
        raise UsageError("No entity is named.", 'Names are a list: `graph(["hippocampus"])`.')
    if not 1 <= depth <= DEEPEST:
        raise UsageError(f"depth is {depth} but must be from 1 to {DEEPEST}.")
    explorer = Explorer(session.catalog, filters or Filters(), examples)
    asked = list(dict.fromkeys(entity_key(session, explorer, name) for name in names))
    return explore(explorer, asked, depth, k)


def entity_key(session: Session, explorer: Explorer, name: str) -> int:
    """The concept of a name that most is said of."""
    found = kept.called(session.catalog, name) or as_linked(session, name, whole=True)
    found = found or as_linked(session, name, whole=True, spoken=False)
    if not found and not kept.vocabulary_names(session.catalog):
        raise NotFoundError(f"The library has no vocabulary, and so no entity '{name}'.", NONE)
    if not found:
        raise NotFoundError(f"No vocabulary of the library has an entity '{name}'.", NONE)
    counts = explorer.counts(found)
    best = max(found, key=lambda key: counts[key].sentences)
    if not counts[best].sentences:
        raise NotFoundError(f"No paper that counts here speaks of '{name}'.", f"Fewer filters may help. {NONE}")
    return best


def unlinked(session: Session) -> int:
    """How many papers were not linked by the vocabularies as they are now."""
    return Mentions(None, version(session)).count_lacking(session.catalog, derivations.noted(session.catalog))


def lacking(session: Session) -> str:
    """What is to be told of papers that the graph lacks."""
    number = unlinked(session)
    return f"Not linked by the vocabularies as they are now (`link`): {pluralize(number, 'paper')}." if number else ""


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
        counts = explorer.counts(named := as_linked(self.session, text))
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
            rows = kept.all_rows(explorer.catalog, explorer.filters)
            return Walker.of((paper, passage, concept) for paper, passage, _, concept in rows)

        return self.session.parts.held("graph", make, "walker", explorer.filters, *kept.state(self.session.catalog))


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
        groups = kept.members(catalog, as_linked(self.session, text)).values()
        named, stored = {key for group in groups for key in group}, catalog.passages_by_key(keys)
        spoken = kept.spoken_in(catalog, {one.paper_key for one in stored.values()}, named)
        return [
            [span.text for span in one.passage.spans if (one.paper_key, own_name(span.id)) in spoken] if one else []
            for one in map(stored.get, keys)
        ]
