"""What follows the catalog within its own transactions: an index in the same database.

`writing` (`store.connection`) gathers the papers that a transaction touches, and calls the catalog's follower before it
commits. So there is no moment at which a killed process leaves one without the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine


@dataclass(slots=True)
class TouchedPapers:
    """The papers that a transaction touches, by their keys; some may be gone at its end.

    Attributes:
        since: the number of the catalog's last change before it; -1: it changes nothing that an index has.
        papers: whose passages or vectors come or go.
        changed: of whose passages that stay an index has to be told otherwise.
    """

    since: int = -1
    papers: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)


Follower = Callable[[Connection, TouchedPapers], None]
_followers: WeakKeyDictionary[Engine, Follower] = WeakKeyDictionary()
_touched: WeakKeyDictionary[Connection, TouchedPapers] = WeakKeyDictionary()


def set_follower(engine: Engine, follower: Follower) -> None:
    """Call `follower` before each commit of a change of papers, passages or vectors; there is one at most."""
    _followers[engine] = follower


@contextmanager
def followed(engine: Engine, connection: Connection) -> Iterator[None]:
    """A transaction that the follower takes part in, where there is one."""
    if (follower := _followers.get(engine)) is None:
        yield
        return
    _touched[connection] = touched = TouchedPapers()
    try:
        yield
        if touched.since >= 0:
            follower(connection, touched)
    finally:
        del _touched[connection]


def note_touched(connection: Connection, since: int, paper_keys: Collection[int], *, changed: bool = False) -> None:
    """Say that a transaction touches papers; `since`: the change before this one."""
    if (touched := _touched.get(connection)) is not None:
        touched.since = since if touched.since < 0 else touched.since
        touched.papers |= set(paper_keys)
        if changed:
            touched.changed |= set(paper_keys)
