"""Where a page's rules stand above each other as a table's do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from conspectus.parse.pdf.boxes import area, shared
from conspectus.parse.pdf.model import around
from conspectus.parse.pdf.thresholds import FIGURES
from conspectus.records import Rect


def table_frames(
    rules: Sequence[Rect], prose: Sequence[Rect], captions: Sequence[Rect], gutters: Sequence[float], height: float
) -> list[Rect]:
    """Where rules of the same width stand above each other with no running text or caption between them."""
    rules = [rule for rule in rules if _flat(rule)]
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


def _flat(box: Rect) -> bool:
    return box[3] - box[1] <= FIGURES.thin


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
