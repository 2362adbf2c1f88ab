"""Where nothing can be written, or not enough: what can be searched is, and what cannot be done is told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conspectus import Library
from conspectus.core.errors import ConspectusError, LibraryError
from helpers import assert_consistent, open_library, write_jsonl

pytestmark = pytest.mark.usefixtures("quick_pool")

EELS = {"id": "eels", "title": "Eels", "abstract": "They swim at night in the sea."}
MOSS = {"id": "moss", "title": "Moss", "abstract": "It grows on walls in the shade."}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A library of one paper."""
    with open_library(tmp_path / "library") as library:
        library.add(write_jsonl(tmp_path / "eels.jsonl", [EELS]))
    return tmp_path / "library"


def forbid(path: Path) -> None:
    """Let a file be one that nobody can open for writing, not even the superuser."""
    path.unlink(missing_ok=True)
    path.mkdir()


def test_an_index_that_cannot_be_written_is_searched(folder: Path) -> None:
    """Else a group's library on a read-only drive, or another user's, cannot be searched."""
    for text in folder.glob("index/gen-*/text"):
        forbid(text / ".tantivy-meta.lock")
    with open_library(folder) as library:
        assert [hit.paper.external_id for hit in library.search("swimming eels").hits] == ["eels"]
        assert library.status().index.startswith("1 passages")
        assert_consistent(library)


def test_an_index_that_is_behind_and_cannot_be_written_is_searched(folder: Path, tmp_path: Path) -> None:
    """Else who may only read finds nothing at all once somebody's `add` was interrupted."""
    shutil.copytree(folder / "index", tmp_path / "old")
    with open_library(folder) as library:
        library.add(write_jsonl(tmp_path / "moss.jsonl", [MOSS]))
    shutil.rmtree(folder / "index")
    shutil.copytree(tmp_path / "old", folder / "index")
    forbid(folder / "write.lock")
    with open_library(folder, index__foreign="open") as library:  # it is a copy
        found = library.search("moss and eels in the sea")
    assert [hit.paper.external_id for hit in found.hits] == ["eels"]
    assert "the newest papers are not searched" in found.note and "cannot be written" in found.note


def test_no_index_and_none_can_be_made(folder: Path) -> None:
    """Else a search says that it may not write, and nobody knows why it wants to."""
    shutil.rmtree(folder / "index")
    forbid(folder / "write.lock")
    with open_library(folder) as library, pytest.raises(LibraryError, match="no index yet") as caught:
        library.search("eels")
    assert caught.value.hint


ADD = """
import resource, sys
sys.path.insert(0, sys.argv[1])
import conspectus.ingest.adder
from conspectus.core.errors import ConspectusError
from helpers import InlinePool, open_library
conspectus.ingest.executor.ParsePool = InlinePool
for limit in map(int, sys.argv[4:]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        with open_library(sys.argv[2]) as library:
            library.add(sys.argv[3])
        print("ok")
    except ConspectusError as error:
        print(type(error).__name__, error.message, "|", error.hint)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux keeps to limits on the size of files")
def test_files_that_may_not_grow(tmp_path: Path) -> None:
    """Else SQLite, tantivy or faiss, stopped in the middle of a file, leave half of it, or a traceback."""
    papers = write_jsonl(tmp_path / "papers.jsonl", [EELS | {"id": f"e{n}", "title": f"Eels {n}"} for n in range(40)])
    limits = ["1000", "8000", "60000", "200000", "270000", "300000", "1000000000"]
    command = [sys.executable, "-c", ADD, str(Path(__file__).parents[1]), str(tmp_path / "library"), str(papers)]
    done = subprocess.run([*command, *limits], capture_output=True, text=True, check=False)
    said = done.stdout.splitlines()
    assert done.returncode == 0 and len(said) == len(limits) and "Traceback" not in done.stderr, done.stderr
    assert said[-1] == "ok" and sum(line.startswith("LibraryError '") for line in said) >= 2, said
    assert all(line == "ok" or ("cannot be" in line and "| " in line) for line in said), said
    with open_library(tmp_path / "library") as library:
        assert_consistent(library)
        assert len(list(library.papers())) == 40
        assert library.search("swimming eels", k=50).hits


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write everywhere")
@pytest.mark.parametrize("rights", [0o000, 0o555])
def test_a_folder_without_rights(folder: Path, tmp_path: Path, rights: int) -> None:
    """Else another user's library ends in a traceback."""
    inside = [path for path in folder.rglob("*") if path.is_dir()]
    for path in [*inside, folder]:
        path.chmod(rights)
    try:
        if rights:
            with open_library(folder) as library:
                assert library.search("swimming eels").hits and library.status().files
                for act in (lambda: library.add(tmp_path), lambda: library.remove("eels"), library.reindex):
                    with pytest.raises(LibraryError, match="cannot be written: Permission denied") as caught:
                        act()
                    assert "right" in caught.value.hint
        else:
            with pytest.raises(ConspectusError, match=r"cannot be (used|opened)") as refused:
                Library(folder).close()
            assert refused.value.hint
    finally:
        for path in [folder, *inside]:
            path.chmod(0o755)
