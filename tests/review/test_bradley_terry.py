"""Rankings from pairwise comparisons: strengths, position bias, intervals, choice of pairs, cycles, agreement."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from conspectus.review.rank.agreement import effect_of_groups, find_cycles, kendall
from conspectus.review.rank.bradley_terry import (
    Verdict,
    choose_opponent,
    choose_pairs,
    draw_pairs,
    fit_strengths,
    insertion_steps,
    order,
    order_by_swaps,
    position_shift,
    rank_intervals,
)

Judge = Callable[[Sequence[tuple[int, int]]], list[Verdict]]


def judge_of(strengths: np.ndarray, bias: float, seed: int) -> Judge:
    """Prefers the first of a pair with probability σ(difference + bias)."""
    rng = np.random.default_rng(seed)

    def judge(pairs: Sequence[tuple[int, int]]) -> list[Verdict]:
        return [
            (one, other, float(rng.random() < 1 / (1 + math.exp(strengths[other] - strengths[one] - bias))))
            for one, other in pairs
        ]

    return judge


def asked_of(verdicts: Sequence[Verdict]) -> list[tuple[int, int]]:
    return [(one, other) for one, other, _ in verdicts]


def compare(judge: Judge, count: int, calls: int, seed: int) -> list[Verdict]:
    """Comparisons of pairs that are chosen as they come."""
    rng = np.random.default_rng(seed)
    verdicts = judge(draw_pairs(count, count // 2, rng))
    fit = None
    while len(verdicts) < calls:
        fit = fit_strengths(count, verdicts, fit)
        verdicts += judge(choose_pairs(fit, asked_of(verdicts), min(8, calls - len(verdicts)), rng))
    return verdicts


def test_a_consistent_judge_is_followed_exactly() -> None:
    """Whoever judges without error gets their own order back, and no cycle is reported."""
    verdicts = [(one, other, 1.0) for one in range(6) for other in range(one + 1, 6)]
    fit = fit_strengths(6, verdicts)
    assert list(order(fit)) == [0, 1, 2, 3, 4, 5]
    assert find_cycles(verdicts) == []
    assert fit.means.mean() == pytest.approx(0)


def test_a_fit_that_goes_on_is_the_fit_from_the_beginning() -> None:
    """A run that was killed gives the ranking that it would have given."""
    verdicts = compare(judge_of(np.linspace(2, -2, 12), 0.3, 1), 12, 60, 1)
    early = fit_strengths(12, verdicts[:30])
    warm, cold = fit_strengths(12, verdicts, early), fit_strengths(12, verdicts)
    assert warm.means == pytest.approx(cold.means, abs=0.02)
    assert warm.spread == pytest.approx(cold.spread)


def test_position_bias_is_found_and_does_not_bend_the_order() -> None:
    """A judge who prefers what it is shown first does not push papers up that happened to be first."""
    bias = math.log(0.65 / 0.35)  # of equals the first is preferred in 65 %
    verdicts = compare(judge_of(np.linspace(3, -3, 40), bias, 2), 40, 600, 2)
    fit = fit_strengths(40, verdicts)
    assert position_shift(fit.bias) == pytest.approx(0.15, abs=0.05)
    assert kendall(fit.means, np.linspace(3, -3, 40)).tau > 0.8  # type: ignore[union-attr,arg-type]
    fair = fit_strengths(40, compare(judge_of(np.linspace(3, -3, 40), 0.0, 2), 40, 600, 2))
    assert abs(fair.bias) < 2.5 * fair.bias_error


def test_intervals_of_ranks_hold_the_true_rank() -> None:
    """The interval drawn next to a rank means what it says: 95 % of true ranks are within."""
    inside = []
    for seed in range(12):
        truth = np.random.default_rng(seed).normal(0, 1.5, 30)
        fit = fit_strengths(30, compare(judge_of(truth, 0.0, seed), 30, 150, seed))
        low, high = rank_intervals(fit)
        true = np.argsort(np.argsort(-truth)) + 1
        inside += list((low <= true) & (true <= high))
        assert ((low >= 1) & (high <= 30) & (low <= high)).all()
    assert 0.9 <= np.mean(inside) <= 0.99


def test_what_was_compared_once_is_not_put_at_the_end() -> None:
    """A paper that won its only comparison against the last one is not ranked first."""
    verdicts = [(one, other, 1.0) for one in range(5) for other in range(one + 1, 5)] * 3 + [(5, 4, 1.0)]
    assert order(fit_strengths(6, verdicts))[0] == 0


def test_ties_draw_two_things_together() -> None:
    """Two papers that are called equal again and again end up next to each other."""
    verdicts = [(0, 1, 0.5)] * 6 + [(0, 2, 1.0), (1, 2, 1.0), (0, 3, 0.0), (1, 3, 0.0)]
    fit = fit_strengths(4, verdicts)
    assert order(fit)[0] == 3
    assert abs(fit.means[0] - fit.means[1]) < 0.1


@pytest.mark.parametrize("count", [2, 3, 7, 10])
def test_random_pairs_use_everything_evenly(count: int) -> None:
    """No paper is left out of the first round of comparisons."""
    pairs = draw_pairs(count, (count + 1) // 2, np.random.default_rng(0))
    assert {thing for pair in pairs for thing in pair} == set(range(count))
    assert all(one != other for one, other in pairs)


def test_no_pair_is_chosen_twice_and_a_round_has_each_once() -> None:
    """Calls are not spent on what was asked before; all pairs are asked before the choice is empty."""
    rng = np.random.default_rng(0)
    verdicts: list[Verdict] = []
    while pairs := choose_pairs(fit_strengths(7, verdicts), asked_of(verdicts), 3, rng):
        things = [thing for pair in pairs for thing in pair]
        assert len(things) == len(set(things))
        verdicts += [(one, other, 1.0) for one, other in pairs]
    assert {frozenset(pair[:2]) for pair in verdicts} == {frozenset((i, j)) for i in range(7) for j in range(i)}
    assert len(verdicts) == 21


def test_each_order_is_shown_about_half_of_the_time() -> None:
    """Position bias can be estimated because neither place belongs to the stronger."""
    fit, rng = (
        fit_strengths(40, [(i, j, 1.0) for i in range(40) for j in range(i + 1, 40, 3)]),
        np.random.default_rng(0),
    )
    first = [one < other for _ in range(40) for one, other in choose_pairs(fit, [], 15, rng)]
    assert 0.4 < np.mean(first) < 0.6


def test_a_later_thing_finds_its_place_in_log2_comparisons() -> None:
    """A paper that is added later costs a handful of comparisons, each with another paper."""
    truth = np.linspace(6, -6, 63)
    pairs = draw_pairs(63, 315, np.random.default_rng(0))
    verdicts = [(one, other, float(truth[one] > truth[other])) for one, other in pairs]
    misses = []
    for place in (5.5, 20.5, 31.5, 50.5):
        strengths = np.append(truth, np.interp(place, np.arange(63), truth))
        own, rng = list(verdicts), np.random.default_rng(int(place))
        for _ in range(insertion_steps(63)):
            pair = choose_opponent(fit_strengths(64, own), own, asked_of(own), 63, rng)
            assert pair
            one, other = pair
            own.append((one, other, float(strengths[one] > strengths[other])))
        misses.append(abs(list(order(fit_strengths(64, own))).index(63) - math.ceil(place)))
    assert insertion_steps(63) == 6
    assert max(misses) <= 5


def test_cycles_are_found_shortest_first_and_once() -> None:
    """Contradictions of the judge are shown, not hidden in a list."""
    verdicts = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 0.0), (3, 4, 1.0), (4, 5, 1.0), (5, 6, 1.0), (3, 6, 0.0), (7, 0, 0.5)]
    assert find_cycles(verdicts) == [(0, 1, 2), (3, 4, 5, 6)]
    assert find_cycles(verdicts, most=1) == [(0, 1, 2)]


def test_swaps_leave_a_consistent_judge_with_few_misordered() -> None:
    """The published procedure gives the order of a judge without error."""
    verdicts = [(one, other, 1.0) for one in range(8) for other in range(one + 1, 8)]
    assert order_by_swaps(8, verdicts, np.random.default_rng(0)) == [*range(8)]


@pytest.mark.parametrize(
    ("left", "right", "tau"),
    [
        ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], 1.0),
        ([1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1], -1.0),
        ([12, 2, 1, 12, 2], [1, 4, 7, 1, 0], -0.47140452079103173),  # scipy.stats.kendalltau, variant b
    ],
)
def test_kendall_is_tau_b(left: list[float], right: list[float], tau: float) -> None:
    """Agreement with citations is the figure that a statistician would compute."""
    found = kendall(left, right)
    assert found is not None
    assert found.tau == pytest.approx(tau)
    assert found.low <= found.tau + 1e-3
    assert found.tau - 1e-3 <= found.high


@pytest.mark.parametrize(("left", "right"), [([1, 2, 3, 4], [1, 2, 3, 4]), ([1, 1, 1, 1, 1], [1, 2, 3, 4, 5])])
def test_no_agreement_is_claimed_of_too_little(left: list[float], right: list[float]) -> None:
    """Four papers, or papers that all have the same number of citations, show no agreement."""
    assert kendall(left, right) is None


def test_strengths_agree_with_choix() -> None:
    """With the same prior, and without position bias, strengths are those of the reference program."""
    choix = pytest.importorskip("choix", reason="choix, the oracle of Bradley–Terry fits, is not installed")
    rng = np.random.default_rng(5)
    truth = rng.normal(0, 1, 10)
    verdicts = [verdict for _ in range(8) for verdict in judge_of(truth, 0.0, int(rng.integers(99)))(
        [(i, j) for i in range(10) for j in range(10) if i != j]
    )]  # fmt: skip
    wins = [(one, other) if outcome else (other, one) for one, other, outcome in verdicts]
    fit = fit_strengths(10, verdicts)
    assert fit.means == pytest.approx(choix.opt_pairwise(10, wins, alpha=0.5 * fit.spread**-2), abs=0.01)


def test_nothing_compared_is_no_error() -> None:
    """A ranking without a verdict is shown as such: all equal, intervals as wide as the list."""
    fit = fit_strengths(5, [])
    low, high = rank_intervals(fit)
    assert np.abs(fit.means).max() == 0
    assert (low == 1).all()
    assert (high == 5).all()


def test_ranks_that_follow_groups_are_told_from_chance() -> None:
    """A judge who knows the journals is found out; one who does not is not accused."""
    groups = [f"Journal {number // 8}" for number in range(40)]
    follows = effect_of_groups(list(range(40)), groups)
    assert follows is not None
    assert follows.share > 0.9 > follows.chance
    mixed = effect_of_groups(list(np.random.default_rng(1).permutation(40)), groups)
    assert mixed is not None
    assert mixed.share < mixed.chance
    assert (mixed.things, mixed.groups) == (40, 5)


@pytest.mark.parametrize(
    "groups", [[None] * 6, ["a"] * 6, ["a", "b", "c", "d", "e", "f"], ["a", "a", None, "b", "b", None]]
)
def test_no_effect_is_claimed_of_too_few_groups(groups: list[str | None]) -> None:
    """A library of one journal, or of as many as it has papers, shows nothing."""
    assert effect_of_groups([1, 2, 3, 4, 5, 6], groups) is None
