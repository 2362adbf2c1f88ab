"""Folders as people and machines leave them: odd names, links in circles, things that are no files, wrong clocks."""

import os
import socket
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from conspectus import Library
from conspectus.core.errors import UsageError
from conspectus.ingest.files import FoundFile, find_files
from conspectus.store.connection import writing
from helpers import assert_consistent, markdown, open_library, table_rows, write

pytestmark = [
    pytest.mark.usefixtures("both_catalogs", "quick_pool"),
    pytest.mark.skipif(sys.platform == "win32", reason="names and links as on Unix"),
]

ODD_NAMES = (
    "new\nline", "tab\tand\rreturn", "'single' \"double\" `back`", "-rf", "--help", " blanks ", "emoji \U0001f408",
    "\u05e2\u05d1\u05e8\u05d9\u05ea \u2067rtl\u2069", "per%cent %s {brace} $HOME", "semi;colon & pipe|", "back\\slash",
    "star* [a-z] ?", "~", "a..b", "%00", "x" * 251, "\ufeffmark", "\u200b",
    unicodedata.normalize("NFC", "Ångström é"), unicodedata.normalize("NFD", "Ångström é"),
)  # fmt: skip


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "lib") as made:
        yield made


def paper(number: int) -> str:
    return markdown(f"Paper {number}", f"It says only{number} and no more.", doi=f"10.1000/{number}")


def found_in(folder: Path) -> dict[str, FoundFile]:
    listed = list(find_files([folder], lambda path: path.suffix == ".md"))
    assert len(listed) == len({found.path for found in listed})
    return {found.path: found for found in listed}


def test_names_of_every_kind(library: Library, tmp_path: Path) -> None:
    """Else a paper is lost for its name, or two whose names look the same are taken for one."""
    folder = tmp_path / "papers"
    folder.mkdir()
    names = [f"{name}.md" for name in ODD_NAMES]
    for number, name in enumerate(names):
        write(folder / name, paper(number))
    assert len(list(folder.iterdir())) == len(names), "this drive takes two of the names for one"
    report = library.add(folder)
    assert not report.failed and {row.path for row in report.added} == {str(folder / name) for name in names}
    assert len(library.add(folder).unchanged) == len(names)
    for number, name in enumerate(names):
        assert library.paper(str(folder / name)).title == f"Paper {number}", name
        (again,) = library.add(folder / name).unchanged
        assert again.path == str(folder / name)
    assert {row.state for row in library.status().files} == {"indexed"}
    assert_consistent(library)


def test_links(library: Library, tmp_path: Path) -> None:
    """Else a link in a circle is followed for ever, and a file by two names is two papers."""
    folder = tmp_path / "papers"
    (folder / "deep").mkdir(parents=True)
    write(folder / "one.md", paper(1))
    (folder / "deep" / "up").symlink_to(folder)
    (folder / "self.md").symlink_to(folder / "self.md")
    (folder / "left.md").symlink_to(folder / "right.md")
    (folder / "right.md").symlink_to(folder / "left.md")
    (folder / "dangling.md").symlink_to(folder / "nowhere.md")
    (folder / "soft.md").symlink_to(folder / "one.md")
    os.link(folder / "one.md", folder / "hard.md")
    report = library.add(folder)
    assert {Path(row.path).name for row in report.failed} == {"self.md", "left.md", "right.md", "dangling.md"}
    assert all(row.reason for row in report.failed)
    (first,), others = report.added, report.duplicates
    assert {Path(row.path).name for row in (first, *others)} == {"one.md", "soft.md", "hard.md"}
    (only,) = library.papers()
    assert len(only.files) == 3 and library.status().counts["papers"] == 1
    (folder / "one.md").unlink()  # the soft link leads nowhere now, the hard one is the file
    library.add(folder)
    assert [paper.id for paper in library.papers()] == [only.id]
    assert_consistent(library)


