"""Intervals and tests: that they cover what they claim to, and do not depend on chance."""

import numpy as np
import pytest

from conspectus.evaluation import interval, paired


@pytest.mark.slow
def test_an_interval_covers_the_true_mean_as_often_as_it_says() -> None:
    """Else "95 %" is a word. 400 samples of 60 draws: between 91 and 98 of a hundred."""
    draw = np.random.default_rng(7)
    covered = 0
    for seed in range(400):
        found = interval(draw.binomial(1, 0.7, size=60).astype(float).tolist(), seed, resamples=500)
        covered += found.low <= 0.7 <= found.high
    assert 0.91 <= covered / 400 <= 0.98


@pytest.mark.slow
def test_no_difference_is_found_significant_as_rarely_as_it_should() -> None:
    """Else noise is reported as progress."""
    draw = np.random.default_rng(3)
    low = 0
    for seed in range(400):
        first = draw.normal(size=50)
        found = paired("x", first.tolist(), (first + draw.normal(size=50)).tolist(), seed, resamples=500)
        low += found.p < 0.05
    assert 0.02 <= low / 400 <= 0.09


def test_a_real_difference_is_found() -> None:
    """Pairing takes out what makes questions hard: a small steady gain shows though the scores vary much."""
    draw = np.random.default_rng(5)
    first = draw.uniform(size=80)
    second = first + 0.02 + draw.normal(scale=0.02, size=80)
    found = paired("x", first.tolist(), second.tolist())
    assert found.p < 0.001 and 0 < found.low < found.mean < found.high
    assert found.mean == pytest.approx(float((second - first).mean()))
    back = paired("x", second.tolist(), first.tolist())
    assert back.mean == pytest.approx(-found.mean) and back.p == found.p


def test_the_same_seed_gives_the_same() -> None:
    """Else a result changes when nothing has."""
    scores = [0.1, 0.9, 0.4, 0.7, 0.3, 1.0]
    assert interval(scores, 4) == interval(scores, 4)
    assert interval(scores, 4) != interval(scores, 5)
    assert paired("x", scores, scores[::-1], 1) == paired("x", scores, scores[::-1], 1)


def test_ends() -> None:
    """Nothing is made up where there is nothing to say."""
    assert (paired("x", [0.5, 1.0], [0.5, 1.0]).p, paired("x", [0.5], [0.5]).mean) == (1.0, 0.0)
    alone = interval([0.25])
    assert (alone.mean, alone.low, alone.high, alone.count) == (0.25, 0.25, 0.25, 1)
    with pytest.raises(ValueError, match="no scores"):
        interval([])
    with pytest.raises(ValueError, match="paired"):
        paired("x", [1.0], [1.0, 0.0])
