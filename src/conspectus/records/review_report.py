"""A report on what papers say on a question: sections of statements, each bound to its sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from conspectus.records.answer import Answer, Citation
from conspectus.records.contradictions import Contradiction
from conspectus.records.paper import Paper
from conspectus.records.review_table import ReviewTable

SectionState = Literal["quoted", "written"]


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A section.

    Attributes:
        number: from 1, as verbs name it.
        title: of a model, or key phrases of its sentences.
        state: `quoted`: sentences of papers alone; `written`: by a model, from these sentences.
        kept: whether it stays as it is.
        answer: its statements, and the evidence that they are written from.
    """

    number: int
    title: str
    state: SectionState
    kept: bool
    answer: Answer


@dataclass(frozen=True, slots=True)
class ReportedPaper:
    """A paper that a report cites: a row of the table that compares them.

    Attributes:
        sections: the numbers of those that cite it.
        main: the sentence of it that is cited first.
    """

    paper: Paper
    label: str
    sections: tuple[int, ...]
    main: Citation


@dataclass(frozen=True, slots=True)
class ReportCoverage:
    """What a report rests on, in numbers of papers.

    Attributes:
        searched: that pass the filters.
        found: with a passage among the best.
        read: of which a passage was read.
        abstract_only: of those read, without a full text in the library.
        left_out: that were found, and not read.
    """

    searched: int = 0
    found: int = 0
    read: int = 0
    abstract_only: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class LiteratureReport:
    """A report as it is now: with the sentences that the library still has.

    Attributes:
        sections: in their order.
        papers: that the sections cite, in that order.
        disagreements: statements of the evidence that cannot both hold.
        tables: of papers by columns, that it was to have.
        coverage: what it rests on.
        note: what the user should know of how it came about.
        made, updated: ISO 8601, UTC.
    """

    id: str
    name: str
    question: str
    sections: tuple[ReportSection, ...]
    papers: tuple[ReportedPaper, ...] = ()
    disagreements: tuple[Contradiction, ...] = ()
    tables: tuple[ReviewTable, ...] = ()
    coverage: ReportCoverage = field(default_factory=ReportCoverage)
    note: str = ""
    made: str = ""
    updated: str = ""

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Of the sections."""
        return tuple(section.answer for section in self.sections)
