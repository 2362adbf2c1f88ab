"""Boxes: how they lie to each other, turned by small angles, and rules that stand above each other as a table's do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from conspectus.parse.pdf.thresholds import FIGURES
from conspectus.records import Rect


def around(boxes: Iterable[Rect]) -> Rect:
    """The smallest rectangle that holds all boxes."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def area(box: Rect) -> float:
    """The box's area in square points."""
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def shared(one: Rect, two: Rect) -> float:
    """The area that two boxes have in common."""
    return max(min(one[2], two[2]) - max(one[0], two[0]), 0.0) * max(min(one[3], two[3]) - max(one[1], two[1]), 0.0)


def holds(box: Rect, x: float, y: float, slack: float = 0.0) -> bool:
    """Whether the point lies in the box."""
    return box[0] - slack <= x <= box[2] + slack and box[1] - slack <= y <= box[3] + slack


def centred_in(inner: Rect, outer: Rect, slack: float = 0.0) -> bool:
    """Whether the middle of one box lies in another."""
    return holds(outer, (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2, slack)


def turn(point: tuple[float, float], middle: tuple[float, float], angle: float) -> tuple[float, float]:
    """The point turned clockwise (y grows downwards) about `middle`."""
    x, y = point[0] - middle[0], point[1] - middle[1]
    cos, sin = math.cos(angle), math.sin(angle)
    return middle[0] + x * cos - y * sin, middle[1] + x * sin + y * cos


def tilted(rect: Rect, middle: tuple[float, float], angle: float) -> Rect:
    """The box around a rectangle that is turned clockwise about `middle`."""
    x0, y0, x1, y1 = rect
    corners = [turn(corner, middle, angle) for corner in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def table_frames(
    rules: Sequence[Rect], prose: Sequence[Rect], captions: Sequence[Rect], gutters: Sequence[float], height: float
) -> list[Rect]:
    """Where rules of the same width stand above each other with no running text or caption between them."""
    rules = [rule for rule in rules if rule[3] - rule[1] <= FIGURES.thin]
    rules = sorted((r for r in _joined(rules) if r[2] - r[0] > FIGURES.frame), key=lambda box: box[1])
    stacks: list[list[Rect]] = []
    for rule in rules:
        stack = next((s for s in stacks if abs(s[-1][0] - rule[0]) < 4 and abs(s[-1][2] - rule[2]) < 4), None)
        if stack is None or _parted(stack[-1], rule, prose, captions, gutters, height):
            stacks.insert(0, [rule])
        else:
            stack.append(rule)
    return [around(stack) for stack in stacks if len(stack) > 1 and stack[-1][3] - stack[0][1] > 10]


def _joined(rules: list[Rect]) -> list[Rect]:
    """The rules; those drawn piece by piece, from cell to cell, as one."""
    whole: list[Rect] = []
    for rule in sorted(rules, key=lambda box: (round(box[1]), box[0])):
        last = whole[-1] if whole else None
        if last and abs(last[1] - rule[1]) < 1 and -1 < rule[0] - last[2] < FIGURES.piece:
            whole[-1] = around((last, rule))
        else:
            whole.append(rule)
    return whole


def _parted(
    above: Rect,
    below: Rect,
    prose: Sequence[Rect],
    captions: Sequence[Rect],
    gutters: Sequence[float],
    height: float,
) -> bool:
    """Whether a caption, or running text in all columns, stands between two rules: they are not one table's."""
    x0, y0, x1, y1 = min(above[0], below[0]), above[3], max(above[2], below[2]), below[1]
    if y1 - y0 > FIGURES.parted * height:
        return True
    if any(shared((x0, y0, x1, y1), box) > FIGURES.caption * area(box) for box in captions):
        return True
    edges = [x0, *(x for x in gutters if x0 < x < x1), x1]
    whole = [(x0, y0, x1, y1)]
    columns = [(left, y0, right, y1) for left, right in pairwise(edges)]
    return any(all(_runs(prose, part) for part in parts) for parts in (whole, columns))


def _runs(prose: Sequence[Rect], part: Rect) -> bool:
    """Whether lines as wide as the part follow each other in it."""
    width = part[2] - part[0]
    inside = [b for b in prose if b[2] - b[0] > FIGURES.prose * width and shared(part, b) > 0.5 * area(b)]
    inside.sort(key=lambda b: b[1])
    return sum(abs(a[0] - b[0]) < 2 and 0 < b[1] - a[1] < 2 * (a[3] - a[1]) for a, b in pairwise(inside)) >= 3
