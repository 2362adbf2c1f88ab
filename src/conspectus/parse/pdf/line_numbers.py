"""Numbers of lines in the margins, as manuscripts for review and old journals have them: each line's, or each fifth's.

They are recognised over the whole document, because a page may have only two of them.
"""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Literal

from conspectus.core.grouped import split_runs
from conspectus.parse.pdf.accounts import LINE_NUMBERS, settle_words
from conspectus.parse.pdf.model import PageText, Word
from conspectus.parse.pdf.thresholds import AROUND

_LEAST, _LEAST_OF_EACH = 3, 5
"""Fewer numbers in a margin are no line numbers: of every few lines, and of every line."""
_LARGEST_STEP = 25

Side = Literal["left", "right", "between"]


@dataclass(frozen=True)
class _NumberColumn:
    """Numbers of one page that begin, or end, at one x, from the top.

    `rows` are the baselines of the text at the `side` of which they stand, `page_rows` those of all text: lines that
    end before the middle of the page are only in these.
    """

    page: int
    numbers: list[Word]
    side: Side
    rows: list[float]
    page_rows: list[float]

    @property
    def step(self) -> int:
        """The commonest difference between numbers that follow each other; 0 where they do not count up."""
        return _step(self.numbers)

    def counts_lines(self) -> Iterator[bool]:
        """For each number but the last, whether the next one is larger by about the number of lines between."""
        for above, below in pairwise(self.numbers):
            step = int(below.text) - int(above.text)
            lines = [
                bisect(rows, below.base + self._slack) - bisect(rows, above.base + self._slack)
                for rows in (self.rows, self.page_rows)
            ]
            yield min(abs(count - step) for count in lines) <= max(1, step // _LEAST_OF_EACH)

    def is_level(self) -> bool:
        """Whether most of the numbers stand on one of the rows of the page's text."""
        level = sum(
            bisect(self.page_rows, word.base - self._slack) < bisect(self.page_rows, word.base + self._slack)
            for word in self.numbers
        )
        return level >= AROUND.numbers_level * len(self.numbers)

    def labels_entries(self) -> bool:
        """Whether lines without a number stand between numbers that follow each other, as in a list of references."""
        pairs = [(a, b) for a, b in pairwise(self.numbers) if int(b.text) == int(a.text) + 1]
        between = sum(
            bisect(self.rows, b.base - self._slack) > bisect(self.rows, a.base + self._slack) for a, b in pairs
        )
        return between > AROUND.numbers_between * len(pairs)

    @property
    def _slack(self) -> float:
        return AROUND.numbers_row * self.numbers[0].style.size


def _step(numbers: Sequence[Word]) -> int:
    steps = Counter(int(b.text) - int(a.text) for a, b in pairwise(numbers))
    step, count = steps.most_common(1)[0] if steps else (0, 0)
    return step if 0 < step <= _LARGEST_STEP and count >= AROUND.numbers_even * (len(numbers) - 1) else 0


def line_numbers(pages: Sequence[PageText]) -> set[Word]:
    """The words of the pages that number their lines, settled as furniture."""
    kinds: dict[tuple[Side, int], list[_NumberColumn]] = defaultdict(list)
    for page in pages:
        for column in _columns(page, least=2):
            if column.step:
                kinds[column.side, column.step].append(column)
    if not kinds:
        return set()
    alone = [column for page in pages for column in _columns(page, least=1) if len(column.numbers) == 1]
    found: set[Word] = set()
    for (side, step), columns in kinds.items():
        columns += [column for column in alone if column.side == side and _fits(column, columns, step)]
        if _number_lines(columns, step):
            found.update(word for column in columns for word in column.numbers)
    settle_words(found, "furniture", LINE_NUMBERS)
    return found


def _number_lines(columns: Sequence[_NumberColumn], step: int) -> bool:
    """Whether the columns, which count by `step`, number lines."""
    if step == 1:
        return any(len(column.numbers) >= _LEAST_OF_EACH for column in columns)
    lines = [fits for column in columns for fits in column.counts_lines()]
    regular = all(int(word.text) % step == 0 for column in columns for word in column.numbers[1:])
    many = sum(len(column.numbers) for column in columns) >= _LEAST
    return many and regular and sum(lines) > 0.5 * len(lines)


def _fits(column: _NumberColumn, others: Sequence[_NumberColumn], step: int) -> bool:
    """Whether the one number of a page stands where those of other pages do."""
    if int(column.numbers[0].text) % step:
        return False
    edges = [(other.numbers[0].x0, other.numbers[0].x1) for other in others]
    own = column.numbers[0]
    return any(min(abs(own.x0 - x0), abs(own.x1 - x1)) < AROUND.numbers_edge for x0, x1 in edges)


def _columns(page: PageText, least: int) -> Iterator[_NumberColumn]:
    """The columns of at least so many numbers that stand apart from the page's text, each number in the largest."""
    lone = [word for word in page.words if word.text.isdecimal() and len(word.text) <= 4]
    sets = [numbers for edge in ("x1", "x0") for numbers in _aligned(lone, edge) if len(numbers) >= least]
    if not any(least == 1 or _step(numbers) for numbers in sets):
        return  # most pages: their text need not be looked at
    text = [word for word in page.words if word.text.isalpha() and len(word.text) > 3]
    starts, ends = sorted(word.x0 for word in text), sorted(word.x1 for word in text)
    rows: list[float] = []
    known: set[Word] = set()
    for aligned in sorted(sets, key=len, reverse=True):
        numbers = [word for word in aligned if word not in known]
        if not numbers or (side := _side(numbers, starts, ends)) is None:
            continue
        rows = rows or _rows(text)
        column = _NumberColumn(page.number, numbers, side, _rows(_beside(side, text)), rows)
        if column.is_level() and not (column.step == 1 and column.labels_entries()):
            known.update(numbers)
            yield column


def _aligned(words: Iterable[Word], edge: str) -> Iterator[list[Word]]:
    """The words with one edge in common, from the top; those on one baseline with another are left out."""
    at = attrgetter(edge)
    for group in split_runs(sorted(words, key=at), lambda run, word: at(word) - at(run[0]) < AROUND.numbers_edge):
        yield sorted(group, key=attrgetter("base"))


def _side(numbers: Sequence[Word], starts: Sequence[float], ends: Sequence[float]) -> Side | None:
    """On which side of the text the numbers stand; None where they stand in it.

    `starts` and `ends` are the left and right edges of the text's words, sorted.
    """
    start, end = min(word.x0 for word in numbers), max(word.x1 for word in numbers)
    left, right = bisect_left(ends, start), len(starts) - bisect(starts, end)
    if not ends or left + right < len(ends) - (AROUND.numbers_crossed * len(ends) if left and right else 0):
        return None
    return "between" if left and right else "left" if right else "right"


def _beside(side: Side, text: Sequence[Word]) -> Sequence[Word]:
    """The words in that half of the text at which the numbers stand."""
    middle = (min(word.x0 for word in text) + max(word.x1 for word in text)) / 2
    return [word for word in text if side == "between" or (word.x0 < middle if side == "left" else word.x1 > middle)]


def _rows(text: Iterable[Word]) -> list[float]:
    """The baselines of the lines that the words make."""
    lines = split_runs(
        sorted(text, key=attrgetter("base")),
        lambda row, word: word.base - row[0].base < AROUND.numbers_row * word.style.size,
    )
    return [row[0].base for row in lines]
