"""Compare two selections of papers: which directions differ, within strata, with control of false discoveries.

The test is Mantel's (1963), of how active a direction is, from 0 to 1, with continuity correction; where it is either,
it is that of Mantel and Haenszel. The odds ratio is theirs (1959), of papers in which it is clearly active, and its
interval that of Robins, Breslow and Greenland (1986); half a paper of each kind is added so that ratios are finite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from conspectus.core.errors import UsageError
from conspectus.core.intervals import NORMAL
from conspectus.core.text import pluralize
from conspectus.directions.autoencoder import Ints
from conspectus.directions.stored_directions import LoadedDirections
from conspectus.directions.strata import (
    Floats,
    PaperDirections,
    Topics,
    false_discovery_rates,
    paper_directions,
    read_strata,
    two_sided,
    years_and_citations,
)
from conspectus.records.directions import DirectionComparison, DirectionDifference, Stratum
from conspectus.session.session import Session

FEWEST = 10
"""Papers on each side."""
ACTIVE = 5
"""Papers of both sides in which a direction has to be active to be tested."""
CELLS = 500_000
"""Strata times directions that are tested at a time."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Papers as they were asked for, and their keys."""

    name: str
    keys: Sequence[int]


@dataclass(frozen=True, slots=True)
class DifferenceTest:
    """Of each direction: papers of both sides in which it is active, Mantel's z, log odds ratio, its error, and p.

    z is above 0 where the direction is more active on the left.
    """

    left: Ints
    right: Ints
    z: Floats
    log_odds: Floats
    errors: Floats
    p: Floats


def compare_selections(
    session: Session,
    direction_set: LoadedDirections,
    left: Selection,
    right: Selection,
    within: Sequence[Stratum],
    fdr: float,
    topics: Topics,
    *,
    hidden: bool = False,
) -> DirectionComparison:
    """The directions that are more frequent in one of two selections; papers in both are left out.

    Raises:
        UsageError: a side has too few papers, or no stratum has papers of both.
        NotFoundError: papers are compared within topics, and there is no map.
    """
    having = paper_directions(direction_set.codes, direction_set.autoencoder.size)
    side, both = _assign_sides(having.keys, left.keys, right.keys)
    _check_sides(left, right, side)
    years, _ = years_and_citations(session, having.keys)
    strata = read_strata(session, having.keys, years, within, topics)
    alone = _count_alone(side, strata)
    if alone == (side >= 0).sum():
        raise UsageError(
            f"No {' and '.join(within)} has papers of both sides, so nothing can be compared within it.",
            "Leave out `within`, or select other papers.",
        )
    tested = measure_differences(having, side, strata)
    is_shown = np.array([hidden or direction.recurs for direction in direction_set.directions])
    numbers = np.flatnonzero(is_shown & (tested.left + tested.right >= ACTIVE))
    rates = false_discovery_rates(tested.p[numbers])
    papers = (int((side == 0).sum()), int((side == 1).sum()))
    differences = [
        _difference(direction_set, tested, int(number), float(rate), papers)
        for number, rate in zip(numbers, rates, strict=True)
        if rate <= fdr
    ]
    notes = [f"{pluralize(both, 'paper')} on both sides: left out."] if both else []
    if alone:
        same = " and ".join(within)
        notes.append(f"{pluralize(alone, 'paper')} not compared: no paper of the other side is of the same {same}.")
    ordered = tuple(sorted(differences, key=lambda difference: (difference.q, difference.p, difference.direction.id)))
    return DirectionComparison(
        left.name,
        right.name,
        papers[0],
        papers[1],
        within=tuple(within),
        fdr=fdr,
        tested=len(numbers),
        differences=ordered,
        notes=tuple(notes),
    )


def _check_sides(left: Selection, right: Selection, side: Ints) -> None:
    """Raise UsageError where the sides cannot be compared; `side` says on which a paper is, see `_assign_sides`."""
    if left.keys and set(left.keys) == set(right.keys):
        raise UsageError("Both sides are the same papers.", "Compare two selections that differ.")
    for selection, number in ((left, 0), (right, 1)):
        if not selection.keys:
            raise UsageError(f"No paper of the library is selected by '{selection.name}'.", "Select others.")
        if (count := int((side == number).sum())) < FEWEST:
            raise UsageError(
                f"'{selection.name}' has {pluralize(count, 'paper')} that can be compared, too few to test.",
                f"Select at least {FEWEST} papers with vectors, not all of them on the other side, too.",
            )


