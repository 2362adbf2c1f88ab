"""Lines that belong together, what they are, and how what page and column breaks have torn apart is joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from conspectus.parse.pdf.measure import Edges, Usual
from conspectus.parse.pdf.model import Line
from conspectus.parse.pdf.patterns import FINISHED, LIST_ITEM
from conspectus.parse.pdf.thresholds import ALIKE, GROUPS, ROLES


class Role(StrEnum):
    """What a group of lines is. Most are kinds of blocks too; of the others a paper has no such block.

    `formula`: displayed, and not yet told whether it is one of the text's equations. `float`: nothing to read, such as
    axes and cells. `rest`: rows of words that no step wanted. `front`: title, names, dates and rights.
    """

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ABSTRACT = "abstract"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    REFERENCE = "reference"
    EQUATION = "equation"
    CODE = "code"
    FORMULA = "formula"
    FLOAT = "float"
    REST = "rest"
    FRONT = "front"


@dataclass(eq=False)
class Group:
    """Lines that belong together. `gap` is the white space above in font sizes; `role` is given later.

    `run_in` headings stand at the beginning of a paragraph.
    """

    lines: list[Line] = field(default_factory=list)
    gap: float = 0.0
    role: Role | None = None
    level: int = 0
    run_in: bool = False

    @property
    def first(self) -> Line:
        """The first line."""
        return self.lines[0]

    @property
    def last(self) -> Line:
        """The last line."""
        return self.lines[-1]

    @property
    def text(self) -> str:
        """The lines' texts, as they stand."""
        return " ".join(line.text for line in self.lines)

    @property
    def size(self) -> float:
        """The font size of most of the group."""
        weights: dict[float, int] = {}
        for line in self.lines:
            weights[line.size] = weights.get(line.size, 0) + len(line.text)
        return max(weights, key=lambda size: weights[size])

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(line.bold for line in self.lines)


_MOST_ASIDE, _LINES_ASIDE = 4, 2
"""So many groups may stand between the halves of a sentence, of so many lines where they are as large as the text."""


def merged(groups: Iterable[Group], goes_on: Callable[[Group, Group], bool]) -> list[Group]:
    """The groups, those that go on with the one before with their lines put to it."""
    found: list[Group] = []
    for group in groups:
        if found and goes_on(found[-1], group):
            found[-1].lines += group.lines
        else:
            found.append(group)
    return found


_JOINED = (Role.PARAGRAPH, Role.REFERENCE, Role.ABSTRACT)
_SKIPPED = (Role.CAPTION, Role.FOOTNOTE, Role.FLOAT, Role.EQUATION, Role.FRONT, Role.CODE)
"""What may stand between the halves of a paragraph."""


def join_paragraphs(groups: list[Group], body: Usual, edges: dict[Line, Edges]) -> list[Group]:
    """`groups` with paragraphs that go on in the next column or page, or after a formula or float, made one."""
    indents = _uses_indents(groups, edges, body)
    joined: list[Group] = []
    open_group: Group | None = None
    for number, group in enumerate(groups):
        if group.role in _JOINED and open_group and _goes_on(open_group, group, edges, body, indents=indents):
            open_group.lines += group.lines
            continue
        if group.role == Role.FLOAT and open_group and _is_tail(open_group, group, body, edges):
            open_group.lines += group.lines
            continue
        joined.append(group)
        if open_group and _stands_aside(groups, number, open_group, body):
            group.role = Role.REST if group.role == Role.HEADING else group.role
        elif group.role not in _SKIPPED:
            open_group = group if group.role in _JOINED else None
    return joined


def _stands_aside(groups: list[Group], number: int, open_group: Group, body: Usual) -> bool:
    """Whether the group stands at the foot or the head of a page between the halves of a sentence.

    `open_group` ends within the sentence on this page or the one before, and text of its size goes on with a small
    letter on the next page.
    """
    if open_group.role != Role.PARAGRAPH or FINISHED.search(open_group.text):
        return False
    for group in groups[number : number + _MOST_ASIDE + 1]:
        if group.role in (Role.PARAGRAPH, Role.ABSTRACT) and _resumes(open_group, group, body):
            return groups[number] is not group
        small = group.size < ROLES.note * open_group.size
        apart = len(group.lines) <= _LINES_ASIDE and group.first.style.font != open_group.first.style.font
        if group.role not in _SKIPPED and not small and not apart:
            return False
    return False


def _resumes(first: Group, second: Group, body: Usual) -> bool:
    same = abs(first.size - second.size) < ALIKE.text * body.size and first.first.style.font == second.first.style.font
    return same and second.first.page == first.last.page + 1 and second.text[:1].islower()


def _goes_on(first: Group, second: Group, edges: dict[Line, Edges], body: Usual, *, indents: bool) -> bool:
    """Whether the text of `first` is continued by `second`. `indents`: the document's paragraphs begin with one."""
    if first.role != second.role or abs(first.size - second.size) > ALIKE.text * body.size:
        return False
    if first.role == Role.REFERENCE or LIST_ITEM.match(second.text):
        return False
    if first.text.endswith(":"):
        return second.text[:1].islower()
    breaks = _breaks(first.last, second.first)
    if FINISHED.search(first.text) is None:
        return breaks or second.text[:1].islower()
    if not breaks:
        return second.text[:1].islower() and not LIST_ITEM.match(first.text)
    # An indent would say that the paragraph does not go on; a last line that is short says it too.
    edge, start = edges[first.last], edges[second.first]
    full = first.last.x1 > edge.right - GROUPS.full * edge.width
    return full and indents and second.first.x0 < start.left + GROUPS.start * body.size


def _is_tail(first: Group, second: Group, body: Usual, edges: dict[Line, Edges]) -> bool:
    """Whether `second`, too short to be told from a label, is the rest of `first` on the next page or column."""
    if first.role != Role.PARAGRAPH or not _breaks(first.last, second.first) or FINISHED.search(first.text):
        return False
    if abs(second.first.x0 - edges[second.first].left) > 2:
        return False
    same = abs(second.size - body.size) < ALIKE.text * body.size and second.first.style.font == first.last.style.font
    return same and len(second.lines) == 1 and (second.text[:1].islower() or FINISHED.search(second.text) is not None)


def _breaks(last: Line, first: Line) -> bool:
    """Whether a column or page ends between the lines."""
    return last.page != first.page or first.base < last.base


def _uses_indents(groups: list[Group], edges: dict[Line, Edges], body: Usual) -> bool:
    """Whether most paragraphs that follow another begin with an indent."""
    found = [
        GROUPS.indent * body.size < second.first.x0 - edges[second.first].left < 5 * body.size
        for first, second in pairwise(groups)
        if first.role == second.role == Role.PARAGRAPH
        and not _breaks(first.last, second.first)
        and not LIST_ITEM.match(first.text)
        and not LIST_ITEM.match(second.text)
    ]
    return len(found) > 1 and sum(found) > 0.5 * len(found)
