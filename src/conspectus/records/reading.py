"""A paper as it is read on a screen: the sizes of its pages, what stands on one, its outline, where words stand."""

from __future__ import annotations

from dataclasses import dataclass

from conspectus.records.parsed import BlockKind
from conspectus.records.passage import Place, Rect


@dataclass(frozen=True, slots=True)
class PageSize:
    """A page, from 1, as it is shown; in points."""

    page: int
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class TextLine:
    """A stretch of text on one line of a page.

    Attributes:
        text: `block.text[start:end]`.
        rect: left, top, right, bottom as parts of the page, 0 to 1.
        block: its number in the paper's structure.
        kind: of the block.
        span: the id of its sentence; "" where it is of none that is searched (headings, references).
    """

    text: str
    rect: Rect
    block: int
    kind: BlockKind
    start: int
    end: int
    span: str


@dataclass(frozen=True, slots=True)
class PageText:
    """What stands on a page, in reading order; its size in points."""

    page: int
    width: float
    height: float
    lines: tuple[TextLine, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level from 1, its block in the paper's structure, where it stands (None: there are no pages)."""

    text: str
    level: int
    block: int
    place: Place | None


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A sentence that words stand in: `start` and `end` of the first of them in its `text`.

    `span` is its id; "" where it is of none that is searched. `places`: where the sentence stands.
    """

    text: str
    start: int
    end: int
    block: int
    span: str
    places: tuple[Place, ...]
