"""`remove`: a paper goes with every trace."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from conspectus import Filters, Library
from conspectus.core.errors import DiskFullError, NotFoundError
from conspectus.store.sqlite import SqliteStore, explained
from helpers import assert_consistent, markdown, open_library, table_rows, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as made:
        yield made


def rows(library: Library) -> dict[str, int]:
    """Table -> number of rows, as another program sees them."""
    found = table_rows(library)
    return {name: len(rows) for name, rows in found.items() if name not in ("meta", "models", "conspectus_schema")}


def test_nothing_of_it_is_left(library: Library, tmp_path: Path) -> None:
    """Else a withdrawn paper is still quoted, or a private one still lies in the library's file."""
    text = markdown(
        "Quokkas",
        "Quokkas hop about at night in dry scrub.",
        doi="10.1000/q",
        authors="Quill, Ann",
        venue="Quokka Letters",
    )
    write(tmp_path / "quokka.md", text)
    write_jsonl(
        tmp_path / "refs.jsonl", [{"title": "Quokkas", "doi": "10.1000/q"}, {"title": "Dogs", "doi": "10.1000/d"}]
    )
    library.add([tmp_path / "quokka.md", tmp_path / "refs.jsonl"])
    paper = library.paper("10.1000/q")
    span = next(library.passages(paper.id)).spans[0]
    assert library.remove("10.1000/q").removed == (paper,)
    assert [left.title for left in library.papers()] == ["Dogs"]
    for name in (paper.id, "10.1000/q", "Quokkas", str(tmp_path / "quokka.md")):
        with pytest.raises(NotFoundError):
            library.paper(name)
    with pytest.raises(NotFoundError):
        library.citation(span.id)
    assert [hit.paper.title for hit in library.search("quokkas hop at night").hits] == ["Dogs"]
    assert library.session.index.search_text("quokkas hop", 10, Filters()) == []
    assert [row.path for row in library.status().files] == [str(tmp_path / "refs.jsonl")]
    dump = str(table_rows(library)).lower()
    assert "quokka" not in dump and paper.id not in dump
    assert_consistent(library)


def test_the_last_paper_leaves_an_empty_library(library: Library, tmp_path: Path) -> None:
    """Else rows that belong to nothing gather over the years."""
    write_jsonl(
        tmp_path / "refs.jsonl", [{"title": f"Record {number}", "doi": f"10.1000/{number}"} for number in range(5)]
    )
    write(tmp_path / "cats.md", markdown("Record 0", "Cats purr.", doi="10.1000/0", keywords="cats"))
    library.add([tmp_path / "refs.jsonl", tmp_path / "cats.md"])
    assert sum(map(bool, rows(library).values())) >= 8, "all that papers leave is there"
    for paper in list(library.papers()):
        library.remove(paper.id)
    assert not any(rows(library).values()), rows(library)
    assert library.session.index.stats().rows == 0
    assert "empty" in library.search("cats").note
    assert library.add([tmp_path / "refs.jsonl", tmp_path / "cats.md"]).added, "and it can come back"
    assert len(list(library.papers())) == 5
    assert_consistent(library)


def test_an_unknown_or_ambiguous_name_removes_nothing(library: Library, tmp_path: Path) -> None:
    """Else a typing error, or a title that two papers have, costs the wrong paper."""
    write_jsonl(tmp_path / "refs.jsonl", [{"title": "Erratum", "year": 1990}, {"title": "Erratum", "year": 1991}])
    library.add(tmp_path / "refs.jsonl")
    for name in ("Errata", "Erratum"):
        with pytest.raises(NotFoundError) as caught:
            library.remove(name)
        assert f"'{name}'" in caught.value.message and caught.value.hint
    assert len(list(library.papers())) == 2


def files_with(folder: Path, word: str) -> list[str]:
    """The names of a folder's files that have the word in any of their bytes."""
    found = (path for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes().lower())
    return sorted(path.name for path in found)


@pytest.mark.parametrize("removal", ["remove", "forget"])
def test_no_byte_of_a_removed_paper_stays_in_the_files(library: Library, tmp_path: Path, removal: str) -> None:
    """Else a private paper can be read out of the library's files, even while the library is open."""
    path = write(tmp_path / "quokka.md", markdown("Quokkas", "The quokkaword hops at night in dry scrub."))
    library.add([path, write(tmp_path / "dog.md", markdown("Dogs", "Dogs bark at night in wet woods."))])
    if library.session.catalog.is_shared:
        assert not files_with(library.folder, "quokkaword")  # the server has the rows
    else:
        assert files_with(library.folder, "quokkaword")
    if removal == "remove":
        library.remove("Quokkas")
    else:
        library.forget([path], papers=True)
    assert not files_with(library.folder, "quokkaword")


def test_reindex_erases_what_earlier_removals_left(library: Library, tmp_path: Path) -> None:
    """Else words of papers that a program without secure_delete removed stay in unused space of the file for good."""
    if library.session.catalog.is_shared:
        return  # the server keeps its own files
    library.add(write(tmp_path / "dog.md", markdown("Dogs", "Dogs bark at night.")))
    connection = library.session.catalog.engine.raw_connection()
    cursor = connection.cursor()
    cursor.execute("PRAGMA secure_delete=OFF")
    cursor.execute("INSERT INTO meta (name, value) VALUES ('note', 'quokkaword quokkaword quokkaword')")
    cursor.execute("DELETE FROM meta WHERE name = 'note'")
    cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    assert files_with(library.folder, "quokkaword") == ["catalog.sqlite"]
    connection.close()
    library.reindex()
    assert not files_with(library.folder, "quokkaword")


@pytest.mark.parametrize("removal", ["remove", "forget"])
def test_a_removal_on_a_full_disk_says_how_its_words_are_erased(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, removal: str
) -> None:
    """Else a user is told to remove once more, which finds no such paper, while its words stay in the file."""
    if library.session.catalog.is_shared:
        return  # the server keeps its own files

    def refuse(store: SqliteStore, engine: Engine) -> None:
        with explained(store.path):
            raise sqlite3.OperationalError("database or disk is full")

    path = write(tmp_path / "quokka.md", markdown("Quokkas", "The quokkaword hops at night in dry scrub."))
    library.add([path, write(tmp_path / "dog.md", markdown("Dogs", "Dogs bark at night in wet woods."))])
    monkeypatch.setattr(SqliteStore, "erase_deleted", refuse)
    with pytest.raises(DiskFullError, match="is full") as caught:
        if removal == "remove":
            library.remove("Quokkas")
        else:
            library.forget([path], papers=True)
    assert "`library reindex`" in caught.value.hint and "same command" not in caught.value.hint
    monkeypatch.undo()
    assert [paper.title for paper in library.papers()] == ["Dogs"]
    assert files_with(library.folder, "quokkaword")
    library.reindex()
    assert not files_with(library.folder, "quokkaword")
