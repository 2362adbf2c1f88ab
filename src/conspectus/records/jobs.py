"""What a job tells: how far it is, what became of files, how it ended; parts of its result are `records.events`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from conspectus.records.events import Event
from conspectus.records.reports import LedgerRow

FileOutcome = Literal["added", "updated", "failed"]
JobState = Literal["running", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class Started:
    """The first event: which verb it is."""

    verb: str


@dataclass(frozen=True, slots=True)
class Progress:
    """Where the work is: `done` of `total` (in `unit`s; total 0: not known), and what is in hand.

    While files are added the unit is their `bytes`, so that what is left of a large one counts as such; `files` says
    how many are done, of how many, and `papers` how many of what they say were new so far.
    """

    stage: str
    done: float
    total: float
    unit: str
    detail: str = ""
    files: tuple[int, int] = (0, 0)
    papers: int = 0


ProgressCallback = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Filed:
    """What became of a file that is being added. Of those that need no reading nothing is told."""

    outcome: FileOutcome
    file: LedgerRow


@dataclass(frozen=True, slots=True)
class PartialResult:
    """One of several things that a verb gives, as it comes."""

    part: Any


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of a job that came to its end, with what its verb returns."""

    result: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """The last event of one that did not."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The last event of one that was cancelled; what was stored or paid for until then stays."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Some of what was told is no longer known: whoever follows is to look at the whole again."""


JobEvent = Started | Progress | Filed | Event | PartialResult | Finished | Failed | Cancelled | Reset
Ending = Finished | Failed | Cancelled


@dataclass(frozen=True, slots=True)
class JobLogEntry:
    """An event of a job: its number there, from 1 and rising, and when it was told (seconds since the epoch)."""

    job: str
    seq: int
    at: float
    event: JobEvent


@dataclass(frozen=True, slots=True)
class RelayedEntry(JobLogEntry):
    """An entry of a job of another server: `body` is its JSON, `event` of the same kind as far as it matters here."""

    body: Mapping[str, Any]
