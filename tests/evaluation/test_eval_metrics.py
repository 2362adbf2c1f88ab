"""Metrics against values worked out by hand."""

import math

import pytest

from conspectus.core.errors import UsageError
from conspectus.evaluation import Question, RankingMetrics
from conspectus.evaluation.retrieval import area, curve


def scores(names: list[str], relevant: dict[str, int], ranking: list[str]) -> dict[str, float]:
    return RankingMetrics(names).score([Question("q", "?", relevant)], [ranking])[0]


def test_values_by_hand() -> None:
    """A metric computed otherwise than its name says cannot be compared with anybody's."""
    ranking = ["x", "a", "y", "b", *(f"z{n}" for n in range(20)), "c"]
    found = scores(
        ["nDCG@10", "recall@10", "recall@100", "P@1", "RR", "success@10", "s@1"], dict.fromkeys("abc", 1), ranking
    )
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert found["nDCG@10"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)
    assert found["recall@10"] == pytest.approx(2 / 3)
    assert (found["recall@100"], found["P@1"], found["RR"], found["success@10"], found["s@1"]) == (1, 0, 0.5, 1, 0)


def test_grades_count_where_there_are_grades() -> None:
    best, worst = scores(["nDCG@10"], {"a": 2, "b": 1}, ["a", "b"]), scores(["nDCG@10"], {"a": 2, "b": 1}, ["b", "a"])
    assert best["nDCG@10"] == 1.0 > worst["nDCG@10"] > 0.8


def test_what_found_nothing_counts_as_nothing() -> None:
    """Else a configuration that finds nothing for the hard questions looks better than one that tries."""
    questions = [Question("1", "?", {"a": 1}), Question("2", "?", {"a": 1})]
    found = RankingMetrics(["RR", "AUC@10"]).score(questions, [["a"], []])
    assert [one["RR"] for one in found] == [1.0, 0.0]
    assert [one["AUC@10"] for one in found] == [1.0, 0.0]


def test_ranks_are_kept_whatever_papers_are_called() -> None:
    """trec_eval sorts equals by name; a ranking has none."""
    names = [f"p{n:03}" for n in range(100)]
    for ranking in (names, names[::-1]):
        assert scores(["RR"], {ranking[40]: 1}, ranking)["RR"] == pytest.approx(1 / 41)


def test_the_area_is_the_mean_of_the_curve() -> None:
    """P9: the normalised area under the share of papers found."""
    relevants = [{"a": 1}, {"a": 1, "b": 1}, {"a": 1}]
    rankings = [["x", "a"], ["b", "x", "x2", "a"], ["x", "y"]]
    shares = curve(relevants, rankings, 5)
    assert shares == pytest.approx([(0 + 0.5 + 0) / 3, (1 + 0.5) / 3, 0.5, 2 / 3, 2 / 3])
    areas = [area(relevant, ranking, 5) for relevant, ranking in zip(relevants, rankings, strict=True)]
    assert sum(areas) / 3 == pytest.approx(sum(shares) / 5)
    assert area({"a": 1}, ["a"], 100) == 1.0 and area({"a": 0}, ["a"], 100) == 0.0


@pytest.mark.parametrize("name", ["nDGC@10", "recall", "recall@0x", "", "ERR@10; import os", "AUC@0"])
def test_unknown_metrics_are_refused(name: str) -> None:
    """At once, not after an hour of searching."""
    with pytest.raises(UsageError, match="no metric"):
        RankingMetrics([name])
