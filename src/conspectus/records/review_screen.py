"""Screening of papers for a review: labels, agreement of reviewers, what is left, and the counts of PRISMA 2020."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RelevanceEstimate:
    """How many papers are relevant in all, read or not, with an interval of 95 %; `low` have been found."""

    relevant: int
    low: int
    high: int


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
