"""A new file that is another one again is told as its duplicate."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.records import AddReport
from helpers import markdown, open_library, write, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")

EELS = markdown("Eels at night", "They swim at night in the sea.", doi="10.1000/eels")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "library") as library:
        yield library


def told(report: AddReport) -> dict[str, str]:
    return {Path(row.path).name: row.reason for row in report.duplicates}


def test_the_same_bytes_again(library: Library, tmp_path: Path) -> None:
    """Else 300 copies are 300 files "added", and the user looks for papers that are not there."""
    first = write(tmp_path / "b.md", EELS)
    assert library.add(first).duplicates == ()
    copy = Path(shutil.copy(first, tmp_path / "a.md"))
    report = library.add([tmp_path / "a.md", first])
    assert told(report) == {"a.md": f"duplicate of '{first}' (the same bytes)"}
    assert report.duplicates[0].state == "indexed" and report.added == () and len(report.rows) == 2
    assert library.add([copy, first]).duplicates == (), "the second time it is a file as any other"


def test_of_two_in_one_call_the_first_is_none(library: Library, tmp_path: Path) -> None:
    """Else it depends on which child process was quicker, and the same call tells another thing each time."""
    paths = [write(tmp_path / f"{name}.md", EELS) for name in "cab"]
    report = library.add(paths)
    assert [Path(row.path).name for row in report.added] == ["c.md"]
    assert told(report) == dict.fromkeys(("a.md", "b.md"), f"duplicate of '{paths[0]}' (the same bytes)")


def test_the_same_paper_in_other_bytes(library: Library, tmp_path: Path) -> None:
    """A preprint beside its article is one paper of two files, not two papers."""
    article = write(tmp_path / "article.md", EELS)
    preprint = write(tmp_path / "preprint.md", EELS + "\nA last remark.\n")
    other = write(tmp_path / "other.md", markdown("Moss", "It grows in the shade."))
    report = library.add([article, preprint, other])
    assert told(report) == {"preprint.md": f"duplicate of '{article}' (the same paper)"}
    assert len(report.added) == 2


def test_records_and_their_files_are_none(library: Library, tmp_path: Path) -> None:
    """A bibliography's entry and its PDF, or article and supplement, say different things of one paper."""
    write(tmp_path / "eels.md", markdown("Eels at night", "They swim at night in the sea."))
    write(tmp_path / "supplement.md", markdown("Supplement", "All measured depths of eels."))
    records = [{"title": "Eels at night", "doi": "10.1000/eels", "files": ["eels.md", "supplement.md"]}]
    report = library.add(write_jsonl(tmp_path / "refs.jsonl", records))
    assert report.duplicates == () and len(report.added) == 3
    assert len(list(library.papers())) == 1


def test_a_moved_file_is_none(library: Library, tmp_path: Path) -> None:
    """It is the file that was there, at another place."""
    first = write(tmp_path / "b.md", EELS)
    library.add(first)
    assert library.add(first.rename(tmp_path / "c.md")).duplicates == ()


def test_copies_of_a_bibliography(library: Library, tmp_path: Path) -> None:
    """The export of last year beside that of today, unchanged."""
    records = [{"title": "Eels"}, {"title": "Moss", "abstract": "Green."}]
    paths = [write_jsonl(tmp_path / f"{name}.jsonl", records) for name in "ab"]
    assert told(library.add(paths)) == {"b.jsonl": f"duplicate of '{paths[0]}' (the same bytes)"}
