"""Re-ranking (F6): the best passages compared with the question once more, by late interaction or by another model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from conspectus.catalog.vectors import tokens_of
from conspectus.search.late import late_interactions

if TYPE_CHECKING:
    from conspectus.search.asked import Asked
    from conspectus.search.retrieve import Retriever


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
