"""The library's writer lock: one process, or job of one, writes at a time. Runs of `add` hold it commit by commit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from conspectus.core import disk
from conspectus.core.errors import BusyError, LibraryError
from conspectus.core.job_context import emit, warn_if_waiting
from conspectus.records.events import Progress
from conspectus.store.catalog import Catalog
from conspectus.store.connection import writing_through
from conspectus.store.postgres import TURN_SECONDS, PostgresStore
from conspectus.store.sqlite import waiting_told

LOCK_SECONDS = 60
POLL_SECONDS = 0.01
"""Whoever waits for a folder's lock looks so often whether it is free: a commit takes some hundredths of a second."""
_HELD: set[Path] = set()
"""The folders whose lock a job of this process holds."""


@contextmanager
def writer_lock(catalog: Catalog, folder: Path, wait: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the writer lock of a catalog, and of the index in `folder`. A wait is told.

    Args:
        wait: seconds, at most, for each of the two.

    Raises:
        BusyError: somebody else held it for `wait` seconds.
        LibraryError: the folder cannot be written.
    """
    notify = _telling(folder, wait)
    with ExitStack() as stack:
        if isinstance(catalog.store, PostgresStore):
            session = stack.enter_context(catalog.store.lock(catalog.engine, wait, notify))
            stack.enter_context(writing_through(catalog.engine, session))
        stack.enter_context(folder_lock(folder, wait, notify))
        token = waiting_told.set(_telling(folder, wait, holds=True))
        stack.callback(waiting_told.reset, token)
        yield


@contextmanager
def sharing_lock(
    catalog: Catalog, folder: Path, wait: float = LOCK_SECONDS
) -> Iterator[Callable[[], AbstractContextManager[bool]]]:
    """A run that adds while others do: yields what holds `writer_lock` for one commit.

    Held again within itself it does nothing; it yields whether it is the outermost. Until the run ends `is_adding` is
    true of the folder, and a catalog on a server `is_being_written`.
    """
    mark, is_held = FileLock(folder / "write.adding"), False

    @contextmanager
    def hold() -> Iterator[bool]:
        nonlocal is_held
        if is_held:
            yield False
            return
        if not mark.is_locked:  # another run had it: it may have ended
            _mark(mark)
        with writer_lock(catalog, folder, wait):
            is_held = True
            try:
                yield True
            finally:
                is_held = False

    with ExitStack() as marked:
        marked.callback(mark.release)
        if isinstance(catalog.store, PostgresStore):
            marked.enter_context(catalog.store.mark_busy(catalog.engine))
        yield hold


def _mark(mark: FileLock) -> None:
    with suppress(Timeout, OSError):  # of several runs one has it; `writer_lock` says what is wrong with the folder
        mark.acquire(timeout=0)
        disk.keep_private(Path(mark.lock_file))


def is_adding(folder: Path) -> bool:
    """Whether a process of this machine adds to the library; it brings the index up to the catalog itself."""
    mark = FileLock(folder / "write.adding")
    try:
        mark.acquire(timeout=0)
    except Timeout:
        return True
    except OSError:
        return False
    mark.release()
    return False


@contextmanager
def folder_lock(
    folder: Path, wait: float = LOCK_SECONDS, tell: Callable[[float], None] | None = None
) -> Iterator[None]:
    """Hold the writer lock of the library's folder. Who waits is let in before those that come later.

    A wait is told as that of `writer_lock`.

    Raises:
        BusyError: somebody else held it for `wait` seconds.
        LibraryError: the folder cannot be written.
    """
    lock, queue = FileLock(folder / "write.lock"), FileLock(folder / "write.queue")
    until = time.monotonic() + wait
    tell = tell or _telling(folder, wait)
    try:
        if not wait:
            lock.acquire(timeout=0)
        else:
            _acquire(queue, until, wait, tell)  # else who lets go and comes back at once is mostly first again
            try:
                _acquire(lock, until, wait, tell)
            finally:
                queue.release()
    except Timeout as error:
        raise BusyError(
            f"Another process, or a job of this one, is writing to '{folder}' and did not finish in {wait:g} s.",
            "Try again when it is done.",
        ) from error
    except OSError as error:
        if odd := [path for name in ("write.lock", "write.queue") if (path := folder / name).is_symlink()]:
            raise LibraryError(
                f"'{odd[0]}' is a link, and a lock is never one: it cannot be taken.", f"Delete it: rm '{odd[0]}'"
            ) from error
        raise disk.meaning(folder, error.errno or 0) from error
    for name in ("write.lock", "write.queue"):
        disk.keep_private(folder / name)
    place = folder.resolve()
    _HELD.add(place)
    try:
        yield
    finally:
        _HELD.discard(place)
        lock.release()


def _telling(folder: Path, wait: float, *, holds: bool = False) -> Callable[[float], None]:
    """What is called, while somebody else writes, with the seconds waited so far. Jobs of one process take turns.

    Args:
        holds: whether the waiting job has the lock itself, and waits for a program that heeds no lock.
    """
    once = warn_if_waiting(wait, f"another process, or a job of this one, is writing to '{folder}'.")

    def tell(waited: float) -> None:
        if once(waited):
            other = "job" if folder.resolve() in _HELD and not holds else "writer"
            emit(Progress(f"waiting for another {other}", int(waited), 0, "s"))

    return tell


def _acquire(lock: FileLock, until: float, wait: float, notify: Callable[[float], None]) -> None:
    while True:
        left = until - time.monotonic()
        try:
            turn = max(0.0, min(TURN_SECONDS if left < wait - 0.1 else 0.1, left))
            lock.acquire(timeout=turn, poll_interval=POLL_SECONDS)
        except Timeout:
            if time.monotonic() >= until:
                raise
            notify(wait - (until - time.monotonic()))
        else:
            return
