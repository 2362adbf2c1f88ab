"""The cells of a table as rows of texts, what spans several places repeated in none but the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from conspectus.parse.blocks import MOST_CELLS, even_rows
from conspectus.parse.xml.load import Element

MAX_SPAN = 1_000
_CELLS = frozenset({"td", "th", "entry", "cell"})
_ROWS = frozenset({"tr", "row"})

Row = tuple[str, ...]


def rows_of(
    tables: Iterable[Element], text_of: Callable[[Element], str], *, repeated: bool = True
) -> tuple[tuple[Row, ...], bool]:
    """The rows of the tables one below the other, all of one length, and whether all of them are there.

    A cell over several columns or rows says its text in each of them, so that every row can be read alone, unless it
    is not to be `repeated`. Rows come as HTML (`tr`, `td`), CALS (`row`, `entry`) or TEI (`row`, `cell`) write them.
    """
    rows: list[Row] = []
    width = 0
    for table in tables:
        for row in _grid(table, text_of, repeated=repeated):
            if not any(row):
                continue
            if max(width, len(row)) * (len(rows) + 1) > MOST_CELLS:
                return even_rows(rows), False
            width = max(width, len(row))
            rows.append(row)
    return even_rows(rows), True


def _grid(table: Element, text_of: Callable[[Element], str], *, repeated: bool) -> Iterator[Row]:
    columns = {name: number for number, spec in enumerate(table.iter("colspec")) if (name := spec.get("colname"))}
    hanging: dict[int, tuple[int, str]] = {}  # column -> rows still to fill, text
    for row in table.iter(*_ROWS):
        if next(row.iterancestors("table", "tgroup"), None) is not table:
            continue
        cells: list[str] = []
        waiting, hanging = hanging, {}
        for cell in row:
            if cell.tag not in _CELLS:  # nor is a comment
                continue
            _fill(cells, waiting, hanging)
            text = text_of(cell)
            again = text if repeated else ""
            width, height = _width(cell, columns), _height(cell)
            for column in range(len(cells), len(cells) + width):
                if height > 1:
                    hanging[column] = (height - 1, again)
            cells += [text, *[again] * (width - 1)]
            if len(cells) > MOST_CELLS:
                break
        _fill(cells, waiting, hanging)
        yield tuple(cells)


def _fill(cells: list[str], waiting: dict[int, tuple[int, str]], hanging: dict[int, tuple[int, str]]) -> None:
    """Cells that hang down from rows above, as far as they are next."""
    while len(cells) in waiting:
        column = len(cells)
        rows, text = waiting.pop(column)
        if rows > 1:
            hanging[column] = (rows - 1, text)
        cells.append(text)


def _width(cell: Element, columns: dict[str, int]) -> int:
    first, last = (columns.get(cell.get(name, "")) for name in ("namest", "nameend"))
    if first is not None and last is not None and last >= first:
        return min(last - first + 1, MAX_SPAN)
    return _number(cell, "colspan", "cols")


def _height(cell: Element) -> int:
    return min(_number(cell, "morerows") + 1, MAX_SPAN) if cell.get("morerows") else _number(cell, "rowspan", "rows")


def _number(cell: Element, *names: str) -> int:
    text = next((value.strip() for name in names if (value := cell.get(name))), "")
    return min(max(int(text), 1), MAX_SPAN) if text.isascii() and text.isdigit() and len(text) < 6 else 1
