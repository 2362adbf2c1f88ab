"""Tables that are kept: their columns, and the cells of their papers with the sentences as the catalog has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from conspectus.core.errors import NotFoundError
from conspectus.core.groups import grouped
from conspectus.core.text import line
from conspectus.records import Citation, Paper, Passage
from conspectus.records.paper import label_papers
from conspectus.records.review import BY_WORDS, PaperRow, Review, ReviewEntry, TableCell, TableColumn
from conspectus.review import sql
from conspectus.session.session import Session
from conspectus.store.catalog import Catalog

BY_MODEL = "model:"
_BATCH = 50
"""Papers that are loaded at a time."""
_UNREAD = TableCell("", why="It was not read yet.")
_CHANGED = "The paper has changed since: run the table again."


def columns_of(review: Review) -> tuple[TableColumn, ...]:
    """The columns of a table."""
    return tuple(
        TableColumn(row["name"], row["kind"], row["unit"], tuple(row["choices"])) for row in review.spec["columns"]
    )


def columns_spec(columns: Sequence[TableColumn]) -> dict[str, Any]:
    """What a table asks, as it is stored."""
    return {"columns": [asdict(column) for column in columns]}


def find_column(columns: Sequence[TableColumn], name: str) -> TableColumn:
    """The column of a name, in any case.

    Raises:
        NotFoundError: there is none.
    """
    folded_name = line(name).casefold()
    match = next((column for column in columns if column.name.casefold() == folded_name), None)
    if match is None:
        known = ", ".join(column.name for column in columns)
        raise NotFoundError(f"The table has no column '{line(name)}'.", f"It has: {known}.")
    return match


def pick_entries(entries: Iterable[ReviewEntry]) -> dict[str, ReviewEntry]:
    """The entry that a cell shows, by column: the last edit by a person, else a model's, else a proposal."""
    picked: dict[str, ReviewEntry] = {}
    for entry in entries:  # the newest last
        known = picked.get(entry.field)
        if known is None or _weight(entry) >= _weight(known):
            picked[entry.field] = entry
    return picked


def is_edit(entry: ReviewEntry) -> bool:
    """Whether a person gave it."""
    return entry.by != BY_WORDS and not entry.by.startswith(BY_MODEL)


def _weight(entry: ReviewEntry) -> int:
    return 2 if is_edit(entry) else int(entry.by.startswith(BY_MODEL))


def load_rows(session: Session, review: Review, paper_ids: Sequence[str]) -> Iterator[PaperRow]:
    """The rows of papers, in this order, a few papers in memory at a time."""
    columns = columns_of(review)
    for start in range(0, len(paper_ids), _BATCH):
        yield from _load_batch(session.catalog, review, columns, paper_ids[start : start + _BATCH])


def _load_batch(
    catalog: Catalog, review: Review, columns: Sequence[TableColumn], paper_ids: Sequence[str]
) -> Iterator[PaperRow]:
    keys = catalog.keys_of(paper_ids)
    papers = catalog.papers_by_key(list(keys.values()))
    stored = grouped(
        (stored_passage.paper_key, stored_passage.passage)
        for stored_passage in catalog.passages_of(list(keys.values())).values()
    )
    labels = label_papers(papers.values())
    for name, key in keys.items():
        if key in papers:
            picked = pick_entries(sql.entries_of(catalog, review, paper=name))
            passages = sorted(stored.get(key, []), key=lambda passage: passage.ordinal)
            paper = papers[key]
            cells = (make_cell(column, picked.get(column.name), paper, passages, labels[name]) for column in columns)
            yield PaperRow(paper, tuple(cells))


def make_cell(
    column: TableColumn, entry: ReviewEntry | None, paper: Paper, passages: Sequence[Passage], label: str
) -> TableCell:
    """A cell as it is shown. If its sentences are gone, it counts as unread."""
    if entry is None:
        return replace(_UNREAD, column=column.name)
    value: Mapping[str, Any] = entry.value
    citations = cite(paper, passages, value["spans"], label)
    cell = TableCell(
        column.name,
        value["value"],
        value["unit"],
        value["status"],
        value["why"],
        value["number"],
        citations,
        entry.by,
    )
    if value["spans"] and not citations and not is_edit(entry):
        return TableCell(column.name, why=_CHANGED, by=entry.by)
    return cell


def cite(paper: Paper, passages: Sequence[Passage], span_ids: Sequence[str], label: str) -> tuple[Citation, ...]:
    """The sentences of these ids, each in the first passage that has it."""
    left, citations = set(span_ids), []
    for passage in passages:
        spans = tuple(span for span in passage.spans if span.id in left)
        left -= {span.id for span in spans}
        if spans:
            citations.append(Citation(paper, passage.id, spans, " … ".join(span.text for span in spans), label))
    return tuple(citations)


def cell_entry(paper: str, cell: TableCell, spans: Sequence[str], digest: str = "") -> ReviewEntry:
    """A cell as it is stored: with the ids of its sentences, and a digest of what it was made from."""
    value = {
        "value": cell.value,
        "unit": cell.unit,
        "status": cell.status,
        "why": cell.why,
        "number": cell.number,
        "spans": list(spans),
        "of": digest,
    }
    return ReviewEntry(paper, cell.column, cell.by, value)
