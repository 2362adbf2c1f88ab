"""A catalog as one file, and back: what backups are made of."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

from sqlalchemy import Engine

from conspectus.catalog.engine import explained, migrate
from conspectus.catalog.schema import HEAD
from conspectus.errors import InputError, LibraryTooNewError

_PAGES = 2048
"""Copied at a time; in between others may write (8 MB with SQLite's usual pages)."""

Tell = Callable[[int, int], None]
"""Told how many pages are copied, and of how many."""


def save(engine: Engine, path: Path, tell: Tell) -> None:
    """Copy the catalog as it is at one moment to the SQLite file `path`, also while others write."""
    with _driver(engine) as source, explained(path), contextlib.closing(sqlite3.connect(path)) as target:
        # One read transaction holds the moment: otherwise a writer would make the copy begin anew.
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM meta").fetchone()
        try:
            source.backup(target, pages=_PAGES, progress=lambda _, left, total: tell(total - left, total))
        finally:
            source.execute("ROLLBACK")
        target.execute("PRAGMA journal_mode=DELETE")


def check(path: Path) -> None:
    """Look whether `path` is a whole catalog that this version knows.

    Raises:
        LibraryTooNewError: a newer Conspectus wrote it.
        InputError: it is damaged, or no catalog.
    """
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            said = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            version = connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]
    except (sqlite3.DatabaseError, TypeError) as error:
        raise InputError(f"The catalog in the backup cannot be read: {error}.", "Take another backup.") from error
    if said != "ok":
        raise InputError(f"The catalog in the backup is damaged: {said}.", "Take another backup.")
    if version > HEAD:
        raise LibraryTooNewError(
            f"The backup was made by a newer Conspectus (schema {version}, known: {HEAD}).",
            "Upgrade: pip install --upgrade conspectus. Nothing was changed.",
        )


def load(engine: Engine, path: Path, change: int, tell: Tell) -> None:
    """Make the catalog what the SQLite file `path` holds: all of it, or, if that fails, nothing.

    `change` is the number of the change that this is, so that no index takes it for one it has seen; `path` gets it.
    """
    place = Path(str(engine.url.database))
    with contextlib.closing(sqlite3.connect(path)) as source, _driver(engine) as target, explained(place):
        with source:
            source.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('change', ?)", (str(change),))
        source.backup(target, progress=lambda _, left, total: tell(total - left, total))
    migrate(engine)


def change_of(path: Path) -> int:
    """The number of the last change in the SQLite file `path`."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT value FROM meta WHERE name = 'change'").fetchone()
    return int(found[0]) if found else 0


@contextlib.contextmanager
def _driver(engine: Engine) -> Iterator[sqlite3.Connection]:
    """A connection of SQLite's own."""
    pooled = engine.raw_connection()
    try:
        yield cast("sqlite3.Connection", pooled.driver_connection)
    finally:
        pooled.close()
