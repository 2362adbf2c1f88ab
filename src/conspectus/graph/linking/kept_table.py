"""The table of all names in a file, so that a question costs what is looked up for it, and no process makes it anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from conspectus.core.grouped import grouped
from conspectus.graph.linking.naming import Reading, Readings, Table
from conspectus.graph.linking.words import Words

FORMAT = 2
"""Goes up when files are to be made anew, whatever the names."""
_TABLES = """
CREATE TABLE readings (key TEXT, concept INTEGER, score REAL, method TEXT, PRIMARY KEY (key, concept)) WITHOUT ROWID;
CREATE TABLE dropped (concept INTEGER, name TEXT, reason TEXT, PRIMARY KEY (concept, name)) WITHOUT ROWID;
CREATE TABLE words (kind TEXT, word TEXT, other TEXT, PRIMARY KEY (kind, word)) WITHOUT ROWID;
"""
_READINGS = "SELECT key, concept, score, method FROM readings"
_ORDER = " ORDER BY key, score DESC, concept"
_AT_ONCE = 500


class KeptTable(Table):
    """See `Table`; its readings stay in the file.

    Args:
        path: of a file that `save` has written.

    Raises:
        sqlite3.Error, KeyError, ValueError: it is none.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        said = grouped((kind, (word, other)) for kind, word, other in self._rows("SELECT kind, word, other FROM words"))
        known, acronyms, plurals = (dict(said.get(kind, ())) for kind in ("known", "acronym", "plural"))
        dropped = {(key, name): why for key, name, why in self._rows("SELECT concept, name, reason FROM dropped")}
        super().__init__(Words(known, acronyms, plurals), dropped=dropped)
        self.longest = int(dict(said["longest"])["words"])

    @property
    def whole(self) -> Table:
        """See `Table`."""
        return Table(self.words, _readings(self._rows(_READINGS + _ORDER)), self.dropped)

    def of(self, keys: Collection[str]) -> Readings:
        """See `Table`."""
        wanted, found = list(keys), dict[str, tuple[Reading, ...]]()
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            found |= _readings(self._rows(f"{_READINGS} WHERE key IN ({','.join('?' * len(some))}){_ORDER}", some))
        return found

    def _rows(self, query: str, values: Sequence[str] = ()) -> Iterator[Any]:
        with closing(sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as opened:
            yield from opened.execute(query, values)


def _readings(rows: Iterator[Any]) -> Readings:
    return {key: tuple(found) for key, found in grouped((key, Reading(*said)) for key, *said in rows).items()}


def save(table: Table, path: Path) -> None:
    """Write a table to a new file.

    Raises:
        sqlite3.Error: it cannot be written.
    """
    with closing(sqlite3.connect(path)) as opened, opened:
        opened.execute("PRAGMA journal_mode = OFF")
        opened.executescript(_TABLES)
        opened.executemany("INSERT INTO readings VALUES (?, ?, ?, ?)", sorted(_told(table.readings)))
        opened.executemany("INSERT INTO dropped VALUES (?, ?, ?)", ((*one, why) for one, why in table.dropped.items()))
        opened.executemany("INSERT INTO words VALUES (?, ?, ?)", _said(table))


def _told(readings: Readings) -> Iterator[tuple[str, int, float, str]]:
    return ((key, one.concept, one.score, one.method) for key, found in readings.items() for one in found)


def _said(table: Table) -> Iterator[tuple[str, str, str]]:
    words = table.words
    yield "longest", "words", str(table.longest)
    yield from (("acronym", word, "") for word in words.acronyms)
    for kind, said in (("known", words.known), ("plural", words.only_plural)):
        yield from ((kind, word, other) for word, other in said.items())
