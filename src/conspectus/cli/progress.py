"""What a verb reports while it works, on standard error: bars and answers on a terminal, elsewhere lines."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, get_args

from conspectus.cli.failure import typed
from conspectus.cli.state import State
from conspectus.core.job_context import Notice, listen
from conspectus.core.text import pluralize
from conspectus.faces.printer import is_terminal, one_line, short
from conspectus.records.events import (
    Acted,
    Claimed,
    Event,
    EvidenceGathered,
    PassagesFound,
    Progress,
    Reading,
    Searching,
    StanceJudged,
    StatementChecked,
    Text,
)

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.progress import Progress as Display
    from rich.progress import Task, TaskID


PER_SECOND = 8
"""Times the screen is drawn anew in a second, at most."""
LEFT_FREE = 3
"""Rows of the screen that the text being written leaves free."""
NOTES = 3
"""Notes shown at a time."""


class Stages:
    """What stands on the screen: a line about the stage, and below it the text as far as it is written."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.stage = "preparing"
        self.text = ""
        self._clock = clock
        self._start_time = clock()
        self._evidence_count = 0
        self._notes: list[str] = []
        self._usage = ""

    def take(self, event: Event | Progress) -> str:
        """Take note of an event; returns a line that is to stay on the screen, or ""."""
        match event:
            case Searching(question):
                self.stage, self.text = f"searching: {question}", ""
            case PassagesFound(passages, papers):
                self.stage = f"found {pluralize(passages, 'passage')} of {pluralize(papers, 'paper')}"
            case Reading(read, total, usage):
                self.stage = f"reading {read}/{total}"
                self._usage = usage.spent
            case EvidenceGathered():
                self._evidence_count += 1
            case Claimed(claim):
                self._notes = [*self._notes[1 - NOTES :], short(f"claim: {claim}")]
            case StanceJudged(stance):
                self._notes = [
                    *self._notes[1 - NOTES :],
                    short(f"{stance.stance}: {stance.label or stance.paper.label}"),
                ]
            case Text(text, fresh):
                self.stage, self.text = "writing, not yet checked", text if fresh else self.text + text
            case StatementChecked():
                self.stage, self.text = "checked", ""
            case Acted(step):
                self.text = ""
                done = f"{step.tool} {step.arguments}" if step.tool else step.thought
                return short(f"step {step.number}: {done}{f' → {step.result}' if step.result else ''}")
            case Progress():
                self.stage = describe(event, 0)
            case Notice(text):
                self._notes = [*self._notes[1 - NOTES :], short(text)]
        return ""

    def line(self) -> str:
        """The line about the stage."""
        evidence = f"{pluralize(self._evidence_count, 'piece')} of evidence" if self._evidence_count else ""
        seconds = f"{self._clock() - self._start_time:.0f} s"
        return " · ".join(part for part in (one_line(self.stage), evidence, self._usage, seconds) if part)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text as Styled

        for note in self._notes:
            yield Styled(note, "dim", no_wrap=True, overflow="ellipsis")
        yield Styled(self.line(), no_wrap=True, overflow="ellipsis")
        rows = max(options.size.height - LEFT_FREE - len(self._notes), 1)
        lines = [
            line
            for paragraph in self.text.split("\n")
            for line in Styled(one_line(paragraph), "dim").wrap(console, min(options.max_width, 110))
        ]
        yield from lines[-rows:] if self.text else ()


EVERY, RARER = 2.0, 0.05
"""The least seconds between two lines with news, and the least part of the stage's time: a night's log is short."""
SILENCE, BEAT = 1.5, 0.25
"""Seconds without a line after which the last one is repeated, and seconds between two looks at the clock."""
WAITED = 0.25
"""The least wait before a line is repeated, as a part of the time without news."""
WORKING = "working"
"""What is shown while no stage has news."""
LEAST_SECONDS, LEAST_SHARE = 0.5, 0.01
"""Before so long, and so much of all, no rate is told: from the first bytes of the first file it would be hours."""

