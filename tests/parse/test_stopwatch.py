"""The time of a child process is what it works; what it waits counts only when it waits without end."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from conspectus.parse.process.worker_process import (
    PATIENCE,
    Stopwatch,
    _ps_seconds,
    parse_clock_time,
    processor_seconds,
)
from helpers import until


def start(code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code])


def test_the_work_of_a_process_is_counted_and_its_sleep_is_not() -> None:
    """A child that waits for the processor would count like one that uses it."""
    working, sleeping = start("while True: pass"), start("import time; time.sleep(600)")
    try:
        until(lambda: (processor_seconds(working) or 0) > 0.3)
        time.sleep(0.2)
        slept = processor_seconds(sleeping)
        assert slept is not None
        time.sleep(0.2)
        assert processor_seconds(sleeping) == pytest.approx(slept, abs=0.15)
    finally:
        for process in (working, sleeping):
            process.kill()
            process.wait()


def test_a_process_that_is_gone_has_no_time() -> None:
    """The import would crash with the child."""
    process = start("pass")
    process.wait()
    assert processor_seconds(process) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0:00.07", 0.07), ("1:02.50", 62.5), (" 00:00:03\n", 3), ("1-02:03:04", 93784), ("12:34:56", 45296)],
)
def test_times_as_systems_show_them(text: str, seconds: float) -> None:
    """On macOS and BSD a file would have no limit, or fail at once."""
    assert parse_clock_time(text) == pytest.approx(seconds)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no ps")
def test_ps_tells_the_time_of_this_process() -> None:
    """macOS is asked with this command."""
    assert _ps_seconds(os.getpid()) == pytest.approx(sum(os.times()[:2]), abs=5)


@pytest.mark.parametrize("error", [OSError("gone"), ValueError("odd")])
def test_where_no_system_tells_it_the_clock_counts(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """A file would have no limit there."""

    def fail(_clock: int) -> float:
        raise error

    monkeypatch.setattr("conspectus.parse.process.worker_process.sys", SimpleNamespace(platform="linux"))
    clock = SimpleNamespace(clock_gettime=fail, monotonic=time.monotonic)
    monkeypatch.setattr("conspectus.parse.process.worker_process.time", clock)
    stopped = threading.Event()
    process = start("import time; time.sleep(600)")
    try:
        watch = Stopwatch(process, 0.1, stopped.set)
        assert stopped.wait(30)
        assert watch.late
        assert watch.spent == watch.waited < PATIENCE * 30
    finally:
        process.kill()
        process.wait()


def test_threads_are_not_counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages recognised on eight processors would have an eighth of the time."""
    now = SimpleNamespace(clock=0.0)
    monkeypatch.setattr("conspectus.parse.process.worker_process.processor_seconds", lambda _process: 8 * now.clock)
    monkeypatch.setattr("conspectus.parse.process.worker_process.time", SimpleNamespace(monotonic=lambda: now.clock))
    watch = Stopwatch(SimpleNamespace(pid=1), 1000.0, lambda: None)  # type: ignore[arg-type]
    now.clock = 5.0
    watch.end()
    assert (watch.spent, watch.late) == (5.0, False)
