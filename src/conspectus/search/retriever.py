"""Candidates from full text and vectors of the whole library: fused, re-ranked (F6), weighted, diversified (P2)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from conspectus.core.arrays import FloatArray
from conspectus.index.protocol import SUMMARIES, Candidate, SearchIndex
from conspectus.models.protocol import Embedder, Reranker, TokenVectors
from conspectus.records import Filters, Use
from conspectus.records.filters import Condition
from conspectus.search.candidates import (
    POOL,
    PUBLISHED_POOL,
    PUBLISHED_RERANKED,
    Candidates,
    ScoredPassage,
    add_weights,
    apply_published_weights,
    fuse_scores,
)
from conspectus.search.encoded_query import EncodedQuery, balance_weights, count_expansions, encode_query
from conspectus.search.question_flags import find_names
from conspectus.settings import SearchSettings
from conspectus.store.catalog import Catalog
from conspectus.store.vectors import matrix_of, tokens_of, vectors_of

_blas_lock = threading.Lock()
_blas_users = 0
_blas_limit: Any = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within, products of matrices take one thread, in the whole process.

    Those of a question are so small that more threads mostly wait for each other: they took two fifths of its time.
    """
    global _blas_users, _blas_limit  # noqa: PLW0603 - the number of threads is the process's, too
    with _blas_lock:
        _blas_users += 1
        if _blas_users == 1:
            _blas_limit = _blas_controller().limit(limits=1, user_api="blas")
    try:
        yield
    finally:
        with _blas_lock:
            _blas_users -= 1
            if not _blas_users:
                _blas_limit.restore_original_limits()


@cache
def _blas_controller() -> Any:
    return ThreadpoolController()


AT_ONCE = 50
"""Passages compared in one product: some 10 MB with a long question."""


def compare_again(now: Retriever, encoded_query: EncodedQuery, keys: Sequence[int]) -> Mapping[int, float]:
    """What late interaction, or the reranker that is set, says of passages, by key; of none where it cannot."""
    return (
        _score_by_late_interaction(now, encoded_query, keys)
        if now.reranker is None
        else _score_by_reranker(now, encoded_query, keys)
    )


def _score_by_late_interaction(now: Retriever, query: EncodedQuery, keys: Sequence[int]) -> Mapping[int, float]:
    """Late interaction, by key; of none where the embedder has no word vectors."""
    if query.tokens is None or not keys:
        return {}
    tokens = tokens_of(now.catalog, keys, now.embedder.id)
    known = [key for key in keys if key in tokens]
    scores = score_late_interaction(query.tokens, [tokens[key] for key in known], query.weights)
    return dict(zip(known, scores, strict=True))


def _score_by_reranker(now: Retriever, query: EncodedQuery, keys: Sequence[int]) -> Mapping[int, float]:
    """What the reranker says of passages with their titles, by key."""
    assert now.reranker is not None
    stored = now.catalog.passages_by_key(keys)
    papers = now.catalog.papers_by_key(sorted({item.paper_key for item in stored.values()}))
    rows = [(key, papers[stored[key].paper_key], stored[key].passage) for key in keys if key in stored]
    texts = [f"{paper.title}\n{passage.text}" if paper.title else passage.text for _, paper, passage in rows]
    scores = now.reranker.scores(query.text, texts, [paper.id for _, paper, _ in rows])
    return {key: float(score) for (key, *_), score in zip(rows, scores, strict=True)}


def word_cosines(query: TokenVectors, passage: TokenVectors) -> FloatArray:
    """Cosines, float32 [query words, passage words]."""
    if not len(query.vectors) or not len(passage.vectors):
        return np.zeros((len(query.vectors), len(passage.vectors)), np.float32)
    product = query.vectors.astype(np.float32) @ passage.vectors.astype(np.float32).T
    return np.asarray(product / (127.0 * 127.0), np.float32)


def best_cosines(matrix: FloatArray) -> FloatArray:
    """Of each query word the best cosine, float32 [query words]; 0 where the passage has none. `matrix`: [query words,
    passage words]."""
    return matrix.max(axis=1) if matrix.size else np.zeros(len(matrix), np.float32)


def score_late_interaction(query: TokenVectors, passages: Sequence[TokenVectors], weights: FloatArray) -> list[float]:
    """Late interaction of a question with each passage; many in one product.

    That is the weighted mean of `best_cosines` (ColBERT's MaxSim, Khattab and Zaharia 2020).
    """
    scores = [0.0] * len(passages)
    rows = [row for row, passage in enumerate(passages) if len(passage.vectors)] if len(query.vectors) else []
    for block in (rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE)):
        words = [passages[row].vectors for row in block]
        begins = np.cumsum([0, *map(len, words[:-1])])
        matrix = word_cosines(TokenVectors(query.starts, np.concatenate(words)), query)
        best = np.maximum.reduceat(matrix, begins, axis=0)
        for row, score in zip(block, (best @ weights).tolist(), strict=True):
            scores[row] = score
    return scores


