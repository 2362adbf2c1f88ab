"""A catalog in one SQLite file: the default."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.engine import ExceptionContext

from conspectus.core import disk
from conspectus.core.errors import BusyError, ConspectusError, LibraryDamagedError, LibraryReadOnlyError
from conspectus.store.columns import check_values, find_ill_typed

BUSY_SECONDS = 60
TURN_SECONDS = 1.0
waiting_told: ContextVar[Callable[[float], None]] = ContextVar("waiting_told", default=lambda _: None)
"""Notice now and then for how many seconds a write has waited for another program that writes to the file."""
FOREIGN = (
    "SELECT CASE type WHEN 'table' THEN 'virtual table' ELSE type END, name FROM sqlite_master "
    "WHERE type IN ('trigger', 'view') OR sql LIKE 'CREATE VIRTUAL%' ORDER BY type, name"
)
"""What SQLite runs of a file by itself, and no catalog has."""
LOG_PAGES = 16_000
"""Pages of 4 kB in the write-ahead log before they go into the file: those of a large index change again and again."""


class SqliteStore:
    """See `Store`. `path` is the file; it is made at the first opening."""

    index_name = "index"
    server = ""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.display_name = str(path)

    def make_engine(self) -> Engine:
        """See `Store.make_engine`."""
        engine = create_engine(_address(self.path), connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False})
        check_values(engine.dialect)
        event.listen(engine, "connect", _configure)
        event.listen(engine, "begin", _begin)
        event.listen(engine, "handle_error", partial(_explain, self.path))
        return engine

    def tables(self, connection: Connection) -> set[str]:
        """See `Store.tables`; also refuses a file with code in it, which a write, or even a read, would run.

        Raises:
            LibraryDamagedError: it is one; or it is empty, next to an index of what it had.
        """
        if odd := [f"{kind} '{name}'" for kind, name in connection.execute(text(FOREIGN))]:
            raise LibraryDamagedError(
                f"The catalog '{self.path}' has what no catalog of Conspectus has: {', '.join(odd[:3])}.",
                "Somebody changed it. Restore a backup: `library restore FILE replace=True`",
            )
        tables = set(connection.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'")))
        if not tables and next((self.path.parent / self.index_name).glob("*/*"), None):
            raise LibraryDamagedError(
                f"The catalog '{self.path}' is empty, although the library has an index: the catalog is damaged.",
                "Restore a backup: `library restore FILE replace=True`. Or choose another folder, and add your files "
                "there.",
            )
        return tables

    def foreign(self) -> LibraryDamagedError:
        """See `Store.foreign`."""
        return LibraryDamagedError(
            f"'{self.path}' is a SQLite file, but not a catalog that Conspectus 0.1.0 or later made.",
            "Choose another folder: `library=FOLDER`. Nothing was changed.",
        )

    def before_making(self, engine: Engine) -> None:
        """Write-ahead logging, by which readers and the writer do not wait for each other.

        It is kept in the file, so it is set once, and only when the file is known to be ours.
        """
        connection = engine.raw_connection()
        try:
            _use_wal(connection)
        except sqlite3.OperationalError as error:
            raise _meaning(self.path, str(error)) from error
        finally:
            connection.close()

    def begin_making(self, connection: Connection) -> None:
        """See `Store.begin_making`: the transaction has the write lock already."""

    def after_making(self, connection: Connection) -> None:
        """See `Store.after_making`."""

    def on_opened(self, connection: Connection) -> None:
        """See `Store.on_opened`."""

    def size(self, _: Connection) -> int:
        """See `Store.size`."""
        return sum(path.stat().st_size for path in self.path.parent.glob(f"{self.path.name}*"))

    def table_sizes(self, connection: Connection) -> dict[str, int]:
        """See `Store.table_sizes`: a library of SQLite may be built without the means to say it."""
        if not connection.scalar(text("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'")):
            return {}
        query = "SELECT m.tbl_name, sum(d.pgsize) FROM dbstat d JOIN sqlite_master m ON m.name = d.name GROUP BY 1"
        return {name: int(size) for name, size in connection.execute(text(query))}

    def check(self, connection: Connection) -> str:
        """See `Store.check`."""
        findings = list(connection.scalars(text("PRAGMA quick_check")))
        if findings != ["ok"]:
            return "; ".join(findings[:3])
        try:
            odd = find_ill_typed(connection)
        except LibraryDamagedError as error:  # a page that the check has passed over
            return error.message
        return "; ".join(odd[:3])

    def count_orphans(self, connection: Connection) -> int:
        """See `Store.count_orphans`."""
        return len(connection.execute(text("PRAGMA foreign_key_check")).all())

    def erase_deleted(self, engine: Engine) -> None:
        """See `Store.erase_deleted`.

        `secure_delete` overwrites deleted cells, but not copies of them that page splits left behind; `VACUUM` does.
        A reader that holds the log longer than a second keeps old pages in it until the last connection is closed.

        Raises:
            LibraryError: the disk is full, or another process holds the file; the rows are deleted nonetheless.
        """
        connection = engine.raw_connection()
        try:
            with explained(self.path):
                cursor = connection.cursor()
                cursor.execute("VACUUM")
                cursor.execute(f"PRAGMA busy_timeout={round(1000 * TURN_SECONDS)}")
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                cursor.execute(f"PRAGMA busy_timeout={round(1000 * BUSY_SECONDS)}")
                cursor.close()
        finally:
            connection.close()


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
            f"Another process, or a job of this one, has been writing to '{path}' for more than {BUSY_SECONDS} s.",
            "Try again when it is done.",
        )
    if "readonly" in reason or "unable to open" in reason:
        return LibraryReadOnlyError(
            f"The catalog '{path}' cannot be opened for writing ({reason}).",
            "Give yourself the right to write to that folder and its files; or, if its disk is full, make room.",
        )
    if "full" in reason:
        return disk.meaning(path, errno.ENOSPC)
    if "I/O error" in reason:
        return disk.meaning(path, errno.EIO)
    return LibraryDamagedError(
        f"The catalog '{path}' cannot be used: {reason}.",
        "If it is not a Conspectus library, choose another folder (`library=FOLDER`); else restore it from a backup.",
    )


def _configure(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say, see _begin
    cursor = connection.cursor()
    cursor.execute("PRAGMA trusted_schema=OFF")  # expressions in the file's own tables call nothing that acts
    cursor.execute("PRAGMA secure_delete=ON")  # the default on Debian, but not everywhere
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.execute("PRAGMA cache_size=-32768")
    cursor.execute(f"PRAGMA wal_autocheckpoint={LOG_PAGES}")
    cursor.close()


def _use_wal(connection: Any) -> None:
    """Turn it on. Where two processes make one library, SQLite refuses one of them at once, without its usual wait."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.cursor().execute("PRAGMA journal_mode=WAL").close()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return


