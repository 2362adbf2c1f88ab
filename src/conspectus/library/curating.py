"""What users keep about papers: tags, collections, notes.

It is in the catalog, in backups and in exports of the library. It goes with its paper, and to the one that takes it up.
Nothing waits for who adds papers, and the index need not follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy import Connection

from conspectus.core.errors import UsageError
from conspectus.library.session import Session
from conspectus.records.curation import PaperNote, PaperSet, SetKind, checked_name, checked_text

T = TypeVar("T")
Papers = str | Sequence[str]


def tags(session: Session) -> tuple[PaperSet, ...]:
    """All tags with the numbers of their papers, by name."""
    return _listed(session, "tag")


def tag(session: Session, name: str, papers: Papers) -> PaperSet:
    """Put a tag on papers, by any names of theirs; returns the tag. It is that of the same name in any case.

    Raises:
        UsageError: the name is empty, or longer than 100 characters; or no paper is named.
        NotFoundError: no paper, or more than one, is called so; then nothing was done.
    """
    ids = _ids(session, papers)
    if not ids:
        raise UsageError("No paper is named.", "Say which papers have the tag.")
    return _put(session, "tag", name, ids)


def untag(session: Session, name: str, papers: Papers | None = None) -> PaperSet:
    """Take a tag off papers (None: off all, which deletes it); returns it as it was.

    Raises:
        NotFoundError: there is no such tag, or no such paper.
    """
    return _taken(session, "tag", name, papers)


def collections(session: Session) -> tuple[PaperSet, ...]:
    """All collections with the numbers of their papers, by name."""
    return _listed(session, "collection")


def collection(session: Session, name: str) -> PaperSet:
    """The collection of a name, in any case, or of an id.

    Raises:
        NotFoundError: there is none.
    """
    return _find(session, "collection", name)


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
    from conspectus.catalog import sets

    found, new = _find(session, "collection", name), checked_name(new, "collection")
    aside(session, lambda connection: sets.rename(connection, found.id, new))
    return _find(session, "collection", found.id)


def remove_collection(session: Session, name: str) -> PaperSet:
    """Delete a collection; its papers stay. Returns it as it was.

    Raises:
        NotFoundError: there is no such collection.
    """
    from conspectus.catalog import sets

    found = _find(session, "collection", name)
    aside(session, lambda connection: sets.remove(connection, found.id))
    return found


def notes(session: Session, paper: str = "") -> tuple[PaperNote, ...]:
    """The notes about a paper (by any of its names), or all, in the order in which they were written."""
    from conspectus.catalog import paper_notes

    return paper_notes.listed(session.catalog, session.paper(paper).id if paper else "")


def note(session: Session, paper: str, text: str) -> PaperNote:
    """Keep a note, Markdown of at most 20,000 characters, about a paper; returns it.

    Raises:
        NotFoundError: no paper, or more than one, is called so.
        UsageError: the text is empty or too long.
    """
    from conspectus.catalog import answers, paper_notes, schema

    text, about = _noted(text), session.paper(paper).id
    name = answers.new_id(session.catalog, schema.notes, paper_notes.PREFIX)
    aside(session, lambda connection: paper_notes.add(connection, name, about, text))
    return paper_notes.find(session.catalog, name)


def edit_note(session: Session, name: str, text: str) -> PaperNote:
    """Give a note, by its id, another text; returns it.

    Raises:
        NotFoundError: there is no such note.
        UsageError: the text is empty or too long.
    """
    from conspectus.catalog import paper_notes

    text, found = _noted(text), paper_notes.find(session.catalog, name)
    aside(session, lambda connection: paper_notes.change(connection, found.id, text))
    return paper_notes.find(session.catalog, found.id)


def remove_note(session: Session, name: str) -> PaperNote:
    """Delete a note, by its id; returns it as it was.

    Raises:
        NotFoundError: there is no such note.
    """
    from conspectus.catalog import paper_notes

    found = paper_notes.find(session.catalog, name)
    aside(session, lambda connection: paper_notes.remove(connection, found.id))
    return found


def aside(session: Session, action: Callable[[Connection], T]) -> T:
    """What `action` returns from a transaction that waits for nobody who adds."""
    from conspectus.catalog import engine

    return engine.transact(session.catalog.engine, action, engine.aside)


def _ids(session: Session, papers: Papers) -> list[str]:
    names = [papers] if isinstance(papers, str) else list(papers)
    known = session.catalog.known_ids(names)  # at once: a page may send thousands
    return [name if name in known else session.paper(name).id for name in names]


def _listed(session: Session, kind: SetKind) -> tuple[PaperSet, ...]:
    from conspectus.catalog import sets

    return sets.listed(session.catalog, kind)


def _find(session: Session, kind: SetKind, name: str) -> PaperSet:
    from conspectus.catalog import sets

    return sets.find(session.catalog, kind, name)


def _put(session: Session, kind: SetKind, name: str, ids: Sequence[str]) -> PaperSet:
    from conspectus.catalog import answers, schema, sets

    name = checked_name(name, kind)
    new = answers.new_id(session.catalog, schema.sets, f"{kind[:3]}-")

    def put(connection: Connection) -> str:
        made = sets.make(connection, kind, new, name, answers.now())
        sets.put(connection, made, ids)
        return made

    return _find(session, kind, aside(session, put))


def _taken(session: Session, kind: SetKind, name: str, papers: Papers | None) -> PaperSet:
    from conspectus.catalog import sets

    found = _find(session, kind, name)
    keys = [] if papers is None else list(session.catalog.keys_of(_ids(session, papers)).values())

    def take(connection: Connection) -> None:
        if papers is None:
            sets.remove(connection, found.id)
        else:
            sets.take(connection, found.id, keys)

    aside(session, take)
    return found


def _noted(text: str) -> str:
    found = checked_text(text, "note")
    if not found:
        raise UsageError("A note needs a text.", "Write one, or remove the note.")
    return found
