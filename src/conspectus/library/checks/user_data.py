"""The check of what users keep about papers and answers."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, delete, select, update

from conspectus.core.errors import LibraryDamagedError
from conspectus.library.checks.check import FIX, names
from conspectus.records import Finding
from conspectus.records.filters import set_term
from conspectus.session.session import Session
from conspectus.store import removal
from conspectus.store.connection import aside, transact
from conspectus.store.schema import edits, feedback, notes, set_papers, sets
from conspectus.store.user_data import EDITABLE, edits_of_papers

_SILENT = (feedback.c.verdict == "") & (feedback.c.comment == "")


def check_user_data(session: Session) -> Finding:
    """Tags, collections, notes, edits and feedback that say nothing, or that nobody can ask for or read."""
    catalog = session.catalog
    unknown = sorted({row.field for row in catalog.rows(select(edits.c.field).distinct())} - EDITABLE.keys())
    if unknown:
        remedy = "A newer version may have written them: use that; else restore a backup."
        return Finding("kept", False, f"written by hand of fields that there are not: {names(unknown)}", remedy)
    try:
        edits_of_papers(catalog, [row.paper_key for row in catalog.rows(select(edits.c.paper_key).distinct())])
    except LibraryDamagedError as error:
        return Finding("kept", False, error.message, error.hint)
    if found := list(_idle(session)):
        return Finding("kept", False, "; ".join(found), FIX)
    return Finding("kept", True, "tags, collections, notes, edits and feedback can be read")


def _idle(session: Session) -> Iterator[str]:
    rows = session.catalog.rows
    wrong = [row.id for row in rows(select(sets)) if not row.name.strip() or row.term != set_term(row.name)]
    if wrong:
        yield f"tags or collections that cannot be asked for by name: {names(wrong)}"
    used = select(set_papers.c.set_key)
    if idle := [row.name for row in rows(select(sets.c.name).where(sets.c.kind == "tag", sets.c.key.not_in(used)))]:
        yield f"tags of no paper: {names(idle)}"
    if empty := [row.id for row in rows(select(notes.c.id).where(notes.c.text == ""))]:
        yield f"empty notes: {names(empty)}"
    if silent := len(rows(select(feedback.c.answer_key).where(_SILENT))):
        yield f"{silent} judgements of answers that say nothing"


def mend(session: Session) -> None:
    """Name sets by their ids where their names cannot be asked for, and take out what says nothing."""
    transact(session.catalog.engine, _mended, aside)


def _mended(connection: Connection) -> None:
    taken = {(row.kind, row.term) for row in connection.execute(select(sets.c.kind, sets.c.term))}
    for row in connection.execute(select(sets)).all():
        term = set_term(row.name)
        if not term or (row.term != term and (row.kind, term) in taken):
            connection.execute(update(sets).where(sets.c.key == row.key).values(name=row.id, term=set_term(row.id)))
        elif row.term != term:
            connection.execute(update(sets).where(sets.c.key == row.key).values(term=term))
            taken.add((row.kind, term))
    removal.drop_unused(connection)
    connection.execute(delete(notes).where(notes.c.text == ""))
    connection.execute(delete(feedback).where(_SILENT))
