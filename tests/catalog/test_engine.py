"""Opening a catalog: made, migrated, or refused without a byte changed."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.schema import CreateTable

from conspectus import Library
from conspectus.catalog.engine import open_engine, writing
from conspectus.catalog.schema import HEAD, metadata
from conspectus.errors import LibraryDamagedError, LibraryError, LibraryTooNewError
from helpers import InlinePool, open_library, write_jsonl


def test_migrations_make_the_tables_that_the_program_expects(tmp_path: Path) -> None:
    """Else a library made by an older version has other tables than a new one, and fails much later."""
    migrated = open_engine(tmp_path / "catalog.sqlite")
    direct = create_engine("sqlite://")
    metadata.create_all(direct)
    one, two = inspect(migrated), inspect(direct)
    assert set(one.get_table_names()) - {"alembic_version"} == set(two.get_table_names())
    for table in metadata.sorted_tables:
        columns = [
            {
                column["name"]: (str(column["type"]), column["nullable"], bool(column["primary_key"]))
                for column in look.get_columns(table.name)
            }
            for look in (one, two)
        ]
        assert columns[0] == columns[1], table.name
        for what in ("get_indexes", "get_unique_constraints", "get_foreign_keys"):
            found = [sorted(map(_shape, getattr(look, what)(table.name)), key=str) for look in (one, two)]
            assert found[0] == found[1], (table.name, what)
    migrated.dispose()
    direct.dispose()


def _shape(found: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in found.items() if name not in ("name", "dialect_options", "comment")}


def test_keys_are_never_used_twice(tmp_path: Path) -> None:
    """Else the index takes a new passage for the removed one that had its key before."""
    engine = open_engine(tmp_path / "catalog.sqlite")
    with engine.connect() as connection:
        found = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'table'")).all()
        made = {row.name: row.sql for row in found}
    engine.dispose()
    for name in ("files", "papers", "documents", "passages"):
        assert "AUTOINCREMENT" in made[name]
        assert "AUTOINCREMENT" in str(CreateTable(metadata.tables[name]).compile(dialect=engine.dialect))


def test_the_head_is_the_newest_migration(tmp_path: Path) -> None:
    """Else every start migrates again, or a new library counts as too new."""
    import conspectus.catalog.migrations.versions as versions

    names = sorted(path.name for folder in versions.__path__ for path in Path(folder).glob("0*.py"))
    assert names[-1].split("_")[0] == HEAD
    open_engine(tmp_path / "catalog.sqlite").dispose()
    with closing(sqlite3.connect(tmp_path / "catalog.sqlite")) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]


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
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
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


def test_another_programs_database_is_refused_untouched(tmp_path: Path) -> None:
    """Else `--library` with a wrong folder writes into somebody else's database."""
    path = tmp_path / "catalog.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE places (url TEXT)")
        connection.execute("INSERT INTO places VALUES ('x')")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(LibraryDamagedError, match="not a Conspectus catalog"):
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
    assert "paper.pdf" in caught.value.message and "--library" in caught.value.hint


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    """Else a library on a shared drive fails without saying why."""
    (tmp_path / "lib").mkdir(mode=0o500)
    with pytest.raises(LibraryError) as caught:
        Library(tmp_path / "lib")
    assert "right to write" in caught.value.hint


def test_a_library_that_may_only_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else an archived library, or a group's, cannot be looked into."""
    monkeypatch.setattr("conspectus.ingest.run.ParsePool", InlinePool)
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


def test_two_processes_may_have_it_open(tmp_path: Path) -> None:
    """Else a search fails while an `add` runs."""
    one, two = open_engine(tmp_path / "c.sqlite"), open_engine(tmp_path / "c.sqlite")
    with writing(one) as writer:
        writer.execute(text("INSERT INTO meta VALUES ('a', 'b')"))
        with two.connect() as reader:
            assert reader.scalar(text("SELECT count(*) FROM meta WHERE name = 'a'")) == 0
    with two.connect() as reader:
        assert reader.scalar(text("SELECT count(*) FROM meta WHERE name = 'a'")) == 1
    one.dispose()
    two.dispose()
