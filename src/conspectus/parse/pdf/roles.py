"""Roles of groups of lines: heading, paragraph, caption, footnote, reference, listing, formula, or nothing to read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from conspectus.parse.pdf.headings import Headings
from conspectus.parse.pdf.lines import Edges, Usual
from conspectus.parse.pdf.page_text import (
    ASCENT,
    DESCENT,
    LineGroup,
    PaintedStyle,
    PdfLine,
    PdfPageText,
    Role,
    Word,
    area,
    around,
    overlap,
    settle_words,
    split_rows_by_base,
)
from conspectus.parse.pdf.paragraphs import opens_note
from conspectus.parse.pdf.patterns import CAPTION, FINISHED, KNOWN, LABEL_ONLY, LABELLED, NUMBERED
from conspectus.parse.pdf.reference_section import mark_references
from conspectus.parse.pdf.table_cells import find_cells
from conspectus.parse.pdf.thresholds import ALIKE, FIGURES, GROUPS, ROLES, TABLES
from conspectus.records import Rect

_RELATION = re.compile(r"[=<>≤≥≈∼≃≡∝→∫∑∏∂∇]")
_ITEM = re.compile(r"(?P<open>\(?)(?P<label>\d{1,2}|[A-Za-z]|[ivxIVX]{2,4})(?P<close>[.)]?)\s+(?=\S)")
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii".split()
_FOOTNOTE_MARK = re.compile(r"(?:\d{1,2}|[*†‡§¶]+|[a-z])\b|[*†‡§¶]")
_NOTE_MARK = re.compile(r"(?P<mark>\d{1,2}|[*†‡§¶∗]{1,3}|[a-z])(?P<rest>[.)]?)(?=\s|$)")
_SAMPLES, _LEAST_SAMPLES, _LEAST_LETTERS = 80, 4, 8
"""Fonts are told by so many words at most, at least, and so many letters of the alphabet among them."""
_ADDRESS = re.compile(r"://|www\.|@|doi\.org|10\.\d{4,}/")
_SIGNS = re.compile(r"[(){}\[\]=;<>_/#$|\\*]|--|\.\w+\(")
_LEAST_SPACED = 8
"""Letters that are spaced out are so many."""
_WHOLE = 3
"""So many lines of such a font are a listing wherever they stand; fewer must be set apart."""
MARKER = "[formula]"
"""What stands for a formula that has no text."""
_MOST_UNREAD = 400
"""More glyphs of a page that cannot be read are its text, and no formulas."""


def assign_roles(pages: list[list[LineGroup]], body: Usual, edges: dict[PdfLine, Edges], heights: list[float]) -> None:
    """Sets `role` of every group that has none. `pages` are the groups of each page."""
    headings = Headings(pages, body, edges)
    for groups, height in zip(pages, heights, strict=True):
        in_rows = find_cells([line for group in groups for line in group.lines], edges)
        _captions(groups, body, in_rows)
        _footnotes(groups, body, height, in_rows)
        before = ""
        for group in groups:
            if group.role == Role.FORMULA:
                group.role = Role.EQUATION if _is_equation(group, before) else Role.FLOAT
            elif not group.role:
                group.role = _role(group, body, headings, in_rows)
            before = group.text if group.role == Role.PARAGRAPH else before
    flat = [group for groups in pages for group in groups]
    _items(flat)
    mark_references(flat)


def _items(groups: list[LineGroup]) -> None:
    """Makes text of headings that are items of a list: set alike, labels that count up, and no text between."""
    group_by_label: dict[tuple[str, int], LineGroup] = {}
    for group in groups:
        labels = _item_labels(group) if group.role in (Role.HEADING, Role.PARAGRAPH, Role.FLOAT) else set()
        before = [group_by_label[kind, value - 1] for kind, value in labels if (kind, value - 1) in group_by_label]
        for item in (group, *before) if any(_alike(other, group) for other in before) else ():
            item.role = Role.PARAGRAPH if item.role == Role.HEADING else item.role
        group_by_label.update(dict.fromkeys(labels, group))
        if not labels:
            group_by_label.clear()


def _item_labels(group: LineGroup) -> set[tuple[str, int]]:
    """What the label that the group begins with can be: its signs and its kind, and its place in the row."""
    match = _ITEM.match(group.text)
    if not match or KNOWN.fullmatch(group.text[match.end() :]):
        return set()
    label, kind = match["label"], match["open"] + match["close"]
    if label.isdecimal():
        return {(kind + "1", int(label))}
    values = {(kind + ("A" if label.isupper() else "a"), ord(label))} if len(label) == 1 else set()
    return values | ({(kind + "i", _ROMAN.index(label.lower()))} if label.lower() in _ROMAN else set())


def _alike(group: LineGroup, other: LineGroup) -> bool:
    a, b = group.first.words[-1].style, other.first.words[-1].style
    return a.font == b.font and abs(a.size - b.size) < ALIKE.size


def _role(group: LineGroup, body: Usual, headings: Headings, in_rows: set[PdfLine]) -> Role:
    in_row = any(line in in_rows for line in group.lines)
    above_cells = NUMBERED.fullmatch(group.text) is not None and group.size > ROLES.large * body.size
    if (not in_row or above_cells) and group in headings:
        return Role.HEADING
    if in_row and len(group.text) < 60 and not FINISHED.search(group.text):
        return Role.FLOAT
    return Role.PARAGRAPH if _is_prose(group, body) else Role.FLOAT


def _is_equation(group: LineGroup, before: str) -> bool:
    """Whether a displayed formula is one of the text's: it has a number, or the text before it leads to it."""
    if not _RELATION.search(group.text):
        return False
    if any(LABEL_ONLY.fullmatch(line.text) for line in group.lines) or LABELLED.search(group.text):
        return True
    return bool(before) and not re.search(r"[.!?]$", before)


