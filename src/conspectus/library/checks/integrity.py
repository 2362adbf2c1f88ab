"""Checks of the catalog: whether it is whole, can be read, and agrees with itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, ColumnElement, Table, delete, exists, select

from conspectus.ingest.paper_merge import merge
from conspectus.library.checks.check import FIX
from conspectus.parse.text.passages import has_text
from conspectus.records import Finding
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
    place = f"; {server} at {catalog.store.shown}" if server else ""
    return Finding("catalog", True, f"{counts['papers']} papers, {counts['passages']} passages{place}")


def documents(session: Session) -> Finding:
    """What was read of the files has a checksum of its own: a page of a database has none."""
    broken = find_unreadable(session.catalog)
    if not broken:
        return Finding("documents", True, "all can be read")
    names = ", ".join(broken[:3]) + (" …" if len(broken) > 3 else "")
    remedy = "Restore a backup: `library restore FILE replace=True`; or remove these papers and add their files again."
    return Finding("documents", False, f"the stored text of {len(broken)} papers is damaged: {names}", remedy)


def check_orphans(session: Session) -> Finding:
    """Papers that no file speaks of, or without text, and rows without their parent: this program leaves none."""
    orphans = session.catalog.count_orphans()
    bare, empty = _without(session.catalog, schema.documents), _without(session.catalog, schema.passages)
    if orphans or bare:
        return Finding(
            "papers whole", False, f"{orphans} rows without their parent, {len(bare)} papers of no file", FIX
        )
    silent, lost = _without_text(session.catalog, empty)
    if lost:
        again = "Remove them and add their files again."
        return Finding("papers whole", False, f"{len(lost)} papers lost their text, such as {lost[0]}", again)
    told = f"all; {len(silent)} have no text that can be searched, such as {silent[0]}" if silent else "all"
    return Finding("papers whole", True, told)


def _without_text(catalog: Catalog, ids: Sequence[str]) -> tuple[list[str], list[str]]:
    """Of papers without a passage those in whose files there was no text, and those that should have some."""
    found: tuple[list[str], list[str]] = [], []
    for name in ids:
        key = catalog.paper_key(name)
        found[has_text(merge(catalog.documents_of_one(key)))].append(name)
    return found


def identifiers(session: Session) -> Finding:
    """Identifiers of papers that do not agree: it may be wrong in one of them, or they are one paper after all."""
    claimed = session.catalog.claimed(SCHEMES)
    papers = session.catalog.papers_by_key(sorted({key for keys in claimed.values() for key in keys}))
    said = [f"{value} ({', '.join(papers[key].id for key in keys)})" for (_, value), keys in sorted(claimed.items())]
    if not said:
        return Finding("identifiers", True, "each belongs to one paper")
    more = f", and {len(said) - 10} more" if len(said) > 10 else ""
    return Finding(
        "identifiers", True, f"{len(said)} belong to several papers that do not agree: {'; '.join(said[:10])}{more}"
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
        bare = [session.catalog.paper_key(name) for name in _without(session.catalog, schema.documents)]
        removal.drop_papers(connection, bare)
