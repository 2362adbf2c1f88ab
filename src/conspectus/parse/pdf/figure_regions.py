"""Regions that may be a caption's figure or table, each with a score.

A region is what stands in the band above or below the caption, up to the next wall, or beside it. A table is what
stands between rules, on a ground, or in rows that stand close to each other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Literal

from conspectus.parse.pdf.figure_canvas import Canvas, Caption
from conspectus.parse.pdf.page_text import Graphic, PdfLine, area, around, centred_in, holds, overlap
from conspectus.parse.pdf.thresholds import ALIKE, FIGURES
from conspectus.records import Rect

Side = Literal["up", "down", "beside"]


@dataclass(frozen=True, slots=True)
class Element:
    """One thing in a band: a line of text, something drawn, or (neither) turned text."""

    box: Rect
    line: PdfLine | None = None
    graphic: Graphic | None = None


@dataclass
class RegionCandidate:
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
    members: list[Element] = []
    texts = False
    for element, gap in outwards(elements, caption.box, side):
        if gap > (FIGURES.next_gap if members else FIGURES.first_gap):
            break
        graphic = element.graphic
        picture = graphic is not None and graphic.kind == "image" and area(graphic.box) > FIGURES.big
        if frames is not None and texts and picture and not any(centred_in(element.box, f) for f in frames):
            break
        texts = texts or element.line is not None
        members.append(element)
    return members


def outwards(elements: Iterable[Element], box: Rect, side: Side) -> Iterator[tuple[Element, float]]:
    """The elements above or below a box, the nearest first, each with the gap before it."""
    up = side == "up"
    far = box[1] if up else box[3]
    for element in sorted(elements, key=lambda e: -e.box[3] if up else e.box[1]):
        yield element, far - element.box[3] if up else element.box[1] - far
        far = min(far, element.box[1]) if up else max(far, element.box[3])


def with_text(drawn: list[Element], written: list[Element]) -> list[Element]:
    """What is drawn, with the text within and near it."""
    members = list(drawn)
    rest = list(written)
    for _ in range(3):
        hull = wider(around(e.box for e in members), FIGURES.text_reach)
        inside = [e for e in rest if overlap(hull, e.box) > 0.5 * area(e.box)]
        if not inside:
            break
        members += inside
        known = set(inside)
        rest = [e for e in rest if e not in known]
    return members


def gap_to(caption: Caption, box: Rect, side: Side) -> float:
    """How far the box stands from the caption."""
    return max(caption.box[1] - box[3] if side == "up" else box[1] - caption.box[3], 0.0)


def find_table(
    canvas: Canvas, caption: Caption, side: Side, drawn: list[Element], written: list[Element]
) -> RegionCandidate | None:
    """The table that the things in the caption's band make, if they make one."""
    near = near_caption([*drawn, *written], caption, side, frames=canvas.frames)
    if not near:
        return None
    bonus = FIGURES.table_below if side == "down" and caption.table else 0.0
    frame = _nearest_frame(canvas, caption, side, near)
    if frame is not None:
        elements = [
            e for e in near if overlap(wider(frame, 8), e.box) >= 0.5 * area(e.box) and centred_in(e.box, frame, 4)
        ]
        elements += _beyond(frame, near, side)
        box = around([frame, *(e.box for e in elements if e.line is not None or overlap(e.box, frame))])
        return RegionCandidate(
            caption, side, box, FIGURES.framed + bonus - _blank(caption, box, side, near) / 100, elements
        )
    lines = [e for e in near if e.line is not None]
    if not lines:
        box = around(e.box for e in near)
        fits = area(box) > FIGURES.area
        return (
            RegionCandidate(caption, side, box, 0.5 + bonus - gap_to(caption, box, side) / 100, near) if fits else None
        )
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
        RegionCandidate(caption, side, box, score, elements)
        if score > FIGURES.score and area(box) > FIGURES.area
        else None
    )


def _mostly_drawn(grounds: list[Element], lines: list[Element]) -> bool:
    """Whether boxes or grounds are drawn around most of the lines."""
    if not grounds:
        return False
    hull = around(e.box for e in grounds)
    return sum(overlap(hull, e.box) > 0.5 * area(e.box) for e in lines) > FIGURES.drawn_rows * len(lines)


