"""`search`, `similar` and `count`: passages grouped to papers."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from conspectus.core.errors import UsageError
from conspectus.ingest.derivations.registry import without
from conspectus.lexicon.word_lists import count_shared, roots
from conspectus.records import Filters, Hit, Paper, Passage, SearchResult, Use, WordCount, facet_forms
from conspectus.records.filters import FACTS, NAMED, AllOf, AnyOf, Condition, Not, Passes, all_of
from conspectus.search.candidates import PUBLISHED_RERANKED, WEIGHTS, ScoredPassage
from conspectus.search.encoded_query import combine_vectors, count_expansions
from conspectus.search.query_syntax import Query, plain_query
from conspectus.search.question_flags import find_names
from conspectus.search.retriever import AMONG, Retriever, diversify
from conspectus.search.spelling import correct_spelling, find_misspellings, note_misspellings
from conspectus.settings import SearchSettings
from conspectus.store import facets, summaries
from conspectus.store.facets import count_papers
from conspectus.store.rows import StoredSummary
from conspectus.store.schema import SUMMARY
from conspectus.store.vectors import first_vectors


def note_ranking(retriever: Retriever, query: Query, hits: Sequence[Hit]) -> str:
    """One sentence for each setting that changed nothing; "" where there is none, or nothing was found."""
    if not hits:
        return ""
    notes = _of_weights(retriever, query, hits) if query.words else _without_words(retriever)
    return " ".join(notes)


def _without_words(retriever: Retriever) -> Iterator[str]:
    settings = retriever.settings
    weighed = settings.keywords or settings.recency or settings.citations or retriever.keywords
    if weighed or settings.expand != "no" or settings.mmr < 1:
        yield "Weights, expansion and diversity need words to rank by; the query has conditions only."


def _of_weights(retriever: Retriever, query: Query, hits: Sequence[Hit]) -> Iterator[str]:
    settings, preferred = retriever.settings, retriever.keywords
    if hits and all(hit.factors.get("bm25") == 0 == hit.factors.get("coverage", 0) for hit in hits):
        yield "No word of the query stands in these papers; they are the nearest by meaning."
    if settings.keywords and not preferred and not find_names(query.words):
        yield "The query contains no name to prefer papers by."
    if preferred and not any(hit.factors.get("keywords") for hit in hits):
        yield f"None of these papers has a preferred keyword ({', '.join(preferred)})."
    if settings.recency and not any(hit.paper.year for hit in hits):
        yield "No year is known for these papers, so recency changed nothing."
    if settings.citations and all(hit.paper.citation_count is None for hit in hits):
        yield "No citation counts are known for these papers, so they changed nothing."
    if settings.weighting == "published" and not any(
        name in hits[0].factors for name in ("keywords", "recency", "citations")
    ):
        yield "No weight is on, so there is nothing to apply as published."
    if len(hits) > 1 and len({hit.factors.get("reranker") for hit in hits}) == 1 and "reranker" in hits[0].factors:
        yield "The reranker gave all of these papers the same score."


MOST_CANDIDATES = 5000
NEWEST = "what passes, the newest papers first"
"""The method where nothing is said to rank by."""
NEAR = 2000
"""Key phrases that a keyword which no paper has is compared with."""
NAMED_UNKNOWN = 3
"""Names that no paper has which are reported, with similar ones."""
MORE_UNKNOWN = "No paper has any of the other names."
USES: dict[Use, str] = {"raw": "", "summary": "summaries: ", "both": "papers and summaries: "}
"""How the method of a result begins."""


def search_papers(retriever: Retriever, query: Query | str, k: int, filters: Filters) -> SearchResult:
    """The k best papers for a query, each with its best passage; of one that only has conditions the newest papers.

    A `str` is plain: its signs are text.

    Raises:
        UsageError: an empty query, or k below 1.
    """
    query = plain_query(query) if isinstance(query, str) else query
    if not query.text.strip():
        raise empty_query_error()
    began = time.perf_counter()
    settings = retriever.settings if query.words else replace(retriever.settings, mmr=1.0)  # the newest come first
    with replace(retriever, where=query.where, settings=settings).at_one_moment() as now:
        if not query.words:
            hits = _papers(now, k, lambda count: now.newest(filters, count))
            return _result(now, query, hits, NEWEST, began, filters, note_ranking(retriever, query, hits))
        spellings = find_misspellings(now, query.words) if settings.spelling else ()
        if free := query.where is None:  # what a condition asks for is asked for as it is written
            query = replace(query, words=correct_spelling(query.words, spellings))
        encoded_query = now.encode(query.words, filters)
        hits = _papers(now, k, lambda count: now.retrieve(encoded_query, filters, count), words=query.words)
        note = " ".join(filter(None, (note_misspellings(spellings, respelt=free), note_ranking(now, query, hits))))
        result = _result(now, query, hits, _method(now, encoded_query.settings, hits), began, filters, note)
        return replace(result, spelling=spellings)


def empty_query_error() -> UsageError:
    """That the query is empty."""
    return UsageError("There is nothing to search for: the query is empty.", "Give some words or a question.")


def too_few_error(k: int) -> UsageError:
    """That so few papers cannot be asked for."""
    return UsageError(f"k must be at least 1, not {k}.")


def _method(retriever: Retriever, settings: SearchSettings, hits: Sequence[Hit]) -> str:
    """What the hits were found and ranked by, in words."""
    on = [name for name in WEIGHTS if any(name in hit.factors for hit in hits)]
    late = any("late" in hit.factors for hit in hits)
    by = "late interaction" if late else _reranker_of(retriever, hits)
    if on and settings.weighting == "published":
        parts = ["vectors", f"times the published weights of {' and '.join(on)}"]
        if by:
            parts.append(f"{by} on the best {max(len(hits), PUBLISHED_RERANKED)}")
    else:
        share = settings.dense_weight
        parts = [f"{share:g} vectors + {round(1 - share, 2):g} full text, min-max"]
        if settings.exact_weight:
            parts.append(f"{settings.exact_weight:g} exact words")
        if by:
            weight = settings.rerank_weight if late else settings.reranker_weight
            parts.append(f"{weight:g} {by} on the best {settings.rerank}")
        weights = {name: getattr(settings, WEIGHTS[name]) for name in on}
        parts += [f"+ {weight:g} {name}" for name, weight in weights.items()]
        parts += [f"divided by {1 + sum(weights.values()):g}"] if weights else []
    if retriever.routed:
        parts.append(retriever.routed)
    elif any("graph" in hit.factors for hit in hits):
        parts.append(f"{settings.graph_weight:g} graph ({settings.graph})")
    if any("near_tie" in hit.factors for hit in hits):
        parts.append("near ties told apart by sentences about the entities named")
    if any("expanded" in hit.factors for hit in hits):
        parts.insert(0, f"{settings.expand_share:g} {_expansion(retriever)}")
    if settings.mmr < 1:
        parts.append(f"marginal relevance, lambda {settings.mmr:g}")
    return USES[settings.use] + "; ".join(parts)


def _reranker_of(retriever: Retriever, hits: Sequence[Hit]) -> str:
    """The reranker that hits were compared by; "" where it was late interaction, or none."""
    reranker = retriever.reranker
    return reranker.id if reranker is not None and any("rerank" in hit.factors for hit in hits) else ""


def _expansion(retriever: Retriever) -> str:
    count = len(retriever.expansions) or count_expansions(retriever.settings)
    if retriever.settings.expand == "feedback":
        return f"feedback of {count} passage{'' if count == 1 else 's'}"
    if retriever.settings.expand == "hyde":
        return f"hypothetical abstract{'' if count == 1 else 's'}"
    return f"{count} other wording{'' if count == 1 else 's'}"


def find_similar(
    retriever: Retriever, papers: Sequence[Paper], text: str | None, k: int, filters: Filters
) -> SearchResult:
    """The k papers nearest to the mean of the vectors of papers (of each its first passage) and of a text.

    The papers themselves are left out.

    Raises:
        UsageError: k below 1, or nothing to compare with.
    """
    if not papers and not (text or "").strip():
        raise UsageError("There is nothing to compare with: the text is empty.", "Give a title or an abstract.")
    began = time.perf_counter()
    settings = replace(retriever.settings, use="raw", mmr=1.0)  # papers are compared, not summaries
    with replace(retriever, settings=settings).at_one_moment() as now:
        texts = [text] if text and text.strip() else []
        keys = [now.catalog.paper_key(paper.id) for paper in papers]
        stored = first_vectors(now.catalog, keys, now.embedder.id)
        bare = [paper for paper in papers if now.catalog.paper_key(paper.id) not in stored]
        texts += [bare_text for paper in bare if (bare_text := _title_and_abstract(paper)).strip()]
        if not stored and not texts:
            raise UsageError(
                f"There is nothing to compare with: '{bare[0].id}' has no text.", "Give a title or an abstract."
            )
        vectors = [*stored.values(), *(embedding.vector for embedding in now.embedder.embed(texts))]
        target = combine_vectors(vectors[0], vectors, 1.0)
        target = target if now.turn is None else now.turn(target)
        hits = _papers(now, k, lambda count: now.nearest(target, filters, count), {paper.id for paper in papers})
        query = "\n\n".join([*map(_title_and_abstract, papers), *([text] if text else [])])
        several = f"cosine with the mean of {len(vectors)} vectors" if len(vectors) > 1 else "cosine of vectors"
        without = int(np.isin(keys, facets.filtered_paper_keys(now.catalog, filters)).sum()) if filters else len(keys)
        return _result(now, plain_query(query), hits, several, began, filters, without=without)


def _title_and_abstract(paper: Paper) -> str:
    return f"{paper.title}\n{paper.abstract}" if paper.abstract else paper.title


def _papers(
    retriever: Retriever,
    k: int,
    find: Callable[[int], list[ScoredPassage]],
    without: Collection[str] = (),
    words: str = "",
) -> list[Hit]:
    """Passages to papers; where they are of too few papers, more passages are looked at.

    `words`: of the query. Passages that have none of them come behind those that have: a caption of five words is found
    by its paper's title.
    """
    if k < 1:
        raise too_few_error(k)
    catalog = retriever.catalog
    left_out = {catalog.paper_key(paper_id) for paper_id in without}
    settings = retriever.settings
    paper_count = k if settings.mmr == 1 else AMONG * k
    count = max(settings.candidates, paper_count)
    while True:
        scored_passages = find(count)
        paper_of = catalog.papers_of_passages([scored.key for scored in scored_passages])
        groups: dict[int, list[ScoredPassage]] = {}
        for scored in scored_passages:
            if (paper := paper_of.get(scored.key)) is not None and paper not in left_out:
                groups.setdefault(paper, []).append(scored)
        if len(groups) >= paper_count or len(scored_passages) < count or count >= MOST_CANDIDATES:
            break
        count = min(count * 4, MOST_CANDIDATES)
    if settings.mmr < 1:
        groups = _diversify_papers(retriever, groups, k)
    most = settings.per_paper if retriever.use == "raw" else 2 * settings.per_paper  # of which some say the same
    chosen = [(key, group[:most]) for key, group in list(groups.items())[:k]]
    papers = catalog.papers_by_key([key for key, _ in chosen])
    passages = catalog.passages_by_key([scored.key for _, group in chosen for scored in group])
    written = summaries.by_key(catalog, list(passages)) if retriever.use != "raw" else {}
    wanted_roots = roots(words)
    hits = []
    for rank, (key, group) in enumerate(chosen, 1):
        best = group[0]
        summary = written[best.key].summary if best.key in written else None
        best_passages = _not_twice([passages[scored.key].passage for scored in group], written)
        if summary is None:
            best_passages.sort(key=lambda passage: not count_shared(passage.text, wanted_roots))
        hits.append(
            Hit(
                rank,
                best.score,
                best.factors,
                papers[key],
                best_passages[0],
                tuple(best_passages[1 : settings.per_paper]),
                summary,
            )
        )
    return hits


def _diversify_papers(
    retriever: Retriever, groups: Mapping[int, list[ScoredPassage]], k: int
) -> dict[int, list[ScoredPassage]]:
    """The k papers by marginal relevance among the best, in the order they are chosen."""
    paper_of = {group[0].key: paper for paper, group in groups.items()}
    chosen = diversify(retriever, {group[0].key: group[0].score for group in groups.values()}, k)
    chosen_groups = {paper_of[key]: (groups[paper_of[key]], marginal) for key, marginal in chosen.items()}
    return {
        paper: [group[0].with_score(group[0].score, mmr=marginal), *group[1:]]
        for paper, (group, marginal) in chosen_groups.items()
    }


def _not_twice(group: Sequence[Passage], written: Mapping[int, StoredSummary]) -> list[Passage]:
    """A paper's passages, best first, without those that say what a better one says in other words.

    A summary is left out behind a passage with a sentence that it rests on, and such a passage behind the summary.
    """
    sources = {
        stored_summary.summary.passage.id: set(stored_summary.summary.sources) for stored_summary in written.values()
    }
    kept_passages: list[Passage] = []
    for passage in group:
        span_ids = {span.id for span in passage.spans}
        twice = (
            sources[passage.id] & {span.id for span in other.spans}
            if passage.id in sources
            else span_ids & sources.get(other.id, set())
            for other in kept_passages
        )
        if not any(twice):
            kept_passages.append(passage)
    return kept_passages


def _result(
    retriever: Retriever,
    query: Query,
    hits: Sequence[Hit],
    method: str,
    began: float,
    filters: Filters,
    ranking: str = "",
    without: int = 0,
) -> SearchResult:
    empty = _not_yet(retriever, filters) if hits else explain_nothing(retriever, filters)
    note = " ".join(part for part in (retriever.note, empty, ranking) if part)
    took = time.perf_counter() - began
    wrote = dict.fromkeys(hit.summary.model for hit in hits if hit.summary)
    model_ids = [] if method == NEWEST else [retriever.embedder.id, _reranker_of(retriever, hits)]
    models = (*filter(None, model_ids), *wrote)
    conditions = "" if query.where is None else str(query.where)
    return SearchResult(
        query.text,
        tuple(hits),
        method,
        models,
        took,
        note,
        retriever.expansions,
        words=query.words,
        conditions=conditions,
        total=_count_matches(retriever, query, filters) - without,
    )


def _count_matches(retriever: Retriever, query: Query, filters: Filters) -> int:
    """How many papers pass the filters and the query's conditions; where only summaries are searched, have one."""
    is_summary = retriever.use == "summary"
    if query.where is not None:
        index = retriever.indexes[0] if is_summary else retriever.index
        return index.count("", filters, query.where).papers
    return facets.count_papers(retriever.catalog, replace(filters, kind=("summary",)) if is_summary else filters)


