"""Lines to paragraphs: which lines belong together, which are formulas, and how torn paragraphs are joined."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import pairwise
from operator import attrgetter

from conspectus.parse.pdf.lines import Edges, Usual
from conspectus.parse.pdf.page_text import LineGroup, PdfLine, PdfPageText, Role, settle
from conspectus.parse.pdf.patterns import (
    CAPTION,
    FINISHED,
    KNOWN,
    LABEL_ONLY,
    LIST_ITEM,
    NUMBERED,
    starts_sentence,
    strip_glued_number,
)
from conspectus.parse.pdf.table_cells import column_heads
from conspectus.parse.pdf.thresholds import ALIKE, GROUPS, ROLES

_GOES_ON = re.compile(r"(?<!\w)(?:i\.\s?e|e\.\s?g|cf|vs|viz|resp|eqs?|figs?|secs?|refs?)\.$", re.I)
"""Abbreviations with which no sentence ends."""
_MAY_BE_NUMBERED = re.compile(r"[\dIVXA-Z][\d.IVX]*\s|appendix", re.I)


def is_formula(line: PdfLine) -> bool:
    """Whether the line is a formula or a piece of one rather than running text."""
    if line.wordlike > 3 or len(line.text) > 80 or KNOWN.fullmatch(strip_glued_number(line.text)) or is_headlike(line):
        return False
    return line.word_letters < GROUPS.formula * len(line.text.replace(" ", ""))


def _is_symbol(line: PdfLine) -> bool:
    """Whether the line is one letter with an index, which together may look like a word: `n` with `ik` below."""
    first, *others = line.words
    if not others or len(line.text) > 6 or len(first.text) > 1 or " " in line.text:
        return False
    return all(
        GROUPS.index_least * first.style.size < word.style.size < ALIKE.index * first.style.size
        and abs(word.base - first.base) > GROUPS.index_off * first.style.size
        for word in others
    )


def _touches(piece: PdfLine, other: PdfLine) -> bool:
    """Whether two pieces of a formula stand next to each other, closer than cells of a table."""
    gap = max(piece.x0, other.x0) - min(piece.x1, other.x1)
    return gap < 0.5 * piece.words[0].style.size and abs(piece.base - other.base) < 2 * piece.words[0].style.size


def is_headlike(line: PdfLine) -> bool:
    """Whether the line reads like a numbered heading."""
    return NUMBERED.fullmatch(line.text) is not None and line.wordlike >= 1 and len(line.text) < 80


def displayed_formulas(lines: list[PdfLine], edges: dict[PdfLine, Edges], leading: float) -> set[PdfLine]:
    """The formula lines that share their row with no running text: they stand on rows of their own."""
    formulas = {line for line in lines if is_formula(line)}
    for before, line, after in zip([None, *lines], lines, [*lines[1:], None], strict=False):
        neighbours = [other for other in (before, after) if other is not None and other in formulas]
        if _is_symbol(line) and any(_touches(line, other) for other in neighbours):
            formulas.add(line)
    prose = sorted((line for line in lines if line not in formulas), key=attrgetter("base"))
    bases = [line.base for line in prose]
    alone = set()
    for last, line in zip([None, *lines], lines, strict=False):
        if last is not None and _is_short_end(last, line, edges, leading):
            continue
        near = prose[bisect_left(bases, line.base - GROUPS.reach) : bisect_right(bases, line.base + GROUPS.reach)]
        if LABEL_ONLY.fullmatch(line.text) or (line in formulas and not any(_same_row(line, other) for other in near)):
            alone.add(line)
    return alone


def _is_short_end(last: PdfLine, line: PdfLine, edges: dict[PdfLine, Edges], leading: float) -> bool:
    """Whether the line is the short end of a paragraph, such as the `1.` of `see Table 1.`, rather than a formula."""
    step = line.base - last.base
    near = 0 < step < max(ALIKE.step * line.size, ALIKE.leading * leading) and abs(line.x0 - edges[line].left) < 2
    if not near or last.wordlike < 3:
        return False
    # Below a line that is short itself, it must stand as close as text does and end like a sentence.
    begun = abs(last.x0 - edges[last].left) < 2 and abs(last.size - line.size) < ALIKE.size
    close = (
        begun
        and GROUPS.tail_least * leading < step < GROUPS.tail_most * leading
        and FINISHED.search(line.text) is not None
    )
    return close or last.x1 > edges[last].right - GROUPS.tail_full * edges[last].width


def _same_row(piece: PdfLine, line: PdfLine) -> bool:
    """Whether a piece of a formula stands within a line of text: at its height, and near."""
    reach = GROUPS.about * line.size
    overlaps = (
        piece.base - GROUPS.height * piece.size < line.base + reach
        and piece.base > line.base - GROUPS.height * line.size - reach
    )
    return overlaps and piece.x0 < line.x1 + 3 * line.size and piece.x1 > line.x0 - 3 * line.size


class Grouper:
    """Decides where paragraphs begin, by what is usual in the document."""

    def __init__(self, body: Usual, edges: dict[PdfLine, Edges], listings: set[PdfLine]) -> None:
        self._body = body
        self._edges = edges
        self._listings = listings
        self._flush = False
        self._heads_of_columns: set[PdfLine] = set()

    def groups(self, page: PdfPageText) -> list[LineGroup]:
        """The page's lines in groups. Paragraphs that go on elsewhere are joined later, when roles are known."""
        groups: list[LineGroup] = []
        self._flush = self._is_flush(page.lines)
        captioned = any(CAPTION.match(line.text) for line in page.lines)
        self._heads_of_columns = column_heads(page.lines, self._edges) if captioned else set()
        displayed = displayed_formulas(page.lines, self._edges, self._body.leading)
        for line in page.lines:
            role = Role.CODE if line in self._listings else Role.FORMULA if line in displayed else None
            if groups and groups[-1].role == role and (role or not self._begins(groups[-1], line)):
                groups[-1].lines.append(line)
            else:
                groups.append(LineGroup([line], self._gap(groups[-1].last, line) if groups else 99, role))
        return groups

    def _parted_by_number(self, group: LineGroup, line: PdfLine) -> bool:
        """Whether a numbered heading, set like the text, begins behind a full stop, or a sentence begins below one."""
        last = group.last
        begins = FINISHED.search(last.text) is not None and self._heads(line)
        return begins or (len(group.lines) == 1 and self._heads(last) and starts_sentence(line.text))

    def _heads(self, line: PdfLine) -> bool:
        """Whether the line reads like a numbered heading and ends in the first half of its column."""
        early = self._short_by(line) > 0.5 * self._edges[line].width
        return early and is_headlike(line) and FINISHED.search(line.text) is None

    def _is_flush(self, lines: list[PdfLine]) -> bool:
        """Whether the lines that nearly fill their column end at its very edge: the page is justified."""
        near = [
            line for line in lines if line.wordlike > 4 and self._short_by(line) < GROUPS.near * self._edges[line].width
        ]
        return len(near) > 9 and sum(
            self._short_by(line) < GROUPS.flush * line.size for line in near
        ) > GROUPS.most * len(near)

    def _short_by(self, line: PdfLine) -> float:
        """How far from the column's right edge the line ends."""
        return self._edges[line].right - line.x1

    def _gap(self, above: PdfLine, below: PdfLine) -> float:
        step = below.base - above.base
        return step / max(below.size, 1.0) if step > 0 else 99

    def _begins(self, group: LineGroup, line: PdfLine) -> bool:
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
            return not (abs(step) < ALIKE.row * size and 0 <= line.x0 - last.x1 < GROUPS.row_gap * size)
        return (
            step > GROUPS.step * self._usual_step(group, line)
            or (line.x1 < last.x0 and line.x1 < min(other.x0 for other in _row(group)))
            or line.x0 > last.x1
            or (self._other_look(last, line) and not _is_label(group))
            or self._below_heading(group, line)
            or self._is_indented(group, line)
            or self._is_ended(group, line)
            or self._parted_by_number(group, line)
            or (line.size < GROUPS.small * self._body.size and opens_note(line))
        )

    def _is_end(self, above: PdfLine, last: PdfLine) -> bool:
        """Whether `last` is the short end of the text above, such as `2010).`, rather than a formula."""
        same = above.style.font == last.style.font or FINISHED.search(last.text) is not None
        same = same and abs(above.size - last.size) < ALIKE.size
        near = 0 < last.base - above.base < max(ALIKE.step * last.size, ALIKE.leading * self._body.leading)
        return same and near and above.wordlike > 2 and abs(last.x0 - self._edges[last].left) < 2

    def _usual_step(self, group: LineGroup, line: PdfLine) -> float:
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

    def _other_look(self, last: PdfLine, line: PdfLine) -> bool:
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

    def _below_heading(self, group: LineGroup, line: PdfLine) -> bool:
        """Whether `line` follows right below a heading: centred lines, or a number and capitals."""
        last = group.last
        if self._is_centred(last) and last.wordlike and not CAPTION.match(group.text):
            edges = self._edges[line]
            full = line.x0 < edges.left + 3 * line.size and line.x1 > edges.right - 2 * line.size
            if full and all(self._is_centred(other) for other in group.lines):
                return True
        if not _MAY_BE_NUMBERED.match(last.text) or CAPTION.match(group.text) or not is_headlike(last):
            return False
        if (match := NUMBERED.fullmatch(line.text)) and is_headlike(line):
            return "." in (match["arabic"] or match["letter"] or "")
        capitals = last.text.isupper() and sum(map(str.isalpha, last.text)) > 4
        return capitals and len(group.lines) == 1 and not line.text.isupper()

    def _is_centred(self, line: PdfLine) -> bool:
        """Whether the line stands in the middle of its column, well away from both edges."""
        edges = self._edges[line]
        left, right = line.x0 - edges.left, edges.right - line.x1
        return min(left, right) > 2 * line.size and abs(left - right) < max(
            GROUPS.centred * edges.width, GROUPS.centred_least * line.size
        )

    def _is_indented(self, group: LineGroup, line: PdfLine) -> bool:
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

    def _is_piece(self, line: PdfLine) -> bool:
        """Whether the line is no line of running text: few words that begin or end far from the column's edges."""
        edges, slack = self._edges[line], max(GROUPS.short * self._edges[line].width, GROUPS.short_least * line.size)
        return line.wordlike < 4 and (line.x1 < edges.right - slack or line.x0 > edges.left + slack)

    def _is_ended(self, group: LineGroup, line: PdfLine) -> bool:
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

    def _ends_flush(self, group: LineGroup, line: PdfLine) -> bool:
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


