"""Screening of papers for a review: labels, agreement of reviewers, what is left, and the counts of PRISMA 2020."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from conspectus.records.paper import Paper

ScreeningChoice = Literal["include", "exclude"]
ScreeningStage = Literal["abstract", "full-text"]
PrismaFormat = Literal["", "svg", "html", "json"]


@dataclass(frozen=True, slots=True)
class ScreeningCriteria:
    """What a review includes and excludes, as its protocol says.

    Attributes:
        question: of the review.
        include: what a paper has to be.
        exclude: reason for exclusion -> what it means; "" if its name says it.
        reviewers: how many have to label each paper.
        decides: the reviewer whose label counts; "": all have to agree, or the conflict is resolved.
    """

    question: str = ""
    include: tuple[str, ...] = ()
    exclude: Mapping[str, str] = field(default_factory=dict)
    reviewers: int = 1
    decides: str = ""


@dataclass(frozen=True, slots=True)
class ScreeningLabel:
    """A label that a reviewer gave to a paper. It is never overwritten: of one reviewer the last one counts.

    Attributes:
        reason: for exclusion, one of the criteria's; "" if none was given.
        resolves: whether it settles a conflict, whoever gave it.
        made: ISO 8601, UTC.
        key: grows with time.
    """

    paper: str
    label: ScreeningChoice
    reason: str
    reviewer: str
    stage: ScreeningStage
    resolves: bool
    made: str
    key: int


@dataclass(frozen=True, slots=True)
class ScreeningConflict:
    """A paper on which reviewers disagree at a stage, with the last label of each of them."""

    paper: Paper
    stage: ScreeningStage
    labels: tuple[ScreeningLabel, ...]


@dataclass(frozen=True, slots=True)
class RelevanceEstimate:
    """How many papers are relevant in all, read or not, with an interval of 95 %; `low` have been found.

    Attributes:
        missing: labels that are still needed before the estimate says anything; 0: it does.
    """

    relevant: int
    low: int
    high: int
    missing: int = 0


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """A coefficient of agreement (`kappa`, `ac1`, `alpha`) with its interval of 95 %; None where it is undefined."""

    name: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ReviewerAgreement:
    """How far reviewers agree.

    Attributes:
        papers: how many have labels by two or more of them.
        same, split: of how many of these all labels agree, and do not.
    """

    reviewers: tuple[str, ...]
    papers: int
    same: int
    split: int
    figures: tuple[AgreementFigure, ...]


@dataclass(frozen=True, slots=True)
class Screening:
    """How far a screening is, and which paper is next. Papers that are the same work count once.

    Attributes:
        papers: works to screen.
        paper: the next one; None if there is none left for this reviewer.
        reason: why it is next.
        same: ids of other papers that are the same work and share its label.
        remaining: works without a decision, that nobody has labelled.
        included, excluded: works with a decision.
        waiting: works that need a label by another reviewer.
        conflicts: ids of papers on which reviewers disagree by title and abstract.
        disputed: the first 100 conflicts with their papers and labels, those on full texts last; for `status` only.
        estimate: of the relevant papers among all.
        stop: whether the rule says that enough is read.
        rule: the rule.
        ended: when the rest was left unread (ISO 8601, UTC); "" while screening goes on.
        agreement: of reviewers; None unless it was asked for, or there are fewer than two.
        labels: every label that was given, the first one first, if they were asked for.
        notes: what could not be used.
        reviewer, stage: for whom, and at which stage, `paper` is the next one.
    """

    id: str
    name: str
    criteria: ScreeningCriteria
    papers: int
    paper: Paper | None
    reason: str
    same: tuple[str, ...]
    remaining: int
    included: int
    excluded: int
    waiting: int
    conflicts: tuple[str, ...]
    estimate: RelevanceEstimate
    stop: bool
    rule: str
    ended: str = ""
    agreement: ReviewerAgreement | None = None
    disputed: tuple[ScreeningConflict, ...] = ()
    labels: tuple[ScreeningLabel, ...] = ()
    notes: tuple[str, ...] = ()
    reviewer: str = ""
    stage: ScreeningStage = "abstract"


@dataclass(frozen=True, slots=True)
class LabelImport:
    """Labels that were read from a file.

    Attributes:
        labels: how many were kept.
        known: how many were there before.
        failed: what could not be used, and why.
        new_reasons: reasons for exclusion that the criteria do not have, and how many labels give each; they were kept.
    """

    labels: int
    known: int
    failed: Mapping[str, str]
    new_reasons: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabelExport:
    """Labels in a format for other programs.

    Attributes:
        format: `csv` or `ris`.
        papers: how many are in it.
        output: the file that was written; "" if none was.
        text: its content, if no file was written.
    """

    format: str
    papers: int
    output: str
    text: str


@dataclass(frozen=True, slots=True)
class PrismaCounts:
    """The counts of a PRISMA 2020 flow diagram (Page et al., BMJ 372:n71).

    Attributes:
        sources: database, register or file -> records that came from it.
        duplicates: records removed before screening, because they are of the same work.
        screened: records that people decided on, by title and abstract.
        excluded_by_people, excluded_reasons: of these, in all and by reason ("": no reason was given).
        excluded_by_automation: records left unread when screening was ended.
        unscreened: records without a decision while screening goes on, conflicts among them.
        sought: reports sought for retrieval: records that were included.
        not_retrieved: of these, those without a full text and without a decision on it, once there is one on another.
        assessed: the others; before the first decision on a full text, none.
        unassessed: of these, those without a decision; before the first, all that are sought.
        full_text_excluded, full_text_reasons: of those assessed, in all and by reason.
        included: studies in the review: those included by full text.
        output: the file that was written; "" if none was.
        text: the diagram, if a format was asked for and no file was written.
    """

    name: str
    sources: Mapping[str, int]
    duplicates: int
    screened: int
    excluded_by_people: int
    excluded_reasons: Mapping[str, int]
    excluded_by_automation: int
    unscreened: int
    sought: int
    not_retrieved: int
    assessed: int
    unassessed: int
    full_text_excluded: int
    full_text_reasons: Mapping[str, int]
    included: int
    output: str = ""
    text: str = ""
