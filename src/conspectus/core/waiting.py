"""Calls that wait: whoever asked may hear why, while it lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_PATIENCE = 1.0
"""Seconds of a wait that nobody needs to hear of."""

_hear: ContextVar[Callable[[str], object]] = ContextVar("hear", default=lambda _: None)


@contextmanager
def hearing_waits(hear: Callable[[str], object]) -> Iterator[None]:
    """While this lasts, `hear` is told when a call of this task, or of one begun by it, has to wait, and why."""
    token = _hear.set(hear)
    try:
        yield
    finally:
        _hear.reset(token)


def telling(most: float, why: str) -> Callable[[float], None]:
    """For a wait that may take `most` seconds: called with those waited so far, it says so once, after the first."""
    said = False

    def tell(waited: float) -> None:
        nonlocal said
        if waited >= _PATIENCE and not said:
            said = True
            _hear.get()(f"Waiting up to {most:.0f} s: {why}")

    return tell


def tell_wait(seconds: float, why: str) -> None:
    """Say that a call of this task waits."""
    _hear.get()(f"{f'Waiting {seconds:.0f} s' if seconds >= 1 else 'Trying again'}: {why}")
