"""Tables to rows that can be read alone: each says which table it is of, its label, and what stands in which column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from conspectus.records import Cell, Figure, Place

LONGEST_ROW = 600
"""Characters from which on a row is told in several pieces, each with its label."""

_MOST_HEADS = 3
_ABOVE = " – "
"""Between what stands above several columns and what stands above each."""
_SHORT = 1
"""A name of so many characters above others has them as its indices."""

_NUMBER = re.compile(r"[<>≤≥~≈±+\-−‐–—(\[]*\s*[.·]?\d")
_WORD = re.compile(r"[^\W\d_]{3}")

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table, or a piece of a long one.

    Attributes:
        text: "Table 2, row Perth (Location): Amplitude = 2.0; Noise SD = 4.3".
        cells: the names of columns with what stands in them, the row's label first; empty cells are left out.
        places: where the row stands, or, where that is not known, the table; empty where there are no pages.
    """

    text: str
    cells: tuple[Cell, ...]
    places: tuple[Place, ...] = ()


def table_rows(table: Figure) -> list[TableRow]:
    """The rows of a table that hold data, from top to bottom; none where its cells are not known."""
    rows = [tuple(" ".join(cell.split()) for cell in row) for row in table.cells]
    if len(rows) < 2 or len(rows[0]) < 2:
        return []
    first = 1 if len(rows) > 2 and all(rows[0]) and _group(rows[0]) else 0
    heads = first + _heads(rows[first:])
    names = _names(rows[first:heads])
    found: list[TableRow] = []
    group, label = rows[0][0] if first else "", ""
    for number, row in enumerate(rows[heads:], heads):
        if names and row[0] and row[0] == rows[heads - 1][0] and not any(map(_is_number, row)):
            names, group, label = _names([row]), "", ""  # the head again, or another one
        elif alone := _group(row):
            group, label = alone, ""
        elif any(row):
            label = row[0] or label
            found += _told(table, number, names, group, (label, *row[1:]))
    return found


def _heads(rows: Sequence[Row]) -> int:
    """How many rows at the top say what stands below them."""
    if _is_number(rows[0][0]):
        return 0
    count = 1
    while count < min(_MOST_HEADS, len(rows) - 1) and _goes_on(rows, count):
        count += 1
    return count


def _goes_on(rows: Sequence[Row], count: int) -> bool:
    """Whether the row after `count` rows of heads is one, too."""
    row, above = rows[count], rows[count - 1]
    if len(set(filter(None, row[1:]))) == 0 or (_group(row) and not _is_number(row[0])):
        return False
    spans = any(one == other for one, other in pairwise(above[1:]))
    if not row[0]:
        return spans or not any(map(_is_number, row))
    if rows[0][0] or any(map(_is_number, row[1:])):
        return False
    if spans:
        return any(map(_is_number, rows[count + 1][1:]))
    said = [cell for cell in row[1:] if cell]
    below = [cell for other in rows[count + 1 :] for cell in other[1:] if cell]
    return 2 * sum(_WORD.search(cell) is not None for cell in said) > len(said) and 2 * sum(
        map(_is_number, below)
    ) > len(below)


def _names(heads: Sequence[Row]) -> tuple[tuple[str, str], ...]:
    """Of each column, what stands above it and its neighbours, and its own name."""
    if not heads:
        return ()
    own = heads[-1]
    upper = [_spread(row, own) for row in heads[:-1]]
    found = []
    for column, name in enumerate(own):
        above = [text for text, _ in groupby(row[column] for row in upper) if text and text != name]
        joined = _ABOVE.join(above)
        if not name:
            found.append(("", joined))
        elif len(joined) <= _SHORT or all(all(row[1:]) and len(set(row)) == len(row) for row in upper):
            found.append(("", " ".join((*above, name))))  # a name on several lines, or with an index
        else:
            found.append((joined, name))
    return tuple(found)


def _spread(row: Row, below: Row) -> Row:
    """An upper head with its names over all columns that they span, where only one says it.

    Where the columns below repeat (original, reproduction, original, reproduction), each name is of as many.
    """
    names = [cell for cell in row[1:] if cell]
    if not names or all(row[1:]) or len(names) < len(set(names)):
        return row
    size, rest = divmod(len(below) - 1, len(names))
    if len(names) > 1 and not rest and below[1:] == below[1 : 1 + size] * len(names):
        return (row[0], *(name for name in names for _ in range(size)))
    found = [row[0]]
    for cell in row[1:]:
        found.append(cell or (found[-1] if len(found) > 1 else ""))
    return tuple(found)


def _group(row: Row) -> str:
    """What a row says that is a heading within the table: one text in its first cells, or the same in all."""
    said = set(filter(None, row))
    if len(row) < 3 or len(said) != 1 or not (row[0] or row[1]) or (any(row[2:]) and not all(row)):
        return ""
    return said.pop()


def _told(table: Figure, number: int, names: Sequence[tuple[str, str]], group: str, row: Row) -> Iterator[TableRow]:
    """A row, in pieces of about `LONGEST_ROW` characters."""
    first = names[0][1] if names else ""
    label = f"row {row[0]}" + (f" ({first})" if first and row[0] else "") if row[0] else f"row {number}"
    begin = ", ".join(part for part in (table.label or "Table", group, label) if part)
    key = ((first, row[0]),) if row[0] else ()
    piece: list[tuple[str, str, str]] = []
    length = 0
    for (above, name), cell in zip((names or (("", ""),) * len(row))[1:], row[1:], strict=True):
        if not cell:
            continue
        if piece and length + len(above) + len(name) + len(cell) > LONGEST_ROW:  # what is above is said again
            yield _row(table, number, begin, key, piece)
            piece, length = [], 0
        piece.append((above, name, cell))
        length += len(name) + len(cell) + 5
    if piece:
        yield _row(table, number, begin, key, piece)


def _row(
    table: Figure, number: int, begin: str, key: tuple[Cell, ...], piece: Sequence[tuple[str, str, str]]
) -> TableRow:
    said = []
    for above, columns in groupby(piece, key=lambda one: one[0]):
        each = "; ".join(f"{name} = {cell}" if name else cell for _, name, cell in columns)
        said.append(f"{above}{_ABOVE}{each}" if above else each)
    cells = tuple((_ABOVE.join(filter(None, (above, name))), cell) for above, name, cell in piece)
    return TableRow(f"{begin}: {'; '.join(said)}", (*key, *cells), _places(table, number))


def _places(table: Figure, number: int) -> tuple[Place, ...]:
    if table.place is None:
        return ()
    return (Place(table.place.page, table.rows[number]),) if len(table.rows) == len(table.cells) else (table.place,)


def _is_number(cell: str) -> bool:
    return _NUMBER.match(cell) is not None
