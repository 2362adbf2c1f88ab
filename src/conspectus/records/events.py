"""What `Library.stream` yields, in this order; which of them come depends on how the answer is made."""

from __future__ import annotations

from dataclasses import dataclass

from conspectus.core.job_context import Notice as Notice  # noqa: PLC0414 - one of them, which core tells too
from conspectus.records import Answer, Citation, Consensus, Evidence, Stance, Statement, Step, Usage


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
