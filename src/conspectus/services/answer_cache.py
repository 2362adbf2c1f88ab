"""Answers of services, kept with their age in a file of bounded size, and shared by threads that ask the same at once.

A question is kept as a digest. The caller sees to it that no key and no e-mail address is in an answer.
"""

from __future__ import annotations

import copy
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeVar

from conspectus.core.job_context import check
from conspectus.services.state_file import StateFile, StateFileError

T = TypeVar("T")

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
        named = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: text for name, text in named.items() if text}

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
        self._asked: dict[bytes, Future[object]] = {}

    def ask(self, question: bytes, call: Callable[[], T]) -> T:
        """What `call` returns, or what that of another thread returned which asks the same. Its errors are raised."""
        while True:
            with self._lock:
                future = self._asked.get(question)
                if future is None:
                    own = self._asked[question] = Future[object]()
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
            own.set_exception(error)
            raise
        else:
            own.set_result(answer)
            return answer
        finally:
            with self._lock:
                del self._asked[question]


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
    said = f"{answer.status}\0{answer.etag}\0{answer.modified}\0".encode()
    return blake2b(said + answer.body, digest_size=16).digest()
