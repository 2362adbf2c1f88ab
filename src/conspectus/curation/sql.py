"""Tags, collections, notes and highlights; what papers need to know of them is in `store.user_data`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, insert, select, update

from conspectus.core.errors import NotFoundError, UsageError
from conspectus.records.curation import Anchor, HighlightColor, PaperNote, SetKind
from conspectus.records.filters import set_term
from conspectus.store.codec import known_word, unpack_json
from conspectus.store.connection import CatalogReader, delete_where, find_key, insert_rows, utc_now
from conspectus.store.removal import drop_unused, lock_papers
from conspectus.store.schema import highlights, meta, notes, papers, set_papers, sets
from conspectus.store.user_data import missing_set, set_condition


def make_set(connection: Connection, kind: SetKind, set_id: str, name: str, made: str) -> str:
    """Begin a set, where there is none of this name; returns the id of the one there is then."""
    connection.execute(select(meta.c.value).where(meta.c.name == "catalog").with_for_update())  # one maker at a time
    known = _set_id(connection, kind, name)
    if known:
        return known
    connection.execute(insert(sets).values(id=set_id, kind=kind, name=name, term=set_term(name), made=made))
    return set_id


def find_set_id(connection: Connection, kind: SetKind, name: str) -> str:
    """The id of the set of a name or an id, as the transaction sees it.

    Raises:
        NotFoundError: there is none.
    """
    known = _set_id(connection, kind, name)
    if not known:
        raise missing_set(kind, name)
    return known


def _set_id(connection: Connection, kind: SetKind, name: str) -> str:
    term = set_term(name)
    query = select(sets.c.id).where(set_condition(kind, [term])).order_by(sets.c.id != term, sets.c.key)
    return connection.scalar(query.limit(1)) or ""


def rename_set(connection: Connection, set_id: str, name: str) -> None:
    """Give a collection another name.

    Raises:
        UsageError: another one has it.
    """
    same = (sets.c.kind == "collection") & (sets.c.term == set_term(name)) & (sets.c.id != set_id)
    if connection.scalar(select(sets.c.key).where(same)) is not None:
        raise UsageError(f"There is a collection '{name}' already.", "Choose another name, or put the papers into it.")
    connection.execute(update(sets).where(sets.c.id == set_id).values(name=name, term=set_term(name)))


def remove_set(connection: Connection, set_id: str) -> None:
    """Delete a set; its papers stay."""
    connection.execute(delete(sets).where(sets.c.id == set_id))


def put_in_set(connection: Connection, set_id: str, paper_ids: Iterable[str]) -> None:
    """Put papers into a set; those that are in it, or gone, are left out.

    Raises:
        NotFoundError: another has deleted the set meanwhile.
    """
    key = connection.scalar(select(sets.c.key).where(sets.c.id == set_id).with_for_update())
    if key is None:
        raise NotFoundError("It was deleted meanwhile.", "Make it again.")
    there = set(connection.scalars(select(set_papers.c.paper_key).where(set_papers.c.set_key == key)))
    new = [
        {"set_key": key, "paper_key": paper_key}
        for paper_key in lock_papers(connection, paper_ids).values()
        if paper_key not in there
    ]
    insert_rows(connection, set_papers, new)


def take_from_set(connection: Connection, set_id: str, paper_keys: Sequence[int]) -> None:
    """Take papers out of a set. A tag that no paper has is gone."""
    key = select(sets.c.key).where(sets.c.id == set_id).scalar_subquery()
    delete_where(connection, set_papers.c.paper_key, paper_keys, set_papers.c.set_key == key)
    drop_unused(connection)


NOTE_PREFIX = "note-"


_NOTES = select(notes, papers.c.id.label("paper")).join(papers, papers.c.key == notes.c.paper_key)


def list_notes(catalog: CatalogReader, paper_id: str = "") -> tuple[PaperNote, ...]:
    """The notes about a paper, or about all, in the order in which they were written."""
    query = _NOTES.where(papers.c.id == paper_id) if paper_id else _NOTES
    return tuple(_note(row) for row in catalog.rows(query.order_by(notes.c.key)))


def find_note(catalog: CatalogReader, name: str) -> PaperNote:
    """The note of an id, or of the beginning of one.

    Raises:
        NotFoundError: none, or more than one.
    """
    return _note(catalog.rows(_NOTES.where(notes.c.key == find_key(catalog, notes, "note", NOTE_PREFIX, name)))[0])


def add_note(connection: Connection, note_id: str, paper_id: str, text: str) -> None:
    """Keep a note about a paper.

    Raises:
        NotFoundError: the paper was removed meanwhile.
    """
    there = lock_papers(connection, [paper_id])
    if not there:
        raise NotFoundError("The paper was removed meanwhile.", "`list` shows the papers.")
    values = {"id": note_id, "paper_key": there[paper_id], "text": text, "made": utc_now(), "updated": utc_now()}
    connection.execute(insert(notes).values(values))


def change_note(connection: Connection, note_id: str, text: str) -> None:
    """Give a note another text."""
    connection.execute(update(notes).where(notes.c.id == note_id).values(text=text, updated=utc_now()))


def remove_note(connection: Connection, note_id: str) -> None:
    """Delete a note."""
    connection.execute(delete(notes).where(notes.c.id == note_id))


def _note(row: Row[Any]) -> PaperNote:
    return PaperNote(row.id, row.paper, row.text, row.made, row.updated)


HIGHLIGHT_PREFIX = "hl-"


@dataclass(frozen=True, slots=True)
class StoredHighlight:
    """A highlight as the catalog has it; `quote` and `anchor` as they were when it was made."""

    id: str
    paper: str
    color: HighlightColor
    quote: str
    note: str
    anchor: Anchor
    made: str
    updated: str


_HIGHLIGHTS = select(highlights, papers.c.id.label("paper")).join(papers, papers.c.key == highlights.c.paper_key)


def list_highlights(catalog: CatalogReader, paper_id: str = "") -> tuple[StoredHighlight, ...]:
    """The highlights in a paper, or in all, in the order in which they were made.

    Raises:
        LibraryDamagedError: one cannot be read.
    """
    query = _HIGHLIGHTS.where(papers.c.id == paper_id) if paper_id else _HIGHLIGHTS
    return tuple(_highlight(row) for row in catalog.rows(query.order_by(highlights.c.key)))


def find_highlight(catalog: CatalogReader, name: str) -> StoredHighlight:
    """The highlight of an id, or of the beginning of one.

    Raises:
        NotFoundError: none, or more than one.
    """
    key = find_key(catalog, highlights, "highlight", HIGHLIGHT_PREFIX, name)
    return _highlight(catalog.rows(_HIGHLIGHTS.where(highlights.c.key == key))[0])


def add_highlight(connection: Connection, highlight: StoredHighlight) -> None:
    """Keep a highlight.

    Raises:
        NotFoundError: the paper was removed meanwhile.
    """
    there = lock_papers(connection, [highlight.paper])
    if not there:
        raise NotFoundError("The paper was removed meanwhile.", "`list` shows the papers.")
    values = {name: getattr(highlight, name) for name in ("id", "color", "quote", "note", "made", "updated")}
    values |= {"paper_key": there[highlight.paper], "anchor": msgspec.json.encode(highlight.anchor).decode()}
    connection.execute(insert(highlights).values(values))


def put_highlight(connection: Connection, highlight: StoredHighlight) -> None:
    """Keep a highlight; if there is one of its id, that gets its colour and note.

    Raises:
        NotFoundError: the paper was removed meanwhile.
    """
    values = {name: getattr(highlight, name) for name in ("color", "note", "updated")}
    changed = connection.execute(update(highlights).where(highlights.c.id == highlight.id).values(values))
    if not changed.rowcount:
        add_highlight(connection, highlight)


def change_highlight(connection: Connection, highlight_id: str, color: HighlightColor | None, note: str | None) -> None:
    """Give a highlight another colour or note; None: it stays."""
    changes = {"color": color, "note": note, "updated": utc_now()}
    values = {name: value for name, value in changes.items() if value is not None}
    connection.execute(update(highlights).where(highlights.c.id == highlight_id).values(values))


def remove_highlight(connection: Connection, highlight_id: str) -> None:
    """Delete a highlight."""
    connection.execute(delete(highlights).where(highlights.c.id == highlight_id))


def _highlight(row: Row[Any]) -> StoredHighlight:
    color = known_word(row.color, HighlightColor, "the colour of a highlight")
    anchor = unpack_json(row.anchor, Anchor, "where a highlight is")
    return StoredHighlight(row.id, row.paper, color, row.quote, row.note, anchor, row.made, row.updated)
