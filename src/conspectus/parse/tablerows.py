"""The rows of a table file. A quote that is never closed costs its own line, not the lines behind it."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

_MOST_AGAIN = 128 * 2**20
"""So many characters are read again in all, behind quotes without end."""

_NO_END = "A quote opens in it that does not end; write a quote inside a cell twice, or leave it out."


@dataclass(frozen=True, slots=True)
class Row:
    """A row: where it begins, its cells, why it cannot be read, and whether it was read again behind a bad one."""

    where: str
    cells: list[str] = field(default_factory=list)
    wrong: str = ""
    again: bool = False


class TableRows:
    """The rows of lines of text, in order.

    Args:
        before: how many lines stand above them.
        quoted: whether a cell may stand in quotation marks.
    """

    def __init__(self, lines: Iterator[str], delimiter: str, before: int, *, quoted: bool = True) -> None:
        self._lines = lines
        self._waiting: deque[str] = deque()
        self._taken: list[str] = []
        self._ended = False
        self._delimiter = delimiter
        self._space = re.compile(f'" +(?=[{delimiter}\\r\\n])')
        self._last = before
        self._again_until = 0
        self._spent = 0
        self._quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
        self._rows = self._reader()

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        """The next row, which may be empty."""
        self._taken, self._ended = [], False
        cells: list[str] = []
        wrong = ""
        try:
            cells = next(self._rows)
        except csv.Error as error:
            wrong = f"It is not a row of a table: {error}."
        begin = self._last + 1
        if self._ended or (len(self._taken) > 1 and (wrong or not self._closes_well())):
            wrong = _NO_END
        again = begin <= self._again_until
        self._last += len(self._taken)
        if wrong and len(self._taken) > 1:
            self._put_back()
        return Row(f"line {begin}", cells, wrong, again)

    def _reader(self) -> Iterator[list[str]]:
        return csv.reader(self._feed(), delimiter=self._delimiter, quoting=self._quoting)

    def _feed(self) -> Iterator[str]:
        while True:
            line = self._waiting.popleft() if self._waiting else next(self._lines, None)
            if line is None:
                self._ended = True  # in the middle of a row, if the row is given all the same
                return
            self._taken.append(line)
            yield line

    def _closes_well(self) -> bool:
        """Whether each quote of a row over several lines ends at the end of a cell: a stray one ends inside a word."""
        tidy = [self._space.sub('"', line) for line in self._taken]
        try:
            list(csv.reader(tidy, delimiter=self._delimiter, strict=True))
        except csv.Error:
            return False
        return True

    def _put_back(self) -> None:
        """All lines but the first are read again, as far as there is patience."""
        rest = self._taken[1:]
        self._spent += sum(map(len, rest))
        if self._spent > _MOST_AGAIN:
            return
        self._again_until = max(self._again_until, self._last)
        self._last -= len(rest)
        self._waiting.extendleft(reversed(rest))
        self._rows = self._reader()
