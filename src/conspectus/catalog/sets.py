"""Tags and collections: sets of papers that users name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from sqlalchemy import Connection, delete, exists, func, insert, or_, select, update

from conspectus.catalog.connection import CatalogReader, delete_where, insert_rows
from conspectus.catalog.retention import hold
from conspectus.catalog.schema import meta, passages, set_papers, sets
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.records import Filters
from conspectus.records.curation import PaperSet, SetKind, checked_name
from conspectus.records.filters import SETS, set_term


def called(kind: str, terms: Sequence[str]) -> Any:
    """The condition on `sets` that it is of a kind, and has one of the names, or one of them as its id."""
    return (sets.c.kind == kind) & or_(sets.c.term.in_(terms), sets.c.id.in_(terms))


def listed(catalog: CatalogReader, kind: SetKind) -> tuple[PaperSet, ...]:
    """All tags, or all collections, by name."""
    number = select(func.count()).where(set_papers.c.set_key == sets.c.key).scalar_subquery()
    rows = catalog.rows(select(sets, number.label("papers")).where(sets.c.kind == kind).order_by(sets.c.term))
    return tuple(PaperSet(row.id, kind, row.name, row.papers, row.made) for row in rows)


def find(catalog: CatalogReader, kind: SetKind, name: str) -> PaperSet:
    """The tag or the collection of a name, in any case, or of an id.

    Raises:
        NotFoundError: there is none.
    """
    term = set_term(name)
    found = [one for one in listed(catalog, kind) if term in (one.id, set_term(one.name))]
    if not found:
        raise _missing(kind, name)
    return next((one for one in found if one.id == term), found[0])


def _missing(kind: SetKind, name: str) -> NotFoundError:
    return NotFoundError(f"There is no {kind} '{checked_name(name, kind)}'.", f"`{kind}s` lists them.")


def check(catalog: CatalogReader, filters: Filters) -> None:
    """See that the collections that are asked for exist: one that does not is a mistake, and not an empty one.

    Raises:
        NotFoundError: one of them does not.
    """
    for name in filters.collection:
        find(catalog, "collection", name)


def terms(catalog: CatalogReader, kind: str) -> list[str]:
    """The names of all tags or collections, for comparing, in order."""
    return [row.term for row in catalog.rows(select(sets.c.term).where(sets.c.kind == kind).order_by(sets.c.term))]


def of_papers(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, dict[str, tuple[str, ...]]]:
    """Paper key -> kind -> the names of its tags or collections, in order."""
    query = select(set_papers.c.paper_key, sets.c.kind, sets.c.name).join(sets, sets.c.key == set_papers.c.set_key)
    found: dict[int, dict[str, tuple[str, ...]]] = {}
    for row in catalog.rows_where(query.order_by(sets.c.term), set_papers.c.paper_key, paper_keys):
        own = found.setdefault(row.paper_key, {})
        own[row.kind] = (*own.get(row.kind, ()), row.name)
    return found


def passages_in(catalog: CatalogReader, kind: str, names: Sequence[str]) -> tuple[int, ...]:
    """The keys of the passages of all papers in one of the tags or collections, ascending."""
    chosen = select(sets.c.key).where(called(kind, names))
    members = select(set_papers.c.paper_key).where(set_papers.c.set_key.in_(chosen))
    return tuple(sorted(catalog.numbers(select(passages.c.key).where(passages.c.paper_key.in_(members))).tolist()))


def make(connection: Connection, kind: SetKind, set_id: str, name: str, made: str) -> str:
    """Begin a set, where there is none of this name; returns the id of the one there is then."""
    connection.execute(select(meta.c.value).where(meta.c.name == "catalog").with_for_update())  # one maker at a time
    known = _known(connection, kind, name)
    if known:
        return known
    connection.execute(insert(sets).values(id=set_id, kind=kind, name=name, term=set_term(name), made=made))
    return set_id


def id_of(connection: Connection, kind: SetKind, name: str) -> str:
    """The id of the set of a name or an id, as the transaction sees it.

    Raises:
        NotFoundError: there is none.
    """
    known = _known(connection, kind, name)
    if not known:
        raise _missing(kind, name)
    return known


def _known(connection: Connection, kind: SetKind, name: str) -> str:
    term = set_term(name)
    query = select(sets.c.id).where(called(kind, [term])).order_by(sets.c.id != term, sets.c.key)
    return connection.scalar(query.limit(1)) or ""


def rename(connection: Connection, set_id: str, name: str) -> None:
    """Give a collection another name.

    Raises:
        UsageError: another one has it.
    """
    same = (sets.c.kind == "collection") & (sets.c.term == set_term(name)) & (sets.c.id != set_id)
    if connection.scalar(select(sets.c.key).where(same)) is not None:
        raise UsageError(f"There is a collection '{name}' already.", "Choose another name, or put the papers into it.")
    connection.execute(update(sets).where(sets.c.id == set_id).values(name=name, term=set_term(name)))


def remove(connection: Connection, set_id: str) -> None:
    """Delete a set; its papers stay."""
    connection.execute(delete(sets).where(sets.c.id == set_id))


def put(connection: Connection, set_id: str, paper_ids: Iterable[str]) -> None:
    """Put papers into a set; those that are in it, or gone, are left out.

    Raises:
        NotFoundError: another has deleted the set meanwhile.
    """
    key = connection.scalar(select(sets.c.key).where(sets.c.id == set_id).with_for_update())
    if key is None:
        raise NotFoundError("It was deleted meanwhile.", "Make it again.")
    there = set(connection.scalars(select(set_papers.c.paper_key).where(set_papers.c.set_key == key)))
    new = [{"set_key": key, "paper_key": one} for one in hold(connection, paper_ids).values() if one not in there]
    insert_rows(connection, set_papers, new)


def take(connection: Connection, set_id: str, paper_keys: Sequence[int]) -> None:
    """Take papers out of a set. A tag that no paper has is gone."""
    key = select(sets.c.key).where(sets.c.id == set_id).scalar_subquery()
    delete_where(connection, set_papers.c.paper_key, paper_keys, set_papers.c.set_key == key)
    drop_unused(connection)


def drop_unused(connection: Connection) -> None:
    """Delete tags that no paper has: nobody made them for their own sake."""
    used = exists().where(set_papers.c.set_key == sets.c.key)
    connection.execute(delete(sets).where(sets.c.kind == "tag", ~used))


KINDS: tuple[SetKind, ...] = get_args(SetKind)
assert KINDS == SETS
