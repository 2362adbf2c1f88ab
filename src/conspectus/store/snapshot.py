"""A catalog as one SQLite file, and back, wherever it is kept: what backups are made of."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, Engine, Table, func, insert, select, text, tuple_

from conspectus.core.errors import InputError, LibraryDamagedError, LibraryTooNewError
from conspectus.store.catalog import Catalog
from conspectus.store.columns import metadata
from conspectus.store.connection import migrate, open_engine, writing
from conspectus.store.schema import SCHEMA_VERSION, meta
from conspectus.store.sqlite import FOREIGN, driver, explained

_PAGES = 2048
"""Copied at a time; in between others may write (8 MB with SQLite's usual pages)."""
_ROWS = 500
ANOTHER = "Copy it again from where it was kept, or restore an earlier one. Nothing was changed."
"""What to do about a backup that is no good."""

Tell = Callable[[int, int], None]
"""Notice how much is copied, and of how much."""


def save(catalog: Catalog, path: Path, tell: Tell) -> None:
    """Copy the catalog as it is at one moment to the SQLite file `path`, while others may write."""
    if catalog.is_shared:
        _save_from_server(catalog, path, tell)
    else:
        _save_file(catalog, path, tell)


def counts_of(path: Path) -> dict[str, int]:
    """The counts of the copy that `save` made at `path`, which is one file from then on.

    Raises:
        LibraryDamagedError: the copy is too damaged to be counted.
    """
    with Catalog(path) as backup:
        counts = backup.counts()
    with explained(path), contextlib.closing(driver(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    return counts


def check_copy(catalog: Catalog, path: Path) -> None:
    """Look whether the copy that `save` made at `path` is whole: pages are copied as they are.

    Raises:
        LibraryDamagedError: the catalog is damaged, so that nobody could restore the copy.
    """
    with explained(catalog.path), contextlib.closing(driver(path)) as connection:
        verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if verdict != "ok":
        raise LibraryDamagedError(
            f"The catalog '{catalog.store.display_name}' is damaged: {verdict}. No backup of it was written.",
            "Restore an earlier backup: `library restore FILE replace=True`",
        )


def _save_from_server(catalog: Catalog, path: Path, tell: Tell) -> None:
    target = open_engine(path)
    try:
        with catalog.snapshot() as now, now._connection() as source, writing(target) as copy:
            _copy(source, copy, tell)
    finally:
        target.dispose()


def _save_file(catalog: Catalog, path: Path, tell: Tell) -> None:
    with _driver(catalog.engine) as source, explained(path), contextlib.closing(driver(path)) as target:
        # One read transaction holds the moment: otherwise a writer would make the copy begin anew.
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM meta").fetchone()
        try:
            source.backup(target, pages=_PAGES, progress=lambda _, left, total: tell(total - left, total))
        finally:
            source.execute("ROLLBACK")


def check(path: Path) -> None:
    """Look whether `path` is a whole catalog that this version knows.

    Raises:
        LibraryTooNewError: a newer Conspectus wrote it.
        InputError: it is damaged, or no catalog.
    """
    try:
        with contextlib.closing(driver(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            version = connection.execute("SELECT version FROM conspectus_schema").fetchone()[0]
    except (sqlite3.DatabaseError, TypeError) as error:
        raise InputError(f"The catalog in the backup cannot be read: {error}.", ANOTHER) from error
    if verdict != "ok":
        raise InputError(f"The catalog in the backup is damaged: {verdict}.", ANOTHER)
    if not isinstance(version, int) or version < 1:
        raise InputError(f"The catalog in the backup has the unknown schema {version}.", ANOTHER)
    if version > SCHEMA_VERSION:
        raise LibraryTooNewError(
            f"The backup was made by a newer Conspectus (schema {version}, known: {SCHEMA_VERSION}).",
            "Upgrade: pip install --upgrade conspectus. Nothing was changed.",
        )


def strip(path: Path) -> tuple[str, ...]:
    """Take triggers and views out of the SQLite file `path`; returns their names.

    Raises:
        InputError: it has virtual tables, which cannot be taken out without running what is behind them.
    """
    with explained(path), contextlib.closing(driver(path)) as file, file:
        odd = file.execute(FOREIGN).fetchall()
        if tables := [name for kind, name in odd if kind == "virtual table"]:
            raise InputError(f"The catalog in the backup has a virtual table '{tables[0]}'; ours have none.", ANOTHER)
        for kind, name in odd:
            quoted = name.replace('"', '""')
            file.execute(f'DROP {kind} IF EXISTS "{quoted}"')
    return tuple(f"{kind} {name}" for kind, name in odd)


def load(catalog: Catalog, path: Path, change: int, sha256: str, tell: Tell) -> None:
    """Make the catalog what the SQLite file `path` holds: all of it, or, if that fails, nothing.

    `change` is the number of the change that this is, so that no index takes it for one it has seen; `path` gets it,
    and the checksum that it had, for `is_of`.
    """
    noted = {"change": str(change), "restored": f"{sha256} {change}"}
    with explained(path), contextlib.closing(driver(path)) as file, file:
        file.executemany("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", noted.items())
    if catalog.is_shared:
        source = open_engine(path)  # brought to this version
        try:
            with source.connect() as copy, writing(catalog.engine) as target:
                _empty(target)
                _copy(copy, target, tell)
                _count_on(target)
        finally:
            source.dispose()
        return
    with (
        contextlib.closing(driver(path)) as copy,
        _driver(catalog.engine) as target,
        explained(catalog.path),
    ):
        copy.backup(target, progress=lambda _, left, total: tell(total - left, total))
    migrate(catalog.engine, catalog.store)


def is_of(catalog: Catalog, sha256: str) -> bool:
    """Whether papers and passages are still those that `load` put there from a file with this checksum."""
    try:
        return catalog.meta("restored") == f"{sha256} {catalog.change()}"
    except LibraryDamagedError:
        return False


def change_of(path: Path) -> int:
    """The number of the last change in the SQLite file `path`."""
    with explained(path), contextlib.closing(driver(path)) as connection:
        row = connection.execute("SELECT value FROM meta WHERE name = 'change'").fetchone()
    return int(row[0]) if row else 0


@contextlib.contextmanager
def _driver(engine: Engine) -> Iterator[sqlite3.Connection]:
    """A connection of SQLite's own."""
    pooled = engine.raw_connection()
    try:
        yield cast("sqlite3.Connection", pooled.driver_connection)
    finally:
        pooled.close()


def _copy(source: Connection, target: Connection, tell: Tell) -> None:
    """All rows of all tables; what a catalog on a server is called is its own."""
    total = sum(source.scalar(select(func.count()).select_from(table)) or 0 for table in metadata.sorted_tables)
    done = 0
    for table in metadata.sorted_tables:
        rows = _rows(source, table)
        while batch := list(islice(rows, _ROWS)):
            target.execute(insert(table), batch)
            done += len(batch)
            tell(done, total)


def _rows(source: Connection, table: Table) -> Iterator[dict[str, Any]]:
    """The rows in the order of their keys, read some at a time."""
    key = tuple_(*table.primary_key.columns)
    last: tuple[Any, ...] | None = None
    while True:
        query = select(table).order_by(*table.primary_key.columns).limit(_ROWS)
        if last is not None:
            query = query.where(key > last)
        rows = source.execute(query, execution_options={"binary": True}).mappings().all()
        if not rows:
            return
        for row in rows:
            if not (table is meta and row["name"] == "catalog"):
                yield dict(row)
        last = tuple(rows[-1][column.name] for column in table.primary_key.columns)


def _empty(target: Connection) -> None:
    for table in reversed(metadata.sorted_tables):
        target.execute(table.delete() if table is not meta else table.delete().where(meta.c.name != "catalog"))


def _count_on(target: Connection) -> None:
    """Let the server number new rows after those that came with their numbers."""
    for table in metadata.sorted_tables:
        if "key" in table.columns and table.columns["key"].primary_key:
            name = {"table": table.name}
            last = target.scalar(select(func.max(table.c.key))) or 0
            sequence = target.scalar(text("SELECT pg_get_serial_sequence(:table, 'key')"), name)
            if sequence:
                target.execute(text("SELECT setval(:name, :last)"), {"name": sequence, "last": last + 1})
