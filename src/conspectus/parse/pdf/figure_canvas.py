"""One page as the search for figures sees it: captions, walls of running text, loose text, and what is drawn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from conspectus.lexicon.word_lists import OTHER_TABLES
from conspectus.parse.pdf.headings import Headings
from conspectus.parse.pdf.lines import Edges, Usual
from conspectus.parse.pdf.page_text import (
    Graphic,
    LineGroup,
    PdfLine,
    PdfPageText,
    Role,
    area,
    around,
    centred_in,
    overlap,
)
from conspectus.parse.pdf.patterns import CAPTION, FINISHED, NUMBERED
from conspectus.parse.pdf.roles import is_caption
from conspectus.parse.pdf.table_cells import find_cells
from conspectus.parse.pdf.thresholds import ALIKE, FIGURES, LINES, ROLES
from conspectus.records import Rect

_TABLE = re.compile(rf"tab|{OTHER_TABLES}", re.I)
_LEADERS = re.compile(r"(?<!\.)(?<!\.\s)(?:\.\s?+){4,}+\s*+\d*+\s*+$")
_OPEN_END = re.compile(
    r"(?:\b(?:in|of|to|and|or|the|see|from|by|with|for|on|as|than|also|both|cf|are|is)|[,(–])$", re.I
)
_MANY = 30
"""So many drawings may be the points and lines of a plot."""
_BEHIND = {"path": FIGURES.behind_path, "image": FIGURES.behind_image}
"""So much of the text over a drawing or a picture is running text where that is only the ground of the text."""


@dataclass(eq=False)
class Caption:
    """A caption on a page: its group, where it stands, what it is called and whether it is a table's."""

    group: LineGroup
    box: Rect
    label: str
    table: bool
    text_like: bool
    page: int


@dataclass
class Canvas:
    """A page sorted out. `walls` are boxes of running text, headings and notes, which end every figure; `listings`
    lines of programs, which may stand in a figure and stay text."""

    page: PdfPageText
    captions: list[Caption] = field(default_factory=list)
    walls: list[Rect] = field(default_factory=list)
    texts: list[PdfLine] = field(default_factory=list)
    graphics: list[Graphic] = field(default_factory=list)
    turned: list[Rect] = field(default_factory=list)
    frames: list[Rect] = field(default_factory=list)
    listings: set[PdfLine] = field(default_factory=set)

    @property
    def number(self) -> int:
        """The page's number."""
        return self.page.number


