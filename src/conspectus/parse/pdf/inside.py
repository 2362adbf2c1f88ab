"""The words that are seen in a part of a page, such as a figure's."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from conspectus.core.bounds import BOUNDS
from conspectus.core.disk import read_file
from conspectus.core.grouped import runs
from conspectus.parse.pdf.document import opened, quarter_turns, visible_box
from conspectus.parse.pdf.extras import Extras, extras
from conspectus.parse.pdf.glyphs import MOST_CHARS, PageWords, page_words
from conspectus.parse.pdf.model import around
from conspectus.parse.pdf.render import drawn_part
from conspectus.parse.pdf.sight import Sight
from conspectus.records import FigureWord, Place, Rect


def seen_inside(path: Path, place: Place) -> tuple[FigureWord, ...]:
    """The words in the part of a page that `figure_image` draws of `place`, in the order of the content stream.

    A page with more characters than pages have gives none. Texts that run in another direction come last, each as one.

    Raises:
        InputError: As in `read_pdf`.
    """
    with opened(path) as document:
        page = document[place.page - 1]
        found = _words(page, extras(read_file(path, 2**31)))
        part = drawn_part(place.rect, *page.get_size())
    within = (FigureWord(text[: BOUNDS.label.most], _within(box, part)) for text, box in _displayed(found))
    return tuple(islice((word for word in within if _is_inside(word.box)), BOUNDS.figure_words.most))


def _words(page: Any, has: Extras) -> PageWords | None:
    textpage = page.get_textpage()
    try:
        if textpage.count_chars() > MOST_CHARS:
            return None
        return page_words(textpage, visible_box(page), quarter_turns(page), Sight(page, textpage, has).unseen)
    finally:
        textpage.close()


def _displayed(found: PageWords | None) -> Iterator[tuple[str, Rect]]:
    """Texts with their boxes on the page as displayed; what is glued together is one."""
    if found is None:
        return
    for words in runs(found.words, lambda _, word: word.glued):
        box = around((word.x0, word.top, word.x1, word.bottom) for word in words)
        yield "".join(word.text for word in words), found.frame.displayed(box)
    for turned in found.stamps:
        yield turned.text, found.frame.displayed(turned.box)


def _within(box: Rect, part: Rect) -> Rect:
    """A box of the page in parts of the width and height of one that is in it, cut at its edges."""
    left, top, right, bottom = part
    wide, high = right - left, bottom - top
    x0, y0, x1, y1 = box
    sides = (x0 - left) / wide, (y0 - top) / high, (x1 - left) / wide, (y1 - top) / high
    a, b, c, d = (min(max(side, 0.0), 1.0) for side in sides)
    return a, b, c, d


def _is_inside(box: Rect) -> bool:
    return box[0] < box[2] and box[1] < box[3]
