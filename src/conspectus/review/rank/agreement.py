"""What a ranking says beyond its order: contradictions, and agreement with numbers and groups that things have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from conspectus.records.ranks import MOST_CYCLES
from conspectus.review.rank.bradley_terry import CONFIDENCE, Floats, Verdict

_PERMUTATIONS = 1000
_LEAST = 5
"""Things that an agreement can be told of."""


def find_cycles(verdicts: Sequence[Verdict], most: int = MOST_CYCLES) -> list[tuple[int, ...]]:
    """Things of which each was preferred to the next and the last to the first; the shortest such cycles first.

    For each preference, the shortest cycle that it is part of; each cycle once, and at most `most` of them.
    """
    after: dict[int, list[int]] = {}
    for first, second, outcome in verdicts:
        if outcome != 0.5:
            winner, loser = (first, second) if outcome > 0.5 else (second, first)
            after.setdefault(winner, []).append(loser)
    cycles = {
        cycle[(least := cycle.index(min(cycle))) :] + cycle[:least]
        for winner, losers in after.items()
        for loser in losers
        if (cycle := _way(after, loser, winner))
    }
    return sorted(cycles, key=lambda cycle: (len(cycle), cycle))[:most]


def _way(after: dict[int, list[int]], start: int, end: int) -> tuple[int, ...]:
    """The shortest way along preferences, both ends included; empty if there is none."""
    came: dict[int, int] = {start: -1}
    edge = [start]
    while edge and end not in came:
        reached = []
        for thing in edge:
            for following in after.get(thing, ()):
                if following not in came:
                    came[following] = thing
                    reached.append(following)
        edge = reached
    if end not in came:
        return ()
    way = [end]
    while came[way[-1]] >= 0:
        way.append(came[way[-1]])
    return tuple(reversed(way))


class Agreement(NamedTuple):
    """Kendall's τ-b of two numbers of the same things, with its 95 % interval, and how many things have both."""

    tau: float
    low: float
    high: float
    things: int


def kendall(left: Sequence[float], right: Sequence[float]) -> Agreement | None:
    """How far two lists of numbers agree in order; None for fewer than 5 things, or if one is all ties.

    The interval is that of Fieller, Hartley & Pearson (Biometrika 44, 1957): tanh(artanh τ ± 1.96 √(0.437 / (n - 4))).
    """
    count = len(left)
    if count < _LEAST:
        return None
    signs = [np.sign(np.subtract.outer(values, values)) for values in (np.asarray(left), np.asarray(right))]
    compared = np.sqrt(np.sum(signs[0] ** 2) * np.sum(signs[1] ** 2))
    if not compared:
        return None
    tau = float(np.clip(np.sum(signs[0] * signs[1]) / compared, -1, 1))
    middle = np.arctanh(np.clip(tau, -0.9999, 0.9999))
    margin = CONFIDENCE * np.sqrt(0.437 / (count - 4))
    return Agreement(tau, float(np.tanh(middle - margin)), float(np.tanh(middle + margin)), count)


class GroupEffect(NamedTuple):
    """How much of the variance of ranks is between groups, and what chance would give in 95 % of cases at most."""

    share: float
    chance: float
    things: int
    groups: int


def effect_of_groups(levels: Sequence[float], groups: Sequence[Hashable | None]) -> GroupEffect | None:
    """How far the ranks of levels follow groups (η²), by a permutation test; ties have mean ranks.

    Things without a group (None), or alone in theirs, do not count. None if fewer than two groups are left, or all
    levels are equal.
    """
    sizes = Counter(group for group in groups if group is not None)
    counted = [(level, group) for level, group in zip(levels, groups, strict=True) if group and sizes[group] > 1]
    names = {group: number for number, group in enumerate(dict.fromkeys(group for _, group in counted))}
    if len(names) < 2 or len(counted) < _LEAST:
        return None
    values = _mean_ranks(np.array([level for level, _ in counted], dtype=np.float64))
    members = np.array([names[group] for _, group in counted])
    values -= values.mean()
    total, counts = float(values @ values), np.bincount(members)
    if not total:
        return None
    rng = np.random.default_rng(0)
    drawn = [rng.permutation(values) for _ in range(_PERMUTATIONS)]
    shares = [float(np.sum(np.bincount(members, sample) ** 2 / counts)) / total for sample in (values, *drawn)]
    return GroupEffect(shares[0], float(np.quantile(shares[1:], 0.95)), len(counted), len(names))


def _mean_ranks(levels: Floats) -> Floats:
    """Ranks from 1; those of equal levels are the mean of theirs."""
    _, place, sizes = np.unique(levels, return_inverse=True, return_counts=True)
    return (np.cumsum(sizes) - (sizes - 1) / 2)[place].astype(np.float64)
