"""The route of a question without a language model (F9): its kind, its flags, and the settings that suit it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from conspectus.core.errors import UsageError
from conspectus.records import QUESTION_FLAGS, Hit, Paper, QuestionFlag, QuestionKind, Routing, SearchResult, Suggestion
from conspectus.search.question_flags import FORMS_ONLY, WordKnowledge, find_flags
from conspectus.search.question_kinds import ENGLISH, classify_question, find_language
from conspectus.search.retriever import Retriever
from conspectus.search.subquestions import split_question
from conspectus.settings import SearchSettings
from conspectus.store.vectors import first_vectors

ON, OFF = True, False


class RoutingRow(NamedTuple):
    """A row of Table 1. `agent` is its column "Gen. Method": ReAct is ON, RAG is OFF, "-" is None."""

    low: int
    high: int
    keywords: bool
    recency: bool
    citations: bool
    expand: bool
    rerank: bool
    agent: bool | None


# pathfinder, Table 1: top-k, weights for keywords, time and citations, "hyde" and "cohere" of its column "Retr. Method"
KIND_ROWS: Mapping[QuestionKind, RoutingRow] = {
    #                    top-k   keyw. time cite hyde rerank agent
    "single-paper": RoutingRow(1, 5, ON, ON, OFF, ON, ON, OFF),
    "multi-paper": RoutingRow(7, 10, ON, ON, ON, ON, ON, OFF),
    "consensus": RoutingRow(15, 20, ON, OFF, ON, ON, OFF, OFF),
    "what-if": RoutingRow(10, 15, ON, ON, OFF, ON, OFF, ON),
    "compositional": RoutingRow(10, 15, ON, OFF, ON, ON, ON, ON),
}
FLAG_ROWS: Mapping[QuestionFlag, RoutingRow] = {
    "named-entity": RoutingRow(5, 7, ON, OFF, OFF, ON, OFF, None),
    "jargon": RoutingRow(7, 10, ON, ON, ON, ON, ON, None),
    "bibliometric": RoutingRow(10, 15, ON, OFF, ON, OFF, OFF, None),
    "time-sensitive": RoutingRow(5, 7, OFF, ON, OFF, ON, OFF, OFF),
}


def suggest_settings(kind: QuestionKind, flags: Collection[QuestionFlag]) -> Suggestion | None:
    """The settings for a kind with flags; None for an unclassified question, of which Table 1 says nothing.

    Table 1 does not say how rows go together. Here the kind's row holds, and:

    1. a flag switches on what its own row has on, but for jargon, whose weights (recency, citations) say nothing that
       the kind does not say better: its row adds keywords, expansion and reranking only;
    2. a time-sensitive question is searched without citations, which new papers do not have yet, but where it asks for
       papers or citations itself (bibliometric);
    3. a bibliometric question is searched as it stands (no expansion, no reranking: a hypothetical abstract answers it
       no better), and for at least as many papers as its row has: a list is wanted;
    4. how many papers and whether an agent is asked is else the kind's affair.
    """
    row = KIND_ROWS.get(kind)
    if row is None:
        return None
    rows = [FLAG_ROWS[flag] for flag in flags]
    weights = [row, *(FLAG_ROWS[flag] for flag in flags if flag != "jargon")]
    listing, timely = "bibliometric" in flags, "time-sensitive" in flags
    least = FLAG_ROWS["bibliometric"]
    return Suggestion(
        k=(max(row.low, least.low), max(row.high, least.high)) if listing else (row.low, row.high),
        keywords=any(row.keywords for row in (row, *rows)),
        recency=any(row.recency for row in weights),
        citations=(listing or not timely) and any(row.citations for row in weights),
        expand=not listing and any(row.expand for row in (row, *rows)),
        rerank=not listing and any(row.rerank for row in (row, *rows)),
        agent=bool(row.agent),
    )


def adapt_settings(settings: SearchSettings, routing: Routing, *, model: bool) -> tuple[SearchSettings, str]:
    """The settings with what is suggested, and what of it could not be used.

    Weights are switched on as Table 1 has them; those that are on stay on. Its re-ranking is by a model beyond late
    interaction, which costs next to nothing here and stays: where none is suggested, one that is set is left out. An
    expansion that is set stays.

    Args:
        settings: as they are.
        routing: the kind of question.
        model: whether there is a language model, which a hypothetical abstract needs.
    """
    suggestion = routing.suggested
    if suggestion is None:
        return settings, ""
    settings = replace(
        settings,
        keywords=settings.keywords or suggestion.keywords,
        recency=settings.recency or suggestion.recency,
        citations=settings.citations or suggestion.citations,
    )
    if not suggestion.rerank and settings.reranker != "none":
        settings = replace(settings, reranker="late")
    if not suggestion.expand or settings.expand != "no":
        return settings, ""
    if model:
        return replace(settings, expand="hyde"), ""
    return settings, "A hypothetical abstract is suggested too, and needs a language model."


NEAR = 2 / 3
"""Of the highest cosine with the whole question: a paper of one part that has so much is about it, too."""


def nearness_to_question(retriever: Retriever, question: str, papers: Iterable[Paper]) -> dict[str, float]:
    """By paper id how near its first passage is to the question: 1 from `NEAR` of the highest cosine on, less in
    proportion below. Papers without a vector are left out.
    """
    keys = retriever.catalog.keys_of(list(dict.fromkeys(paper.id for paper in papers)))
    names = {key: name for name, key in keys.items()}
    vectors = first_vectors(retriever.catalog, list(names), retriever.embedder.id)
    if not vectors:
        return {}
    question_vector = retriever.embedder.embed_query(question).vector
    nearness = {names[key]: max(0.0, float(vector @ question_vector)) for key, vector in vectors.items()}
    enough = NEAR * max(*nearness.values(), 1e-9)
    return {name: min(1.0, value / enough) for name, value in nearness.items()}


def merge_results(results: Sequence[SearchResult], k: int, near: Mapping[str, float]) -> SearchResult:
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
            nearness = near.get(hit.paper.id, min(near.values(), default=1.0))
            factors = {**hit.factors, "part": float(part), "whole": nearness}
            if (marginal := factors.get("mmr")) is not None:
                factors["mmr"] = marginal * nearness if marginal > 0 else marginal
            weighted_hit = replace(hit, score=hit.score * nearness, factors=factors)
            worth = factors.get("mmr", weighted_hit.score)
            if hit.paper.id not in best or worth > best[hit.paper.id][0]:
                best[hit.paper.id] = (worth, weighted_hit)
    order = sorted(best.values(), key=lambda item: (-item[0], item[1].factors["part"], item[1].rank))[:k]
    return tuple(replace(hit, rank=rank) for rank, (_, hit) in enumerate(order, 1))


BY_RULES = "rules"
NOUNS_IN_CAPITALS = ("de",)
"""Languages in which a capital letter makes no name."""
LONGEST = 1000
"""Characters of a question that are looked at."""


def route_question(question: str, known: WordKnowledge = FORMS_ONLY) -> Routing:
    """The kind of a question, its flags, and the settings that suit it.

    The kind is told by a linear model (`question_kinds`), flags and sub-questions by rules for English. Kinds are known
    in German, French, Spanish, Italian and Portuguese, too. A question in another language is `unclassified`: nothing
    is suggested for it, and it is searched as usual.

    Args:
        question: as it was asked.
        known: what is known of words; else jargon is found by the form of words.

    Raises:
        UsageError: the question is empty.
    """
    text = " ".join(question[:LONGEST].split())
    if not text:
        raise UsageError("There is nothing to route: the question is empty.", "Give a question.")
    language = find_language(text)
    flags = find_flags(text, known if language == ENGLISH else FORMS_ONLY, capitals=language not in NOUNS_IN_CAPITALS)
    kind, why = classify_question(text)
    ordered_flags = tuple(flag for flag in QUESTION_FLAGS if flag in flags)
    reasons = (f"{kind}: {why}", *(f"{flag}: {flags[flag]}" for flag in ordered_flags))
    parts = split_question(text) if kind == "compositional" else ()
    return Routing(question, kind, ordered_flags, reasons, BY_RULES, suggest_settings(kind, ordered_flags), parts)
