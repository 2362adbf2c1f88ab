"""Calls that wait: whoever listens hears why, while it lasts."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from contextvars import ContextVar

from conspectus.core.job_context import Notice, Stopped, check, emit, on_cancel

_PATIENCE = 1.0
"""Seconds of a wait that nobody needs to hear of."""
wait_timeout: ContextVar[float] = ContextVar("wait_timeout", default=math.inf)
"""Seconds that the caller waits for another writer at most, however long the settings would."""


def warn_if_waiting(most: float, why: str) -> Callable[[float], bool]:
    """For a wait that may take `most` seconds: called with those waited so far, it says so once, after the first.

    What is called returns whether the wait is long enough to be mentioned.
    """
    said = False

    def heard(waited: float) -> bool:
        nonlocal said
        is_long = waited >= _PATIENCE
        if is_long and not said:
            said = True
            emit(Notice(f"Waiting up to {most:.0f} s: {why}"))
        return is_long

    return heard


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
