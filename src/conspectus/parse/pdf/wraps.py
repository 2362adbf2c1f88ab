"""Lines of a table to its rows, where no rules are drawn between them: a cell may be wrapped over several lines.

Three things speak for a wrapped cell: lines of one row stand closer than rows do; the first word would not have fitted
on the line above; and a cell that goes on stands right below what it goes on with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from conspectus.parse.pdf.model import Word
from conspectus.parse.pdf.rows import are_aligned
from conspectus.parse.pdf.thresholds import TABLES

_VALUE = re.compile(r"[<>≤≥~≈±+\-−‐–—]*\s*[.·]?\d[\d.,·%\s]*")
"""A number that is whole: the number below it is another one."""

_MOST_HEADS = 4
"""More lines above the first rule are no head."""

_LEAST_CELLS = 2
"""Some row of a table has at least so many cells that are not empty."""

_BESIDE = ("(", "[", "±")
"""What a value's uncertainty or share begins with, which may be set below it."""

Cells = Sequence[Sequence[Word]]


@dataclass(frozen=True, slots=True)
class TableLine:
    """A line of a table: its cells from left to right, empty ones too, and how far it is below the line above."""

    cells: Cells
    step: float

    @property
    def filled(self) -> frozenset[int]:
        """The columns in which something stands."""
        return frozenset(i for i, cell in enumerate(self.cells) if cell)


def rows_of(lines: Sequence[Cells], breaks: Sequence[float]) -> list[list[int]]:
    """The numbers of the lines that make each row; empty if it is not clear which lines are rows.

    Args:
        lines: The cells of each line, from the top.
        breaks: The heights at which a rule runs through the table.
    """
    bases = [min(word.base for cell in line for word in cell) for line in lines]
    table = [
        TableLine(line, base - before) for line, base, before in zip(lines, bases, [bases[0], *bases], strict=False)
    ]
    parted = {i for i in range(1, len(lines)) if any(bases[i - 1] < height < bases[i] for height in breaks)}
    return _Rows(table, parted).rows()


class _Rows:
    """Decides line by line, by what is usual in the table."""

    def __init__(self, lines: Sequence[TableLine], parted: set[int]) -> None:
        self._lines, self._parted = lines, parted
        inner = [line.step for i, line in enumerate(lines) if i and i not in parted]
        self._close = min(inner, default=0.0) * TABLES.close_rows
        columns = range(len(lines[0].cells))
        self._widths = [max((_width(line.cells[c]) for line in lines), default=0.0) for c in columns]
        most = max(len(line.filled) for line in lines)
        self._full = {i for i, line in enumerate(lines) if len(line.filled) >= TABLES.full_line * most}
        head = min(parted, default=0)
        self._head = head if head <= _MOST_HEADS else 0
        self._lower = [self._begins_lower(c) for c in columns]
        self._spaced = self._is_spaced(inner)

    def rows(self) -> list[list[int]]:
        """The rows; none if lines that are neither rows nor parts of one are more than a few."""
        rows: list[list[int]] = []
        doubtful = 0
        if all(len(line.filled) < _LEAST_CELLS for line in self._lines):
            return []
        for i in range(len(self._lines)):
            if rows and i not in self._parted and (self._goes_on(rows[-1], i) or self._names_on(rows[-1], i)):
                rows[-1].append(i)
            else:
                doubtful += i > self._head and i not in self._parted and self._is_rest(i)
                rows.append([i])
        return rows if doubtful <= TABLES.doubtful * len(self._lines) else []

    def _names_on(self, row: Sequence[int], i: int) -> bool:
        """Whether line `i` of the head goes on with names of columns that begin above it: they end at one height.

        A name that is over several columns is above the middle or the edge of none of them.
        """
        if i >= self._head:
            return False
        upper, lower = self._lines[row[-1]].cells, self._lines[i].cells
        pairs = [(above, cell) for above, cell in zip(upper, lower, strict=True) if above]
        return all(cell and are_aligned(above, cell) for above, cell in pairs)

    def _begins_lower(self, column: int) -> bool:
        """Whether the column's cells begin with small letters anyway."""
        cells = [self._lines[i].cells[column] for i in self._full]
        return 2 * sum(bool(cell) and cell[0].text[0].islower() for cell in cells) > len(cells)

    def _is_spaced(self, steps: Sequence[float]) -> bool:
        """Whether rows stand further apart than the lines of one: most full lines have a wider space above them."""
        wide = [step > self._close for step in steps]
        if not 0 < sum(wide) < len(wide):
            return False
        rows = [self._lines[i].step > self._close for i in self._full if i and i not in self._parted]
        return bool(rows) and sum(rows) >= TABLES.spaced_rows * len(rows)

    def _goes_on(self, row: Sequence[int], i: int) -> bool:
        """Whether line `i` is a part of the row that the lines before it make."""
        line, above = self._lines[i], self._lines[row[-1]]
        if line.step > self._close:
            return False
        if self._spaced and i not in self._full:
            return True
        if not line.filled <= above.filled:
            return False
        pairs = [(c, above.cells[c], line.cells[c]) for c in sorted(line.filled)]
        if i in self._full and len(line.filled) > 1:
            return all(self._reads_on(c, upper, lower) for c, upper, lower in pairs)
        return all(
            self._reads_on(c, upper, lower) or self._does_not_fit(c, upper, lower, alone=len(pairs) == 1)
            for c, upper, lower in pairs
        )

    def _reads_on(self, column: int, above: Sequence[Word], cell: Sequence[Word]) -> bool:
        """Whether a cell's line reads like the rest of the line above it: of a word, a sentence, or a value."""
        upper, lower = (" ".join(word.text for word in words) for words in (above, cell))
        if lower.startswith(_BESIDE) and (upper[-1].isdigit() or upper[-1] == "%"):
            return True
        return lower[0].islower() and (upper[-1] in "-‐" or not self._lower[column])

    def _does_not_fit(self, column: int, above: Sequence[Word], cell: Sequence[Word], *, alone: bool) -> bool:
        """Whether the line's first word had no room on the line above. One that is `alone` may be a heading of rows."""
        if _VALUE.fullmatch(" ".join(word.text for word in cell)):
            return False
        first = [word for i, word in enumerate(cell) if i == 0 or all(w.glued for w in cell[1 : i + 1])]
        needed = _width(above) + TABLES.space * cell[0].style.size + _width(first)
        widest = self._widths[column]
        return needed > widest and not (alone and _width(above) < TABLES.nearly_full * widest)

    def _is_rest(self, i: int) -> bool:
        """Whether a line has words only, and not in the first column: no row begins so."""
        line = self._lines[i]
        cells = [" ".join(word.text for word in line.cells[c]) for c in line.filled]
        return 0 not in line.filled and i not in self._full and not any(_VALUE.match(cell) for cell in cells)


def _width(words: Sequence[Word]) -> float:
    return max(word.x1 for word in words) - min(word.x0 for word in words) if words else 0.0
