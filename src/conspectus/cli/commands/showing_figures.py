"""`show FIGURE`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from conspectus.cli.state import State
from conspectus.cli.typed import typed
from conspectus.core.errors import ConspectusError
from conspectus.faces.printer import Printer, one_line
from conspectus.records.figures import FigureCard
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.library import Library

_CELL = 40
"""Characters of a table's cell that are shown."""


def show_figure(state: State, name: str) -> None:
    """Tell of a figure, by its id, and where its picture is kept."""
    with state.library() as library:
        card = library.figure(name)
        path, why = _picture(library, name)
    state.tell(lambda: encode.body(card) | {"path": path, "why": why}, lambda out: _show(out, card, path or why))


def _picture(library: Library, name: str) -> tuple[str | None, str]:
    """The file of a figure's picture, or why there is none."""
    try:
        return str(library.figure_file(name)), ""
    except ConspectusError as error:
        return None, f"{error.message} {error.hint}".strip()


def _show(out: Printer, card: FigureCard, picture: str) -> None:
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
    out.line(typed(picture))


def show_cells(out: Printer, rows: Sequence[Sequence[str]]) -> None:
    """A table's cells in columns; long ones are cut, and are whole in --json."""
    shown = [[one_line(cell)[:_CELL] for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        out.line("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip(), indent=4)
