"""The library's writer lock: one process adds, removes or reindexes at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from conspectus.errors import BusyError, LibraryError

LOCK_SECONDS = 60


@contextmanager
def writer_lock(folder: Path, wait: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the writer lock of the library in `folder`.

    Raises:
        BusyError: another process held it for `wait` seconds.
        LibraryError: the folder cannot be written.
    """
    lock = FileLock(folder / "write.lock")
    try:
        lock.acquire(timeout=wait)
    except Timeout as error:
        raise BusyError(
            f"Another process is writing to '{folder}' and did not finish in {wait:g} s.",
            "Try again when it is done.",
        ) from error
    except OSError as error:
        raise LibraryError(
            f"The library folder '{folder}' cannot be written: {error.strerror}.",
            "Give yourself the right to write to it.",
        ) from error
    try:
        yield
    finally:
        lock.release()