def _row(group: LineGroup) -> list[PdfLine]:
    """The lines of the group on its last row: justified text with wide gaps comes as several."""
    last = group.last
    return [line for line in group.lines[-6:] if abs(line.base - last.base) < ALIKE.row * last.size]


def opens_note(line: PdfLine) -> bool:
    """Whether the line begins with a small raised mark, as footnotes do."""
    first = line.words[0]
    lifted = (line.base - first.base) / line.size
    small = first.style.size < ALIKE.mark * line.size and lifted > GROUPS.note_lift
    raised = small or (lifted > GROUPS.mark_lift and first.style.size < GROUPS.mark_size * line.size)
    return raised and len(first.text) < 4 and len(line.words) > 1 and not first.text.isalpha()


def _has_size(line: PdfLine, size: float) -> bool:
    """Whether some word of the line is about this size: a line may be mostly code, set smaller than the text."""
    return any(abs(word.style.size - size) <= GROUPS.size * max(word.style.size, size) for word in line.words)


def _is_label(group: LineGroup) -> bool:
    """Whether the group is a caption's label alone: what it says stands below, and may look otherwise."""
    match = CAPTION.match(group.text)
    return match is not None and match.end() == len(group.text)


def _caption_start(line: PdfLine) -> bool:
    match = CAPTION.match(line.text)
    return bool(match and (match["after"].strip() or match.end() == len(line.text)))