def explain_nothing(retriever: Retriever, filters: Filters) -> str:
    """Why no passage was found."""
    if not any(index.stats().rows for index in retriever.indexes):
        if retriever.use == "summary" and retriever.index.stats().rows:
            return "No paper has a summary yet. Have them made: `summarise`"
        return _why_empty(retriever.catalog.counts())
    if unmade := _not_yet(retriever, filters):
        return unmade
    names = replace(filters, year=None)
    if unknown := _Unknown(retriever).explain(all_of([Passes(names), retriever.where])):
        return unknown
    if retriever.use == "summary" and filters.kind and SUMMARY not in filters.kind:
        return f"Only summaries are searched, and their kind of text is '{SUMMARY}'."
    conditions = " and ".join(["all of these filters"] * bool(filters) + [str(retriever.where)] * bool(retriever.where))
    return f"No passage passes {conditions}." if conditions else "Nothing was found."


def _why_empty(counts: Mapping[str, int]) -> str:
    """Why a library of so many things has no passage in its index."""
    if not counts["papers"]:
        return "The library is empty. Add papers: `add FOLDER`"
    if not counts["passages"]:
        return "No paper in the library has searchable text; `status` says why."
    return "No paper in the library can be searched yet. Try again when more papers have been added."


def _not_yet(retriever: Retriever, filters: Filters) -> str:
    """That papers are left out, or let in, because what is asked of them was not found of them yet, if so."""
    facts = _facts(Passes(filters)) | _facts(retriever.where)
    missing_counts = ((fact, without(retriever.catalog, fact)) for fact in FACTS if fact in facts)
    return " ".join(
        f"The {fact} of {number} paper{'s' * (number > 1)}, such as an earlier version has stored, is not known yet: "
        "`doctor fix=True` finds it."
        for fact, number in missing_counts
        if number
    )


