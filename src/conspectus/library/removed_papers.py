"""Papers that were removed, held in memory so that it can be undone until the library is closed."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from conspectus.core.errors import NotFoundError
from conspectus.records import Paper
from conspectus.records.curation import Removal
from conspectus.session.session import Session
from conspectus.sources.online_folder import OnlineFolder, TakenOut
from conspectus.store.connection import transact, utc_now, writing
from conspectus.zotero import removal as zotero_removal
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
        self._held: dict[str, _HeldRemoval] = {}
        self._changing = threading.Lock()

    def hold(self, removal: Removal, rows: RemovedRows, files: TakenOut, items: list[TakenItems]) -> None:
        """Hold one more, with what it had in the folder `online`, and there of Zotero's items."""
        with self._changing:
            size = rows.size + files.size + sum(one.size for one in items)
            self._held[removal.id] = _HeldRemoval(removal, rows, files, items, size)
            while len(self._held) > MOST or sum(one.size for one in self._held.values()) > MOST_BYTES:
                del self._held[next(iter(self._held))]

    def listed(self) -> tuple[Removal, ...]:
        """All that are held, the newest first."""
        return tuple(one.removal for one in reversed(list(self._held.values())))

    def find(self, name: str) -> _HeldRemoval:
        """The removal of an id, or the last of a paper's id; `last`: the last of all.

        Raises:
            NotFoundError: there is none.
        """
        with self._changing:
            for one in reversed(self._held.values()):
                if name in ("last", one.removal.id, one.removal.paper):
                    return one
        raise NotFoundError(f"There is no removal '{name}' that could be undone.", "Add the paper's files again.")

    def drop(self, removal_id: str) -> None:
        """Let go of one."""
        with self._changing:
            self._held.pop(removal_id, None)

    def clear(self) -> None:
        """Let go of all: the library is another."""
        with self._changing:
            self._held.clear()


def recent_removals(session: Session) -> Removals:
    """Those of the library."""
    return session.parts.of(Removals, "removals")


def removals(session: Session) -> tuple[Removal, ...]:
    """What was removed since the library was opened and can be undone, the newest first."""
    return recent_removals(session).listed()


def remove(session: Session, name: str) -> Paper:
    """Remove a paper, by id or any other name of it, with every trace; returns it as it was.

    Until the library is closed, `undo_remove` brings it back out of memory.

    Raises:
        NotFoundError: no paper, or more than one, is called so.
    """
    from conspectus.store.removal import remove_paper

    with session.writing():
        paper = session.paper(name)
        key = session.catalog.paper_key(paper.id)
        documents = session.catalog.documents_of_one(key)
        with writing(session.catalog.engine) as connection:
            rows = remove_paper(connection, key)
        files = OnlineFolder(session.folder).take_out(session.catalog, documents)
        items = zotero_removal.take_out(session.folder, paper.id, documents)
        removal = Removal(f"rem-{secrets.token_hex(4)}", paper.id, paper.heading, utc_now())
        recent_removals(session).hold(removal, rows, files, items)
        session.forget_removed()
    return paper


def undo_remove(session: Session, name: str = "last") -> Paper:
    """Bring a removed paper back as it was, with all that was made of it and kept about it; returns it.

    Nothing is read or embedded again. What models answered with words of it before them, and the steps of such
    answers, are gone for good. Removals are held in memory: the last 1,000, 256 MB at most, until the library is
    closed.

    Args:
        name: of the removal, or the id that the paper had; `last`: the last one.

    Raises:
        NotFoundError: there is no such removal.
        UsageError: the paper is in the library again, its file says otherwise since, or the library was embedded
            with another model.
        BusyError: another process, or job of this one, is writing to the library.
    """
    from conspectus.store.removal import restore_paper

    with session.writing():
        found = recent_removals(session).find(name)
        rows = OnlineFolder(session.folder).rows_to_restore(session.catalog, found.rows)
        for taken in found.items:
            rows = zotero_removal.rows_to_restore(session, rows, taken)
        key = transact(session.catalog.engine, partial(restore_paper, removed=rows))
        OnlineFolder(session.folder).put_back(found.files)
        for taken in found.items:
            zotero_removal.put_back(taken)
        recent_removals(session).drop(found.removal.id)
        session.follow()
    return session.catalog.papers_by_key([key])[key]
