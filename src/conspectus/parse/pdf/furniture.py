"""What is printed around the text: running heads, page numbers, line numbers, lists of contents.

Line numbers are recognised over the whole document, because a page may have only two of them.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Literal

from conspectus.core.groups import split_runs
from conspectus.parse.pdf.page_text import (
    LINE_NUMBERS,
    PdfLine,
    PdfPageText,
    Word,
    settle,
    settle_words,
    split_rows_by_base,
)
from conspectus.parse.pdf.paragraphs import opens_note
from conspectus.parse.pdf.patterns import CAPTION
from conspectus.parse.pdf.thresholds import ALIKE, AROUND, LINES

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"\W*+(?:page|p\.)?\s*+(?:[A-Za-z]{0,2}\d{1,5}|[ivxlc]{1,6})(?:\s*+(?:of|/)\s*+\d{1,5})?\W*+", re.I
)
_NAMED = re.compile(
    r"(?:(?:table of |list of )?contents|list of (?:figures|tables|algorithms)|inhalt(?:sverzeichnis)?|sommaire"
    r"|table des matières|índice|indice|sumário)[.:]?",
    re.I,
)
_LEADERS = re.compile(r"(?<!\.)(?<!\.\s)(?:\.\s?+){4,}+\s*+(?:\d{1,4}|[ivxl]{1,6})?$")
_LAST_NUMBER = re.compile(r"\d{1,4}|[ivxl]{1,6}")
_ENDING = re.compile(r"\S\s+\d{1,4}$")
_LEAST = 3
_WORDY = 4
_LONG_NUMBER = 10
_MOST_OTHERS = 2
"""So many rows without a page number, as entries over several lines have, do not end a list."""
_LEAST_NUMBERS, _LEAST_OF_EACH = 3, 5
"""Fewer numbers in a margin are no line numbers: of every few lines, and of every line."""
_LARGEST_STEP = 25
Side = Literal["left", "right", "between"]


def remove_furniture(pages: list[PdfPageText]) -> set[str]:
    """Takes running heads and page numbers out of `pages`; returns their texts."""
    heads = _running_heads(pages)
    for page in pages:
        zones = _Zones(page)
        heads |= {line for line in page.lines if _is_page_number(line, page, zones)}
    heads -= {line for page in pages for line in _of_text(page, heads)}
    heads |= _on_the_row_of_heads(pages, heads)
    removed = [line for page in pages for line in page.lines if line in heads]
    settle(removed, "furniture", "running heads and page numbers")
    for page in pages:
        page.lines = [line for line in page.lines if line not in heads]
    return {line.text for line in removed}


def _on_the_row_of_heads(pages: list[PdfPageText], heads: set[PdfLine]) -> set[PdfLine]:
    """Lines that stand where other pages have their running heads, alone at the top or bottom of the page.

    So the head of a chapter that has two pages only goes too. On the first page there is the title.
    """
    rows = {(round(line.base), round(line.size)) for page in pages for line in page.lines if line in heads}
    near = {(base + step, size) for base, size in rows for step in (-1, 0, 1)}
    more_heads: set[PdfLine] = set()
    for page in pages[1:]:
        rest = [line.base for line in page.lines if line not in heads and line.wordlike >= 3]
        zones = _Zones(page)
        for line in page.lines:
            if line not in zones or (round(line.base), round(line.size)) not in near or CAPTION.match(line.text):
                continue
            others = [base for base in rest if abs(base - line.base) > 1]
            above = others and line.base < min(others) - AROUND.head_apart * line.size
            if above or (others and line.base > max(others) + AROUND.head_apart * line.size):
                more_heads.add(line)
    return more_heads


class _Zones:
    """Which lines of a page stand in its head or foot: near its edge, or the first or last row and not far from it."""

    def __init__(self, page: PdfPageText) -> None:
        height = page.frame.height
        bases = [line.base for line in page.lines]
        self._head = max(AROUND.zone * height, min([min(bases, default=0.0) + 1, AROUND.wider_zone * height]))
        self._foot = min(
            (1 - AROUND.zone) * height, max([max(bases, default=height) - 1, (1 - AROUND.wider_zone) * height])
        )

    def __contains__(self, line: PdfLine) -> bool:
        return line.base < self._head or line.base > self._foot


def _running_heads(pages: list[PdfPageText]) -> set[PdfLine]:
    """Lines that stand (digits folded) at about the same height and size on another page's head or foot.

    A title may stand in the running heads too; it is bigger and elsewhere, and so stays.
    """
    places: dict[str, list[PdfLine]] = defaultdict(list)
    for page in pages:
        zones = _Zones(page)
        for line in page.lines:
            if line in zones and not CAPTION.match(line.text) and not opens_note(line):
                places[_DIGITS.sub("#", " ".join(line.text.casefold().split()))].append(line)
    return {
        line
        for lines in places.values()
        for line in lines
        if any(_same_place(line, other) for other in lines if other.page != line.page)
    }


def _same_place(line: PdfLine, other: PdfLine) -> bool:
    """Whether two lines stand at one height in one size, and numbers in them are the same or count the pages.

    `3 Tides` and `5 Tides` at the top of pages that follow each other are headings.
    """
    near = abs(line.base - other.base) < 4 and abs(line.size - other.size) < AROUND.head_size
    numbers = zip(_DIGITS.findall(line.text), _DIGITS.findall(other.text), strict=True)
    return near and all(
        a == b or (max(len(a), len(b)) < _LONG_NUMBER and int(a) - int(b) == line.page - other.page) for a, b in numbers
    )


def _of_text(page: PdfPageText, heads: set[PdfLine]) -> set[PdfLine]:
    """Those of `heads` that are lines of the text: what is next to them, no head itself, goes on with them."""
    text_lines: set[PdfLine] = set()
    for lines in (page.lines, page.lines[::-1]):  # the last line of a head, and the first of a foot, come last
        for nearer, line in pairwise(reversed(lines)):
            inside = nearer not in heads or nearer in text_lines
            if line in heads and inside and _follows(nearer, line):
                text_lines.add(line)
    return text_lines


def _follows(line: PdfLine, other: PdfLine) -> bool:
    """Whether two lines are of one paragraph: alike, full of words, and as near to each other as lines of text."""
    alike = line.style == other.style and abs(line.x0 - other.x0) < 2 and min(line.wordlike, other.wordlike) >= _WORDY
    return alike and LINES.least_step * line.size < abs(line.base - other.base) < ALIKE.step * line.size


def _is_page_number(line: PdfLine, page: PdfPageText, zones: _Zones) -> bool:
    """A lone number at the very top or bottom of the page."""
    if line not in zones or not _PAGE_NUMBER.fullmatch(line.text) or _labels_text(line, page):
        return False
    others = [other.base for other in page.lines if other is not line and len(other.text) > 8]
    return not others or line.base > max(others) - 1 or line.base < min(others) + 1


def _labels_text(number: PdfLine, page: PdfPageText) -> bool:
    """Whether text begins right of the number and goes on below, as the first entry of a column does."""
    rights = [line for line in page.lines if 0 < line.x0 - number.x1 < AROUND.hang and abs(line.base - number.base) < 1]
    return any(
        abs(below.x0 - right.x0) < 2 and 0 < below.base - right.base < ALIKE.step * right.size
        for right in rights
        for below in page.lines
    )


def remove_contents(pages: list[PdfPageText]) -> None:
    """Takes lists of contents out of `pages`: their headings, and rows that end in leaders or a page number."""
    goes_on = False
    for page in pages:
        rows = split_rows_by_base(page.lines, lambda _: 2)
        contents_lines: set[PdfLine] = set()
        i = 0
        while i < len(rows):
            headed = len(rows[i]) == 1 and _NAMED.fullmatch(rows[i][0].text) is not None
            end = _end(rows, i + headed, has_heading=headed or (goes_on and not i))
            goes_on = False
            if end > i + headed:
                contents_lines |= {line for row in rows[i:end] for line in row}
                goes_on = end >= len(rows) - _MOST_OTHERS
            i = max(end, i + 1)
        if contents_lines:
            settle((line for line in page.lines if line in contents_lines), "furniture", "a list of contents")
            page.lines = [line for line in page.lines if line not in contents_lines]


def _end(rows: list[list[PdfLine]], begin: int, *, has_heading: bool) -> int:
    """Behind the last row of the list that begins at `begin`; `begin` where there is none."""
    end, entries, others = begin, 0, 0
    for i in range(begin, len(rows)):
        if _is_entry(rows[i], has_heading=has_heading):
            end, entries, others = i + 1, entries + 1, 0
        else:
            others += 1
            if others > (_MOST_OTHERS if entries or has_heading else 0):
                break
    return end if entries >= _LEAST else begin


def _is_entry(row: list[PdfLine], *, has_heading: bool) -> bool:
    """Whether the row ends in leaders; in a list with a heading a page number after a wide space is enough."""
    last = row[-1].text
    if _LEADERS.search(last) or (len(row) > 1 and _LAST_NUMBER.fullmatch(last) and _LEADERS.search(row[-2].text)):
        return True
    return has_heading and (
        (len(row) > 1 and _LAST_NUMBER.fullmatch(last) is not None) or _ENDING.search(last) is not None
    )


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


def find_line_numbers(pages: Sequence[PdfPageText]) -> set[Word]:
    """The words of the pages that number their lines, settled as furniture."""
    kinds: dict[tuple[Side, int], list[_NumberColumn]] = defaultdict(list)
    for page in pages:
        for column in _number_columns(page, least=2):
            if column.step:
                kinds[column.side, column.step].append(column)
    if not kinds:
        return set()
    alone = [column for page in pages for column in _number_columns(page, least=1) if len(column.numbers) == 1]
    line_numbers: set[Word] = set()
    for (side, step), columns in kinds.items():
        columns += [column for column in alone if column.side == side and _fits(column, columns, step)]
        if _number_lines(columns, step):
            line_numbers.update(word for column in columns for word in column.numbers)
    settle_words(line_numbers, "furniture", LINE_NUMBERS)
    return line_numbers


def _number_lines(columns: Sequence[_NumberColumn], step: int) -> bool:
    """Whether the columns, which count by `step`, number lines."""
    if step == 1:
        return any(len(column.numbers) >= _LEAST_OF_EACH for column in columns)
    lines = [fits for column in columns for fits in column.counts_lines()]
    regular = all(int(word.text) % step == 0 for column in columns for word in column.numbers[1:])
    many = sum(len(column.numbers) for column in columns) >= _LEAST_NUMBERS
    return many and regular and sum(lines) > 0.5 * len(lines)


def _fits(column: _NumberColumn, others: Sequence[_NumberColumn], step: int) -> bool:
    """Whether the one number of a page stands where those of other pages do."""
    if int(column.numbers[0].text) % step:
        return False
    edges = [(other.numbers[0].x0, other.numbers[0].x1) for other in others]
    number = column.numbers[0]
    return any(min(abs(number.x0 - x0), abs(number.x1 - x1)) < AROUND.numbers_edge for x0, x1 in edges)


def _number_columns(page: PdfPageText, least: int) -> Iterator[_NumberColumn]:
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
        column = _NumberColumn(page.number, numbers, side, _rows(_nearer_half(side, text)), rows)
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


def _nearer_half(side: Side, text: Sequence[Word]) -> Sequence[Word]:
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
