"""How tables of a review look in a terminal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.records.review import BY_WORDS
from conspectus.review.table.export import FINE

if TYPE_CHECKING:
    from conspectus.faces.printer import Part, Printer
    from conspectus.records.review import PaperRow, ReviewTable, TableCell

_STYLES = {"unconfirmed": "bad", "proposed": "match", "judged": "match", "unread": "dim", "not stated": "dim"}

_MOST_WHYS = 3
"""Reasons why cells are unread, each told once for all rows shown."""


def table(out: Printer, review_table: ReviewTable) -> None:
    """The rows, each cell with its mark and its sentences, and what this call did."""
    if review_table.document:
        out.text(review_table.document)
        return
    if review_table.written:
        out.line(f"Wrote {pluralize(review_table.total, 'row')} to {review_table.written}.")
        return
    for number, row in enumerate(review_table.rows, review_table.offset + 1):
        _show_row(out, number, row)
    _show_counts(out, review_table)


def table_show(out: Printer, review_table: ReviewTable) -> None:
    """As `table`."""
    table(out, review_table)


def table_add(out: Printer, review_table: ReviewTable) -> None:
    """As `table`."""
    table(out, review_table)


def table_rerun(out: Printer, review_table: ReviewTable) -> None:
    """As `table`."""
    table(out, review_table)


def table_edit(out: Printer, cell: TableCell) -> None:
    """The cell as it is now."""
    _show_cell(out, cell)


def _show_row(out: Printer, number: int, row: PaperRow) -> None:
    cells = [row.paper.id, *(f"{cell.text} ({_describe(cell)})" for cell in row.cells)]
    if out.width is None:
        out.row([one_line(cell) for cell in cells])
        return
    out.fold(f"{number}. {one_line(row.paper.heading)}")
    for cell in row.cells:
        _show_cell(out, cell)
    out.line()


def _show_cell(out: Printer, cell: TableCell) -> None:
    text = one_line(cell.text)
    mark = "" if cell.status in FINE - {"not stated"} else f" ({_describe(cell)})" if text else _describe(cell)
    parts: list[Part] = [f"{one_line(cell.column)}: ", (text, "title"), (mark, _STYLES.get(cell.status, "dim"))]
    if cell.status == "edited":
        parts.append((f" (edited by {one_line(cell.by)})", "dim"))
    out.line(*parts, indent=3)
    if cell.why and cell.status != "unread":
        out.fold(cell.why, 5, lambda line: [(line, "dim")])
    for citation in cell.citations:
        out.fold(f"“{one_line(citation.quote)}” {citation.marker}", indent=5)


def _describe(cell: TableCell) -> str:
    """The status; of a cell that was read without a model, in which nothing was found, that."""
    return "nothing proposed" if cell.status == "unread" and cell.by == BY_WORDS else cell.status


def _show_counts(out: Printer, review_table: ReviewTable) -> None:
    if not review_table.papers:
        out.line("No paper passes the filters: the table is empty.")
    elif not review_table.total:
        out.line(f"None of {pluralize(review_table.papers, 'row')} meets the conditions.")
    elif len(review_table.rows) < review_table.total:
        out.line(
            (
                f"{len(review_table.rows)} of {pluralize(review_table.total, 'row')}; -n shows more, --to writes all.",
                "dim",
            )
        )
    whys = Counter(
        (_describe(cell), cell.why)
        for row in review_table.rows
        for cell in row.cells
        if cell.status == "unread" and cell.why
    )
    of_these = " of these rows" if len(review_table.rows) < review_table.total else ""
    for (status, why), count in whys.most_common(_MOST_WHYS):
        out.line((f"{pluralize(count, 'cell')}{of_these} {status}: {one_line(why)}", "dim"))
    for paper, why in list(review_table.failed.items())[:5]:
        out.line((f"{paper} could not be read", "bad"), f": {one_line(why)}")
    if review_table.stopped:
        out.advise(f"{review_table.stopped} Run it again to continue.")
    name = one_line(review_table.name)
    by = f" by {one_line(review_table.model)}" if review_table.model else ""
    read = f": {pluralize(review_table.read, 'cell')} read now{by}" if review_table.read else ""
    out.line((f"Table {name} ({review_table.id}){read}", "dim"))
