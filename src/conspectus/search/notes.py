"""What a user should know of how hits were ranked: what was asked for and could have no effect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from conspectus.records import Hit
from conspectus.search.names import entities

if TYPE_CHECKING:
    from conspectus.search.retrieve import Retriever
    from conspectus.search.syntax import Query


def of_ranking(retriever: Retriever, query: Query, hits: Sequence[Hit]) -> str:
    """One sentence for each setting that changed nothing; "" where there is none, or nothing was found."""
    if not hits:
        return ""
    found = _of_weights(retriever, query, hits) if query.words else _without_words(retriever)
    return " ".join(found)


def _without_words(retriever: Retriever) -> Iterator[str]:
    own = retriever.settings
    weighed = own.keywords or own.recency or own.citations or retriever.keywords
    if weighed or own.expand != "no" or own.mmr < 1:
        yield "Weights, expansion and diversity need words to rank by; the query has conditions only."


def _of_weights(retriever: Retriever, query: Query, hits: Sequence[Hit]) -> Iterator[str]:
    own, preferred = retriever.settings, retriever.keywords
    if own.keywords and not preferred and not entities(query.words):
        yield "No name was found in the query that papers could be preferred for."
    if preferred and not any(hit.factors.get("keywords") for hit in hits):
        yield f"None of these papers has a keyword that was preferred ({', '.join(preferred)})."
    if own.recency and not any(hit.paper.year for hit in hits):
        yield "Of none of these papers the year is known: recency changed nothing."
    if own.citations and all(hit.paper.citation_count is None for hit in hits):
        yield "Of none of these papers citations are known: they changed nothing."
    if own.weighting == "published" and not any(
        name in hits[0].factors for name in ("keywords", "recency", "citations")
    ):
        yield "No weight is on, so there is nothing to apply as published."
    if len(hits) > 1 and len({hit.factors.get("reranker") for hit in hits}) == 1 and "reranker" in hits[0].factors:
        yield "The reranker gave all of these papers the same score."
