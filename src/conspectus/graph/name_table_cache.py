"""The table of all names that papers are searched for, made once: held in memory, kept in the user's cache."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.graph import sql as kept
from conspectus.graph.vocabularies.sql import names_by_rule
from conspectus.index.checksums import checksum
from conspectus.records.vocabularies import NameKind
from conspectus.session.session import Session
from conspectus.settings.user_folders import library_cache

if TYPE_CHECKING:
    from conspectus.graph.linking.naming import Table

FOLDER, SQLITE = "linking", ".sqlite"
LINKED = 6
"""Goes up when papers are to be linked anew, whatever the vocabularies."""


def table_of(session: Session) -> Table:
    """The names of all vocabularies as they are now, made by the first who asks, whichever process."""
    state = kept.names_state(session.catalog)
    return session.parts.held("graph", lambda: _kept(session, state) or _made(session, state), "names", state)


def forget(session: Session) -> None:
    """Delete what is kept, for there is no vocabulary any more of whose names it is, or concepts have other keys."""
    shutil.rmtree(_folder(session), ignore_errors=True)


def _kept(session: Session, state: str) -> Table | None:
    from conspectus.graph.linking.kept_table import KeptTable

    for path in kept_files(session, state, SQLITE):
        with suppress(OSError, sqlite3.Error, KeyError, ValueError):  # of a failing disk: made anew
            return KeptTable(path)
    return None


def kept_files(session: Session, state: str, suffix: str) -> Iterator[Path]:
    """The whole files that `keep` made for a state."""
    for path in _folder(session).glob(f"{_stem(state)}-*{suffix}"):
        with suppress(OSError):
            if path.stem.rpartition("-")[2] == f"{checksum(path):08x}":
                yield path


def _made(session: Session, state: str) -> Table:
    from conspectus.graph.linking.kept_table import save
    from conspectus.graph.linking.naming import Named, Names
    from conspectus.graph.linking.rules import Rules

    use, leave = names_by_rule(session.catalog)
    names = (Named(key, text, NameKind(kind), rank) for key, text, kind, rank in kept.searched_names(session.catalog))
    made = Names(names, Rules(tuple(use), tuple(leave)))
    with suppress(OSError, sqlite3.Error):  # where nothing can be written, each process makes its own
        keep(session, state, SQLITE, partial(save, made))
    return made


def keep(session: Session, state: str, suffix: str, write: Callable[[Path], object]) -> None:
    """Have a file written beside those of this suffix that are there, and delete these."""
    folder = _folder(session)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    before, part = set(folder.glob(f"*{suffix}")), folder / f"{os.getpid()}-{threading.get_ident()}.part"
    try:
        write(part)
        made = part.replace(folder / f"{_stem(state)}-{checksum(part):08x}{suffix}")
    finally:
        part.unlink(missing_ok=True)
    for path in before - {made}:
        path.unlink(missing_ok=True)


def _folder(session: Session) -> Path:
    """Of the catalog: on a server several may share the library's folder."""
    return library_cache(session.folder) / f"{FOLDER}{session.catalog.store.index_name.removeprefix('index')}"


def _stem(state: str) -> str:
    from conspectus.graph.linking.kept_table import FORMAT

    return f"{FORMAT}-{LINKED}-{state}"
