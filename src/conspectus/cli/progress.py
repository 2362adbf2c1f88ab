"""Progress in words: as bars, and as lines now and then."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from conspectus.core.plural import pluralize
from conspectus.faces.printer import one_line
from conspectus.records.jobs import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Display
    from rich.progress import Task, TaskID

EVERY = 2.0
"""Seconds between two lines with news, at least."""
SILENCE, BEAT = 1.5, 0.25
"""Seconds without a line after which the last one is repeated, and seconds between two looks at the clock."""
WORKING = "working"
"""What is shown while no stage has news."""
LEAST_SECONDS, LEAST_SHARE = 0.5, 0.01
"""Before so long, and so much of all, no rate is told: from the first bytes of the first file it would be hours."""

BYTES, SECONDS = "bytes", "s"
SIZES = ("kB", "MB", "GB")


class Lines:
    """Progress as plain lines: the first news of a stage, then one every `EVERY` seconds, and each stage's last.

    Where there is no news, `beat` repeats the last line with the seconds since: a large file takes minutes.

    Args:
        starts: `beat` also writes a line before the first news.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, starts: bool = True) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._began = self._said = clock()
        self._first = 0.0
        self._last: Progress | None = None
        self._open = False
        self._heard = self._said if starts else None

    def tell(self, news: Progress) -> None:
        """Take note, and say it if it is time."""
        with self._lock:
            now = self._clock()
            if self._last is None or news.stage != self._last.stage:
                self._finish()
                self._began, self._first = now, news.done
                self._said = max(self._said, now - EVERY / 2)
            self._last, self._open, self._heard = news, True, now
            if now - self._said >= EVERY:
                self._say(now)

    def beat(self) -> None:
        """Repeat the last line with the seconds since the last news, if nothing was written for `SILENCE` seconds."""
        with self._lock:
            now = self._clock()
            if self._heard is None or now - self._said < SILENCE:
                return
            if self._open:
                self._say(now)
            else:
                last = f"{describe(self._last, 0)}, still {WORKING}" if self._last else WORKING
                self._said = now
                self._write(f"{last} ({now - self._heard:.0f} s)")

    def pause(self) -> None:
        """Say the last news, and nothing more until there is other."""
        with self._lock:
            self._finish()
            self._heard = None

    def finish(self) -> None:
        """Say the last news, if it was not said."""
        with self._lock:
            self._finish()

    def _finish(self) -> None:
        if self._open and self._said != float("inf"):
            self._say(self._clock())

    def _say(self, now: float) -> None:
        assert self._last is not None
        self._said, self._open = now, False
        seconds = now - self._began
        done = self._last.done - self._first
        rate = done / seconds if tells(done, self._last.total, seconds) else 0.0
        self._write(describe(self._last, rate))

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(one_line(text) + "\n")
            sys.stderr.flush()
        except OSError:  # nobody reads it; the work goes on
            self._said = float("inf")


