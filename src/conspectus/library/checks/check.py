"""A check: what it finds, and how that is mended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conspectus.records import Finding
from conspectus.session.session import Session

FIX = "`doctor fix=True`"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that `doctor` looks at.

    Attributes:
        find: what is found; None where there is nothing to look at.
        mend: makes it well without losing anything, where that can be done.
        beyond: whether it looks at what is no part of the library: programs, models, servers.
    """

    find: Callable[[Session], Finding | None]
    mend: Callable[[Session], object] | None = None
    beyond: bool = False


def names(paths: list[str]) -> str:
    """The first of them, to be told."""
    return ", ".join(f"'{path}'" for path in paths[:3]) + (" …" if len(paths) > 3 else "")
