"""What belongs together, by what it shares or by what it follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Key -> its values in their order; the keys in the order in which each came first."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def split_runs(values: Iterable[V], goes_on: Callable[[list[V], V], bool]) -> list[list[V]]:
    """The values in their order, parted before each that does not go on with the run before it."""
    runs: list[list[V]] = []
    for value in values:
        if runs and goes_on(runs[-1], value):
            runs[-1].append(value)
        else:
            runs.append([value])
    return runs
