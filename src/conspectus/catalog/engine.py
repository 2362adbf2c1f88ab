"""Opening a catalog: creating or upgrading it, the check that this version may touch it, and write transactions."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, text

from conspectus.catalog.columns import metadata
from conspectus.catalog.schema import SCHEMA_VERSION, UPGRADES
from conspectus.catalog.sqlite import SqliteStore
from conspectus.core.errors import (
    BusyError,
    LibraryDamagedError,
    LibraryTooNewError,
    NotFoundError,
    ServiceAwayError,
)

T = TypeVar("T")

TRIES = 5
for _name in ("sqlalchemy", "psycopg"):  # else a connection lost at the end is a traceback
    logging.getLogger(_name).addHandler(logging.NullHandler())
_held: WeakKeyDictionary[Engine, Connection] = WeakKeyDictionary()


class Store(Protocol):
    """Where a catalog is kept, and what is special about that place.

    Attributes:
        shown: how messages call it; without a password.
        index_name: the folder, in the library's, of the index that follows it. Known after `opened`.
        server: the server's name and version, where there is one. Known after `opened`.
    """

    shown: str
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

    def opened(self, connection: Connection) -> None:
        """Called when the catalog is there and of this version."""

    def size(self, connection: Connection) -> int:
        """How many bytes the catalog takes, with its log and indexes."""

    def check(self, connection: Connection) -> str:
        """What is wrong with the catalog as a database; "" where nothing is."""

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
            raise NotFoundError(f"There is no library at '{store.shown}' yet.", "Make one with `add FILES…`.")
        if version is None:
            store.before_making(engine)
        if version != SCHEMA_VERSION:
            migrate(engine, store)
        with engine.connect() as connection:
            store.opened(connection)
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
    if (held := _held.get(engine)) is not None:
        if held.invalidated:  # the lock went with the connection: another may be writing now
            where = engine.url.set(password=None, drivername="postgresql")
            raise ServiceAwayError(f"The connection to '{where}' was lost.", "Run the same command again.")
        with held.begin():
            yield held
        return
    with aside(engine) as connection:
        yield connection


@contextmanager
def writing_through(engine: Engine, connection: Connection) -> Iterator[None]:
    """Within, all that is written goes through `connection`, which holds a lock that ends with it."""
    _held[engine] = connection
    try:
        yield
    finally:
        del _held[engine]


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
            f"The library '{store.shown}' was written by a newer Conspectus (schema {version}, known: "
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
