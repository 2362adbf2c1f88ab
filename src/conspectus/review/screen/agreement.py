"""How far reviewers agree: Cohen's κ, Gwet's AC1 and Krippendorff's α of labels, some of which may be missing.

κ is of two reviewers: of more, the mean over pairs, each with the weight of the papers that both have labelled. AC1
(Gwet, Br J Math Stat Psychol 61:29, 2008; missing labels as in his handbook, 2014) stays near the share of agreement
where nearly all papers are excluded, and κ and α do not. α is the nominal one (Krippendorff 2011). Intervals are the
2.5th and 97.5th percentiles of `DRAWS` bootstrap samples of the papers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from conspectus.records.review_screen import AgreementFigure, ReviewerAgreement

DRAWS = 1000
_CHUNK = 50
"""Samples that are drawn at a time, so that memory does not grow with their number."""
Array = npt.NDArray[np.float64]


def measure_agreement(labels: Mapping[str, Mapping[str, str]]) -> ReviewerAgreement:
    """How far reviewers agree. A figure is None where it is undefined: too few labels, or all the same.

    Args:
        labels: reviewer -> paper -> label.
    """
    reviewers = sorted(labels)
    papers = sorted({paper for by_paper in labels.values() for paper in by_paper})
    names = sorted({label for by_paper in labels.values() for label in by_paper.values()})
    codes = np.array([[names.index(labels[who][p]) if p in labels[who] else -1 for who in reviewers] for p in papers])
    codes = codes.reshape(len(papers), len(reviewers))
    twice = (codes >= 0).sum(1) > 1
    split = twice & (np.where(codes < 0, len(names), codes).min(1, initial=len(names)) != codes.max(1, initial=-1))
    terms = _terms(codes, len(names))
    values = _coefficients(terms, np.ones((1, len(papers))))
    drawn = np.concatenate([values[:0], *(_coefficients(terms, weights) for weights in _samples(len(papers)))])
    figures = [
        AgreementFigure(name, *_interval(value, samples))
        for name, value, samples in zip(("kappa", "ac1", "alpha"), values[0], drawn.T, strict=True)
    ]
    same = int(twice.sum() - split.sum())
    return ReviewerAgreement(tuple(reviewers), int(twice.sum()), same, int(split.sum()), tuple(figures))


def _samples(papers: int) -> Iterator[Array]:
    """How often each paper is in each bootstrap sample, float64 [samples, papers]."""
    random = np.random.default_rng(0)
    for _ in range(0, DRAWS if papers else 0, _CHUNK):
        yield random.multinomial(papers, np.full(papers, 1 / papers), _CHUNK).astype(float)


def _terms(codes: npt.NDArray[Any], labels: int) -> tuple[Array, Array, Sequence[tuple[Array, Array]]]:
    """Of each paper what the coefficients are sums of.

    Returns:
        How many reviewers gave each label, [papers, labels]; the share of pairs of them that agree, or NaN; and for
        each pair of reviewers whether each gave each label, [papers, labels], 0 where one of them gave none.
    """
    label_flags = (codes[:, :, None] == np.arange(labels)).astype(float)
    counts = label_flags.sum(1)
    total = counts.sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        same = np.where(total > 1, (counts * (counts - 1)).sum(1) / (total * (total - 1)), np.nan)
    pairs = []
    for ours, other in combinations(range(codes.shape[1]), 2):
        both = ((codes[:, ours] >= 0) & (codes[:, other] >= 0))[:, None]
        pairs.append((label_flags[:, ours] * both, label_flags[:, other] * both))
    return counts, same, pairs


def _coefficients(terms: tuple[Array, Array, Sequence[tuple[Array, Array]]], weights: Array) -> Array:
    """κ, AC1 and α of weighted papers, [samples, 3]; NaN where one is undefined."""
    counts, same, pairs = terms
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.stack([_kappa(pairs, weights), _ac1(counts, same, weights), _alpha(counts, same, weights)], axis=1)


def _kappa(pairs: Sequence[tuple[Array, Array]], weights: Array) -> Array:
    total, weighted_sum = np.zeros(len(weights)), np.zeros(len(weights))
    for ours, other in pairs:
        papers = weights @ ours.sum(1)
        seen = weights @ (ours * other).sum(1) / papers
        chance = ((weights @ ours) * (weights @ other)).sum(1) / papers**2
        kappa = (seen - chance) / (1 - chance)
        known = np.isfinite(kappa)
        total += np.where(known, papers, 0)
        weighted_sum += np.where(known, kappa * papers, 0)
    return np.asarray(weighted_sum / total)


def _ac1(counts: Array, same: Array, weights: Array) -> Array:
    labels, rated = counts.shape[1], counts.sum(1)
    twice = rated > 1
    seen = (weights[:, twice] @ same[twice]) / weights[:, twice].sum(1)
    shares = weights @ (counts / np.maximum(rated, 1)[:, None]) / (weights @ (rated > 0))[:, None]
    chance = (shares * (1 - shares)).sum(1) / max(labels - 1, 1)
    return np.asarray((seen - chance) / (1 - chance))


def _alpha(counts: Array, same: Array, weights: Array) -> Array:
    twice = counts.sum(1) > 1
    counts, same, weights = counts[twice], same[twice], weights[:, twice]
    rated = counts.sum(1)
    total = weights @ rated
    differ = total - weights @ (rated * same)
    expected = total**2 - ((weights @ counts) ** 2).sum(1)
    return np.where(expected > 0, 1 - (total - 1) * differ / expected, np.nan)


def _interval(value: float, samples: Array) -> tuple[float | None, float | None, float | None]:
    """A coefficient with its interval; None where it is undefined."""
    samples = samples[np.isfinite(samples)]
    if not np.isfinite(value) or not len(samples):
        return None, None, None
    low, high = np.quantile(samples, [0.025, 0.975])
    return float(value), float(low), float(high)
