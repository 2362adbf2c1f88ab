"""Colours of an overlay's values, as pictures show them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isnan, log1p
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conspectus.records.atlas import Overlay

NONE = "#cfcfcf"
LIT = "#d1495b"
RAMP = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37))
DIVERGING = ((33, 102, 172), (146, 197, 222), (225, 225, 225), (244, 165, 130), (178, 24, 43))
CATEGORIES = (
    *("#2454d8", "#b42418", "#009c60", "#fc900c", "#9c249c", "#00f0b4"),
    *("#9c7800", "#fc6084", "#9c78fc", "#0090c0", "#fc9cfc", "#d8d800"),
)
"""Far apart in Oklab, also as seen without red or green cones, and from `NONE`; the page has the same."""
_STEPS = 8
Key = tuple[tuple[str, str], ...]
"""(colour, what it means) pairs of a legend."""


def colours(found: Overlay) -> list[str]:
    """A colour for each text."""
    return [NONE if isnan(value) else _colour(found, value) for value in found.values.tolist()]


def key(found: Overlay) -> Key:
    """What the colours mean, from the least value to the greatest."""
    if found.kind == "category":
        return tuple((_of_category(number), name) for number, name in enumerate(found.categories))
    if found.kind == "lit" or found.legend.low is None or found.legend.high is None:
        return ((LIT, found.legend.meaning),) if found.kind == "lit" else ()
    low, high = _ends(found)
    ends = {0: f"{low:.4g}", _STEPS: f"{high:.4g} {found.legend.unit}"}
    return tuple((_colour(found, _at(found, step / _STEPS)), ends.get(step, "")) for step in range(_STEPS + 1))


def _colour(found: Overlay, value: float) -> str:
    if found.kind == "category":
        return _of_category(int(value))
    if found.kind == "lit":
        return LIT
    low, high = (_scaled(found, end) for end in _ends(found))
    share = (_scaled(found, value) - low) / ((high - low) or 1.0)
    return _mixed(DIVERGING if found.legend.scale == "diverging" else RAMP, min(max(share, 0.0), 1.0))


def _ends(found: Overlay) -> tuple[float, float]:
    low, high = found.legend.low or 0.0, found.legend.high or 0.0
    far = max(abs(low), abs(high))
    return (-far, far) if found.legend.scale == "diverging" else (low, high)


def _scaled(found: Overlay, value: float) -> float:
    return log1p(max(value, 0.0)) if found.legend.scale == "log" else value


def _at(found: Overlay, share: float) -> float:
    low, high = _ends(found)
    return low + share * (high - low)


def _of_category(number: int) -> str:
    return CATEGORIES[number % len(CATEGORIES)]


def _mixed(stops: Sequence[tuple[int, int, int]], share: float) -> str:
    """The colour at a share of the way along stops."""
    place = share * (len(stops) - 1)
    first = min(int(place), len(stops) - 2)
    one, other = list(pairwise(stops))[first]
    part = place - first
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(one, other, strict=True))
