"""Which rows of a table are shown, and in which order: `dose > 5 mg`, `material ~ silica`, `age is unconfirmed`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from conspectus.core.errors import UsageError
from conspectus.records.review import CellStatus, Review, ReviewEntry, TableColumn
from conspectus.review import sql
from conspectus.review.table.cell_edits import parse_value
from conspectus.review.table.cell_values import read_numbers, sort_number
from conspectus.review.table.columns import column_text
from conspectus.review.table.measures import measure_of
from conspectus.review.table.tables import columns_of, find_column, pick_entries
from conspectus.session.session import Session

_SIGN = re.compile(r"<=|>=|!=|=|<|>|~|≤|≥|≠|\bis\b")
_ALSO = {"≤": "<=", "≥": ">=", "≠": "!="}
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": lambda mine, theirs: mine < theirs,
    "<=": lambda mine, theirs: mine <= theirs,
    ">": lambda mine, theirs: mine > theirs,
    ">=": lambda mine, theirs: mine >= theirs,
    "=": lambda mine, theirs: mine == theirs,
    "!=": lambda mine, theirs: mine != theirs,
}
FORM = 'Write "COLUMN > 5 mg" (or < <= >= = !=), "COLUMN ~ words", or "COLUMN is unconfirmed".'
Values = Mapping[str, ReviewEntry]
"""What each paper has in a column, by its id."""


@dataclass(frozen=True, slots=True)
class RowCondition:
    """A condition on the cells of one column; cells without a value meet none but `is` and `!=`."""

    column: TableColumn
    sign: str
    text: str
    number: float | None = None

    def holds(self, entry: ReviewEntry | None) -> bool:
        """Whether a cell meets it."""
        status, value = (entry.value["status"], entry.value["value"]) if entry else ("unread", "")
        if self.sign == "is":
            return bool(status == self.text)
        words, target = str(value).casefold(), self.text.casefold()
        if self.sign == "~":
            return target in words
        if self.number is None:
            return _COMPARISONS[self.sign](words, target)
        number = entry.value["number"] if entry else None
        return self.sign == "!=" if number is None else _COMPARISONS[self.sign](number, self.number)


def parse_condition(columns: Sequence[TableColumn], text: str) -> RowCondition:
    """A condition on rows.

    Raises:
        UsageError: it is none, or compares a number with what is none.
        NotFoundError: there is no such column.
    """
    parts = [
        (text[: sign.start()].strip(), _ALSO.get(sign[0], sign[0]), text[sign.end() :].strip())
        for sign in _SIGN.finditer(text)
    ]
    parts = [part for part in parts if part[0] and part[2]]
    if not parts:
        raise UsageError(f"'{text}' is no condition on rows.", FORM)
    names = {column.name.casefold() for column in columns}
    name, sign, value = next((part for part in parts if part[0].casefold() in names), parts[0])
    column = find_column(columns, name)
    if value[0] in "<>=!~≤≥≠":
        raise UsageError(f"'{text}' has two signs of comparison, one after the other.", FORM)
    if sign == "is":
        if value not in get_args(CellStatus):
            raise UsageError(f"No cell is '{value}'.", f"A cell is one of: {', '.join(get_args(CellStatus))}.")
        return RowCondition(column, sign, value)
    if sign == "~" or column.kind not in ("number", "count"):
        if sign in ("<", "<=", ">", ">="):
            raise UsageError(f"The column '{column_text(column)}' has no numbers to compare.", FORM)
        return RowCondition(column, sign, value if sign == "~" else parse_value(column, value).value)
    folded, numbers = read_numbers(value)
    rest = (
        "".join((folded.text[: numbers[0].start], folded.text[max(numbers[0].end, numbers[0].unit_end) :]))
        if numbers
        else ""
    )
    if len(numbers) != 1 or rest.strip(" +") not in ("", "-", column.unit):
        raise UsageError(f"'{value}' is no number with a unit that is known.", FORM)
    number = numbers[0]
    if number.unit is None and column.unit:
        return RowCondition(column, sign, value, number.value)
    if number.unit is not None and not measure_of(column).takes(number.unit):
        raise UsageError(f"'{value}' has a unit that the column '{column_text(column)}' has not.", FORM)
    return RowCondition(column, sign, value, sort_number(column, number))


def check_view(columns: Sequence[TableColumn], sort: str, where: Sequence[str]) -> None:
    """See that a table with these columns can be shown so, before it is read; raises as `select_papers`."""
    for text in where:
        parse_condition(columns, text)
    if sort:
        find_column(columns, sort.removeprefix("-"))


def select_papers(session: Session, review: Review, where: Sequence[str], sort: str) -> list[str]:
    """The ids of the papers of a table that meet all conditions, sorted by a column: `-COLUMN` from high to low.

    Papers whose cell has no value come last; equal ones keep their order.

    Raises:
        UsageError, NotFoundError: as `parse_condition`.
    """
    columns = columns_of(review)
    conditions = [parse_condition(columns, text) for text in where]
    papers = list(sql.papers_of(session.catalog, review))
    for condition in conditions:
        values = _values(session, review, condition.column)
        papers = [name for name in papers if condition.holds(values.get(name))]
    if not sort:
        return papers
    descending = sort.startswith("-")
    column = find_column(columns, sort.removeprefix("-"))
    values = _values(session, review, column)
    keys = {name: _sort_key(column, values.get(name)) for name in papers}
    known = [name for name in papers if keys[name] is not None]
    return sorted(known, key=lambda name: keys[name], reverse=descending) + [
        name for name in papers if keys[name] is None
    ]


def _sort_key(column: TableColumn, entry: ReviewEntry | None) -> Any:
    if entry is None:
        return None
    value = entry.value["number"] if column.kind in ("number", "count") else str(entry.value["value"]).casefold()
    return None if value in ("", None) else value


def _values(session: Session, review: Review, column: TableColumn) -> dict[str, ReviewEntry]:
    by_paper: dict[str, list[ReviewEntry]] = {}
    for entry in sql.entries_of(session.catalog, review, field=column.name):
        by_paper.setdefault(entry.paper, []).append(entry)
    return {paper: pick_entries(entries)[column.name] for paper, entries in by_paper.items()}
