"""Upkeep of an index that has files of its own; of one without there is nothing to do."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

from conspectus.index.protocol import SearchIndex


@runtime_checkable
class Upkeep(Protocol):
    """What an engine may have beside `SearchIndex`: all of it, or none."""

    def dead(self) -> int:
        """Passages that were taken out, but still count where words are weighed by their rarity."""
        ...

    def damage(self) -> list[str]:
        """The files that no longer have the bytes that were written, by their checksums; all of them are read.

        Raises:
            LibraryDamagedError: it cannot be opened at all.
        """
        ...

    def leftovers(self) -> list[Path]:
        """Folders that writers which were killed have left.

        Raises:
            BusyError: somebody is writing, so that nobody can say.
            LibraryError: it can only be read; or it is damaged.
        """
        ...

    def is_foreign(self) -> bool:
        """Whether there is an index that is not opened, because another user or another computer wrote it."""
        ...

    def age(self) -> float:
        """Seconds since it was last changed; without end where there is none."""
        ...


def dead(index: SearchIndex) -> int:
    """As `Upkeep.dead`; 0."""
    return index.dead() if isinstance(index, Upkeep) else 0


def damage(index: SearchIndex) -> list[str]:
    """As `Upkeep.damage`; none."""
    return index.damage() if isinstance(index, Upkeep) else []


def leftovers(index: SearchIndex) -> list[Path]:
    """As `Upkeep.leftovers`; none."""
    return index.leftovers() if isinstance(index, Upkeep) else []


def is_foreign(index: SearchIndex) -> bool:
    """As `Upkeep.is_foreign`; False."""
    return isinstance(index, Upkeep) and index.is_foreign()


def age(index: SearchIndex) -> float:
    """As `Upkeep.age`; without end."""
    return index.age() if isinstance(index, Upkeep) else float("inf")
