"""Puts together what page and column breaks have torn apart."""

from __future__ import annotations

from conspectus.parse.pdf.measure import Edges, Usual
from conspectus.parse.pdf.model import Line
from conspectus.parse.pdf.paragraphs import Group
from conspectus.parse.pdf.patterns import FINISHED, LIST_ITEM

_SKIPPED = ("caption", "footnote", "float")
"""What may stand between the halves of a paragraph."""


def join_paragraphs(groups: list[Group], body: Usual, edges: dict[int, Edges]) -> list[Group]:
    """`groups` with paragraphs that go on in the next column or page, or after a formula or float, made one."""
    joined: list[Group] = []
    open_group: Group | None = None
    for group in groups:
        if group.role in ("paragraph", "reference") and open_group and _goes_on(open_group, group, body, edges):
            open_group.lines += group.lines
            continue
        if group.role == "float" and open_group and _is_tail(open_group, group, body):
            open_group.lines += group.lines
            continue
        joined.append(group)
        if group.role not in _SKIPPED:
            open_group = group if group.role in ("paragraph", "reference") else None
    return joined


def _goes_on(first: Group, second: Group, body: Usual, edges: dict[int, Edges]) -> bool:
    """Whether the text of `first` is continued by `second`."""
    if first.role != second.role or abs(first.size - second.size) > 0.08 * body.size:
        return False
    if first.role == "reference":
        return False
    finished = FINISHED.search(first.text) is not None and not first.text.endswith((":", ";"))
    if LIST_ITEM.match(second.text):
        return False
    if not finished and not first.text.endswith(":"):
        return _breaks(first.last, second.first) or second.text[:1].islower()
    if not _breaks(first.last, second.first) or first.text.endswith(":"):
        return second.text[:1].islower()
    # The last line is full, so that the paragraph may go on; an indent would say that it does not.
    edge, start = edges[id(first.last)], edges[id(second.first)]
    full = first.last.x1 > edge.right - 0.02 * edge.width
    return full and second.first.x0 < start.left + 0.4 * body.size and _uses_indents(first, edges, body)


def _is_tail(first: Group, second: Group, body: Usual) -> bool:
    """Whether `second`, too short to be told from a label, is the rest of `first` on the next page or column."""
    if first.role != "paragraph" or not _breaks(first.last, second.first) or FINISHED.search(first.text):
        return False
    same = abs(second.size - body.size) < 0.08 * body.size and second.first.style.font == first.last.style.font
    return same and len(second.lines) == 1 and (second.text[:1].islower() or FINISHED.search(second.text) is not None)


def _breaks(last: Line, first: Line) -> bool:
    """Whether a column or page ends between the lines."""
    return last.page != first.page or first.base < last.base


def _uses_indents(group: Group, edges: dict[int, Edges], body: Usual) -> bool:
    """Whether the group itself begins with an indent, so that an unindented line would be a continuation."""
    return 0.6 * body.size < group.first.x0 - edges[id(group.first)].left < 5 * body.size