class Sorter:
    """Sorts pages out, by what is usual in the document."""

    def __init__(self, pages: Sequence[PdfPageText], body: Usual, edges: dict[PdfLine, Edges]) -> None:
        self._body = body
        self._edges = edges
        self._repeated = _repeated(pages)
        widths = Counter(
            round(edges[line].width / 4)
            for page in pages
            for line in page.lines
            if line.wordlike >= 4 and line in edges
        )
        self._column = FIGURES.column * widths.most_common(1)[0][0] if widths else 0.0

    def canvases(self, pages: Sequence[PdfPageText], groups: Sequence[list[LineGroup]]) -> list[Canvas]:
        """One canvas for each page. Groups that only look like captions get the role of a paragraph."""
        canvases = [Canvas(page) for page in pages]
        before: LineGroup | None = None
        for canvas, page_groups in zip(canvases, groups, strict=True):
            before = self._captions(canvas, page_groups, before)
        self._headings = Headings(groups, self._body, self._edges)
        for i, (canvas, page_groups) in enumerate(zip(canvases, groups, strict=True)):
            if any(near.captions for near in canvases[max(i - 1, 0) : i + 2]) or _has_pictures(canvas.page):
                self._sort(canvas, page_groups)
        return canvases

    def _captions(self, canvas: Canvas, groups: list[LineGroup], before: LineGroup | None) -> LineGroup | None:
        """Finds the page's captions; returns its last text, which the next page's may go on with."""
        caption_groups = {group for group in groups if is_caption(group, self._body)}
        in_rows = (
            find_cells([line for group in groups for line in group.lines], self._edges) if caption_groups else set()
        )
        firsts = [g.first for g in groups if g.first in in_rows and g not in caption_groups]
        for i, group in enumerate(groups):
            cell = group in caption_groups and group.first in in_rows and _is_cell(group, firsts)
            if group in caption_groups and not cell:
                if _LEADERS.search(group.text) or self._mentions(group, before, groups[i + 1 :]):
                    group.role = Role.PARAGRAPH
                else:
                    canvas.captions.append(_caption(group, canvas.page))
                    continue
            if any(line.wordlike >= 3 for line in group.lines):
                before = group
        return before

    def _mentions(self, group: LineGroup, before: LineGroup | None, below: Sequence[LineGroup]) -> bool:
        """Whether the group's label is the end of a sentence that began in the text before."""
        if before is None or FINISHED.search(before.text) or not _OPEN_END.search(before.text):
            return False
        match = CAPTION.match(group.text)
        if match and match["after"].strip() not in ("", "."):
            return False
        if below and below[0].text[:1].islower():  # that is what the sentence goes on with
            return False
        return abs(group.size - before.size) < ALIKE.size and group.first.style.font == before.last.style.font

    def _sort(self, canvas: Canvas, groups: list[LineGroup]) -> None:
        page = canvas.page
        captioned = {line for caption in canvas.captions for line in caption.group.lines}
        walls: list[tuple[PdfLine, Rect]] = []
        prose: list[PdfLine] = []
        titles: list[LineGroup] = []
        in_rows = find_cells([line for group in groups for line in group.lines], self._edges)
        for group in groups:
            lines = [line for line in group.lines if line not in captioned]
            if group.role == Role.CODE:
                canvas.listings.update(lines)
            wall = [line for line in lines if self._is_prose(line) and line not in in_rows and group.role != Role.CODE]
            is_wall = len(wall) * 2 >= len(lines) and len(wall) > 0
            if is_wall:
                walls += [(line, line.box) for line in lines]
                prose += wall
            elif lines and self._is_heading(group):
                titles.append(group)
            else:
                canvas.texts += lines
        canvas.graphics = self._drawn(canvas, prose)
        for group in titles:
            if self._heads_drawing(group, canvas, prose, in_rows):
                canvas.texts += group.lines
            else:
                walls += [(line, line.box) for line in group.lines]
        canvas.turned = [
            g.box
            for g in page.graphics
            if g.kind == "turned" and g.box[3] - g.box[1] < FIGURES.axis * page.frame.height
        ]
        rules = [g.box for g in canvas.graphics if g.kind == "rule"]
        parts = [line.box for line in prose], [caption.box for caption in canvas.captions]
        canvas.frames = table_frames(rules, *parts, page.gutters, page.frame.height)
        notes = self._notes(canvas, [line for line, _ in walls])
        for line, box in walls:
            drawn = (g.box for g in canvas.graphics if g.kind != "rule")
            if line in notes or any(centred_in(box, outer) for outer in (*canvas.frames, *drawn)):
                canvas.texts.append(line)
            else:
                canvas.walls.append(box)

    def _notes(self, canvas: Canvas, lines: Sequence[PdfLine]) -> set[PdfLine]:
        """Small text, or one line, that fills what lies between a stack of rules and the caption below it."""
        below = sorted(lines, key=lambda line: line.base)
        notes: set[PdfLine] = set()
        for x0, _, x1, foot in canvas.frames:
            far, note_lines = foot, set[PdfLine]()
            for line in below:
                fits = not note_lines or line.size < ROLES.note * self._body.size
                if fits and line.x0 < x1 and line.x1 > x0 and -2 < line.box[1] - far < ALIKE.far * line.size:
                    note_lines.add(line)
                    far = line.box[3]
            near = (x0, far, x1, far + FIGURES.noted)
            if any(overlap(near, caption.box) for caption in canvas.captions):
                notes |= note_lines
        return notes

    def _is_prose(self, line: PdfLine) -> bool:
        """Whether the line is most of a line of running text, in the main text's size or a note's."""
        edge = self._edges.get(line)
        width = max(edge.width, self._column) if edge else line.width
        letters = len(line.text.replace(" ", "")) or 1
        if (
            line.wordlike < 4
            or line.word_letters < FIGURES.letters * letters
            or line.size < FIGURES.small * self._body.size
        ):
            return False
        same = abs(line.size - self._body.size) < FIGURES.same * self._body.size
        return line.width > (FIGURES.wide if same else FIGURES.wide_other) * width

    def _is_heading(self, group: LineGroup) -> bool:
        if group not in self._headings:
            return False
        return (
            group.size > FIGURES.heading * self._body.size or NUMBERED.fullmatch(group.text) is not None or group.bold
        )

    def _heads_drawing(self, group: LineGroup, canvas: Canvas, prose: list[PdfLine], in_rows: set[PdfLine]) -> bool:
        """Whether it is a plot's title or axis, or a table's head: not where headings begin, and what comes next is
        drawn, a caption or a row of cells.

        On the first page it may be an author.
        """
        box = around(line.box for line in group.lines)
        edge = self._edges.get(group.first)
        captions = [(0.0, c.box[1], canvas.page.frame.width, c.box[3]) for c in canvas.captions if not c.table]
        flush = edge is None or abs(box[0] - edge.left) < FIGURES.flush
        if flush or not canvas.captions or canvas.number == 1 or NUMBERED.fullmatch(group.text):
            return False
        below = (box[0], box[3], box[2], box[3] + FIGURES.next_gap)
        drawn = [g.box for g in canvas.graphics] + captions if captions else []
        drawn += [line.box for line in canvas.texts if line in in_rows]
        text = [line.box for line in prose if overlap(line.box, below)]
        first = min((b[1] for b in drawn if overlap((*b[:2], b[2] + 1, b[3] + 1), below)), default=None)
        return first is not None and all(first < b[1] for b in text)

    def _drawn(self, canvas: Canvas, prose: list[PdfLine]) -> list[Graphic]:
        """The page's graphics without furniture, underlines, and boxes around running text."""
        height = canvas.page.frame.height
        boxes = [line.box for line in prose]
        text = [line.box for line in (*canvas.texts, *prose)]
        rules = [g.box for g in canvas.page.graphics if g.kind == "rule"]

        def is_alone(box: Rect) -> bool:
            same = (r for r in rules if abs(r[0] - box[0]) < 4 and abs(r[2] - box[2]) < 4)
            return not any(3 < abs(r[1] - box[1]) < FIGURES.like_near * height for r in same)

        stripes = _stripes(canvas.page.graphics)
        graphics = []
        for graphic in canvas.page.graphics:
            box = graphic.box
            if graphic.kind == "turned":
                continue
            if _key(canvas.page, box) in self._repeated:
                continue
            if (
                graphic.kind == "rule"
                and (box[3] < FIGURES.head * height or box[1] > FIGURES.foot * height)
                and is_alone(box)
            ):
                continue
            if graphic.kind == "rule" and box[2] - box[0] > box[3] - box[1] and _underlines(box, boxes):
                continue
            full_box = stripes.get(box, box)
            if graphic.kind != "rule" and _is_backdrop(full_box, boxes, text, _BEHIND[graphic.kind]):
                continue
            graphics.append(graphic)
        return graphics


