"""Passages found for a question, a row each: their scores, what these are made of, weights (F4), and their order.

Weights by keywords, recency and citations are gentle and added by default, or as pathfinder published them. A passage
has the weights of its paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from conspectus.records.filters import keyword_forms
from conspectus.store import facets
from conspectus.store.catalog import Catalog

if TYPE_CHECKING:
    from conspectus.settings import SearchSettings

FloatVector = npt.NDArray[np.float64]
Places = Callable[[Sequence[int]], Mapping[int, tuple[int, int]]]
"""Keys of passages -> where each stands: its paper, in the order they came, and its number there."""


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage with its score and what it is made of."""

    key: int
    score: float
    factors: Mapping[str, float]

    def with_score(self, score: float, **factors: float) -> ScoredPassage:
        """The same with another score, and what it is made of besides."""
        return ScoredPassage(self.key, score, {**self.factors, **factors})


@dataclass(frozen=True, slots=True)
class Candidates:
    """Passages, each once, in no order until they are listed.

    Attributes:
        keys: of the passages, [rows].
        scores: float64 [rows].
        factors: what the scores are made of, each float64 [rows]; nan: a passage has none.
        places: tells where passages are in the library.
    """

    keys: Sequence[int]
    scores: FloatVector
    factors: Mapping[str, FloatVector]
    places: Places

    @classmethod
    def by_cosine(cls, cosines: Mapping[int, float], places: Places) -> Candidates:
        """Passages with their cosines alone."""
        scores = np.array(list(cosines.values()), np.float64)
        return cls(list(cosines), scores, {"cosine": scores}, places)

    @property
    def similarities(self) -> FloatVector:
        """The cosines; of those that were distinguished from another one (`near_tie`) what they became."""
        tie_cosines = self.factors.get("near_tie")
        return (
            self.factors["cosine"]
            if tie_cosines is None
            else np.where(np.isnan(tie_cosines), self.factors["cosine"], tie_cosines)
        )

    def column(self, values: Mapping[int, float], missing: float = np.nan) -> FloatVector:
        """What is known of passages by key, float64 [rows]."""
        return np.array([values.get(key, missing) for key in self.keys], np.float64)

    def with_scores(self, scores: FloatVector, **factors: FloatVector) -> Candidates:
        """The same with other scores, and what they are made of besides."""
        return Candidates(self.keys, scores, {**self.factors, **factors}, self.places)

    def best(self, most: int) -> Candidates:
        """The best of them."""
        rows = self._order()[:most]
        factors = {name: column[rows] for name, column in self.factors.items()}
        return Candidates([self.keys[row] for row in rows], self.scores[rows], factors, self.places)

    def mix_score(self, name: str, scores: Mapping[int, float], weight: float) -> Candidates:
        """The same with another score in 0..1, 0 for those without: `(1 - weight) score + weight other`."""
        other = self.column(scores, 0.0)
        return self.with_scores((1 - weight) * self.scores + weight * other, **{name: other})

    def mix_comparison(self, raw: Mapping[int, float], weight: float, names: tuple[str, str]) -> Candidates:
        """The same, of which some were compared with the question once more: `(1 - weight) score + weight compared`.

        Args:
            raw: the scores of the comparison by key, which are brought to 0..1; 0 for those not compared.
            weight: of the comparison.
            names: of the factors: the score as it was given, and that brought to 0..1.
        """
        scaled = dict(zip(raw, min_max(np.array(list(raw.values()))).tolist(), strict=True))
        scores = (1 - weight) * self.scores + weight * self.column(scaled, 0.0)
        return self.with_scores(scores, **{names[0]: self.column(raw), names[1]: self.column(scaled)})

    def rank_passages(self) -> list[ScoredPassage]:
        """Best first; ties: the higher cosine, then reading order."""
        columns = {name: column.tolist() for name, column in self.factors.items()}
        scores = self.scores.tolist()
        return [
            ScoredPassage(
                self.keys[row],
                scores[row],
                {name: column[row] for name, column in columns.items() if column[row] == column[row]},
            )
            for row in self._order()
        ]

    def _order(self) -> list[int]:
        """Rows, best first. Where passages stand is asked only of those that are equally good."""
        cosines = self.factors["cosine"] if "cosine" in self.factors else np.zeros(len(self.keys))
        worth = list(zip((-self.scores).tolist(), (-cosines).tolist(), strict=True))
        equals = Counter(worth)
        tied = [key for key, value in zip(self.keys, worth, strict=True) if equals[value] > 1]
        place = self.places(tied) if tied else {}
        keys = [(*value, place.get(key, (0, 0)), key) for value, key in zip(worth, self.keys, strict=True)]
        return sorted(range(len(keys)), key=keys.__getitem__)


SAME = 1e-5
"""Of the larger of two scores: by less they differ only by how a processor rounds, which may put nothing in order."""


def min_max(scores: FloatVector) -> FloatVector:
    """Scores moved to [0, 1]; all 1 where they are all the same."""
    if not scores.size:
        return scores
    low, high = scores.min(), scores.max()
    same = high - low <= SAME * max(abs(low), abs(high))
    return np.ones_like(scores) if same else (scores - low) / (high - low)


