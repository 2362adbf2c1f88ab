"""Entities that models found and no vocabulary has: those that wait, and what users say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, delete, func, or_, select, text, update

from conspectus.catalog.candidates import settle
from conspectus.catalog.connection import CatalogReader
from conspectus.catalog.mentions import Place, Together, note_change
from conspectus.catalog.schema import candidates, concept_names, concepts, mentions, merges
from conspectus.core.grouped import grouped
from conspectus.records.entities import EntityState, NewEntity


def listed(catalog: CatalogReader, state: EntityState, limit: int, after: int = 0) -> dict[int, NewEntity]:
    """Those of a state that no one merged, by their keys, those first that most sentences have."""
    query = _counted().where(_waiting(state)).order_by(text("sentences DESC"), concepts.c.key)
    return described(catalog, _together(catalog.rows(query.limit(limit).offset(after))))


def counts(catalog: CatalogReader, keys: Iterable[int]) -> dict[int, Together]:
    """How much speaks of entities, by their keys, as models read it."""
    return _together(catalog.rows_where(_counted(), concepts.c.key, keys))


def _counted() -> Select[Any]:
    said = select(candidates.c.entity, candidates.c.paper_key, candidates.c.span).where(candidates.c.kept)
    own = said.distinct().subquery()
    numbers = func.count(own.c.span).label("sentences"), func.count(own.c.paper_key.distinct()).label("papers")
    return select(concepts.c.key, *numbers).outerjoin(own, own.c.entity == concepts.c.id).group_by(concepts.c.key)


def _together(rows: Iterable[Any]) -> dict[int, Together]:
    return {row.key: Together(row.sentences, row.papers) for row in rows}


def described(catalog: CatalogReader, counts: Mapping[int, Together]) -> dict[int, NewEntity]:
    """Entities by their keys, with how much speaks of them."""
    query = select(concept_names.c.concept_key, concept_names.c.text).order_by(concept_names.c.ordinal)
    names = grouped(
        (row.concept_key, row.text) for row in catalog.rows_where(query, concept_names.c.concept_key, counts)
    )
    own = select(concepts.c.key, concepts.c.id, concepts.c.label, concepts.c.state)
    rows = {row.key: row for row in catalog.rows_where(own, concepts.c.key, counts)}
    return {
        key: NewEntity(row.id, row.label, tuple(names.get(key, ())), row.state, one.papers, one.sentences)
        for key, one in counts.items()
        if (row := rows.get(key))
    }


def total(catalog: CatalogReader, state: EntityState = "new") -> int:
    """How many there are of a state that no one merged."""
    return int(catalog.scalar(select(func.count()).select_from(concepts).where(_waiting(state))))


def _waiting(state: EntityState) -> ColumnElement[bool]:
    return and_(concepts.c.state == state, concepts.c.key.not_in(select(merges.c.concept_key)))


def places(catalog: CatalogReader, ids: Iterable[str], most: int) -> dict[str, list[Place]]:
    """Id -> some of the sentences in which a model read the entity."""
    found: dict[str, list[Place]] = {}
    own = select(candidates.c.paper_key, candidates.c.span, candidates.c.passage).where(candidates.c.kept).distinct()
    for name in ids if most else ():
        query = own.where(candidates.c.entity == name).order_by(candidates.c.paper_key, candidates.c.span)
        found[name] = [Place(row.paper_key, row.span, row.passage) for row in catalog.rows(query.limit(most))]
    return found


def called(catalog: CatalogReader, id: str, term: str) -> list[int]:
    """The keys of those that have an id, or a name."""
    named = select(concept_names.c.concept_key).where(concept_names.c.term == term)
    is_called = or_(concepts.c.id == id, concepts.c.key.in_(named)) if term else concepts.c.id == id
    return [row.key for row in catalog.rows(select(concepts.c.key).where(concepts.c.state != "", is_called))]


def say(connection: Connection, key: int, state: EntityState) -> bool:
    """Say what an entity is; its mentions follow. Whether that was something new.

    Where it was found by an accepted name alone it is no longer spoken of, if it is not accepted.
    """
    mine = concepts.c.key == key
    if not connection.execute(update(concepts).where(mine, concepts.c.state != state).values(state=state)).rowcount:
        return False
    if state != "accepted":
        connection.execute(delete(mentions).where(mentions.c.concept_key == key))
    settle(connection, str(connection.scalar(select(concepts.c.id).where(mine))))
    note_change(connection)
    return True
