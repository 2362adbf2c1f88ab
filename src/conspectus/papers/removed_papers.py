"""Papers that were removed, held in memory so that it can be undone until the library is closed."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conspectus.core.errors import NotFoundError
from conspectus.records.curation import Removal
from conspectus.session.session import Session
from conspectus.sources.online_folder import TakenOut
from conspectus.zotero.removal import TakenItems

if TYPE_CHECKING:
    from conspectus.store.removal import RemovedRows

MOST = 1_000
"""Removals that are held."""
MOST_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class _HeldRemoval:
    removal: Removal
    rows: RemovedRows
    files: TakenOut
    items: list[TakenItems]
    size: int


class Removals:
    """Those of a library that is open, the newest last; the oldest go where they are too many or too large."""

    def __init__(self) -> None:
        self._removals: dict[str, _HeldRemoval] = {}
        self._changing = threading.Lock()

    def hold(self, removal: Removal, rows: RemovedRows, files: TakenOut, items: list[TakenItems]) -> None:
        """Hold one more, with what it had in the folder `online`, and there of Zotero's items."""
        with self._changing:
            size = rows.size + files.size + sum(taken_items.size for taken_items in items)
            self._removals[removal.id] = _HeldRemoval(removal, rows, files, items, size)
            while (
                len(self._removals) > MOST
                or sum(held_removal.size for held_removal in self._removals.values()) > MOST_BYTES
            ):
                del self._removals[next(iter(self._removals))]

    def list_removals(self) -> tuple[Removal, ...]:
        """All that are held, the newest first."""
        return tuple(held_removal.removal for held_removal in reversed(list(self._removals.values())))

    def find(self, name: str) -> _HeldRemoval:
        """The removal of an id, or the last of a paper's id; `last`: the last of all.

        Raises:
            NotFoundError: there is none.
        """
        with self._changing:
            for held_removal in reversed(self._removals.values()):
                if name in ("last", held_removal.removal.id, held_removal.removal.paper):
                    return held_removal
        raise NotFoundError(f"There is no removal '{name}' that could be undone.", "Add the paper's files again.")

    def drop(self, removal_id: str) -> None:
        """Let go of one."""
        with self._changing:
            self._removals.pop(removal_id, None)

    def clear(self) -> None:
        """Let go of all: the library is another."""
        with self._changing:
            self._removals.clear()


def recent_removals(session: Session) -> Removals:
    """Those of the library."""
    return session.parts.of(Removals, "removals")
