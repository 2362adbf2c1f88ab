"""Which region is which after a map was made again, and what became of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from conspectus.records.atlas import RegionChange

Ints = npt.NDArray[np.int64]
SAME = 0.3
"""Of the texts of both together so many are in both, at least, where they are the same region."""
PART = 0.25
"""A region is told to have split, or to be put together, of parts that are so much of it at least."""


def matched(before: Ints, after: Ints) -> dict[int, int]:
    """New region -> old one, by the texts that they have in common, those with the most in common first.

    `before` has -1 for texts that were in none.
    """
    old, new, both = _shared(before, after)
    union = old[:, None] + new[None] - both
    alike = np.divide(both, union, out=np.zeros(both.shape), where=union > 0)
    found: dict[int, int] = {}
    for at in np.argsort(-alike, axis=None, kind="stable"):
        one, other = np.unravel_index(at, alike.shape)
        if alike[one, other] < SAME:
            break
        if int(other) not in found and int(one) not in found.values():
            found[int(other)] = int(one)
    return found


def changes(
    before: Ints, after: Ints, names: tuple[Mapping[int, str], Mapping[int, str]], same: Mapping[int, int], level: int
) -> list[RegionChange]:
    """What became of regions that are not simply the same; `names` of old and of new ones, by their numbers."""
    old, new, both = _shared(before, after)
    told: list[RegionChange] = []

    def tell(kind: str, ones: Sequence[int], others: Sequence[int]) -> None:
        said = tuple(names[0].get(one, "") for one in ones), tuple(names[1].get(one, "") for one in others)
        told.append(RegionChange(kind, level, *said))  # type: ignore[arg-type]

    split = {one: np.flatnonzero(row >= PART * old[one]).tolist() for one, row in enumerate(both) if old[one]}
    merged = {one: np.flatnonzero(row >= PART * new[one]).tolist() for one, row in enumerate(both.T) if new[one]}
    for one, parts in split.items():
        if len(parts) > 1 and any(part not in same for part in parts):
            tell("split", [one], parts)
        elif one not in same.values() and not any(one in parts for parts in merged.values()):
            tell("gone", [one], [])
    for one, parts in merged.items():
        if len(parts) > 1 and any(part not in same.values() for part in parts):
            tell("merged", parts, [one])
        elif one not in same and not any(one in parts for parts in split.values()):
            tell("new", [], [one])
    return told


def _shared(before: Ints, after: Ints) -> tuple[Ints, Ints, Ints]:
    """How many texts old and new regions have, and have in common; of texts that were there before."""
    known = before >= 0
    one, other = before[known], after[known]
    both = np.zeros((int(before.max(initial=-1)) + 1, int(after.max(initial=-1)) + 1), np.int64)
    np.add.at(both, (one, other), 1)
    return both.sum(axis=1), np.bincount(after, minlength=both.shape[1]), both