def _beyond(frame: Rect, near: list[Element], side: Side) -> list[Element]:
    """Rows that go on behind the last rule, where a table goes on on the next page and has its last rule there."""
    up = side == "up"
    rest = [e for e in near if e.line and (e.box[3] < frame[1] + 2 if up else e.box[1] > frame[3] - 2)]
    rest = [e for e in rest if e.box[0] > frame[0] - 6 and e.box[2] < frame[2] + 40]
    rows = _tight(rest, frame, side)
    return rows if _rows_of_cells(rows) >= 2 else []


def _tight(near: list[Element], box: Rect, side: Side) -> list[Element]:
    """A table without rules, from a box on: its rows stand closer to each other than to what comes after."""
    members: list[Element] = []
    for element, gap in outwards(near, box, side):
        size = element.line.size if element.line else 10
        if members and gap > ALIKE.far * size:
            break
        members.append(element)
    return members


def _nearest_frame(canvas: Canvas, caption: Caption, side: Side, near: list[Element]) -> Rect | None:
    """The stack of rules that begins where the band's contents begin."""
    hull = around(e.box for e in near)
    best: tuple[float, Rect] | None = None
    for frame in canvas.frames:
        if overlap(frame, hull) < 0.5 * area(frame):
            continue
        gap = _blank(caption, frame, side, near)
        if -4 < gap < 60 and (best is None or area(frame) > area(best[1])):
            best = (gap, frame)
    return best[1] if best else None


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


def find_candidate(canvas: Canvas, caption: Caption, side: Side) -> RegionCandidate | None:
    """What stands above or below the caption, if it can be a figure or a table."""
    left, right = _reach_sideways(canvas, caption)
    candidate = _in_band(canvas, caption, side, (left, right))
    if canvas.page.gutters and (left > 0 or right < canvas.page.frame.width):
        candidate = _over_columns(canvas, caption, side, candidate) or candidate
    return candidate


def find_lateral(canvas: Canvas, caption: Caption) -> RegionCandidate | None:
    """What stands to the left or right of the caption at its height, without a wall between."""
    y0, y1 = caption.box[1], caption.box[3]
    elements = [
        Element(g.box, graphic=g)
        for g in canvas.graphics
        if g.kind != "rule"
        and g.box[1] < y1
        and g.box[3] > y0
        and not overlap(g.box, caption.box)
        and area(g.box) > FIGURES.big
    ]
    elements = [e for e in elements if not any(_between(e.box, caption.box, wall) for wall in canvas.walls)]
    if not elements:
        return None
    hull = around(e.box for e in elements)
    elements = _graphics_in(canvas, hull) or elements
    elements = with_text(elements, [e for e in _texts_in(canvas, wider(hull, 40)) if not overlap(e.box, caption.box)])
    box = around(e.box for e in elements)
    if overlap(box, caption.box) or any(overlap(box, other.box) for other in canvas.captions):
        return None
    return RegionCandidate(caption, "beside", box, 0.5, elements)


def _between(first: Rect, second: Rect, wall: Rect) -> bool:
    """Whether a wall stands between two boxes that stand side by side."""
    left, right = (first, second) if first[0] < second[0] else (second, first)
    return wall[0] >= left[2] - 5 and wall[2] <= right[0] + 5 and wall[1] < left[3] and wall[3] > left[1]


def _reach_sideways(canvas: Canvas, caption: Caption) -> tuple[float, float]:
    """How far a figure may reach to the left and right: the column, text that runs beside the caption, and half the way
    to a caption beside."""
    page = canvas.page
    left = max((x for x in page.gutters if caption.box[0] > x - 8), default=0.0)
    right = min((x for x in page.gutters if caption.box[2] < x + 8), default=page.frame.width)
    for other in canvas.captions:
        high = min(other.box[3], caption.box[3]) - max(other.box[1], caption.box[1])
        if other is caption or high < 4:
            continue
        if other.box[0] > caption.box[2]:
            right = min(right, (other.box[0] + caption.box[2]) / 2)
        elif other.box[2] < caption.box[0]:
            left = max(left, (other.box[2] + caption.box[0]) / 2)
    split = len(caption.group.text) < len(caption.label) + 3  # what it says is a line of its own
    for wall in () if split else canvas.walls:
        if min(wall[3], caption.box[3]) - max(wall[1], caption.box[1]) < 4:
            continue
        if wall[0] > caption.box[2] + FIGURES.flush:
            right = min(right, wall[0])
        elif wall[2] < caption.box[0] - FIGURES.flush:
            left = max(left, wall[2])
    return left, right


