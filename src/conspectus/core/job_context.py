"""Events that long work emits to whoever listens in its context, why it waits, and the request that it end."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know now: a wait, a retry, a question rewritten."""

    text: str


class Stopped(BaseException):
    """A job is to end. Not an `Exception`: nothing is to take it for the fault of a file or a service."""


class JobContext:
    """A running job: receives the events that it emits, and ends it on request.

    Args:
        on_event: called with each event, in the thread that emits it.
    """

    def __init__(self, on_event: Callable[[object], None]) -> None:
        self._on_event = on_event
        self._lock = threading.Lock()
        self._wakes: list[Callable[[], object]] = []
        self._is_wanted = False
        self._is_over = False
        self._thread = 0

    def stop(self) -> None:
        """Have the job end when it emits its next event, or now if it waits; from any thread."""
        with self._lock:
            self._is_wanted = True
        self._wake()

    def check(self) -> None:
        """Raise `Stopped` in the thread of the job, once for each `stop`: what ends it can still emit events."""
        with self._lock:
            ends = self._is_wanted and threading.get_ident() == self._thread
            self._is_wanted = self._is_wanted and not ends
        if ends:
            raise Stopped

    @contextmanager
    def listen(self) -> Iterator[None]:
        """Receive what is emitted in here, in this thread and in those that it begins with its context.

        At its end what threads of the job still wait for ends too: nobody is left who wants it.
        """
        self._thread = threading.get_ident()
        token = _job.set(self)
        try:
            with listen(self._on_event, alone=True):
                yield
        finally:
            _job.reset(token)
            with self._lock:
                self._is_over = True
            self._wake()

    @contextmanager
    def on_cancel(self, wake: Callable[[], object]) -> Iterator[None]:
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
_job: ContextVar[JobContext | None] = ContextVar("job", default=None)


@contextmanager
def listen(on_event: Callable[[Any], object] | None, *kinds: type, alone: bool = False) -> Iterator[None]:
    """Receive what is emitted in here, in this thread and in whatever is begun with its context.

    Args:
        on_event: called with each event, in the thread that emits it; None: nothing is received.
        kinds: of these only; none: all.
        alone: listeners outside do not receive it.
    """
    if on_event is None:
        yield
        return
    token = _listeners.set(((on_event, kinds or (object,), alone), *_listeners.get()))
    try:
        yield
    finally:
        _listeners.reset(token)


def emit(event: object, *, ends: bool = True) -> None:
    """Give an event to whoever listens, the innermost first.

    Raises `Stopped` where the job in which this is called is to end; not with `ends` False, in the midst of what is to
    be finished.
    """
    if ends:
        check()
    for on_event, kinds, alone in _listeners.get():
        if isinstance(event, kinds):
            on_event(event)
            if alone:
                return


def check() -> None:
    """Raise `Stopped` where the job in which this is called is to end."""
    if job := _job.get():
        job.check()


def on_cancel(wake: Callable[[], object]) -> AbstractContextManager[None]:
    """While this lasts, a wish that the job end calls `wake`."""
    job = _job.get()
    return job.on_cancel(wake) if job else nullcontext()


_PATIENCE = 1.0
"""Seconds of a wait that nobody needs to hear of."""
wait_timeout: ContextVar[float] = ContextVar("wait_timeout", default=math.inf)
"""Seconds that the caller waits for another writer at most, however long the settings would."""


def warn_if_waiting(most: float, why: str) -> Callable[[float], bool]:
    """For a wait that may take `most` seconds: called with those waited so far, it says so once, after the first.

    What is called returns whether the wait is long enough to be mentioned.
    """
    is_said = False

    def warn(waited: float) -> bool:
        nonlocal is_said
        is_long = waited >= _PATIENCE
        if is_long and not is_said:
            is_said = True
            emit(Notice(f"Waiting up to {most:.0f} s: {why}"))
        return is_long

    return warn


def emit_wait(seconds: float, why: str) -> None:
    """Say that a call waits."""
    emit(Notice(f"{f'Waiting {seconds:.0f} s' if seconds >= 1 else 'Trying again'}: {why}"))


def sleep(seconds: float) -> None:
    """Wait; raises `Stopped` at once where the job in which this is called is to end, whichever its thread."""
    check()
    woken = threading.Event()
    with on_cancel(woken.set):
        is_cancelled = woken.wait(max(seconds, 0.0))
    if is_cancelled:
        check()
        raise Stopped
