"""Opening a catalog in SQLite: made, or refused without a byte changed. What both catalogs do: test_stores.py."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from conspectus import Library
from conspectus.core.errors import LibraryDamagedError, LibraryError, LibraryTooNewError
from conspectus.store.connection import open_engine
from helpers import InlinePool, open_library, write_jsonl


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    """Else `conspectus list` writes to the library."""
    path = tmp_path / "catalog.sqlite"
    open_engine(path).dispose()
    before = path.read_bytes()
    engine = open_engine(path)
    with engine.connect() as connection:
        assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1
    engine.dispose()
    assert path.read_bytes() == before


def test_a_newer_library_is_refused_untouched(tmp_path: Path) -> None:
    """Else an old version on another machine breaks what a new one made."""
    Library(tmp_path).close()
    path = tmp_path / "catalog.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE conspectus_schema SET version = 9999")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(LibraryTooNewError) as caught:
        Library(tmp_path)
    assert path.read_bytes() == before
    assert caught.value.exit_code == 4
    assert "pip install --upgrade" in caught.value.hint


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """Else a wrong folder ends in a traceback of SQLite."""
    path = tmp_path / "catalog.sqlite"
    path.write_text("these are my notes, they are no database\n" * 100)
    before = path.read_bytes()
    with pytest.raises(LibraryDamagedError) as caught:
        Library(tmp_path)
    assert path.read_bytes() == before
    assert caught.value.exit_code == 4
    assert str(path) in caught.value.message and caught.value.hint


def test_an_empty_catalog_next_to_an_index_is_damaged(tmp_path: Path) -> None:
    """Else a library that a disk has emptied is told not to be there, and the next `add` begins another one."""
    with open_library(tmp_path) as library:
        library.add(write_jsonl(tmp_path / "r.jsonl", [{"id": "x", "title": "Birds", "abstract": "Birds sing."}]))
    (tmp_path / "catalog.sqlite").write_bytes(b"")
    for _ in range(2):
        with pytest.raises(LibraryDamagedError, match="is empty"):
            Library(tmp_path)


def test_another_programs_database_is_refused_untouched(tmp_path: Path) -> None:
    """Else `--library` with a wrong folder writes into somebody else's database."""
    path = tmp_path / "catalog.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE places (url TEXT)")
        connection.execute("INSERT INTO places VALUES ('x')")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(LibraryDamagedError, match="not a catalog that Conspectus"):
        Library(tmp_path)
    assert path.read_bytes() == before


def test_a_cut_off_library_is_refused(tmp_path: Path) -> None:
    """Else a copy that broke off is searched as if it were whole."""
    Library(tmp_path).close()
    path = tmp_path / "catalog.sqlite"
    path.write_bytes(path.read_bytes()[: 4096 + 100])
    with pytest.raises(LibraryError):
        Library(tmp_path)


def test_a_folder_in_the_way_is_named(tmp_path: Path) -> None:
    """Else the path that cannot be used is not in the message."""
    (tmp_path / "catalog.sqlite").mkdir()
    with pytest.raises(LibraryError) as caught:
        Library(tmp_path)
    assert str(tmp_path / "catalog.sqlite") in caught.value.message and caught.value.exit_code == 4


def test_a_file_as_the_library_folder_is_refused(tmp_path: Path) -> None:
    """Else `--library paper.pdf` ends in a traceback."""
    (tmp_path / "paper.pdf").touch()
    with pytest.raises(LibraryError) as caught:
        Library(tmp_path / "paper.pdf")
    assert "paper.pdf" in caught.value.message and "library=FOLDER" in caught.value.hint


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    """Else a library on a shared drive fails without saying why."""
    (tmp_path / "lib").mkdir(mode=0o500)
    with pytest.raises(LibraryError) as caught:
        Library(tmp_path / "lib")
    assert "right to write" in caught.value.hint


def test_a_library_that_may_only_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an archived library, or a group's, cannot be looked into."""
    monkeypatch.setattr("conspectus.ingest.executor.ParsePool", InlinePool)
    with open_library(tmp_path / "50% #1?") as library:
        library.add(write_jsonl(tmp_path / "a.jsonl", [{"title": "Tides of the sea"}]))
        kept = library.folder
    before = {path.name for path in kept.iterdir()}
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with open_library(kept) as library:
        assert [paper.title for paper in library.papers()] == ["Tides of the sea"]
        assert library.search("tides").hits
        with pytest.raises(LibraryError) as caught:
            library.remove("Tides of the sea")
    assert "for writing" in caught.value.message
    assert {path.name for path in kept.iterdir()} == before
