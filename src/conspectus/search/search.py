"""`search` and `similar`: passages grouped to papers."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from conspectus.catalog import derived, summaries
from conspectus.catalog.rows import StoredSummary
from conspectus.catalog.schema import SUMMARY
from conspectus.errors import UsageError
from conspectus.records import FACETS, Filters, Hit, Passage, SearchResult, Use, facet_forms
from conspectus.search.retrieve import Retriever, Scored

MOST_CANDIDATES = 5000
MORE = 3
NEAR = 2000
"""Key phrases that a keyword which no paper has is compared with."""
USES: dict[Use, str] = {"raw": "", "summary": "summaries: ", "both": "papers and summaries: "}
"""How the method of a result begins."""


def search(retriever: Retriever, query: str, k: int, filters: Filters) -> SearchResult:
    """The k best papers for a query, each with its best passage.

    Raises:
        UsageError: an empty query, k below 1, or a `use` that there is not.
    """
    if not query.strip():
        raise UsageError("There is nothing to search for: the query is empty.", "Give some words or a question.")
    if retriever.use not in USES:
        raise UsageError(f"What is searched cannot be '{retriever.use}'.", f"`use` is one of {', '.join(USES)}.")
    began = time.perf_counter()
    settings = retriever.settings
    method = (
        USES[settings.use] + f"{settings.dense_weight:g} vectors + {1 - settings.dense_weight:g} full text, min-max"
    )
    with retriever.at_one_moment() as now:
        hits = _papers(now, k, lambda count: now.retrieve(query, filters, count))
        if hits and settings.rerank and settings.rerank_weight and any("late" in hit.factors for hit in hits):
            method += f"; {settings.rerank_weight:g} late interaction on the best {settings.rerank}"
        return _result(now, query, hits, method, began, filters)


def similar(
    retriever: Retriever, text: str, k: int, filters: Filters, *, key: int | None = None, without: str = ""
) -> SearchResult:
    """The k papers nearest to a text, or to a passage by its key; the paper with the id `without` is left out."""
    if key is None and not text.strip():
        raise UsageError("There is nothing to compare with: the text is empty.", "Give a title or an abstract.")
    began = time.perf_counter()
    retriever = replace(
        retriever, settings=replace(retriever.settings, use="raw")
    )  # papers are compared, not summaries
    with retriever.at_one_moment() as now:
        stored = now.catalog.vectors([key], now.embedder.id) if key is not None else {}
        vector = stored[key] if key in stored else next(iter(now.embedder.embed([text]))).vector
        hits = _papers(now, k, lambda count: now.nearest(vector, filters, count), without)
        return _result(now, text, hits, "cosine of vectors", began, filters)


def _papers(retriever: Retriever, k: int, find: Callable[[int], list[Scored]], without: str = "") -> list[Hit]:
    """Passages to papers; where they are of too few papers, more passages are looked at."""
    if k < 1:
        raise UsageError(f"k must be at least 1, not {k}.")
    catalog = retriever.catalog
    left_out = catalog.paper_key(without) if without else None
    count = max(retriever.settings.candidates, k)
    while True:
        found = find(count)
        paper_of = catalog.papers_of_passages([scored.key for scored in found])
        groups: dict[int, list[Scored]] = {}
        for scored in found:
            if (paper := paper_of.get(scored.key)) is not None and paper != left_out:
                groups.setdefault(paper, []).append(scored)
        if len(groups) >= k or len(found) < count or count >= MOST_CANDIDATES:
            break
        count = min(count * 4, MOST_CANDIDATES)
    most = MORE + 1 if retriever.use == "raw" else 2 * MORE + 1  # of which some say the same
    chosen = [(key, group[:most]) for key, group in list(groups.items())[:k]]
    papers = catalog.papers_by_key([key for key, _ in chosen])
    passages = catalog.passages_by_key([scored.key for _, group in chosen for scored in group])
    written = summaries.by_key(catalog, list(passages)) if retriever.use != "raw" else {}
    hits = []
    for rank, (key, group) in enumerate(chosen, 1):
        best = group[0]
        said = written[best.key].summary if best.key in written else None
        shown = _not_twice([passages[scored.key].passage for scored in group], written)
        hits.append(Hit(rank, best.score, best.factors, papers[key], shown[0], tuple(shown[1 : MORE + 1]), said))
    return hits


def _not_twice(group: Sequence[Passage], written: Mapping[int, StoredSummary]) -> list[Passage]:
    """A paper's passages, best first, without those that say what a better one says in other words.

    A summary is left out behind a passage with a sentence that it rests on, and such a passage behind the summary.
    """
    sources = {one.summary.passage.id: set(one.summary.sources) for one in written.values()}
    kept: list[Passage] = []
    for passage in group:
        own = {span.id for span in passage.spans}
        twice = (
            sources[passage.id] & {span.id for span in other.spans}
            if passage.id in sources
            else own & sources.get(other.id, set())
            for other in kept
        )
        if not any(twice):
            kept.append(passage)
    return kept


def _result(
    retriever: Retriever, query: str, hits: Sequence[Hit], method: str, began: float, filters: Filters
) -> SearchResult:
    note = " ".join(part for part in (retriever.note, "" if hits else why_none(retriever, filters)) if part)
    took = time.perf_counter() - began
    wrote = dict.fromkeys(hit.summary.model for hit in hits if hit.summary)
    return SearchResult(query, tuple(hits), method, (retriever.embedder.id, *wrote), took, note)


def why_none(retriever: Retriever, filters: Filters) -> str:
    """Why no passage was found."""
    if not any(index.stats().rows for index in retriever.indexes):
        if retriever.use == "summary" and retriever.index.stats().rows:
            return "No paper has a summary yet. Have them made: conspectus summarise"
        if retriever.catalog.counts()["papers"]:
            return "None of the library's papers can be searched yet. Try again when adding them has got on."
        return "The library is empty. Add papers: conspectus add FOLDER"
    for facet in FACETS:
        known = set(retriever.catalog.facet_values(facet)) if filters.terms(facet) else set()
        for asked in getattr(filters, facet):
            forms = facet_forms(facet, asked)
            here = known | _near_phrases(retriever, forms) if facet == "keyword" else known
            if here.isdisjoint(forms):
                near = difflib.get_close_matches(forms[0], sorted(here), n=3, cutoff=0.6)
                hint = f" Near it: {', '.join(near)}." if near else ""
                return f"No paper has the {facet} '{asked}'.{hint}"
    if retriever.use == "summary" and filters.kind and SUMMARY not in filters.kind:
        return f"Only summaries are searched, and their kind of text is '{SUMMARY}'."
    return "No passage passes all of these filters." if filters else "Nothing was found."


def _near_phrases(retriever: Retriever, forms: Sequence[str]) -> set[str]:
    """Those of `forms` that are key phrases, and key phrases that begin as they do."""
    found = {form for form in forms if derived.is_key_phrase(retriever.catalog, [form])}
    return found.union(derived.beginning_with(retriever.catalog, forms[0][:2], NEAR))
