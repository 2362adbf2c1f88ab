"""What a verb tells while it works, on standard error: on a terminal bars and answers, elsewhere lines now and then."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, get_args

from conspectus.cli.live import PER_SECOND, Stages
from conspectus.cli.progress import WORKING, Bars, Lines, beating, columns
from conspectus.cli.remedies import typed
from conspectus.cli.state import State
from conspectus.core.job_context import Notice, listen
from conspectus.faces.printer import is_terminal, one_line
from conspectus.records.events import Event
from conspectus.records.jobs import Progress

if TYPE_CHECKING:
    from rich.console import Console

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
