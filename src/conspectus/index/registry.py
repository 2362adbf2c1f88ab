"""Index engines by name, as `index.engine` is written."""

from __future__ import annotations

from pathlib import Path

from conspectus.core import entry_points
from conspectus.core.errors import SettingsError
from conspectus.index.protocol import SearchIndex

BUILT_IN = {"embedded": "conspectus.index.embedded_engine:EmbeddedIndex"}


def engine(name: str, folder: Path, *, trusted: bool = True) -> SearchIndex:
    """The index of a library, by the engine that `name` names: `NAME`, or `NAME:PLACE` for one that works elsewhere.

    An engine is what the entry point gives, called with the folder that an index on this machine may use (it need not
    exist), with `trusted=False` where that folder may hold files of a stranger, and with `place=PLACE` where one is
    named.

    Raises:
        SettingsError: there is no such engine.
        UnavailableError: its package cannot be loaded, or fails.
    """
    kind, _, place = name.partition(":")
    known = entry_points.offered("indexes", BUILT_IN)
    if kind not in known:
        raise SettingsError(f"There is no index engine '{kind}'.", f"index.engine may be {', '.join(known)}.")
    elsewhere = {"place": place} if place else {}
    made: SearchIndex = entry_points.make(known[kind], folder, trusted=trusted, **elsewhere)
    return made