def _facts(part: Condition | None) -> set[str]:
    """Which of `FACTS` a condition asks for."""
    match part:
        case AllOf(parts) | AnyOf(parts):
            return set().union(*map(_facts, parts))
        case Not(inner):
            return _facts(inner)
        case Passes(filters):
            return {fact for fact in FACTS if getattr(filters, fact)}
        case _:
            return set()


class _Unknown:
    """Finds what a search asks for and no paper has.

    Each name that is reported is compared with all names of the library, so only the first `NAMED_UNKNOWN` are.
    """

    def __init__(self, retriever: Retriever) -> None:
        self._retriever = retriever
        self._values: dict[str, set[str]] = {}
        self._unknown_count = 0

    def explain(self, part: Condition | None) -> str:
        """That the library has nothing of what is asked for, if so: of each part; of alternatives, if it has none."""
        match part:
            case AllOf(parts):
                return " ".join(dict.fromkeys(filter(None, map(self.explain, parts))))
            case AnyOf(parts):
                return _join(map(self.explain, parts))
            case Passes(filters):
                notes = [_join(self._explain_names(facet, getattr(filters, facet))) for facet in NAMED]
                if filters.year and not any(notes):
                    notes.append(self._explain_condition(part))
                return " ".join(filter(None, notes))
            case Not() | None:
                return ""
            case _:
                return self._explain_condition(part)

    def _explain_condition(self, part: Condition) -> str:
        there = any(index.newest(1, Filters(), part) for index in self._retriever.indexes)
        return "" if there else f"No passage passes {part}."

    def _explain_names(self, facet: str, names: Sequence[str]) -> Iterator[str]:
        for name in names:
            forms = facet_forms(facet, name)
            known = self._load_values(facet)
            if facet == "keyword":
                known = known | _near_phrases(self._retriever, forms)
            if not known.isdisjoint(forms):
                yield ""
            elif self._unknown_count >= NAMED_UNKNOWN:
                yield MORE_UNKNOWN
            else:
                self._unknown_count += 1
                near = difflib.get_close_matches(forms[0], sorted(known), n=3, cutoff=0.6)
                hint = f" Near it: {', '.join(near)}." if near else ""
                yield f"No paper has the {facet} '{name}'.{hint}"

    def _load_values(self, facet: str) -> set[str]:
        if facet not in self._values:
            self._values[facet] = set(self._retriever.catalog.facet_values(facet))
        return self._values[facet]


