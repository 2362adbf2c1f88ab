"""The table of all names, computed once: held in memory, and stored as a file in the user's cache."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from conspectus.core.groups import grouped
from conspectus.graph import sql
from conspectus.graph.linking.name_table import NameReading, NameTable, Readings
from conspectus.graph.linking.plausibility import (
    NO_PROFILE,
    ConceptKind,
    ConceptStanding,
    PlausibilityModel,
    Profile,
    describe_concepts,
    read_weights,
    weights_version,
)
from conspectus.graph.linking.words import TokenKeys
from conspectus.graph.vocabularies.sql import names_by_rule
from conspectus.index.index_files import checksum
from conspectus.records.vocabularies import NameKind
from conspectus.session.session import Session
from conspectus.settings.user_folders import library_cache
from conspectus.store.entities import broader_labels

TABLE_FORMAT = 5
"""Goes up when files are to be made again, whatever the names."""
_TABLES = """
CREATE TABLE readings (
    key TEXT, concept INTEGER, score REAL, method TEXT, prior REAL, profile BLOB, PRIMARY KEY (key, concept)
) WITHOUT ROWID;
CREATE TABLE dropped (concept INTEGER, name TEXT, reason TEXT, PRIMARY KEY (concept, name)) WITHOUT ROWID;
CREATE TABLE standings (concept INTEGER PRIMARY KEY, general REAL, method REAL, above TEXT);
CREATE TABLE words (kind TEXT, word TEXT, other TEXT, PRIMARY KEY (kind, word)) WITHOUT ROWID;
"""
_READINGS = "SELECT key, concept, score, method, prior, profile FROM readings"
_STANDINGS = "SELECT concept, general, method, above FROM standings"
_ORDER = " ORDER BY key, score DESC, concept"
_AT_ONCE = 500
_decode_profile = msgspec.json.Decoder(Profile).decode
JUDGED = 500
"""Concepts of a vocabulary below which it is somebody's own list."""


