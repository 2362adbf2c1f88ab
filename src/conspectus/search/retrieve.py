"""Candidates from full text and from vectors over the whole library: fused, re-ranked, weighted."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from conspectus.catalog.catalog import Catalog
from conspectus.index.protocol import SUMMARIES, SearchIndex
from conspectus.models.protocol import Embedder, FloatArray, Reranker
from conspectus.records import Filters, Use
from conspectus.records.conditions import Condition
from conspectus.search import balance, score_boosts, weights
from conspectus.search.expand import how_many, towards
from conspectus.search.fuse import above_half, min_max, over_max
from conspectus.search.late import Asked, ask
from conspectus.search.names import entities
from conspectus.search.rerank import reranked
from conspectus.search.scored import Scored, ranked
from conspectus.settings import SearchSettings

RESCORED = 200
"""Vectors taken by their 8-bit codes and then compared exactly; at least twice those that are kept."""


@dataclass(frozen=True, slots=True)
class Retriever:
    """Finds passages for one library.

    Attributes:
        note: for the user: what is not searched, and why.
        keywords: that papers are preferred for; with the setting `search.keywords` also for names in the question.
        expansions: texts that a language model wrote for the question, which is moved towards them.
        reranker: instead of late interaction.
        where: what a query asks of passages beside its words.
        everyday: makes the words of everyday English, in small letters; of none where they are not known.
    """

    catalog: Catalog
    index: SearchIndex
    embedder: Embedder
    settings: SearchSettings
    note: str = ""
    keywords: tuple[str, ...] = ()
    expansions: tuple[str, ...] = ()
    reranker: Reranker | None = None
    where: Condition | None = None
    everyday: Callable[[], Container[str]] = frozenset

    @property
    def use(self) -> Use:
        """Whether papers' own passages are searched, what a model wrote of them, or both (S3)."""
        return self.settings.use

    @property
    def indexes(self) -> tuple[SearchIndex, ...]:
        """The indexes that are searched."""
        own, written = self.index, self.index.beside(SUMMARIES)
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
        0..1 over the candidates (`late` is 0 for those that are not re-ranked). With `search.exact_weight` x it is
        `fusion = (1 - x) (d dense + (1 - d) text) + x exact`, with `exact` from 0 for a passage that holds half of the
        words, by rarity, to 1 for one that holds all. With `search.by_query` these three weights follow the query
        (`search.balance`). Another reranker takes the place of
        late interaction, with the weight `search.reranker_weight`. Weights that are switched on are added
        (`search.weights`), or applied as pathfinder published them.

        Raises:
            ServiceError, ModelMissingError, ModelDamagedError: of the reranker.
        """
        return self.retrieve_for(self.asked(query), filters, candidates)

    def balanced(self, query: str, filters: Filters) -> Retriever:
        """The same with the weights that suit the query; with those of the settings where they are set."""
        if not self.settings.by_query:
            return self
        looks, _ = balance.shape(query)
        found = self._exact(query, filters, 1).values() if looks else ()
        surely = balance.typed(query, max(found, default=0.0))
        return replace(self, settings=balance.balanced(self.settings, surely))

    def asked(self, query: str) -> Asked:
        """A question, embedded; its words weighed by how rare they are in the papers, whatever is searched."""
        asked = ask(query, self.embedder, self.index.frequencies, self.index.stats().rows)
        if not self.expansions:
            return asked
        texts = [found.vector for found in self.embedder.embed(self.expansions)]
        return towards(asked, texts, self.settings.expand_share)

    def retrieve_for(self, asked: Asked, filters: Filters, candidates: int) -> list[Scored]:
        """See `retrieve`."""
        if self.settings.by_query:
            return self.balanced(asked.text, filters).retrieve_for(asked, filters, candidates)
        own = self.settings
        if own.expand == "feedback":
            first = self._fused(asked, filters, candidates)[: how_many(own)]
            vectors = self.catalog.vectors([one.key for one in first], self.embedder.id)
            asked = towards(asked, list(vectors.values()), own.expand_share)
        wanted = (*self.keywords, *entities(asked.text)) if own.keywords else self.keywords
        if not (own.recency or own.citations or wanted):
            return reranked(self, asked, self._fused(asked, filters, candidates))
        if own.weighting == "published":
            most = max(candidates, weights.PUBLISHED_POOL)
            found = ranked(
                score_boosts.published(self, self._nearest(asked, filters, most), wanted), self.catalog.reading_order
            )
            return reranked(self, asked, found, max(candidates, weights.PUBLISHED_RERANKED), alone=True)
        found = self._fused(asked, filters, max(candidates, weights.POOL))
        return ranked(score_boosts.added(self, reranked(self, asked, found), wanted), self.catalog.reading_order)

    def _nearest(self, asked: Asked, filters: Filters, candidates: int) -> list[Scored]:
        found = self.nearest(asked.target, filters, candidates)
        return found if asked.moved is None else self._with_own(asked, found)

    def _with_own(self, asked: Asked, found: Sequence[Scored]) -> list[Scored]:
        """`cosine` is always that with the question; that with the vector searched for becomes `expanded`."""
        own = self.cosines(asked.vector, [one.key for one in found])
        return [one.with_score(one.score, cosine=own[one.key], expanded=one.factors["cosine"]) for one in found]

    def newest(self, filters: Filters, papers: int) -> list[Scored]:
        """Of the newest papers one passage each: what is found where nothing is said to rank by. Their scores are 1."""
        hits = [hit for index in self.indexes for hit in index.newest(papers, filters, self.where)]
        found = ranked([Scored(hit.key, hit.score, {}) for hit in hits], self.catalog.reading_order)
        return [one.with_score(1.0) for one in found]

    def nearest(self, vector: FloatArray, filters: Filters, candidates: int) -> list[Scored]:
        """The passages nearest to a vector, by cosine alone."""
        return self._by_cosine(self._cosines(vector, candidates, filters, []))

    def cosines(self, vector: FloatArray, keys: Sequence[int]) -> dict[int, float]:
        """Exact cosines of passages by key; those without a vector are left out."""
        vectors = self.catalog.vectors(keys, self.embedder.id)
        if not vectors:
            return {}
        return dict(zip(vectors, (np.stack(list(vectors.values())) @ vector).tolist(), strict=True))

    def _fused(self, asked: Asked, filters: Filters, candidates: int) -> list[Scored]:
        """The candidates, their cosine, BM25 and exactness added, best first."""
        own = self.settings
        text = {
            hit.key: hit.score
            for index in self.indexes
            for hit in index.search_text(asked.text, candidates, filters, self.where)
        }
        exact = self._exact(asked.text, filters, candidates) if own.exact_weight else {}
        cosine = self._cosines(asked.target, candidates, filters, list(text | exact))
        keys = list(cosine)
        parts = {
            "dense": min_max(np.array([cosine[key] for key in keys])),
            "text": over_max(np.array([text.get(key, 0.0) for key in keys])),
        }
        raw = {"cosine": cosine, "bm25": text}
        fusion = own.dense_weight * parts["dense"] + (1 - own.dense_weight) * parts["text"]
        if own.exact_weight:
            raw["coverage"] = self._coverage(asked.text, keys)
            parts["exact"] = above_half(np.array([raw["coverage"].get(key, 0.0) for key in keys]))
            fusion = (1 - own.exact_weight) * fusion + own.exact_weight * parts["exact"]
        parts["fusion"] = fusion
        found = ranked(
            [
                Scored(
                    key,
                    float(fusion[row]),
                    {name: known.get(key, 0.0) for name, known in raw.items()}
                    | {name: float(part[row]) for name, part in parts.items()},
                )
                for row, key in enumerate(keys)
            ],
            self.catalog.reading_order,
        )
        return found if asked.moved is None else self._with_own(asked, found)

    def _exact(self, query: str, filters: Filters, count: int) -> dict[int, float]:
        """Which part of the query's words the passages hold that hold most of them, by key."""
        words = balance.exact_words(query)
        return {
            hit.key: hit.score
            for index in self.indexes
            for hit in index.search_exact(words, count, filters, self.where)
        }

    def _coverage(self, query: str, keys: Sequence[int]) -> dict[int, float]:
        """The same of passages by key; those that hold none are left out."""
        words = balance.exact_words(query)
        return {key: part for index in self.indexes for key, part in index.exactness(words, keys).items()}

    def _cosines(self, vector: FloatArray, count: int, filters: Filters, others: Sequence[int]) -> dict[int, float]:
        """Exact cosines of the nearest `count` passages and of `others`, best first."""
        most = max(RESCORED, 2 * count)
        rough = {hit.key for index in self.indexes for hit in index.search_vector(vector, most, filters, self.where)}
        exact = self.cosines(vector, [*rough, *(key for key in others if key not in rough)])
        best = self._by_cosine({key: exact[key] for key in rough & exact.keys()})[:count]
        chosen = {*(one.key for one in best), *(key for key in others if key in exact)}
        return {one.key: one.score for one in self._by_cosine({key: exact[key] for key in chosen})}

    def _by_cosine(self, cosines: Mapping[int, float]) -> list[Scored]:
        found = [Scored(key, cosine, {"cosine": cosine}) for key, cosine in cosines.items()]
        return ranked(found, self.catalog.reading_order)
