"""A killed process costs nothing but time: the same call goes on, and what comes out is as if nobody had killed it."""

from __future__ import annotations

import itertools
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from conspectus.core.errors import ModelMismatchError
from helpers import HANG, HashEmbedder, assert_consistent, markdown, open_library, write, write_jsonl
from natural import dump_library

pytestmark = pytest.mark.usefixtures("both_catalogs")

RUN = """
import sys
sys.path.insert(0, sys.argv[1])
from helpers import HashEmbedder, open_library
folder, model, verb, *names = sys.argv[2:]
with open_library(folder, HashEmbedder(model)) as library:
    print("ready", flush=True)
    if verb == "add":
        library.add(names)
    elif verb == "remove":
        library.remove(*names)
    else:
        library.reindex()
"""

WORDS = ("number", "file", "shared", "quokka", "edited", "work")


def records(file: int, version: int = 0) -> list[dict[str, Any]]:
    """90 of its own, and every fiftieth of the same work as in the other files."""
    shared = [{"title": f"Shared {n}", "doi": f"10.1000/{n}", "venue": f"Venue {file}"} for n in range(version, 3)]
    own = [
        {"title": f"Paper {file}-{n}", "abstract": f"It is number {n} of file {file}. {'edited ' * version}" * 4}
        for n in range(version * 30, 90)
    ]
    return [*own, *shared]


@pytest.mark.again_on_postgres  # which moment is hit is drawn; `test_faults.py` breaks off its transactions
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_run_is_made_good_by_the_same_call(tmp_path: Path) -> None:
    """Else a power cut means beginning again, a broken library, or half a paper in it for good."""
    files = [write_jsonl(tmp_path / f"{number}.jsonl", records(number)) for number in range(3)]
    files.append(write(tmp_path / "quokka.md", markdown("Quokkas", "A quokka hops.", doi="10.1000/q")))
    draw = random.Random(7)

    def run(seconds: float, verb: str, *names: str, model: str = "hash/1", kills: int = 1) -> None:
        """Kill it within some seconds; then let it come to its end."""
        command = [sys.executable, "-c", RUN, str(Path(__file__).parents[1]), str(tmp_path / "lib"), model, verb]
        for _ in range(kills):
            process = subprocess.Popen([*command, *names], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            assert process.stdout is not None
            with process.stdout:
                assert process.stdout.readline() == "ready\n"
                time.sleep(draw.uniform(0.0, seconds))
                process.send_signal(signal.SIGKILL)
                process.wait(HANG)
        with open_library(tmp_path / "lib", HashEmbedder(model)) as library:
            if verb == "add":
                assert not library.add(list(names)).failed
            elif verb == "remove":
                if library.session.catalog.find_papers(names[0]):
                    library.remove(names[0])
                else:
                    library.search("quokka")
            else:
                library.reindex()
            assert_consistent(library)

    run(1.0, "add", *map(str, files), kills=2)
    with open_library(tmp_path / "lib") as library:
        titles = [paper.title for paper in library.papers()]
        assert len(titles) == len(set(titles)) == 3 * 90 + 3 + 1, "what is in every file is once in the library"
        assert {row.state for row in library.status().files} == {"indexed"}
    write_jsonl(files[1], records(1, version=1))
    run(0.6, "add", *map(str, files))
    run(0.3, "remove", "10.1000/q")
    run(0.6, "reindex", model="hash/2")
    with (
        open_library(tmp_path / "lib", HashEmbedder("hash/2")) as library,
        open_library(tmp_path / "new", HashEmbedder("hash/2")) as built,
    ):
        built.add(files[:3])
        grown, fresh = dump_library(library, WORDS), dump_library(built, WORDS)
        for name in fresh:
            assert grown[name] == fresh[name], name
        assert not list((tmp_path / "lib").glob("index*/tmp-*"))


class Killed(BaseException):
    """The process is no more."""


@pytest.mark.again_on_postgres
def test_a_reindex_killed_at_each_step_is_told_and_made_good(tmp_path: Path, quick_pool: None) -> None:
    """Vectors of two models would be left, and `doctor` say that all is well while each search is refused."""
    path = write_jsonl(tmp_path / "a.jsonl", [{"title": f"Eels {n}", "abstract": f"Eels swim {n}."} for n in range(3)])
    for step in itertools.count():
        folder = tmp_path / f"lib{step}"
        with open_library(folder) as library:
            library.add(path)
        steps = iter(range(step))

        def commit(_: Any, steps: Iterator[int] = steps) -> None:
            if next(steps, None) is None:
                raise Killed

        with open_library(folder, HashEmbedder("hash/2")) as library, suppress(Killed):
            event.listen(library.session.catalog.engine, "commit", commit)
            library.reindex()
            break
        with open_library(folder, HashEmbedder("hash/2")) as library:
            models, well = library.session.catalog.model_ids(), all(found.ok for found in library.doctor().findings)
            assert well == (models == ("hash/2",))
            if library.session.index.stats().model == "hash/2":
                assert library.search("eels").hits
            else:
                with pytest.raises(ModelMismatchError, match="reindex"):
                    library.search("eels")
            library.reindex()
            assert_consistent(library)
            assert library.session.catalog.model_ids() == ("hash/2",) and len(library.search("eels").hits) == 3
    assert step > 2
