"""What may be a caption's figure or table: what stands near it, put together to a region with a score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from conspectus.parse.pdf.boxes import area, centred_in, shared
from conspectus.parse.pdf.canvas import Caption
from conspectus.parse.pdf.model import Graphic, Line, around
from conspectus.parse.pdf.thresholds import FIGURES
from conspectus.records import Rect

Side = Literal["up", "down", "beside"]


@dataclass(frozen=True, slots=True)
class Element:
    """One thing in a band: a line of text, something drawn, or (neither) turned text."""

    box: Rect
    line: Line | None = None
    graphic: Graphic | None = None


@dataclass
class Candidate:
    """A region that may be a caption's figure. `score` is higher the more it looks like one; about 1 is good."""

    caption: Caption
    side: Side
    box: Rect
    score: float
    elements: list[Element] = field(default_factory=list)


def wider(box: Rect, by: float) -> Rect:
    """The box with so much more at each side."""
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def near_caption(
    elements: Iterable[Element], caption: Caption, side: Side, *, frames: Sequence[Rect] | None = None
) -> list[Element]:
    """Elements from the caption outwards, up to the first wide gap.

    Where `frames` (stacks of rules) are given, a picture behind text ends them too, unless it stands in one.
    """
    up = side == "up"
    far = caption.box[1] if up else caption.box[3]
    kept: list[Element] = []
    texts = False
    for element in sorted(elements, key=lambda e: -e.box[3] if up else e.box[1]):
        gap = far - element.box[3] if up else element.box[1] - far
        if gap > (FIGURES.next_gap if kept else FIGURES.first_gap):
            break
        graphic = element.graphic
        picture = graphic is not None and graphic.kind == "image" and area(graphic.box) > FIGURES.big
        if frames is not None and texts and picture and not any(centred_in(element.box, f) for f in frames):
            break
        texts = texts or element.line is not None
        kept.append(element)
        far = min(far, element.box[1]) if up else max(far, element.box[3])
    return kept


def with_text(drawn: list[Element], written: list[Element]) -> list[Element]:
    """What is drawn, with the text within and near it."""
    kept = list(drawn)
    rest = list(written)
    for _ in range(3):
        hull = wider(around(e.box for e in kept), FIGURES.text_reach)
        inside = [e for e in rest if shared(hull, e.box) > 0.5 * area(e.box)]
        if not inside:
            break
        kept += inside
        known = set(inside)
        rest = [e for e in rest if e not in known]
    return kept


def gap_to(caption: Caption, box: Rect, side: Side) -> float:
    """How far the box stands from the caption."""
    return max(caption.box[1] - box[3] if side == "up" else box[1] - caption.box[3], 0.0)
