"""Reviews: what is kept of each, and the records of classifications, tables, reports and contradictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from conspectus.records.answer import Answer, Citation, Usage
from conspectus.records.paper import Paper

ReviewKind = Literal["rank", "classify", "screen", "table", "report"]
NOUNS: Mapping[str, str] = {
    "rank": "ranking",
    "classify": "classification",
    "screen": "screening",
    "table": "table",
    "report": "report",
}
"""What a review of each kind is called in a sentence."""


@dataclass(frozen=True, slots=True)
class Review:
    """A review that is kept.

    Attributes:
        id: it stays when the review is renamed.
        kind: a key of `NOUNS`.
        spec: what was asked, as its kind has it: a criterion, categories, columns.
        papers: how many it works on.
        made, updated: ISO 8601, UTC.
    """

    id: str
    kind: ReviewKind
    name: str
    spec: Mapping[str, Any]
    papers: int
    made: str
    updated: str


@dataclass(frozen=True, slots=True)
class ReviewEntry:
    """What a review says of a paper, or of a pair of papers.

    Attributes:
        paper, other: ids of papers; `other` is "" where it is of one paper.
        field: a column, a label; "" where its kind has one thing to say only.
        by: `model:NAME`, `vectors`, `user`, or the name of a reviewer.
        value: without words of papers: sentences by the ids of their spans.
        made: ISO 8601, UTC; "" of one that is not stored yet.
        key: grows with time; 0 of one that is not stored yet.
    """

    paper: str
    field: str
    by: str
    value: Mapping[str, Any]
    other: str = ""
    made: str = ""
    key: int = 0


BY_WORDS = "words"
"""Who proposed a cell of a table without a model."""
NONE = "none"
"""What labels, tables and files call papers that no category fits."""
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Category:
    """A category that papers may have; its description says in words what belongs to it."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class CategoryChoice:
    """A category that a paper has.

    Attributes:
        probability: that it has it; None where a language model or a person decided.
        citations: the sentence that decided, or that is nearest to the category.
    """

    name: str
    probability: float | None = None
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassifiedPaper:
    """A paper with its categories.

    Attributes:
        categories: the most probable first; none: no category fits.
        by: `vectors`, `model:NAME`, `examples` (the labels that were given), or `user`.
        closest: the most probable category of a paper that none fits, if it is known.
    """

    paper: Paper
    categories: tuple[CategoryChoice, ...]
    by: str
    closest: CategoryChoice | None = None


@dataclass(frozen=True, slots=True)
class Classification:
    """A classification that is kept.

    Attributes:
        id, name: of the review.
        categories: as they were given.
        several: whether a paper may have several.
        by: what classified last: `vectors` or `model:NAME`.
        least: the probability that a category needs.
        papers: those of this part of the list.
        total: how many papers it works on.
        counts: category -> number of papers, and `none`.
        next: where the list goes on; "" at its end.
        failed: papers and lines of labels that could not be used, each with the reason.
        left: how many papers were not come to.
        stopped: why the run ended before; "" if it did not.
        usage: what language models took.
        notes: what the user should know.
    """

    id: str
    name: str
    categories: tuple[Category, ...]
    several: bool
    by: str
    least: float
    papers: tuple[ClassifiedPaper, ...] = ()
    total: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    next: str = ""
    failed: Mapping[str, str] = field(default_factory=dict)
    left: int = 0
    stopped: str = ""
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CategoryFigures:
    """How right a category is: shares with their 95 % intervals (Wilson), None where they are of nothing.

    Attributes:
        papers: labels that have it.
        predicted: papers that were given it.
    """

    name: str
    papers: int
    predicted: int
    precision: float | None
    precision_interval: Interval
    recall: float | None
    recall_interval: Interval


@dataclass(frozen=True, slots=True)
class LabelDisagreement:
    """A paper whose categories are not its labels; each with the sentence that speaks most for it."""

    paper: Paper
    labels: tuple[CategoryChoice, ...]
    categories: tuple[CategoryChoice, ...]