_MOST_ASIDE, _LINES_ASIDE = 4, 2
"""So many groups may stand between the halves of a sentence, of so many lines where they are as large as the text."""
_LEAST_OF_ADDRESS = 20
_JOINED = (Role.PARAGRAPH, Role.REFERENCE, Role.ABSTRACT)
_SKIPPED = (Role.CAPTION, Role.FOOTNOTE, Role.FLOAT, Role.EQUATION, Role.FRONT, Role.CODE)
"""What may stand between the halves of a paragraph."""


def join_paragraphs(groups: list[LineGroup], body: Usual, edges: dict[PdfLine, Edges]) -> list[LineGroup]:
    """`groups` with paragraphs that go on in the next column or page, or after a formula or float, made one."""
    indents = _uses_indents(groups, edges, body)
    joined: list[LineGroup] = []
    open_group: LineGroup | None = None
    for number, group in enumerate(groups):
        is_aside = open_group is not None and _stands_aside(groups, number, open_group, body)
        goes_on = group.role in _JOINED and open_group and not is_aside
        if goes_on and open_group and _goes_on(open_group, group, edges, body, indents=indents):
            open_group.lines += group.lines
            continue
        if group.role == Role.FLOAT and open_group and _is_tail(open_group, group, body, edges):
            open_group.lines += group.lines
            continue
        if is_aside and all(_is_address(line.text) for line in group.lines):
            settle(group.lines, "furniture", "ids and addresses between the halves of a sentence")
            continue
        joined.append(group)
        if is_aside:
            group.role = Role.REST if group.role == Role.HEADING else group.role
        elif group.role not in _SKIPPED:
            open_group = group if group.role in _JOINED else None
    return joined


