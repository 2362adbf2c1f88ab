"""The table of all names that papers are searched for, made once: held in memory, kept in a folder of the library.

The folder may be deleted at any time, and no backup has it. In a library from elsewhere it does not count.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.catalog import mentions as kept
from conspectus.catalog.vocabularies import ruled
from conspectus.core.disk import keep_private
from conspectus.index.checksums import checksum
from conspectus.library.held import Held
from conspectus.library.session import Session
from conspectus.records.concepts import NameKind

if TYPE_CHECKING:
    from conspectus.graph.linking.naming import Table

FOLDER = "linking"
LINKED = 4
"""Goes up when papers are to be linked anew, whatever the vocabularies."""


def table_of(session: Session) -> Table:
    """The names of all vocabularies as they are now, made by the first who asks, whichever process."""
    state = kept.names_state(session.catalog)
    held: Held = session.parts.of(Held, "graph")
    return held.of(lambda: _kept(session, state) or _made(session, state), "names", state)


def forget(session: Session) -> None:
    """Delete what is kept, for there is no vocabulary any more of whose names it is, or concepts have other keys."""
    shutil.rmtree(_folder(session), ignore_errors=True)


def _kept(session: Session, state: str) -> Table | None:
    from conspectus.graph.linking.kept_table import KeptTable

    for path in _folder(session).glob(f"{_stem(state)}-*.sqlite") if session.standing.whole else ():
        with suppress(OSError, sqlite3.Error, KeyError, ValueError):  # of a failing disk: made anew
            if path.stem.rpartition("-")[2] == f"{checksum(path):08x}":
                return KeptTable(path)
    return None


def _made(session: Session, state: str) -> Table:
    from conspectus.graph.linking.naming import Named, Names
    from conspectus.graph.linking.rules import Rules

    use, leave = ruled(session.catalog)
    names = (Named(key, text, NameKind(kind), rank) for key, text, kind, rank in kept.names(session.catalog))
    made = Names(names, Rules(tuple(use), tuple(leave)))
    if session.standing.whole:
        with suppress(OSError, sqlite3.Error):  # where nothing can be written, each process makes its own
            _keep(_folder(session), _stem(state), made)
    return made


def _keep(folder: Path, stem: str, table: Table) -> None:
    """Write a table beside those that are there, and delete these."""
    from conspectus.graph.linking.kept_table import save

    folder.mkdir(exist_ok=True)
    keep_private(folder)
    before, part = set(folder.glob("*.sqlite")), folder / f"{os.getpid()}-{threading.get_ident()}.part"
    try:
        save(table, part)
        made = part.replace(folder / f"{stem}-{checksum(part):08x}.sqlite")
    finally:
        part.unlink(missing_ok=True)
    for path in before - {made}:
        path.unlink(missing_ok=True)


def _folder(session: Session) -> Path:
    """Of the catalog: on a server several may share the library's folder."""
    return session.folder / f"{FOLDER}{session.catalog.store.index_name.removeprefix('index')}"


def _stem(state: str) -> str:
    from conspectus.graph.linking.kept_table import FORMAT

    return f"{FORMAT}-{LINKED}-{state}"
