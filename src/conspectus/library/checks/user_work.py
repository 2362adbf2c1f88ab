"""Checks of what users keep and make: their data, highlights, reviews, directions, maps; and of retractions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from sqlalchemy import Connection, delete, select, update

from conspectus.core.errors import ConspectusError, LibraryDamagedError
from conspectus.core.text import pluralize
from conspectus.curation import sql as curation_sql
from conspectus.curation.highlights import list_highlights
from conspectus.directions import sql as direction_sql
from conspectus.directions.stored_directions import lacking_papers, unpack_codes
from conspectus.ingest.derivations.facts import ActivationRows, PositionRows
from conspectus.library.checks.check import FIX, names
from conspectus.map import sql as map_sql
from conspectus.map.sql import note_map_change
from conspectus.records import Finding
from conspectus.records.atlas import Mapped
from conspectus.records.filters import set_term
from conspectus.records.paper import publication_status
from conspectus.review.sql import entries_of, list_reviews
from conspectus.session.session import Session
from conspectus.store import derivations, removal
from conspectus.store.connection import aside, transact, writing
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
    if troubles := list(_idle(session)):
        return Finding("kept", False, "; ".join(troubles), FIX)
    return Finding("kept", True, "tags, collections, notes, edits and feedback can be read")


def _idle(session: Session) -> Iterator[str]:
    rows = session.catalog.rows
    set_ids = [row.id for row in rows(select(sets)) if not row.name.strip() or row.term != set_term(row.name)]
    if set_ids:
        yield f"tags or collections that cannot be asked for by name: {names(set_ids)}"
    used_sets = select(set_papers.c.set_key)
    if idle := [
        row.name for row in rows(select(sets.c.name).where(sets.c.kind == "tag", sets.c.key.not_in(used_sets)))
    ]:
        yield f"tags of no paper: {names(idle)}"
    if empty := [row.id for row in rows(select(notes.c.id).where(notes.c.text == ""))]:
        yield f"empty notes: {names(empty)}"
    if empty_judgements := len(rows(select(feedback.c.answer_key).where(_SILENT))):
        yield f"{empty_judgements} judgements of answers that say nothing"


def mend(session: Session) -> None:
    """Name sets by their ids where their names cannot be asked for, and take out what says nothing."""
    transact(session.catalog.engine, _mended, aside)


def _mended(connection: Connection) -> None:
    used_names = {(row.kind, row.term) for row in connection.execute(select(sets.c.kind, sets.c.term))}
    for row in connection.execute(select(sets)).all():
        term = set_term(row.name)
        if not term or (row.term != term and (row.kind, term) in used_names):
            connection.execute(update(sets).where(sets.c.key == row.key).values(name=row.id, term=set_term(row.id)))
        elif row.term != term:
            connection.execute(update(sets).where(sets.c.key == row.key).values(term=term))
            used_names.add((row.kind, term))
    removal.drop_unused(connection)
    connection.execute(delete(notes).where(notes.c.text == ""))
    connection.execute(delete(feedback).where(_SILENT))


def check_highlights(session: Session) -> Finding:
    """Highlights that cannot be read; those whose words are not found are only counted."""
    try:
        stored = curation_sql.list_highlights(session.catalog)
    except LibraryDamagedError as error:
        return Finding("highlights", False, error.message, "Restore a backup: `library restore FILE`")
    lost_ids = [highlight.id for highlight in list_highlights(session.catalog, stored) if not highlight.found]
    rest = f"; not found in the current text: {names(lost_ids)}" if lost_ids else ""
    return Finding("highlights", True, f"{pluralize(len(stored), 'highlight')} can be read{rest}")


_MOST = 10


def check_notices(session: Session) -> Finding:
    """Retracted and doubted papers by name, and the number of those of which no service was asked."""
    names_by_status: dict[str, list[str]] = {"retracted": [], "concern": [], "unchecked": []}
    for name, title, extra in session.catalog.extras_of_papers():
        status = publication_status(title, extra)
        if status in names_by_status:
            names_by_status[status].append(name)
    clauses = []
    for status, words in (("retracted", "retracted"), ("concern", "under an expression of concern")):
        if paper_ids := names_by_status[status]:
            more = f" and {len(paper_ids) - _MOST} more" if len(paper_ids) > _MOST else ""
            labels = (f"{session.paper(name).label} ({name})" for name in paper_ids[:_MOST])
            clauses.append(f"{len(paper_ids)} {words}: {', '.join(labels)}{more}")
    if unchecked := names_by_status["unchecked"]:
        clauses.append(f"{pluralize(len(unchecked), 'paper')} not checked for retractions")
    return Finding("retractions", True, "; ".join(clauses) or "no retractions known; every paper was checked")


def check_reviews(session: Session) -> Finding:
    """Reviews of which what they ask, or what they say of papers, cannot be read."""
    try:
        reviews = list_reviews(session.catalog)
        for review in reviews:
            entries_of(session.catalog, review)
    except LibraryDamagedError as error:
        return Finding("reviews", False, error.message, "Restore a backup: `library restore FILE`")
    return Finding("reviews", True, f"{len(reviews)} can be read")


def check_directions(session: Session) -> Finding | None:
    """Directions by another embedder, or that cannot be read, and papers without; None: there are none."""
    clauses: list[str] = []
    for of in get_args(Mapped):
        try:
            clauses += _describe(session, of)
        except ConspectusError as error:
            return Finding(
                "directions", False, error.message, f"`directions build of={of} refit=True` makes them again"
            )
    return Finding("directions", True, "; ".join(clauses)) if clauses else None


def _describe(session: Session, of: Mapped) -> Iterator[str]:
    catalog = session.catalog
    if (stored := direction_sql.read_set(catalog, of)) is None:
        return
    counts = catalog.model_counts()
    current_model = max(counts, key=lambda name: counts[name], default="")
    if current_model and stored.facts["model"] != current_model:
        raise ConspectusError(
            f"the directions of {of} are by {stored.facts['model']}, and passages are by {current_model}"
        )
    keys, units, packed = direction_sql.read_codes(catalog, of, ActivationRows(of).name, stored.version)
    unpack_codes(keys, units, packed, stored)
    behind = len(lacking_papers(catalog, stored, keys))
    yield f"{of}: {pluralize(stored.autoencoder.size, 'direction')} in {pluralize(len(packed), 'text')}" + (
        f", {pluralize(behind, 'paper')} not yet; `directions build of={of}` adds them" if behind else ""
    )


def places(session: Session) -> Finding | None:
    """Maps made by another embedder, texts that stand in no region, papers that are not on it; None: there is none."""
    clauses: list[str] = []
    for of in get_args(Mapped):
        try:
            facts = map_sql.read_map_facts(session.catalog, of)
        except ConspectusError as error:
            return Finding("map", False, error.message, error.hint)
        if facts is None:
            continue
        finding = _wrong(session, of, facts[1].get("model"))
        if finding is not None:
            return finding
        clauses += _describe_positions(session, of, facts[0])
    return Finding("map", True, "; ".join(clauses)) if clauses else None


def _wrong(session: Session, of: Mapped, model: str | None) -> Finding | None:
    counts = session.catalog.model_counts()
    current_model = max(counts, key=lambda name: counts[name], default="")
    if current_model and model != current_model:
        detail = f"the map of {of} is by {model}, and passages are by {current_model}"
        return Finding("map", False, detail, f"`map build of={of}` fits it again")
    if astray := len(map_sql.find_misplaced(session.catalog, of)):
        detail = f"on the map of {of} {pluralize(astray, 'paper')} in no region: another program's work"
        return Finding("map", False, detail, f"{FIX}, then `map build of={of}` places them again")
    return None


def _describe_positions(session: Session, of: Mapped, version: str) -> Iterator[str]:
    noted = derivations.noted(session.catalog).made.get((PositionRows(of).name, version), 0)
    behind = max(session.catalog.counts()["papers"] - noted, 0)
    yield f"{of}: {noted} placed" + (f", {behind} not yet; `map build of={of}` does" if behind else "")


def take_off(session: Session) -> None:
    """Take off the map what stands in no region of it."""
    catalog = session.catalog
    for of in get_args(Mapped):
        if map_sql.read_map_facts(catalog, of) and (keys := map_sql.find_misplaced(catalog, of)):
            with session.writing(), writing(catalog.engine) as connection:
                map_sql.take_off_map(connection, of, PositionRows(of).name, keys)
                note_map_change(connection)
