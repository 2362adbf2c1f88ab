"""How the time that something takes grows with its size: on the processor, and against itself.

So it is told alike on a slow machine and on a busy one. Tests get `steep` as a fixture, which marks them `clock`.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from conspectus.core.errors import ConspectusError

Steep = Callable[[Callable[[int], Any], int], str]
FLOOR = 0.02
"""Seconds for the larger size that are too few to look at."""
STEEP = 12.0
"""Between four (in proportion to the size) and sixteen (to its square)."""
TRIES = 4
"""How often both are measured again."""


def steep(run: Callable[[int], Any], size: int) -> str:
    """What four times the size takes, where that is far more than four times the time; else ""."""
    took = _seconds(run, 4 * size)
    if took < FLOOR:
        return ""
    first = _seconds(run, size)
    for _ in range(TRIES):  # what else the machine does makes a time longer, never shorter
        if took > max(STEEP * first, FLOOR):
            took, first = min(took, _seconds(run, 4 * size)), max(first, _seconds(run, size))
    return f"{first:.3f} s, {took:.3f} s for four times as much" if took > max(STEEP * first, FLOOR) else ""


def repeat_text(unit: str, length: int) -> str:
    """A text of about so many characters."""
    return unit * (length // len(unit))


def _seconds(run: Callable[[int], Any], size: int) -> float:
    began = time.process_time()  # noqa: TID251
    with suppress(ConspectusError):
        run(size)
    return time.process_time() - began  # noqa: TID251
