"""Entities that users take to be another one (K5), which can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from conspectus.catalog import vocabularies as kept
from conspectus.catalog.connection import transact
from conspectus.catalog.mentions import MentionCounts, find_concepts, read_entities
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.library.linking import NONE
from conspectus.records.graph import EntityMerge
from conspectus.session.session import Session


def merge_entities(session: Session, entity: str, into: str) -> EntityMerge:
    """Take an entity for another one wherever papers speak of it; what was merged into it goes along.

    Nothing that was found in papers is changed: `unmerge_entity` undoes it.

    Args:
        entity, into: ids (`VOCABULARY/ID` where several vocabularies have one), or names that only one entity has.

    Raises:
        NotFoundError: there is no such entity.
        UsageError: a name that several have, both are one, or the entity was merged before.
        BusyError: another process, or job of this one, is writing to the library.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with session.writing():
        one, other = _the_one(session, entity), _the_one(session, into)
        if before := dict(kept.list_merges(session.catalog)).get(one):
            raise UsageError(f"'{entity}' was merged into '{before.into_name}' already.", "`unmerge_entity` undoes it.")
        done = one != other and transact(
            session.catalog.engine, partial(kept.merge_concepts, one=one, other=other, made=now)
        )
    if not done:
        raise UsageError(f"'{entity}' and '{into}' are one entity already.", "`entity_merges` lists what was merged.")
    return dict(kept.list_merges(session.catalog))[one]


def unmerge_entity(session: Session, entity: str) -> EntityMerge:
    """Undo `merge_entities` of an entity, by its id or name; what was said of others stays as it was.

    Raises:
        NotFoundError: it was not merged into another one.
        UsageError: a name that several have.
    """
    with session.writing():
        merged = dict(kept.list_merges(session.catalog))
        found = [key for key in find_concepts(session.catalog, entity, resolved=False) if key in merged]
        if not found:
            raise NotFoundError(f"'{entity}' was not merged into another entity.", "`entity_merges` lists what was.")
        if len(found) > 1:
            raise _several(session, entity, found)
        transact(session.catalog.engine, partial(kept.unmerge_concept, one=found[0]))
    return merged[found[0]]


def entity_merges(session: Session) -> tuple[EntityMerge, ...]:
    """The entities that users take to be others, the newest first."""
    return tuple(merge for _, merge in kept.list_merges(session.catalog))


def _the_one(session: Session, name: str) -> int:
    found = find_concepts(session.catalog, name, resolved=False)
    if not found:
        raise NotFoundError(f"No vocabulary of the library has an entity '{name}'.", NONE)
    if len(found) > 1:
        raise _several(session, name, found)
    return found[0]


def _several(session: Session, name: str, keys: Sequence[int]) -> UsageError:
    known = read_entities(session.catalog, dict.fromkeys(keys, MentionCounts(0, 0))).values()
    names = ", ".join(f"{one.vocabulary}/{one.id}" for one in known)
    return UsageError(f"Several entities are called '{name}'.", f"Name one by its id: {names}")
