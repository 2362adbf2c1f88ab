"""Keep tags, collections and notes about papers.

They are in the catalog, in backups and in exports of the library. They go with their paper, and to the paper that takes
it up. They wait for nobody who adds papers, and the index does not follow them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, TypeVar

from sqlalchemy import Connection

from conspectus.core.errors import UsageError
from conspectus.curation import sql
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.records.curation import (
    LONGEST_NAME,
    LONGEST_NOTE,
    PaperNote,
    PaperSet,
    SetKind,
    TagRemoval,
    checked_name,
    checked_text,
)
from conspectus.store import connection, schema, user_data
from conspectus.store.connection import aside, transact, utc_now

if TYPE_CHECKING:
    from conspectus.session.session import Session

T = TypeVar("T")
PaperNames = str | Sequence[str]
_MOST = 10_000
"""Papers that one request may name."""
SetName = Annotated[str, Option(max_length=10 * LONGEST_NAME, metavar="NAME", example="Grid cells")]
TagName = Annotated[str, Option(max_length=10 * LONGEST_NAME, metavar="TAG", example="to read")]
Papers = Annotated[
    PaperNames, Option("Papers, by any of their names.", max_items=_MOST, metavar="PAPERS…", example=["10.1000/p.0"])
]
PaperName = Annotated[str, Option("A paper, by any of its names.", metavar="PAPER", example="10.1000/p.0")]
NoteId = Annotated[str, Option("Id of the note.", metavar="ID")]
NoteText = Annotated[
    str,
    Option(
        "Markdown.",
        max_length=10 * LONGEST_NOTE,
        metavar="TEXT",
        standard_input=True,
        example="Compare with **Hafting 2005**.",
    ),
]


class CollectionVerbs(VerbGroup, name="collections"):
    """Collections of papers, tags and notes."""

    @verb(http="GET /collections", tool="collections", key="collections")
    def list(self) -> tuple[PaperSet, ...]:
        """List the collections with the number of their papers."""
        return user_data.list_sets(self.session.catalog, "collection")

    @verb(key="collection")
    def show(self, name: SetName) -> PaperSet:
        """Show a collection, by its name (in any case) or id.

        Raises:
            NotFoundError: there is no such collection.
        """
        return user_data.find_set(self.session.catalog, "collection", name)

    @verb(http="POST /collections", key="collection", writes=True, status=201)
    def add(self, name: SetName, papers: Papers = ()) -> PaperSet:
        """Put papers into a collection. It is made if there is none of this name.

        Use `--collection NAME`, or `collection:NAME` in a query, to search, ask, count, list or export only its papers.

        Raises:
            UsageError: the name is empty, or longer than 100 characters.
            NotFoundError: a name that no paper has, or more than one; then nothing was done.
        """
        return _add_to_sets(self.session, "collection", name, paper_ids(self.session, papers))

    @verb(key="collection", writes=True)
    def remove(self, name: SetName, papers: Papers) -> PaperSet:
        """Take papers out of a collection. The collection stays.

        Raises:
            NotFoundError: there is no such collection, or no such paper.
        """
        _take(self.session, "collection", name, papers)
        return self.show(name)

    @verb(http="PATCH /collections/{name}", key="collection", writes=True, command=False)
    def change(
        self, name: SetName, *, rename: SetName | None = None, add: Papers = (), remove: Papers = ()
    ) -> PaperSet:
        """Rename a collection, put papers in and take papers out: all of it or nothing.

        Raises:
            NotFoundError: there is no such collection or paper.
            UsageError: another collection has the new name, or it is empty or longer than 100 characters.
        """
        collection = self.show(name)
        title = None if rename is None else checked_name(rename, "collection")
        ids, keys = paper_ids(self.session, add), _paper_keys(self.session, remove)

        def change(connection: Connection) -> None:
            sql.put_in_set(connection, collection.id, ids)
            sql.take_from_set(connection, collection.id, keys)
            if title is not None:
                sql.rename_set(connection, collection.id, title)

        write_aside(self.session, change)
        return self.show(collection.id)

    @verb(key="collection", writes=True)
    def rename(self, name: SetName, new_name: SetName) -> PaperSet:
        """Rename a collection.

        Raises:
            NotFoundError: there is no such collection.
            UsageError: another collection has the name, or it is empty or longer than 100 characters.
        """
        return self.change(name, rename=new_name)

    @verb(http="DELETE /collections/{name}", key="collection", writes=True)
    def delete(self, name: SetName) -> PaperSet:
        """Delete a collection. Its papers stay.

        Raises:
            NotFoundError: there is no such collection.
        """
        collection = self.show(name)
        write_aside(self.session, lambda connection: sql.remove_set(connection, collection.id))
        return collection

    @verb(http="GET /tags", key="tags")
    def tags(self) -> tuple[PaperSet, ...]:
        """List the tags with the number of their papers."""
        return user_data.list_sets(self.session.catalog, "tag")

    @verb(key="tag", writes=True)
    def tag(self, name: TagName, papers: Papers) -> PaperSet:
        """Put a tag on papers. Upper and lower case are the same tag.

        Find tagged papers with `--tag NAME`, or `tag:NAME` in a query.

        Raises:
            UsageError: the name is empty, or longer than 100 characters; or no paper is named.
            NotFoundError: a name that no paper has, or more than one; then nothing was done.
        """
        return _add_to_sets(self.session, "tag", name, _some_ids(self.session, papers))

    @verb(http="DELETE /tags/{name}", writes=True)
    def untag(self, name: TagName, papers: Papers = ()) -> TagRemoval:
        """Take a tag off papers, or off all papers if you name none. A tag that no paper has is deleted.

        Raises:
            NotFoundError: there is no such tag, or no such paper.
        """
        before = _take(self.session, "tag", name, papers or None)
        left = next((tag.papers for tag in self.tags() if tag.id == before.id), 0)
        return TagRemoval(replace(before, papers=left), before.papers - left)

    @verb("change-tags", http="POST /tags", key="tags", writes=True, command=False)
    def change_tags(
        self,
        papers: Papers,
        *,
        add: Annotated[
            Sequence[str], Option("Tags to put on.", max_length=10 * LONGEST_NAME, example=["to read"])
        ] = (),
        remove: Annotated[Sequence[str], Option("Tags to take off.", max_length=10 * LONGEST_NAME)] = (),
    ) -> tuple[PaperSet, ...]:
        """Put tags on papers and take tags off: all of it or nothing. Returns all tags.

        Raises:
            UsageError, NotFoundError: as `tag` and `untag`; then nothing was done.
        """
        ids = _some_ids(self.session, papers)
        keys = _paper_keys(self.session, ids)
        makers = [_set_maker(self.session, "tag", name) for name in add]

        def change(connection: Connection) -> None:
            for make in makers:
                sql.put_in_set(connection, make(connection), ids)
            for name in remove:
                sql.take_from_set(connection, sql.find_set_id(connection, "tag", name), keys)

        write_aside(self.session, change)
        return self.tags()

    @verb(http="GET /notes", key="notes")
    def notes(self, paper: PaperName = "") -> tuple[PaperNote, ...]:
        """List the notes about a paper, or all notes, in the order in which they were written."""
        return sql.list_notes(self.session.catalog, self.session.paper(paper).id if paper else "")

    @verb(http="POST /notes", key="note", writes=True, status=201)
    def note(self, paper: PaperName, text: NoteText) -> PaperNote:
        """Keep a note about a paper, in Markdown. Give - as TEXT to read it from standard input.

        `conspectus show PAPER` prints it.

        Raises:
            NotFoundError: a name that no paper has, or more than one.
            UsageError: the text is empty or longer than 20,000 characters.
        """
        text, about = checked_note(text), self.session.paper(paper).id
        note_id = connection.new_id(self.session.catalog, schema.notes, sql.NOTE_PREFIX)
        write_aside(self.session, lambda connection: sql.add_note(connection, note_id, about, text))
        return sql.find_note(self.session.catalog, note_id)

    @verb("edit-note", http="PATCH /notes/{note}", key="note", writes=True)
    def edit_note(self, note: NoteId, text: NoteText) -> PaperNote:
        """Replace the text of a note.

        Raises:
            NotFoundError: there is no such note.
            UsageError: the text is empty or longer than 20,000 characters.
        """
        text, old = checked_note(text), sql.find_note(self.session.catalog, note)
        write_aside(self.session, lambda connection: sql.change_note(connection, old.id, text))
        return sql.find_note(self.session.catalog, old.id)

    @verb("delete-note", http="DELETE /notes/{note}", key="note", writes=True)
    def delete_note(self, note: NoteId) -> PaperNote:
        """Delete a note. Returns it as it was.

        Raises:
            NotFoundError: there is no such note.
        """
        old = sql.find_note(self.session.catalog, note)
        write_aside(self.session, lambda connection: sql.remove_note(connection, old.id))
        return old


def keep_all(
    session: Session,
    ids_by_set: Mapping[tuple[SetKind, str], Sequence[str]],
    texts: Sequence[tuple[str, str]],
    marked: Sequence[sql.StoredHighlight] = (),
) -> None:
    """Put papers, by ids, into tags and collections, keep notes about them (id, text) and highlights: all or nothing.

    Raises:
        UsageError, NotFoundError: as `tag`, `add` and `note`; then nothing was done.
    """
    makers = [(_set_maker(session, kind, name), ids) for (kind, name), ids in ids_by_set.items()]
    notes = [
        (connection.new_id(session.catalog, schema.notes, sql.NOTE_PREFIX), about, checked_note(text))
        for about, text in texts
    ]

    def change(connection: Connection) -> None:
        for make, ids in makers:
            sql.put_in_set(connection, make(connection), ids)
        for note in notes:
            sql.add_note(connection, *note)
        for highlight in marked:
            sql.put_highlight(connection, highlight)

    write_aside(session, change)


def write_aside(session: Session, action: Callable[[Connection], T]) -> T:
    """What `action` returns from a transaction that waits for nobody who adds papers."""
    return transact(session.catalog.engine, action, aside)


def checked_note(text: str) -> str:
    """The text of a note as it is stored.

    Raises:
        UsageError: it is empty or too long.
    """
    checked = checked_text(text, "note")
    if not checked:
        raise UsageError("A note needs a text.", "Write one, or delete the note.")
    return checked


def paper_ids(session: Session, papers: PaperNames) -> list[str]:
    """Ids of papers that are called by any of their names.

    Raises:
        NotFoundError: a name that no paper has, or more than one.
    """
    names = [papers] if isinstance(papers, str) else [*dict.fromkeys(papers)]
    known = session.catalog.known_ids(names)  # in one query: a page may send thousands
    return [name if name in known else session.paper(name).id for name in names]


def _some_ids(session: Session, papers: PaperNames) -> list[str]:
    ids = paper_ids(session, papers)
    if not ids:
        raise UsageError("No paper is named.", "Say which papers have the tag.")
    return ids


def _paper_keys(session: Session, papers: PaperNames) -> list[int]:
    return [*session.catalog.keys_of(paper_ids(session, papers)).values()]


def _add_to_sets(session: Session, kind: SetKind, name: str, ids: Sequence[str]) -> PaperSet:
    make = _set_maker(session, kind, name)

    def put(connection: Connection) -> str:
        set_id = make(connection)
        sql.put_in_set(connection, set_id, ids)
        return set_id

    return user_data.find_set(session.catalog, kind, write_aside(session, put))


def _set_maker(session: Session, kind: SetKind, name: str) -> Callable[[Connection], str]:
    """A function that makes the set in a transaction, if there is none of this name, and returns its id."""
    name, new_id = checked_name(name, kind), connection.new_id(session.catalog, schema.sets, f"{kind[:3]}-")
    return lambda connection: sql.make_set(connection, kind, new_id, name, utc_now())


def _take(session: Session, kind: SetKind, name: str, papers: PaperNames | None) -> PaperSet:
    """Take papers (None: all, which deletes the set) out of a set; returns it as it was before."""
    before = user_data.find_set(session.catalog, kind, name)
    keys = [] if papers is None else _paper_keys(session, papers)

    def take(connection: Connection) -> None:
        if papers is None:
            sql.remove_set(connection, before.id)
        else:
            sql.take_from_set(connection, before.id, keys)

    write_aside(session, take)
    return before
