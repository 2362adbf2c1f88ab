"""Notes of users about papers."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from conspectus.catalog.answers import key_of, now
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.retention import hold
from conspectus.catalog.schema import notes, papers
from conspectus.core.errors import NotFoundError
from conspectus.records.curation import PaperNote

PREFIX = "note-"
_QUERY = select(notes, papers.c.id.label("paper")).join(papers, papers.c.key == notes.c.paper_key)


def listed(catalog: Catalog, paper_id: str = "") -> tuple[PaperNote, ...]:
    """The notes about a paper, or about all, in the order in which they were written."""
    query = _QUERY.where(papers.c.id == paper_id) if paper_id else _QUERY
    return tuple(_note(row) for row in catalog.rows(query.order_by(notes.c.key)))


def find(catalog: Catalog, name: str) -> PaperNote:
    """The note of an id, or of the beginning of one.

    Raises:
        NotFoundError: none, or more than one.
    """
    return _note(catalog.rows(_QUERY.where(notes.c.key == key_of(catalog, notes, "note", PREFIX, name)))[0])


def add(connection: Connection, note_id: str, paper_id: str, text: str) -> None:
    """Keep a note about a paper.

    Raises:
        NotFoundError: the paper was removed meanwhile.
    """
    there = hold(connection, [paper_id])
    if not there:
        raise NotFoundError("The paper was removed meanwhile.", "`list` shows the papers.")
    values = {"id": note_id, "paper_key": there[paper_id], "text": text, "made": now(), "updated": now()}
    connection.execute(insert(notes).values(values))


def change(connection: Connection, note_id: str, text: str) -> None:
    """Give a note another text."""
    connection.execute(update(notes).where(notes.c.id == note_id).values(text=text, updated=now()))


def remove(connection: Connection, note_id: str) -> None:
    """Delete a note."""
    connection.execute(delete(notes).where(notes.c.id == note_id))


def _note(row: Row[Any]) -> PaperNote:
    return PaperNote(row.id, row.paper, row.text, row.made, row.updated)
