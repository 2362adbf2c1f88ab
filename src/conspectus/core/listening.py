"""What long work tells whoever has begun it as a job, and the wish that it end; without a job nobody is told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar


class Stopped(BaseException):
    """A job is to end. Not an `Exception`: nothing is to take it for the fault of a file or a service."""


class Ear:
    """Hears what is told in its job.

    Args:
        hear: called with each event, in the thread that tells it.
    """

    def __init__(self, hear: Callable[[object], None]) -> None:
        self.hear = hear
        self._lock = threading.Lock()
        self._wakes: list[Callable[[], object]] = []
        self._is_wanted = False
        self._thread = 0

    def stop(self) -> None:
        """Have the job end where it tells something next, or now, where it waits; from any thread."""
        with self._lock:
            self._is_wanted = True
            wakes = list(self._wakes)
        for wake in wakes:
            wake()

    def check(self) -> None:
        """Raise `Stopped` in the thread of the job, once for each `stop`: what ends it can still tell how far it is."""
        with self._lock:
            ends = self._is_wanted and threading.get_ident() == self._thread
            self._is_wanted = self._is_wanted and not ends
        if ends:
            raise Stopped

    @contextmanager
    def listening(self) -> Iterator[None]:
        """What is told in here, in this thread and those that it begins with its context, is heard."""
        self._thread = threading.get_ident()
        token = _ear.set(self)
        try:
            yield
        finally:
            _ear.reset(token)

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """While this lasts, `stop` calls `wake`, which ends a wait; at once, where the wish was there before."""
        with self._lock:
            self._wakes.append(wake)
            is_wanted = self._is_wanted
        if is_wanted:
            wake()
        try:
            yield
        finally:
            with self._lock:
                self._wakes.remove(wake)


_NOBODY = Ear(lambda _: None)
_ear: ContextVar[Ear] = ContextVar("ear", default=_NOBODY)


def tell(event: object, *, ends: bool = True) -> None:
    """Tell the job in which this is called.

    Raises `Stopped` where it is to end; not with `ends` False, in the midst of what is to be finished.
    """
    ear = _ear.get()
    if ends:
        ear.check()
    ear.hear(event)


def check() -> None:
    """Raise `Stopped` where the job in which this is called is to end."""
    _ear.get().check()


def waking(wake: Callable[[], object]) -> AbstractContextManager[None]:
    """While this lasts, a wish that the job end calls `wake`."""
    return _ear.get().waking(wake)