def test_what_is_no_file(library: Library, tmp_path: Path) -> None:
    """Else an `add` of a home folder waits for ever on a pipe, or reads a device without end."""
    folder = tmp_path / "papers"
    folder.mkdir()
    os.mkfifo(folder / "pipe.md")
    (folder / "zero.md").symlink_to("/dev/zero")
    (folder / "folder.md").mkdir()
    with tempfile.TemporaryDirectory(prefix="s") as short, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{short}/socket.md")  # the names of sockets have to be short
        failed = {Path(row.path).name: row.reason for row in library.add([folder, short]).failed}
    assert failed == dict.fromkeys(("pipe.md", "zero.md", "socket.md"), "it is not a regular file")
    assert not list(library.papers())


def test_an_empty_name_is_no_folder(library: Library) -> None:
    """What a shell makes of `add "$PAPERS"` where that is not set: the folder one is in would be added."""
    with pytest.raises(UsageError, match="empty"):
        library.add("")
    assert library.counts()["files"] == 0


def test_a_folder_that_vanishes_while_it_is_read(tmp_path: Path) -> None:
    """Else a drive that is pulled out ends the run of all other folders."""
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "paper.md", paper(1))
    found = []
    for item in find_files([tmp_path], lambda path: path.suffix == ".md"):
        found.append(item)
        if len(found) == 1:
            (tmp_path / "b" / "paper.md").unlink()
            (tmp_path / "b").rmdir()
    by_name = {Path(item.path).relative_to(tmp_path).as_posix(): item.problem for item in found}
    assert by_name["a/paper.md"] == by_name["c/paper.md"] == ""
    assert "no such file" in by_name["b"]


def test_a_file_that_changes_while_it_is_read(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a download in progress is kept as it was in its middle, and never looked at again."""
    from conspectus.parse.markup.markdown import read_markdown

    path = write(tmp_path / "growing.md", paper(1))

    def growing(file: Path) -> Any:
        read = read_markdown(file)
        write(path, markdown("Paper 1", "It says only1 and no more.", "More has come.", doi="10.1000/1"))
        return read

    with monkeypatch.context() as patch:
        patch.setattr("conspectus.parse.markup.markdown.read_markdown", growing)
        library.add(path)
    (row,) = library.status().files
    assert row.state == "stale", "what has changed since is told"
    assert library.add(path).updated
    assert "More has come." in " ".join(passage.text for passage in library.passages("10.1000/1"))
    assert_consistent(library)


def future() -> float:
    return time.time() + 400 * 86400


def past() -> float:
    return -86400.0


@pytest.mark.parametrize("when", [future, past])
def test_times_of_files_that_cannot_be(library: Library, tmp_path: Path, when: Callable[[], float]) -> None:
    """Else a camera's or a server's wrong clock makes a paper be read each time, or never again."""
    path = write(tmp_path / "paper.md", paper(1))
    os.utime(path, (when(), when()))
    assert library.add(path).added
    assert library.add(path).unchanged
    path.write_text(paper(2), "utf-8")  # with the time of now
    assert library.add(path).updated
    assert [paper.title for paper in library.papers()] == ["Paper 2"]


def test_a_clock_that_goes_back(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else rows and an index from the future keep what is newer from being read, shown or searched."""
    library.add(write(tmp_path / "one.md", paper(1)))
    with writing(library.session.catalog.engine) as connection:
        connection.execute(text("UPDATE files SET updated = '2999-01-01T00:00:00+00:00'"))
    current = library.session.index.folder / "CURRENT"
    os.utime(current, (future(), future()))
    library.session.index.close()
    assert library.session.index.age() == float("inf"), "else a search takes it for just made, and does not bring it up"
    assert library.status().files[0].state == "indexed"
    library.add(write(tmp_path / "two.md", paper(2)))
    assert library.search("only2").hits[0].paper.title == "Paper 2"
    write(tmp_path / "one.md", paper(3))
    assert library.add(tmp_path / "one.md").updated
    updated = {row[1]: row[-1] for row in table_rows(library)["files"]}
    assert updated[str(tmp_path / "one.md")] < "2999"
    assert 0 <= library.session.index.age() < 60
    assert_consistent(library)
