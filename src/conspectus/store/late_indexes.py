"""Indexes in the order of words, which a catalog goes without while many papers are added, and gets back sorted.

A paper has about twenty rows in them, each on a page of its own: kept up row by row they were nine tenths of all that
was written. Meanwhile questions by such words read the whole table. On a server other users' questions come first, and
the indexes stay.
"""

from __future__ import annotations

from sqlalchemy import Index, inspect
from sqlalchemy.schema import CreateIndex, DropIndex

from conspectus.store.connection import CatalogReader, writing
from conspectus.store.schema import citations, facets, key_phrases

LATE: tuple[Index, ...] = tuple(
    sorted(
        (
            index
            for table in (facets, key_phrases, citations)
            for index in table.indexes
            if index.name in ("ix_facets_facet_term", "ix_key_phrases_term", "ix_citations_work")
        ),
        key=lambda index: str(index.name),
    )
)
MANY = 2000
"""Below so many new papers in one run all indexes are kept up."""


def missing_indexes(catalog: CatalogReader) -> list[Index]:
    """Those that the catalog lacks."""
    with catalog.engine.connect() as connection:
        there = inspect(connection)
        return [
            index
            for index in LATE
            if index.table is not None
            and index.name not in {stored_index["name"] for stored_index in there.get_indexes(index.table.name)}
        ]


def set_indexes_aside(catalog: CatalogReader) -> None:
    """Go without them until `complete_indexes`; nothing is done on a server."""
    if not catalog.is_shared:
        with writing(catalog.engine) as connection:
            for index in LATE:
                connection.execute(DropIndex(index, if_exists=True))


def complete_indexes(catalog: CatalogReader) -> None:
    """Make those that are missing: after a large `add`, or one that was killed."""
    if not catalog.is_shared:
        for index in missing_indexes(catalog):
            with writing(catalog.engine) as connection:
                connection.execute(CreateIndex(index, if_not_exists=True))
