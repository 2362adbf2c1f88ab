"""Checks of the catalog, of what is made of papers (derivations, index, graph), and of their files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Column, ColumnElement, Table, delete, exists, select

from conspectus.core.errors import ConspectusError
from conspectus.core.text import pluralize
from conspectus.graph import sql as graph_sql
from conspectus.graph.mention_finder import count_unlinked
from conspectus.index import protocol
from conspectus.ingest.derivations.protocol import Derivation
from conspectus.ingest.derivations.registry import DERIVATIONS, derive_missing, lacking, list_derivations
from conspectus.ingest.index_sync import side_derivations
from conspectus.ingest.ledger import rows_of
from conspectus.ingest.paper_merge import merge
from conspectus.ingest.paper_store import papers_cut_before
from conspectus.library.checks.check import FIX, names
from conspectus.library.model_vectors import count_waiting
from conspectus.parse.text.blocks import is_hidden_note
from conspectus.parse.text.passages import has_text
from conspectus.records import LACKING, Finding
from conspectus.session.session import Session
from conspectus.store import removal, schema
from conspectus.store.catalog import Catalog
from conspectus.store.connection import writing
from conspectus.store.rows import SCHEMES, find_unreadable


def catalog(session: Session) -> Finding:
    """The catalog as a database."""
    catalog = session.catalog
    if detail := catalog.trouble():
        return Finding("catalog", False, detail, "Restore it from a backup: `library restore FILE replace=True`")
    counts, server = catalog.counts(), catalog.store.server
    place = f"; {server} at {catalog.store.display_name}" if server else ""
    return Finding("catalog", True, f"{counts['papers']} papers, {counts['passages']} passages{place}")


def documents(session: Session) -> Finding:
    """What was read of the files has a checksum of its own: a page of a database has none."""
    unreadable_ids = find_unreadable(session.catalog)
    if not unreadable_ids:
        return Finding("documents", True, "all can be read")
    names = ", ".join(unreadable_ids[:3]) + (" …" if len(unreadable_ids) > 3 else "")
    remedy = "Restore a backup: `library restore FILE replace=True`; or remove these papers and add their files again."
    return Finding("documents", False, f"the stored text of {len(unreadable_ids)} papers is damaged: {names}", remedy)


def check_orphans(session: Session) -> Finding:
    """Papers that no file speaks of, or without text, and rows without their parent: this program leaves none."""
    orphans = session.catalog.count_orphans()
    fileless_papers, empty = _without(session.catalog, schema.documents), _without(session.catalog, schema.passages)
    if orphans or fileless_papers:
        return Finding(
            "papers whole", False, f"{orphans} rows without their parent, {len(fileless_papers)} papers of no file", FIX
        )
    textless_papers, damaged_papers = _without_text(session.catalog, empty)
    if damaged_papers:
        remedy = "Remove them and add their files again."
        return Finding(
            "papers whole", False, f"{len(damaged_papers)} papers lost their text, such as {damaged_papers[0]}", remedy
        )
    detail = (
        f"all; {len(textless_papers)} have no text that can be searched, such as {textless_papers[0]}"
        if textless_papers
        else "all"
    )
    return Finding("papers whole", True, detail)


def _without_text(catalog: Catalog, ids: Sequence[str]) -> tuple[list[str], list[str]]:
    """Of papers without a passage those in whose files there was no text, and those that should have some."""
    groups: tuple[list[str], list[str]] = [], []
    for name in ids:
        key = catalog.paper_key(name)
        groups[has_text(merge(catalog.documents_of_one(key)))].append(name)
    return groups


def identifiers(session: Session) -> Finding:
    """Identifiers of papers that do not agree: it may be wrong in one of them, or they are one paper after all."""
    claimed = session.catalog.claimants_by_name(SCHEMES)
    papers = session.catalog.papers_by_key(sorted({key for keys in claimed.values() for key in keys}))
    claims = [f"{value} ({', '.join(papers[key].id for key in keys)})" for (_, value), keys in sorted(claimed.items())]
    if not claims:
        return Finding("identifiers", True, "each belongs to one paper")
    more = f", and {len(claims) - 10} more" if len(claims) > 10 else ""
    return Finding(
        "identifiers", True, f"{len(claims)} belong to several papers that do not agree: {'; '.join(claims[:10])}{more}"
    )


def _is_orphan(column: Column[Any]) -> ColumnElement[bool]:
    parent = next(iter(column.foreign_keys)).column
    return column.is_not(None) & ~exists().where(parent == column)


def _without(catalog: Catalog, table: Table) -> Sequence[str]:
    """The ids of papers that have no row in `table`."""
    papers = schema.papers
    has = exists().where(table.c.paper_key == papers.c.key)
    with catalog.engine.connect() as connection:
        return connection.scalars(select(papers.c.id).where(~has)).all()


def remove_orphans(session: Session) -> None:
    """Take away rows without their parent, and papers of no file."""
    with session.writing(), writing(session.catalog.engine) as connection:
        for table, column in schema.CHILDREN:
            connection.execute(delete(table).where(_is_orphan(column)))
        fileless_keys = [session.catalog.paper_key(name) for name in _without(session.catalog, schema.documents)]
        removal.drop_papers(connection, fileless_keys)


def _kinds(session: Session) -> Sequence[Derivation]:
    """The derivations; where its model cannot be had, which the check of the model tells, one cannot be made."""
    try:
        return list_derivations(session.embedder)
    except ConspectusError:
        return DERIVATIONS


def derived(name: str, session: Session) -> Finding | None:
    """What a derivation is yet to be made of: an earlier version or another model has made it, or it failed."""
    check = "languages" if name == "language" else name  # "language" is the check of language models
    derivation = next(derivation for derivation in _kinds(session) if derivation.name == name)
    if not derivation.version:
        return None
    if number := lacking(session.catalog, [derivation])[name]:
        if derivation.unit == "passages":
            return Finding(check, False, f"{number} passages have none by {derivation.version}", "`library reindex`")
        detail = f"{number} papers have none yet, such as an earlier version has stored"
        return Finding(check, False, detail, f"{FIX} (the next `add FILES…` finds them too)")
    if derivation.unit == "passages" and session.is_first_pass():
        detail = f"{count_waiting(session)} passages wait for those of {session.chosen_embedder.id}"
        return Finding(check, True, f"{detail}; all are searched by static ones until `library reindex`")
    if derivation.unit == "passages" and (left := set(session.catalog.model_ids()) - {derivation.version}):
        detail = f"some by {', '.join(sorted(left))} are left, of a `library reindex` that did not come to its end"
        return Finding(check, False, detail, "`library reindex`")
    return Finding(
        check, True, f"all passages by {derivation.version}" if derivation.unit == "passages" else "all papers"
    )


def derive(session: Session) -> None:
    """Make what papers lack."""
    with session.writing():
        derive_missing(session.catalog, _kinds(session))
        session.follow()


def passages(session: Session) -> Finding | None:
    """Papers that could not be cut as the settings say now."""
    failures = list(papers_cut_before(session.catalog).items())
    if not failures:
        return None
    (name, reason), more = failures[0], len(failures) - 1
    return Finding(
        "passages",
        False,
        f"{len(failures)} papers are cut as before, such as {name}: {reason}" + (f" (and {more} more)" if more else ""),
        "`add FILES…` tries them again",
    )


def index(session: Session) -> Finding:
    """Whether the index has the passages of the catalog, and the bytes that were written."""
    try:
        if protocol.is_foreign(session.index):
            detail = "its files have changed, or another user or computer wrote them; the next search rebuilds it"
            return Finding("index", False, detail, "`library reindex`")
        side_indexes = {
            derivation.name: session.index.beside(derivation.index_name) for derivation in side_derivations()
        }
        stats, others = session.index.stats(), {name: index.stats() for name, index in side_indexes.items()}
        missing, extra = map(sum, zip(*_differences(session), strict=True))
        damaged = [name for index in (session.index, *side_indexes.values()) for name in protocol.damage(index)]
    except ConspectusError as error:
        return Finding("index", False, error.message, error.hint)
    if damaged:
        detail = f"{len(damaged)} of its files have other bytes than were written: {names(damaged)}"
        return Finding("index", False, detail, "`library reindex`")
    change = session.catalog.change()
    behind = stats.change != change and (stats.rows or missing)
    if behind or any(other.change != change and other.rows for other in others.values()):
        how = f"{extra} too many, of a run that was killed" if stats.rows else "it is not made yet"
        return Finding("index", True, f"{missing} passages behind, {how}; the next search mends it")
    if missing or extra:
        return Finding("index", False, f"{missing} passages missing, {extra} too many", "`library reindex`")
    side_counts = "".join(f", {other.rows} {name}" for name, other in others.items() if other.rows)
    size = sum(index_stats.megabytes for index_stats in (stats, *others.values()))
    return Finding("index", True, f"{stats.rows} passages{side_counts}, {size:.1f} MB")


def _differences(session: Session) -> Iterator[tuple[int, int]]:
    """How many passages are missing in the index, and how many it has too many; the same of those beside it."""
    own_keys = session.catalog.passage_keys()
    side_keys = [
        (session.index.beside(derivation.index_name), derivation.passages(session.catalog))
        for derivation in side_derivations()
    ]
    for _, other_keys in side_keys:
        own_keys = np.setdiff1d(own_keys, other_keys)
    for index, keys in ((session.index, own_keys), *side_keys):
        present = index.keys()
        yield len(np.setdiff1d(keys, present)), len(np.setdiff1d(present, keys))


def linked(session: Session) -> Finding | None:
    """Papers that were not linked by the vocabularies as they are now; None where there is none, or nothing linked."""
    number, entities = graph_sql.mention_size(session.catalog)
    if not number:
        return None
    if lacking := count_unlinked(session):
        detail = f"not linked by the vocabularies as they are now: {pluralize(lacking, 'paper')}"
        return Finding("graph", False, detail, "`graph link` finds their entities")
    return Finding("graph", True, f"{pluralize(number, 'mention')} of {pluralize(entities, 'entity', 'entities')}")


def read(session: Session) -> Finding:
    """Files that failed, or were not read to the end."""
    rows = rows_of(session.catalog.file_rows())
    if unfinished_files := [row.path for row in rows if row.state == "queued"]:
        detail = f"{len(unfinished_files)} begun and not read to the end: '{unfinished_files[0]}'" + (
            " …" if unfinished_files[1:] else ""
        )
        return Finding("files read", False, detail, "Read them again: `retry`")
    failed = [row.path for row in rows if row.state == "failed"]
    remedy = "`status failed=True` says why. Mend them, then: `retry everything=True`; or: `forget FILE`"
    if failed:
        return Finding("files read", False, f"{len(failed)} failed: {names(failed)}", remedy)
    return Finding("files read", True, "all")


def letters(session: Session) -> Finding | None:
    """Files of whose pages a part is in nothing that can be searched: no fault, but to be known."""
    rows = rows_of(session.catalog.file_rows())
    file_notes = [(row.path, note) for row in rows for note in row.notes if note.startswith(LACKING)]
    if not file_notes:
        return None
    examples = "; ".join(f"'{path}': {note.removeprefix(LACKING).strip(': .')}" for path, note in file_notes[:3])
    more = f" (and {len(file_notes) - 3} more)" if len(file_notes) > 3 else ""
    return Finding("letters", True, f"of {len(file_notes)} files not all can be searched{more}: {examples}")


def hidden(session: Session) -> Finding | None:
    """Files that hold text which nobody sees, as their reader noted: it is kept apart, and that is well."""
    paths = [row.path for row in rows_of(session.catalog.file_rows()) if any(map(is_hidden_note, row.notes))]
    if not paths:
        return None
    return Finding("hidden text", True, f"kept apart in {len(paths)} files: {names(paths)} (`inspect FILE`)")


def check_missing(session: Session) -> Finding:
    """Files that papers came from, and are gone."""
    rows = rows_of(session.catalog.file_rows())
    missing_files = [row.path for row in rows if row.papers and row.state == "missing"]
    remedy = (
        "Put them back; or let them go: `forget FILE`, with their papers: `forget FILE papers=True`"
        if missing_files
        else ""
    )
    return Finding(
        "files there",
        not missing_files,
        f"{len(missing_files)} no longer there: {names(missing_files)}" if missing_files else "all",
        remedy,
    )
