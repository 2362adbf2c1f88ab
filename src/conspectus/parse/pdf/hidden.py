"""Text that a page holds and does not show: told of, never part of what is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from conspectus.parse.pdf.model import Line, PageText
from conspectus.records import Hidden, Place


def hidden_texts(pages: Iterable[PageText]) -> tuple[Hidden, ...]:
    """The hidden words of the pages, put together where they follow each other on one baseline."""
    return tuple(text for page in pages for text in _of_page(page))


def _of_page(page: PageText) -> Iterator[Hidden]:
    for (reason, _), found in groupby(page.hidden, key=lambda hidden: (hidden.reason, hidden.word.base)):
        line = Line(page.number, [hidden.word for hidden in found])
        yield Hidden(line.text, reason, Place(page.number, page.frame.displayed(line.box)))
