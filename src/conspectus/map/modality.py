"""Whether texts that are lit up stand in one place of a map, in two, or are spread over it.

Two that stand within `NEAR` of each other are of one group, and so is what a chain of such joins (single linkage); the
groups that hold `LEAST` of the texts count. Where there are one or two, which hold `MOST` of the texts together, these
are the modes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.records.atlas import Atlas, MapGroup, Modes

Ints = npt.NDArray[np.int64]
NEAR = 0.25
"""Of the map's radius: the root of the mean square of its texts' distances from their middle."""
LEAST, MOST = 0.2, 0.5
FEWEST = 8
"""Texts, below which nothing is told."""
METHOD = (
    f"groups by single linkage within {NEAR:g} of the map's radius; "
    f"one or two of {LEAST:.0%} of the texts at least, with {MOST:.0%} together"
)


def modes(found: Atlas, rows: Ints) -> Modes | None:
    """Where the texts of these rows stand; None: they are too few to tell."""
    if len(rows) < FEWEST:
        return None
    places = found.positions[rows]
    labels = linked(places, NEAR * radius(found.positions))
    groups = [rows[labels == one] for one in np.flatnonzero(np.bincount(labels) >= LEAST * len(rows))]
    groups.sort(key=lambda group: -len(group))
    share = sum(map(len, groups)) / len(rows)
    if not 1 <= len(groups) <= 2 or share < MOST:
        return Modes("spread", (), 0.0, METHOD)
    return Modes("one" if len(groups) == 1 else "two", tuple(_group(found, group) for group in groups), share, METHOD)


def radius(positions: FloatArray) -> float:
    """How far texts are from their middle: the root of the mean square."""
    return float(np.sqrt(((positions - positions.mean(axis=0)) ** 2).sum(axis=1).mean()))


def linked(places: FloatArray, near: float) -> Ints:
    """The group of each place, numbered by one of its members."""
    joined = np.linalg.norm(places[:, None] - places[None], axis=2) <= near
    labels = np.arange(len(places))
    while True:
        least = np.where(joined, labels[None], len(places)).min(axis=1)
        if (least == labels).all():
            return labels
        labels = least[least]


def _group(found: Atlas, rows: Ints) -> MapGroup:
    x, y = np.median(found.positions[rows], axis=0).tolist()
    regions, counts = np.unique(found.region_ids[rows, 1], return_counts=True)
    return MapGroup(x, y, len(rows), int(regions[counts.argmax()]))
