"""An answer while it is being made: on a terminal its stages and its text, on standard error; elsewhere nothing."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from conspectus.cli.describe import counted
from conspectus.cli.printer import is_terminal, one_line
from conspectus.cli.state import State
from conspectus.records import Answer
from conspectus.records.events import (
    Acted,
    Claimed,
    Done,
    Event,
    Found,
    Gathered,
    Judged,
    Reading,
    Searching,
    Stated,
    Text,
    Told,
)

if TYPE_CHECKING:
    from collections.abc import Generator

    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.live import Live

Tell = Callable[[Event], None]
PER_SECOND = 8
"""Times the screen is drawn anew in a second, at most."""
LEFT_FREE = 3
"""Rows of the screen that the text being written leaves free."""
NOTES = 3
"""Notes shown at a time."""
LONGEST = 200
"""Characters of a line about an agent's step."""


@contextmanager
def watching(state: State) -> Iterator[Tell]:
    """Shows the events that it is told, until the block ends; then the screen is as if nothing had been shown.

    Only an agent's steps stay on it: notes belong to the answer. What is shown of the text is provisional; the checked
    statements are printed by whoever gets them.
    """
    if state.quiet or not is_terminal(sys.stderr):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(file=sys.stderr, no_color=bool(os.environ.get("NO_COLOR")), highlight=False, markup=False)
    stages = Stages()
    with Live(stages, console=console, refresh_per_second=PER_SECOND, transient=True) as live:
        yield lambda event: _show(stages, live, event)


def watch(state: State, events: Generator[Event, None, None]) -> Answer:
    """The answer that events end with, shown while it is made."""
    with closing(events), watching(state) as tell:
        for event in events:
            tell(event)
            if isinstance(event, Done):
                return event.answer
    raise AssertionError("events end with `Done`, or with an error")


def _show(stages: Stages, live: Live, event: Event) -> None:
    before = stages.stage
    if lasting := stages.take(event):
        live.console.print(lasting, style="dim")
    if stages.stage != before:  # a stage is seen, however soon the next one comes
        live.refresh()


class Stages:
    """What stands on the screen: a line about the stage, and below it the text as far as it is written."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.stage = "preparing"
        self.text = ""
        self._clock = clock
        self._began = clock()
        self._found = 0
        self._told: list[str] = []
        self._usage = ""

    def take(self, event: Event) -> str:
        """Take note of an event; returns a line that is to stay on the screen, or ""."""
        match event:
            case Searching(question):
                self.stage, self.text = f"searching: {question}", ""
            case Found(passages, papers):
                self.stage = f"found {counted(passages, 'passage')} of {counted(papers, 'paper')}"
            case Reading(read, total, usage):
                self.stage = f"reading {read}/{total}"
                self._usage = usage.spent
            case Gathered():
                self._found += 1
            case Claimed(claim):
                self._told = [*self._told[1 - NOTES :], _cut(f"claim: {claim}")]
            case Judged(stance):
                self._told = [*self._told[1 - NOTES :], _cut(f"{stance.stance}: {stance.label or stance.paper.label}")]
            case Text(text, fresh):
                self.stage, self.text = "writing, not yet checked", text if fresh else self.text + text
            case Stated():
                self.stage, self.text = "checked", ""
            case Acted(step):
                self.text = ""
                done = f"{step.tool} {step.arguments}" if step.tool else step.thought
                return _cut(f"step {step.number}: {done}{f' → {step.result}' if step.result else ''}")
            case Told(text):
                self._told = [*self._told[1 - NOTES :], _cut(text)]
        return ""

    def line(self) -> str:
        """The line about the stage."""
        found = f"{counted(self._found, 'piece')} of evidence" if self._found else ""
        seconds = f"{self._clock() - self._began:.0f} s"
        return " · ".join(part for part in (one_line(self.stage), found, self._usage, seconds) if part)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text as Styled

        for told in self._told:
            yield Styled(told, "dim", no_wrap=True, overflow="ellipsis")
        yield Styled(self.line(), no_wrap=True, overflow="ellipsis")
        rows = max(options.size.height - LEFT_FREE - len(self._told), 1)
        lines = [
            line
            for paragraph in self.text.split("\n")
            for line in Styled(one_line(paragraph), "dim").wrap(console, min(options.max_width, 110))
        ]
        yield from lines[-rows:] if self.text else ()


def _cut(text: str) -> str:
    text = one_line(text)
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + "…"