class StoredNameTable(NameTable):
    """See `Table`; its readings stay in the file.

    Args:
        path: of a file that `save` has written.

    Raises:
        sqlite3.Error, KeyError, ValueError: it is none.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        words_by_kind = grouped(
            (kind, (word, other)) for kind, word, other in self._rows("SELECT kind, word, other FROM words")
        )
        known, acronyms, plurals = (dict(words_by_kind.get(kind, ())) for kind in ("known", "acronym", "plural"))
        dropped = {(key, name): why for key, name, why in self._rows("SELECT concept, name, reason FROM dropped")}
        super().__init__(TokenKeys(known, acronyms, plurals), dropped=dropped)
        self.longest = int(dict(words_by_kind["longest"])["words"])

    @property
    def in_memory(self) -> NameTable:
        """See `Table`."""
        return NameTable(self.words, _readings(self._rows(_READINGS + _ORDER)), self.dropped)

    def of(self, keys: Collection[str]) -> Readings:
        """See `Table`."""
        key_list, readings = list(keys), dict[str, tuple[NameReading, ...]]()
        for start in range(0, len(key_list), _AT_ONCE):
            chunk = key_list[start : start + _AT_ONCE]
            readings |= _readings(self._rows(f"{_READINGS} WHERE key IN ({','.join('?' * len(chunk))}){_ORDER}", chunk))
        return readings

    def standings(self, concepts: Collection[int]) -> dict[int, ConceptStanding]:
        """See `NameTable`."""
        concept_list, standings = list(concepts), dict[int, ConceptStanding]()
        for start in range(0, len(concept_list), _AT_ONCE):
            chunk = concept_list[start : start + _AT_ONCE]
            query = f"{_STANDINGS} WHERE concept IN ({','.join('?' * len(chunk))})"
            for concept, general, method, above in self._rows(query, chunk):
                standings[concept] = ConceptStanding(general, method, frozenset(above.split()))
        return standings

    def _rows(self, query: str, values: Sequence[str | int] = ()) -> Iterator[Any]:
        with closing(sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as opened:
            yield from opened.execute(query, values)


def _readings(rows: Iterator[Any]) -> Readings:
    by_key = grouped((key, _reading(*values)) for key, *values in rows)
    return {key: tuple(readings) for key, readings in by_key.items()}


def _reading(concept: int, score: float, method: str, prior: float, profile: bytes) -> NameReading:
    return NameReading(concept, score, method, prior, _decode_profile(profile) if profile else NO_PROFILE)


def save_table(table: NameTable, path: Path) -> None:
    """Write a table to a new file.

    Raises:
        sqlite3.Error: it cannot be written.
    """
    with closing(sqlite3.connect(path)) as opened, opened:
        opened.execute("PRAGMA journal_mode = OFF")
        opened.executescript(_TABLES)
        opened.executemany("INSERT INTO readings VALUES (?, ?, ?, ?, ?, ?)", sorted(_reading_rows(table.readings)))
        opened.executemany(
            "INSERT INTO dropped VALUES (?, ?, ?)", ((*pair, why) for pair, why in table.dropped.items())
        )
        standings = (
            (key, *standing[:2], " ".join(sorted(standing.above))) for key, standing in table.all_standings.items()
        )
        opened.executemany("INSERT INTO standings VALUES (?, ?, ?, ?)", standings)
        opened.executemany("INSERT INTO words VALUES (?, ?, ?)", _word_rows(table))


def _reading_rows(readings: Readings) -> Iterator[tuple[str, int, float, str, float, bytes]]:
    for key, key_readings in readings.items():
        for reading in key_readings:
            profile = b"" if reading.profile == NO_PROFILE else msgspec.json.encode(reading.profile)
            yield key, reading.concept, reading.score, reading.method, reading.prior, profile


def _word_rows(table: NameTable) -> Iterator[tuple[str, str, str]]:
    words = table.words
    yield "longest", "words", str(table.longest)
    yield from (("acronym", word, "") for word in words.acronyms)
    for kind, forms in (("known", words.known), ("plural", words.only_plural)):
        yield from ((kind, word, other) for word, other in forms.items())


FOLDER, SQLITE = "linking", ".sqlite"
LINKED = 10
"""Goes up when papers are to be linked again, whatever the vocabularies."""


def load_name_table(session: Session) -> NameTable:
    """The names of all vocabularies as they are now, made by the first who asks, whichever process."""
    state = sql.names_state(session.catalog)
    return session.parts.get_cached(
        "graph", lambda: _load_table(session, state) or _build_table(session, state), "names", state
    )


def drop_cache(session: Session) -> None:
    """Delete what is kept, for there is no vocabulary any more of whose names it is, or concepts have other keys."""
    shutil.rmtree(_folder(session), ignore_errors=True)


def _load_table(session: Session, state: str) -> NameTable | None:
    for path in find_cached_files(session, state, SQLITE):
        with suppress(OSError, sqlite3.Error, KeyError, ValueError):  # of a failing disk: made again
            return StoredNameTable(path)
    return None


def find_cached_files(session: Session, state: str, suffix: str) -> Iterator[Path]:
    """The whole files that `keep` made for a state."""
    for path in _folder(session).glob(f"{_stem(state)}-*{suffix}"):
        with suppress(OSError):
            if path.stem.rpartition("-")[2] == f"{checksum(path):08x}":
                yield path


def _build_table(session: Session, state: str) -> NameTable:
    from conspectus.graph.linking.name_table import ComputedNameTable, RankedName, Rules

    use, leave = names_by_rule(session.catalog)
    names = (
        RankedName(key, text, NameKind(kind), rank) for key, text, kind, rank in sql.searched_names(session.catalog)
    )
    kinds = _describe_judged(session)
    table = ComputedNameTable(names, Rules(tuple(use), tuple(leave)), kinds, PlausibilityModel(read_weights()))
    with suppress(OSError, sqlite3.Error):  # where nothing can be written, each process makes its own
        cache_file(session, state, SQLITE, partial(save_table, table))
    return table


def _describe_judged(session: Session) -> dict[int, ConceptKind]:
    """The concepts whose names are judged; who lists a few names means them."""
    owner = {key: vocabulary for key, (_, vocabulary) in sql.ids_by_vocabulary(session.catalog).items()}
    sizes = Counter(owner.values())
    kinds = describe_concepts(*broader_labels(session.catalog))
    return {key: kind for key, kind in kinds.items() if sizes[owner[key]] >= JUDGED}


def cache_file(session: Session, state: str, suffix: str, write: Callable[[Path], object]) -> None:
    """Have a file written beside those of this suffix that are there, and delete these."""
    folder = _folder(session)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    before, part = set(folder.glob(f"*{suffix}")), folder / f"{os.getpid()}-{threading.get_ident()}.part"
    try:
        write(part)
        new_file = part.replace(folder / f"{_stem(state)}-{checksum(part):08x}{suffix}")
    finally:
        part.unlink(missing_ok=True)
    for path in before - {new_file}:
        path.unlink(missing_ok=True)


def _folder(session: Session) -> Path:
    """Of the catalog: on a server several may share the library's folder."""
    return library_cache(session.folder) / f"{FOLDER}{session.catalog.store.index_name.removeprefix('index')}"


def _stem(state: str) -> str:
    return f"{TABLE_FORMAT}-{LINKED}{weights_version()}-{state}"
