"""What is made of papers, whatever it is: rows of some tables, of which version, and which papers lack it.

What makes it is in `ingest.derivations`; nothing here knows what there is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Connection, Select, Table, and_, bindparam, delete, exists, func, select, update

from conspectus.core.groups import grouped
from conspectus.store.connection import CatalogReader, delete_where, insert_rows, rows_in
from conspectus.store.schema import derivations, derived, papers

Row = Mapping[str, Any]
"""Values of all columns but the paper's key and a key of the row's own."""


@dataclass(frozen=True, slots=True)
class DerivedRows:
    """The rows of a table that are one derivation's: all, or those that have one of some `values` in a column.

    Of the table `papers` it is `columns` of each paper's own row.
    """

    table: Table
    column: str = ""
    values: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def mine(self) -> list[Any]:
        """What holds of the rows of the table that are this part's."""
        return [self.table.c[self.column].in_(self.values)] if self.column else []


@dataclass(frozen=True, slots=True)
class Derived:
    """What a derivation makes of papers.

    Attributes:
        name: the derivation's, and its `version`.
        parts: where it lies.
        rows: paper -> the rows of each part; none where the paper is to be without, and counts as lacking it.
        digests: paper -> what stands for that of which they were made.
        told: whether the index is told of them.
    """

    name: str
    version: str
    parts: tuple[DerivedRows, ...]
    rows: Mapping[int, Sequence[Sequence[Row]]]
    digests: Mapping[int, bytes]
    tells_index: bool = False

    def put(self, connection: Connection, stored: Stored) -> set[int]:
        """See `Prepared`: of papers that are called by their numbers."""
        keys = stored.keys
        digests = {keys[number]: digest for number, digest in self.digests.items()}
        derived_rows = replace(self, rows={keys[number]: rows for number, rows in self.rows.items()}, digests=digests)
        stored.unnoted.append(derived_rows)
        return _put_parts(connection, derived_rows, stored.fresh)


@dataclass(frozen=True, slots=True)
class Stored:
    """Drafts that are stored but for what is made of them.

    Attributes:
        keys: those of their papers, in their order.
        fresh: the keys of those that are new.
        passages: the keys of their passages, by ids.
        stood: the papers of passages that had a row before, by ids.
        unnoted: what was made of them, to be noted together (`note`).
    """

    keys: Sequence[int]
    fresh: Collection[int]
    passages: Mapping[str, int]
    stood: Mapping[str, int]
    unnoted: list[Derived] = field(default_factory=list)


class Prepared(Protocol):
    """What is made of drafts, before the transaction that stores them."""

    def put(self, connection: Connection, stored: Stored) -> set[int]:
        """Write it; returns the keys of the papers of which the index is to be told otherwise.

        Who stores drafts has to `note` the stored drafts' `unnoted` when all is put.
        """


def save_derivation(connection: Connection, derivation: Derived, fresh: Collection[int] = ()) -> set[int]:
    """Make it what papers have, by their keys, of which the `fresh` ones have nothing yet.

    Returns those of which the index is to be told otherwise. Rows that are as they were are not touched.
    """
    changed = _put_parts(connection, derivation, fresh)
    note(connection, [derivation], fresh)
    return changed


def _put_parts(connection: Connection, derivation: Derived, fresh: Collection[int]) -> set[int]:
    changed: set[int] = set()
    for number, part in enumerate(derivation.parts):
        changed |= put_rows(
            connection, part, {key: rows[number] if rows else () for key, rows in derivation.rows.items()}, fresh
        )
    return changed if derivation.tells_index else set()


def put_rows(
    connection: Connection, part: DerivedRows, rows_by_paper: Mapping[int, Sequence[Row]], fresh: Collection[int] = ()
) -> set[int]:
    """Let papers have exactly these rows of a part; returns the papers where something was otherwise."""
    if part.table is papers:
        return _put_columns(connection, part, rows_by_paper)
    new = [(key, row) for key, rows in rows_by_paper.items() if key in fresh for row in rows]
    old = [key for key in rows_by_paper if key not in fresh]
    gone: list[Row] = []
    changed = {key for key, _ in new}
    stored = _stored(connection, part, old)
    for key in old:
        have = {_values(row, part): row for row in stored.get(key, ())}
        want = {_values(row, part): row for row in rows_by_paper[key]}
        gone += (row for values, row in have.items() if values not in want)
        new += ((key, row) for values, row in want.items() if values not in have)
        if have.keys() != want.keys():
            changed.add(key)
    _delete(connection, part.table, gone)
    insert_rows(connection, part.table, [{"paper_key": key, **row} for key, row in new])
    return changed


