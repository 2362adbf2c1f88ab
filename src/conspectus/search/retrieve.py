"""Candidates from full text and from vectors over the whole library: fused, re-ranked, weighted."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
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
from conspectus.search.fuse import fused
from conspectus.search.late import Asked, ask
from conspectus.search.names import entities
from conspectus.search.rerank import reranked
from conspectus.search.scored import Scored, by_cosine, ranked, scores
from conspectus.settings import SearchSettings

RESCORED = 200
"""Vectors taken by their 8-bit codes and then compared exactly; at least twice those that are kept."""


@dataclass(frozen=True, slots=True)
class Way:
    """How one question is searched, settled before anything is.

    Attributes:
        pool: candidates taken from full text and from vectors each.
        preferred: keywords that papers are preferred for.
        weighs: whether any of the weights of `search.weights` are switched on.
        published: whether these are applied before re-ranking, as pathfinder published them; else they are added after.
        compared: how many are re-ranked, and kept; None: as `search.rerank` says, and all are kept.
    """

    pool: int
    preferred: tuple[str, ...]
    weighs: bool
    published: bool
    compared: int | None

    @classmethod
    def of(cls, own: SearchSettings, query: str, keywords: tuple[str, ...], candidates: int) -> Way:
        """By the settings and the keywords given; with `search.keywords` the names in the query are some, too."""
        preferred = (*keywords, *entities(query)) if own.keywords else keywords
        weighs = bool(own.recency or own.citations or preferred)
        published = weighs and own.weighting == "published"
        least = weights.PUBLISHED_POOL if published else weights.POOL if weighs else 0
        compared = max(candidates, weights.PUBLISHED_RERANKED) if published else None
        return cls(max(candidates, least), preferred, weighs, published, compared)


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

    def retrieve_for(self, asked: Asked, filters: Filters, candidates: int) -> list[Scored]:
        """See `retrieve`."""
        now = self.balanced(asked.text, filters)
        way = Way.of(now.settings, asked.text, now.keywords, candidates)
        asked = now._fed_back(asked, filters, candidates) if now.settings.expand == "feedback" else asked
        find = now._nearest if way.published else now._fused
        found = find(asked, filters, way.pool)
        found = found if asked.moved is None else now._with_own(asked, found)
        found = score_boosts.published(now, found, way.preferred) if way.published else found
        found = reranked(now, asked, found, way.compared, alone=way.published)
        return score_boosts.added(now, found, way.preferred) if way.weighs and not way.published else found

    def balanced(self, query: str, filters: Filters) -> Retriever:
        """The same with the weights that suit the query; with those of the settings where they are set."""
        if not self.settings.by_query:
            return self
        looks, _ = balance.shape(query)
        words = balance.exact_words(query) if looks else ""
        best = scores(index.search_exact(words, 1, filters, self.where) for index in self.indexes if words)
        surely = balance.typed(query, max(best.values(), default=0.0))
        return replace(self, settings=balance.balanced(self.settings, surely))

    def asked(self, query: str) -> Asked:
        """A question, embedded; its words weighed by how rare they are in the papers, whatever is searched."""
        asked = ask(query, self.embedder, self.index.frequencies, self.index.stats().rows)
        if not self.expansions:
            return asked
        texts = [found.vector for found in self.embedder.embed(self.expansions)]
        return towards(asked, texts, self.settings.expand_share)

    def _fed_back(self, asked: Asked, filters: Filters, candidates: int) -> Asked:
        """The question, moved towards the best that are found by it."""
        best = self._fused(asked, filters, candidates)[: how_many(self.settings)]
        vectors = self.catalog.vectors([one.key for one in best], self.embedder.id)
        return towards(asked, list(vectors.values()), self.settings.expand_share)

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
        return by_cosine(self._cosines(vector, candidates, filters, []), self.catalog.reading_order)

    def cosines(self, vector: FloatArray, keys: Sequence[int]) -> dict[int, float]:
        """Exact cosines of passages by key; those without a vector are left out."""
        vectors = self.catalog.vectors(keys, self.embedder.id)
        if not vectors:
            return {}
        return dict(zip(vectors, (np.stack(list(vectors.values())) @ vector).tolist(), strict=True))

    def _nearest(self, asked: Asked, filters: Filters, pool: int) -> list[Scored]:
        return self.nearest(asked.target, filters, pool)

    def _fused(self, asked: Asked, filters: Filters, pool: int) -> list[Scored]:
        """The candidates, their cosine, BM25 and exactness added, best first."""
        indexes, words = self.indexes, balance.exact_words(asked.text) if self.settings.exact_weight else ""
        text = scores(index.search_text(asked.text, pool, filters, self.where) for index in indexes)
        exact = scores(index.search_exact(words, pool, filters, self.where) for index in indexes if words)
        cosine = self._cosines(asked.target, pool, filters, list(text | exact))
        held = [index.exactness(words, list(cosine)) for index in indexes if words]
        coverage = {key: part for parts in held for key, part in parts.items()}
        return ranked(fused(cosine, text, coverage, self.settings), self.catalog.reading_order)

    def _cosines(self, vector: FloatArray, count: int, filters: Filters, others: Sequence[int]) -> dict[int, float]:
        """Exact cosines of the nearest `count` passages and of `others`."""
        most = max(RESCORED, 2 * count)
        rough = scores(index.search_vector(vector, most, filters, self.where) for index in self.indexes).keys()
        exact = self.cosines(vector, [*rough, *(key for key in others if key not in rough)])
        near = by_cosine({key: exact[key] for key in rough & exact.keys()}, self.catalog.reading_order)[:count]
        chosen = {*(one.key for one in near), *others}
        return {key: cosine for key, cosine in exact.items() if key in chosen}
