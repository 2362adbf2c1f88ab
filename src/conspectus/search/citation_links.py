"""Similarity by citations: papers that cite the same works, that are cited together, or cite one another."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import sqrt
from typing import Any

from sqlalchemy import Row, func, select

from conspectus.core.errors import UsageError
from conspectus.records import Filters, Hit, Paper, Passage, SearchResult
from conspectus.search.retriever import Retriever
from conspectus.search.search import explain_nothing
from conspectus.store import facets
from conspectus.store.connection import CatalogReader
from conspectus.store.schema import citations

METHOD = "citations: the same works cited, cited together, or citing one another"


def find_by_citations(retriever: Retriever, papers: Sequence[Paper], k: int, filters: Filters) -> SearchResult:
    """The k papers nearest to papers by citations; these themselves are left out.

    The score is the sum of three parts, each 0 to 1: works that both cite (`coupling`, Kessler 1963) and papers that
    cite both (`cocitation`, Small 1973), both as Salton's cosine, and `citation`, 1 where one cites the other.

    Raises:
        UsageError: nothing to compare with, or none of the papers has references that are known, or is cited.
    """
    if not papers:
        raise UsageError("There is nothing to compare with.", "Give papers.")
    began = time.perf_counter()
    with retriever.at_one_moment() as now:
        catalog = now.catalog
        seeds = [catalog.paper_key(paper.id) for paper in papers]
        parts = parts_by_citations(catalog, seeds)
        if not any(parts.values()):
            raise UsageError(
                "The library knows no references of these papers, and no paper that cites them.",
                "Add them with full text, or complete them: `sources enrich PAPER…`.",
            )
        allowed = {*facets.filtered_paper_keys(catalog, filters).tolist()} if filters else None
        scores = total_scores(parts, seeds)
        best = [key for key in scores if allowed is None or key in allowed]
        hits = _hits(retriever, best, scores, parts, k)
        note = "" if hits else explain_nothing(now, filters)
    query = "\n\n".join(paper.heading for paper in papers)
    return SearchResult(query, hits, METHOD, (), time.perf_counter() - began, note, total=len(best))


def parts_by_citations(catalog: CatalogReader, seeds: Sequence[int]) -> dict[str, dict[int, float]]:
    """The parts of the score, by their names: key of a paper -> 0 to 1. Papers without citations have none."""
    rows = list(catalog.rows_where(select(citations), citations.c.paper_key, seeds))
    cited = {row.work for row in rows if not row.own}
    names = {row.work for row in rows if row.own}
    coupling = _shared(catalog, cited, is_own=False)
    citing = {row.paper_key for row in _of_works(catalog, names, is_own=False)} - {*seeds}
    cited_papers = {row.paper_key for row in _of_works(catalog, cited, is_own=True)} - {*seeds}
    together: Counter[int] = Counter()
    for row in catalog.rows_where(select(citations).where(~citations.c.own), citations.c.paper_key, sorted(citing)):
        together[row.work] += 1
    paper_by_work = {row.work: row.paper_key for row in _of_works(catalog, together, is_own=True)}
    with_both: Counter[int] = Counter()
    for work, count in together.items():
        if (key := paper_by_work.get(work)) is not None:
            with_both[key] = max(with_both[key], count)
    times = _times_cited(catalog, with_both)
    return {
        "coupling": _cosines(coupling, len(cited), _number_cited(catalog, coupling)),
        "cocitation": _cosines(with_both, len(citing), times),
        "citation": dict.fromkeys(citing | cited_papers, 1.0),
    }


def total_scores(parts: Mapping[str, Mapping[int, float]], seeds: Collection[int]) -> dict[int, float]:
    """The scores of papers, the best first, without the seeds."""
    scores: dict[int, float] = {}
    for part_scores in parts.values():
        for key, value in part_scores.items():
            if key not in seeds:
                scores[key] = scores.get(key, 0.0) + value
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))


def _cosines(shared: Counter[int], own_count: int, theirs: dict[int, int]) -> dict[int, float]:
    return {key: min(count / sqrt(own_count * max(theirs.get(key, 0), count)), 1.0) for key, count in shared.items()}


def _of_works(catalog: CatalogReader, works: Collection[int], *, is_own: bool) -> list[Row[Any]]:
    query = select(citations.c.paper_key, citations.c.work).where(citations.c.own == is_own)
    return list(catalog.rows_where(query, citations.c.work, sorted(works)))


def _shared(catalog: CatalogReader, works: Collection[int], *, is_own: bool) -> Counter[int]:
    return Counter(row.paper_key for row in _of_works(catalog, works, is_own=is_own))


def _number_cited(catalog: CatalogReader, keys: Collection[int]) -> dict[int, int]:
    """How many works each paper cites."""
    query = select(citations.c.paper_key, func.count().label("number")).where(~citations.c.own)
    rows = catalog.rows_where(query.group_by(citations.c.paper_key), citations.c.paper_key, sorted(keys))
    return {row.paper_key: row.number for row in rows}


def _times_cited(catalog: CatalogReader, keys: Collection[int]) -> dict[int, int]:
    """How many papers of the library cite each paper."""
    names = {
        row.work: row.paper_key
        for row in catalog.rows_where(select(citations).where(citations.c.own), citations.c.paper_key, sorted(keys))
    }
    citing_papers: dict[int, set[int]] = {}
    for row in _of_works(catalog, names, is_own=False):
        citing_papers.setdefault(names[row.work], set()).add(row.paper_key)
    return {key: len(citing_keys) for key, citing_keys in citing_papers.items()}


def _hits(
    retriever: Retriever, best: Sequence[int], scores: Mapping[int, float], parts: dict[str, dict[int, float]], k: int
) -> tuple[Hit, ...]:
    """The first k that have a passage, each with its first."""
    catalog = retriever.catalog
    hits: list[Hit] = []
    for start in range(0, len(best), 2 * k):
        chunk = best[start : start + 2 * k]
        papers = catalog.papers_by_key(chunk)
        first: dict[int, Passage] = {}
        for stored in catalog.passages_of(chunk).values():
            known = first.get(stored.paper_key)
            if known is None or stored.passage.ordinal < known.ordinal:
                first[stored.paper_key] = stored.passage
        for key in chunk:
            if key in first and len(hits) < k:
                factors = {name: part_scores[key] for name, part_scores in parts.items() if key in part_scores}
                hits.append(Hit(len(hits) + 1, scores[key], factors, papers[key], first[key], (), None))
        if len(hits) >= k:
            break
    return tuple(hits)