def best_cosines_by_stretch(
    matrix: FloatArray, starts: npt.NDArray[np.uint32], stretches: Sequence[tuple[int, int]]
) -> FloatArray:
    """`best_cosines` in each stretch of the text alone, float32 [stretches, query words]: with the words that start in
    [begin, end)."""
    bounds = np.searchsorted(starts, np.array(stretches, np.int64).reshape(-1, 2))
    rows = [best_cosines(matrix[:, begin:end]) for begin, end in bounds.tolist()]
    return np.array(rows, np.float32).reshape(len(stretches), len(matrix))


STEERED, STEERED_POOL = 0.4, 300
"""What it counts that passages have what a search is steered towards (turned alone, words and re-ranking undo it), and
candidates that are taken from full text and from vectors each."""
LATE = ("late_interaction", "late")
NAMED = ("reranker", "rerank")
"""Factors of re-ranking: the score as it was given, and that brought to 0..1 over the passages compared."""
Channel = Callable[["Retriever", str, FloatArray, Filters, int], Mapping[int, float]]
"""Passages found otherwise, by their keys with scores in 0..1, for a question's words and vector; the k best."""
TieBreaker = Callable[["Retriever", EncodedQuery, Mapping[int, float]], Mapping[int, float]]
"""What the cosines of the two nearest passages, the first the better, become where they are nearly the same; by key."""
RESCORED = 1.25
"""Of so many times the passages that are kept the vectors are compared exactly: cosines of 8-bit codes err by 0.001."""


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """How one question is searched, settled before anything is.

    Attributes:
        pool: candidates taken from full text and from vectors each.
        preferred: keywords that papers are preferred for.
        weighs: whether any of the weights of `search.candidates` are switched on.
        published: whether these are applied before re-ranking, as pathfinder published them; else they are added after.
        compared: how many are re-ranked, and kept; None: as `search.rerank` says, and all are kept.
    """

    pool: int
    preferred: tuple[str, ...]
    weighs: bool
    published: bool
    compared: int | None

    def weight(self, settings: SearchSettings, *, is_named: bool) -> float:
        """How much re-ranking weighs, by late interaction or by a model of a name; 0: there is none."""
        if not settings.rerank or settings.reranker == "none":
            return 0.0
        return 1.0 if self.published else settings.reranker_weight if is_named else settings.rerank_weight

    @classmethod
    def of(cls, settings: SearchSettings, query: str, keywords: tuple[str, ...], candidates: int) -> RetrievalPlan:
        """By the settings and the keywords given; with `search.keywords` the names in the query are some, too."""
        preferred = (*keywords, *find_names(query)) if settings.keywords else keywords
        weighs = bool(settings.recency or settings.citations or preferred)
        published = weighs and settings.weighting == "published"
        least = PUBLISHED_POOL if published else POOL if weighs else 0
        compared = max(candidates, PUBLISHED_RERANKED) if published else None
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
        graph: finds passages by the entities that a question names.
        near_ties: tells the two nearest passages apart by what they say of these.
        routed: whether the graph is used, and why, in words; where that was not set but measured.
        everyday: makes the words of everyday English, in small letters; of none where they are not known.
        turn: turns the vector that is searched for, as a user steers it.
        lift: how much passages have of what it is steered towards, 0 to 1, by their keys.
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
    graph: Channel | None = None
    near_ties: TieBreaker | None = None
    routed: str = ""
    everyday: Callable[[], Container[str]] = frozenset
    turn: Callable[[FloatArray], FloatArray] | None = None
    lift: Callable[[Sequence[int]], Mapping[int, float]] | None = None

    @property
    def use(self) -> Use:
        """Whether papers' own passages are searched, what a model wrote of them, or both (S3)."""
        return self.settings.use

    @property
    def indexes(self) -> tuple[SearchIndex, ...]:
        """The indexes that are searched."""
        own_index, written = self.index, self.index.beside(SUMMARIES)
        return {"raw": (own_index,), "summary": (written,), "both": (own_index, written)}[self.use]

    @contextmanager
    def at_one_moment(self) -> Iterator[Retriever]:
        """The same on a catalog that stands still, so that what a search has found cannot go before it is shown."""
        with self.catalog.snapshot() as catalog:
            yield replace(self, catalog=catalog)

    @one_blas_thread()
    def retrieve(self, encoded_query: EncodedQuery, filters: Filters, candidates: int) -> list[ScoredPassage]:
        """The best passages, best first; ties: the higher cosine, then reading order.

        `candidates` are taken from full text and from vectors each. The score is
        `(1 - r) fusion + r late`, `fusion = d dense + (1 - d) text`, with r and d the settings `search.rerank_weight`
        and `search.dense_weight`, and `dense`, `text` and `late` the cosine, BM25 and late interaction, each brought to
        0..1 over the candidates (`late` is 0 for those that are not re-ranked). With `search.exact_weight` x it is
        `fusion = (1 - x) (d dense + (1 - d) text) + x exact`, with `exact` from 0 for a passage that holds half of the
        words, by rarity, to 1 for one that holds all. With `search.by_query` these three weights follow the query
        (`search.encoded_query`). With `search.graph` it is `(1 - g) fusion + g graph`, with g the setting
        `search.graph_weight` and `graph` 1 for the first passage that the graph brings, less for those behind it.
        With `search.graph_near_ties` the two nearest passages may have a `near_tie`, which is their cosine in `dense`.
        A steered search has `(1 - s) score + s steered` in the end. Another reranker takes the place of late
        interaction, with the weight `search.reranker_weight`. Weights that
        are switched on are added (`search.candidates`), or applied as pathfinder published them.

        Raises:
            ServiceError, ModelMissingError, ModelDamagedError: of the reranker.
        """
        candidates = candidates if self.lift is None else max(candidates, STEERED_POOL)
        settings, way = (
            encoded_query.settings,
            RetrievalPlan.of(encoded_query.settings, encoded_query.text, self.keywords, candidates),
        )
        if settings.expand == "feedback":
            encoded_query = self._fed_back(encoded_query, filters, candidates)
        passages = self._candidates(encoded_query, filters, way.pool, fuse=not way.published)
        if way.published:
            passages = apply_published_weights(passages, self.catalog, settings, way.preferred)
        if weight := way.weight(settings, is_named=self.reranker is not None):
            best = passages.best(way.compared or settings.rerank)
            raw, names = compare_again(self, encoded_query, best.keys), LATE if self.reranker is None else NAMED
            base = best if way.published else passages
            passages = base.mix_comparison(raw, weight, names) if raw else passages
        if way.weighs and not way.published:
            passages = add_weights(passages, self.catalog, settings, way.preferred)
        if self.lift is not None:
            passages = passages.mix_score("steered", self.lift(passages.keys), STEERED)
        return passages.rank_passages()

    def encode(self, query: str, filters: Filters) -> EncodedQuery:
        """A question, embedded; its words weighed by how rare they are in the papers, whatever is searched.

        With `search.by_query` it has the weights that suit it.
        """
        encoded_query = encode_query(
            query, self.embedder, self.index.frequencies, self.index.stats().rows, self.settings
        )

        def coverage() -> float:
            best = self._hits(lambda index: index.search_exact(encoded_query.words, 1, filters, self.where))
            return max(best.values(), default=0.0)

        suited = replace(encoded_query, settings=balance_weights(self.settings, encoded_query.words, coverage))
        texts = [embedding.vector for embedding in self.embedder.embed(self.expansions)] if self.expansions else []
        moved = suited.towards(texts, self.settings.expand_share)
        return moved if self.turn is None else replace(moved, moved=self.turn(moved.target))

    def newest(self, filters: Filters, papers: int) -> list[ScoredPassage]:
        """Of the newest papers one passage each: what is found where nothing is said to rank by. Their scores are 1."""
        hits = self._hits(lambda index: index.newest(papers, filters, self.where))
        candidates = Candidates(list(hits), np.array(list(hits.values()), np.float64), {}, self.catalog.reading_order)
        return [passage.with_score(1.0) for passage in candidates.rank_passages()]

    def nearest(self, vector: FloatArray, filters: Filters, candidates: int) -> list[ScoredPassage]:
        """The passages nearest to a vector, by cosine alone."""
        return self._nearest(vector, candidates, filters, ()).rank_passages()

    def cosines(self, vector: FloatArray, keys: Sequence[int]) -> dict[int, float]:
        """Exact cosines of passages by key; those without a vector are left out."""
        row_keys, vectors = matrix_of(self.catalog, keys, self.embedder.id)
        return dict(zip(row_keys, (vectors @ vector).tolist(), strict=True)) if row_keys else {}

    def _hits(self, find: Callable[[SearchIndex], Iterable[Candidate]]) -> dict[int, float]:
        """What is found in each of the indexes: scores by key."""
        return {hit.key: hit.score for index in self.indexes for hit in find(index)}

    def _fed_back(self, query: EncodedQuery, filters: Filters, candidates: int) -> EncodedQuery:
        """The question, moved towards the best that are found by it."""
        best = self._candidates(query, filters, candidates, fuse=True).best(count_expansions(query.settings))
        vectors = vectors_of(self.catalog, best.keys, self.embedder.id)
        return query.towards(list(vectors.values()), query.settings.expand_share)

    def _candidates(self, query: EncodedQuery, filters: Filters, pool: int, *, fuse: bool) -> Candidates:
        """The nearest passages; with `fuse` those that full text finds too, their cosine, BM25 and exactness added.

        `cosine` is always that with the question; that with the vector searched for, where it is another, `expanded`.
        """
        text: dict[int, float] = {}
        exact: dict[int, float] = {}
        coverage: dict[int, float] = {}
        if fuse:
            text = self._hits(lambda index: index.search_text(query.text, pool, filters, self.where))
        if words := query.words if fuse and query.settings.exact_weight else "":
            exact = self._hits(lambda index: index.search_exact(words, pool, filters, self.where))
        graph = self.graph(self, query.text, query.vector, filters, pool) if self.graph and fuse else {}
        others = (text | exact).keys() | (graph.keys() if self.where is None else ())
        candidates = self._nearest(query.target, pool, filters, others)
        if words:
            for index in self.indexes:
                coverage |= index.exactness(words, candidates.keys)
        if fuse and self.near_ties:
            two = candidates.best(2)
            tie_scores = self.near_ties(self, query, dict(zip(two.keys, two.scores.tolist(), strict=True)))
            candidates = (
                candidates.with_scores(candidates.scores, near_tie=candidates.column(tie_scores))
                if tie_scores
                else candidates
            )
        candidates = fuse_scores(candidates, text, coverage, query.settings) if fuse else candidates
        if graph:
            candidates = candidates.mix_score("graph", graph, query.settings.graph_weight)
        if query.moved is None:
            return candidates
        question_cosines = candidates.column(self.cosines(query.vector, candidates.keys))
        return candidates.with_scores(candidates.scores, cosine=question_cosines, expanded=candidates.factors["cosine"])

    def _nearest(self, vector: FloatArray, count: int, filters: Filters, others: Collection[int]) -> Candidates:
        """The nearest `count` passages and `others`, by their exact cosines."""
        most, places = ceil(RESCORED * count), self.catalog.reading_order
        rough = self._hits(lambda index: index.search_vector(vector, most, filters, self.where)).keys()
        exact = self.cosines(vector, [*rough, *(key for key in others if key not in rough)])
        near = Candidates.by_cosine({key: exact[key] for key in rough & exact.keys()}, places).best(count)
        chosen = {*near.keys, *others}
        return Candidates.by_cosine({key: cosine for key, cosine in exact.items() if key in chosen}, places)


