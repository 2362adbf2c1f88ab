"""Lines to paragraphs: which lines belong together, still without a role."""

from __future__ import annotations

import re

from conspectus.parse.pdf.groups import Group, Role
from conspectus.parse.pdf.measure import Edges, Usual
from conspectus.parse.pdf.model import Line, PageText
from conspectus.parse.pdf.patterns import CAPTION, FINISHED, KNOWN, LIST_ITEM, NUMBERED
from conspectus.parse.pdf.prose import starts_sentence
from conspectus.parse.pdf.rows import column_heads, displayed_formulas, is_formula, is_headlike
from conspectus.parse.pdf.thresholds import ALIKE, GROUPS

_GOES_ON = re.compile(r"(?<!\w)(?:i\.\s?e|e\.\s?g|cf|vs|viz|resp|eqs?|figs?|secs?|refs?)\.$", re.I)
"""Abbreviations with which no sentence ends."""

_MAY_BE_NUMBERED = re.compile(r"[\dIVXA-Z][\d.IVX]*\s|appendix", re.I)


class Grouper:
    """Decides where paragraphs begin, by what is usual in the document."""

    def __init__(self, body: Usual, edges: dict[Line, Edges], listings: set[Line]) -> None:
        self._body = body
        self._edges = edges
        self._listings = listings
        self._flush = False
        self._heads_of_columns: set[Line] = set()

    def groups(self, page: PageText) -> list[Group]:
        """The page's lines in groups. Paragraphs that go on elsewhere are joined later, when roles are known."""
        groups: list[Group] = []
        self._flush = self._is_flush(page.lines)
        captioned = any(CAPTION.match(line.text) for line in page.lines)
        self._heads_of_columns = column_heads(page.lines, self._edges) if captioned else set()
        displayed = displayed_formulas(page.lines, self._edges, self._body.leading)
        for line in page.lines:
            role = Role.CODE if line in self._listings else Role.FORMULA if line in displayed else None
            if groups and groups[-1].role == role and (role or not self._begins(groups[-1], line)):
                groups[-1].lines.append(line)
            else:
                groups.append(Group([line], self._gap(groups[-1].last, line) if groups else 99, role))
        return groups

    def _parted_by_number(self, group: Group, line: Line) -> bool:
        """Whether a numbered heading, set like the text, begins behind a full stop, or a sentence begins below one."""
        last = group.last
        begins = FINISHED.search(last.text) is not None and self._heads(line)
        return begins or (len(group.lines) == 1 and self._heads(last) and starts_sentence(line.text))

    def _heads(self, line: Line) -> bool:
        """Whether the line reads like a numbered heading and ends in the first half of its column."""
        early = self._short_by(line) > 0.5 * self._edges[line].width
        return early and is_headlike(line) and FINISHED.search(line.text) is None

    def _is_flush(self, lines: list[Line]) -> bool:
        """Whether the lines that nearly fill their column end at its very edge: the page is justified."""
        near = [
            line for line in lines if line.wordlike > 4 and self._short_by(line) < GROUPS.near * self._edges[line].width
        ]
        return len(near) > 9 and sum(
            self._short_by(line) < GROUPS.flush * line.size for line in near
        ) > GROUPS.most * len(near)

    def _short_by(self, line: Line) -> float:
        """How far from the column's right edge the line ends."""
        return self._edges[line].right - line.x1

    def _gap(self, above: Line, below: Line) -> float:
        step = below.base - above.base
        return step / max(below.size, 1.0) if step > 0 else 99

    def _begins(self, group: Group, line: Line) -> bool:
        """Whether `line` begins a new group after `group`."""
        last = group.last
        step = line.base - last.base
        size = max(last.size, line.size)
        if step > ALIKE.row * size and _caption_start(line) and self._is_piece(last):
            return True
        if step > ALIKE.row * size and line in self._heads_of_columns and CAPTION.match(group.text):
            return True
        formula = is_formula(last) and not (len(group.lines) > 1 and self._is_end(group.lines[-2], last))
        if (is_formula(line) and not self._is_end(last, line)) or (
            formula and abs(step) < ALIKE.far * size and not is_headlike(line)
        ):
            return not -GROUPS.back * size < step < ALIKE.far * size or line.x0 > last.x1 + 6 * size
        if step < ALIKE.row * size:
            return not (abs(step) < ALIKE.row * size and 0 <= line.x0 - last.x1 < GROUPS.beside * size)
        return (
            step > GROUPS.step * self._usual_step(group, line)
            or (line.x1 < last.x0 and line.x1 < min(other.x0 for other in _row(group)))
            or line.x0 > last.x1
            or (self._other_look(last, line) and not _is_label(group))
            or self._below_heading(group, line)
            or self._indented(group, line)
            or self._ended(group, line)
            or self._parted_by_number(group, line)
            or (line.size < GROUPS.small * self._body.size and opens_note(line))
        )

    def _is_end(self, above: Line, last: Line) -> bool:
        """Whether `last` is the short end of the text above, such as `2010).`, rather than a formula."""
        same = above.style.font == last.style.font or FINISHED.search(last.text) is not None
        same = same and abs(above.size - last.size) < ALIKE.size
        near = 0 < last.base - above.base < max(ALIKE.step * last.size, ALIKE.leading * self._body.leading)
        return same and near and above.wordlike > 2 and abs(last.x0 - self._edges[last].left) < 2

    def _usual_step(self, group: Group, line: Line) -> float:
        """The distance between the group's lines; for a group of one line, what is usual at this size."""
        if len(group.lines) > 1:
            steps = [b.base - a.base for a, b in zip(group.lines, group.lines[1:], strict=False)]
            steps = sorted(step for step in steps if step > 0.5 * line.size)
            if steps:
                return max(steps[len(steps) // 2], line.size)
        ratio = self._body.leading / self._body.size
        return (
            max(
                min(ratio, GROUPS.most_leading) if line.size > GROUPS.large * self._body.size else ratio,
                GROUPS.least_leading,
            )
            * line.size
        )

    def _other_look(self, last: Line, line: Line) -> bool:
        if last.small_caps and (is_headlike(last) or KNOWN.fullmatch(last.text)):
            return not line.text.isupper()
        if not (_has_size(last, line.size) or _has_size(line, last.size)):
            return last.wordlike > 0 and line.wordlike > 0
        bold = (last.bold, last.style.bold), (line.bold, line.style.bold)
        if all(a != b for a, b in zip(*bold, strict=True)) and last.wordlike and line.wordlike:
            return True
        return (
            last.italic != line.italic
            and last.style.font != line.style.font
            and (is_headlike(last) or is_headlike(line))
        )

    def _below_heading(self, group: Group, line: Line) -> bool:
        """Whether `line` follows right below a heading: centred lines, or a number and capitals."""
        last = group.last
        if self._centred(last) and last.wordlike and not CAPTION.match(group.text):
            edges = self._edges[line]
            full = line.x0 < edges.left + 3 * line.size and line.x1 > edges.right - 2 * line.size
            if full and all(self._centred(other) for other in group.lines):
                return True
        if not _MAY_BE_NUMBERED.match(last.text) or CAPTION.match(group.text) or not is_headlike(last):
            return False
        if (found := NUMBERED.fullmatch(line.text)) and is_headlike(line):
            return "." in (found["arabic"] or found["letter"] or "")
        capitals = last.text.isupper() and sum(map(str.isalpha, last.text)) > 4
        return capitals and len(group.lines) == 1 and not line.text.isupper()

    def _centred(self, line: Line) -> bool:
        """Whether the line stands in the middle of its column, well away from both edges."""
        edges = self._edges[line]
        left, right = line.x0 - edges.left, edges.right - line.x1
        return min(left, right) > 2 * line.size and abs(left - right) < max(
            GROUPS.centred * edges.width, GROUPS.centred_least * line.size
        )

    def _indented(self, group: Group, line: Line) -> bool:
        """Whether the line's beginning says that a paragraph begins: an indent, a list's mark, a caption."""
        edges, last = self._edges[line], group.last
        size = line.size
        indent = line.x0 - edges.left
        if LIST_ITEM.match(line.text) and (indent > GROUPS.item * size or LIST_ITEM.match(group.first.text)):
            return True
        if _caption_start(line) and FINISHED.search(last.text):
            return True
        if GROUPS.indent * size < indent < 5 * size and line.x0 - last.x0 > GROUPS.indent * size:
            return last.x0 - edges.left < GROUPS.item * size and (
                len(group.lines) > 1 or FINISHED.search(last.text) is not None
            )
        return False

    def _is_piece(self, line: Line) -> bool:
        """Whether the line is no line of running text: few words that begin or end far from the column's edges."""
        edges, slack = self._edges[line], max(GROUPS.short * self._edges[line].width, GROUPS.short_least * line.size)
        return line.wordlike < 4 and (line.x1 < edges.right - slack or line.x0 > edges.left + slack)

    def _ended(self, group: Group, line: Line) -> bool:
        """Whether the line before is a paragraph's last: short, finished, and this one begins like a sentence."""
        last, edges = group.last, self._edges[group.last]
        if _GOES_ON.search(last.text):
            return False
        if self._flush and self._ends_flush(group, line):
            return True
        short = last.x1 < edges.right - max(GROUPS.short * edges.width, GROUPS.short_least * last.size)
        if not short:
            return False
        if KNOWN.fullmatch(last.text) and len(group.lines) == 1:
            return True
        begins = starts_sentence(line.text) or line.text[:1].isdigit()
        return begins and FINISHED.search(last.text) is not None and line.x0 <= edges.left + 5 * line.size

    def _ends_flush(self, group: Group, line: Line) -> bool:
        """Whether the last line of justified text is short, as only a paragraph's last one is, and `line` begins anew.

        One that ends without a full stop must be much shorter: a line before a formula or a wide word is short too.
        A single line with a capital may be the title of an item of a list.
        """
        last, edges = group.last, self._edges[group.last]
        at_left = abs(last.x0 - edges.left) < 2 and abs(line.x0 - self._edges[line].left) < 2
        if not at_left or last.wordlike < 2 or line.wordlike < 4 or not line.text[:1].isupper():
            return False
        if FINISHED.search(last.text) is not None:
            begun = len(group.lines) > 1 or last.text[:1].islower()
            return begun and self._short_by(last) > GROUPS.ended * last.size
        above = group.lines[-2] if len(group.lines) > 1 else None
        full = above is not None and self._short_by(above) < GROUPS.flush * above.size
        return full and self._short_by(last) > GROUPS.ended_open * edges.width


def _row(group: Group) -> list[Line]:
    """The lines of the group on its last row: justified text with wide gaps comes as several."""
    last = group.last
    return [line for line in group.lines[-6:] if abs(line.base - last.base) < ALIKE.row * last.size]


def opens_note(line: Line) -> bool:
    """Whether the line begins with a small raised mark, as footnotes do."""
    first = line.words[0]
    lifted = (line.base - first.base) / line.size
    small = first.style.size < ALIKE.mark * line.size and lifted > GROUPS.note_lift
    raised = small or (lifted > GROUPS.mark_lift and first.style.size < GROUPS.mark_size * line.size)
    return raised and len(first.text) < 4 and len(line.words) > 1 and not first.text.isalpha()


def _has_size(line: Line, size: float) -> bool:
    """Whether some word of the line is about this size: a line may be mostly code, set smaller than the text."""
    return any(abs(word.style.size - size) <= GROUPS.size * max(word.style.size, size) for word in line.words)


def _is_label(group: Group) -> bool:
    """Whether the group is a caption's label alone: what it says stands below, and may look otherwise."""
    found = CAPTION.match(group.text)
    return found is not None and found.end() == len(group.text)


def _caption_start(line: Line) -> bool:
    found = CAPTION.match(line.text)
    return bool(found and (found["after"].strip() or found.end() == len(line.text)))
