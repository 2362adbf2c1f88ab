"""Directions: what the vectors of a library mean, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conspectus.records.atlas import Mapped

Stratum = Literal["year", "topic", "venue"]
"""What papers are compared within: the year, the region of the map, the journal."""


@dataclass(frozen=True, slots=True)
class Direction:
    """A direction of the vectors that few texts have.

    Attributes:
        id: a number that it keeps while it continues.
        label: words that papers have in which it is active, and others have not; `unnamed 12` if no words surely name
            what these papers share.
        terms: the words by which the label is scored, those of the label first.
        auc: how well these words tell papers in which it is active from others: of two such papers, how often they say
            which it is. Measured on papers that the label was not chosen by; None where there are too few.
        texts: in how many it is active.
        recurrence: its cosine with the likest direction of another training; below .8 it is hidden by default.
        family: the id of the more frequent direction that is active in most of the same texts; None.
    """

    id: int
    label: str
    terms: tuple[str, ...]
    auc: float | None
    texts: int
    recurrence: float
    family: int | None

    @property
    def recurs(self) -> bool:
        """Whether another training finds it, too."""
        return self.recurrence >= RECURS

    @property
    def is_named(self) -> bool:
        """Whether its label says what it is."""
        return self.label != unnamed_label(self.id)


def describe_certainty(direction: Direction | RelatedDirection) -> str:
    """How sure a direction's label is; "" if it has none."""
    if direction.label == unnamed_label(direction.id):
        return ""
    return "label not tested" if direction.auc is None else f"label AUC {direction.auc:.2f}"


def unnamed_label(id: int) -> str:
    """The label of a direction that no words surely name."""
    return f"unnamed {id}"


RECURS = 0.8
"""Cosine from which on two directions are the same."""


@dataclass(frozen=True, slots=True)
class DirectionList:
    """Directions of a library.

    Attributes:
        of: what they are of.
        model: the embedder.
        made: when they were trained.
        trained: on how many texts.
        active: directions that are active in a text, at most.
        unexplained: the share of the variance of the vectors that they do not rebuild.
        dead: directions that were never active, and were left out.
        recurring: how many of all recur in another training.
        directions: those that are shown, the most frequent first.
        hidden: how many do not recur, and are not shown.
        continued, gone: how many of those that were before continue, and do not; None and 0 where there were none.
        new: the labels of some that did not exist before.
        notes: for the user.
    """

    of: Mapped
    model: str
    made: str
    trained: int
    active: int
    unexplained: float
    dead: int
    recurring: int
    directions: tuple[Direction, ...]
    hidden: int
    continued: int | None
    gone: int
    new: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DirectionText:
    """A paper, or a passage, and how active a direction is in it.

    Attributes:
        paper: its id, `title` and `year`.
        unit: the id of the passage; "" of a paper.
        activation: as a share of the strongest.
        sentence: the one that has most of the direction, and `span`, its id; "" where there is none.
        has_label: whether the text has a word of the label.
    """

    paper: str
    title: str
    year: int | None
    unit: str
    activation: float
    sentence: str
    span: str
    has_label: bool


@dataclass(frozen=True, slots=True)
class RelatedDirection:
    """A direction that is active in the same texts: in which `share` of the other's texts, its label and AUC."""

    id: int
    label: str
    share: float
    auc: float | None


@dataclass(frozen=True, slots=True)
class DirectionReport:
    """A direction with the texts that show what it means.

    Attributes:
        strongest: the texts in which it is most active.
        near_misses: texts in which it is nearly active, the nearest first.
        related: directions that are active in the same texts.
    """

    direction: Direction
    strongest: tuple[DirectionText, ...]
    near_misses: tuple[DirectionText, ...]
    related: tuple[RelatedDirection, ...]


@dataclass(frozen=True, slots=True)
class DirectionMatch:
    """A direction that words ask for, and how well it fits, 0 to 1."""

    direction: Direction
    score: float


@dataclass(frozen=True, slots=True)
class SimilarityPart:
    """What a direction adds to a similarity; `left` and `right`: how active it is in both texts."""

    direction: Direction
    value: float
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class SimilarityReport:
    """A similarity as a sum: `shared` and the parts and `rest` are exactly `similarity`.

    Attributes:
        left, right: what is compared: titles, or the question.
        similarity: the cosine of their vectors.
        shared: what all texts of the library have in common.
        parts: of directions, the largest first.
        rest: what no direction explains.
    """

    left: str
    right: str
    similarity: float
    shared: float
    parts: tuple[SimilarityPart, ...]
    rest: float


@dataclass(frozen=True, slots=True)
class DirectionDifference:
    """A direction that is more active on one side.

    Attributes:
        left, right: papers in which it is active; `left_share` and `right_share` of the papers on that side.
        odds_ratio: of the left to the right, within the strata, with its 95 % interval `low` to `high`: of papers in
            which it is clearly active.
        p, q: the probability of such a difference in how active it is by chance; the false discovery rate at which it
            counts.
        more: the side on which it is more active, `left` or `right`.
    """

    direction: Direction
    left: int
    right: int
    left_share: float
    right_share: float
    odds_ratio: float
    low: float
    high: float
    p: float
    q: float
    more: Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class DirectionComparison:
    """Two selections of papers compared.

    Attributes:
        left, right: what was selected; `left_papers` and `right_papers` how many.
        within: what papers were compared within.
        fdr: false discovery rate: so many of the differences are chance, at most.
        tested: directions that were tested.
        differences: those that count, the surest first.
        notes: for the user.
    """

    left: str
    right: str
    left_papers: int
    right_papers: int
    within: tuple[Stratum, ...]
    fdr: float
    tested: int
    differences: tuple[DirectionDifference, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DirectionAssociation:
    """A direction that goes with a number of papers: an association, which says nothing about causes.

    Attributes:
        papers: in which it is active, of those that it was found by.
        ratio: of papers with it to others of the same strata (of 1 + the number, geometric means), with its 95 %
            interval `low` to `high`, and `q`, the false discovery rate.
        held_out, later: the same ratio in papers that were held out, and in later years; None: too few papers.
        confirmed: whether both papers held out and those of later years, as far as there are any, show the same sign,
            the held-out ones beyond chance (p < .05).
    """

    direction: Direction
    papers: int
    ratio: float
    low: float
    high: float
    q: float
    held_out: float | None
    later: float | None
    confirmed: bool


@dataclass(frozen=True, slots=True)
class AssociationReport:
    """Directions that go with a number of papers.

    Attributes:
        number: what was asked for.
        within: what papers were compared within.
        papers, held_out, later: how many it was found by, held out, and of later years (`since`).
        since: the first of these; None: there are no years.
        explained, explained_later: the share of the number's variance within the strata that all directions together
            predict of papers held out, and of later years; at most 1, below 0: worse than the mean.
        fdr, tested: as of `DirectionComparison`.
        associations: those that count, confirmed ones first.
        notes: for the user.
    """

    number: str
    within: tuple[Stratum, ...]
    papers: int
    held_out: int
    later: int
    since: int | None
    explained: float | None
    explained_later: float | None
    fdr: float
    tested: int
    associations: tuple[DirectionAssociation, ...]
    notes: tuple[str, ...] = ()