def _stands_aside(groups: list[LineGroup], number: int, open_group: LineGroup, body: Usual) -> bool:
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
        other = group.first.style.font != open_group.first.style.font
        is_aside = len(group.lines) <= _LINES_ASIDE and (other or all(_is_address(line.text) for line in group.lines))
        if group.role not in _SKIPPED and not small and not is_aside:
            return False
    return False


def _is_address(text: str) -> bool:
    """Whether most of a line is one long word, as of an id or an address."""
    return len(text) > _LEAST_OF_ADDRESS and max(map(len, text.split())) > len(text) / 2


def _resumes(first: LineGroup, second: LineGroup, body: Usual) -> bool:
    same = abs(first.size - second.size) < ALIKE.text * body.size and first.first.style.font == second.first.style.font
    return same and second.first.page == first.last.page + 1 and second.text[:1].islower()


def _goes_on(first: LineGroup, second: LineGroup, edges: dict[PdfLine, Edges], body: Usual, *, indents: bool) -> bool:
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


def _is_tail(first: LineGroup, second: LineGroup, body: Usual, edges: dict[PdfLine, Edges]) -> bool:
    """Whether `second`, too short to be told from a label, is the rest of `first` on the next page or column."""
    if first.role != Role.PARAGRAPH or not _breaks(first.last, second.first) or FINISHED.search(first.text):
        return False
    if abs(second.first.x0 - edges[second.first].left) > 2:
        return False
    same = abs(second.size - body.size) < ALIKE.text * body.size and second.first.style.font == first.last.style.font
    return same and len(second.lines) == 1 and (second.text[:1].islower() or FINISHED.search(second.text) is not None)


def _breaks(last: PdfLine, first: PdfLine) -> bool:
    """Whether a column or page ends between the lines."""
    return last.page != first.page or first.base < last.base


def _uses_indents(groups: list[LineGroup], edges: dict[PdfLine, Edges], body: Usual) -> bool:
    """Whether most paragraphs that follow another begin with an indent."""
    indent_flags = [
        GROUPS.indent * body.size < second.first.x0 - edges[second.first].left < 5 * body.size
        for first, second in pairwise(groups)
        if first.role == second.role == Role.PARAGRAPH
        and not _breaks(first.last, second.first)
        and not LIST_ITEM.match(first.text)
        and not LIST_ITEM.match(second.text)
    ]
    return len(indent_flags) > 1 and sum(indent_flags) > 0.5 * len(indent_flags)
