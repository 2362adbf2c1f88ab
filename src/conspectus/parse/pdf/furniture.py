"""What is printed around the text: running heads, page numbers, line numbers, notes in the margin."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise

from conspectus.parse.pdf.model import Line, PageText

_ZONE = 0.12
"""Running heads and feet stand in this part of the page's height, at the top and at the bottom."""

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"\W*(?:page|p\.)?\s*(?:[A-Za-z]{0,2}\d{1,5}|[ivxlc]{1,6})(?:\s*(?:of|/)\s*\d{1,5})?\W*", re.I
)


def without_furniture(pages: list[PageText]) -> set[str]:
    """Takes running heads, page numbers and line numbers out of `pages`; returns the texts of the first two."""
    heads = _running_heads(pages)
    removed: set[str] = set()
    for page in pages:
        numbers = _line_numbers(page.lines)
        kept = []
        for line in page.lines:
            if id(line) in heads or _is_page_number(line, page):
                removed.add(line.text)
            elif id(line) not in numbers:
                kept.append(line)
        page.lines = kept
    return removed


def _key(line: Line) -> str:
    return _DIGITS.sub("#", " ".join(line.text.casefold().split()))


def _in_zone(line: Line, page: PageText) -> bool:
    height = page.frame.height
    return line.base < _ZONE * height or line.base > (1 - _ZONE) * height


def _running_heads(pages: list[PageText]) -> set[int]:
    """The ids of lines that stand (digits folded) at about the same height and size on another page's head or foot.

    A title may stand in the running heads too; it is bigger and elsewhere, and so stays.
    """
    places: dict[str, list[Line]] = defaultdict(list)
    for page in pages:
        for line in page.lines:
            if _in_zone(line, page):
                places[_key(line)].append(line)
    return {
        id(line)
        for lines in places.values()
        for line in lines
        if any(_same_place(line, other) for other in lines if other.page != line.page)
    }


def _same_place(one: Line, other: Line) -> bool:
    return abs(one.base - other.base) < 4 and abs(one.size - other.size) < 0.6


def _is_page_number(line: Line, page: PageText) -> bool:
    """A lone number at the very top or bottom of the page."""
    if not _in_zone(line, page) or not _PAGE_NUMBER.fullmatch(line.text):
        return False
    others = [other.base for other in page.lines if other is not line and len(other.text) > 8]
    return not others or line.base > max(others) - 1 or line.base < min(others) + 1


def _line_numbers(lines: list[Line]) -> set[int]:
    """The ids of lines that are numbers counting up at one edge of the text, as in manuscripts for review."""
    lone = [line for line in lines if line.text.isdigit() and len(line.text) <= 4]
    if len(lone) < 8:
        return set()
    edge = Counter(round(line.x1) for line in lone).most_common(1)[0][0]
    column = sorted((line for line in lone if abs(line.x1 - edge) < 4), key=lambda line: line.base)
    rising = sum(int(b.text) > int(a.text) for a, b in pairwise(column))
    start = min(line.x0 for line in column)
    text = [line for line in lines if line.wordlike >= 3]
    outside = all(line.x0 > edge for line in text) or all(line.x1 < start for line in text)
    if len(column) < 8 or rising < 0.9 * (len(column) - 1) or not outside:
        return set()
    return {id(line) for line in column}
