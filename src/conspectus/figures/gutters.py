"""Pictures cut along their gutters: lines of one colour from edge to edge, as between photographs or plots."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Grey = npt.NDArray[np.uint8]
"""Lightness [height, width]."""

_EVEN = 14
"""Of 255: a line whose lightness differs by less is of one colour, for all that compression leaves."""
_CORNER = 2
"""Pixels at the ends of a line that may be of another colour, as where a frame has its corners."""
_FRAMED = 3
"""A margin is taken off so often: around a frame, the frame, and within it."""


class Part(NamedTuple):
    """A rectangle of a picture, in pixels; right and bottom are the first that are not in it."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def area(self) -> int:
        """In pixels."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    def cut(self, upright: bool, start: int, end: int) -> tuple[Part, Part]:
        """What is left of an upright stripe from start to end and what is right; or what is above a level one, …"""
        if upright:
            return self._replace(x1=start), self._replace(x0=end)
        return self._replace(y1=start), self._replace(y0=end)


class Gutter(NamedTuple):
    """A stripe of one colour through a part: `upright` from top to bottom, in x from `start` to before `end`."""

    upright: bool
    start: int
    end: int

    @property
    def width(self) -> int:
        """In pixels."""
        return self.end - self.start


def trimmed(grey: Grey, part: Part) -> Part:
    """The part without what is of one colour along its edges; it is empty where nothing else is there."""
    for upright in (True, False) * _FRAMED:
        uneven = np.flatnonzero(~_even(grey, part, upright=upright))
        if not uneven.size:
            return part._replace(x1=part.x0, y1=part.y0)
        first, last = int(uneven[0]), int(uneven[-1]) + 1
        if upright:
            part = part._replace(x0=part.x0 + first, x1=part.x0 + last)
        else:
            part = part._replace(y0=part.y0 + first, y1=part.y0 + last)
    return part


def gutters(grey: Grey, part: Part) -> Iterator[Gutter]:
    """Those of a trimmed part, upright ones first, each from left to right or from top to bottom."""
    for upright in (True, False):
        even = _even(grey, part, upright=upright)
        edges = np.flatnonzero(np.diff(even.astype(np.int8), prepend=0, append=0))
        offset = part.x0 if upright else part.y0
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            yield Gutter(upright, offset + start, offset + end)


def _even(grey: Grey, part: Part, *, upright: bool) -> npt.NDArray[np.bool_]:
    """Of each column of the part (or row), whether it is of one colour."""
    inside = grey[part.y0 : part.y1, part.x0 : part.x1]
    inside = inside if upright else inside.T
    if inside.shape[0] > 4 * _CORNER:
        inside = inside[_CORNER:-_CORNER]
    if not inside.size:
        return np.empty(0, np.bool_)
    even: npt.NDArray[np.bool_] = inside.max(0).astype(np.int16) - inside.min(0) < _EVEN
    return even
