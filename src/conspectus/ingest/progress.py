"""How long work tells where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conspectus.core.listening import tell


@dataclass(frozen=True, slots=True)
class Progress:
    """Where the work is: `done` of `total` (in `unit`s; total 0: not known), and what is in hand.

    While files are added the unit is their `bytes`, so that what is left of a large one counts as such; `files` says
    how many are done, of how many, and `papers` how many of what they say were new so far.
    """

    stage: str
    done: float
    total: float
    unit: str
    detail: str = ""
    files: tuple[int, int] = (0, 0)
    papers: int = 0


ProgressCallback = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """Tells nobody but the job, if it is in one."""
    tell(progress)


def waiting(tell: ProgressCallback) -> Callable[[float], None]:
    """Tells for how many seconds the work has waited for another process."""
    return lambda seconds: tell(Progress("waiting for another writer", int(seconds), 0, "s"))
