"""Cells that people edit: what was given, by whom, over what was read; an empty value takes the edit away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.core.text import line
from conspectus.records import Paper, Passage
from conspectus.records.review import BY_WORDS, Review, TableCell, TableColumn
from conspectus.review import sql
from conspectus.review.table.cell_values import (
    LONGEST_VALUE,
    check_value,
    find_choice,
    read_numbers,
    sort_number,
    text_of_unit,
)
from conspectus.review.table.measures import measure_of
from conspectus.review.table.tables import BY_MODEL, cell_entry, columns_of, find_column, is_edit, load_rows
from conspectus.session.session import Session


def edit_cell(
    session: Session, review: Review, paper: Paper, column_name: str, value: str, by: str, spans: Sequence[str]
) -> TableCell:
    """Give a cell another value; returns it as it is then.

    Raises:
        NotFoundError: there is no such column, the paper is not in the table, or the paper has no such sentence.
        UsageError: the value does not fit the column, or nobody edits.
    """
    column = find_column(columns_of(review), column_name)
    if paper.id not in sql.papers_of(session.catalog, review):
        raise NotFoundError(f"'{paper.id}' is not in the table '{review.name}'.", "Make the table again to add it.")
    by, value = _checked_editor(by), line(value)
    if value:
        parsed_cell = parse_value(column, value)
        passages = list(session.catalog.passages(paper.id))
        cited = (
            _checked_spans(paper, passages, spans)
            if spans
            else _spans_with(session, review, paper, parsed_cell, column)
        )
        sql.keep_entries(session, review, [cell_entry(paper.id, replace(parsed_cell, by=by), cited)], instead=True)
    else:
        edits = sql.entries_of(session.catalog, review, field=column.name, paper=paper.id)
        sql.drop_entries(session, review, [entry.key for entry in edits if is_edit(entry)])
    return _cell_of(session, review, paper, column)


def _cell_of(session: Session, review: Review, paper: Paper, column: TableColumn) -> TableCell:
    (row,) = load_rows(session, review, [paper.id])
    return next(cell for cell in row.cells if cell.column == column.name)


def _checked_editor(by: str) -> str:
    name = line(by)
    if not name or name == BY_WORDS or name.startswith(BY_MODEL):
        raise UsageError(f"'{name}' is no name of a person.", "Say who edits, or leave `by` out.")
    return name


def parse_value(column: TableColumn, value: str) -> TableCell:
    """A value as an edited cell.

    Raises:
        UsageError: it does not fit the type of the column.
    """
    if len(value) > LONGEST_VALUE:
        raise UsageError(f"The value has {len(value):,} characters.", f"Give at most {LONGEST_VALUE}.")
    cell = TableCell(column.name, value, status="edited")
    if column.kind == "yes/no" and value.casefold() not in ("yes", "no"):
        raise UsageError(f"'{value}' is neither yes nor no.", "Give one of them.")
    if column.kind == "yes/no":
        return replace(cell, value=value.casefold())
    if column.kind == "choice":
        chosen = find_choice(column, value)
        if not chosen:
            raise UsageError(f"'{value}' is none of the choices.", f"There are: {', '.join(column.choices)}.")
        return replace(cell, value=chosen)
    return _parse_number(column, cell) if column.kind in ("number", "count") else cell


def _parse_number(column: TableColumn, cell: TableCell) -> TableCell:
    folded, numbers = read_numbers(cell.value)
    if not numbers:
        raise UsageError(f"'{cell.value}' is no number.", f"The column '{column.name}' has numbers.")
    first, last = numbers[0], numbers[-1]
    fits = first.unit is None if column.kind == "count" else measure_of(column).takes(first.unit)
    if not fits:
        unit = column.unit or "none" if column.kind == "count" else column.unit or "another"
        raise UsageError(f"'{cell.value}' does not have the unit of the column '{column.name}'.", f"It is {unit}.")
    number_text = folded.text[: last.end].strip()
    return replace(cell, value=number_text, unit=text_of_unit(last, folded), number=sort_number(column, first))


def _checked_spans(paper: Paper, passages: Sequence[Passage], spans: Sequence[str]) -> list[str]:
    known = {span.id for passage in passages for span in passage.spans}
    if missing := [name for name in spans if name not in known]:
        raise NotFoundError(f"'{paper.label}' has no sentence '{missing[0]}'.", "`show PAPER` lists its sentences.")
    return list(spans)


def _spans_with(
    session: Session, review: Review, paper: Paper, parsed_cell: TableCell, column: TableColumn
) -> list[str]:
    """The sentences that the cell has, if they have the new value."""
    cell = _cell_of(session, review, paper, column)
    texts = [span.text for citation in cell.citations for span in citation.spans]
    checked = check_value(column, parsed_cell.value, parsed_cell.unit, texts)
    has_value = checked.status in ("confirmed", "judged") and texts
    return [span.id for citation in cell.citations for span in citation.spans] if has_value else []
