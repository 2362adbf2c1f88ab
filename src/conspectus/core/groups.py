"""What belongs together, by what it shares or by what it follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Key -> its values in their order; the keys in the order in which each came first."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def split_runs(values: Iterable[V], goes_on: Callable[[list[V], V], bool]) -> list[list[V]]:
    """The values in their order, parted before each that does not go on with the run before it."""
    found: list[list[V]] = []
    for value in values:
        if found and goes_on(found[-1], value):
            found[-1].append(value)
        else:
            found.append([value])
    return found