def _is_prose(group: LineGroup, body: Usual) -> bool:
    """Whether the group is text to read rather than an axis, a formula's rest or a table's cells."""
    words = sum(line.wordlike for line in group.lines)
    tokens = len(group.text.split())
    if abs(group.size - body.size) < ALIKE.text * body.size and words > 1:
        letters = sum(line.word_letters for line in group.lines)
        if letters > ROLES.letters * len(group.text.replace(" ", "")):
            return True
    if words < 3:
        return False
    if group.size < ROLES.small * body.size and words < 12:
        return False
    return words > ROLES.words * tokens and (
        words >= 8 or FINISHED.search(group.text) is not None or len(group.text) > 40
    )


def _captions(groups: list[LineGroup], body: Usual, in_rows: set[PdfLine]) -> None:
    for group in list(groups):
        if (
            group.role not in (Role.PARAGRAPH, Role.CODE)
            and is_caption(group, body)
            and not (group.first in in_rows and len(group.text) < 40)
        ):
            group.role = Role.CAPTION
            end = _table_begins(group, in_rows)
            if end < len(group.lines):
                groups.insert(groups.index(group) + 1, LineGroup(group.lines[end:], 1.0, Role.FLOAT))
                del group.lines[end:]


def _table_begins(caption: LineGroup, in_rows: set[PdfLine]) -> int:
    """The number of the first line that is a row of the table below its caption; of all lines where there is none."""
    lines = caption.lines
    end = next((i for i, line in enumerate(lines) if i and line in in_rows), len(lines))
    if end == len(lines):
        return end
    inset = lines[0].x0 + ROLES.inset * lines[0].size
    while end > 1 and lines[end - 1].x0 > inset and not FINISHED.search(lines[end - 1].text):
        end -= 1  # the table's head, whose cells stand so close that they are one line
    return end


def is_caption(group: LineGroup, body: Usual) -> bool:
    """Whether the group begins with a label such as `Figure 2.` that is not the subject of a sentence."""
    text = group.text
    match = CAPTION.match(text)
    if not match:
        return False
    rest = text[match.end() :].lstrip()
    if match["after"].strip():
        return True
    if not rest:
        return True
    label_style = group.first.words[0].style
    other_style = label_style.bold != group.lines[-1].words[-1].style.bold or group.size < ROLES.caption * body.size
    return (rest[0].isupper() or rest[0] in "([") and (other_style or len(group.first.text) == match.end())


