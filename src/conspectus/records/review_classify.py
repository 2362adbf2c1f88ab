"""Classifications: which categories papers have, with the sentences that decided, and how right that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conspectus.records.answer import Citation, Usage
from conspectus.records.paper import Paper

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
