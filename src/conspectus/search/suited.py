"""The settings that suit a kind of question, and what is found for sub-questions put together (F9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conspectus.records import Hit, Routing, SearchResult
from conspectus.settings import SearchSettings


def suited(settings: SearchSettings, routing: Routing, *, model: bool) -> tuple[SearchSettings, str]:
    """The settings with what is suggested, and what of it could not be had.

    Weights are switched as Table 1 has them. Its re-ranking is by a model beyond late interaction, which costs next to
    nothing here and stays: where none is suggested, one that is set is left out. An expansion that is set stays.

    Args:
        settings: as they are.
        routing: the kind of question.
        model: whether there is a language model, which a hypothetical abstract needs.
    """
    wanted = routing.suggested
    if wanted is None:
        return settings, ""
    settings = replace(settings, keywords=wanted.keywords, recency=wanted.recency, citations=wanted.citations)
    if not wanted.rerank and settings.reranker != "none":
        settings = replace(settings, reranker="late")
    if not wanted.expand or settings.expand != "no":
        return settings, ""
    if model:
        return replace(settings, expand="hyde"), ""
    return settings, "A hypothetical abstract is suggested too, and needs a language model."


def merged(results: Sequence[SearchResult], k: int) -> SearchResult:
    """The first search with the k best papers of all, and with what the others took, used and noted.

    Each paper has the best of its scores (with diversity: of its factors `mmr`), ties: the earlier search. The factor
    `part` is the number of the search, from 0. Scores run from 0 to 1 in each search, so that each comes in turn.
    """
    first, hits = results[0], _best(results, k)
    telling = [result for result in results if result.hits or not hits]  # why one alone found nothing is no news
    return replace(
        first,
        hits=hits,
        method=f"{first.method}; {len(results) - 1} sub-questions apart",
        models=tuple(dict.fromkeys(name for result in results for name in result.models)),
        took=sum(result.took for result in results),
        note=" ".join(dict.fromkeys(result.note for result in telling if result.note)),
        expansions=tuple(dict.fromkeys(text for result in results for text in result.expansions)),
    )


def _best(results: Sequence[SearchResult], k: int) -> tuple[Hit, ...]:
    best: dict[str, tuple[float, int, Hit]] = {}
    for part, result in enumerate(results):
        for hit in result.hits:
            known, worth = best.get(hit.paper.id), hit.factors.get("mmr", hit.score)
            if known is None or worth > known[0]:
                best[hit.paper.id] = (worth, part, hit)
    order = sorted(best.values(), key=lambda item: (-item[0], item[1], item[2].rank))[:k]
    return tuple(
        replace(hit, rank=rank, factors={**hit.factors, "part": float(part)})
        for rank, (_, part, hit) in enumerate(order, 1)
    )
