"""Entities that users take to be another one (K5), which can be undone."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from conspectus.catalog import mentions as kept
from conspectus.catalog.engine import transact
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.library.linking import NONE
from conspectus.library.session import Session
from conspectus.records.graph import EntityMerge


def merge_entities(session: Session, entity: str, into: str) -> EntityMerge:
    """Take an entity for another one wherever papers speak of it; what was merged into it goes along.

    Nothing that was found in papers is changed: `unmerge_entity` undoes it.

    Args:
        entity, into: ids, or names that only one entity has.

    Raises:
        NotFoundError: there is no such entity.
        UsageError: a name that several have, or both are one.
        BusyError: another process, or job of this one, is writing to the library.
    """
    one, other = _the_one(session, entity), _the_one(session, into)
    if one == other:
        raise UsageError(f"'{entity}' and '{into}' are one entity already.", "`entity_merges` lists what was merged.")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with session.writing():
        transact(session.catalog.engine, partial(kept.merge, one=one, other=other, made=now))
    return next(merge for key, merge in kept.merged(session.catalog) if key == one)


def unmerge_entity(session: Session, entity: str) -> EntityMerge:
    """Undo `merge_entities` of an entity, by its id or name.

    Raises:
        NotFoundError: it was not merged into another one.
    """
    for key, merge in kept.merged(session.catalog):
        if entity in (merge.entity, merge.label):
            with session.writing():
                transact(session.catalog.engine, partial(kept.unmerge, one=key))
            return merge
    raise NotFoundError(f"'{entity}' was not merged into another entity.", "`entity_merges` lists what was.")


def entity_merges(session: Session) -> tuple[EntityMerge, ...]:
    """The entities that users take to be others, the newest first."""
    return tuple(merge for _, merge in kept.merged(session.catalog))


def _the_one(session: Session, name: str) -> int:
    found = kept.called(session.catalog, name)
    if not found:
        raise NotFoundError(f"No vocabulary of the library has an entity '{name}'.", NONE)
    if len(found) > 1:
        names = ", ".join(kept.ids(session.catalog, found).values())
        raise UsageError(f"Several entities are called '{name}'.", f"Name one by its id: {names}")
    return found[0]