def _footnotes(groups: list[LineGroup], body: Usual, height: float, in_rows: set[PdfLine]) -> None:
    """Small text with a mark at the foot of a column, nothing but small text below it."""
    for i, group in enumerate(groups):
        if group.role or group.size > ROLES.note_marked * body.size or group.first.base < ROLES.foot * height:
            continue
        if group.first in in_rows:
            continue
        small = group.size <= ROLES.note * body.size
        opens = opens_note(group.first)
        marked = opens or (small and (group.first.words[0].raised or _FOOTNOTE_MARK.match(group.text)))
        below = [
            g
            for g in groups[i + 1 :]
            if g.first.base > group.last.base and g.first.x0 < group.first.x1 and group.first.x0 < g.first.x1
        ]
        only_notes = all(g.size <= ROLES.note * body.size or (not small and opens_note(g.first)) for g in below)
        if marked and only_notes and sum(line.wordlike for line in group.lines) > 1:
            group.role = Role.FOOTNOTE


def label_of(group: LineGroup) -> str:
    """The group's label as printed, "" where it has none. A footnote's is taken off its text."""
    if group.role == Role.CAPTION:
        match = CAPTION.match(group.text)
        return match["label"] if match else ""
    if group.role == Role.FOOTNOTE:
        return _take_mark(group)
    if group.role == Role.EQUATION:
        alone = next((line.text for line in group.lines if LABEL_ONLY.fullmatch(line.text)), "")
        ending = LABELLED.search(group.text)
        return alone or (ending["label"] if ending else "")
    return ""


def _take_mark(group: LineGroup) -> str:
    """A footnote's mark, taken off its first line."""
    words = group.first.words
    if len(words) < 2:
        return ""
    if opens_note(group.first):
        mark = words[0].text
    elif match := _NOTE_MARK.fullmatch(words[0].text):
        mark = match["mark"]
    else:
        return ""
    settle_words(words[:1], "text", "labels of notes")
    rest = list(words[1:])
    rest[0].glued = False
    group.lines[0] = PdfLine(group.first.page, rest)
    return mark


def find_listings(pages: Sequence[PdfPageText], body: Usual, edges: dict[PdfLine, Edges]) -> set[PdfLine]:
    """The lines that are of listings."""
    fonts = monospaced(pages) - {body.font}
    code_lines: set[PdfLine] = set()
    for page in pages:
        rows = split_rows_by_base(page.lines, lambda line: ALIKE.row * line.size)
        kinds = [all(_is_code(line, fonts) for line in row) for row in rows]
        at = 0
        for is_code, run in groupby(kinds):
            count = len(list(run))
            if is_code and _is_listing(rows, at, count, body, edges):
                code_lines.update(line for row in rows[at : at + count] for line in row)
            at += count
    return code_lines


def monospaced(pages: Sequence[PdfPageText]) -> set[str]:
    """The names of the fonts whose characters are equally wide, as their words show."""
    samples: dict[str, list[Word]] = {}
    known: set[str] = set()
    for page in pages:
        for line in page.lines:
            for word in line.words:
                font = word.style.font
                if font not in known and len(word.text) > 2 and word.text.isascii() and not word.raised:
                    font_words = samples.setdefault(font, [])
                    font_words.append(word)
                    if len(font_words) == _SAMPLES:
                        known.add(font)
    return {font for font, words in samples.items() if _is_even(words)}


