"""Figures and tables, as they are found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from conspectus.core.errors import UsageError
from conspectus.records.paper import Paper
from conspectus.records.parsed_paper import FigureKind
from conspectus.records.passage import Rect, Span

PictureKind = Literal["plot", "micrograph", "diagram", "map", "photograph", "table"]
"""What a picture is, by how it looks."""
Crop = tuple[float, float, float, float]
"""x, y, width and height of a part of a picture: in pixels, or where none is above 1, in parts of it."""
Shown = FigureKind | PictureKind
"""What a figure is, by what it is called or by how it looks."""
Measure = Literal["cosine", "euclidean", "dot"]
"""How near two pictures are, by their raw vectors: the cosine, the distance (the smallest first), or the product."""


@dataclass(frozen=True, slots=True)
class SentPicture:
    """A picture that somebody sends: what its file is called (no path), and its bytes."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class FigureWord:
    """A word that is seen inside a figure. `box` is x0, y0, x1, y1 in parts of the figure's width and height.

    A `recognised` one was read from the picture by OCR, a line at once, and may be wrong.
    """

    text: str
    box: Rect
    recognised: bool = False


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
        shows: what its picture is, by how it looks; None where nobody has looked at it, or it is not clear.
        probability: of that, 0..1.
        panels: those that it was found to have.
        words: those that stand in its picture.
        recognised: whether they were read from it by OCR, and may be wrong.
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
    shows: PictureKind | None = None
    probability: float = 0.0
    panels: tuple[FoundPanel, ...] = ()
    words: str = ""
    recognised: bool = False

    @property
    def title(self) -> str:
        """Its label; of one without, what it is."""
        return self.label or self.kind.capitalize()


@dataclass(frozen=True, slots=True)
class FigureCard:
    """A figure or table with all that is known of it.

    Attributes:
        figure: the figure.
        said: the sentences that speak of it, in reading order.
        href: where its source says that the picture is, as in `records.Figure`.
        cells: a table's rows from top to bottom, cells from left to right; empty where they could not be told.
    """

    figure: FoundFigure
    said: tuple[Span, ...]
    href: str = ""
    cells: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class FigureExport:
    """Figures that were written to a `folder`: of how many a picture is there, and (id, why) of those without."""

    folder: str
    pictures: int
    without: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class FigureHit:
    """A figure found. `score` is made of `factors` (name -> number); both say nothing where nothing was asked.

    `panel` is that which is like the picture asked for, where it is one of several and not the whole.
    """

    rank: int
    score: float
    factors: Mapping[str, float]
    figure: FoundFigure
    panel: FoundPanel | None = None


@dataclass(frozen=True, slots=True)
class FigureResult:
    """Figures, best first, and what found them. `took` is in seconds; `note` says why there are none."""

    query: str
    hits: tuple[FigureHit, ...]
    method: str
    models: tuple[str, ...]
    took: float
    note: str = ""


MOST = 1000
"""Figures that are asked for at once, by a command or over HTTP."""
KINDS = tuple(dict.fromkeys((*get_args(FigureKind), *get_args(PictureKind))))
"""All that `Shown` can be."""


def check_kinds(kinds: Sequence[str]) -> None:
    """Does nothing where all of them are kinds.

    Raises:
        UsageError: one is none.
    """
    if unknown := next((kind for kind in kinds if kind not in KINDS), None):
        raise UsageError(f"There is no kind of figure '{unknown}'.", f"There are: {', '.join(KINDS)}.")


def crop_of(text: str) -> Crop | None:
    """`x,y,width,height`, as it is typed; None: nothing is.

    Raises:
        UsageError: something else is.
    """
    if not text.strip():
        return None
    try:
        left, top, width, height = map(float, text.split(","))
    except ValueError:
        message = f"'{text[:100]}' is no part of a picture."
        raise UsageError(message, "Give x,y,width,height: in pixels, or all at most 1.") from None
    return left, top, width, height


@dataclass(frozen=True, slots=True)
class FigureView:
    """A figure or table, with the file of its picture or, if there is none, why."""

    card: FigureCard
    path: str | None
    why: str = ""


_FIGURE = re.compile(r"[^.]+\.(f[a-z2-7]{8}|[ft]\d{1,5})")


def names_figure(name: str) -> bool:
    """Whether a name is a figure's id, or its name in its paper's structure; sentences have other letters."""
    return bool(_FIGURE.fullmatch(name))
