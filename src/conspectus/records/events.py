"""Events of long work: how far it is, what became of files, how it ended, and what `Library.stream` yields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from conspectus.core.job_context import Notice as Notice  # noqa: PLC0414 - one of them, which core tells too
from conspectus.records import Answer, Citation, Consensus, Evidence, Stance, Statement, Step, Usage
from conspectus.records.reports import LedgerRow


@dataclass(frozen=True, slots=True)
class Searching:
    """The library is being searched for the question, or another phrasing of it."""

    question: str


@dataclass(frozen=True, slots=True)
class PassagesFound:
    """So many passages of so many papers are to be read."""

    passages: int
    papers: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A model has read `done` of `total` passages; `usage` is what has been spent so far."""

    done: int
    total: int
    usage: Usage


@dataclass(frozen=True, slots=True)
class EvidenceGathered:
    """A passage was found to say something on the question."""

    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Acted:
    """A step of an agent."""

    step: Step


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer as it is being written; not yet checked.

    `fresh`: the first piece of a text, which takes the place of what was told before.
    """

    text: str
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation of the statement that comes next."""

    citation: Citation


@dataclass(frozen=True, slots=True)
class StatementChecked:
    """A statement of the answer, checked, with its citations."""

    statement: Statement


@dataclass(frozen=True, slots=True)
class Done:
    """The whole answer."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Claimed:
    """The question as a claim: what papers' stances are on. Of `Library.consensus`, as what follows."""

    claim: str


@dataclass(frozen=True, slots=True)
class StanceJudged:
    """A paper's stance on the claim."""

    stance: Stance


@dataclass(frozen=True, slots=True)
class Concluded:
    """The whole of what `Library.consensus` gives."""

    consensus: Consensus


Event = (
    Searching
    | PassagesFound
    | Reading
    | EvidenceGathered
    | Acted
    | Notice
    | Text
    | Cited
    | StatementChecked
    | Done
    | Claimed
    | StanceJudged
    | Concluded
)


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
