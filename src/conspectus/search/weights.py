"""Weights by keywords, recency and citations (F4): gentle and added by default, or as pathfinder published them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from conspectus.records.filters import keyword_forms

FloatVector = npt.NDArray[np.float64]

PUBLISHED_POOL = 1000
"""Candidates that the published weights are applied to (pathfinder, section 3.2.3)."""
PUBLISHED_RERANKED = 250
"""Of these, how many are re-ranked (section 3.2.5)."""
POOL = 100
"""Candidates that the added weights are applied to, from full text and from vectors each."""
NO_KEYWORD = 0.1
"""Published keyword weight of a paper with none of the keywords. The paper gives no number: "heavily weighted"."""


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


def published_keywords(parts: FloatVector) -> FloatVector:
    """From 0.1 for none to 1 for all of the keywords; the paper has no equation for these."""
    return NO_KEYWORD + (1.0 - NO_KEYWORD) * parts


def _logistic(values: FloatVector) -> FloatVector:
    with np.errstate(over="ignore"):  # exp of a large number is infinite, and 1 over that 0, as it should be
        return np.asarray(1.0 / (1.0 + np.exp(-values)), np.float64)


def _neutral(factors: FloatVector) -> FloatVector:
    """What is not known neither helps nor harms."""
    known = ~np.isnan(factors)
    return np.where(known, factors, factors[known].mean() if known.any() else 0.0)
