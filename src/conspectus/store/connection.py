"""Opening a catalog, reading it, and transactions that write to it."""

from __future__ import annotations

import copy
import logging
import random
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from sqlalchemy import (
    BindParameter,
    Connection,
    Engine,
    Row,
    Select,
    Table,
    bindparam,
    delete,
    event,
    insert,
    select,
    text,
    update,
)

from conspectus.core.errors import (
    BusyError,
    LibraryDamagedError,
    LibraryTooNewError,
    NotFoundError,
    ServiceAwayError,
    closed,
)
from conspectus.store.codec import unpack_json
from conspectus.store.columns import metadata
from conspectus.store.followers import followed, note_touched
from conspectus.store.postgres import PostgresStore
from conspectus.store.schema import (
    SCHEMA_VERSION,
    UPGRADES,
    meta,
)
from conspectus.store.sqlite import SqliteStore

T = TypeVar("T")

TRIES = 5
for _name in ("sqlalchemy", "psycopg"):  # else a connection lost at the end is a traceback
    logging.getLogger(_name).addHandler(logging.NullHandler())
_held_connections: WeakKeyDictionary[Engine, Connection] = WeakKeyDictionary()


class Store(Protocol):
    """Where a catalog is kept, and what is special about that place.

    Attributes:
        display_name: how messages call it; without a password.
        index_name: the folder, in the library's, of the index that follows it. Known after `opened`.
        server: the server's name and version, where there is one. Known after `opened`.
    """

    display_name: str
    index_name: str
    server: str

    def make_engine(self) -> Engine:
        """Connections, whose errors are ours."""

    def tables(self, connection: Connection) -> set[str]:
        """The names of the tables that are there."""

    def foreign(self) -> LibraryDamagedError:
        """The error to raise where the tables are not a catalog's."""

    def before_making(self, engine: Engine) -> None:
        """What must be done before the first table is made."""

    def begin_making(self, connection: Connection) -> None:
        """Called in the transaction that makes or migrates tables: nobody else may do so until it ends."""

    def after_making(self, connection: Connection) -> None:
        """Called when the tables are there, in the same transaction."""

    def on_opened(self, connection: Connection) -> None:
        """Called when the catalog is there and of this version."""

    def size(self, connection: Connection) -> int:
        """How many bytes the catalog takes, with its log and indexes."""

    def table_sizes(self, connection: Connection) -> dict[str, int]:
        """Table -> its bytes with those of its indexes; empty where the database cannot say."""

    def check(self, connection: Connection) -> str:
        """What is wrong with the catalog as a database; "" where nothing is."""

    def count_orphans(self, connection: Connection) -> int:
        """The number of rows that name a row which is not there."""

    def erase_deleted(self, engine: Engine) -> None:
        """Rewrite the catalog's files without what deleted rows left in them."""


def open_engine(store: Store | Path, *, create: bool = True) -> Engine:
    """Open a catalog (a path: of SQLite), created if there is none (with `create`) and upgraded if it is older.

    Raises:
        LibraryTooNewError: a newer Conspectus wrote it; it is left untouched.
        LibraryDamagedError: it is not a database, or not a catalog.
        NotFoundError: there is none, and `create` is False.
    """
    store = SqliteStore(store) if isinstance(store, Path) else store
    engine = store.make_engine()
    try:
        with engine.connect() as connection:
            version = _read_version(connection, store)
        if version is None and not create:
            raise NotFoundError(f"There is no library at '{store.display_name}' yet.", "Make one with `add FILES…`.")
        if version is None:
            store.before_making(engine)
        if version != SCHEMA_VERSION:
            migrate(engine, store)
        with engine.connect() as connection:
            store.on_opened(connection)
    except BaseException:
        engine.dispose()
        raise
    return engine