def _join(explanations: Iterable[str]) -> str:
    """All explanations, each once; "" if one of them is empty."""
    distinct: dict[str, None] = {}
    for text in explanations:
        if not text:
            return ""
        distinct[text] = None
    return " ".join(distinct)


def _near_phrases(retriever: Retriever, forms: Sequence[str]) -> set[str]:
    """Those of `forms` that are key phrases, and key phrases that begin as they do."""
    phrases = {form for form in forms if facets.is_key_phrase(retriever.catalog, [form])}
    return phrases.union(facets.complete_key_phrase(retriever.catalog, forms[0][:2], NEAR))


def count_matches(retriever: Retriever, query: Query, filters: Filters) -> WordCount:
    """The papers with a passage (its title and section with it) that has all the words, in any of their forms.

    Words that the query's signs do not join all have to be there, as they do not where papers are ranked. Without words
    and conditions: the papers that pass the filters.

    Raises:
        UsageError: there are words, and none of them can be looked for.
    """
    with replace(retriever, where=query.where).at_one_moment() as now:
        words, conditions = query.soft, "" if query.where is None else str(query.where)
        if not words.strip() and query.where is None:
            return WordCount({}, count_papers(now.catalog, filters), note=now.note)
        word_count = now.index.count(words, filters, query.where)
        if not word_count.words and query.where is None:
            hint = "Words that nearly every text has, like 'the', are not. Give others, or none: then all papers count."
            raise UsageError(f"'{words.strip()}' has no words that can be looked for.", hint)
        without = [word for word in dict.fromkeys(words.split()) if word not in word_count.words]
        notes = [now.note, f"Not looked for, as nearly every text has them: {', '.join(without)}." if without else ""]
        if SUMMARY in filters.kind:
            notes.append("Words are counted in the papers' own passages, not in summaries.")
        elif not word_count.papers and (filters or conditions):
            notes.append(explain_nothing(now, filters) if not any(word_count.words.values()) else "")
        note = " ".join(note for note in notes if note)
        return WordCount(word_count.words, word_count.papers, word_count.passages, note, conditions)