def _is_cell(group: LineGroup, others: Sequence[PdfLine]) -> bool:
    """Whether a short group shares its row with others, none of which goes on where its first line ends."""
    gaps = [line.x0 - group.first.x1 for line in others if round(line.base) == round(group.first.base)]
    return len(group.text) < 40 and bool(gaps) and not any(abs(gap) < LINES.gap * group.size for gap in gaps)


def _has_pictures(page: PdfPageText) -> bool:
    """Whether something is drawn that is large enough together to be a figure, caption or not, or many small things."""
    drawn = [g.box for g in page.graphics if g.kind not in ("rule", "turned")]
    large = FIGURES.picture * page.frame.width * page.frame.height
    return len(drawn) >= _MANY or (bool(drawn) and area(around(drawn)) > large)


def _caption(group: LineGroup, page: PdfPageText) -> Caption:
    match = CAPTION.match(group.text)
    label = " ".join(match["label"].split()) if match else ""
    word = re.sub(r"^(?:supplementa(?:ry|l)|extended data|online|appendix)\s+", "", label, flags=re.I).casefold()
    text_like = word.startswith(("listing", "algorithm", "box"))
    return Caption(
        group, around(line.box for line in group.lines), label, _TABLE.match(word) is not None, text_like, page.number
    )


def _key(page: PdfPageText, box: Rect) -> tuple[int, int, int, int] | None:
    height = page.frame.height
    if box[3] < FIGURES.repeated * height or box[1] > (1 - FIGURES.repeated) * height:
        return round(box[0]), round(box[1]), round(box[2]), round(box[3])
    return None