@contextmanager
def aside(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes what neither the index nor `add` looks at: it needs no lock, and holds nobody up.

    Never within `writing` of the same catalog: SQLite lets one write at a time, and this one would wait for the other.
    """
    with engine.connect().execution_options(write=True) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes: all of it is kept, or nothing."""
    if (held_connection := _held_connections.get(engine)) is not None:
        if held_connection.invalidated:  # the lock went with the connection: another may be writing now
            where = engine.url.set(password=None, drivername="postgresql")
            raise ServiceAwayError(f"The connection to '{where}' was lost.", "Run the same command again.")
        with held_connection.begin(), followed(engine, held_connection):
            yield held_connection
        return
    with aside(engine) as connection, followed(engine, connection):
        yield connection


@contextmanager
def writing_through(engine: Engine, connection: Connection) -> Iterator[None]:
    """Within, all that is written goes through `connection`, which holds a lock that ends with it."""
    _held_connections[engine] = connection
    try:
        yield
    finally:
        del _held_connections[engine]


def transact(
    engine: Engine,
    action: Callable[[Connection], T],
    begin: Callable[[Engine], AbstractContextManager[Connection]] = writing,
) -> T:
    """What `action` returns from a transaction that writes; tried again where a server gave it up for another's sake.

    Raises:
        BusyError: that happened several times in a row.
    """
    for number in range(TRIES - 1):
        try:
            with begin(engine) as connection:
                return action(connection)
        except BusyError as error:
            if getattr(error.__cause__, "sqlstate", "") not in ("40001", "40P01"):
                raise
        time.sleep(random.uniform(0.05, 0.15) * 2**number)  # noqa: S311 - else the two meet again
    with begin(engine) as connection:
        return action(connection)


def _read_version(connection: Connection, store: Store) -> int | None:
    """Return the version of the catalog's tables; None if there are no tables yet.

    Raises:
        LibraryTooNewError: a newer Conspectus wrote it.
        LibraryDamagedError: something else wrote it.
    """
    tables = store.tables(connection)
    if not tables:
        return None
    version = (
        connection.scalar(text("SELECT version FROM conspectus_schema")) if "conspectus_schema" in tables else None
    )
    if not isinstance(version, int) or version < 1:
        raise store.foreign()
    if version > SCHEMA_VERSION:
        raise LibraryTooNewError(
            f"The library '{store.display_name}' was written by a newer Conspectus (schema {version}, known: "
            f"{SCHEMA_VERSION}).",
            "Upgrade: pip install --upgrade conspectus. Nothing was changed.",
        )
    return version


def migrate(engine: Engine, store: Store) -> None:
    """Create the catalog's tables, or upgrade them to this version, in one transaction."""
    with writing(engine) as connection:
        store.begin_making(connection)
        version = _read_version(connection, store)  # another process may have been quicker, and newer
        if version is None:
            metadata.create_all(connection, checkfirst=False)
            connection.execute(text("CREATE TABLE conspectus_schema (version INTEGER NOT NULL)"))
            statement = text("INSERT INTO conspectus_schema VALUES (:version)")
        else:
            for upgrade in UPGRADES[version - 1 :]:
                upgrade(connection)
            statement = text("UPDATE conspectus_schema SET version = :version")
        connection.execute(statement, {"version": SCHEMA_VERSION})
        store.after_making(connection)


CHUNK = 500
"""Values in one IN list, below the limit of every SQLite build."""
BATCH = 10_000
"""Rows that are read at once of a question that finds many."""
_VALUES: BindParameter[Any] = bindparam("values", expanding=True)  # far quicker than a list within the query


def split_chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """`values` in stretches that fit one IN list."""
    for start in range(0, len(values), CHUNK):
        yield values[start : start + CHUNK]


def rows_in(connection: Connection, query: Select[Any], column: Any, values: Iterable[Any]) -> Iterator[Row[Any]]:
    """What a question finds within a transaction where `column` has one of `values`, in stretches of these."""
    chunk_query = query.where(column.in_(_VALUES))
    for chunk in split_chunks(list(values)):
        yield from connection.execute(chunk_query, {"values": chunk}, execution_options={"binary": True}).all()


def insert_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows, if there are any."""
    if rows:
        connection.execute(insert(table), rows)


def delete_where(connection: Connection, column: Any, values: Iterable[Any], *conditions: Any) -> None:
    """Delete the rows of a table where `column` has one of `values`, and that meet the conditions."""
    for chunk in split_chunks(list(values)):
        connection.execute(delete(column.table).where(column.in_(chunk), *conditions))


def keys_by_id(connection: Connection, table: Table, ids: Sequence[str]) -> dict[str, int]:
    """The keys of the rows of a table, by their ids."""
    return {row.id: row.key for row in rows_in(connection, select(table.c.id, table.c.key), table.c.id, ids)}


class CatalogReader:
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
            yield self.within(connection)

    def within(self, connection: Connection) -> Self:
        """This catalog as a transaction that has begun sees it, with what it has written."""
        view = copy.copy(self)
        view._snapshot = connection
        return view

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

    def table_sizes(self) -> dict[str, int]:
        """Table -> its bytes with those of its indexes; a SQLite file is read from its first page to its last."""
        with self._connection() as connection:
            return self.store.table_sizes(connection)

    def erase_deleted(self) -> None:
        """Rewrite the catalog's files without what deleted rows left in them; see `Store.erase_deleted`."""
        self.store.erase_deleted(self.engine)

    def trouble(self) -> str:
        """What is wrong with the catalog as a database; "" where nothing is."""
        with self.engine.connect() as connection:
            return self.store.check(connection)

    def count_orphans(self) -> int:
        """The number of rows that name a row which is not there."""
        with self.engine.connect() as connection:
            return self.store.count_orphans(connection)

    def rows(self, query: Select[Any], values: Mapping[str, Any] | None = None) -> Sequence[Row[Any]]:
        """The rows that a question finds, with the values of its parameters."""
        with self._connection() as connection:
            return connection.execute(query, values, execution_options={"binary": True}).all()

    def rows_where(self, query: Select[Any], column: Any, values: Iterable[Any]) -> Iterator[Row[Any]]:
        """The rows that a question finds where `column` has one of `values`, in stretches of these."""
        chunk_query = query.where(column.in_(_VALUES))
        for chunk in split_chunks(list(values)):
            yield from self.rows(chunk_query, {"values": chunk})

    def pages(self, query: Select[Any], column: Any, after: Any, most: int = CHUNK) -> Iterator[Sequence[Row[Any]]]:
        """All rows that a question finds behind `after`, in the order of `column`, which it has; `most` at once."""
        while rows := self.rows(query.where(column > after).order_by(column).limit(most)):
            yield rows
            after = getattr(rows[-1], column.key)

    def columns(self, query: Select[Any]) -> list[list[Any]]:
        """The columns of what a question finds, as the driver has the values; quicker than rows of many."""
        columns: list[list[Any]] = [[] for _ in query.selected_columns]
        with self._connection() as connection, connection.execute(query) as result:
            assert result.cursor is not None
            while rows := result.cursor.fetchmany(BATCH):
                for column, values in zip(columns, zip(*rows, strict=True), strict=True):
                    column.extend(values)
        return columns

    def meta(self, name: str) -> str:
        """A value kept under a name; "" where there is none."""
        return self.scalar(select(meta.c.value).where(meta.c.name == name)) or ""

    def change(self) -> int:
        """A number that grows with every change of papers, passages or vectors."""
        return unpack_json(self.meta("change") or "0", int, "the number of its changes")

    def numbers(self, query: Select[Any]) -> npt.NDArray[np.int64]:
        """The first column of what a question finds, int64; the rows are never in memory together."""
        options = {"yield_per": BATCH}
        with self._connection() as connection, connection.scalars(query, execution_options=options) as values:
            return np.fromiter(values, np.int64)

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


def put_meta(connection: Connection, name: str, value: str) -> None:
    """Keep `value` under `name`."""
    if not connection.execute(update(meta).where(meta.c.name == name).values(value=value)).rowcount:
        connection.execute(insert(meta).values(name=name, value=value))


def bump(connection: Connection, paper_keys: Collection[int] = (), *, changed: bool = False) -> int:
    """Say that papers, passages or vectors have changed; returns the number of this change.

    Args:
        paper_keys: papers whose passages or vectors came or went, or, with `changed`, are to be indexed otherwise.
    """
    last_change = connection.scalar(select(meta.c.value).where(meta.c.name == "change"))
    change = unpack_json(last_change or "0", int, "the number of its changes") + 1
    put_meta(connection, "change", str(change))
    note_touched(connection, change - 1, paper_keys, changed=changed)
    return change


def count_on(connection: Connection, name: str) -> None:
    """Say that what `name` counts the changes of has changed, of which the index is not told."""
    last = connection.scalar(select(meta.c.value).where(meta.c.name == name)) or "0"
    put_meta(connection, name, str(int(last) + 1))
    connection.execute(delete(meta).where(meta.c.name == "restored"))  # it is not what a backup held any more


def find_key(catalog: CatalogReader, table: Table, noun: str, prefix: str, name: str) -> int:
    """The key of the row of `table` whose id is `name` or, alone among them, begins so.

    Raises:
        NotFoundError: there is none, or more than one.
    """
    begins = table.c.id.startswith(name, autoescape=True) | table.c.id.startswith(prefix + name, autoescape=True)
    rows = catalog.rows(select(table.c.key, table.c.id).where(begins).order_by(table.c.id).limit(6)) if name else []
    exact = [row for row in rows if row.id == name]
    if len(matches := exact or rows) == 1:
        return int(matches[0].key)
    if not matches:
        raise NotFoundError(f"There is no {noun} '{name}' in the library.", f"`{table.name}` shows them.")
    ids = ", ".join(row.id for row in matches[:5])
    raise NotFoundError(f"'{name}' can mean several {table.name}: {ids}.", "Use one of these ids.")


def utc_now() -> str:
    """The moment as the catalog stores it: ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def new_id(catalog: CatalogReader, table: Table, prefix: str) -> str:
    """Draw an id that no row of a table has."""
    while True:
        candidate = prefix + secrets.token_hex(4)
        if catalog.scalar(select(table.c.key).where(table.c.id == candidate)) is None:
            return candidate
