"""An answer while it is being made: its stages and its text."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from conspectus.cli.progress import describe
from conspectus.core.plural import pluralize
from conspectus.faces.printer import one_line, short
from conspectus.records.events import (
    Acted,
    Claimed,
    Event,
    EvidenceGathered,
    Notice,
    PassagesFound,
    Reading,
    Searching,
    StanceJudged,
    StatementChecked,
    Text,
)
from conspectus.records.jobs import Progress

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

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
        self._began = clock()
        self._found = 0
        self._told: list[str] = []
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
                self._found += 1
            case Claimed(claim):
                self._told = [*self._told[1 - NOTES :], short(f"claim: {claim}")]
            case StanceJudged(stance):
                self._told = [*self._told[1 - NOTES :], short(f"{stance.stance}: {stance.label or stance.paper.label}")]
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
                self._told = [*self._told[1 - NOTES :], short(text)]
        return ""

    def line(self) -> str:
        """The line about the stage."""
        found = f"{pluralize(self._found, 'piece')} of evidence" if self._found else ""
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
