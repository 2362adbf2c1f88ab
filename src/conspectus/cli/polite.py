"""Long work steps back for those who search meanwhile."""

from __future__ import annotations

import os
from contextlib import suppress

NICENESS = 10
"""As `nice` gives without a number. On a machine with nothing else to do it costs no time."""


def step_back() -> None:
    """Let other processes go first, from now on; where the system knows of such a thing."""
    with suppress(OSError, AttributeError):
        if os.getpriority(os.PRIO_PROCESS, 0) < NICENESS:
            os.setpriority(os.PRIO_PROCESS, 0, NICENESS)
