"""The writer lock of a folder: turns are taken, and waits are told."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from filelock import FileLock, Timeout

from conspectus import Library
from conspectus.core.errors import BusyError
from conspectus.core.job_context import Notice, listen
from conspectus.records.events import Progress
from conspectus.store.lock import folder_lock
from helpers import HANG, markdown, open_library, write, write_jsonl

GREEDY = """
import sys
from pathlib import Path
from conspectus.store.lock import folder_lock
folder = Path(sys.argv[1])
while sys.stdin.readline():
    with folder_lock(folder, 600):
        print("held", flush=True)
        sys.stdin.readline()
    with folder_lock(folder, 600), (folder / "turns").open("a") as turns:
        turns.write("greedy ")
"""
ROUNDS = 5


def test_who_waits_is_next(tmp_path: Path) -> None:
    """Else a script that adds file by file shuts everybody else out until it is done."""

    def wait(waiting: threading.Event) -> None:
        with folder_lock(tmp_path, 600, lambda _: waiting.set()), (tmp_path / "turns").open("a") as turns:
            turns.write("other ")

    command = [sys.executable, "-c", GREEDY, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        for _ in range(ROUNDS):
            print("take it", file=process.stdin, flush=True)
            assert process.stdout.readline() == "held\n"
            waiting = threading.Event()
            other = threading.Thread(target=wait, args=[waiting])
            other.start()
            assert waiting.wait(HANG)
            print("let go, and take it again", file=process.stdin, flush=True)
            other.join(HANG)
        process.stdin.close()
    assert (tmp_path / "turns").read_text() == "other greedy " * ROUNDS


def test_a_wait_that_is_too_long_ends(tmp_path: Path) -> None:
    """Else a script hangs for ever on a lock that somebody forgot."""
    told: list[float] = []
    with folder_lock(tmp_path):
        for wait in (0, 0.3):
            with (
                pytest.raises(BusyError, match="Another process, or a job of this one, is writing"),
                folder_lock(tmp_path, wait, told.append),
            ):
                raise AssertionError("two at once")
    assert told and sorted(told) == told
    with folder_lock(tmp_path, 0):
        pass


@pytest.mark.parametrize("wait", [0, 0.3, 7, 60])
def test_it_is_waited_as_long_as_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait: float) -> None:
    """Else a job that was told to give up after a minute stands for an hour, or gives up at once."""
    now = [1000.0]
    told: list[float] = []

    class Taken(FileLock):
        def acquire(self, timeout: float | None = None, **_: Any) -> Any:
            if self.lock_file.endswith("write.queue"):
                return None
            now[0] += timeout or 0.0
            raise Timeout(self.lock_file)

    monkeypatch.setattr("conspectus.store.lock.FileLock", Taken)
    monkeypatch.setattr("conspectus.store.lock.time", SimpleNamespace(monotonic=lambda: now[0]))
    with pytest.raises(BusyError, match=f"{wait:g} s"), folder_lock(tmp_path, wait, told.append):
        raise AssertionError("it is taken")
    assert now[0] - 1000 == pytest.approx(wait)
    assert sorted(told) == told and all(0 < waited < wait for waited in told)
    assert all(later - earlier < 5 for earlier, later in pairwise(told)), "told now and then"


@pytest.mark.usefixtures("quick_pool", "no_patience")
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
            assert waiting.wait(HANG)
            assert not list(library.papers())
        thread.join(HANG)
        assert (news[0].stage, news[0].unit) == ("waiting for another job", "s")  # no stranger: it is this process
        assert [paper.title for paper in library.papers()] == ["Tides"]


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits are told at once."""
    monkeypatch.setattr("conspectus.core.job_context._PATIENCE", 0.0)


@pytest.mark.usefixtures("no_patience")
def test_who_hears_waits_is_told_once(tmp_path: Path) -> None:
    """Else a verb without progress, such as `remove`, stands still for a minute without a word."""
    heard: list[str] = []
    with (
        folder_lock(tmp_path),
        listen(lambda told: heard.append(told.text), Notice),
        pytest.raises(BusyError),
        folder_lock(tmp_path, 0.5),
    ):
        raise AssertionError("two at once")
    assert heard == [f"Waiting up to 0 s: another process, or a job of this one, is writing to '{tmp_path}'."]


@pytest.mark.usefixtures("quick_pool", "no_patience")
@pytest.mark.parametrize("verb", ["search", "events"])
def test_a_first_search_tells_what_it_waits_for(tmp_path: Path, verb: str) -> None:
    """A search of a library that is being filled stood still for up to a minute without a word."""
    path = write_jsonl(tmp_path / "a.jsonl", [{"title": "Tides", "abstract": "The Moon raises tides."}])
    folder = tmp_path / "lib"
    with open_library(folder) as library:
        library.add(path)
    for index in folder.glob("index*"):
        shutil.rmtree(index)
    heard: list[str] = []
    waiting = threading.Event()

    def hear(text: str) -> None:
        heard.append(text)
        waiting.set()

    def look(library: Library) -> list[str]:
        if verb == "events":
            for event in library.events("What raises tides?"):
                if isinstance(event, Notice):
                    hear(event.text)
        with listen(lambda told: hear(told.text), Notice):
            return [hit.paper.title for hit in library.search("tides").hits]

    with open_library(folder) as library, ThreadPoolExecutor(1) as pool:
        with folder_lock(folder):
            found = pool.submit(look, library)
            assert waiting.wait(HANG)
        assert found.result(HANG) == ["Tides"]
    assert heard == [f"Waiting up to 60 s: another process, or a job of this one, is writing to '{folder}'."]


def test_a_wait_has_its_end_in_the_settings(tmp_path: Path) -> None:
    """Else a job at night cannot be told to give up early."""
    with (
        open_library(tmp_path / "lib", catalog__wait=0.2) as library,
        folder_lock(library.folder),
        pytest.raises(BusyError, match=r"0\.2 s"),
    ):
        library.retry(everything=True)


@pytest.mark.usefixtures("no_patience")
def test_a_wait_for_another_program_s_transaction_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database browser that holds the file would let `add` stand still for a minute without a word."""
    monkeypatch.setattr("conspectus.store.sqlite.TURN_SECONDS", 0.05)
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
    monkeypatch.setattr("conspectus.store.sqlite.TURN_SECONDS", 0.05)
    monkeypatch.setattr("conspectus.store.sqlite.BUSY_SECONDS", 0.2)
    with open_library(tmp_path / "library") as library:
        other = sqlite3.connect(tmp_path / "library" / "catalog.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError, match="Another process, or a job of this one, has been writing"):
            library.add(write(tmp_path / "eels.md", markdown("Eels", "They swim at night.")))
        other.close()
