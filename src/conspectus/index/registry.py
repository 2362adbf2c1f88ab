"""Index engines by name, as `index.engine` is written."""

from __future__ import annotations

from pathlib import Path

from conspectus.core import packages
from conspectus.core.errors import SettingsError
from conspectus.index.protocol import SearchIndex
from conspectus.store.catalog import Catalog

BUILT_IN = {
    "embedded": "conspectus.index.embedded_engine:EmbeddedIndex",
    "postgres": "conspectus.index.postgres_engine:PostgresIndex",
}


def engine(name: str, folder: Path, catalog: Catalog, *, trusted: bool = True) -> SearchIndex:
    """The index of a library, by the engine that `name` names: `NAME`, or `NAME:PLACE` for one that works elsewhere.

    An engine is what the entry point gives, called with the folder that an index on this machine may use (it need not
    exist), with `trusted=False` where that folder may hold files of a stranger, and with `place=PLACE` where one is
    named. The engine `postgres` gets the catalog instead: it is in the same database.

    Raises:
        SettingsError: there is no such engine.
        UnavailableError: its package cannot be loaded, or fails.
    """
    kind, _, place = name.partition(":")
    known = packages.offered("indexes", BUILT_IN)
    if kind not in known:
        raise SettingsError(f"There is no index engine '{kind}'.", f"index.engine may be {', '.join(known)}.")
    elsewhere = {"place": place} if place else {}
    if kind == "postgres":
        index: SearchIndex = packages.make(known[kind], catalog)
    else:
        index = packages.make(known[kind], folder, trusted=trusted, **elsewhere)
    return index
