"""Figures and tables, as they are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conspectus.records.paper import Paper
from conspectus.records.parsed import FigureKind
from conspectus.records.passage import Rect


@dataclass(frozen=True, slots=True)
class FigureWord:
    """A word that is seen inside a figure. `box` is x0, y0, x1, y1 in parts of the figure's width and height."""

    text: str
    box: Rect


@dataclass(frozen=True, slots=True)
class FoundPanel:
    """A panel of a figure: what it is called (`a`), the part of the caption that speaks of it, and its place.

    `box` is x0, y0, x1, y1 in parts of the figure's width and height, from the top left corner.
    """

    label: str
    caption: str
    box: Rect


@dataclass(frozen=True, slots=True)
class FoundFigure:
    """A figure or a table of a paper of the library.

    Attributes:
        id: it stays as long as the figure says the same.
        name: its own within the paper (`f3`), by which its picture is asked for.
        label: `Figure 3`, as printed.
        caption: its words, with the label; empty where it has none.
        page: where its picture or cells stand, from 1; None where that is not known.
        box: x0, y0, x1, y1 there, in PDF points from the top left corner of the page as it is shown; None likewise.
        mentions: the ids of the sentences that speak of it, in reading order.
    """

    id: str
    paper: Paper
    name: str
    label: str
    caption: str
    kind: FigureKind
    page: int | None
    box: Rect | None
    mentions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FigureHit:
    """A figure found. `score` is made of `factors` (name -> number); both say nothing where there were no words."""

    rank: int
    score: float
    factors: Mapping[str, float]
    figure: FoundFigure


@dataclass(frozen=True, slots=True)
class FigureResult:
    """Figures, best first, and what found them. `took` is in seconds; `note` says why there are none."""

    query: str
    hits: tuple[FigureHit, ...]
    method: str
    models: tuple[str, ...]
    took: float
    note: str = ""
