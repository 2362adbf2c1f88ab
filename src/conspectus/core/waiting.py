"""Calls that wait: whoever listens hears why, while it lasts."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextvars import ContextVar

from conspectus.core.listening import Told, tell

_PATIENCE = 1.0
"""Seconds of a wait that nobody needs to hear of."""
patience: ContextVar[float] = ContextVar("patience", default=math.inf)
"""Seconds that the caller waits for another writer at most, however long the settings would."""


def telling(most: float, why: str) -> Callable[[float], None]:
    """For a wait that may take `most` seconds: called with those waited so far, it says so once, after the first."""
    said = False

    def heard(waited: float) -> None:
        nonlocal said
        if waited >= _PATIENCE and not said:
            said = True
            tell(Told(f"Waiting up to {most:.0f} s: {why}"))

    return heard


def tell_wait(seconds: float, why: str) -> None:
    """Say that a call waits."""
    tell(Told(f"{f'Waiting {seconds:.0f} s' if seconds >= 1 else 'Trying again'}: {why}"))
