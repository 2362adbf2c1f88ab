"""The connections of a catalog: where it is, one moment of it, and questions put to it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sqlalchemy import BindParameter, Connection, Row, Select, Table, bindparam, delete, event, insert, select

from conspectus.catalog.engine import Store, open_engine
from conspectus.catalog.postgres import PostgresStore
from conspectus.catalog.sqlite import SqliteStore
from conspectus.core.errors import closed

T = TypeVar("T")

CHUNK = 500
"""Values in one IN list, below the limit of every SQLite build."""
BATCH = 10_000
"""Rows that are read at once of a question that finds many."""
_VALUES: BindParameter[Any] = bindparam("values", expanding=True)  # far quicker than a list within the query


def chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """`values` in stretches that fit one IN list."""
    for start in range(0, len(values), CHUNK):
        yield values[start : start + CHUNK]


def rows_in(connection: Connection, query: Select[Any], column: Any, values: Iterable[Any]) -> Iterator[Row[Any]]:
    """What a question finds within a transaction where `column` has one of `values`, in stretches of these."""
    wanted = query.where(column.in_(_VALUES))
    for chunk in chunks(list(values)):
        yield from connection.execute(wanted, {"values": chunk}, execution_options={"binary": True}).all()


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows, if there are any."""
    if rows:
        connection.execute(insert(table), rows)


def drop(connection: Connection, column: Any, values: Iterable[Any], *conditions: Any) -> None:
    """Delete the rows of a table where `column` has one of `values`, and that meet the conditions."""
    for chunk in chunks(list(values)):
        connection.execute(delete(column.table).where(column.in_(chunk), *conditions))


def keys_of(connection: Connection, table: Table, ids: Sequence[str]) -> dict[str, int]:
    """The keys of the rows of a table, by their ids."""
    return {row.id: row.key for row in rows_in(connection, select(table.c.id, table.c.key), table.c.id, ids)}


class Connected:
    """A catalog that is open; a context manager.

    Args:
        path: the SQLite file in the library's folder.
        url: of a PostgreSQL database that has the catalog instead; "": none.
        schema: the catalog's schema there.
        create: whether it is made where there is none.
    """

    def __init__(self, path: Path, url: str = "", schema: str = "conspectus", *, create: bool = True) -> None:
        self.path = path
        self.store: Store = PostgresStore(url, schema) if url else SqliteStore(path)
        self.engine = open_engine(self.store, create=create)
        self._snapshot: Connection | None = None

    def close(self) -> None:
        """Give the connections back; there are no others, and whoever wants one is told why."""
        self.engine.dispose()
        event.listen(self.engine, "do_connect", _refuse)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator[Self]:
        """This catalog as it stands now, for one thread: what others write meanwhile is not seen, nor waited for."""
        if self._snapshot is not None:
            yield self
            return
        options = {"isolation_level": "REPEATABLE READ"} if self.is_shared else {}
        with self.engine.connect().execution_options(**options) as connection, connection.begin():
            view = copy.copy(self)
            view._snapshot = connection
            yield view

    @property
    def is_shared(self) -> bool:
        """Whether it is on a server, where other machines may write to it."""
        return isinstance(self.store, PostgresStore)

    def is_being_written(self) -> bool:
        """Whether somebody has the server's writer lock; False where there is no server."""
        if not isinstance(self.store, PostgresStore):
            return False
        with self.engine.connect() as connection:
            return self.store.is_held(connection)

    def size(self) -> int:
        """How many bytes the catalog takes."""
        with self.engine.connect() as connection:
            return self.store.size(connection)

    def erase_deleted(self) -> None:
        """Rewrite the catalog's files without what deleted rows left in them; see `Store.erase_deleted`."""
        self.store.erase_deleted(self.engine)

    def trouble(self) -> str:
        """What is wrong with the catalog as a database; "" where nothing is."""
        with self.engine.connect() as connection:
            return self.store.check(connection)

    def rows(self, query: Select[Any], values: Mapping[str, Any] | None = None) -> Sequence[Row[Any]]:
        """The rows that a question finds, with the values of its parameters."""
        with self._connection() as connection:
            return connection.execute(query, values, execution_options={"binary": True}).all()

    def rows_where(self, query: Select[Any], column: Any, values: Iterable[Any]) -> Iterator[Row[Any]]:
        """The rows that a question finds where `column` has one of `values`, in stretches of these."""
        wanted = query.where(column.in_(_VALUES))
        for chunk in chunks(list(values)):
            yield from self.rows(wanted, {"values": chunk})

    def pages(self, query: Select[Any], column: Any, after: Any, most: int = CHUNK) -> Iterator[Sequence[Row[Any]]]:
        """All rows that a question finds behind `after`, in the order of `column`, which it has; `most` at once."""
        while rows := self.rows(query.where(column > after).order_by(column).limit(most)):
            yield rows
            after = getattr(rows[-1], column.key)

    def columns(self, query: Select[Any]) -> list[list[Any]]:
        """The columns of what a question finds, as the driver has the values; quicker than rows of many."""
        made: list[list[Any]] = [[] for _ in query.selected_columns]
        with self._connection() as connection, connection.execute(query) as found:
            assert found.cursor is not None
            while rows := found.cursor.fetchmany(BATCH):
                for column, values in zip(made, zip(*rows, strict=True), strict=True):
                    column.extend(values)
        return made

    def numbers(self, query: Select[Any]) -> npt.NDArray[np.int64]:
        """The first column of what a question finds, int64; the rows are never in memory together."""
        options = {"yield_per": BATCH}
        with self._connection() as connection, connection.scalars(query, execution_options=options) as found:
            return np.fromiter(found, np.int64)

    def scalar(self, query: Select[Any]) -> Any:
        """The first value that a question finds; None where there is none."""
        with self._connection() as connection:
            return connection.scalar(query)

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        if self._snapshot is not None:
            yield self._snapshot
        else:
            with self.engine.connect() as connection:
                yield connection


def _refuse(*_: object) -> None:
    raise closed()
