"""`forget`: a file leaves the ledger with what it said, and no paper is lost without a word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import NotFoundError, UsageError
from helpers import assert_consistent, markdown, open_library, snapshot, write, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool", "both_catalogs")

EELS = markdown("Eels at night", "They swim at night in the sea.", doi="10.1000/eels")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with open_library(tmp_path / "library") as library:
        yield library


def complaints(library: Library) -> list[str]:
    return [
        found.check
        for found in library.doctor().findings
        if not found.ok and found.check in ("files read", "files there")
    ]


def test_a_file_that_failed(library: Library, tmp_path: Path) -> None:
    """Else `doctor` complains for ever of a file that was named by mistake."""
    wrong = write(tmp_path / "wrong.pdf", "<html>Please log in</html>")
    assert library.add([wrong, write(tmp_path / "eels.md", EELS)]).failed
    assert complaints(library) == ["files read"]
    (row,) = library.forget(wrong)
    assert (row.path, row.state) == (str(wrong), "failed") and wrong.exists()
    assert complaints(library) == [] and len(library.status().files) == 1
    assert library.add(wrong).failed, "named again it is read again"


def test_a_file_that_is_gone_and_whose_paper_others_have(library: Library, tmp_path: Path) -> None:
    """The paper stays, exactly as if that file had never been."""
    records = write_jsonl(tmp_path / "refs.jsonl", [{"title": "Eels by night", "doi": "10.1000/eels", "year": 1999}])
    with open_library(tmp_path / "other") as other:
        other.add(write(tmp_path / "eels.md", EELS))
        wanted = {(p.title, p.year, tuple(x.text for x in parts)) for p, parts in snapshot(other).values()}
    library.add([tmp_path / "eels.md", records])
    records.unlink()
    assert complaints(library) == ["files there"]
    library.forget(str(records))
    assert {(p.title, p.year, tuple(x.text for x in parts)) for p, parts in snapshot(library).values()} == wanted
    assert complaints(library) == []
    assert_consistent(library)


def test_a_file_that_a_paper_rests_on(library: Library, tmp_path: Path) -> None:
    """A paper must not vanish because its file was tidied away; who wants that says so."""
    path = write(tmp_path / "eels.md", EELS)
    library.add([path, write(tmp_path / "moss.md", markdown("Moss", "It grows in the shade."))])
    before = snapshot(library)
    with pytest.raises(UsageError, match=r"1 paper rests on .* alone") as caught:
        library.forget(path)
    assert "papers=True" in caught.value.hint and snapshot(library) == before and len(library.status().files) == 2
    library.forget(path, papers=True)
    assert [paper.title for paper in library.papers()] == ["Moss"]
    assert not any("eels" in hit.passage.text.lower() for hit in library.search("eels").hits)
    assert_consistent(library)


def test_a_folder(library: Library, tmp_path: Path) -> None:
    """Hundreds of files from a folder added by mistake are not named one by one."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "eels.md", markdown(f"Eels {name}", f"They swim {name} times."))
    library.add([tmp_path / "one", tmp_path / "two"])
    assert len(library.forget(tmp_path / "one", papers=True)) == 1
    assert [paper.title for paper in library.papers()] == ["Eels two"]
    assert_consistent(library)


def test_one_that_nobody_knows(library: Library, tmp_path: Path) -> None:
    """A slip of the pen must not be told as done."""
    with pytest.raises(NotFoundError, match="knows no file"):
        library.forget(tmp_path / "never.pdf")
