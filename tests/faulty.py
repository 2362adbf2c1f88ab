"""One call that fails: of a database's driver, or of the operating system as Python calls it."""

import builtins
import errno
import io
import os
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

Way = str
"""How a statement fails. SQLite: `full`, `io`. PostgreSQL: `full`, `lost` (the connection is cut before it), `unheard`
(cut after it, so that it was done and nobody knows)."""

SQLITE_WAYS = ("full", "io")
POSTGRES_WAYS = ("full", "lost", "unheard")


class Calls:
    """Counts calls from 1; the one with this number fails (0: none)."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.seen = 0
        self.fired = ""

    def due(self, what: str) -> bool:
        """Whether this is the call that fails."""
        self.seen += 1
        if self.seen == self.number:
            self.fired = what
            return True
        return False


@contextmanager
def failing_sql(number: int, way: Way) -> Iterator[Calls]:
    """Within, the statement, commit, rollback or copy with this number fails, whichever driver is asked."""
    calls = Calls(number)
    with _failing_sqlite(calls, way), _failing_postgres(calls, way):
        yield calls


@contextmanager
def _failing_sqlite(calls: Calls, way: Way) -> Iterator[None]:
    words = {"full": "database or disk is full", "io": "disk I/O error"}.get(way, "disk I/O error")

    def count(what: object) -> None:
        if calls.due(str(what)):
            raise sqlite3.OperationalError(words)

    class Cursor(sqlite3.Cursor):
        def execute(self, sql: str, *rest: Any) -> Any:
            count(sql)
            return super().execute(sql, *rest)

        def executemany(self, sql: str, *rest: Any) -> Any:
            count(sql)
            return super().executemany(sql, *rest)

    class Connection(sqlite3.Connection):
        def cursor(self, factory: Any = Cursor) -> Any:
            return super().cursor(factory)

        def commit(self) -> None:
            count("COMMIT")
            super().commit()

        def rollback(self) -> None:
            count("ROLLBACK")
            super().rollback()

        def backup(self, target: Any, **options: Any) -> None:
            count("copy of the database")
            super().backup(target, **options)

    real = sqlite3.dbapi2.connect

    def connect(*words: Any, **options: Any) -> Any:
        return real(*words, **{"factory": Connection} | options)

    with patch.object(sqlite3, "connect", connect), patch.object(sqlite3.dbapi2, "connect", connect):
        yield


@contextmanager
def _failing_postgres(calls: Calls, way: Way) -> Iterator[None]:
    try:
        import psycopg
    except ImportError:
        yield
        return

    def failing(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Any, *words: Any, **options: Any) -> Any:
            if not calls.due(str(words[0]) if words else real.__name__.upper()):
                return real(self, *words, **options)
            connection = getattr(self, "connection", self)
            if way == "full":
                raise psycopg.errors.DiskFull("could not extend file: No space left on device")
            if way == "unheard":
                real(self, *words, **options)
            cut(connection)
            return real(self, *words, **options)

        return call

    cursor, connection = psycopg.Cursor, psycopg.Connection
    with (
        patch.object(cursor, "execute", failing(cursor.execute)),
        patch.object(cursor, "executemany", failing(cursor.executemany)),
        patch.object(connection, "commit", failing(connection.commit)),
        patch.object(connection, "rollback", failing(connection.rollback)),
    ):
        yield


def cut(connection: Any) -> None:
    """Close the way to the server under a connection of psycopg."""
    line = socket.socket(fileno=os.dup(connection.pgconn.socket))
    line.shutdown(socket.SHUT_RDWR)
    line.close()


@contextmanager
def failing_files(folder: Path, number: int, error: int = errno.ENOSPC) -> Iterator[Calls]:
    """Within, the call with this number by which Python makes, replaces, removes or syncs a file in `folder` fails."""
    calls = Calls(number)

    def failing(real: Callable[..., Any], writes: Callable[..., bool]) -> Callable[..., Any]:
        def call(*words: Any, **options: Any) -> Any:
            if writes(*words, **options) and calls.due(f"{real.__name__} {words[-1]}"):
                raise OSError(error, os.strerror(error), str(words[0]))
            return real(*words, **options)

        return call

    def inside(*words: Any, **_: Any) -> bool:
        return any(isinstance(word, str | os.PathLike) and Path(word).is_relative_to(folder) for word in words)

    def opened(path: Any, flags: int, *_: Any, **__: Any) -> bool:
        return inside(path) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))

    def written(path: Any, mode: str = "r", *_: Any, **__: Any) -> bool:
        return inside(path) and any(letter in mode for letter in "wax+")

    names = ("replace", "rename", "link", "mkdir", "unlink", "rmdir")
    fakes = [patch.object(os, name, failing(getattr(os, name), inside)) for name in names]
    fakes += [
        patch.object(os, "fsync", failing(os.fsync, lambda _: True)),
        patch.object(os, "open", failing(os.open, opened)),
    ]
    fakes += [patch.object(place, "open", failing(io.open, written)) for place in (io, builtins)]
    for fake in fakes:
        fake.start()
    try:
        yield calls
    finally:
        for fake in fakes:
            fake.stop()
