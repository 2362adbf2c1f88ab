"""Re-ranking (F6): the best passages compared with the question once more, by late interaction or by another model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.models.protocol import TokenVectors
from conspectus.store.vectors import tokens_of

if TYPE_CHECKING:
    from conspectus.search.asked import Asked
    from conspectus.search.retrieve import Retriever

AT_ONCE = 50
"""Passages compared in one product: some 10 MB with a long question."""


def compared(now: Retriever, asked: Asked, keys: Sequence[int]) -> Mapping[int, float]:
    """What late interaction, or the reranker that is set, says of passages, by key; of none where it cannot."""
    return _late(now, asked, keys) if now.reranker is None else _named(now, asked, keys)


def _late(now: Retriever, asked: Asked, keys: Sequence[int]) -> Mapping[int, float]:
    """Late interaction, by key; of none where the embedder has no word vectors."""
    if asked.tokens is None or not keys:
        return {}
    tokens = tokens_of(now.catalog, keys, now.embedder.id)
    known = [key for key in keys if key in tokens]
    scores = late_interactions(asked.tokens, [tokens[key] for key in known], asked.weights)
    return dict(zip(known, scores, strict=True))


def _named(now: Retriever, asked: Asked, keys: Sequence[int]) -> Mapping[int, float]:
    """What the reranker says of passages with their titles, by key."""
    assert now.reranker is not None
    stored = now.catalog.passages_by_key(keys)
    papers = now.catalog.papers_by_key(sorted({item.paper_key for item in stored.values()}))
    rows = [(key, papers[stored[key].paper_key], stored[key].passage) for key in keys if key in stored]
    texts = [f"{paper.title}\n{passage.text}" if paper.title else passage.text for _, paper, passage in rows]
    scores = now.reranker.scores(asked.text, texts, [paper.id for _, paper, _ in rows])
    return {key: float(score) for (key, *_), score in zip(rows, scores, strict=True)}


def similarities(query: TokenVectors, passage: TokenVectors) -> FloatArray:
    """Cosines, float32 [query words, passage words]."""
    if not len(query.vectors) or not len(passage.vectors):
        return np.zeros((len(query.vectors), len(passage.vectors)), np.float32)
    product = query.vectors.astype(np.float32) @ passage.vectors.astype(np.float32).T
    return np.asarray(product / (127.0 * 127.0), np.float32)


def nearest(matrix: FloatArray) -> FloatArray:
    """Of each query word the best cosine, float32 [query words]; 0 where the passage has none. `matrix`: [query words,
    passage words]."""
    return matrix.max(axis=1) if matrix.size else np.zeros(len(matrix), np.float32)


def late_interactions(query: TokenVectors, passages: Sequence[TokenVectors], weights: FloatArray) -> list[float]:
    """Late interaction of a question with each passage; many in one product.

    That is the weighted mean of `nearest` (ColBERT's MaxSim, Khattab and Zaharia 2020).
    """
    found = [0.0] * len(passages)
    rows = [row for row, passage in enumerate(passages) if len(passage.vectors)] if len(query.vectors) else []
    for block in (rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE)):
        words = [passages[row].vectors for row in block]
        begins = np.cumsum([0, *map(len, words[:-1])])
        matrix = similarities(TokenVectors(query.starts, np.concatenate(words)), query)
        best = np.maximum.reduceat(matrix, begins, axis=0)
        for row, score in zip(block, (best @ weights).tolist(), strict=True):
            found[row] = score
    return found


def by_stretch(matrix: FloatArray, starts: npt.NDArray[np.uint32], stretches: Sequence[tuple[int, int]]) -> FloatArray:
    """`nearest` in each stretch of the text alone, float32 [stretches, query words]: with the words that start in
    [begin, end)."""
    bounds = np.searchsorted(starts, np.array(stretches, np.int64).reshape(-1, 2))
    found = [nearest(matrix[:, begin:end]) for begin, end in bounds.tolist()]
    return np.array(found, np.float32).reshape(len(stretches), len(matrix))
