"""How figures look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from conspectus.core.text import pluralize
from conspectus.faces.declare import Option
from conspectus.faces.describe import marker
from conspectus.faces.printer import Printer, one_line
from conspectus.records import FigureCard, FigureHit, FigureResult

INDENT = 10
_CELL = 40
"""Characters of a table's cell that are shown."""


def search(
    out: Printer,
    result: FigureResult,
    *,
    explain: Annotated[bool, Option("Show the scores and their parts, and the search method.")] = False,
) -> None:
    """Each figure with its paper and caption, best first."""
    mark = marker(result.query)
    for hit in result.hits:
        _show_hit(out, hit, explain)
        out.fold(hit.figure.caption, INDENT, mark)
        out.line((hit.figure.id, "dim"), indent=INDENT)
        out.line()
    if result.note:
        out.line(out.remedy(result.note))
    number = pluralize(len(result.hits), "figure or table", "figures and tables") if result.hits else ""
    how = (result.method, *result.models) if explain else ()
    out.line((" · ".join(filter(None, (number, *how, f"{result.took:.2f} s"))), "dim"))


def _show_hit(out: Printer, hit: FigureHit, explain: bool) -> None:
    figure, paper = hit.figure, hit.figure.paper
    page = f"p. {figure.page}" if figure.page else ""
    name = (figure.label or figure.kind.capitalize()) + _panel_label(hit)
    out.line(f"{hit.rank:>3}  ", (one_line(name), "title"), f" · {one_line(paper.heading)}")
    details = (paper.byline, str(paper.year or ""), page, figure.shows)
    out.line(one_line(" · ".join(filter(None, details))), indent=INDENT)
    if explain:
        factors = "  ".join(f"{name} {value:.3g}" for name, value in hit.factors.items())
        out.line((f"score {hit.score:.2f}: {factors}".removesuffix(": "), "dim"), indent=INDENT)


def _panel_label(hit: FigureHit) -> str:
    """Which panel it is, if it is one."""
    return f" ({hit.panel.label or 'a panel'})" if hit.panel else ""


def show(out: Printer, card: FigureCard, *, picture: str = "") -> None:
    """A figure with the sentences that mention it and a table's cells; `picture`: where its picture is."""
    figure, paper = card.figure, card.figure.paper
    kind = f"{figure.kind}, {figure.shows} ({figure.probability:.2f})" if figure.shows else figure.kind
    page = f"p. {figure.page}" if figure.page else ""
    out.line((one_line(figure.label) or figure.kind.capitalize(), "title"), f" · {one_line(paper.heading)}")
    out.line((one_line(" · ".join(filter(None, (figure.id, paper.label, page, kind)))), "dim"))
    out.fold(figure.caption, indent=2)
    show_cells(out, card.cells)
    for span in card.said:
        at = f"p. {span.places[0].page}: " if span.places else ""
        out.fold(f"{at}{span.text}", indent=4)
        out.line((span.id, "dim"), indent=4)
    if picture:
        out.line(out.remedy(picture))


def show_cells(out: Printer, rows: Sequence[Sequence[str]]) -> None:
    """A table's cells in columns; long ones are cut, and are whole in --json."""
    cut_rows = [[one_line(cell)[:_CELL] for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cut_rows, strict=True)]
    for row in cut_rows:
        out.line("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip(), indent=4)


def encode(out: Printer, papers: int) -> None:
    """How many papers were encoded."""
    out.line(f"Encoded the figures of {pluralize(papers, 'paper')}.")
