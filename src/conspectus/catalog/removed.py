"""A paper that is removed, as rows, and back: every row that goes with it is put where it was, and nothing else.

Calls of models, and traces of answers, that had words of it do not come back: they may have words of others that were
removed since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Table, and_, insert, select

from conspectus.catalog import region_rows, writer
from conspectus.catalog.columns import metadata
from conspectus.catalog.connection import insert_rows, rows_in
from conspectus.catalog.schema import answers, call_papers, concepts, derivations, files, models, papers, sets, vectors
from conspectus.core.errors import UsageError

Row = Mapping[str, Any]
NATURAL: Mapping[Table, tuple[str, ...]] = {
    files: ("path",),
    derivations: ("name", "version"),
    models: ("id",),
    sets: ("kind", "term"),
    answers: ("id",),
    concepts: ("vocabulary_key", "id"),
}
"""Tables that rows of a paper name rows of, which may go and come back meanwhile, and what these are known by."""
AGAIN = "Add its files again."


@dataclass(frozen=True, slots=True)
class RemovedRows:
    """Rows of a paper, by tables, parents before their children, and the rows of other tables that they name.

    `map`: what the map lost with it.
    """

    own: Mapping[Table, Sequence[Row]]
    named: Mapping[Table, Sequence[Row]]
    map: region_rows.Regions | None = None

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        values = (value for rows in self.own.values() for row in rows for value in row.values())
        return sum(len(value) if isinstance(value, bytes | str) else 8 for value in values)


def take(connection: Connection, paper_key: int) -> RemovedRows:
    """Remove a paper; returns all that went with it."""
    rows, before = taken(connection, paper_key), region_rows.all_rows(connection)
    writer.delete_papers(connection, [paper_key])
    return replace(rows, map=before.otherwise(region_rows.all_rows(connection)))


def taken(connection: Connection, paper_key: int) -> RemovedRows:
    """All rows that go with a paper, before it is removed in the same transaction."""
    own: dict[Table, Sequence[Row]] = {papers: _where(connection, papers, "key", [paper_key])}
    named: dict[Table, dict[int, Row]] = {}
    for table in metadata.sorted_tables:
        parents = {column: next(iter(column.foreign_keys)).column.table for column in table.c if column.foreign_keys}
        of = next((column for column, parent in parents.items() if parent in own), None)
        if of is None or table is call_papers:
            continue
        own[table] = _where(connection, table, of.name, [row["key"] for row in own[parents[of]]])
        for column, parent in parents.items():
            if parent not in own:
                wanted = sorted({row[column.name] for row in own[table]} - {None})
                found = _where(connection, parent, "key", wanted)
                named.setdefault(parent, {}).update({row["key"]: row for row in found})
    return RemovedRows(own, {table: tuple(rows.values()) for table, rows in named.items()})


def put_back(connection: Connection, removed: RemovedRows) -> int:
    """Put the rows where they were; the paper's key. What they name and that is no longer there they are without.

    Raises:
        UsageError: the paper is there again, its file was read again and says otherwise, or the library has been
            embedded with another model since; nothing is done.
    """
    (paper,) = removed.own[papers]
    there = papers.c.id == paper["id"]
    if connection.scalar(select(papers.c.key).where(there | (papers.c.key == paper["key"]))) is not None:
        raise UsageError(f"The paper '{paper['id']}' is in the library again.", "Remove that one first.")
    keys = {table: _present(connection, table, rows) for table, rows in removed.named.items()}
    for table, rows in removed.own.items():
        insert_rows(
            connection, table, [row for row in (_pointing(table, row, keys) for row in rows) if row is not None]
        )
    if removed.map is not None:
        region_rows.put_back(connection, removed.map)
    writer.bump(connection)
    return int(paper["key"])


def _where(connection: Connection, table: Table, column: str, values: Iterable[Any]) -> list[Row]:
    return [dict(row._mapping) for row in rows_in(connection, select(table), table.c[column], values)]


def _present(connection: Connection, table: Table, rows: Sequence[Row]) -> dict[int, int]:
    """Key then -> key now of rows that a paper names; those that went with it are made again."""
    found: dict[int, int] = {}
    for row in rows:
        same = and_(*(table.c[name] == row[name] for name in NATURAL[table]))
        now = connection.execute(select(table).where(same)).mappings().first()
        if table is files and now and now["sha256"] != row["sha256"]:
            raise UsageError(f"The file '{row['path']}' was read again since, and is another.", AGAIN)
        if table is models and not now and connection.scalar(select(vectors.c.model_key).limit(1)) is not None:
            raise UsageError("The library was embedded with another model since.", AGAIN)
        if now:
            found[row["key"]] = now["key"]
        elif not _meant_to_go(table, row):
            made = connection.execute(insert(table).values(_insertable(table, row))).inserted_primary_key
            assert made is not None
            found[row["key"]] = made[0]
    return found


def _meant_to_go(table: Table, row: Row) -> bool:
    """Whether somebody removed it by itself; an entity that a model found goes with the last paper that has it."""
    return table is answers or row.get("kind") == "collection" or (table is concepts and not row["state"])


def _pointing(table: Table, row: Row, keys: Mapping[Table, Mapping[int, int]]) -> Row | None:
    """A row with the keys of now; None where what it names is gone."""
    values = dict(_insertable(table, row))
    for column in table.c:
        parents = [key.column.table for key in column.foreign_keys]
        if not parents or parents[0] not in keys or values[column.name] is None:
            continue
        if (now := keys[parents[0]].get(values[column.name])) is None:
            return None
        values[column.name] = now
    return values


def _insertable(table: Table, row: Row) -> Row:
    """A row without a number that may have been given to another since."""
    if "key" not in table.c or table.dialect_options["sqlite"]["autoincrement"]:
        return row
    return {name: value for name, value in row.items() if name != "key"}