def _is_even(words: Sequence[Word]) -> bool:
    widths = sorted((word.x1 - word.x0) / (len(word.text) * word.style.size) for word in words)
    letters = {char for word in words for char in word.text if char.isalpha()}
    if len(words) < _LEAST_SAMPLES or len(letters) < _LEAST_LETTERS:
        return False
    low, high = widths[len(widths) // 10], widths[-1 - len(widths) // 10]
    return high - low < TABLES.same * high


def _is_code(line: PdfLine, fonts: set[str]) -> bool:
    """Whether most of the line is in one of the fonts, and not the address of a page or a person."""
    if _is_spaced_out(line):
        return True
    if not fonts:
        return False
    code_texts = [word.text for word in line.words if word.style.font in fonts]
    if not code_texts:
        return False
    letters = sum(len(text) for text in code_texts if not _ADDRESS.search(text))
    return letters >= TABLES.code * sum(len(word.text) for word in line.words)


def _is_spaced_out(line: PdfLine) -> bool:
    """Whether nearly all words are single letters, as where a program's letters are set in columns."""
    words = line.words
    if len(words) < _LEAST_SPACED or sum([len(word.text) == 1 for word in words]) < TABLES.spaced * len(words):
        return False
    middles = [(word.x0 + word.x1) / 2 for word in words]
    steps = sorted(b - a for a, b in pairwise(middles))
    cell = steps[len(steps) // 4] or 1.0
    even = sum(abs(step / cell - round(step / cell)) < TABLES.uneven for step in steps)
    return even > TABLES.even * len(steps) and line.text.isascii() and not line.text.isupper()


def _is_listing(rows: Sequence[list[PdfLine]], at: int, count: int, body: Usual, edges: dict[PdfLine, Edges]) -> bool:
    """Whether rows in such a font are a listing, rather than words of a paragraph that fill its lines."""
    code_rows = rows[at : at + count]
    text = " ".join(line.text for row in code_rows for line in row)
    if any(_is_spaced_out(line) for row in code_rows for line in row):
        return count > 1 and _SIGNS.search(text) is not None
    if count >= _WHOLE:
        return True
    first, last = code_rows[0][0], code_rows[-1][-1]
    above = rows[at - 1][-1] if at else None
    below = rows[at + count][0] if at + count < len(rows) else None
    distance = ALIKE.leading * body.leading
    over = above is None or above.text.endswith(":") or not 0 < first.base - above.base < distance
    under = below is None or not 0 < below.base - last.base < distance
    inset = first.x0 > edges[first].left + body.size
    return len(text.split()) > 1 and over and (under or inset)


def mark_formulas(
    pages: Sequence[PdfPageText],
    groups: Sequence[list[LineGroup]],
    float_boxes: dict[int, list[Rect]],
    body: Usual,
    edges: dict[PdfLine, Edges],
) -> None:
    """Puts a group of a marker into `groups` for each displayed formula that has no text.

    Such a one stands alone between paragraphs of a column, and the text leads to it or goes on behind it.

    Args:
        pages: The document's pages.
        groups: The groups of each, with their roles.
        float_boxes: By page, the boxes of its figures and tables.
        body: What is usual.
        edges: Of each line its column.
    """
    repeated = Counter(_key(box) for page in pages for box in {_key(b): b for b in _drawn(page)}.values())
    for page, page_groups in zip(pages, groups, strict=True):
        free = [box for box in _drawn(page) if repeated[_key(box)] == 1]
        free = [box for box in free if not any(overlap(box, figure) for figure in float_boxes.get(page.number, ()))]
        for box in sorted(_joined_boxes(free), key=lambda box: box[1]):
            _mark(page, page_groups, box, body, edges)


def _drawn(page: PdfPageText) -> Iterator[Rect]:
    yield from (graphic.box for graphic in page.graphics if graphic.kind in ("image", "path"))
    if len(page.unread) <= _MOST_UNREAD:
        yield from (box for box in page.unread if area(box) > 0)


def _key(box: Rect) -> tuple[int, ...]:
    return tuple(map(round, box))


def _joined_boxes(boxes: Iterable[Rect]) -> list[Rect]:
    """The hulls of boxes that stand as near to each other as the signs of a formula do."""
    hulls: list[Rect] = []
    for box in boxes:
        reach = (box[0] - FIGURES.cluster, box[1] - 2, box[2] + FIGURES.cluster, box[3] + 2)
        near = [hull for hull in hulls if overlap(reach, hull) > 0]
        hulls = [hull for hull in hulls if hull not in near] + [around([box, *near])]
    return hulls


def _mark(page: PdfPageText, groups: list[LineGroup], box: Rect, body: Usual, edges: dict[PdfLine, Edges]) -> None:
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
    style = PaintedStyle("", size / (ASCENT + DESCENT), bold=False, italic=False)
    marker = PdfLine(page.number, [Word(MARKER, x0, x1, y1 - DESCENT * size, style)])
    edges[marker] = edges[last.last]
    group = LineGroup([marker, *(line for label in labels for line in label.lines)], 1.0, Role.EQUATION)
    groups[:] = [other for other in groups if other not in labels]
    groups.insert(groups.index(last) + 1, group)


def _is_over(edges: Edges, box: Rect) -> bool:
    """Whether a box is in the column."""
    return box[0] > edges.left - 2 * FIGURES.thin and box[2] < edges.right + 2 * FIGURES.thin


def _is_level(line: PdfLine, box: Rect, edges: Edges) -> bool:
    """Whether a line of the column stands beside a box or in it."""
    high = min(line.box[3], box[3]) - max(line.box[1], box[1])
    return (
        high > GROUPS.drawn_level * min(line.size, box[3] - box[1]) and line.x1 > edges.left and line.x0 < edges.right
    )
