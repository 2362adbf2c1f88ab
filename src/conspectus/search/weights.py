"""Weights by keywords, recency and citations (F4): gentle and added by default, or as pathfinder published them.

A passage has the weights of its paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from conspectus.records.filters import keyword_forms
from conspectus.search.candidates import Candidates, FloatVector
from conspectus.store import facets
from conspectus.store.catalog import Catalog

if TYPE_CHECKING:
    from conspectus.settings import SearchSettings

PUBLISHED_POOL = 1000
"""Candidates that the published weights are applied to (pathfinder, section 3.2.3)."""
PUBLISHED_RERANKED = 250
"""Of these, how many are re-ranked (section 3.2.5)."""
POOL = 100
"""Candidates that the added weights are applied to, from full text and from vectors each."""
NO_KEYWORD = 0.1
"""Published keyword weight of a paper with none of the keywords. The paper gives no number: "heavily weighted"."""


WEIGHTS = {"keywords": "keyword_weight", "recency": "recency_weight", "citations": "citation_weight"}
"""Factors of scores, and the settings that say how much is added for them."""


@dataclass(frozen=True, slots=True)
class _Papers:
    """What passages are weighed by, a row for each: decimal years and citation counts (nan: not known), keywords."""

    years: FloatVector
    counts: FloatVector
    keywords: Sequence[Sequence[str]]

    @classmethod
    def of(cls, catalog: Catalog, passages: Sequence[int], *, keywords: bool) -> _Papers:
        """Of passages in their order; keywords only where they are asked for."""
        paper_of = catalog.papers_of_passages(passages)
        keys = sorted(set(paper_of.values()))
        known = facets.paper_standings(catalog, keys)
        rows = [known[paper_of[key]] for key in passages]
        years = [float("nan") if row.published is None else row.published for row in rows]
        counts = [float("nan") if row.cited_by is None else float(row.cited_by) for row in rows]
        terms = facets.keyword_terms(catalog, keys) if keywords else {}
        owned = [terms.get(paper_of[key], ()) for key in passages]
        return cls(np.array(years, np.float64), np.array(counts, np.float64), owned)


def added(found: Candidates, catalog: Catalog, own: SearchSettings, wanted: Sequence[str]) -> Candidates:
    """`score + keyword_weight keywords + recency_weight recency + citation_weight citations`, of what is switched on.

    Each factor is 0..1, so that no order is changed where the scores without weights differ by more than their sum.
    """
    factors = _factors(found, catalog, own, wanted)
    bonus = sum((getattr(own, WEIGHTS[name]) * factor for name, factor in factors.items()), np.zeros(len(found.keys)))
    return found.scored(found.scores + bonus, **factors)


def published(found: Candidates, catalog: Catalog, own: SearchSettings, wanted: Sequence[str]) -> Candidates:
    """The score times the weights that are switched on, as pathfinder has them (equations 1 and 2)."""
    factors = _factors(found, catalog, own, wanted)
    return found.scored(found.scores * np.prod([*factors.values(), np.ones(len(found.keys))], axis=0), **factors)


def _factors(found: Candidates, catalog: Catalog, own: SearchSettings, wanted: Sequence[str]) -> dict[str, FloatVector]:
    """What is switched on, as `search.weighting` has it."""
    papers, factors = _Papers.of(catalog, found.keys, keywords=bool(wanted)), {}
    published, now = own.weighting == "published", this_year()
    if wanted:
        has = keywords(wanted, papers.keywords)
        factors["keywords"] = NO_KEYWORD + (1.0 - NO_KEYWORD) * has if published else has
    if own.recency:
        newest = min(float(np.nanmax(papers.years, initial=0.0)), now)
        recent = published_recency(papers.years, now) if published else recency(papers.years, newest, own.half_life)
        factors["recency"] = recent
    if own.citations:
        counts = papers.counts
        factors["citations"] = published_citations(counts) if published else citations(counts, own.saturation)
    return factors


def this_year() -> float:
    """Now, as a decimal year."""
    today = datetime.now(UTC)
    start, end = (datetime(today.year + more, 1, 1, tzinfo=UTC) for more in (0, 1))
    return today.year + (today - start) / (end - start)


def recency(years: FloatVector, newest: float, half_life: float) -> FloatVector:
    """1 for the newest year, half of that each `half_life` years before; unknown (nan) as the mean of the others.

    Args:
        years: decimal years, nan where not known.
        newest: the year that counts as new; later ones have 1 too.
    """
    return _neutral(np.exp2(-np.maximum(newest - years, 0.0) / half_life))


def citations(counts: FloatVector, saturation: int) -> FloatVector:
    """log(1 + n) / log(1 + saturation), at most 1; unknown (nan) as the mean of the others."""
    return _neutral(np.minimum(np.log1p(counts) / np.log1p(saturation), 1.0))


def keywords(asked: Sequence[str], owned: Sequence[Sequence[str]]) -> FloatVector:
    """Which part of the keywords asked for each paper has; 0 where none are asked for.

    A paper has a keyword if one of its own has all its words in a row: "dark matter" is in "dark matter halos". Both
    are compared without case, accents and punctuation, in the singular and the plural.

    Args:
        asked: keywords as the user or the question has them.
        owned: for each paper its normalised keywords.
    """
    wanted = [[f" {form} " for form in forms if form] for forms in dict.fromkeys(map(keyword_forms, asked)) if forms[0]]
    if not wanted:
        return np.zeros(len(owned))
    texts = [" | ".join(["", *terms, ""]) for terms in owned]
    has = [[any(form in text for form in forms) for forms in wanted] for text in texts]
    return np.array([sum(row) / len(wanted) for row in has], np.float64)


def published_recency(years: FloatVector, now: float) -> FloatVector:
    """Equation 1 of pathfinder: 1 / (1 + exp((now - year) / 0.7)); an unknown year counts as infinitely long ago."""
    return _logistic(-(now - np.where(np.isnan(years), -np.inf, years)) / 0.7)


def published_citations(counts: FloatVector) -> FloatVector:
    """Equation 2 of pathfinder: 1 / (1 + exp((300 - n) / 42)); an unknown count is 0."""
    return _logistic(-(300.0 - np.nan_to_num(counts)) / 42.0)


def _logistic(values: FloatVector) -> FloatVector:
    with np.errstate(over="ignore"):  # exp of a large number is infinite, and 1 over that 0, as it should be
        return np.asarray(1.0 / (1.0 + np.exp(-values)), np.float64)


def _neutral(factors: FloatVector) -> FloatVector:
    """What is not known neither helps nor harms."""
    known = ~np.isnan(factors)
    return np.where(known, factors, factors[known].mean() if known.any() else 0.0)