def over_max(scores: FloatVector) -> FloatVector:
    """Scores that begin at 0 (BM25, 0 for what shares no word) moved to [0, 1]; all 0 where none is above."""
    high = scores.max(initial=0.0)
    return scores / high if high > 0 else np.zeros_like(scores)


def fuse_scores(
    candidates: Candidates, text: Mapping[int, float], coverage: Mapping[int, float], settings: SearchSettings
) -> Candidates:
    """The passages, of which the cosines are known, with all scores added as `Retriever.retrieve` says.

    Args:
        candidates: by cosine.
        text: BM25; what is not there has none.
        coverage: which part of the query's words they hold; with the setting `search.exact_weight` only.
        settings: the weights.
    """
    parts = {"bm25": candidates.column(text, 0.0)}
    if settings.exact_weight:
        parts["coverage"] = candidates.column(coverage, 0.0)
    parts |= {"dense": min_max(candidates.similarities), "text": over_max(parts["bm25"])}
    fusion = settings.dense_weight * parts["dense"] + (1 - settings.dense_weight) * parts["text"]
    if settings.exact_weight:
        parts["exact"] = np.maximum(2.0 * parts["coverage"] - 1.0, 0.0)  # from a half on, 1 for all
        fusion = (1 - settings.exact_weight) * fusion + settings.exact_weight * parts["exact"]
    return candidates.with_scores(fusion, **parts, fusion=fusion)


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
class _WeighedPapers:
    """What passages are weighed by, a row for each: decimal years and citation counts (nan: not known), keywords."""

    years: FloatVector
    counts: FloatVector
    keywords: Sequence[Sequence[str]]

    @classmethod
    def of(cls, catalog: Catalog, passages: Sequence[int], *, keywords: bool) -> _WeighedPapers:
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


def add_weights(
    candidates: Candidates, catalog: Catalog, settings: SearchSettings, preferred_keywords: Sequence[str]
) -> Candidates:
    """`score + keyword_weight keywords + recency_weight recency + citation_weight citations`, of what is switched on,
    divided by 1 + these weights.

    Score and factors are 0..1, and so is the sum. No order is changed where the scores without weights differ by more
    than the sum of the weights.
    """
    factors = _factors(candidates, catalog, settings, preferred_keywords)
    weights = {name: getattr(settings, WEIGHTS[name]) for name in factors}
    bonus = sum((weights[name] * factor for name, factor in factors.items()), np.zeros(len(candidates.keys)))
    return candidates.with_scores((candidates.scores + bonus) / (1 + sum(weights.values())), **factors)


def apply_published_weights(
    candidates: Candidates, catalog: Catalog, settings: SearchSettings, preferred_keywords: Sequence[str]
) -> Candidates:
    """The score times the weights that are switched on, as pathfinder has them (equations 1 and 2)."""
    factors = _factors(candidates, catalog, settings, preferred_keywords)
    return candidates.with_scores(
        candidates.scores * np.prod([*factors.values(), np.ones(len(candidates.keys))], axis=0), **factors
    )


def _factors(
    candidates: Candidates, catalog: Catalog, settings: SearchSettings, preferred_keywords: Sequence[str]
) -> dict[str, FloatVector]:
    """What is switched on, as `search.weighting` has it."""
    papers, factors = _WeighedPapers.of(catalog, candidates.keys, keywords=bool(preferred_keywords)), {}
    is_published, now = settings.weighting == "published", this_year()
    if preferred_keywords:
        has = keywords(preferred_keywords, papers.keywords)
        factors["keywords"] = NO_KEYWORD + (1.0 - NO_KEYWORD) * has if is_published else has
    if settings.recency:
        newest = min(float(np.nanmax(papers.years, initial=0.0)), now)
        recent = (
            published_recency(papers.years, now) if is_published else recency(papers.years, newest, settings.half_life)
        )
        factors["recency"] = recent
    if settings.citations:
        counts = papers.counts
        factors["citations"] = published_citations(counts) if is_published else citations(counts, settings.saturation)
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


def keywords(query_keywords: Sequence[str], owned: Sequence[Sequence[str]]) -> FloatVector:
    """Which part of the keywords asked for each paper has; 0 where none are asked for.

    A paper has a keyword if one of its own has all its words in a row: "dark matter" is in "dark matter halos". Both
    are compared without case, accents and punctuation, in the singular and the plural.

    Args:
        query_keywords: keywords as the user or the question has them.
        owned: for each paper its normalised keywords.
    """
    form_lists = [
        [f" {form} " for form in forms if form]
        for forms in dict.fromkeys(map(keyword_forms, query_keywords))
        if forms[0]
    ]
    if not form_lists:
        return np.zeros(len(owned))
    texts = [" | ".join(["", *terms, ""]) for terms in owned]
    has = [[any(form in text for form in forms) for forms in form_lists] for text in texts]
    return np.array([sum(row) / len(form_lists) for row in has], np.float64)


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
