"""However a library came to be what it is, it is what the final files make; a killed run costs nothing but time."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conspectus import Library, Paper, Passage
from conspectus.ingest.progress import silent
from conspectus.ingest.run import Adder
from conspectus.ingest.sync import sync
from helpers import HashEmbedder, InlinePool, assert_consistent, open_library, snapshot, write_jsonl

pytestmark = pytest.mark.usefixtures("both_catalogs")

Records = tuple[tuple[int, int], ...]
"""(which work, in which version)."""

FILES = ("a.jsonl", "b.jsonl", "c.jsonl")
WRITE = st.tuples(
    st.sampled_from(FILES),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=5, unique_by=lambda item: item[0]),
)
STEPS = st.lists(st.one_of(WRITE, st.tuples(st.just("remove"), st.integers(0, 5))), min_size=2, max_size=5)


def record(work: int, version: int) -> dict[str, Any]:
    """Works 0 to 3 have a DOI, and one of them sometimes a full text; 4 and 5 are known by their content alone."""
    known: dict[str, Any] = {"title": f"Work {work} as of {version}", "venue": ["", "Nature", "Cell"][version]}
    if work < 4:
        known |= {"doi": f"10.1000/{work}", "abstract": f"Work {work} says {version}. It says more."}
    if work == 2 and version == 1:
        known["text"] = "# Methods\n\nWe looked. We saw it.\n\n# Results\n\nIt was there. It was large."
    return known


def built(library: Library) -> dict[str, tuple[Paper, tuple[Passage, ...]]]:
    """All that can be compared: hashes of files that say the same may differ."""
    return {
        name: (replace(paper, files=tuple(replace(file, sha256="") for file in paper.files)), passages)
        for name, (paper, passages) in snapshot(library).items()
    }


@settings(max_examples=5)
@given(steps=STEPS)
def test_a_library_is_what_its_files_make(steps: Sequence[tuple[str, Any]]) -> None:
    """Else nobody can say what a library holds without knowing all that was ever done to it."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr("conspectus.ingest.run.ParsePool", InlinePool)
        folder, state = Path(name), dict[str, list[tuple[int, int]]]()
        with open_library(folder / "grown") as grown:
            for number, (what, value) in enumerate(steps):
                if what == "remove":
                    _remove(grown, value)
                    state = {file: [item for item in items if item[0] != value] for file, items in state.items()}
                else:
                    state[what] = list(value)
                    write_jsonl(folder / what, [*(record(*item) for item in value), " " * number])
                    Adder(grown._catalog, HashEmbedder(), grown.settings, silent, lambda: None).run([folder / what])
            sync(grown._catalog, grown._index, HashEmbedder().id)
            for file, items in state.items():
                write_jsonl(folder / file, [record(*item) for item in items])
            with open_library(folder / "built") as fresh:
                fresh.add([folder / file for file, items in state.items() if items])
                assert built(grown) == built(fresh)
                assert len(grown._index.keys()) == len(fresh._index.keys()) == fresh.status().counts["passages"]
                assert_consistent(grown)


def _remove(library: Library, work: int) -> None:
    for paper in list(library.papers()):
        if paper.title.startswith(f"Work {work} "):
            library.remove(paper.id)


RUN = """
import sys
sys.path.insert(0, sys.argv[1])
from helpers import open_library
with open_library(sys.argv[2]) as library:
    print("ready", flush=True)
    report = library.add(sys.argv[3:])
    print(len(report.failed), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_run_is_made_good_by_the_same_call(tmp_path: Path) -> None:
    """Else a power cut during the first `add` of 10,000 papers means beginning again, or a broken library."""
    files = [
        write_jsonl(
            tmp_path / f"{number}.jsonl", [record(n % 4, 1) if n % 50 == 0 else _many(number, n) for n in range(150)]
        )
        for number in range(3)
    ]
    command = [sys.executable, "-c", RUN, str(Path(__file__).parents[1]), str(tmp_path / "lib"), *map(str, files)]
    draw = random.Random(7)
    for attempt in range(6):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        with process.stdout:
            assert process.stdout.readline() == "ready\n"
            if attempt < 5:
                time.sleep(draw.uniform(0.0, 0.5) * (attempt + 1) / 2)
                process.send_signal(signal.SIGKILL)
            else:
                assert process.stdout.readline() == "0\n"
            process.wait(30)
    with open_library(tmp_path / "lib") as library:
        assert_consistent(library)
        names = [paper.title for paper in library.papers()]
        assert len(names) == len(set(names))
        assert len(names) == 3 * 147 + 2, "works 0 and 2 are in every file, and once in the library"
        assert library.search("Paper 2-77").hits
        assert {row.state for row in library.status().files} == {"indexed"}
        assert [row.state for row in library.add([str(path) for path in files]).unchanged] == ["unchanged"] * 3
        assert not list((tmp_path / "lib").glob("index*/tmp-*"))


def _many(file: int, number: int) -> dict[str, Any]:
    return {"title": f"Paper {file}-{number}", "abstract": f"It is number {number} of file {file}. " * 5}