@contextmanager
def beating(beat: Callable[[], None]) -> Iterator[None]:
    """Call `beat` every `BEAT` seconds, in a thread of its own."""
    over = threading.Event()

    def run() -> None:
        while not over.wait(BEAT):
            beat()

    thread = threading.Thread(target=run, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def tells(done: float, total: float, seconds: float) -> bool:
    """Whether what was done in these seconds tells how fast it goes, and how long it will take."""
    return seconds >= LEAST_SECONDS and done > 0 and done >= LEAST_SHARE * total


def describe(news: Progress, rate: float) -> str:
    """`adding: 12.4 of 30.0 MB, 12 of 300 files, 310.0 kB/s, 1:30 left`; without what is not known."""
    parts = [f"{news.stage}: {amount(news.done, news.total, news.unit)}{format_counts(news)}"]
    if rate > 0 and news.unit != SECONDS:
        parts.append(speed(rate, news.unit))
        if news.total > news.done:
            parts.append(f"{clock((news.total - news.done) / rate)} left")
    return ", ".join(parts)


def format_counts(news: Progress) -> str:
    """`, 12 of 300 files, 4500 papers`: what is counted beside bytes, where it is."""
    done, total = news.files
    files = f", {done} of {pluralize(total, 'file')}" if total else ""
    return files + (f", {pluralize(news.papers, 'paper')}" if news.papers else "")


def amount(done: float, total: float, unit: str) -> str:
    """`12 of 300 files`; `12 files` where the total is not known; bytes as kB, MB or GB."""
    if unit == BYTES:
        scale, unit = _scale(total or done)
        done, total = done / scale, total / scale
    if not total:
        return f"{_number(done, unit)} {unit}"
    within = f" ({done / total:.0%})" if done % 1 and unit not in SIZES else ""  # somewhere in a long file
    return f"{_number(done, unit)} of {_number(total, unit)} {unit}{within}"


def speed(rate: float, unit: str) -> str:
    """`3.2 files/s`, or by the minute where that is slow; bytes as kB, MB or GB."""
    if unit == BYTES:
        scale, unit = _scale(rate)
        return f"{rate / scale:.1f} {unit}/s"
    if rate >= 1:
        return f"{rate:.0f} {unit}/s" if rate >= 20 else f"{rate:.1f} {unit}/s"
    return f"{rate * 60:.1f} {unit}/min"


def clock(seconds: float) -> str:
    """`1:30`, or `2:01:30`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _number(value: float, unit: str) -> str:
    return f"{value:.1f}" if unit in SIZES else str(int(value))


def _scale(size: float) -> tuple[float, str]:
    """What a number of bytes is divided by to be read, and what that is called."""
    power = 3 if size >= 1e9 else 2 if size >= 1e6 else 1
    return 1000.0**power, SIZES[power - 1]


def columns() -> list[Any]:
    """What stands beside a bar."""
    from rich.progress import BarColumn, SpinnerColumn, TextColumn

    spinner = SpinnerColumn("line", finished_text=" ")
    description = TextColumn("{task.description}", markup=False)
    detail = TextColumn("{task.fields[detail]}", markup=False)
    return [spinner, description, BarColumn(), _numbers_column(), _left_column(), detail]


class Bars:
    """A bar for each stage, and one that says for how long, while none of them moves."""

    def __init__(self, bars: Display) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}
        self._waiting = self._add(WORKING, None, "")

    def _add(self, stage: str, total: float | None, unit: str) -> TaskID:
        return self._bars.add_task(stage, total=total, detail="", unit=unit, beside="")

    def pause(self) -> None:
        """Nothing is in work until there is other news."""
        self._bars.update(self._waiting, visible=False)

    def tell(self, news: Progress) -> None:
        """Draw it."""
        total = news.total or None
        if news.stage not in self._tasks:
            self._tasks[news.stage] = self._add(news.stage, total, news.unit)
        detail = one_line(news.detail)
        short = detail if len(detail) <= 30 else f"{detail[:14]}…{detail[-15:]}"
        done = bool(news.total and news.done >= news.total)
        if done != self._bars.tasks[0].visible:
            self._bars.reset(self._waiting, visible=done)
        task, shown = self._tasks[news.stage], "" if done else short
        self._bars.update(task, completed=news.done, total=total, detail=shown, beside=format_counts(news))


def _left_column() -> Any:
    from rich.progress import TimeRemainingColumn
    from rich.text import Text

    class Left(TimeRemainingColumn):
        """How long it will take, from when that can be told; in the end how long it took."""

        def render(self, task: Task) -> Text:
            told = task.finished or tells(task.completed, task.total or 0, task.elapsed or 0)
            return super().render(task) if told else Text("-:--:--", style="progress.remaining")

    return Left(elapsed_when_finished=True)


def _numbers_column() -> Any:
    from rich.progress import ProgressColumn
    from rich.text import Text

    class Numbers(ProgressColumn):
        """How much of how much, and how fast."""

        def render(self, task: Task) -> Text:
            unit = task.fields["unit"]
            if not unit:
                return Text(f"{task.elapsed or 0:.0f} s")
            told = unit != SECONDS and tells(task.completed, task.total or 0, task.elapsed or 0)
            rate = (task.finished_speed or task.speed) if told else None
            said = amount(task.completed, task.total or 0, unit) + task.fields["beside"]
            return Text(f"{said}, {speed(rate, unit)}" if rate else said)

    return Numbers()
