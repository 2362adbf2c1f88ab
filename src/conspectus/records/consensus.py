"""How far a library's papers agree on a claim (F10): the stance of each, and what follows from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from conspectus.records.answer import Citation, Usage
from conspectus.records.paper import Paper
from conspectus.records.results import Outlying
from conspectus.records.views import show_record

StanceKind = Literal["supports", "opposes", "mixed", "not about it"]
STANCES: tuple[StanceKind, ...] = get_args(StanceKind)
ConsensusLevel = Literal[
    "Strong Agreement",
    "Moderate Agreement",
    "Weak Agreement",
    "No Clear Consensus",
    "Weak Disagreement",
    "Moderate Disagreement",
    "Strong Disagreement",
]
CONSENSUS_LEVELS: tuple[ConsensusLevel, ...] = get_args(ConsensusLevel)


@dataclass(frozen=True, slots=True)
class Stance:
    """What one paper says to a claim, by a model that read it alone.

    Attributes:
        rank: of the paper in the search, from 1.
        paper: whose it is.
        stance: `supports`, `opposes`, `mixed` (it says both), or `not about it`.
        citations: the sentences that carry it, one citation for each passage; none where it is not about it.
        why: the model's words, in short; for reading only.
        score: of the search.
        outlying: how far the paper is from the others found.
        label: how the explanation calls the paper.
    """

    rank: int
    paper: Paper
    stance: StanceKind
    citations: tuple[Citation, ...] = ()
    why: str = ""
    score: float = 0.0
    outlying: Outlying = field(default_factory=lambda: Outlying(None, None, False))
    label: str = ""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A paper found whose stance is not known, and why."""

    rank: int
    paper: Paper
    reason: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Consensus:
    """How far the papers found agree on a claim.

    Attributes:
        question: as it was asked.
        claim: as a statement: what the stances are on.
        level: one of seven, which follows from the stances by a rule; None: too few papers are about it to say.
        reason: why there is no level; "" where there is one.
        balance: (supports - opposes) / (supports + opposes + mixed), from -1 to 1; None where no paper is about it.
        relevance: how much of what was found is about the claim, from 0 to 1, the best found counting most.
        stances: by their rank.
        unjudged: papers whose stance is not known; they do not count.
        explanation: which papers say what, in words, composed from the stances.
        models: that were asked, and the embedder.
        usage: what it took.
        note: what the user should know of how it came about.
        made: when, ISO 8601, UTC.
    """

    question: str
    claim: str
    level: ConsensusLevel | None
    reason: str
    balance: float | None
    relevance: float
    stances: tuple[Stance, ...]
    unjudged: tuple[Unjudged, ...] = ()
    explanation: str = ""
    models: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    note: str = ""
    made: str = ""

    @property
    def counts(self) -> Mapping[StanceKind, int]:
        """How many papers have each stance."""
        counts = Counter(item.stance for item in self.stances)
        return {stance: counts[stance] for stance in STANCES}

    @property
    def outliers(self) -> tuple[Stance, ...]:
        """Those of papers that are far from the others found."""
        return tuple(item for item in self.stances if item.outlying.outlier)

    @property
    def took(self) -> str:
        """What it took, in one line."""
        usage = self.usage
        count = len(self.stances)
        parts = (
            f"{count} paper{'' if count == 1 else 's'} read",
            usage.spent,
            f"{usage.seconds:.2f} s",
            f"{usage.from_cache} of {usage.calls} calls from the cache" if usage.from_cache else "",
        )
        return " · ".join(part for part in parts if part)

    def _repr_html_(self) -> str:
        return show_record("html", "consensus", self)
