"""The order of lines: the content stream's, except on pages that are stored row by row across two columns."""

from __future__ import annotations

from itertools import pairwise

from conspectus.parse.pdf.model import Line

_LEAST_LINES = 6
"""Fewer lines than this on either side are no column."""


def find_gutter(lines: list[Line], width: float) -> float | None:
    """The x between two columns of running text, None where the page has no two columns.

    It is the middle of the widest place in the middle of the page that few lines cross and that both sides end at.
    """
    text = [line for line in lines if line.wordlike >= 2]
    if len(text) < 2 * _LEAST_LINES:
        return None
    left, right = min(line.x0 for line in text), max(line.x1 for line in text)
    span = right - left
    if span < 0.4 * width:
        return None
    steps = [left + span * k / 100 for k in range(35, 66)]
    crossings = [sum(line.x0 < x < line.x1 for line in text) for x in steps]
    least = min(crossings)
    if least > 0.35 * len(text):
        return None
    best = [x for x, count in zip(steps, crossings, strict=True) if count == least]
    gutter = best[len(best) // 2]
    return gutter if _is_gutter(text, gutter, span) else None


def _is_gutter(text: list[Line], gutter: float, span: float) -> bool:
    """Whether both sides hold columns: enough lines, wide enough, and side by side rather than one after the other."""
    sides = [line for line in text if line.x1 <= gutter], [line for line in text if line.x0 >= gutter]
    if min(len(side) for side in sides) < _LEAST_LINES:
        return False
    if any(sorted(line.width for line in side)[len(side) // 2] < 0.28 * span for side in sides):
        return False
    tops = [min(line.base for line in side) for side in sides]
    ends = [max(line.base for line in side) for side in sides]
    return min(ends) > max(tops)


def reading_order(lines: list[Line], gutter: float | None) -> list[Line]:
    """`lines` as they are read; only where the stream runs to and fro over the gutter are they moved."""
    if gutter is None or not _row_by_row(lines, gutter):
        return lines
    ordered: list[Line] = []
    band: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.base, line.x0)):
        if line.x0 < gutter < line.x1:
            ordered += _by_column(band, gutter)
            ordered.append(line)
            band = []
        else:
            band.append(line)
    return ordered + _by_column(band, gutter)


def _row_by_row(lines: list[Line], gutter: float) -> bool:
    """Whether the stream changes sides about as often as there are rows."""
    sides = [line.x0 >= gutter for line in lines if not line.x0 < gutter < line.x1]
    switches = sum(a != b for a, b in pairwise(sides))
    return switches > 0.7 * min(sides.count(True), sides.count(False))


def _by_column(band: list[Line], gutter: float) -> list[Line]:
    return [line for line in band if line.x0 < gutter] + [line for line in band if line.x0 >= gutter]