def _put_columns(connection: Connection, part: DerivedRows, rows_by_paper: Mapping[int, Sequence[Row]]) -> set[int]:
    columns = [papers.c[name] for name in part.columns]
    none = dict.fromkeys(part.columns)
    values = {key: dict(rows[0]) if rows else none for key, rows in rows_by_paper.items()}
    changed: list[dict[str, Any]] = [
        {"b_key": row.key, **values[row.key]}
        for row in rows_in(connection, select(papers.c.key, *columns), papers.c.key, values)
        if any(values[row.key][name] != getattr(row, name) for name in part.columns)
    ]
    if changed:
        names: dict[str, Any] = {name: bindparam(name) for name in part.columns}
        connection.execute(update(papers).where(papers.c.key == bindparam("b_key")).values(names), changed)
    return {row["b_key"] for row in changed}


def _stored(connection: Connection, part: DerivedRows, keys: Sequence[int]) -> dict[int, list[Row]]:
    query = select(part.table).where(*part.mine)
    rows = rows_in(connection, query, part.table.c.paper_key, keys)
    return grouped((row.paper_key, dict(row._mapping)) for row in rows)


def _values(row: Row, part: DerivedRows) -> tuple[Any, ...]:
    """What a row says, for comparing."""
    names = (column.name for column in part.table.columns if column.name not in ("key", "paper_key"))
    return tuple(row[name] for name in names)


def _delete(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    keys = [column.name for column in table.primary_key.columns]
    if rows:
        same = and_(*(table.c[name] == bindparam(f"b_{name}") for name in keys))
        connection.execute(delete(table).where(same), [{f"b_{name}": row[name] for name in keys} for row in rows])


def note(connection: Connection, unnoted: Sequence[Derived], fresh: Collection[int]) -> None:
    """Note of which papers each derivation is made, of which version and of what."""
    derivations_of_papers = [derivation for derivation in unnoted if derivation.rows]
    if not derivations_of_papers:
        return
    keys = _version_keys(connection, {(derivation.name, derivation.version) for derivation in derivations_of_papers})
    notes: list[dict[str, Any]] = []
    for derivation in derivations_of_papers:
        delete_where(connection, derived.c.paper_key, derivation.rows.keys() - set(fresh), is_of(derivation.name))
        key = keys[derivation.name, derivation.version]
        there = (paper_key for paper_key, rows in derivation.rows.items() if rows)
        notes += (
            {"paper_key": paper_key, "derivation_key": key, "digest": derivation.digests[paper_key]}
            for paper_key in there
        )
    insert_rows(connection, derived, notes)


def _version_keys(connection: Connection, wanted: Collection[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """(name, version) -> key of those versions of derivations, made where they are new."""
    query = select(derivations.c.key, derivations.c.name, derivations.c.version)
    keys = {(row.name, row.version): row.key for row in connection.execute(query)}
    if new := sorted(set(wanted) - keys.keys()):
        insert_rows(connection, derivations, [{"name": name, "version": version} for name, version in new])
        keys = {(row.name, row.version): row.key for row in connection.execute(query)}
    return keys


def is_of(name: str) -> Any:
    """The condition that a row of `derived` is a derivation's, of any version."""
    return derived.c.derivation_key.in_(select(derivations.c.key).where(derivations.c.name == name))


def key_of(catalog: CatalogReader, name: str, version: str) -> int:
    """The key of a version of a derivation; 0 where nothing was ever made of it."""
    query = select(derivations.c.key).where(derivations.c.name == name, derivations.c.version == version)
    return int(catalog.scalar(query) or 0)


def digests(catalog: CatalogReader, paper_keys: Sequence[int], name: str, version: str = "") -> dict[int, bytes | None]:
    """Paper key -> what stands for that of which a version, "": any, was made; None: an earlier one did not say."""
    same = and_(derivations.c.name == name, *([derivations.c.version == version] if version else []))
    query = select(derived.c.paper_key, derived.c.digest).join(derivations).where(same)
    return {row.paper_key: row.digest for row in catalog.rows_where(query, derived.c.paper_key, paper_keys)}


class Noted(NamedTuple):
    """How many papers there are, and (name, version) -> how many of them have what a derivation makes."""

    papers: int = 0
    made: Mapping[tuple[str, str], int] = {}


def noted(catalog: CatalogReader) -> Noted:
    """What is made of the papers of a catalog."""
    number = (
        select(derived.c.derivation_key, func.count().label("number")).group_by(derived.c.derivation_key).subquery()
    )
    query = select(derivations.c.name, derivations.c.version, number.c.number)
    rows = catalog.rows(query.join(number, number.c.derivation_key == derivations.c.key))
    all_papers = catalog.scalar(select(func.count()).select_from(papers))
    return Noted(int(all_papers), {(row.name, row.version): row.number for row in rows})


def lacking(catalog: CatalogReader, name: str, version: str, after: int, limit: int) -> list[int]:
    """The keys of the first papers after a key that lack what a version of a derivation makes, ascending."""
    mine = key_of(catalog, name, version)
    has = exists().where(derived.c.paper_key == papers.c.key, derived.c.derivation_key == mine)
    query: Select[Any] = select(papers.c.key).where(papers.c.key > after, ~has).order_by(papers.c.key).limit(limit)
    return [row.key for row in catalog.rows(query)]
