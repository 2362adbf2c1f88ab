"""The review list: entities that language models found and no vocabulary has, and what users say of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from conspectus.catalog import entities, mentions
from conspectus.catalog.connection import transact
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.records import normal_name
from conspectus.records.graph import REVIEWED, EntityState, NewEntities, NewEntity
from conspectus.session.session import Session

NONE = "`new_entities` lists those that language models found; `link` has one look for them."


def new_entities(
    session: Session, state: EntityState = "new", *, limit: int = 100, offset: int = 0, examples: int = 1
) -> NewEntities:
    """The review list (K5): entities that a language model found and no vocabulary has, most frequent first.

    What was merged into another entity is not among them; `entity_merges` lists that.

    Args:
        state: those that wait (`new`), or those that were `accepted` or `rejected`.
        limit: how many at most.
        offset: how many are passed over.
        examples: sentences of each, at most.

    Raises:
        UsageError: there is no such state.
    """
    if state not in REVIEWED.values():
        raise UsageError(f"No entity is '{state}'.", f"They are: {', '.join(REVIEWED.values())}.")
    found = entities.list_new_entities(session.catalog, state, limit, offset)
    return NewEntities(_with_examples(session, found, examples), entities.count_new_entities(session.catalog, state))


def _with_examples(session: Session, found: Mapping[int, NewEntity], most: int) -> tuple[NewEntity, ...]:
    catalog = session.catalog
    places = entities.new_entity_places(catalog, [one.id for one in found.values()], most)
    return tuple(
        replace(one, examples=tuple(mentions.read_citations(catalog, places.get(one.id, ())))) for one in found.values()
    )


def review_entity(session: Session, entity: str, verdict: str) -> NewEntity:
    """Say of an entity that a language model found what it is.

    Args:
        entity: its id, or a name that only one has.
        verdict: `accept`: texts are searched for its names, too, from the next `link` on; `reject`: no paper speaks of
            it any more, and it does not come back; `undo`: it waits again. `merge_entities` is the fourth thing that
            can be said.

    Returns:
        It as it is now.

    Raises:
        NotFoundError: no model found it, or it is a vocabulary's.
        UsageError: several are called so, or the verdict is none.
        BusyError: another process, or job of this one, is writing to the library.
    """
    if verdict not in REVIEWED:
        raise UsageError(f"'{verdict}' cannot be said of an entity.", f"Say one of: {', '.join(REVIEWED)}.")
    with session.writing():
        key = _called(session, entity)
        transact(session.catalog.engine, partial(entities.set_entity_state, key=key, state=REVIEWED[verdict]))
    return entities.describe_new_entities(session.catalog, entities.count_candidates(session.catalog, [key]))[key]


def _called(session: Session, name: str) -> int:
    found = entities.find_new_entities(session.catalog, name, normal_name(name))
    if not found:
        raise NotFoundError(f"No language model found an entity '{name}'.", NONE)
    if len(found) > 1:
        known = entities.describe_new_entities(
            session.catalog, entities.count_candidates(session.catalog, found)
        ).values()
        raise UsageError(f"Several entities are called '{name}'.", f"Name one: {', '.join(one.id for one in known)}")
    return found[0]