BYTES, SECONDS = "bytes", "s"
SIZES = ("kB", "MB", "GB")


class Lines:
    """Progress as plain lines: the first news of a stage, then one every `EVERY` seconds and more and more rarely, and
    each stage's last.

    Where there is no news, `beat` repeats the last line with the seconds since: a large file takes minutes.

    Args:
        starts: `beat` also writes a line before the first news.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, starts: bool = True) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._start_time = self._line_time = clock()
        self._first_done = 0.0
        self._last_news: Progress | None = None
        self._has_news = False
        self._news_time = self._line_time if starts else None

    def tell(self, news: Progress) -> None:
        """Take note, and say it if it is time."""
        with self._lock:
            now = self._clock()
            if self._last_news is None or news.stage != self._last_news.stage:
                self._finish()
                self._start_time, self._first_done = now, news.done
                self._line_time = max(self._line_time, now - EVERY / 2)
            self._last_news, self._has_news, self._news_time = news, True, now
            if now - self._line_time >= max(EVERY, RARER * (now - self._start_time)):
                self._say(now)

    def beat(self) -> None:
        """Repeat the last line with the seconds since the last news, if nothing was written for a while."""
        with self._lock:
            now = self._clock()
            if self._news_time is None:
                return
            rarer = RARER * (now - self._start_time) if self._has_news else WAITED * (now - self._news_time)
            if now - self._line_time < max(SILENCE, rarer):
                return
            if self._has_news:
                self._say(now)
            else:
                last = f"{describe(self._last_news, 0)}, still {WORKING}" if self._last_news else WORKING
                self._line_time = now
                self._write(f"{last} ({now - self._news_time:.0f} s)")

    def pause(self) -> None:
        """Say the last news, and nothing more until there is other."""
        with self._lock:
            self._finish()
            self._news_time = None

    def finish(self) -> None:
        """Say the last news, if it was not said."""
        with self._lock:
            self._finish()

    def _finish(self) -> None:
        if self._has_news and self._line_time != float("inf"):
            self._say(self._clock())

    def _say(self, now: float) -> None:
        assert self._last_news is not None
        self._line_time, self._has_news = now, False
        seconds = now - self._start_time
        done = self._last_news.done - self._first_done
        rate = done / seconds if tells(done, self._last_news.total, seconds) else 0.0
        self._write(describe(self._last_news, rate))

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(one_line(text) + "\n")
            sys.stderr.flush()
        except OSError:  # nobody reads it; the work goes on
            self._line_time = float("inf")


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
        self._waiting_task = self._add(WORKING, None, "")

    def _add(self, stage: str, total: float | None, unit: str) -> TaskID:
        return self._bars.add_task(stage, total=total, detail="", unit=unit, beside="")

    def pause(self) -> None:
        """Nothing is in work until there is other news."""
        self._bars.update(self._waiting_task, visible=False)

    def tell(self, news: Progress) -> None:
        """Draw it."""
        total = news.total or None
        if news.stage not in self._tasks:
            self._tasks[news.stage] = self._add(news.stage, total, news.unit)
        detail = one_line(news.detail)
        short = detail if len(detail) <= 30 else f"{detail[:14]}…{detail[-15:]}"
        done = bool(news.total and news.done >= news.total)
        if done != self._bars.tasks[0].visible:
            self._bars.reset(self._waiting_task, visible=done)
        task, caption = self._tasks[news.stage], "" if done else short
        self._bars.update(task, completed=news.done, total=total, detail=caption, beside=format_counts(news))


def _left_column() -> Any:
    from rich.progress import TimeRemainingColumn
    from rich.text import Text

    class Left(TimeRemainingColumn):
        """How long it will take, from when that can be told; in the end how long it took."""

        def render(self, task: Task) -> Text:
            is_known = task.finished or tells(task.completed, task.total or 0, task.elapsed or 0)
            return super().render(task) if is_known else Text("-:--:--", style="progress.remaining")

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
            is_known = unit != SECONDS and tells(task.completed, task.total or 0, task.elapsed or 0)
            rate = (task.finished_speed or task.speed) if is_known else None
            counts = amount(task.completed, task.total or 0, unit) + task.fields["beside"]
            return Text(f"{counts}, {speed(rate, unit)}" if rate else counts)

    return Numbers()


Take = Callable[[Event | Progress], None]
Pause = Callable[[], None]
View = AbstractContextManager[tuple[Take, Pause]]


@contextmanager
def showing(state: State, *, answer: bool = False) -> Iterator[Pause]:
    """What is told in here is shown, until the block ends: how far the work is, and notes; or how an answer is made.

    Enter it before the library is opened: it shows a sign of life at once, then every second or two. Yields a function
    to call when the work rests until there is news. Of an answer nothing stays on the screen but an agent's steps:
    notes belong to it, and what is shown of its text is provisional; the checked statements are printed by whoever
    gets them.
    """
    view = _silent if state.quiet else _view(state, answer)
    with view() as (take, pause), listen(take, Progress, *get_args(Event), alone=True):
        yield pause


def _view(state: State, answer: bool) -> Callable[[], View]:
    if not is_terminal(sys.stderr):
        return _silent if answer else partial(_lines, state)
    with _starting():
        from rich.console import Console
        from rich.live import Live  # noqa: F401 - loaded while the first sign of life is shown
        from rich.progress import Progress as Display  # noqa: F401

    console = Console(file=sys.stderr, no_color=bool(os.environ.get("NO_COLOR")), highlight=False, markup=False)
    return partial(_answer if answer else _bars, console)


@contextmanager
def _starting() -> Iterator[None]:
    """A word on the terminal until it can draw."""
    with suppress(OSError):
        sys.stderr.write(WORKING)
        sys.stderr.flush()
    try:
        yield
    finally:
        with suppress(OSError):
            sys.stderr.write(f"\r{' ' * len(WORKING)}\r")
            sys.stderr.flush()


def _rest() -> None:
    """Nothing is shown that would have to stop."""


@contextmanager
def _silent() -> Iterator[tuple[Take, Pause]]:
    yield lambda _: None, _rest


@contextmanager
def _lines(state: State) -> Iterator[tuple[Take, Pause]]:
    lines = Lines(starts=not state.json)  # a program reads an error there

    def take(event: Event | Progress) -> None:
        if isinstance(event, Progress):
            lines.tell(event)
        elif isinstance(event, Notice):
            state.note(event)

    try:
        with beating(lines.beat):
            yield take, lines.pause
    finally:
        lines.finish()


@contextmanager
def _bars(console: Console) -> Iterator[tuple[Take, Pause]]:
    """A bar for each stage; notes stand above them."""
    from rich.progress import Progress as Display

    with Display(*columns(), console=console) as display:
        bars = Bars(display)

        def take(event: Event | Progress) -> None:
            if isinstance(event, Progress):
                bars.tell(event)
            elif isinstance(event, Notice):
                display.console.print(f"note: {one_line(typed(event.text))}", soft_wrap=True)

        try:
            yield take, bars.pause
        finally:
            bars.pause()


@contextmanager
def _answer(console: Console) -> Iterator[tuple[Take, Pause]]:
    """How far an answer is; in the end the screen is as if nothing had been shown."""
    from rich.live import Live

    stages = Stages()
    with Live(stages, console=console, refresh_per_second=PER_SECOND, transient=True) as live:

        def take(event: Event | Progress) -> None:
            before = stages.stage
            if lasting := stages.take(event):
                live.console.print(lasting, style="dim")
            if stages.stage != before:  # a stage is seen, however soon the next one comes
                live.refresh()

        yield take, _rest


NICENESS = 10
"""As `nice` gives without a number. On a machine with nothing else to do it costs no time."""


def step_back() -> None:
    """Let other processes go first, from now on; where the system knows of such a thing."""
    with suppress(OSError, AttributeError):
        if os.getpriority(os.PRIO_PROCESS, 0) < NICENESS:
            os.setpriority(os.PRIO_PROCESS, 0, NICENESS)
