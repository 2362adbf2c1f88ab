"""Where the figure of a caption may stand: the band above or below it up to the next wall, and what lies in it."""

from __future__ import annotations

from itertools import takewhile

from conspectus.parse.pdf.boxes import area, around, centred_in, holds, shared
from conspectus.parse.pdf.candidates import (
    Candidate,
    Element,
    Side,
    gap_to,
    near_caption,
    outwards,
    table,
    wider,
    with_text,
)
from conspectus.parse.pdf.canvas import Canvas, Caption
from conspectus.parse.pdf.thresholds import FIGURES
from conspectus.records import Rect


def candidate(canvas: Canvas, caption: Caption, side: Side) -> Candidate | None:
    """What stands above or below the caption, if it can be a figure or a table."""
    left, right = _reach_sideways(canvas, caption)
    found = _in_band(canvas, caption, side, (left, right))
    if canvas.page.gutters and (left > 0 or right < canvas.page.frame.width):
        found = _over_columns(canvas, caption, side, found) or found
    return found


def beside(canvas: Canvas, caption: Caption) -> Candidate | None:
    """What stands to the left or right of the caption at its height, without a wall between."""
    y0, y1 = caption.box[1], caption.box[3]
    elements = [
        Element(g.box, graphic=g)
        for g in canvas.graphics
        if g.kind != "rule"
        and g.box[1] < y1
        and g.box[3] > y0
        and not shared(g.box, caption.box)
        and area(g.box) > FIGURES.big
    ]
    elements = [e for e in elements if not any(_between(e.box, caption.box, wall) for wall in canvas.walls)]
    if not elements:
        return None
    hull = around(e.box for e in elements)
    elements = _drawn(canvas, hull) or elements
    elements = with_text(elements, [e for e in _written(canvas, wider(hull, 40)) if not shared(e.box, caption.box)])
    box = around(e.box for e in elements)
    if shared(box, caption.box) or any(shared(box, other.box) for other in canvas.captions):
        return None
    return Candidate(caption, "beside", box, 0.5, elements)


def _between(one: Rect, two: Rect, wall: Rect) -> bool:
    """Whether a wall stands between two boxes that stand side by side."""
    left, right = (one, two) if one[0] < two[0] else (two, one)
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
    return min(canvas.captions, key=lambda c: _apart(c.box, frame))


def _apart(one: Rect, two: Rect) -> float:
    across = max(one[0] - two[2], two[0] - one[2], 0.0)
    return across + max(one[1] - two[3], two[1] - one[3], 0.0)


def is_table_like(canvas: Canvas, frame: Rect) -> bool:
    """Whether text rather than drawing fills a stack of rules."""
    drawn = sum(area(g.box) for g in canvas.graphics if g.kind != "rule" and shared(g.box, frame) > 0.5 * area(g.box))
    rows = {round(line.base / 3) for line in canvas.texts if holds(frame, (line.x0 + line.x1) / 2, line.base - 3)}
    return len(rows) >= 2 and drawn < FIGURES.table_drawn * area(frame)


def _drawn(canvas: Canvas, band: Rect) -> list[Element]:
    elements = []
    for graphic in canvas.graphics:
        box = graphic.box
        if not centred_in(box, band) or (area(box) > 0 and shared(box, wider(band, 6)) < FIGURES.inside * area(box)):
            continue
        elements.append(Element(box, graphic=graphic))
    return elements


def _written(canvas: Canvas, band: Rect) -> list[Element]:
    x0, y0, x1, y1 = band
    return [
        Element(b, line=line)
        for line in canvas.texts
        for b in (line.box,)
        if y0 <= (b[1] + b[3]) / 2 <= y1 and x0 <= (b[0] + b[2]) / 2 <= x1
    ]


