"""Re-ranking (F6): the best passages compared with the question once more, by late interaction or by another model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from conspectus.search.fuse import min_max
from conspectus.search.late import Asked, late_interactions
from conspectus.search.scored import Scored, ranked

if TYPE_CHECKING:
    from conspectus.search.retrieve import Retriever

LATE = ("late_interaction", "late")
NAMED = ("reranker", "rerank")
"""Factors: the score as the reranker gives it, and that brought to 0..1 over the passages compared."""


def reranked(
    now: Retriever, asked: Asked, found: list[Scored], most: int | None = None, *, alone: bool = False
) -> list[Scored]:
    """The passages, of which the best are compared with the question once more; best first.

    `(1 - w) score + w rerank`, with `rerank` the reranker's score brought to 0..1, and 0 for those not compared.

    Args:
        now: what searches; `search.reranker`, `search.rerank` and the weights are its settings.
        asked: the question.
        found: best first.
        most: how many are compared, and kept; None: as `search.rerank` says, and all are kept.
        alone: the reranker alone decides.
    """
    own = now.settings
    if not own.rerank or own.reranker == "none":
        return found
    best = found[: own.rerank if most is None else most]
    weight = own.rerank_weight if now.reranker is None else own.reranker_weight
    weight = 1.0 if alone else weight
    raw = (_late(now, asked, best) if now.reranker is None else _named(now, asked, best)) if weight else {}
    if not raw:
        return found
    names = LATE if now.reranker is None else NAMED
    scaled = dict(zip(raw, min_max(np.array(list(raw.values()))).tolist(), strict=True))

    def again(one: Scored) -> Scored:
        if one.key not in raw:
            return one.with_score((1 - weight) * one.score)
        score = (1 - weight) * one.score + weight * scaled[one.key]
        return one.with_score(score, **dict(zip(names, (raw[one.key], scaled[one.key]), strict=True)))

    return ranked([again(one) for one in (found if most is None else best)], now.catalog.reading_order)


def _late(now: Retriever, asked: Asked, best: Sequence[Scored]) -> dict[int, float]:
    """Late interaction, by key; of none where the embedder has no word vectors."""
    if asked.tokens is None or not best:
        return {}
    keys = [one.key for one in best]
    tokens = now.catalog.tokens(keys, now.embedder.id)
    known = [key for key in keys if key in tokens]
    scores = late_interactions(asked.tokens, [tokens[key] for key in known], asked.weights)
    return dict(zip(known, scores, strict=True))


def _named(now: Retriever, asked: Asked, best: Sequence[Scored]) -> dict[int, float]:
    """What the reranker says of passages with their titles, by key."""
    assert now.reranker is not None
    stored = now.catalog.passages_by_key([one.key for one in best])
    papers = now.catalog.papers_by_key(sorted({item.paper_key for item in stored.values()}))
    rows = [(one.key, papers[stored[one.key].paper_key], stored[one.key].passage) for one in best if one.key in stored]
    texts = [f"{paper.title}\n{passage.text}" if paper.title else passage.text for _, paper, passage in rows]
    scores = now.reranker.scores(asked.text, texts, [paper.id for _, paper, _ in rows])
    return {key: float(score) for (key, *_), score in zip(rows, scores, strict=True)}
