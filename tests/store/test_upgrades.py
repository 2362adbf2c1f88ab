"""Catalogs of other versions: older ones are upgraded, whole or not at all; newer and unknown ones are left alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner
from sqlalchemy import Connection, text

from conspectus import Library
from conspectus.cli.app import app
from conspectus.cli.overview import VERBS
from conspectus.core.errors import LibraryDamagedError
from conspectus.faces.declare import REQUIRED, Verb, parameters
from conspectus.faces.index import all_verbs
from conspectus.store.connection import writing
from conspectus.store.schema import SCHEMA_VERSION, UPGRADES
from helpers import assert_consistent, catalog_flags, open_library, table_rows, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")


def add_page_count(connection: Connection) -> None:
    """A step such as a later version may have."""
    connection.execute(text("ALTER TABLE papers ADD COLUMN pages INTEGER"))
    connection.execute(text("UPDATE papers SET pages = length(title)"))
    connection.execute(text("CREATE INDEX ix_papers_pages ON papers (pages)"))
    connection.execute(text("DROP TABLE feedback"))


def open_upgraded(folder: Path, step: Callable[[Connection], None]) -> Library:
    """The library, opened by a version whose schema has one step more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("conspectus.store.connection.UPGRADES", (*UPGRADES, step))
        patch.setattr("conspectus.store.connection.SCHEMA_VERSION", SCHEMA_VERSION + 1)
        return open_library(folder)


def make(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """A library of this version with a paper; returns its rows."""
    with open_library(folder) as library:
        library.add(write_jsonl(folder.parent / "a.jsonl", [{"title": "Tides of the sea", "abstract": "Tides rise."}]))
        return table_rows(library)


def test_there_is_a_step_to_each_version() -> None:
    """Else a catalog of some version is never upgraded, or its number is wrong afterwards."""
    assert len(UPGRADES) + 1 == SCHEMA_VERSION


def test_an_older_catalog_is_upgraded_once(tmp_path: Path) -> None:
    """Else the first version that changes a table costs people their libraries."""
    before = make(tmp_path / "lib")
    for _ in range(2):  # the second time, the step would fail: the column exists
        with open_upgraded(tmp_path / "lib", add_page_count) as library:
            rows = table_rows(library)
            assert rows["conspectus_schema"] == [(SCHEMA_VERSION + 1,)]
            assert [row[-1] for row in rows["papers"]] == [len("Tides of the sea")]
            assert [row[:-1] for row in rows["papers"]] == before["papers"]
            assert rows["passages"] == before["passages"] and "feedback" not in rows
            assert library.search("tides").hits


def test_an_interrupted_upgrade_leaves_the_catalog_as_it_was(tmp_path: Path) -> None:
    """Else a power cut during an upgrade leaves tables that no version knows."""
    before = make(tmp_path / "lib")

    def break_off(connection: Connection) -> None:
        add_page_count(connection)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_upgraded(tmp_path / "lib", break_off)
    with open_library(tmp_path / "lib") as library:
        assert table_rows(library) == before
        assert library.search("tides").hits
        assert_consistent(library)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE conspectus_schema SET version = 0",
        "DELETE FROM conspectus_schema",
        "ALTER TABLE conspectus_schema RENAME TO alembic_version",
    ],
)
def test_a_catalog_of_an_unknown_version_is_refused_untouched(tmp_path: Path, statement: str) -> None:
    """Else something that this program never wrote is upgraded by guesswork."""
    make(tmp_path / "lib")
    with open_library(tmp_path / "lib") as library:
        with writing(library.session.catalog.engine) as connection:
            connection.execute(text(statement))
        before = table_rows(library)
        with pytest.raises(LibraryDamagedError, match="not a catalog that Conspectus") as caught:
            open_library(tmp_path / "lib")
        assert table_rows(library) == before
    assert caught.value.exit_code == 4 and "Choose another" in caught.value.hint


@pytest.mark.again_on_postgres  # about verbs; the version is read in the tests above
def test_every_verb_refuses_a_newer_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else one of them writes to what it does not know."""
    folder, file = tmp_path / "lib", write_jsonl(tmp_path / "a.jsonl", [{"title": "Tides of the sea"}])
    with open_library(folder) as library:
        library.add(file)
        library.backup(tmp_path / "good.zip")
        with writing(library.session.catalog.engine) as connection:
            connection.execute(text("UPDATE conspectus_schema SET version = 9999"))
        rows = table_rows(library)
    for name, value in catalog_flags(folder).items():
        monkeypatch.setenv("CONSPECTUS_" + name.upper().replace(".", "_"), value)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    words: dict[str, list[str | Path]] = {
        "export": ["--to", "library"], "inspect": ["x"], "ask": ["x"], "open": ["x"], "chat": [], "eval": ["self"],
        "serve": ["--port", "0"], "mcp": [],
    }  # fmt: skip
    verbs = [verb for verb in all_verbs() if verb.command and not verb.settings_only]
    declared = {verb.full_name: _least_words(verb, tmp_path / "good.zip") for verb in verbs}
    alone = {name for name in declared if name in VERBS}
    assert words.keys() | alone == VERBS.keys() - {"app", "config", "prompts"}, "these need no catalog"
    for verb, rest in (words | declared).items():
        result = CliRunner().invoke(app, ["--library", str(folder), *verb.split(), *map(str, rest)])
        assert result.exit_code == 4, (verb, result.output)
        assert "newer Conspectus" in result.stderr and "pip install --upgrade" in result.stderr, verb
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert not (tmp_path / "new.zip").exists()
    with open_as_newer(folder) as library:
        assert table_rows(library) == rows


def _least_words(verb: Verb, file: Path) -> list[str | Path]:
    """What a verb has to be given."""
    words: list[str | Path] = []
    for parameter in parameters(verb.function, "cli"):
        if parameter.default is REQUIRED:
            choices = get_args(parameter.type)
            value = file if Path in (parameter.type, *choices) else choices[0] if choices else "1"
            words += [value] if parameter.positional else [f"--{parameter.option.flag or parameter.name}", value]
    return words


def open_as_newer(folder: Path) -> Library:
    """The library, opened by the newer version."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("conspectus.store.connection.SCHEMA_VERSION", 9999)
        return open_library(folder)