def _in_band(canvas: Canvas, caption: Caption, side: Side, reach: tuple[float, float]) -> Candidate | None:
    band = _band(canvas, caption, side, reach)
    if band[3] - band[1] < 8:
        return None
    drawn, written = _drawn(canvas, band), _written(canvas, band)
    if caption.table or caption.text_like:
        return table(canvas, caption, side, drawn, written)
    turned = [Element(box) for box in canvas.turned if centred_in(box, band)]
    level = (0.0, caption.box[1], canvas.page.frame.width, caption.box[3])
    going_on = [b for b in (*(line.box for line in canvas.texts), *canvas.walls) if shared(level, b) > 0.5 * area(b)]
    return _figure(caption, side, drawn, written, turned, going_on)


def _beside_drawing(
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


def _figure(
    caption: Caption,
    side: Side,
    drawn: list[Element],
    written: list[Element],
    turned: list[Element],
    going_on: list[Rect],
) -> Candidate | None:
    near = near_caption([*drawn, *written], caption, side)
    pictures = _without_separators(near, caption, side)
    if not pictures or area(around(e.box for e in pictures)) < FIGURES.area:
        return _of_text(caption, side, near)
    elements = with_text(pictures, [e for e in near if e.line is not None] + turned)
    elements = with_text(_beside_drawing(elements, near, caption, going_on), [e for e in near if e.line is not None])
    box = around(e.box for e in elements)
    solid = any(e.graphic is not None and e.graphic.kind != "rule" for e in elements)
    score = (
        (1.0 if solid else FIGURES.rules_only)
        + (FIGURES.above if side == "up" else 0.0)
        - gap_to(caption, box, side) / 100
    )
    return Candidate(caption, side, box, score, elements)


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
    kept = {e for e in near if e not in framing and (e.graphic is None or e.graphic.kind != "rule")}
    if not any(e in kept for e in drawn):
        return drawn
    x0, y0, x1, y1 = around(e.box for e in kept)
    return [e for e in drawn if e in kept or (y0 < e.box[3] and e.box[1] < y1) or e.box[0] > x0 or e.box[2] < x1]


def _of_text(caption: Caption, side: Side, near: list[Element]) -> Candidate | None:
    """A figure that is nothing but text, such as a scheme in symbols or a program."""
    lines = outwards((e for e in near if e.line is not None), caption.box, side)
    kept = [element for element, _ in takewhile(lambda found: found[1] <= 30, lines)]
    if len(kept) < 2:
        return None
    box = around(e.box for e in kept)
    score = FIGURES.text_only + (FIGURES.text_above if side == "up" else 0.0) - gap_to(caption, box, side) / 100
    return Candidate(caption, side, box, score, kept) if area(box) > FIGURES.area and score > 0 else None


def _over_columns(canvas: Canvas, caption: Caption, side: Side, found: Candidate | None) -> Candidate | None:
    """The figure over several columns that a caption in one of them may have: nothing but it stands in the others."""
    wide = _in_band(canvas, caption, side, (0.0, canvas.page.frame.width))
    if wide is None or (found and wide.box[2] - wide.box[0] < FIGURES.wider * (found.box[2] - found.box[0])):
        return None
    crossing = any(
        e.graphic is not None and e.graphic.box[0] < x - 15 and e.graphic.box[2] > x + 15
        for e in wide.elements
        for x in canvas.page.gutters
    )
    blocked = [*canvas.walls, *(c.box for c in canvas.captions if c is not caption)]
    free = not any(shared(wide.box, wall) > FIGURES.over * area(wall) for wall in blocked)
    same = found is not None and max(abs(wide.box[n] - found.box[n]) for n in (1, 3)) < 30
    beside_caption = (wide.box[0], caption.box[1], wide.box[2], caption.box[3])
    alone = not any(shared(beside_caption, wall) > 0.5 * area(wall) for wall in canvas.walls)
    near = wider(beside_caption, FIGURES.next_gap)
    alone = alone and not any(shared(near, c.box) for c in canvas.captions if c is not caption)
    others = [g.box for g in canvas.graphics if g.kind != "rule"]
    others += [b for b in (line.box for line in canvas.texts) if b[0] > caption.box[2] or b[2] < caption.box[0]]
    alone = alone and not any(shared(beside_caption, b) > min(0.5 * area(b), FIGURES.area) for b in others)
    return wide if free and (crossing or (same and alone)) else None