def _band(canvas: Canvas, caption: Caption, side: Side, reach: tuple[float, float]) -> Rect:
    """From the caption to the next wall or caption, as wide as `reach`."""
    left, right = reach
    others = [c.box for c in canvas.captions if c is not caption]
    walls = [*canvas.walls, *others]
    if not caption.table and any(c.table for c in canvas.captions):
        walls += [f for f in canvas.frames if is_table_like(canvas, f) and _nearest(canvas, f) is not caption]
    walls = [w for w in walls if min(w[2], right) - max(w[0], left) > min(FIGURES.wall * (w[2] - w[0]), 12)]
    middle = (caption.box[1] + caption.box[3]) / 2
    if side == "up":
        top = max((w[3] for w in walls if (w[1] + w[3]) / 2 < middle and w[3] < caption.box[1] + 4), default=0.0)
        return left, top, right, caption.box[1] + 1
    foot = min(
        (w[1] for w in walls if (w[1] + w[3]) / 2 > middle and w[1] > caption.box[3] - 4),
        default=canvas.page.frame.height,
    )
    return left, caption.box[3] - 1, right, foot


def _nearest(canvas: Canvas, frame: Rect) -> Caption:
    """The caption that stands nearest above or below a stack of rules."""
    return min(canvas.captions, key=lambda c: _distance(c.box, frame))


def _distance(first: Rect, second: Rect) -> float:
    across = max(first[0] - second[2], second[0] - first[2], 0.0)
    return across + max(first[1] - second[3], second[1] - first[3], 0.0)


def is_table_like(canvas: Canvas, frame: Rect) -> bool:
    """Whether text rather than drawing fills a stack of rules."""
    drawn = sum(area(g.box) for g in canvas.graphics if g.kind != "rule" and overlap(g.box, frame) > 0.5 * area(g.box))
    rows = {round(line.base / 3) for line in canvas.texts if holds(frame, (line.x0 + line.x1) / 2, line.base - 3)}
    return len(rows) >= 2 and drawn < FIGURES.table_drawn * area(frame)


def _graphics_in(canvas: Canvas, band: Rect) -> list[Element]:
    elements = []
    for graphic in canvas.graphics:
        box = graphic.box
        if not centred_in(box, band) or (area(box) > 0 and overlap(box, wider(band, 6)) < FIGURES.inside * area(box)):
            continue
        elements.append(Element(box, graphic=graphic))
    return elements


def _texts_in(canvas: Canvas, band: Rect) -> list[Element]:
    x0, y0, x1, y1 = band
    return [
        Element(b, line=line)
        for line in canvas.texts
        for b in (line.box,)
        if y0 <= (b[1] + b[3]) / 2 <= y1 and x0 <= (b[0] + b[2]) / 2 <= x1
    ]


def _in_band(canvas: Canvas, caption: Caption, side: Side, reach: tuple[float, float]) -> RegionCandidate | None:
    band = _band(canvas, caption, side, reach)
    if band[3] - band[1] < 8:
        return None
    drawn, written = _graphics_in(canvas, band), _texts_in(canvas, band)
    if caption.table or caption.text_like:
        return find_table(canvas, caption, side, drawn, written)
    turned = [Element(box) for box in canvas.turned if centred_in(box, band)]
    level = (0.0, caption.box[1], canvas.page.frame.width, caption.box[3])
    going_on = [b for b in (*(line.box for line in canvas.texts), *canvas.walls) if overlap(level, b) > 0.5 * area(b)]
    return _find_figure(caption, side, drawn, written, turned, going_on)


def _with_level_text(
    elements: list[Element], near: list[Element], caption: Caption, going_on: list[Rect]
) -> list[Element]:
    """The elements, and the text at their height, or between them and the caption: no wall stands there.

    Text that goes on beside the caption (`going_on`) is another column.
    """
    hull = around(e.box for e in elements)
    top, foot = min(hull[1], caption.box[3]), max(hull[3], caption.box[1])
    known = set(elements)
    return elements + [
        e
        for e in near
        if e not in known
        and e.line is not None
        and top < _middle(e.box) < foot
        and not any(b[0] < e.box[2] and e.box[0] < b[2] for b in going_on)
    ]