AMONG = 4
"""So many times as many passages as are wanted are chosen from."""


def order_by_marginal_relevance(
    scores: Sequence[float], vectors: FloatArray, trade: float, count: int
) -> list[tuple[int, float]]:
    """`count` rows in the order they are chosen, each with its marginal relevance at that moment.

    That is `trade * score - (1 - trade) * highest cosine with a row chosen before` (Carbonell and Goldstein 1998); of
    equals the first row.

    Args:
        scores: of each row; at best 0..1, as cosines are.
        vectors: float32 [rows, dimensions], of length 1.
        trade: lambda, from 0 (only unlike) to 1 (only relevant).
        count: how many are wanted.
    """
    relevance = trade * np.asarray(scores, np.float64)
    nearest: npt.NDArray[np.float64] = np.zeros(len(relevance))
    left = np.ones(len(relevance), np.bool_)
    chosen: list[tuple[int, float]] = []
    for _ in range(min(count, len(relevance))):
        marginal = np.where(left, relevance - (1 - trade) * nearest, -np.inf)
        row = int(marginal.argmax())
        chosen.append((row, float(marginal[row])))
        left[row] = False
        cosines = vectors @ vectors[row]
        nearest = cosines.astype(np.float64) if len(chosen) == 1 else np.maximum(nearest, cosines)
    return chosen


def diversify(now: Retriever, scores: Mapping[int, float], count: int) -> dict[int, float]:
    """The `count` passages by marginal relevance among the best, in the order they are chosen: key -> that relevance.

    Args:
        now: what searches; `search.mmr` is its lambda.
        scores: of passages by key, best first.
        count: how many are wanted.
    """
    keys = list(scores)[: AMONG * count]
    vectors = vectors_of(now.catalog, keys, now.embedder.id)
    keys = [key for key in keys if key in vectors]
    if not keys:
        return {}
    matrix = np.stack([vectors[key] for key in keys])
    order = order_by_marginal_relevance([scores[key] for key in keys], matrix, now.settings.mmr, count)
    return {keys[row]: marginal for row, marginal in order}
