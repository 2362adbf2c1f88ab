"""Opening a catalog: connections, migrations, and the check that this version may touch it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.engine import ExceptionContext

from conspectus.catalog.schema import HEAD
from conspectus.errors import BusyError, ConspectusError, LibraryDamagedError, LibraryError, LibraryTooNewError

BUSY_SECONDS = 60


def open_engine(path: Path) -> Engine:
    """An engine on the SQLite file `path`, made or migrated to this version where it is older.

    Raises:
        LibraryTooNewError: a newer Conspectus wrote it; it is left untouched.
        LibraryDamagedError: it is not a SQLite file, or not a catalog.
    """
    engine = create_engine(_address(path), connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False})
    event.listen(engine, "connect", _configure)
    event.listen(engine, "begin", _begin)
    event.listen(engine, "handle_error", partial(_explain, path))
    try:
        found = _version(engine, path)
        if found is None:
            _use_wal(engine)
        if found != HEAD:
            migrate(engine)
    except ConspectusError:
        engine.dispose()
        raise
    return engine


def _address(path: Path) -> URL:
    """Where SQLite finds the file; one that may not be written is opened for reading only.

    SQLite's log cannot be made beside it then, and need not: without one, nobody is writing.
    """
    if not path.exists() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return URL.create("sqlite", database=str(path))
    query = {"mode": "ro", "uri": "true"}
    if not path.with_name(f"{path.name}-wal").exists():
        query["immutable"] = "1"
    return URL.create("sqlite", database=f"file:{quote(str(path))}", query=query)


def _explain(path: Path, context: ExceptionContext) -> None:
    """Raise what SQLite's complaint means for the user; a broken rule of the schema is our mistake, and stays."""
    original = context.original_exception
    if isinstance(original, sqlite3.OperationalError) or type(original) is sqlite3.DatabaseError:
        raise _meaning(path, str(original)) from original


def _meaning(path: Path, reason: str) -> ConspectusError:
    if "locked" in reason:
        return BusyError(
            f"Another process has been writing to '{path}' for more than {BUSY_SECONDS} s.",
            "Try again when it is done.",
        )
    if "readonly" in reason or "unable to open" in reason:
        return LibraryError(
            f"The catalog '{path}' cannot be opened for writing ({reason}).",
            "Give yourself the right to write to that folder and its files.",
        )
    if "full" in reason:
        return LibraryError(f"The disk of '{path}' is full.", "Make room, then run the same command again.")
    return LibraryDamagedError(
        f"The catalog '{path}' cannot be used: {reason}.",
        "If it is not a Conspectus library, choose another folder with --library; else restore it from a backup.",
    )


def _configure(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say, see _begin
    connection.create_function("lower", 1, _lower, deterministic=True)  # SQLite's own knows only ASCII
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute("PRAGMA cache_size=-32768")
    cursor.close()


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


def _use_wal(engine: Engine) -> None:
    # Kept in the file, so it is set once, and only when the file is known to be ours.
    connection = engine.raw_connection()
    try:
        connection.cursor().execute("PRAGMA journal_mode=WAL").close()
    finally:
        connection.close()


def _begin(connection: Connection) -> None:
    # A writer takes the write lock at once: one that only reads first cannot be let in later, and would fail.
    write = connection.get_execution_options().get("write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes: all of it is kept, or nothing."""
    with engine.connect().execution_options(write=True) as connection, connection.begin():
        yield connection


def _version(engine: Engine, path: Path) -> str | None:
    with engine.connect() as connection:
        tables = set(connection.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'")))
        if not tables:
            return None
        if "alembic_version" not in tables:
            raise LibraryDamagedError(
                f"'{path}' is a SQLite file, but not a Conspectus catalog.",
                "Choose another folder with --library.",
            )
        found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    if found is not None and found > HEAD:
        raise LibraryTooNewError(
            f"The library '{path}' was written by a newer Conspectus (schema {found}, known: {HEAD}).",
            "Upgrade: pip install --upgrade conspectus. Nothing was changed.",
        )
    return found


def migrate(engine: Engine) -> None:
    """Bring the catalog to this version's schema, in one transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with writing(engine) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Say what a complaint of SQLite about the file `path` means, where SQLAlchemy does not stand between."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _meaning(path, str(error)) from error
