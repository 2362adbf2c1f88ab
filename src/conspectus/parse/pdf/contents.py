"""Lists of contents, figures and tables: what they say stands in the headings and captions that they point to."""

from __future__ import annotations

import re

from conspectus.parse.pdf.accounts import settle
from conspectus.parse.pdf.model import Line, PageText, in_rows

_NAMED = re.compile(
    r"(?:(?:table of |list of )?contents|list of (?:figures|tables|algorithms)|inhalt(?:sverzeichnis)?|sommaire"
    r"|table des matières|índice|indice|sumário)[.:]?",
    re.I,
)
_LEADERS = re.compile(r"(?<!\.)(?<!\.\s)(?:\.\s?+){4,}+\s*+(?:\d{1,4}|[ivxl]{1,6})?$")
_NUMBER = re.compile(r"\d{1,4}|[ivxl]{1,6}")
_ENDING = re.compile(r"\S\s+\d{1,4}$")
_LEAST = 3
_MOST_OTHERS = 2
"""So many rows without a page number, as entries over several lines have, do not end a list."""


def without_contents(pages: list[PageText]) -> None:
    """Takes lists of contents out of `pages`: their headings, and rows that end in leaders or a page number."""
    goes_on = False
    for page in pages:
        rows = in_rows(page.lines, lambda _: 2)
        taken: set[Line] = set()
        i = 0
        while i < len(rows):
            headed = len(rows[i]) == 1 and _NAMED.fullmatch(rows[i][0].text) is not None
            end = _end(rows, i + headed, named=headed or (goes_on and not i))
            goes_on = False
            if end > i + headed:
                taken |= {line for row in rows[i:end] for line in row}
                goes_on = end >= len(rows) - _MOST_OTHERS
            i = max(end, i + 1)
        if taken:
            settle((line for line in page.lines if line in taken), "furniture", "a list of contents")
            page.lines = [line for line in page.lines if line not in taken]


def _end(rows: list[list[Line]], begin: int, *, named: bool) -> int:
    """Behind the last row of the list that begins at `begin`; `begin` where there is none."""
    end, entries, others = begin, 0, 0
    for i in range(begin, len(rows)):
        if _is_entry(rows[i], named=named):
            end, entries, others = i + 1, entries + 1, 0
        else:
            others += 1
            if others > (_MOST_OTHERS if entries or named else 0):
                break
    return end if entries >= _LEAST else begin


def _is_entry(row: list[Line], *, named: bool) -> bool:
    """Whether the row ends in leaders; in a list with a heading a page number after a wide space is enough."""
    last = row[-1].text
    if _LEADERS.search(last) or (len(row) > 1 and _NUMBER.fullmatch(last) and _LEADERS.search(row[-2].text)):
        return True
    return named and ((len(row) > 1 and _NUMBER.fullmatch(last) is not None) or _ENDING.search(last) is not None)