@dataclass(frozen=True, slots=True)
class ClassificationCheck:
    """A classification held against labels.

    Attributes:
        name: of the classification.
        by: what classified.
        papers: how many were compared.
        confusion: rows are labels, columns are what was given, both in the order of `classes`, and `none` last.
        accuracy: share of papers whose categories are exactly their labels; None of no paper.
        decided: share of papers that were given a category.
        decided_accuracy: accuracy among these.
        calibration_error: expected calibration error of the first category in ten bins; None without probabilities.
        disagreements: papers whose categories are not their labels.
        left_out: papers that the classifier had learnt from, or has not classified.
        failed: lines of the labels that could not be used, each with the reason.
    """

    name: str
    by: str
    papers: int
    confusion: tuple[tuple[int, ...], ...]
    classes: tuple[CategoryFigures, ...]
    accuracy: float | None
    accuracy_interval: Interval
    decided: float | None
    decided_accuracy: float | None
    calibration_error: float | None
    disagreements: tuple[LabelDisagreement, ...] = ()
    left_out: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CategoryCollections:
    """Collections that papers were put into, by their categories: name -> number of papers."""

    collections: Mapping[str, int]


ColumnKind = Literal["number", "count", "choice", "yes/no", "text"]
CellStatus = Literal["confirmed", "proposed", "judged", "unconfirmed", "edited", "not stated", "unread"]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table.

    Attributes:
        name: what the user calls it, and what is looked for.
        kind: `number` has a unit, `count` counts and has none.
        unit: in which its numbers are compared; "": any that its name allows.
        choices: of a `choice`.
    """

    name: str
    kind: ColumnKind = "text"
    unit: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableCell:
    """What a paper says on a column.

    Attributes:
        value: a number or words copied from the quoted sentences; of `judged` and `edited` cells what was decided.
        unit: as it is written there.
        status: `confirmed`: the value is in the quoted sentences. `proposed`: found by its unit and the words near it,
            without a model. `judged`: a model's reading of the sentences, which do not have its word. `unconfirmed`:
            the sentences do not have it. `edited`: by a person. `unread`: see `why`.
        why: what is wrong, or what kept the paper from being read.
        number: the value in the unit of the column, else in base units, for sorting; None where it is none.
        citations: the sentences, with their places.
        by: `model:NAME`, `words` (without a model), or the name of who edited it; "": nobody yet.
    """

    column: str
    value: str = ""
    unit: str = ""
    status: CellStatus = "unread"
    why: str = ""
    number: float | None = None
    citations: tuple[Citation, ...] = ()
    by: str = ""

    @property
    def text(self) -> str:
        """The value with its unit."""
        return " ".join(part for part in (self.value, self.unit) if part)

    @property
    def quote(self) -> str:
        """The quoted sentences in one line."""
        return " … ".join(citation.quote for citation in self.citations)


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A paper and its cells, one for each column in their order."""

    paper: Paper
    cells: tuple[TableCell, ...]


@dataclass(frozen=True, slots=True)
class ReviewTable:
    """A table that is kept, or a part of its rows.

    Attributes:
        papers: how many it has; `total`: how many pass what was asked for; `rows`: those shown, from `offset` on.
        read: cells that this call read, or proposed.
        failed: why papers could not be read in this call, by their ids.
        stopped: why this call ended before all papers were read; "" if it did not.
        model: the model that this call asked; "": it went by words alone.
        document: all rows in the format that was asked for, if no file was named; "": none was asked for.
        written: the file that all rows were written to; "": none.
    """

    id: str
    name: str
    columns: tuple[TableColumn, ...]
    rows: tuple[PaperRow, ...]
    papers: int
    total: int
    offset: int = 0
    read: int = 0
    failed: Mapping[str, str] = field(default_factory=dict)
    stopped: str = ""
    model: str = ""
    usage: Usage | None = None
    document: str = ""
    written: str = ""


PairVerdict = Literal["contradict", "compatible", "unrelated", "not judged"]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements of different papers about the same thing.

    Attributes:
        first, second: the sentence of each paper.
        verdict: `contradict` (they cannot both hold), `compatible`, `unrelated` (they are not about the same thing), or
            `not judged`: a candidate.
        why: the model's words, in short; for reading only.
        score: how much more alike the sentences are than each is, on average, with its nearest others.
    """

    first: Citation
    second: Citation
    verdict: PairVerdict
    why: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class ContradictionReport:
    """The contradictions of some papers.

    Attributes:
        contradictions: those that a model found, the most alike pairs first.
        candidates: pairs that nobody judged: without a model, or where it could not be asked.
        papers, statements: that were compared.
        pairs: about the same thing, in all.
        judged: pairs that a model judged.
        left: pairs that were neither judged nor listed, because only so many were wanted.
        note: what the user should know of how it came about.
        models: that were asked, and the embedder.
        usage: what it took.
    """

    contradictions: tuple[Contradiction, ...]
    candidates: tuple[Contradiction, ...] = ()
    papers: int = 0
    statements: int = 0
    pairs: int = 0
    judged: int = 0
    left: int = 0
    note: str = ""
    models: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


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
