"""The settings that suit a kind of question, and what is found for sub-questions put together (F9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from conspectus.records import Hit, Paper, Routing, SearchResult
from conspectus.search.retrieve import Retriever
from conspectus.settings import SearchSettings
from conspectus.store.vectors import first_vectors


def suited(settings: SearchSettings, routing: Routing, *, model: bool) -> tuple[SearchSettings, str]:
    """The settings with what is suggested, and what of it could not be had.

    Weights are switched on as Table 1 has them; those that are on stay on. Its re-ranking is by a model beyond late
    interaction, which costs next to nothing here and stays: where none is suggested, one that is set is left out. An
    expansion that is set stays.

    Args:
        settings: as they are.
        routing: the kind of question.
        model: whether there is a language model, which a hypothetical abstract needs.
    """
    wanted = routing.suggested
    if wanted is None:
        return settings, ""
    settings = replace(
        settings,
        keywords=settings.keywords or wanted.keywords,
        recency=settings.recency or wanted.recency,
        citations=settings.citations or wanted.citations,
    )
    if not wanted.rerank and settings.reranker != "none":
        settings = replace(settings, reranker="late")
    if not wanted.expand or settings.expand != "no":
        return settings, ""
    if model:
        return replace(settings, expand="hyde"), ""
    return settings, "A hypothetical abstract is suggested too, and needs a language model."


NEAR = 2 / 3
"""Of the highest cosine with the whole question: a paper of one part that has so much is about it, too."""


def nearness(retriever: Retriever, question: str, papers: Iterable[Paper]) -> dict[str, float]:
    """By paper id how near its first passage is to the question: 1 from `NEAR` of the highest cosine on, less in
    proportion below. Papers without a vector are left out.
    """
    keys = retriever.catalog.keys_of(list(dict.fromkeys(paper.id for paper in papers)))
    names = {key: name for name, key in keys.items()}
    vectors = first_vectors(retriever.catalog, list(names), retriever.embedder.id)
    if not vectors:
        return {}
    own = retriever.embedder.embed_query(question).vector
    found = {names[key]: max(0.0, float(vector @ own)) for key, vector in vectors.items()}
    enough = NEAR * max(*found.values(), 1e-9)
    return {name: min(1.0, value / enough) for name, value in found.items()}


def merged(results: Sequence[SearchResult], k: int, near: Mapping[str, float]) -> SearchResult:
    """The first search with the k best papers of all, and with what the others used and noted.

    Scores run from 0 to 1 in each search, however far its best paper is from what was asked; so each is multiplied by
    how near the paper is to the whole question, the factor `whole`. Each paper has the best of its scores (with
    diversity: of its factors `mmr`), ties: the earlier search. The factor `part` is the number of the search, from 0.

    Args:
        results: of the whole question, and of its parts.
        k: how many papers.
        near: by paper id, as `nearness`; papers that it does not have count as the farthest of them.
    """
    first, hits = results[0], _best(results, k, near)
    # Why a part alone found nothing, or could not be weighed, is no news.
    telling = results[:1] if first.hits else [result for result in results if result.hits or not hits]
    return replace(
        first,
        hits=hits,
        method=f"{first.method}; {len(results) - 1} sub-questions apart, times the cosine with the whole question",
        models=tuple(dict.fromkeys(name for result in results for name in result.models)),
        note=" ".join(dict.fromkeys(result.note for result in telling if result.note)),
        expansions=tuple(dict.fromkeys(text for result in results for text in result.expansions)),
    )


def _best(results: Sequence[SearchResult], k: int, near: Mapping[str, float]) -> tuple[Hit, ...]:
    best: dict[str, tuple[float, Hit]] = {}
    for part, result in enumerate(results):
        for hit in result.hits:
            whole = near.get(hit.paper.id, min(near.values(), default=1.0))
            factors = {**hit.factors, "part": float(part), "whole": whole}
            if (marginal := factors.get("mmr")) is not None:
                factors["mmr"] = marginal * whole if marginal > 0 else marginal
            found = replace(hit, score=hit.score * whole, factors=factors)
            worth = factors.get("mmr", found.score)
            if hit.paper.id not in best or worth > best[hit.paper.id][0]:
                best[hit.paper.id] = (worth, found)
    order = sorted(best.values(), key=lambda item: (-item[0], item[1].factors["part"], item[1].rank))[:k]
    return tuple(replace(hit, rank=rank) for rank, (_, hit) in enumerate(order, 1))
