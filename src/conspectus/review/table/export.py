"""Tables as CSV, Excel, HTML and Markdown: values with their quotes, and marks on what is not confirmed.

Values and quotes are words of papers: CSV has a `'` before what a spreadsheet would compute, and Excel gets texts and
numbers only, never formulas.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.util import find_spec
from typing import Any

from conspectus.core.disk import explain_write_errors, replacing, user_path
from conspectus.core.errors import UnavailableError, UsageError
from conspectus.core.output import Output, csv_line, refuse_library_file, writing_to
from conspectus.core.text import line
from conspectus.records import Paper
from conspectus.records.review import PaperRow, TableCell, TableColumn

FORMATS = ("csv", "xlsx", "html", "md")
REMEDY = "Install it: pip install 'conspectus[review]'"
FINE = frozenset({"confirmed", "edited", "not stated"})
"""Cells that have no mark."""
_NUMBERS = ("number", "count")
_PAPER_COLUMNS = ("paper", "title", "authors", "year", "doi")
_MOST_COMMENT = 30_000
"""Characters of a comment in Excel, which takes 32,767."""
_MOST_CELL = 32_000
_FILLS = {"unconfirmed": "#F8CBAD", "proposed": "#FFF2CC", "judged": "#DDEBF7", "unread": "#EDEDED"}
_STYLE = (
    "body{font:15px/1.4 sans-serif;margin:2em}table{border-collapse:collapse}"
    "td,th{border:1px solid #999;padding:.3em .6em;vertical-align:top;text-align:left}"
    "q{display:block;font-size:85%;color:#444}.mark{font-size:80%;border:1px solid;padding:0 .3em;border-radius:.3em}"
    + "".join(f".{status}{{background:{fill}}}" for status, fill in _FILLS.items())
)
Rows = Iterable[PaperRow]


def write_table(name: str, columns: Sequence[TableColumn], rows: Rows, to: str, output: Output) -> int:
    """Write a table, row by row; returns how many there were.

    Raises:
        UsageError: there is no such format, Excel has no file to go to, or the file cannot be written.
        UnavailableError: the package that writes Excel is not installed.
    """
    check_export(to, output)
    if to == "xlsx":
        return _write_excel(name, columns, rows, output)
    writer: Mapping[str, Callable[[str, Sequence[TableColumn], Rows], Iterator[str]]] = {
        "csv": _csv_pieces,
        "html": _html_pieces,
        "md": _markdown_pieces,
    }
    count = 0
    with writing_to(output) as stream:
        pieces = writer[to](name, columns, rows)
        for number, piece in enumerate(pieces):  # the first piece is the head
            stream.write(piece)
            count = number
        stream.write(_HTML_END if to == "html" else "")
    return count


def check_export(to: str, output: Output) -> None:
    """See that a table can be written so, before it is read.

    Raises:
        UsageError, UnavailableError: as `write_table`.
    """
    if to not in FORMATS:
        raise UsageError(f"A table is not written as '{to}'.", f"There are: {', '.join(FORMATS)}.")
    if to == "xlsx" and find_spec("xlsxwriter") is None:
        raise UnavailableError("The package that writes Excel files is not installed.", REMEDY)
    if to == "xlsx" and not (isinstance(output, str | os.PathLike) and os.fspath(output)):
        raise UsageError("Excel is written to a file only.", "Name one: `output=table.xlsx`.")


_HTML_END = "</tbody></table></body></html>\n"


def _csv_pieces(_: str, columns: Sequence[TableColumn], rows: Rows) -> Iterator[str]:
    """A row for each paper, with a number in digits and in one unit beside what is written (`Forty`, `1,234`)."""
    heads = [
        f"{column.name}{part}"
        for column in columns
        for part in ("", " unit", *([" number"] if column.kind in _NUMBERS else []), " status", " quote", " place")
    ]
    yield csv_line([*_PAPER_COLUMNS, *heads])
    for row in rows:
        cells = (_csv_cell(cell, column) for cell, column in zip(row.cells, columns, strict=True))
        yield csv_line([*_paper_fields(row.paper), *(field for cell in cells for field in cell)])


def _csv_cell(cell: TableCell, column: TableColumn) -> tuple[str, ...]:
    where = "; ".join(citation.where for citation in cell.citations)
    number = ["" if cell.number is None else f"{cell.number:.12g}"] if column.kind in _NUMBERS else []
    return line(cell.value), cell.unit, *number, cell.status, line(cell.quote), where


def _paper_fields(paper: Paper) -> tuple[Any, ...]:
    names = "; ".join(author.name for author in paper.authors)
    return paper.id, line(paper.title), names, "" if paper.year is None else paper.year, paper.doi


def _html_pieces(name: str, columns: Sequence[TableColumn], rows: Rows) -> Iterator[str]:
    title = escape(line(name))
    heads = "".join(f"<th>{escape(column.name)}</th>" for column in columns)
    yield (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        f"</head><body><h1>{title}</h1>\n<table><thead><tr><th>Paper</th>{heads}</tr></thead><tbody>\n"
    )
    for row in rows:
        cells = "".join(map(_html_cell, row.cells))
        yield f"<tr><th>{_html_paper(row.paper)}</th>{cells}</tr>\n"


def _html_paper(paper: Paper) -> str:
    text = escape(line(paper.heading))
    return f'<a href="{escape(paper.link)}">{text}</a>' if paper.link else text


def _html_cell(cell: TableCell) -> str:
    mark = "" if cell.status in FINE else f' <span class="mark" title="{escape(cell.why)}">{cell.status}</span>'
    text = escape(line(cell.text)) or ("not stated" if cell.status == "not stated" else "")
    quotes = "".join(f"<q>{escape(line(citation.quote))}</q> {escape(citation.marker)}" for citation in cell.citations)
    return f'<td class="{cell.status.replace(" ", "-")}">{text}{mark}{quotes}</td>'


def _markdown_pieces(name: str, columns: Sequence[TableColumn], rows: Rows) -> Iterator[str]:
    heads = ["Paper", *(_markdown(column.name) for column in columns)]
    yield f"# {_markdown(name)}\n\n| {' | '.join(heads)} |\n|{' --- |' * len(heads)}\n"
    for row in rows:
        title = _markdown(row.paper.heading)
        first = f"[{title}](<{row.paper.link}>)" if row.paper.link else title
        yield f"| {' | '.join([first, *map(_markdown_cell, row.cells)])} |\n"


def _markdown_cell(cell: TableCell) -> str:
    mark = "" if cell.status in FINE else f" *({cell.status})*"
    text = _markdown(cell.text) or ("not stated" if cell.status == "not stated" else "")
    quotes = "".join(f"<br>“{_markdown(citation.quote)}” {_markdown(citation.marker)}" for citation in cell.citations)
    return f"{text}{mark}{quotes}".strip()


def _markdown(text: str) -> str:
    """A text on one line without what Markdown or HTML would read as its own."""
    plain = line(text).replace("\\", "\\\\")
    for sign in "|*_`[]#":
        plain = plain.replace(sign, f"\\{sign}")
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _write_excel(name: str, columns: Sequence[TableColumn], rows: Rows, output: Output) -> int:
    import xlsxwriter

    assert isinstance(output, str | os.PathLike)
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    buffer = io.BytesIO()
    with xlsxwriter.Workbook(buffer, options) as book:
        count = _fill_sheet(book, name, columns, rows)
    refuse_library_file(user_path(output))
    with explain_write_errors(output), replacing(user_path(output)) as part:
        part.write_bytes(buffer.getvalue())
    return count


def _fill_sheet(book: Any, name: str, columns: Sequence[TableColumn], rows: Rows) -> int:
    sheet = book.add_worksheet("Table")
    book.set_properties({"title": line(name)})
    bold = book.add_format({"bold": True, "text_wrap": True})
    fills = {status: book.add_format({"bg_color": fill}) for status, fill in _FILLS.items()}
    heads = [*_PAPER_COLUMNS, *(head for column in columns for head in _excel_heads(column))]
    for place, head in enumerate(heads):
        sheet.write_string(0, place, head, bold)
    sheet.freeze_panes(1, 2)
    count = 0
    for count, row in enumerate(rows, 1):
        for place, value in enumerate(_paper_fields(row.paper)):
            sheet.write_string(count, place, str(value)[:_MOST_CELL])
        place = len(_PAPER_COLUMNS)
        for column, cell in zip(columns, row.cells, strict=True):
            place = _write_excel_cell(sheet, count, place, column, cell, fills.get(cell.status))
    return count


def _excel_heads(column: TableColumn) -> tuple[str, ...]:
    return (column.name, f"{column.name} unit") if column.kind == "number" else (column.name,)


def _write_excel_cell(sheet: Any, row: int, place: int, column: TableColumn, cell: TableCell, fill: Any) -> int:
    """A value with its quote as a comment; returns the place of the next cell."""
    text = line(cell.value)[:_MOST_CELL] or ("not stated" if cell.status == "not stated" else "")
    number = _plain_number(text) if column.kind in ("number", "count") else None
    if number is None:
        sheet.write_string(row, place, text, fill)
    else:
        sheet.write_number(row, place, number, fill)
    lines = [f"{cell.status}{f': {cell.why}' if cell.why else ''}"] if cell.status not in FINE else []
    lines += [f"“{line(citation.quote)}” {citation.marker}" for citation in cell.citations]
    if lines:
        sheet.write_comment(row, place, "\n".join(lines)[:_MOST_COMMENT], {"x_scale": 3, "y_scale": 2})
    if column.kind == "number":
        sheet.write_string(row, place + 1, cell.unit[:_MOST_CELL], fill)
    return place + len(_excel_heads(column))


def _plain_number(text: str) -> float | None:
    """The number that a text is as a whole, in digits alone."""
    digits = text.replace(".", "", 1).removeprefix("-")
    return float(text) if digits.isascii() and digits.isdigit() and len(digits) <= 15 else None
