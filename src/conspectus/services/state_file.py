"""SQLite files that all processes of a user share: small transactions, private, thrown away where they are damaged."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from threading import RLock
from typing import TypeVar

from conspectus.core.os_errors import describe_os_error
from conspectus.settings.user_folders import state_folder

T = TypeVar("T")

_BUSY_SECONDS = 10.0
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT})
"""What SQLite says of a file that is none of its own, or has other tables than it should."""


class StateFileError(Exception):
    """The file cannot be used; `busy` says that another process keeps it locked, else it cannot be written."""

    def __init__(self, reason: str, *, busy: bool = False) -> None:
        super().__init__(reason)
        self.busy = busy


class StateFile:
    """A file in the folder `services` of the user's state folder.

    Args:
        name: of the file.
        tables: statements that make its tables where they are missing.
    """

    def __init__(self, name: str, *tables: str) -> None:
        self._name = name
        self._tables = tables
        self._lock = RLock()
        self._memory: sqlite3.Connection | None = None

    @property
    def path(self) -> Path:
        """Where it is."""
        return state_folder() / "services" / self._name

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work` returns, done in one transaction that no other runs beside; done twice where a file was damaged.

        Raises:
            StateFileError: the file cannot be opened or written, or another process keeps it locked.
        """
        try:
            try:
                return self._run_in_file(work)
            except sqlite3.DatabaseError as error:
                if _primary(error) not in _DAMAGED:
                    raise
                self._discard()
                return self._run_in_file(work)
        except (OSError, sqlite3.Error) as error:
            busy = isinstance(error, sqlite3.Error) and _primary(error) == sqlite3.SQLITE_BUSY
            raise StateFileError(f"'{self.path}' cannot be used: {describe_os_error(error)}", busy=busy) from error

    def run_in_memory(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """As `run`, on tables that only this process has and that end with it."""
        with self._lock:
            if self._memory is None:
                self._memory = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
            return self._transact(self._memory, work)

    def _run_in_file(self, work: Callable[[sqlite3.Connection], T]) -> T:
        path = self.path
        if not path.exists():
            path.parent.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.parent.mkdir(exist_ok=True, mode=0o700)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA synchronous = OFF")  # a power cut may damage it, and then it begins again
            return self._transact(connection, work)

    def _transact(self, connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
        connection.execute("BEGIN IMMEDIATE")
        try:
            for table in self._tables:
                connection.execute(table)
            result = work(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return result

    def _discard(self) -> None:
        with suppress(FileNotFoundError):  # another process was first
            self.path.unlink()
        with suppress(FileNotFoundError):
            self.path.with_name(f"{self._name}-journal").unlink()


def _primary(error: sqlite3.Error) -> int:
    """SQLite's number of an error without its details; 0 where it has none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
