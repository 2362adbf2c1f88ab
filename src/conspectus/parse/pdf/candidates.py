"""What may be a caption's figure or table: what stands near it, put together to a region with a score.

A table is what stands between rules, on a ground, or in rows that stand close to each other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from conspectus.parse.pdf.boxes import area, around, centred_in, shared
from conspectus.parse.pdf.canvas import Canvas, Caption
from conspectus.parse.pdf.model import Graphic, Line
from conspectus.parse.pdf.thresholds import ALIKE, FIGURES
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
    kept: list[Element] = []
    texts = False
    for element, gap in outwards(elements, caption.box, side):
        if gap > (FIGURES.next_gap if kept else FIGURES.first_gap):
            break
        graphic = element.graphic
        picture = graphic is not None and graphic.kind == "image" and area(graphic.box) > FIGURES.big
        if frames is not None and texts and picture and not any(centred_in(element.box, f) for f in frames):
            break
        texts = texts or element.line is not None
        kept.append(element)
    return kept


def outwards(elements: Iterable[Element], box: Rect, side: Side) -> Iterator[tuple[Element, float]]:
    """The elements above or below a box, the nearest first, each with the gap before it."""
    up = side == "up"
    far = box[1] if up else box[3]
    for element in sorted(elements, key=lambda e: -e.box[3] if up else e.box[1]):
        yield element, far - element.box[3] if up else element.box[1] - far
        far = min(far, element.box[1]) if up else max(far, element.box[3])


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


def table(
    canvas: Canvas, caption: Caption, side: Side, drawn: list[Element], written: list[Element]
) -> Candidate | None:
    """The table that the things in the caption's band make, if they make one."""
    near = near_caption([*drawn, *written], caption, side, frames=canvas.frames)
    if not near:
        return None
    bonus = FIGURES.table_below if side == "down" and caption.table else 0.0
    frame = _nearest_frame(canvas, caption, side, near)
    if frame is not None:
        elements = [e for e in near if shared(wider(frame, 8), e.box) >= 0.5 * area(e.box) and _inside(frame, e)]
        elements += _beyond(frame, near, side)
        box = around([frame, *(e.box for e in elements if e.line is not None or shared(e.box, frame))])
        return Candidate(caption, side, box, FIGURES.framed + bonus - _blank(caption, box, side, near) / 100, elements)
    lines = [e for e in near if e.line is not None]
    if not lines:
        box = around(e.box for e in near)
        fits = area(box) > FIGURES.area
        return Candidate(caption, side, box, 0.5 + bonus - gap_to(caption, box, side) / 100, near) if fits else None
    grounds = [e for e in near if e.graphic is not None]
    elements = with_text(grounds, lines) if _mostly_drawn(grounds, lines) else _tight(near, caption.box, side)
    box = around(e.box for e in elements)
    rows = _rows_of_cells(elements)
    score = (
        min(1.0, FIGURES.rows * rows)
        + (FIGURES.grounded if grounds else 0.0)
        + (FIGURES.listed if caption.text_like else 0.0)
    )
    score += bonus - gap_to(caption, box, side) / 100
    return (
        Candidate(caption, side, box, score, elements) if score > FIGURES.score and area(box) > FIGURES.area else None
    )


def _mostly_drawn(grounds: list[Element], lines: list[Element]) -> bool:
    """Whether boxes or grounds are drawn around most of the lines."""
    if not grounds:
        return False
    hull = around(e.box for e in grounds)
    return sum(shared(hull, e.box) > 0.5 * area(e.box) for e in lines) > FIGURES.drawn_rows * len(lines)


def _beyond(frame: Rect, near: list[Element], side: Side) -> list[Element]:
    """Rows that go on behind the last rule, where a table goes on on the next page and has its last rule there."""
    up = side == "up"
    rest = [e for e in near if e.line and (e.box[3] < frame[1] + 2 if up else e.box[1] > frame[3] - 2)]
    rest = [e for e in rest if e.box[0] > frame[0] - 6 and e.box[2] < frame[2] + 40]
    rows = _tight(rest, frame, side)
    return rows if _rows_of_cells(rows) >= 2 else []


def _tight(near: list[Element], box: Rect, side: Side) -> list[Element]:
    """A table without rules, from a box on: its rows stand closer to each other than to what comes after."""
    kept: list[Element] = []
    for element, gap in outwards(near, box, side):
        size = element.line.size if element.line else 10
        if kept and gap > ALIKE.far * size:
            break
        kept.append(element)
    return kept


def _nearest_frame(canvas: Canvas, caption: Caption, side: Side, near: list[Element]) -> Rect | None:
    """The stack of rules that begins where the band's contents begin."""
    hull = around(e.box for e in near)
    best: tuple[float, Rect] | None = None
    for frame in canvas.frames:
        if shared(frame, hull) < 0.5 * area(frame):
            continue
        gap = _blank(caption, frame, side, near)
        if -4 < gap < 60 and (best is None or area(frame) > area(best[1])):
            best = (gap, frame)
    return best[1] if best else None


def _inside(frame: Rect, element: Element) -> bool:
    return centred_in(element.box, frame, 4)


def _rows_of_cells(elements: list[Element]) -> int:
    """How many rows have at least two lines or wide spaces in them."""
    rows: dict[int, int] = {}
    for element in elements:
        if element.line is None:
            continue
        words = element.line.words
        wide = sum(b.x0 - a.x1 > FIGURES.cell * b.style.size for a, b in itertools.pairwise(words))
        key = round(element.line.base / 3)
        rows[key] = rows.get(key, 0) + 1 + wide
    return sum(count > 1 for count in rows.values())


def _blank(caption: Caption, box: Rect, side: Side, near: list[Element]) -> float:
    """The gap less the lines that stand in it, such as a table's notes."""
    top, foot = (box[3], caption.box[1]) if side == "up" else (caption.box[3], box[1])
    rows = {round(b[1]): b[3] - b[1] for b in (e.box for e in near if e.line) if b[1] > top - 2 and b[3] < foot + 2}
    return max(gap_to(caption, box, side) - sum(rows.values()), 0.0)
