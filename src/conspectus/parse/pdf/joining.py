"""Puts together what page and column breaks have torn apart, and takes references apart."""

from __future__ import annotations

import re
from itertools import pairwise

from conspectus.parse.pdf.measure import Edges, Usual
from conspectus.parse.pdf.model import Line
from conspectus.parse.pdf.paragraphs import Group
from conspectus.parse.pdf.patterns import FINISHED, LIST_ITEM, REFERENCE_LABEL

_SKIPPED = ("caption", "footnote", "float", "equation", "front")
"""What may stand between the halves of a paragraph."""


def join_paragraphs(groups: list[Group], body: Usual, edges: dict[int, Edges]) -> list[Group]:
    """`groups` with paragraphs that go on in the next column or page, or after a formula or float, made one."""
    indents = _uses_indents(groups, edges, body)
    joined: list[Group] = []
    open_group: Group | None = None
    for group in groups:
        if (
            group.role in ("paragraph", "reference")
            and open_group
            and _goes_on(open_group, group, edges, body, indents=indents)
        ):
            open_group.lines += group.lines
            continue
        if group.role == "float" and open_group and _is_tail(open_group, group, body, edges):
            open_group.lines += group.lines
            continue
        joined.append(group)
        if group.role not in _SKIPPED:
            open_group = group if group.role in ("paragraph", "reference") else None
    return joined


def _goes_on(first: Group, second: Group, edges: dict[int, Edges], body: Usual, *, indents: bool) -> bool:
    """Whether the text of `first` is continued by `second`. `indents`: the document's paragraphs begin with one."""
    if first.role != second.role or abs(first.size - second.size) > 0.08 * body.size:
        return False
    if first.role == "reference" or LIST_ITEM.match(second.text):
        return False
    if first.text.endswith(":"):
        return second.text[:1].islower()
    breaks = _breaks(first.last, second.first)
    if FINISHED.search(first.text) is None:
        return breaks or second.text[:1].islower()
    if not breaks:
        return second.text[:1].islower() and not LIST_ITEM.match(first.text)
    # An indent would say that the paragraph does not go on; a last line that is short says it too.
    edge, start = edges[id(first.last)], edges[id(second.first)]
    full = first.last.x1 > edge.right - 0.02 * edge.width
    return full and indents and second.first.x0 < start.left + 0.4 * body.size


def _is_tail(first: Group, second: Group, body: Usual, edges: dict[int, Edges]) -> bool:
    """Whether `second`, too short to be told from a label, is the rest of `first` on the next page or column."""
    if first.role != "paragraph" or not _breaks(first.last, second.first) or FINISHED.search(first.text):
        return False
    if abs(second.first.x0 - edges[id(second.first)].left) > 2:
        return False
    same = abs(second.size - body.size) < 0.08 * body.size and second.first.style.font == first.last.style.font
    return same and len(second.lines) == 1 and (second.text[:1].islower() or FINISHED.search(second.text) is not None)


def _breaks(last: Line, first: Line) -> bool:
    """Whether a column or page ends between the lines."""
    return last.page != first.page or first.base < last.base


def _uses_indents(groups: list[Group], edges: dict[int, Edges], body: Usual) -> bool:
    """Whether most paragraphs that follow another begin with an indent."""
    found = [
        0.6 * body.size < second.first.x0 - edges[id(second.first)].left < 5 * body.size
        for first, second in pairwise(groups)
        if first.role == second.role == "paragraph"
        and not _breaks(first.last, second.first)
        and not LIST_ITEM.match(first.text)
        and not LIST_ITEM.match(second.text)
    ]
    return len(found) > 1 and sum(found) > 0.5 * len(found)


def split_references(groups: list[Group]) -> list[Group]:
    """`groups` with every reference in a group of its own: by labels, else by hanging indents, else by paragraphs."""
    lines = [(line, i) for i, group in enumerate(groups) if group.role == "reference" for line in group.lines]
    starts = _starts(lines)
    result: list[Group] = []
    current: Group | None = None
    for group in groups:
        if group.role != "reference":
            result.append(group)
            continue
        for line in group.lines:
            if current is None or id(line) in starts:
                current = Group([line], group.gap, "reference")
                result.append(current)
            else:
                current.lines.append(line)
    return result


def _starts(lines: list[tuple[Line, int]]) -> set[int]:
    """The ids of lines that begin a reference."""
    labelled = {id(line) for line, _ in lines if REFERENCE_LABEL.match(line.text)}
    if len(labelled) > max(0.12 * len(lines), 1):
        return labelled
    indent = [line.x0 - _left(line, lines) for line, _ in lines]
    hanging = sum(4 < x < 60 for x in indent)
    if hanging > 0.25 * len(lines):
        return {id(line) for (line, _), x in zip(lines, indent, strict=True) if x <= 4}
    return {
        id(line)
        for i, (line, group) in enumerate(lines)
        if not i or (lines[i - 1][1] != group and _fresh(lines[i - 1][0], line))
    }


def _left(line: Line, lines: list[tuple[Line, int]]) -> float:
    """The leftmost edge among the references of the same page and column."""
    return min(other.x0 for other, _ in lines if other.page == line.page and other.x0 < line.x1 and other.x1 > line.x0)


def _fresh(last: Line, line: Line) -> bool:
    """Whether `line` reads like the beginning of a reference and `last` like the end of one."""
    return bool(re.match(r"[\W\d]*[A-ZÀ-Þ]", line.text)) and (
        FINISHED.search(last.text) is not None or bool(re.search(r"\d$|\S/\S", last.text))
    )
