"""Concepts that users take to be others: what they said (`said_key`), and what follows from all of it (`into_key`)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from conspectus.catalog.connection import CatalogReader
from conspectus.catalog.mentions import note_change
from conspectus.catalog.schema import concepts, merges
from conspectus.records.graph import EntityMerge


def merge(connection: Connection, one: int, other: int, made: str) -> bool:
    """Let a concept that was not merged yet, and those that were merged into it, be another one.

    False, and nothing is done, where the other one is that already, or was merged into it.
    """
    said = _said(connection)
    if one in said or _end(said, other) == one:
        return False
    connection.execute(insert(merges), {"concept_key": one, "said_key": other, "into_key": other, "made": made})
    _follow(connection)
    return True


def unmerge(connection: Connection, one: int) -> None:
    """Let a concept, and those that were merged into it, be itself again."""
    connection.execute(delete(merges).where(merges.c.concept_key == one))
    _follow(connection)


def without(connection: Connection, gone: Collection[int]) -> None:
    """What was merged through concepts that are to be deleted is what these were merged into, if that stays.

    Where none of the chain stays, it is itself again.
    """
    said, leaving = _said(connection), set(gone)
    if not leaving.intersection(said.keys() | said.values()):
        return
    for key, before in said.items():
        other, own = _end({one: said[one] for one in leaving & said.keys()}, before), merges.c.concept_key == key
        if key in leaving or other in leaving:
            connection.execute(delete(merges).where(own))
        elif other != before:
            connection.execute(update(merges).where(own).values(said_key=other))
    _follow(connection)


def _said(connection: Connection) -> dict[int, int]:
    return {
        row.concept_key: row.said_key for row in connection.execute(select(merges.c.concept_key, merges.c.said_key))
    }


def _end(said: dict[int, int], key: int) -> int:
    while key in said:
        key = said[key]
    return key


def _follow(connection: Connection) -> None:
    """Let each concept be what the chain of those that it was merged into ends with."""
    said = _said(connection)
    for key in said:
        connection.execute(update(merges).where(merges.c.concept_key == key).values(into_key=_end(said, key)))
    note_change(connection)


def merged(catalog: CatalogReader) -> list[tuple[int, EntityMerge]]:
    """The keys of concepts that were merged into others, with what users said, the newest first."""
    one, other = concepts.alias(), concepts.alias()
    columns: list[Any] = [merges.c.concept_key, one.c.id, one.c.label, other.c.id, other.c.label, merges.c.made]
    query = select(*columns).join(one, one.c.key == merges.c.concept_key).join(other, other.c.key == merges.c.said_key)
    rows = catalog.rows(query.order_by(merges.c.made.desc(), merges.c.concept_key.desc()))
    return [(key, EntityMerge(*said)) for key, *said in (tuple(row) for row in rows)]
