"""Values in a catalog that cannot stand where they do: the library is called damaged, with the way out."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conspectus.catalog.codec import MOST_UNFOLDED, unpack_metadata, unpack_parsed, unpack_spans, unpack_tokens
from conspectus.cli.app import app
from conspectus.errors import LibraryDamagedError, SettingsError
from conspectus.settings import load_settings
from helpers import markdown, open_library, write
from hostile_server import bomb


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "a.md", markdown("Eels", "It says that eels climb the rivers at night."))
    with open_library(tmp_path / "lib") as library:
        library.add(tmp_path / "a.md")
    return tmp_path / "lib"


def spoil(folder: Path, table: str, column: str, value: object) -> None:
    connection = sqlite3.connect(folder / "catalog.sqlite")
    connection.execute(f'UPDATE "{table}" SET "{column}" = ?', (value,))
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("papers", "title", b"\xff\x00"),
        ("papers", "metadata", b"[" * 100_000),
        ("papers", "metadata", "text"),
        ("papers", "year", "last year"),
        ("papers", "year", 2**62),
        ("papers", "has_full_text", 7),
        ("passages", "text", b"\xff"),
        ("passages", "spans", b"\x91" * 100_000),
        ("documents", "parsed", b"x\x9c"),
        ("files", "notes", b"\xff"),
        ("files", "notes", "5"),
        ("files", "notes", "["),
        ("files", "notes", "[[1]]"),
        ("meta", "value", "[7"),
        ("files", "size", "large"),
    ],
)
def test_a_value_of_another_kind_is_damage(folder: Path, table: str, column: str, value: object) -> None:
    """The user would see a traceback, or be told to report a mistake of the program, and keep the damaged library."""
    spoil(folder, table, column, value)
    with open_library(folder) as library:
        bad = [finding for finding in library.doctor() if not finding.ok]
    assert any("estore" in finding.remedy for finding in bad), bad
    for words in (["list"], ["status"], ["export", "--to", "bibtex"]):
        result = CliRunner().invoke(app, ["--library", str(folder), "--json", *words])
        assert result.exit_code in (0, 4), (words, result.output, result.stderr)
        if result.exit_code == 4:
            assert json.loads(result.stderr.splitlines()[-1])["error"]["type"] == "LibraryDamagedError"


@pytest.mark.parametrize("raw", [None, 7, "text", b"\xff\x00", b"\x91" * 100_000, b"[" * 100_000])
def test_what_is_packed_and_cannot_be_unpacked_is_damage(raw: Any) -> None:
    """A hostile or damaged row would end in an error that names no library and no remedy."""
    for unpack in (unpack_metadata, unpack_parsed, lambda raw: unpack_spans(raw, "text")):
        with pytest.raises(LibraryDamagedError):
            unpack(raw)
    with pytest.raises(LibraryDamagedError):
        unpack_tokens(b"1234567", b"1")


def test_what_unfolds_to_gigabytes_is_damage() -> None:
    """A row of a megabyte in a library from a stranger would fill the memory."""
    with pytest.raises(LibraryDamagedError, match="unfolds to too much"):
        unpack_parsed(bomb(MOST_UNFOLDED // 2**20 + 100, kind=15))


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 50_000, "a = " + "{b=" * 20_000, "a = " + "9" * 5000, "a" + ".a" * 30_000 + " = 1", "#" * 2**17],
    ids=["deep", "tables", "number", "key", "large"],
)
def test_settings_that_no_reader_of_toml_takes(tmp_path: Path, text: str) -> None:
    """A library's settings could keep every command busy for minutes, or end it in a traceback."""
    (tmp_path / "conspectus.toml").write_text(text)
    with pytest.raises(SettingsError, match=r"TOML|larger"):
        load_settings(tmp_path)