def _assign_sides(keys: Ints, left: Sequence[int], right: Sequence[int]) -> tuple[Ints, int]:
    """0 for papers of the left side, 1 of the right, -1 of none or both; and how many are of both."""
    on_left, on_right = (np.isin(keys, np.array(list(side), np.int64)) for side in (left, right))
    side = np.where(on_left & ~on_right, 0, np.where(on_right & ~on_left, 1, -1))
    return side, int((on_left & on_right).sum())


def _count_alone(side: Ints, strata: Ints) -> int:
    """Papers in strata of which the other side has none."""
    left, right = _count_papers(side, strata)
    return int((left + right)[(left == 0) | (right == 0)].sum())


def _count_papers(side: Ints, strata: Ints) -> list[Ints]:
    """The papers of each stratum on the left side, and on the right one."""
    return [np.bincount(strata[side == number], minlength=int(strata.max(initial=0)) + 1) for number in (0, 1)]


def _difference(
    direction_set: LoadedDirections, tested: DifferenceTest, number: int, rate: float, papers: Sequence[int]
) -> DirectionDifference:
    log, error = float(tested.log_odds[number]), float(tested.errors[number])
    more: Literal["left", "right"] = "left" if tested.z[number] > 0 else "right"
    left, right = int(tested.left[number]), int(tested.right[number])
    return DirectionDifference(
        direction_set.directions[number],
        left,
        right,
        left / papers[0],
        right / papers[1],
        odds_ratio=float(np.exp(log)),
        low=float(np.exp(log - NORMAL * error)),
        high=float(np.exp(log + NORMAL * error)),
        p=float(tested.p[number]),
        q=rate,
        more=more,
    )


def measure_differences(having: PaperDirections, side: Ints, strata: Ints) -> DifferenceTest:
    """Test all directions; `side` is 0, 1, or -1 for papers that do not count.

    Strata with papers of one side only say nothing, and count in `left` and `right` alone.
    """
    papers = _count_papers(side, strata)
    shared = np.flatnonzero((papers[0] > 0) & (papers[1] > 0))
    places = np.full(len(papers[0]), -1)
    places[shared] = np.arange(len(shared))
    paper_strata = places[strata]
    groups = np.where((side >= 0) & (paper_strata >= 0), side * len(shared) + paper_strata, -1)
    left, right = (counts[shared, None].astype(float) for counts in papers)
    block = max(CELLS // max(len(shared), 1), 1)
    starts = range(0, having.size, block)
    tested = [_test_block(having.block(first, first + block), groups, left, right) for first in starts]
    z, log_odds, errors = (np.concatenate([part[column] for part in tested]) for column in range(3))
    counts = having.counts(side, 2)
    return DifferenceTest(counts[0], counts[1], z, log_odds, errors, two_sided(z))


def _test_block(having: PaperDirections, groups: Ints, n: Floats, m: Floats) -> tuple[Floats, Floats, Floats]:
    """Mantel's z, the log odds ratio and its standard error of each direction.

    `groups`: first those of the left side; `n`, `m`: their papers on each side, [strata, 1].
    """
    number = len(n)
    active = having.counts(groups, 2 * number).astype(float)
    a, c = active[:number], active[number:]
    b, d, total = n - a, m - c, n + m
    weights, squares = (having.sums(groups, 2 * number, having.weights**power) for power in (1, 2))
    every, square = weights[:number] + weights[number:], squares[:number] + squares[number:]
    variance = (n * m * (total * square - every**2) / (total**2 * (total - 1))).sum(axis=0)
    more = (weights[:number] - n * every / total).sum(axis=0)
    off = np.sign(more) * np.maximum(np.abs(more) - 0.5, 0)
    z = np.divide(off, np.sqrt(variance), out=np.zeros_like(off), where=variance > 0)
    return z, *_pool_odds(a, b, c, d, total)


def _pool_odds(a: Floats, b: Floats, c: Floats, d: Floats, total: Floats) -> tuple[Floats, Floats]:
    """The logarithm of the pooled odds ratio and its standard error, of each column; a row a stratum."""
    half: npt.NDArray[np.float64] = np.full((1, a.shape[1]), 0.5)
    a, b, c, d = (np.concatenate([cells, half]) for cells in (a, b, c, d))
    total = np.concatenate([np.broadcast_to(total, (len(total), a.shape[1])), 4 * half])
    same, other, up, down = (a + d) / total, (b + c) / total, a * d / total, b * c / total
    ups, downs = up.sum(axis=0), down.sum(axis=0)
    variance = (
        (same * up).sum(axis=0) / (2 * ups**2)
        + (same * down + other * up).sum(axis=0) / (2 * ups * downs)
        + (other * down).sum(axis=0) / (2 * downs**2)
    )
    return np.log(ups / downs), np.sqrt(variance)
