"""The writer lock of a folder: turns are taken, and waits are told."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from conspectus.catalog.lock import folder_lock
from conspectus.errors import BusyError
from conspectus.ingest.progress import Progress
from helpers import markdown, open_library, write, write_jsonl

GREEDY = """
import sys, time
from pathlib import Path
from conspectus.catalog.lock import folder_lock
print("ready", flush=True)
until = time.monotonic() + 20
while time.monotonic() < until and not Path(sys.argv[1], "stop").exists():
    with folder_lock(Path(sys.argv[1]), 60):
        time.sleep(0.3)
"""


def test_who_waits_is_next(tmp_path: Path) -> None:
    """Else a script that adds file by file shuts everybody else out until it is done."""
    command = [sys.executable, "-c", GREEDY, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        waits = []
        for _ in range(5):
            began = time.monotonic()
            with folder_lock(tmp_path, 15):
                waits.append(time.monotonic() - began)
            time.sleep(0.05)
        (tmp_path / "stop").touch()
    assert max(waits) < 5, waits


def test_a_wait_that_is_too_long_ends(tmp_path: Path) -> None:
    """Else a script hangs for ever on a lock that somebody forgot."""
    told: list[float] = []
    with folder_lock(tmp_path):
        for wait in (0, 0.3):
            began = time.monotonic()
            with pytest.raises(BusyError, match="Another process is writing"), folder_lock(tmp_path, wait, told.append):
                raise AssertionError("two at once")
            assert time.monotonic() - began < 5
    assert told and 0 <= told[0] <= told[-1] <= 1
    with folder_lock(tmp_path, 0):
        pass


@pytest.mark.usefixtures("quick_pool")
def test_adding_waits_and_tells(tmp_path: Path) -> None:
    """Else whoever adds while a colleague does sees nothing, or an error after a minute."""
    path = write_jsonl(tmp_path / "a.jsonl", [{"title": "Tides"}])
    news: list[Progress] = []
    waiting = threading.Event()

    def tell(what: Progress) -> None:
        news.append(what)
        waiting.set()

    with open_library(tmp_path / "lib") as library:
        with folder_lock(library.folder):
            thread = threading.Thread(target=library.add, args=(path, tell))
            thread.start()
            assert waiting.wait(20)
            assert not list(library.papers())
        thread.join(30)
        assert (news[0].stage, news[0].unit) == ("waiting for another writer", "s")
        assert [paper.title for paper in library.papers()] == ["Tides"]


def test_a_wait_has_its_end_in_the_settings(tmp_path: Path) -> None:
    """Else a job at night cannot be told to give up early."""
    with (
        open_library(tmp_path / "lib", catalog__wait=0.2) as library,
        folder_lock(library.folder),
        pytest.raises(BusyError, match=r"0\.2 s"),
    ):
        library.remove("x")


def test_a_wait_for_another_program_s_transaction_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database browser that holds the file would let `add` stand still for a minute without a word."""
    monkeypatch.setattr("conspectus.catalog.sqlite.TURN_SECONDS", 0.05)
    news: list[Progress] = []
    with open_library(tmp_path / "library") as library:
        other = sqlite3.connect(tmp_path / "library" / "catalog.sqlite", isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")

        def hear(step: Progress) -> None:
            news.append(step)
            if step.stage == "waiting for another writer" and other.in_transaction:
                other.execute("ROLLBACK")

        report = library.add(write(tmp_path / "eels.md", markdown("Eels", "They swim at night.")), progress=hear)
        other.close()
    assert report.added and news[0].stage == "waiting for another writer"


def test_one_that_never_ends_is_told_once_it_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it waits for ever, or twice as long as it says."""
    monkeypatch.setattr("conspectus.catalog.sqlite.TURN_SECONDS", 0.05)
    monkeypatch.setattr("conspectus.catalog.sqlite.BUSY_SECONDS", 0.2)
    with open_library(tmp_path / "library") as library:
        other = sqlite3.connect(tmp_path / "library" / "catalog.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError, match="Another process has been writing"):
            library.add(write(tmp_path / "eels.md", markdown("Eels", "They swim at night.")))
        other.close()