def _repeated(pages: Sequence[PdfPageText]) -> set[tuple[int, int, int, int] | None]:
    """Boxes at the head or foot that stand at the same place on several pages, such as a journal's logo."""
    counts = Counter(
        key
        for page in pages
        for key in {_key(page, g.box) for g in page.graphics if len(page.graphics) < 20_000}
        if key
    )
    return {key for key, count in counts.items() if count > 1}


def _stripes(graphics: Sequence[Graphic]) -> dict[Rect, Rect]:
    """For the boxes of pictures that stand right above each other and are equally wide, what they are together."""
    runs: list[list[Rect]] = []
    boxes = sorted((g.box for g in graphics if g.kind == "image"), key=lambda box: (round(box[0]), box[1]))
    for box in boxes:
        last = runs[-1][-1] if runs else None
        if last and abs(last[0] - box[0]) < 2 and abs(last[2] - box[2]) < 2 and abs(box[1] - last[3]) < FIGURES.seam:
            runs[-1].append(box)
        else:
            runs.append([box])
    return {box: hull for run in runs if len(run) > 1 for hull in (around(run),) for box in run}


def _underlines(rule: Rect, prose: list[Rect]) -> bool:
    """Whether the rule lies in or just under a line of running text."""
    middle = (rule[1] + rule[3]) / 2
    return any(
        box[1] - 1 <= middle <= box[3] + 0.5 and rule[0] >= box[0] - 3 and rule[2] <= box[2] + 3 for box in prose
    )


def _is_backdrop(box: Rect, prose: list[Rect], text: list[Rect], least: float) -> bool:
    """Whether it is a box around or behind running text: a mark, a frame, a coloured ground, a pale picture.

    `least` is the part of the text in it that must be running text.
    """
    inside = [b for b in prose if centred_in(b, box)]
    if not inside:
        return any(overlap(box, b) > FIGURES.marked * area(box) for b in prose)
    everything = [b for b in text if centred_in(b, box)]
    return len(inside) >= 3 and sum(map(area, inside)) > least * sum(map(area, everything))


def table_frames(
    rules: Sequence[Rect], prose: Sequence[Rect], captions: Sequence[Rect], gutters: Sequence[float], height: float
) -> list[Rect]:
    """Where rules of the same width stand above each other with no running text or caption between them."""
    rules = [rule for rule in rules if rule[3] - rule[1] <= FIGURES.thin]
    rules = sorted((r for r in _joined_rules(rules) if r[2] - r[0] > FIGURES.frame), key=lambda box: box[1])
    stacks: list[list[Rect]] = []
    for rule in rules:
        stack = next((s for s in stacks if abs(s[-1][0] - rule[0]) < 4 and abs(s[-1][2] - rule[2]) < 4), None)
        if stack is None or _parted(stack[-1], rule, prose, captions, gutters, height):
            stacks.insert(0, [rule])
        else:
            stack.append(rule)
    return [around(stack) for stack in stacks if len(stack) > 1 and stack[-1][3] - stack[0][1] > 10]


def _joined_rules(rules: list[Rect]) -> list[Rect]:
    """The rules; those drawn piece by piece, from cell to cell, as one."""
    joined_rules: list[Rect] = []
    for rule in sorted(rules, key=lambda box: (round(box[1]), box[0])):
        last = joined_rules[-1] if joined_rules else None
        if last and abs(last[1] - rule[1]) < 1 and -1 < rule[0] - last[2] < FIGURES.piece:
            joined_rules[-1] = around((last, rule))
        else:
            joined_rules.append(rule)
    return joined_rules


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
    if any(overlap((x0, y0, x1, y1), box) > FIGURES.caption * area(box) for box in captions):
        return True
    edges = [x0, *(x for x in gutters if x0 < x < x1), x1]
    full_width = [(x0, y0, x1, y1)]
    columns = [(left, y0, right, y1) for left, right in pairwise(edges)]
    return any(all(_runs(prose, part) for part in parts) for parts in (full_width, columns))


def _runs(prose: Sequence[Rect], part: Rect) -> bool:
    """Whether lines as wide as the part follow each other in it."""
    width = part[2] - part[0]
    inside = [b for b in prose if b[2] - b[0] > FIGURES.prose * width and overlap(part, b) > 0.5 * area(b)]
    inside.sort(key=lambda b: b[1])
    return sum(abs(a[0] - b[0]) < 2 and 0 < b[1] - a[1] < 2 * (a[3] - a[1]) for a, b in pairwise(inside)) >= 3
