"""Candidates from full text and from vectors over the whole library, fused and re-ranked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from conspectus.catalog.catalog import Catalog
from conspectus.index.protocol import SearchIndex
from conspectus.models.protocol import Embedder, FloatArray
from conspectus.records import Filters, Use
from conspectus.records.conditions import Condition
from conspectus.search.fuse import min_max, over_max
from conspectus.search.late import Asked, ask, late_interaction, similarities
from conspectus.settings import SearchSettings

RESCORED = 200
"""Vectors taken by their 8-bit codes and then compared exactly; at least four times those that are kept."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage with its score and what it is made of."""

    key: int
    score: float
    factors: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Retriever:
    """Finds passages for one library.

    `note` is for the user: what is not searched, and why. `where` is what a query asks of passages beside its words.
    """

    catalog: Catalog
    index: SearchIndex
    embedder: Embedder
    settings: SearchSettings
    note: str = ""
    where: Condition | None = None

    @property
    def use(self) -> Use:
        """Whether papers' own passages are searched, what a model wrote of them, or both (S3)."""
        return self.settings.use

    @property
    def indexes(self) -> tuple[SearchIndex, ...]:
        """The indexes that are searched."""
        own, written = self.index, self.index.summaries
        return {"raw": (own,), "summary": (written,), "both": (own, written)}[self.use]

    @contextmanager
    def at_one_moment(self) -> Iterator[Retriever]:
        """The same on a catalog that stands still, so that what a search has found cannot go before it is shown."""
        with self.catalog.snapshot() as catalog:
            yield replace(self, catalog=catalog)

    def retrieve(self, query: str, filters: Filters, candidates: int) -> list[Scored]:
        """The best passages, best first; ties: the higher cosine, then the lower key.

        `candidates` are taken from full text and from vectors each. The score is
        `(1 - r) fusion + r late`, `fusion = d dense + (1 - d) text`, with r and d the settings `search.rerank_weight`
        and `search.dense_weight`, and `dense`, `text` and `late` the cosine, BM25 and late interaction, each brought to
        0..1 over the candidates (`late` is 0 for those that are not re-ranked).
        """
        return self.retrieve_for(self.asked(query), filters, candidates)

    def asked(self, query: str) -> Asked:
        """A question, embedded; its words weighed by how rare they are in the papers, whatever is searched."""
        return ask(query, self.embedder, self.index.frequencies, self.index.stats().rows)

    def retrieve_for(self, asked: Asked, filters: Filters, candidates: int) -> list[Scored]:
        """See `retrieve`."""
        query = asked.text
        text = {
            hit.key: hit.score
            for index in self.indexes
            for hit in index.search_text(query, candidates, filters, self.where)
        }
        cosine = self._cosines(asked.vector, candidates, filters, list(text))
        keys = list(cosine)
        if not keys:
            return []
        dense = min_max(np.array([cosine[key] for key in keys]))
        words = over_max(np.array([text.get(key, 0.0) for key in keys]))
        weight = self.settings.dense_weight
        fusion = weight * dense + (1 - weight) * words
        order = sorted(range(len(keys)), key=lambda row: (-fusion[row], -cosine[keys[row]], keys[row]))
        late = self._late(asked, [keys[row] for row in order[: self.settings.rerank]])
        found = []
        for row in order:
            key = keys[row]
            factors = {
                "cosine": cosine[key],
                "bm25": text.get(key, 0.0),
                "dense": float(dense[row]),
                "text": float(words[row]),
                "fusion": float(fusion[row]),
            }
            found.append(self._scored(key, factors, late))
        return sorted(found, key=lambda scored: (-scored.score, -scored.factors["cosine"], scored.key))

    def newest(self, filters: Filters, papers: int) -> list[Scored]:
        """Of the newest papers one passage each: what is found where nothing is said to rank by. Their scores are 1."""
        found = [hit for index in self.indexes for hit in index.newest(papers, filters, self.where)]
        return [Scored(hit.key, 1.0, {}) for hit in sorted(found, key=lambda hit: (-hit.score, hit.key))]

    def nearest(self, vector: FloatArray, filters: Filters, candidates: int) -> list[Scored]:
        """The passages nearest to a vector, by cosine alone."""
        cosine = self._cosines(vector, candidates, filters, [])
        return [Scored(key, score, {"cosine": score}) for key, score in cosine.items()]

    def _cosines(self, vector: FloatArray, count: int, filters: Filters, others: Sequence[int]) -> dict[int, float]:
        """Exact cosines of the nearest `count` passages and of `others`, best first."""
        most = max(RESCORED, 4 * count)
        rough = {hit.key for index in self.indexes for hit in index.search_vector(vector, most, filters, self.where)}
        exact = self.cosines(vector, [*rough, *(key for key in others if key not in rough)])
        best = sorted(rough & exact.keys(), key=lambda key: (-exact[key], key))[:count]
        chosen = {*best, *(key for key in others if key in exact)}
        return {key: exact[key] for key in sorted(chosen, key=lambda key: (-exact[key], key))}

    def cosines(self, vector: FloatArray, keys: Sequence[int]) -> dict[int, float]:
        """Exact cosines of passages by key; those without a vector are left out."""
        vectors = self.catalog.vectors(keys, self.embedder.id)
        if not vectors:
            return {}
        return dict(zip(vectors, (np.stack(list(vectors.values())) @ vector).tolist(), strict=True))

    def _late(self, asked: Asked, keys: Sequence[int]) -> dict[int, tuple[float, float]]:
        """Late interaction of passages: as it is, and brought to 0..1 among them."""
        if asked.tokens is None or not keys or not self.settings.rerank_weight:
            return {}
        tokens = self.catalog.tokens(keys, self.embedder.id)
        raw = {
            key: late_interaction(similarities(asked.tokens, tokens[key]), asked.weights)
            for key in keys
            if key in tokens
        }
        scaled = min_max(np.array(list(raw.values())))
        return {key: (value, float(part)) for (key, value), part in zip(raw.items(), scaled, strict=True)}

    def _scored(self, key: int, factors: dict[str, float], late: Mapping[int, tuple[float, float]]) -> Scored:
        if not late:
            return Scored(key, factors["fusion"], factors)
        weight = self.settings.rerank_weight
        raw, scaled = late.get(key, (None, 0.0))
        extra = {} if raw is None else {"late_interaction": raw, "late": scaled}
        return Scored(key, (1 - weight) * factors["fusion"] + weight * scaled, factors | extra)