def _begin(connection: Connection) -> None:
    # A writer takes the write lock at once: one that only reads first cannot be let in later, and would fail.
    if not connection.get_execution_options().get("write", False):
        try:
            connection.connection.cursor().execute("BEGIN")  # through SQLAlchemy it takes as long as most questions
        except sqlite3.DatabaseError:
            connection.exec_driver_sql("BEGIN")  # which says why not
        return
    try:
        if not _took_turn(connection):
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # which says why not
    finally:
        with suppress(ConspectusError):
            _be_patient(connection, BUSY_SECONDS)


def _took_turn(connection: Connection) -> bool:
    """Whether a transaction that writes has begun; while another program's holds it up, that is told."""
    began = time.monotonic()
    while (waited := time.monotonic() - began) < BUSY_SECONDS:
        _be_patient(connection, min(TURN_SECONDS, BUSY_SECONDS - waited))
        cursor = connection.connection.cursor()
        try:
            cursor.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                return False
            waiting_told.get()(time.monotonic() - began)
        else:
            return True
        finally:
            cursor.close()
    _be_patient(connection, 0)
    return False


def _be_patient(connection: Connection, seconds: float) -> None:
    """Have SQLite itself wait so long for another program's lock."""
    connection.exec_driver_sql(f"PRAGMA busy_timeout={round(1000 * seconds)}")


def driver(path: Path | str, *, uri: bool = False) -> sqlite3.Connection:
    """A connection of SQLite's own to a file that may come from anywhere."""
    connection = sqlite3.connect(path, uri=uri)
    connection.execute("PRAGMA trusted_schema=OFF")
    return connection


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Say what a complaint of SQLite about the file `path` means, where SQLAlchemy does not stand between."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _meaning(path, str(error)) from error
