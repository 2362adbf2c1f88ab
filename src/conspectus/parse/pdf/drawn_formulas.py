"""Displayed formulas without text: a picture, shapes or glyphs that cannot be read leave a marker with their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from conspectus.parse.pdf.boxes import area, around, shared
from conspectus.parse.pdf.groups import Group, Role
from conspectus.parse.pdf.measure import Edges, Usual
from conspectus.parse.pdf.model import ASCENT, DESCENT, Line, PageText, Style, Word
from conspectus.parse.pdf.patterns import FINISHED, LABEL_ONLY
from conspectus.parse.pdf.thresholds import FIGURES, GROUPS
from conspectus.records import Rect

MARKER = "[formula]"
"""What stands for a formula that has no text."""

_MOST_UNREAD = 400
"""More glyphs of a page that cannot be read are its text, and no formulas."""


def mark_formulas(
    pages: Sequence[PageText],
    groups: Sequence[list[Group]],
    taken: dict[int, list[Rect]],
    body: Usual,
    edges: dict[Line, Edges],
) -> None:
    """Puts a group of a marker into `groups` for each displayed formula that has no text.

    Such a one stands alone between paragraphs of a column, and the text leads to it or goes on behind it.

    Args:
        pages: The document's pages.
        groups: The groups of each, with their roles.
        taken: By page, the boxes of its figures and tables.
        body: What is usual.
        edges: Of each line its column.
    """
    repeated = Counter(_key(box) for page in pages for box in {_key(b): b for b in _drawn(page)}.values())
    for page, own in zip(pages, groups, strict=True):
        free = [box for box in _drawn(page) if repeated[_key(box)] == 1]
        free = [box for box in free if not any(shared(box, figure) for figure in taken.get(page.number, ()))]
        for box in sorted(_joined(free), key=lambda box: box[1]):
            _mark(page, own, box, body, edges)


def _drawn(page: PageText) -> Iterator[Rect]:
    yield from (graphic.box for graphic in page.graphics if graphic.kind in ("image", "path"))
    if len(page.unread) <= _MOST_UNREAD:
        yield from (box for box in page.unread if area(box) > 0)


def _key(box: Rect) -> tuple[int, ...]:
    return tuple(map(round, box))


def _joined(boxes: Iterable[Rect]) -> list[Rect]:
    """The hulls of boxes that stand as near to each other as the signs of a formula do."""
    hulls: list[Rect] = []
    for box in boxes:
        reach = (box[0] - FIGURES.cluster, box[1] - 2, box[2] + FIGURES.cluster, box[3] + 2)
        near = [hull for hull in hulls if shared(reach, hull) > 0]
        hulls = [hull for hull in hulls if hull not in near] + [around([box, *near])]
    return hulls


def _mark(page: PageText, groups: list[Group], box: Rect, body: Usual, edges: dict[Line, Edges]) -> None:
    x0, y0, x1, y1 = box
    high, wide = (y1 - y0) / body.size, (x1 - x0) / body.size
    if not GROUPS.drawn_low < high < GROUPS.drawn_high or wide < high / GROUPS.drawn_high:
        return
    text = [group for group in groups if group.role == Role.PARAGRAPH]
    above = [g for g in text if g.last.box[3] < y0 + 0.5 * body.size and _is_over(edges[g.last], box)]
    below = [g for g in text if g.first.box[1] > y1 - 0.5 * body.size and _is_over(edges[g.first], box)]
    last = max(above, key=lambda group: group.last.base, default=None)
    first = min(below, key=lambda group: group.first.base, default=None)
    if last is None or first is None or max(y0 - last.last.box[3], first.first.box[1] - y1) > FIGURES.next_gap:
        return
    level = [group for group in groups if any(_is_level(line, box, edges[last.last]) for line in group.lines)]
    labels = [group for group in level if all(LABEL_ONLY.fullmatch(line.text) for line in group.lines)]
    leads = FINISHED.search(last.text) is None or last.text.endswith(":") or first.text[:1].islower()
    if len(labels) < len(level) or not (leads or labels):
        return
    size = y1 - y0
    style = Style("", size / (ASCENT + DESCENT), bold=False, italic=False)
    marker = Line(page.number, [Word(MARKER, x0, x1, y1 - DESCENT * size, style)])
    edges[marker] = edges[last.last]
    group = Group([marker, *(line for label in labels for line in label.lines)], 1.0, Role.EQUATION)
    groups[:] = [other for other in groups if other not in labels]
    groups.insert(groups.index(last) + 1, group)


def _is_over(edges: Edges, box: Rect) -> bool:
    """Whether a box is in the column."""
    return box[0] > edges.left - 2 * FIGURES.thin and box[2] < edges.right + 2 * FIGURES.thin


def _is_level(line: Line, box: Rect, edges: Edges) -> bool:
    """Whether a line of the column stands beside a box or in it."""
    high = min(line.box[3], box[3]) - max(line.box[1], box[1])
    return (
        high > GROUPS.drawn_level * min(line.size, box[3] - box[1]) and line.x1 > edges.left and line.x0 < edges.right
    )
