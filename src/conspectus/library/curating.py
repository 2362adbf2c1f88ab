"""What users keep about papers: tags, collections, notes.

It is in the catalog, in backups and in exports of the library. It goes with its paper, and to the one that takes it up.
Nothing waits for who adds papers, and the index need not follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from sqlalchemy import Connection

from conspectus.catalog import answers, connection, curation, schema
from conspectus.catalog.connection import utc_now
from conspectus.core.errors import UsageError
from conspectus.library.session import Session
from conspectus.records.curation import PaperNote, PaperSet, SetKind, checked_name, checked_text

T = TypeVar("T")
Papers = str | Sequence[str]


def tags(session: Session) -> tuple[PaperSet, ...]:
    """All tags with the numbers of their papers, by name."""
    return curation.list_sets(session.catalog, "tag")


def tag(session: Session, name: str, papers: Papers) -> PaperSet:
    """Put a tag on papers, by any names of theirs; returns the tag. It is that of the same name in any case.

    Raises:
        UsageError: the name is empty, or longer than 100 characters; or no paper is named.
        NotFoundError: no paper, or more than one, is called so; then nothing was done.
    """
    return _put(session, "tag", name, _some(session, papers))


def untag(session: Session, name: str, papers: Papers | None = None) -> PaperSet:
    """Take a tag off papers (None: off all, which deletes it); returns it as it was.

    Raises:
        NotFoundError: there is no such tag, or no such paper.
    """
    return _taken(session, "tag", name, papers)


def change_tags(
    session: Session, papers: Papers, add: Sequence[str] = (), remove: Sequence[str] = ()
) -> tuple[PaperSet, ...]:
    """Put tags on papers and then take some off, all of it or nothing; returns all tags.

    Raises:
        UsageError, NotFoundError: as `tag` and `untag`; then nothing was done.
    """
    ids = _some(session, papers)
    keys = list(session.catalog.keys_of(ids).values())
    new = [_new(session, "tag", name) for name in add]

    def change(connection: Connection) -> None:
        for make in new:
            curation.put_in_set(connection, make(connection), ids)
        for name in remove:
            curation.take_from_set(connection, curation.find_set_id(connection, "tag", name), keys)

    aside(session, change)
    return tags(session)


def collections(session: Session) -> tuple[PaperSet, ...]:
    """All collections with the numbers of their papers, by name."""
    return curation.list_sets(session.catalog, "collection")


def collection(session: Session, name: str) -> PaperSet:
    """The collection of a name, in any case, or of an id.

    Raises:
        NotFoundError: there is none.
    """
    return curation.find_set(session.catalog, "collection", name)


def collect(session: Session, name: str, papers: Papers = ()) -> PaperSet:
    """Put papers into a collection, which is made where there is none of this name or id; returns it.

    `Filters(collection=name)` limits what is searched, asked, counted, listed or exported to it.

    Raises:
        UsageError: the name is empty, or longer than 100 characters.
        NotFoundError: no paper, or more than one, is called so; then nothing was done.
    """
    return _put(session, "collection", name, _ids(session, papers))


def uncollect(session: Session, name: str, papers: Papers) -> PaperSet:
    """Take papers out of a collection, which stays; returns it as it was.

    Raises:
        NotFoundError: there is no such collection, or no such paper.
    """
    return _taken(session, "collection", name, papers)


def rename_collection(session: Session, name: str, new: str) -> PaperSet:
    """Give a collection another name; returns it.

    Raises:
        NotFoundError: there is no such collection.
        UsageError: another one has the name, or it is empty or longer than 100 characters.
    """
    return change_collection(session, name, new)


def change_collection(
    session: Session, name: str, new: str | None = None, add: Papers = (), remove: Papers = ()
) -> PaperSet:
    """Give a collection another name, put papers in and take papers out, all of it or nothing; returns it.

    Raises:
        UsageError, NotFoundError: as `rename_collection`, `collect` and `uncollect`; then nothing was done.
    """
    found = curation.find_set(session.catalog, "collection", name)
    title = None if new is None else checked_name(new, "collection")
    ids, keys = _ids(session, add), list(session.catalog.keys_of(_ids(session, remove)).values())

    def change(connection: Connection) -> None:
        curation.put_in_set(connection, found.id, ids)
        curation.take_from_set(connection, found.id, keys)
        if title is not None:
            curation.rename_set(connection, found.id, title)

    aside(session, change)
    return curation.find_set(session.catalog, "collection", found.id)


def remove_collection(session: Session, name: str) -> PaperSet:
    """Delete a collection; its papers stay. Returns it as it was.

    Raises:
        NotFoundError: there is no such collection.
    """
    found = curation.find_set(session.catalog, "collection", name)
    aside(session, lambda connection: curation.remove_set(connection, found.id))
    return found


def notes(session: Session, paper: str = "") -> tuple[PaperNote, ...]:
    """The notes about a paper (by any of its names), or all, in the order in which they were written."""
    return curation.list_notes(session.catalog, session.paper(paper).id if paper else "")


def note(session: Session, paper: str, text: str) -> PaperNote:
    """Keep a note, Markdown of at most 20,000 characters, about a paper; returns it.

    Raises:
        NotFoundError: no paper, or more than one, is called so.
        UsageError: the text is empty or too long.
    """
    text, about = noted(text), session.paper(paper).id
    name = answers.new_id(session.catalog, schema.notes, curation.NOTE_PREFIX)
    aside(session, lambda connection: curation.add_note(connection, name, about, text))
    return curation.find_note(session.catalog, name)


def keep(
    session: Session, named: Mapping[tuple[SetKind, str], Sequence[str]], texts: Sequence[tuple[str, str]]
) -> None:
    """Put papers, by ids, into tags and collections, and keep notes about them (id, text), all of it or nothing.

    Raises:
        UsageError, NotFoundError: as `tag`, `collect` and `note`; then nothing was done.
    """
    new = [(_new(session, kind, name), ids) for (kind, name), ids in named.items()]
    kept = [
        (answers.new_id(session.catalog, schema.notes, curation.NOTE_PREFIX), about, noted(text))
        for about, text in texts
    ]

    def change(connection: Connection) -> None:
        for make, ids in new:
            curation.put_in_set(connection, make(connection), ids)
        for one in kept:
            curation.add_note(connection, *one)

    aside(session, change)


def edit_note(session: Session, name: str, text: str) -> PaperNote:
    """Give a note, by its id, another text; returns it.

    Raises:
        NotFoundError: there is no such note.
        UsageError: the text is empty or too long.
    """
    text, found = noted(text), curation.find_note(session.catalog, name)
    aside(session, lambda connection: curation.change_note(connection, found.id, text))
    return curation.find_note(session.catalog, found.id)


def remove_note(session: Session, name: str) -> PaperNote:
    """Delete a note, by its id; returns it as it was.

    Raises:
        NotFoundError: there is no such note.
    """
    found = curation.find_note(session.catalog, name)
    aside(session, lambda connection: curation.remove_note(connection, found.id))
    return found


def aside(session: Session, action: Callable[[Connection], T]) -> T:
    """What `action` returns from a transaction that waits for nobody who adds."""
    return connection.transact(session.catalog.engine, action, connection.aside)


def _ids(session: Session, papers: Papers) -> list[str]:
    names = [papers] if isinstance(papers, str) else list(dict.fromkeys(papers))
    known = session.catalog.known_ids(names)  # at once: a page may send thousands
    return [name if name in known else session.paper(name).id for name in names]


def _some(session: Session, papers: Papers) -> list[str]:
    ids = _ids(session, papers)
    if not ids:
        raise UsageError("No paper is named.", "Say which papers have the tag.")
    return ids


def _put(session: Session, kind: SetKind, name: str, ids: Sequence[str]) -> PaperSet:
    new = _new(session, kind, name)

    def put(connection: Connection) -> str:
        made = new(connection)
        curation.put_in_set(connection, made, ids)
        return made

    return curation.find_set(session.catalog, kind, aside(session, put))


def _new(session: Session, kind: SetKind, name: str) -> Callable[[Connection], str]:
    """What makes a set in a transaction, where there is none of this name, and returns its id."""
    name, new = checked_name(name, kind), answers.new_id(session.catalog, schema.sets, f"{kind[:3]}-")
    return lambda connection: curation.make_set(connection, kind, new, name, utc_now())


def _taken(session: Session, kind: SetKind, name: str, papers: Papers | None) -> PaperSet:
    found = curation.find_set(session.catalog, kind, name)
    keys = [] if papers is None else list(session.catalog.keys_of(_ids(session, papers)).values())

    def take(connection: Connection) -> None:
        if papers is None:
            curation.remove_set(connection, found.id)
        else:
            curation.take_from_set(connection, found.id, keys)

    aside(session, take)
    return found


def noted(text: str) -> str:
    """The text of a note as it is kept.

    Raises:
        UsageError: it is empty or too long.
    """
    found = checked_text(text, "note")
    if not found:
        raise UsageError("A note needs a text.", "Write one, or remove the note.")
    return found
