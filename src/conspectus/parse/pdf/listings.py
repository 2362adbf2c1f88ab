"""Listings of programs: lines in a font whose characters are equally wide, or whose letters are spaced out so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise

from conspectus.parse.pdf.groups import Group, Role
from conspectus.parse.pdf.measure import Edges, Usual
from conspectus.parse.pdf.model import Line, PageText, Word, in_rows
from conspectus.parse.pdf.thresholds import ALIKE, TABLES

_SAMPLES, _LEAST_SAMPLES, _LEAST_LETTERS = 80, 4, 8
"""Fonts are told by so many words at most, at least, and so many letters of the alphabet among them."""

_ADDRESS = re.compile(r"://|www\.|@|doi\.org|10\.\d{4,}/")
_SIGNS = re.compile(r"[(){}\[\]=;<>_/#$|\\*]|--|\.\w+\(")
_LEAST_SPACED = 8
"""Letters that are spaced out are so many."""

_WHOLE = 3
"""So many lines of such a font are a listing wherever they stand; fewer must be set apart."""


def find_listings(pages: Sequence[PageText], body: Usual, edges: dict[Line, Edges]) -> set[Line]:
    """The lines that are of listings."""
    fonts = monospaced(pages) - {body.font}
    found: set[Line] = set()
    for page in pages:
        rows = in_rows(page.lines, lambda line: ALIKE.row * line.size)
        kinds = [all(_is_code(line, fonts) for line in row) for row in rows]
        at = 0
        for is_code, run in groupby(kinds):
            count = len(list(run))
            if is_code and _is_listing(rows, at, count, body, edges):
                found.update(line for row in rows[at : at + count] for line in row)
            at += count
    return found


def monospaced(pages: Sequence[PageText]) -> set[str]:
    """The names of the fonts whose characters are equally wide, as their words show."""
    samples: dict[str, list[Word]] = {}
    known: set[str] = set()
    for page in pages:
        for line in page.lines:
            for word in line.words:
                font = word.style.font
                if font not in known and len(word.text) > 2 and word.text.isascii() and not word.raised:
                    own = samples.setdefault(font, [])
                    own.append(word)
                    if len(own) == _SAMPLES:
                        known.add(font)
    return {font for font, words in samples.items() if _is_even(words)}


def _is_even(words: Sequence[Word]) -> bool:
    widths = sorted((word.x1 - word.x0) / (len(word.text) * word.style.size) for word in words)
    letters = {char for word in words for char in word.text if char.isalpha()}
    if len(words) < _LEAST_SAMPLES or len(letters) < _LEAST_LETTERS:
        return False
    low, high = widths[len(widths) // 10], widths[-1 - len(widths) // 10]
    return high - low < TABLES.same * high


def _is_code(line: Line, fonts: set[str]) -> bool:
    """Whether most of the line is in one of the fonts, and not the address of a page or a person."""
    if _is_spaced_out(line):
        return True
    if not fonts:
        return False
    own = [word.text for word in line.words if word.style.font in fonts]
    if not own:
        return False
    letters = sum(len(text) for text in own if not _ADDRESS.search(text))
    return letters >= TABLES.code * sum(len(word.text) for word in line.words)


def _is_spaced_out(line: Line) -> bool:
    """Whether nearly all words are single letters, as where a program's letters are set in columns."""
    words = line.words
    if len(words) < _LEAST_SPACED or sum([len(word.text) == 1 for word in words]) < TABLES.spaced * len(words):
        return False
    middles = [(word.x0 + word.x1) / 2 for word in words]
    steps = sorted(b - a for a, b in pairwise(middles))
    cell = steps[len(steps) // 4] or 1.0
    even = sum(abs(step / cell - round(step / cell)) < TABLES.uneven for step in steps)
    return even > TABLES.even * len(steps) and line.text.isascii() and not line.text.isupper()


def _is_listing(rows: Sequence[list[Line]], at: int, count: int, body: Usual, edges: dict[Line, Edges]) -> bool:
    """Whether rows in such a font are a listing, rather than words of a paragraph that fill its lines."""
    own = rows[at : at + count]
    text = " ".join(line.text for row in own for line in row)
    if any(_is_spaced_out(line) for row in own for line in row):
        return count > 1 and _SIGNS.search(text) is not None
    if count >= _WHOLE:
        return True
    first, last = own[0][0], own[-1][-1]
    above = rows[at - 1][-1] if at else None
    below = rows[at + count][0] if at + count < len(rows) else None
    apart = ALIKE.leading * body.leading
    over = above is None or above.text.endswith(":") or not 0 < first.base - above.base < apart
    under = below is None or not 0 < below.base - last.base < apart
    inset = first.x0 > edges[first].left + body.size
    return len(text.split()) > 1 and over and (under or inset)


def join_listings(groups: Sequence[Group]) -> list[Group]:
    """`groups` with listings made one that go on at the head of the next column or page."""
    joined: list[Group] = []
    for group in groups:
        last = joined[-1] if joined else None
        if last is not None and last.role == group.role == Role.CODE:
            last.lines += group.lines
        else:
            joined.append(group)
    return joined
