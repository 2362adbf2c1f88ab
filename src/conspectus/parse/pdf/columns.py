"""The order of lines: the content stream's, except on pages that are stored row by row across their columns."""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from conspectus.parse.pdf.lines import with_small_pieces
from conspectus.parse.pdf.model import Line, PageText
from conspectus.parse.pdf.thresholds import ALIKE, AROUND, LINES

_LEAST_LINES = 6
"""Fewer lines than this on either side are no column."""

_LABEL = re.compile(r"[\[(]?\d{1,3}[.\])]?")

_FEW_PAGES = 4
"""With so few pages, the columns of one of them are the document's."""

_THIRDS = ((24, 43), (57, 76))
"""Where the gutters of three columns may be, in hundredths of the text's width."""


def find_gutters(lines: list[Line], width: float) -> tuple[float, ...]:
    """The x between the columns of running text, from left to right: one for two columns, two for three.

    A gutter is the middle of the widest place that few lines cross and that both its sides end at.
    """
    text = list(_with_labels(lines))
    if len(text) < 2 * _LEAST_LINES:
        return ()
    left, right = min(line.x0 for line in text), max(line.x1 for line in text)
    if right - left < LINES.breadth * width:
        return ()
    thirds = [_least_crossed(text, left, right, where) for where in _THIRDS]
    found = tuple(x for x in thirds if x is not None)
    if len(found) == 2 and _are_columns(text, found, LINES.of_three * (right - left)):
        return found
    middle = _least_crossed(text, left, right, (35, 66))
    return (middle,) if middle is not None and _are_columns(text, (middle,), LINES.of_two * (right - left)) else ()


def _with_labels(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines of running text; the number of an entry that begins right of it is of its line."""
    before: Line | None = None
    for line in lines:
        if line.wordlike >= 2:
            label = before if before and not before.wordlike and _LABEL.fullmatch(before.text) else None
            row = label is not None and abs(label.base - line.base) < ALIKE.row * line.size
            if label and row and 0 < line.x0 - label.x1 < AROUND.hang:
                yield Line(line.page, [*label.words, *line.words])
            else:
                yield line
        before = line


def borrow_gutters(pages: Sequence[PageText]) -> None:
    """Gives pages without columns of their own, such as those full of figures, the columns that most others have."""
    common = Counter(tuple(round(x / LINES.mirrored) for x in page.gutters) for page in pages if page.gutters)
    shared = [key for key, count in common.most_common() if count > 1 or len(pages) <= _FEW_PAGES]
    known = {tuple(round(x / LINES.mirrored) for x in page.gutters): page.gutters for page in pages if page.gutters}
    for page in pages:
        text = [line for line in page.lines if line.wordlike >= 2]
        for gutters in () if page.gutters else (known[key] for key in shared):
            if sum(crosses(line, gutters) for line in text) <= LINES.borrowed * len(text):
                page.gutters = gutters
                break


def _least_crossed(text: list[Line], left: float, right: float, where: tuple[int, int]) -> float | None:
    """The middle of the places between `where` that the fewest lines cross; None where too many do."""
    steps = [left + (right - left) * k / 100 for k in range(*where)]
    starts, ends = sorted(line.x0 for line in text), sorted(line.x1 for line in text)
    crossings = [bisect_left(starts, x) - bisect(ends, x) for x in steps]
    least = min(crossings)
    if least > LINES.crossed * len(text):
        return None
    few = groupby(zip(steps, crossings, strict=True), lambda step: step[1] <= least + 1)
    best = max(([x for x, _ in run] for is_few, run in few if is_few), key=len)
    return best[len(best) // 2]


def _are_columns(text: list[Line], gutters: tuple[float, ...], least: float) -> bool:
    """Whether columns lie between the gutters: enough lines, wide enough, and beside each other."""
    columns = _columns([line for line in text if not crosses(line, gutters)], gutters)
    if min(map(len, columns)) < _LEAST_LINES:
        return False
    if any(sorted(line.width for line in column)[len(column) // 2] < least for column in columns):
        return False
    tops = [min(line.base for line in column) for column in columns]
    ends = [max(line.base for line in column) for column in columns]
    return all(min(ends[i : i + 2]) > max(tops[i : i + 2]) for i in range(len(gutters)))


def crosses(line: Line, gutters: tuple[float, ...]) -> bool:
    """Whether the line runs over a gutter."""
    return any(line.x0 < x < line.x1 for x in gutters)


def _columns(lines: list[Line], gutters: tuple[float, ...]) -> list[list[Line]]:
    """The lines of each column, in the order given."""
    columns: list[list[Line]] = [[] for _ in range(len(gutters) + 1)]
    for line in lines:
        columns[bisect(gutters, line.x0)].append(line)
    return columns


def reading_order(lines: list[Line], gutters: tuple[float, ...]) -> list[Line]:
    """`lines` as they are read; only where the stream runs to and fro over a gutter are they moved."""
    if not gutters or not is_row_by_row(lines, gutters):
        return lines
    parted = [part for line in lines for part in _parted(line, gutters)]
    ordered: list[Line] = []
    band: list[Line] = []
    for line in sorted(with_small_pieces(parted), key=lambda line: (line.base, line.x0)):
        if crosses(line, gutters):
            ordered += _by_column(band, gutters)
            ordered.append(line)
            band = []
        else:
            band.append(line)
    return ordered + _by_column(band, gutters)


def _parted(line: Line, gutters: tuple[float, ...]) -> list[Line]:
    """The line, in two where a wide space lies on a gutter: rows of two columns that stand close together."""
    if not crosses(line, gutters):
        return [line]
    for i, (left, right) in enumerate(pairwise(line.words)):
        wide = right.x0 - left.x1 > LINES.parted * min(left.style.size, right.style.size)
        if wide and any(left.x1 <= x <= right.x0 for x in gutters):
            right.glued = False
            return [Line(line.page, line.words[: i + 1]), *_parted(Line(line.page, line.words[i + 1 :]), gutters)]
    return [line]


def is_row_by_row(lines: list[Line], gutters: tuple[float, ...]) -> bool:
    """Whether the stream changes columns about as often as there are rows."""
    columns = [bisect(gutters, line.x0) for line in lines if not crosses(line, gutters)]
    switches = sum(a != b for a, b in pairwise(columns))
    return switches > LINES.switches * sorted(columns.count(i) for i in range(len(gutters) + 1))[-2]


def _by_column(band: list[Line], gutters: tuple[float, ...]) -> list[Line]:
    return [line for column in _columns(band, gutters) for line in column]
