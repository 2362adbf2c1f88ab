"""When screening may stop, and how many relevant papers are left."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import hypergeom

from conspectus.review.screen.stopping_rule import ALPHA, TARGET, estimate_relevant, may_stop, recall_p


def read(relevant: int, irrelevant: int) -> list[bool]:
    """All relevant papers first, as a perfect order has them."""
    return [True] * relevant + [False] * irrelevant


@pytest.mark.parametrize(("before", "after"), [(20, 100), (40, 300), (5, 700)])
def test_without_bias_it_is_the_published_test(before: int, after: int) -> None:
    """If the formula were wrong, screening would stop on evidence that is not there."""
    papers, total = 1000, math.floor(before / TARGET) + 1
    found = recall_p(read(before, after), papers, total, bias=1.0)
    exact = hypergeom.cdf(0, papers - before, total - before, after)
    assert found == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize("bias", [1.0, 2.0, 5.0])
@pytest.mark.parametrize("draws", [100, 300])
def test_the_level_is_kept(bias: float, draws: int) -> None:
    """If a true hypothesis were rejected more often than the level says, screening would stop too soon."""
    random = np.random.default_rng(1)
    papers, relevant = 400, 8
    weights = np.where(np.arange(papers) < relevant, bias, 1.0)
    first = np.argsort(random.exponential(1 / weights, (2000, papers)))[:, :draws] < relevant
    seen, counts = np.unique(first.sum(1), return_counts=True)
    for found, probability in zip(seen, np.cumsum(counts) / counts.sum(), strict=True):
        outcomes = [False] * (draws - found) + [True] * int(found)
        assert recall_p(outcomes, papers, relevant, bias) == pytest.approx(probability, abs=0.03)


@pytest.mark.parametrize(
    ("outcomes", "papers", "stop"),
    [
        ([], 10, False),
        ([False] * 9, 10, False),
        ([False] * 10, 10, True),
        (read(10, 50), 1000, False),
        (read(10, 900), 1000, True),
        ([False] * 900 + [True] * 5, 1000, False),
    ],
)
def test_stops(outcomes: list[bool], papers: int, stop: bool) -> None:
    """A rule that stopped before anything was found, or went on after the last paper, would be no rule."""
    assert may_stop(outcomes, papers) is stop


def test_estimate_narrows_while_nothing_is_found() -> None:
    """An interval that did not narrow would never let a reviewer stop."""
    highs = [estimate_relevant(read(20, number), 1000).high for number in (0, 100, 300, 600, 900, 980)]
    assert highs == sorted(highs, reverse=True)
    assert highs[0] == 1000
    assert highs[-1] == 20
    for number in (100, 600):
        found = estimate_relevant(read(20, number), 1000)
        assert found.low == 20 <= found.relevant <= found.high
        assert recall_p(read(20, number), 1000, found.high) >= ALPHA > recall_p(read(20, number), 1000, found.high + 1)


def test_nothing_read_says_nothing() -> None:
    """An estimate before the first label must not look like knowledge."""
    assert estimate_relevant([], 7).high == 7


def test_one_label_gives_no_estimate() -> None:
    """The page would say that about 20,000 of 20,000 papers are relevant after one label."""
    assert estimate_relevant([True], 20_000).missing == 19
    assert estimate_relevant([True] * 30, 20_000).missing > 0
    assert estimate_relevant([True] * 5 + [False] * 95, 2000).missing == 0
    assert estimate_relevant([True, False, False], 3).missing == 0
