"""How lists of papers look in a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from conspectus.faces.printer import Printer, one_line

if TYPE_CHECKING:
    from conspectus.records import Paper
    from conspectus.records.results import FormattedReference


def papers(out: Printer, papers: Iterable[Paper]) -> None:
    """A line a paper: a table on a terminal, tab-separated elsewhere."""
    for paper in papers:
        year, kind = str(paper.year or ""), paper.extent
        if out.width is None:
            out.row([one_line(part) for part in (paper.id, year, paper.byline, paper.heading, kind)])
            continue
        room = max(out.width - 50, 20)
        byline, title = _fit(paper.byline, 22), _fit(paper.heading, room)
        out.line((_fit(paper.id, 11), "dim"), f"{year:>4}  ", byline, " ", (title, "title"), " ", (kind, "dim"))


def cite(out: Printer, references: Iterable[FormattedReference]) -> None:
    """The references, each in a paragraph; in a terminal with the marks by which a text cites them."""
    for at, reference in enumerate(references):
        if at:
            out.line()
        out.line(reference.text)
        if out.width is not None:
            out.line((f"  cited as {reference.mark}", "dim"))


def _fit(text: str, cells: int) -> str:
    from rich.cells import cell_len, set_cell_size

    text = one_line(text)
    return set_cell_size(text, cells) if cell_len(text) <= cells else set_cell_size(text, cells - 1) + "…"
