"""How long work tells where it is."""

from __future__ import annotations

from collections.abc import Callable

from conspectus.core.listening import tell
from conspectus.records.jobs import Progress

ProgressCallback = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """Tells nobody but the job, if it is in one."""
    tell(progress)


def waiting(tell: ProgressCallback) -> Callable[[float], None]:
    """Tells for how many seconds the work has waited for another process."""
    return lambda seconds: tell(Progress("waiting for another writer", int(seconds), 0, "s"))
