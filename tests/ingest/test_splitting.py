"""`split`: a paper that was made of documents of several is taken apart, and stays so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import NotFoundError, UsageError
from helpers import assert_consistent, markdown, open_library, write, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs", "quick_pool")

DOI = "10.1000/eels"
FRONT = {"doi": DOI, "authors": "Ann Ågren", "year": "2001"}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as made:
        yield made


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two texts and a record that make one paper, though the first text is another one."""
    (tmp_path / "files").mkdir()
    return [
        write(tmp_path / "files" / "a.md", markdown("The travels of eels", "Eels travel at night.", **FRONT)),
        write(tmp_path / "files" / "b.md", markdown("The travels of eels", "Eels rest by day.", **FRONT)),
        write_jsonl(
            tmp_path / "files" / "c.jsonl", [{"title": "The travels of eels", "doi": DOI, "venue": "Anguilla"}]
        ),
    ]


def parts(library: Library) -> set[frozenset[str]]:
    return {frozenset(Path(file.path).name for file in paper.files) for paper in library.papers()}


APART = {frozenset({"a.md"}), frozenset({"b.md", "c.jsonl"})}
ONE = {frozenset({"a.md", "b.md", "c.jsonl"})}


def test_a_document_goes_its_own_way_and_stays_apart(library: Library, files: list[Path]) -> None:
    """A wrong merge could be undone only by removing the file."""
    library.add(files)
    (before,) = library.papers()
    kept, away = (one.paper for one in library.split(before.id, ["a.md"]))
    assert kept.id == before.id and away.id != before.id and parts(library) == APART
    assert (kept.venue, away.venue) == ("Anguilla", "")
    found = {hit.paper.id: hit.passage.text for hit in library.search("eels travel at night").hits}
    assert "travel at night" in found[away.id]
    assert_consistent(library)
    library.add(files)
    assert parts(library) == APART, "added again"
    write(files[0], markdown("The travels of eels", "Eels travel at night, and far.", **FRONT))
    write_jsonl(files[2], [{"title": "The travels of eels", "doi": DOI, "venue": "Anguilla", "citation_count": 3}])
    library.add(files)
    assert parts(library) == APART, "changed"
    moved = files[0].rename(files[0].with_name("moved.md"))
    library.add(moved)
    assert parts(library) == {frozenset({"moved.md"}), frozenset({"b.md", "c.jsonl"})}, "moved"
    library.remove(str(moved))
    library.add(moved)
    assert parts(library) == {frozenset({"moved.md"}), frozenset({"b.md", "c.jsonl"})}, "removed and added"
    assert_consistent(library)


def test_each_of_its_documents_and_back(library: Library, files: list[Path]) -> None:
    """A split that was a mistake would last for ever."""
    library.add(files)
    (before,) = library.papers()
    assert len(library.split(before.id)) == 3
    assert parts(library) == {frozenset({path.name}) for path in files}
    (after,) = library.split(before.id, undo=True)
    assert after.paper == before and parts(library) == ONE
    library.add(files)
    assert parts(library) == ONE
    with pytest.raises(UsageError, match="never split"):
        library.split(before.id, undo=True)
    assert_consistent(library)


def test_a_split_is_in_a_backup(library: Library, files: list[Path], tmp_path: Path) -> None:
    """What was put right by hand would be lost with the disk."""
    library.add(files)
    library.split(next(library.papers()).id, ["a.md"])
    library.backup(tmp_path / "it.zip")
    with open_library(tmp_path / "other") as other:
        other.restore(tmp_path / "it.zip")
        write(files[0], markdown("The travels of eels", "Eels travel far.", **FRONT))
        other.add(files)
        assert parts(other) == APART
    written: list[str] = []

    class Output:
        def write(self, text: str) -> None:
            written.append(text)

    library.export("library", Output())
    assert "conspectus.split-name/1" in "".join(written)


def test_records_of_one_file_stay_apart_when_their_numbers_change(library: Library, tmp_path: Path) -> None:
    """A record before them would swap the two."""
    records = [{"id": name, "title": "The travels of eels", "doi": DOI, "venue": name} for name in ("one", "two")]
    path = write_jsonl(tmp_path / "refs.jsonl", records)
    library.add(path)
    assert [one.paper.venue for one in library.split(next(library.papers()).id, [2])] == ["one", "two"]
    write_jsonl(path, [{"title": "A new one"}, {**records[0], "year": 1999}, records[1]])
    library.add(path)
    assert sorted(paper.venue for paper in library.papers()) == ["", "one", "two"]
    assert_consistent(library)


def test_what_cannot_be_split_is_told(library: Library, files: list[Path]) -> None:
    """Nothing would happen, without a word."""
    library.add(files)
    paper = next(library.papers())
    with pytest.raises(NotFoundError, match=r"no document 'x\.md'"):
        library.split(paper.id, ["x.md"])
    with pytest.raises(UsageError, match="all that"):
        library.split(paper.id, [1, 2, 3])
    library.split(paper.id, [1])
    with pytest.raises(UsageError, match="one document"):
        library.split(str(files[0]))
    assert_consistent(library)


def test_show_says_what_a_paper_is_made_of(library: Library, files: list[Path]) -> None:
    """Nobody could see a wrong merge, nor what to split."""
    library.add(files)
    first, _, third = library.documents(DOI)
    assert (first.number, first.path, first.full_text) == (1, str(files[0]), True)
    assert first.why == (f"DOI {DOI}, with 2, 3",) and third.record == 1
