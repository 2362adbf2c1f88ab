"""Tables of records: our own fields, and the CSV and tab-delimited exports of databases (`dialects`).

The header may stand behind lines about the export. Where the fields stand in the first column (Embase's "fields by
row"), each block of rows is a record.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Literal

from conspectus.core.errors import InputError
from conspectus.parse.bibliography.dialects import SHARED_KEYS, Dialect, column_key, dialect_of
from conspectus.parse.bibliography.field_map import paper_of_values
from conspectus.parse.bibliography.fields import canonical
from conspectus.parse.bibliography.records import RecordItems, item_of_record
from conspectus.parse.files.streams import MAX_LINE, MAX_TOTAL, Source, encoding_of, text_lines
from conspectus.parse.protocol import BadRecord, Item
from conspectus.records import ParsedPaper

_MOST_AGAIN = 128 * 2**20
"""So many characters are read again in all, behind quotes without end."""

_NO_END = "A quote opens in it that does not end; write a quote inside a cell twice, or leave it out."


@dataclass(frozen=True, slots=True)
class RecordRow:
    """A row: where it begins, its cells, why it cannot be read, and whether it was read again behind a bad one."""

    where: str
    cells: list[str] = field(default_factory=list)
    wrong: str = ""
    is_repeat: bool = False


class TableRows:
    """The rows of lines of text, in order.

    Args:
        before: how many lines stand above them.
        quoted: whether a cell may stand in quotation marks.
    """

    def __init__(self, lines: Iterator[str], delimiter: str, before: int, *, quoted: bool = True) -> None:
        self._lines = lines
        self._waiting: deque[str] = deque()
        self._row_lines: list[str] = []
        self._ended = False
        self._delimiter = delimiter
        self._space = re.compile(f'" +(?=[{delimiter}\\r\\n])')
        self._last = before
        self._again_until = 0
        self._spent = 0
        self._quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
        self._rows = self._reader()

    def __iter__(self) -> Iterator[RecordRow]:
        return self

    def __next__(self) -> RecordRow:
        """The next row, which may be empty."""
        self._row_lines, self._ended = [], False
        cells: list[str] = []
        wrong = ""
        try:
            cells = next(self._rows)
        except csv.Error as error:
            wrong = f"It is not a row of a table: {error}."
        begin = self._last + 1
        if self._ended or (len(self._row_lines) > 1 and (wrong or not self._closes_well())):
            wrong = _NO_END
        is_repeat = begin <= self._again_until
        self._last += len(self._row_lines)
        if wrong and len(self._row_lines) > 1:
            self._put_back()
        return RecordRow(f"line {begin}", cells, wrong, is_repeat)

    def _reader(self) -> Iterator[list[str]]:
        return csv.reader(self._feed(), delimiter=self._delimiter, quoting=self._quoting)

    def _feed(self) -> Iterator[str]:
        while True:
            line = self._waiting.popleft() if self._waiting else next(self._lines, None)
            if line is None:
                self._ended = True  # in the middle of a row, if the row is given all the same
                return
            self._row_lines.append(line)
            yield line

    def _closes_well(self) -> bool:
        """Whether each quote of a row over several lines ends at the end of a cell: a stray one ends inside a word."""
        tidy = [self._space.sub('"', line) for line in self._row_lines]
        try:
            list(csv.reader(tidy, delimiter=self._delimiter, strict=True))
        except csv.Error:
            return False
        return True

    def _put_back(self) -> None:
        """All lines but the first are read again, as far as there is patience."""
        rest = self._row_lines[1:]
        self._spent += sum(map(len, rest))
        if self._spent > _MOST_AGAIN:
            return
        self._again_until = max(self._again_until, self._last)
        self._last -= len(rest)
        self._waiting.extendleft(reversed(rest))
        self._rows = self._reader()


_GUARDED = re.compile(r"'+[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
_SEPARATOR_LINE = re.compile(r"\s*\"?sep=(?P<sign>.)\"?\s*", re.I | re.S)
_HEAD_LINES = 40
"""The header is looked for in so many lines."""


@dataclass(frozen=True, slots=True)
class _Header:
    """Where the header stands and what it says. Without a dialect the columns are our own fields."""

    line: int
    delimiter: str
    columns: list[str]
    dialect: Dialect | None = None
    by_rows: bool = False

    @property
    def is_quoted(self) -> bool:
        """Whether cells may stand in quotation marks: between commas they always may."""
        return self.delimiter != "\t" or self.dialect is None or self.dialect.quoted


def read_table(path: Path, max_line: int = MAX_LINE, max_total: int = MAX_TOTAL) -> Iterator[Item]:
    """The papers and bad records of a table separated by commas, semicolons or tabs, plain or compressed, in order."""
    encoding = encoding_of(path, max_total)
    source = Source(path, max_total)
    csv.field_size_limit(max_line)
    lines = text_lines(source, encoding, max_line, path.name)
    return RecordItems(_items(lines, path.name, encoding == "cp1252"), source, path.name)


def is_export(text: str) -> bool:
    """Whether a text begins as a table exported by a database does, which may be called `.txt`."""
    lines = text.splitlines(keepends=True)[:_HEAD_LINES]
    header = _find_header(lines)
    if header is None or header.dialect is None or header.by_rows:
        return False
    known = {column_key(column) for column in header.columns} & header.dialect.column_keys
    rows = TableRows(iter(lines[header.line :]), header.delimiter, header.line, quoted=header.is_quoted)
    first_row = next(islice(rows, 1, None), None)
    return len(known) > 3 and first_row is not None and len(first_row.cells) * 2 > len(header.columns)


def _items(lines: Iterator[str], name: str, guessed: bool) -> Iterator[Item]:
    head = list(islice(lines, _HEAD_LINES))
    header = _find_header(head) or _first_line(head)
    rows = TableRows(chain(head[header.line :], lines), header.delimiter, header.line, quoted=header.is_quoted)
    if header.by_rows and header.dialect:
        items = _items_by_rows(rows, header.dialect)
    else:
        next(rows, None)
        if header.dialect is None:
            _check_header(header.columns, name)
        items = _items_by_columns(rows, header)
    for item in items:
        if guessed and isinstance(item, ParsedPaper) and not str(item.metadata).isascii():
            note = "The table is not UTF-8 and was read as Windows-1252; letters with accents may be wrong."
            yield replace(item, warnings=(*item.warnings, note))
        else:
            yield item


def _find_header(lines: Sequence[str]) -> _Header | None:
    """The first row that names columns, or None."""
    sign = ""
    for number, line in enumerate(lines):
        if match := _SEPARATOR_LINE.fullmatch(line.lstrip("\ufeff")):
            sign = match["sign"]
        elif line.strip():
            is_first = not any(line.strip() for line in lines[:number]) or bool(sign)
            header = _read_header(lines, number, sign or max(",;\t", key=line.count), is_first=is_first)
            if header:
                return header
    return None


def _read_header(lines: Sequence[str], number: int, delimiter: str, *, is_first: bool) -> _Header | None:
    try:
        rows = list(islice(csv.reader(lines[number:], delimiter=delimiter), 3))
    except csv.Error:
        return None
    columns = [" ".join(cell.replace("\ufeff", "").split()) for cell in (rows[0] if rows else [])]
    first_cells = [row[0] for row in rows if row and row[0].strip()]
    dialect = dialect_of(first_cells) if len(first_cells) == 3 else None
    if dialect and len(columns) > 1 and all(column_key(cell) in dialect.column_keys for cell in first_cells):
        return _Header(number, delimiter, [], dialect, by_rows=True)
    known = canonical(dict.fromkeys(columns))
    dialect = dialect_of(columns)
    if dialect and not _is_own(known, columns, dialect):
        return _Header(number, delimiter, columns, dialect)
    if known.keys() & {"title", "abstract"} and (is_first or len(known) > 2):
        return _Header(number, delimiter, columns)
    return None


def _is_own(known: Mapping[str, str], columns: Sequence[str], dialect: Dialect) -> bool:
    """Whether a header that a dialect has names of has as many of ours."""
    ours = {column_key(name) for name in known.values()} - SHARED_KEYS
    theirs = {column_key(name) for name in columns} & dialect.own_keys
    return len(ours) >= len(theirs)


def _first_line(lines: Sequence[str]) -> _Header:
    """The first line that is not empty as a header, for want of another."""
    number = next((number for number, line in enumerate(lines) if line.strip()), 0)
    line = lines[number] if lines else ""
    delimiter = max(",;\t", key=line.count)
    row = next(TableRows(iter(lines[number:]), delimiter, number), RecordRow("", []))
    return _Header(number, delimiter, [" ".join(cell.split()) for cell in row.cells])


def _check_header(header: list[str], name: str) -> None:
    known = canonical(dict.fromkeys(header))
    if not known.keys() & {"title", "abstract"}:
        raise InputError(f"'{name}' has no column title or abstract.", "The first line must name the columns.")
    twice = sorted(column for column, count in Counter(header).items() if column and count > 1)
    if twice:
        raise InputError(f"'{name}' has more than one column '{twice[0]}'.", "Name each column once.")


def _items_by_columns(rows: TableRows, header: _Header) -> Iterator[Item]:
    for row in rows:
        if row.wrong:
            yield BadRecord(row.where, row.wrong)
        elif any(row.cells) and row.is_repeat and len(row.cells) != len(header.columns):
            yield BadRecord(row.where, "It follows an unclosed quotation mark and does not have one cell per column.")
        elif any(row.cells):
            yield _row_item(header, row.cells, row.where)


def _row_item(header: _Header, row: list[str], where: str) -> Item:
    columns = header.columns
    if len(row) > len(columns) and any(row[len(columns) :]):
        return BadRecord(where, f"It has {len(row)} cells, but there are {len(columns)} columns.")
    cells = [(name, _unguarded(cell)) for name, cell in zip(columns, row, strict=False) if name and cell.strip()]
    if header.dialect is None:
        return item_of_record(dict(cells), where)
    values: dict[str, list[str]] = {}
    for name, cell in cells:
        values.setdefault(name, []).append(cell)
    return paper_of_values(header.dialect, values, where)


def _items_by_rows(rows: TableRows, dialect: Dialect) -> Iterator[Item]:
    """Each block of rows is a record: it ends with an empty row, or where its first field comes again."""
    values: dict[str, list[str]] = {}
    where = ""
    for row in rows:
        if row.wrong:
            yield BadRecord(row.where, row.wrong)
            continue
        name = row.cells[0].strip() if row.cells else ""
        if values and (not any(row.cells) or name == next(iter(values))):
            yield paper_of_values(dialect, values, where)
            values = {}
        if name:
            where = where if values else row.where
            values.setdefault(name, []).extend(_unguarded(cell) for cell in row.cells[1:] if cell.strip())
    if values:
        yield paper_of_values(dialect, values, where)


def _unguarded(cell: str) -> str:
    """The cell without the `'` that keeps spreadsheets from taking it for a formula."""
    return cell[1:] if _GUARDED.match(cell) else cell
