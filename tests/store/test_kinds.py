"""Values in a catalog that cannot stand where they do: the library is called damaged, with the way out."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import Boolean, Float, Integer, LargeBinary

from conspectus import Filters, Library
from conspectus.cli.app import app
from conspectus.core.errors import ConspectusError, LibraryDamagedError, SettingsError
from conspectus.settings import load_settings
from conspectus.store import codec
from conspectus.store.codec import unpack_metadata, unpack_parsed, unpack_spans, unpack_tokens
from conspectus.store.columns import metadata
from conspectus.store.schema import CHILDREN, answers, conversations, files, models, papers, passages
from helpers import copy_library, looked_at, markdown, open_library, write
from hostile_server import bomb


@pytest.fixture
def folder(asked: Path, tmp_path: Path) -> Path:
    return copy_library(asked, tmp_path / "lib")


def spoil(folder: Path, table: str, column: str, value: object) -> int:
    """Set a column; returns in how many rows."""
    with contextlib.closing(sqlite3.connect(folder / "catalog.sqlite")) as connection:
        done = connection.execute(f'UPDATE "{table}" SET "{column}" = ?', (value,)).rowcount
        connection.commit()
    return done


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
        bad = [finding for finding in looked_at(library) if not finding.ok]
    assert any("estore" in finding.remedy for finding in bad), bad
    for words in (["list"], ["status"], ["export", "--to", "bibtex"]):
        result = CliRunner().invoke(app, ["--library", str(folder), "--json", *words])
        assert result.exit_code in (0, 4), (words, result.output, result.stderr)
        if result.exit_code == 4:
            assert json.loads(result.stderr.splitlines()[-1])["error"]["type"] == "LibraryDamagedError"


def reads(library: Library) -> dict[str, Callable[[], object]]:
    """What a program asks of a library, each to its end."""
    return {
        "papers": lambda: list(library.papers(Filters(year=(1900, 2100)))),
        "passages": lambda: [list(library.passages(paper.id)) for paper in library.papers()],
        "parsed": lambda: [library.parsed(paper.id) for paper in library.papers()],
        "search": lambda: library.search("eels and rivers"),
        "similar": lambda: library.similar("Eels"),
        "ask": lambda: library.ask("Where do eels climb at night?"),
        "answers": library.answers.list,
        "answer": library.answers.show,
        "conversation": library.answers.conversation,
        "usage": library.usage,
        "status": library.status,
        "doctor": lambda: looked_at(library),
        "export": lambda: [library.export(to, io.StringIO()) for to in ("bibtex", "csl", "csv", "library")],
        "retry": library.retry,
        "reindex": library.reindex,
        "remove": lambda: library.remove("Eels"),
    }


def bare(folder: Path) -> dict[str, str]:
    """Verb -> the error that it raised, where that is none of the program's own."""
    found = {}
    with open_library(folder) as library:
        for name, read in reads(library).items():
            try:
                read()
            except ConspectusError:
                pass
            except Exception as error:  # noqa: BLE001 - any other is what is looked for
                found[name] = f"{type(error).__name__}: {error}"
    return found


OTHER_KIND = [
    (
        table.name,
        column.name,
        "text" if isinstance(column.type, LargeBinary | Integer | Float | Boolean) else b"\xff\x00",
    )
    for table in metadata.sorted_tables
    for column in table.c
    if column.name != "key"  # SQLite takes numbers only
]
SENSELESS = [
    ("meta", "value", "text"),
    ("meta", "value", "[7"),
    ("files", "notes", "[[1]]"),
    ("papers", "metadata", b"{}"),
    ("papers", "metadata", b'{"title": 7}'),
    ("papers", "metadata", b'{"title": "Eels", "date": "2020-99-x"}'),
    ("papers", "year", 2**62),
    ("identifiers", "scheme", "none"),
    ("documents", "parsed", b"x\x9c"),
    ("passages", "kind", "none"),
    ("passages", "spans", b"\x90"),
    ("passages", "spans", b"\x91\xc0"),
    ("vectors", "vector", b"123"),
    ("vectors", "vector", b"1234" * 7),
    ("token_vectors", "starts", b"12345"),
    ("token_vectors", "vectors", b"1"),
    ("answers", "body", b"\xc0"),
    ("answers", "trace", b"\xc0"),
    ("models", "dimensions", 0),
    ("models", "dimensions", 7),
    ("models", "dimensions", 2**40),
    *((table.name, column.name, 99) for table, column in CHILDREN),
    *((table.name, "key", 99) for table in (papers, files, passages, models, answers, conversations)),
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a row in most tables."""
    folder = tmp_path_factory.mktemp("asked")
    write(folder / "a.md", markdown("Eels", "It says that eels climb the rivers at night.", doi="10.1000/eels"))
    with open_library(folder / "lib") as library:
        library.add(folder / "a.md")
        library.ask("Where do eels climb at night?", conversation=library.answers.begin_conversation("fish"))
    return folder / "lib"


def _spoilt(asked: Path, folder: Path, table: str, column: str, value: object) -> Path | None:
    """A copy of the library with a column spoilt; None where it has no such row, or takes no such value."""
    shutil.copytree(asked, folder)
    try:
        return folder if spoil(folder, table, column, value) else None
    except sqlite3.IntegrityError:
        return None


@pytest.mark.parametrize(("table", "column", "value"), SENSELESS)
def test_what_makes_no_sense_is_an_error_of_the_library(
    asked: Path, tmp_path: Path, table: str, column: str, value: object
) -> None:
    """A program that reads a library would have to catch every error there is, and learn of no remedy."""
    if folder := _spoilt(asked, tmp_path / "lib", table, column, value):
        assert bare(folder) == {}


@pytest.mark.slow
@pytest.mark.parametrize(("table", "column", "value"), OTHER_KIND)
def test_a_value_of_another_kind_is_an_error_of_the_library(
    asked: Path, tmp_path: Path, table: str, column: str, value: object
) -> None:
    """In every column there is."""
    if folder := _spoilt(asked, tmp_path / "lib", table, column, value):
        assert bare(folder) == {}


def test_a_value_is_looked_at_when_it_is_read(asked: Path, tmp_path: Path) -> None:
    """Bytes in the place of a title would come out as a title, and end in whatever is done with it."""
    folder = _spoilt(asked, tmp_path / "lib", "papers", "title", b"\xff")
    assert folder is not None
    with open_library(folder) as library, pytest.raises(LibraryDamagedError, match="bytes, not str") as caught:
        list(library.papers())
    assert "`library restore" in caught.value.hint


@pytest.mark.parametrize("raw", [None, 7, "text", b"\xff\x00", b"\x91" * 100_000, b"[" * 100_000])
def test_what_is_packed_and_cannot_be_unpacked_is_damage(raw: Any) -> None:
    """A hostile or damaged row would end in an error that names no library and no remedy."""
    for unpack in (unpack_metadata, unpack_parsed, lambda raw: unpack_spans(raw, "text", "paper")):
        with pytest.raises(LibraryDamagedError):
            unpack(raw)
    with pytest.raises(LibraryDamagedError):
        unpack_tokens(b"1234567", b"1")


def test_what_unfolds_to_gigabytes_is_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of a megabyte in a library from a stranger would fill the memory."""
    most = 2**24
    monkeypatch.setattr(codec, "MOST_UNFOLDED", most)
    with pytest.raises(LibraryDamagedError, match="unfolds to too much"):
        unpack_parsed(bomb(most // 2**20 + 100, kind=15))


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