def _middle(box: Rect) -> float:
    return (box[1] + box[3]) / 2


def _find_figure(
    caption: Caption,
    side: Side,
    drawn: list[Element],
    written: list[Element],
    turned: list[Element],
    going_on: list[Rect],
) -> RegionCandidate | None:
    near = near_caption([*drawn, *written], caption, side)
    pictures = _without_separators(near, caption, side)
    if not pictures or area(around(e.box for e in pictures)) < FIGURES.area:
        return _of_text(caption, side, near)
    elements = with_text(pictures, [e for e in near if e.line is not None] + turned)
    elements = with_text(_with_level_text(elements, near, caption, going_on), [e for e in near if e.line is not None])
    box = around(e.box for e in elements)
    solid = any(e.graphic is not None and e.graphic.kind != "rule" for e in elements)
    score = (
        (1.0 if solid else FIGURES.rules_only)
        + (FIGURES.above if side == "up" else 0.0)
        - gap_to(caption, box, side) / 100
    )
    return RegionCandidate(caption, side, box, score, elements)


def _without_separators(near: list[Element], caption: Caption, side: Side) -> list[Element]:
    """What is drawn of `near`, less the frame around figure and caption, and rules that part the figure from the text.

    Such rules stand beyond all that is drawn and written, and are wider than all of it.
    """
    middle = _middle(caption.box)
    framing = {
        e
        for e in near
        if e.graphic and e.graphic.kind != "image" and (e.box[3] > middle if side == "up" else e.box[1] < middle)
    }
    drawn = [e for e in near if e.graphic is not None and e not in framing]
    members = {e for e in near if e not in framing and (e.graphic is None or e.graphic.kind != "rule")}
    if not any(e in members for e in drawn):
        return drawn
    x0, y0, x1, y1 = around(e.box for e in members)
    return [e for e in drawn if e in members or (y0 < e.box[3] and e.box[1] < y1) or e.box[0] > x0 or e.box[2] < x1]


def _of_text(caption: Caption, side: Side, near: list[Element]) -> RegionCandidate | None:
    """A figure that is nothing but text, such as a scheme in symbols or a program."""
    lines = outwards((e for e in near if e.line is not None), caption.box, side)
    members = [element for element, _ in takewhile(lambda pair: pair[1] <= 30, lines)]
    if len(members) < 2:
        return None
    box = around(e.box for e in members)
    score = FIGURES.text_only + (FIGURES.text_above if side == "up" else 0.0) - gap_to(caption, box, side) / 100
    return RegionCandidate(caption, side, box, score, members) if area(box) > FIGURES.area and score > 0 else None


def _over_columns(
    canvas: Canvas, caption: Caption, side: Side, narrow: RegionCandidate | None
) -> RegionCandidate | None:
    """The figure over several columns that a caption in one of them may have: nothing but it stands in the others."""
    wide = _in_band(canvas, caption, side, (0.0, canvas.page.frame.width))
    if wide is None or (narrow and wide.box[2] - wide.box[0] < FIGURES.wider * (narrow.box[2] - narrow.box[0])):
        return None
    crossing = any(
        e.graphic is not None and e.graphic.box[0] < x - 15 and e.graphic.box[2] > x + 15
        for e in wide.elements
        for x in canvas.page.gutters
    )
    blocked = [*canvas.walls, *(c.box for c in canvas.captions if c is not caption)]
    free = not any(overlap(wide.box, wall) > FIGURES.over * area(wall) for wall in blocked)
    same = narrow is not None and max(abs(wide.box[n] - narrow.box[n]) for n in (1, 3)) < 30
    beside_caption = (wide.box[0], caption.box[1], wide.box[2], caption.box[3])
    alone = not any(overlap(beside_caption, wall) > 0.5 * area(wall) for wall in canvas.walls)
    near = wider(beside_caption, FIGURES.next_gap)
    alone = alone and not any(overlap(near, c.box) for c in canvas.captions if c is not caption)
    others = [g.box for g in canvas.graphics if g.kind != "rule"]
    others += [b for b in (line.box for line in canvas.texts) if b[0] > caption.box[2] or b[2] < caption.box[0]]
    alone = alone and not any(overlap(beside_caption, b) > min(0.5 * area(b), FIGURES.area) for b in others)
    return wide if free and (crossing or (same and alone)) else None
