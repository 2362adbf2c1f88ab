"""What long work tells whoever listens, in the context that it runs in, and the wish that it end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Told:
    """Something the user should know now: a wait, a retry, a question rewritten."""

    text: str


class Stopped(BaseException):
    """A job is to end. Not an `Exception`: nothing is to take it for the fault of a file or a service."""


class Ear:
    """Hears what is told in its job, and has it end.

    Args:
        hear: called with each event, in the thread that tells it.
    """

    def __init__(self, hear: Callable[[object], None]) -> None:
        self._hear = hear
        self._lock = threading.Lock()
        self._wakes: list[Callable[[], object]] = []
        self._is_wanted = False
        self._is_over = False
        self._thread = 0

    def stop(self) -> None:
        """Have the job end where it tells something next, or now, where it waits; from any thread."""
        with self._lock:
            self._is_wanted = True
        self._wake()

    def check(self) -> None:
        """Raise `Stopped` in the thread of the job, once for each `stop`: what ends it can still tell how far it is."""
        with self._lock:
            ends = self._is_wanted and threading.get_ident() == self._thread
            self._is_wanted = self._is_wanted and not ends
        if ends:
            raise Stopped

    @contextmanager
    def listening(self) -> Iterator[None]:
        """What is told in here, in this thread and those that it begins with its context, is heard.

        At its end what threads of the job still wait for ends too: nobody is left who wants it.
        """
        self._thread = threading.get_ident()
        token = _ear.set(self)
        try:
            with hearing(self._hear, alone=True):
                yield
        finally:
            _ear.reset(token)
            with self._lock:
                self._is_over = True
            self._wake()

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """While this lasts, `stop` calls `wake`, which ends a wait; at once, where the wish or the end came before."""
        with self._lock:
            self._wakes.append(wake)
            is_to_end = self._is_wanted or self._is_over
        if is_to_end:
            wake()
        try:
            yield
        finally:
            with self._lock:
                self._wakes.remove(wake)

    def _wake(self) -> None:
        with self._lock:
            wakes = list(self._wakes)
        for wake in wakes:
            wake()


_Listener = tuple[Callable[[Any], object], tuple[type, ...], bool]
_listeners: ContextVar[tuple[_Listener, ...]] = ContextVar("listeners", default=())
_ear: ContextVar[Ear | None] = ContextVar("ear", default=None)


@contextmanager
def hearing(hear: Callable[[Any], object] | None, *kinds: type, alone: bool = False) -> Iterator[None]:
    """What is told in here, in this thread and whatever is begun with its context, is heard.

    Args:
        hear: called with each event, in the thread that tells it; None: nobody.
        kinds: of these only; none: all.
        alone: nobody outside hears what is heard here.
    """
    if hear is None:
        yield
        return
    token = _listeners.set(((hear, kinds or (object,), alone), *_listeners.get()))
    try:
        yield
    finally:
        _listeners.reset(token)


def tell(event: object, *, ends: bool = True) -> None:
    """Tell who listens, the innermost first.

    Raises `Stopped` where the job in which this is called is to end; not with `ends` False, in the midst of what is to
    be finished.
    """
    if ends:
        check()
    for hear, kinds, alone in _listeners.get():
        if isinstance(event, kinds):
            hear(event)
            if alone:
                return


def check() -> None:
    """Raise `Stopped` where the job in which this is called is to end."""
    if ear := _ear.get():
        ear.check()


def waking(wake: Callable[[], object]) -> AbstractContextManager[None]:
    """While this lasts, a wish that the job end calls `wake`."""
    ear = _ear.get()
    return ear.waking(wake) if ear else nullcontext()
