"""Labels of a screening, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from conspectus.core.groups import grouped
from conspectus.records.review import Review, ReviewEntry
from conspectus.records.review_screen import ScreeningChoice, ScreeningCriteria, ScreeningLabel, ScreeningStage
from conspectus.review.sql import entries_of
from conspectus.store.connection import CatalogReader

ABSTRACT: ScreeningStage = "abstract"
FULL_TEXT: ScreeningStage = "full-text"
DecisionState = Literal["none", "waiting", "conflict", "include", "exclude"]


@dataclass(frozen=True, slots=True)
class ScreeningDecision:
    """What the labels of a work amount to.

    Attributes:
        state: `waiting` for another reviewer's label; `conflict` if reviewers disagree.
        reason: for exclusion.
        seems: whether it is relevant as far as labels say: one that includes it, unless it was decided otherwise.
        reviewers: who has labelled it.
        first: key of its first label; 0 without one.
    """

    state: DecisionState
    reason: str
    seems: bool
    reviewers: frozenset[str]
    first: int

    @property
    def is_made(self) -> bool:
        """Whether it is included or excluded."""
        return self.state in ("include", "exclude")


def read_labels(
    catalog: CatalogReader, review: Review, stage: ScreeningStage | None = None
) -> tuple[ScreeningLabel, ...]:
    """The labels of a screening (at a stage), the first one first."""
    labels = (_label(entry) for entry in entries_of(catalog, review) if entry.field in (ABSTRACT, FULL_TEXT))
    return tuple(label for label in labels if stage in (None, label.stage))


def _label(entry: ReviewEntry) -> ScreeningLabel:
    choice: ScreeningChoice = "include" if entry.value.get("label") == "include" else "exclude"
    stage = FULL_TEXT if entry.field == FULL_TEXT else ABSTRACT
    reason, resolves = str(entry.value.get("reason", "")), entry.value.get("resolves") is True
    return ScreeningLabel(entry.paper, choice, reason, entry.by, stage, resolves, entry.made, entry.key)


def label_entry(paper: str, label: str, reason: str, reviewer: str, stage: str, *, resolves: bool) -> ReviewEntry:
    """A label as a review keeps it."""
    value = {"label": label, "reason": reason} | ({"resolves": True} if resolves else {})
    return ReviewEntry(paper, stage, reviewer, value)


def last_labels(labels: Iterable[ScreeningLabel]) -> dict[str, ScreeningLabel]:
    """Reviewer -> the last label that they gave."""
    return {label.reviewer: label for label in labels}


def decide(labels: Sequence[ScreeningLabel], criteria: ScreeningCriteria) -> ScreeningDecision:
    """What the labels of one work at one stage amount to.

    A label that resolves a conflict counts, else that of the reviewer who decides, else all have to agree.
    """
    if not labels:
        return ScreeningDecision("none", "", False, frozenset(), 0)
    last = last_labels(labels)
    resolving = (label for label in reversed(labels) if label.resolves and len(last) > 1)  # else there is no conflict
    settled = next(resolving, None) or last.get(criteria.decides)
    choices = {label.label for label in last.values()}
    state: DecisionState
    if settled:
        state = settled.label
    elif len(choices) > 1:
        state = "conflict"
    else:
        state = "waiting" if len(last) < criteria.reviewers else next(iter(choices))
    reasons = [settled.reason] if settled else []
    reasons += [label.reason for label in last.values() if label.label == "exclude"]
    reason = next(filter(None, reasons), "") if state == "exclude" else ""
    seems = settled.label == "include" if settled else "include" in choices
    return ScreeningDecision(state, reason, seems, frozenset(last), labels[0].key)


def decide_all(
    works: Sequence[Sequence[str]], labels: Iterable[ScreeningLabel], criteria: ScreeningCriteria
) -> list[ScreeningDecision]:
    """The decision on each work, by the labels of its papers at one stage."""
    return [decide(work_labels, criteria) for work_labels in labels_of_works(works, labels)]


def labels_of_works(works: Sequence[Sequence[str]], labels: Iterable[ScreeningLabel]) -> list[list[ScreeningLabel]]:
    """The labels of each work, of all its papers, the first one given first."""
    by_paper = grouped((label.paper, label) for label in labels)
    return [
        sorted((label for paper in work for label in by_paper.get(paper, ())), key=lambda label: label.key)
        for work in works
    ]
