"""Text that is turned on its page, such as a wide table on an upright page, as a page of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from conspectus.parse.pdf.model import Frame, Line, PageText, Turned
from conspectus.parse.pdf.thresholds import LINES

_LEAST_ROWS, _LEAST_WORDS = 3, 6
"""Fewer rows or words that are turned are stamps, names of axes or labels beneath them."""


def turned_sheets(pages: Iterable[PageText]) -> Iterator[PageText]:
    """For each direction in which a page has rows of text besides its own direction, a page with these rows.

    Lines that have a fate, such as those inside figures, are not among them. The sheet has its page's number.
    """
    for page in pages:
        frames = {turned.frame for turned in page.stamps if turned.fate is None and turned.frame is not None}
        for frame in sorted(frames, key=lambda frame: frame.turns):
            lines = [turned for turned in page.stamps if turned.fate is None and turned.frame == frame]
            if _are_rows(lines):
                yield _sheet(page, frame, lines)


def _sheet(page: PageText, frame: Frame, lines: Sequence[Turned]) -> PageText:
    sheet = PageText(page.number, frame, words=[word for line in lines for word in line.words])
    sheet.graphics = [
        graphic._replace(box=page.frame.moved(graphic.box, frame))
        for graphic in page.graphics
        if graphic.kind != "turned"
    ]
    return sheet


def _are_rows(lines: Iterable[Turned]) -> bool:
    """Whether lines follow each other as closely as rows of text or of a table do."""
    level = sorted((Line(0, turned.words) for turned in lines), key=lambda line: line.base)
    rows = sum(0.5 * b.size < b.base - a.base < LINES.rows_apart * b.size for a, b in pairwise(level))
    return rows + 1 >= _LEAST_ROWS and sum(line.wordlike for line in level) >= _LEAST_WORDS


def settle_lines(pages: Iterable[PageText]) -> None:
    """Gives each turned line the fate of its words."""
    for page in pages:
        for turned in page.stamps:
            if turned.fate is None and turned.words:
                turned.fate = turned.words[0].fate
