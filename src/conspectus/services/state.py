"""SQLite files that all processes of a user share (small, private, recreated if damaged); service answers in one.

Of answers a question is kept as a digest. The caller sees to it that no key and no e-mail address is in an answer.
"""

from __future__ import annotations

import copy
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import closing, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from typing import TypeVar

from conspectus.core.errors import describe_os_error
from conspectus.core.job_context import check
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


MOST_BYTES = 256 * 2**20
"""Of the file; the oldest answers go first."""
MOST_ANSWER = 16 * 2**20
"""Bytes of an answer that is kept."""
_SHARE = 8
"""One in so many answers goes where there is no more room."""
_POLL_SECONDS = 0.1

ANSWERS_FILE = StateFile(
    "answers.sqlite",
    """CREATE TABLE IF NOT EXISTS answers (
        question BLOB PRIMARY KEY, at REAL NOT NULL, status INTEGER NOT NULL, etag TEXT NOT NULL,
        modified TEXT NOT NULL, digest BLOB NOT NULL, body BLOB NOT NULL)""",
    "CREATE INDEX IF NOT EXISTS answers_at ON answers (at)",
)


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    """An answer of a service.

    Attributes:
        body: its bytes.
        status: 200, or 404 where there is no such thing.
        etag, modified: its version, as the service says it; "" where it does not.
        at: when it came or was last confirmed, in seconds since 1970.
    """

    body: bytes
    status: int = 200
    etag: str = ""
    modified: str = ""
    at: float = 0.0

    @property
    def conditions(self) -> dict[str, str]:
        """Headers that ask only for what is different now; none where the service gave no version."""
        headers = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: text for name, text in headers.items() if text}

    def is_fresh(self, seconds: float) -> bool:
        """Whether it is younger than this."""
        return 0 <= time.time() - self.at < seconds


def find_answer(question: bytes) -> CachedAnswer | None:
    """The answer that is kept; None where there is none, or it is not as it was kept."""
    query = "SELECT body, status, etag, modified, at, digest FROM answers WHERE question = ?"
    row = _run(lambda db: db.execute(query, (question,)).fetchone())
    if row is None:
        return None
    try:
        packed, status, etag, modified, at, digest = row
        answer = CachedAnswer(zlib.decompress(packed), int(status), str(etag), str(modified), float(at))
        is_sound = digest == _digest(answer)
    except (TypeError, ValueError, zlib.error):
        is_sound = False
    if is_sound:
        return answer
    forget_answer(question)
    return None


def keep_answer(question: bytes, answer: CachedAnswer) -> None:
    """Keep an answer as of now in place of an older one; does nothing where the file cannot be written."""
    packed = zlib.compress(answer.body, 1)
    if len(packed) > MOST_ANSWER:
        forget_answer(question)
        return
    row = (question, time.time(), answer.status, answer.etag, answer.modified, _digest(answer), packed)

    def store(db: sqlite3.Connection) -> None:
        db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        while _size(db) > MOST_BYTES:
            share = db.execute("SELECT count(*) / ? + 1 FROM answers", (_SHARE,)).fetchone()[0]
            old = "DELETE FROM answers WHERE question IN (SELECT question FROM answers ORDER BY at LIMIT ?)"
            if not db.execute(old, (share,)).rowcount:
                break

    _run(store)


def renew_answer(question: bytes, answer: CachedAnswer) -> None:
    """Note that an answer still holds, unless another took its place meanwhile."""
    values = (time.time(), question, _digest(answer))
    _run(lambda db: db.execute("UPDATE answers SET at = ? WHERE question = ? AND digest = ?", values).rowcount)


def forget_answer(question: bytes) -> None:
    """Forget an answer, for it cannot be used."""
    _run(lambda db: db.execute("DELETE FROM answers WHERE question = ?", (question,)).rowcount)


class QuestionBoard:
    """The questions that threads of this process ask now: what is asked already is waited for, not asked again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending_answers: dict[bytes, Future[object]] = {}

    def ask(self, question: bytes, call: Callable[[], T]) -> T:
        """What `call` returns, or what that of another thread returned which asks the same. Its errors are raised."""
        while True:
            with self._lock:
                future = self._pending_answers.get(question)
                if future is None:
                    promise = self._pending_answers[question] = Future[object]()
                    break
            while not wait([future], _POLL_SECONDS).done:
                check()
            error = future.exception()
            if error is None:
                return future.result()  # type: ignore[return-value]
            if isinstance(error, Exception):
                raise copy.copy(error)
        try:
            answer = call()
        except BaseException as error:
            promise.set_exception(error)
            raise
        else:
            promise.set_result(answer)
            return answer
        finally:
            with self._lock:
                del self._pending_answers[question]


QUESTIONS = QuestionBoard()


def _run(work: Callable[[sqlite3.Connection], T]) -> T | None:
    """What `work` returns; None where the file cannot be used: then nothing is kept, and all is asked."""
    try:
        return ANSWERS_FILE.run(work)
    except StateFileError:
        return None


def _size(db: sqlite3.Connection) -> int:
    pages, free, size = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _digest(answer: CachedAnswer) -> bytes:
    head = f"{answer.status}\0{answer.etag}\0{answer.modified}\0".encode()
    return blake2b(head + answer.body, digest_size=16).digest()
