"""Concepts that are another one: merged by users, or because vocabularies say so; read and written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal

from sqlalchemy import Connection, bindparam, delete, insert, or_, select, update

from conspectus.records.graph import EntityMerge
from conspectus.records.vocabularies import LinkKind
from conspectus.store.connection import CatalogReader
from conspectus.store.entities import note_graph_change
from conspectus.store.graph_tables import concept_links, concepts, merges

AUTOMATIC = ""
"""`merges.made` of what vocabularies say is the same; users' merges have a time."""


def merge_concepts(connection: Connection, key: int, other: int, made: str) -> bool:
    """Let a concept that was not merged yet, and those that were merged into it, be another one.

    False, and nothing is done, where the other one is that already, or was merged into it. What vocabularies say of it
    counts no more.
    """
    mine = merges.c.concept_key == key
    connection.execute(delete(merges).where(mine, or_(merges.c.made == AUTOMATIC, merges.c.said_key == key)))
    target_by_key = _read_merges(connection)
    if key in target_by_key or _end_of_chain(target_by_key, other) == key:
        return False
    connection.execute(insert(merges), {"concept_key": key, "said_key": other, "into_key": other, "made": made})
    resolve_merges(connection)
    return True


def unmerge_concept(connection: Connection, key: int, now: str) -> None:
    """Let a concept, and those that were merged into it, be itself again.

    If vocabularies say that it is another one, a row that merges it into itself keeps it separate from now on.
    """
    mine = merges.c.concept_key == key
    connection.execute(delete(merges).where(mine, merges.c.made != AUTOMATIC))
    connection.execute(update(merges).where(mine).values(said_key=key, into_key=key, made=now))
    resolve_merges(connection)


def bypass_merges(connection: Connection, deleted_keys: Collection[int]) -> None:
    """What was merged through concepts that are to be deleted is what these were merged into, if that stays.

    Where none of the chain stays, it is itself again.
    """
    target_by_key, leaving = _read_merges(connection), set(deleted_keys)
    if not leaving.intersection(target_by_key.keys() | target_by_key.values()):
        return
    for key, before in target_by_key.items():
        other = _end_of_chain({concept: target_by_key[concept] for concept in leaving & target_by_key.keys()}, before)
        clause = merges.c.concept_key == key
        if key in leaving or other in leaving:
            connection.execute(delete(merges).where(clause))
        elif other != before:
            connection.execute(update(merges).where(clause).values(said_key=other))
    resolve_merges(connection)


def _read_merges(connection: Connection) -> dict[int, int]:
    return {
        row.concept_key: row.said_key for row in connection.execute(select(merges.c.concept_key, merges.c.said_key))
    }


def _end_of_chain(target_by_key: dict[int, int], key: int) -> int:
    while target_by_key.get(key, key) != key:
        key = target_by_key[key]
    return key


def resolve_merges(connection: Connection) -> None:
    """Let each concept be what the chain of those that it was merged into ends with."""
    rows = connection.execute(select(merges.c.concept_key, merges.c.said_key, merges.c.into_key)).all()
    target_by_key = {row.concept_key: row.said_key for row in rows}
    ends = {row.concept_key: end for row in rows if (end := _end_of_chain(target_by_key, row.said_key)) != row.into_key}
    if ends:
        statement = update(merges).where(merges.c.concept_key == bindparam("b_key")).values(into_key=bindparam("b_end"))
        connection.execute(statement, [{"b_key": key, "b_end": end} for key, end in ends.items()])
    note_graph_change(connection)


def automatic_merges(catalog: CatalogReader) -> dict[int, int]:
    """Concept -> that which stands for it and for all that vocabularies say is the same."""
    query = select(merges.c.concept_key, merges.c.said_key).where(merges.c.made == AUTOMATIC)
    return {row.concept_key: row.said_key for row in catalog.rows(query)}


def list_merges(catalog: CatalogReader, *, automatic: bool = False) -> list[tuple[int, EntityMerge]]:
    """The keys of concepts that were merged into others, with what users said, the newest first.

    `automatic`: also what vocabularies say is the same, the last.
    """
    ours, other = concepts.alias(), concepts.alias()
    columns: list[Any] = [merges.c.concept_key, ours.c.id, ours.c.label, other.c.id, other.c.label, merges.c.made]
    query = (
        select(*columns).join(ours, ours.c.key == merges.c.concept_key).join(other, other.c.key == merges.c.said_key)
    )
    query = query.where(merges.c.said_key != merges.c.concept_key)
    query = query if automatic else query.where(merges.c.made != AUTOMATIC)
    rows = [tuple(row) for row in catalog.rows(query.order_by(merges.c.made.desc(), merges.c.concept_key.desc()))]
    ends = {end for row in rows if row[-1] == AUTOMATIC for end in (row[1], row[3])}
    links = select(concepts.c.id, concept_links.c.target, concept_links.c.kind).join(concepts)
    kinds = {
        (row.id, row.target, row.kind) for row in catalog.rows_where(links, concepts.c.id, ends) if row.target in ends
    }
    entries = []
    for key, entity, name, into, into_name, date in rows:
        why: Literal["", "replaced", "same", "cross-reference", "name"] = ""
        if date == AUTOMATIC:
            both = ((entity, into), (into, entity))
            why = next((why for kind, why in _REASONS.items() if {(*ends, kind) for ends in both} & kinds), "name")
        entries.append((key, EntityMerge(entity, name, into, into_name, date, why)))
    return entries


_REASONS: Mapping[str, Literal["replaced", "same", "cross-reference"]] = {
    LinkKind.REPLACED_BY: "replaced",
    LinkKind.SAME: "same",
    LinkKind.XREF: "cross-reference",
}
