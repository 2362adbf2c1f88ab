"""Rankings of papers by pairwise comparisons (S11): places with intervals, pairs to judge, and verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from conspectus.records.answer import Citation, Usage
from conspectus.records.paper import Paper

RankMethod = Literal["active", "swaps"]
"""How pairs are chosen and ordered: `active`, or random pairs ordered by swaps as SciBot published it."""
MOST_CYCLES = 100
"""Cycles that a ranking shows at most."""
Preference = Literal["first", "second", "tie", "skip"]


@dataclass(frozen=True, slots=True)
class RankedPaper:
    """A paper and its place.

    Attributes:
        rank: from 1.
        score: the probability that it is preferred to a middling paper of the ranking; None by swaps.
        low, high: its rank is between these with a probability of 95 %; None by swaps.
        comparisons: those that it was in.
    """

    rank: int
    paper: Paper
    score: float | None
    low: int | None
    high: int | None
    comparisons: int


@dataclass(frozen=True, slots=True)
class PositionBias:
    """By how much the probability that the first of two equal papers is preferred is above one half.

    `low` and `high` are the ends of its 95 % interval. Ranks are corrected for it.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """Kendall's τ-b of a ranking and a number that papers have, with its 95 % interval; `papers` have the number."""

    number: str
    tau: float
    low: float
    high: float
    papers: int


@dataclass(frozen=True, slots=True)
class HiddenBias:
    """How far ranks follow what the judge was not shown.

    Attributes:
        property: `venue`, `institution` (of the first author) or `last author`.
        share: of the variance of ranks that is between venues (institutions, authors).
        chance: what such a share would be by chance at most, in 95 % of cases.
        papers, groups: those that were counted: of venues with two papers or more.
    """

    property: str
    share: float
    chance: float
    papers: int
    groups: int


@dataclass(frozen=True, slots=True)
class PaperRanking:
    """A ranking of papers by a criterion.

    Attributes:
        id, name: of the review that keeps it.
        ranking: best first, from `offset` on.
        total: how many papers it has.
        comparisons: verdicts so far.
        budget: how many there are to be.
        cycles: ids of papers of which each was preferred to the next and the last to the first: for each verdict
            that contradicts others the shortest, at most 100.
        titles: id -> title of the papers in cycles, which need not be among those of `ranking`.
        position_bias: None before the first verdict, and by swaps.
        agreement: with citations, years, and numbers that were given.
        bias: agreement with what the judge was not shown.
        judges: who gave how many verdicts.
        failed: pairs that the model could not judge in this run.
        stopped: why the run ended before its budget; "" if it did not.
        note: what the user should know of how it came about.
    """

    id: str
    name: str
    criterion: str
    method: RankMethod
    ranking: tuple[RankedPaper, ...]
    comparisons: int
    budget: int
    cycles: tuple[tuple[str, ...], ...]
    position_bias: PositionBias | None
    agreement: tuple[RankAgreement, ...]
    bias: tuple[HiddenBias, ...]
    judges: Mapping[str, int]
    total: int = 0
    offset: int = 0
    titles: Mapping[str, str] = field(default_factory=dict)
    failed: int = 0
    stopped: str = ""
    note: str = ""
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class PairSide:
    """A paper of a pair as its judge sees it: without venue, names and institutions."""

    paper: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class RankPair:
    """The next pair of a ranking; `first` and `second` are None if no pair is left, or the budget is used up."""

    id: str
    name: str
    criterion: str
    first: PairSide | None
    second: PairSide | None
    comparisons: int
    budget: int


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """What was said of a pair.

    Attributes:
        first, second: the papers as they were shown.
        reason: the judge's words.
        citations: sentences that decided, of both papers.
        by: `user`, or `model:NAME`.
        made: ISO 8601, UTC.
    """

    first: Paper
    second: Paper
    preferred: Preference
    reason: str
    citations: tuple[Citation, ...]
    by: str
    made: str
