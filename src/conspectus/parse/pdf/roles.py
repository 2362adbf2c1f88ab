"""Groups of lines to roles: heading, paragraph, caption, footnote, reference, or nothing to read (`float`)."""

from __future__ import annotations

import re

from conspectus.parse.pdf.accounts import settle_words
from conspectus.parse.pdf.bibliography import mark_references
from conspectus.parse.pdf.groups import Group, Role
from conspectus.parse.pdf.headings import Headings
from conspectus.parse.pdf.measure import Edges, Usual
from conspectus.parse.pdf.model import Line
from conspectus.parse.pdf.paragraphs import opens_note
from conspectus.parse.pdf.patterns import (
    CAPTION,
    FINISHED,
    KNOWN,
    LABEL_ONLY,
    LABELLED,
    NUMBERED,
)
from conspectus.parse.pdf.rows import cells
from conspectus.parse.pdf.thresholds import ALIKE, ROLES

_RELATION = re.compile(r"[=<>≤≥≈∼≃≡∝→∫∑∏∂∇]")
_ITEM = re.compile(r"(?P<open>\(?)(?P<label>\d{1,2}|[A-Za-z]|[ivxIVX]{2,4})(?P<close>[.)]?)\s+(?=\S)")
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii".split()
_FOOTNOTE_MARK = re.compile(r"(?:\d{1,2}|[*†‡§¶]+|[a-z])\b|[*†‡§¶]")
_NOTE_MARK = re.compile(r"(?P<mark>\d{1,2}|[*†‡§¶∗]{1,3}|[a-z])(?P<rest>[.)]?)(?=\s|$)")


def assign_roles(pages: list[list[Group]], body: Usual, edges: dict[Line, Edges], heights: list[float]) -> None:
    """Sets `role` of every group that has none. `pages` are the groups of each page."""
    headings = Headings(pages, body, edges)
    for groups, height in zip(pages, heights, strict=True):
        in_rows = cells([line for group in groups for line in group.lines], edges)
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


def _items(groups: list[Group]) -> None:
    """Makes text of headings that are items of a list: set alike, labels that count up, and no text between."""
    seen: dict[tuple[str, int], Group] = {}
    for group in groups:
        labels = _item_labels(group) if group.role in (Role.HEADING, Role.PARAGRAPH, Role.FLOAT) else set()
        before = [seen[kind, value - 1] for kind, value in labels if (kind, value - 1) in seen]
        for item in (group, *before) if any(_alike(one, group) for one in before) else ():
            item.role = Role.PARAGRAPH if item.role == Role.HEADING else item.role
        seen.update(dict.fromkeys(labels, group))
        if not labels:
            seen.clear()


def _item_labels(group: Group) -> set[tuple[str, int]]:
    """What the label that the group begins with can be: its signs and its kind, and its place in the row."""
    found = _ITEM.match(group.text)
    if not found or KNOWN.fullmatch(group.text[found.end() :]):
        return set()
    label, kind = found["label"], found["open"] + found["close"]
    if label.isdecimal():
        return {(kind + "1", int(label))}
    values = {(kind + ("A" if label.isupper() else "a"), ord(label))} if len(label) == 1 else set()
    return values | ({(kind + "i", _ROMAN.index(label.lower()))} if label.lower() in _ROMAN else set())


def _alike(one: Group, other: Group) -> bool:
    a, b = one.first.words[-1].style, other.first.words[-1].style
    return a.font == b.font and abs(a.size - b.size) < ALIKE.size


def _role(group: Group, body: Usual, headings: Headings, in_rows: set[Line]) -> Role:
    in_row = any(line in in_rows for line in group.lines)
    above_cells = NUMBERED.fullmatch(group.text) is not None and group.size > ROLES.large * body.size
    if (not in_row or above_cells) and group in headings:
        return Role.HEADING
    if in_row and len(group.text) < 60 and not FINISHED.search(group.text):
        return Role.FLOAT
    return Role.PARAGRAPH if _is_prose(group, body) else Role.FLOAT


def _is_equation(group: Group, before: str) -> bool:
    """Whether a displayed formula is one of the text's: it has a number, or the text before it leads to it."""
    if not _RELATION.search(group.text):
        return False
    if any(LABEL_ONLY.fullmatch(line.text) for line in group.lines) or LABELLED.search(group.text):
        return True
    return bool(before) and not re.search(r"[.!?]$", before)


def _is_prose(group: Group, body: Usual) -> bool:
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


def _captions(groups: list[Group], body: Usual, in_rows: set[Line]) -> None:
    for group in list(groups):
        if (
            group.role not in (Role.PARAGRAPH, Role.CODE)
            and is_caption(group, body)
            and not (group.first in in_rows and len(group.text) < 40)
        ):
            group.role = Role.CAPTION
            end = _table_begins(group, in_rows)
            if end < len(group.lines):
                groups.insert(groups.index(group) + 1, Group(group.lines[end:], 1.0, Role.FLOAT))
                del group.lines[end:]


def _table_begins(caption: Group, in_rows: set[Line]) -> int:
    """The number of the first line that is a row of the table below its caption; of all lines where there is none."""
    lines = caption.lines
    end = next((i for i, line in enumerate(lines) if i and line in in_rows), len(lines))
    if end == len(lines):
        return end
    inset = lines[0].x0 + ROLES.inset * lines[0].size
    while end > 1 and lines[end - 1].x0 > inset and not FINISHED.search(lines[end - 1].text):
        end -= 1  # the table's head, whose cells stand so close that they are one line
    return end


def is_caption(group: Group, body: Usual) -> bool:
    """Whether the group begins with a label such as `Figure 2.` that is not the subject of a sentence."""
    text = group.text
    found = CAPTION.match(text)
    if not found:
        return False
    rest = text[found.end() :].lstrip()
    if found["after"].strip():
        return True
    if not rest:
        return True
    label_style = group.first.words[0].style
    other_style = label_style.bold != group.lines[-1].words[-1].style.bold or group.size < ROLES.caption * body.size
    return (rest[0].isupper() or rest[0] in "([") and (other_style or len(group.first.text) == found.end())


def _footnotes(groups: list[Group], body: Usual, height: float, in_rows: set[Line]) -> None:
    """Small text with a mark at the foot of a column, nothing but small text below it."""
    for i, group in enumerate(groups):
        if group.role or group.size > ROLES.note_marked * body.size or group.first.base < ROLES.foot * height:
            continue
        if group.first in in_rows:
            continue
        small = group.size <= ROLES.note * body.size
        opens = opens_note(group.first)
        marked = opens or (small and (group.first.words[0].raised or _FOOTNOTE_MARK.match(group.text)))
        below = [g for g in groups[i + 1 :] if g.first.base > group.last.base and _overlaps(g, group)]
        only_notes = all(g.size <= ROLES.note * body.size or (not small and opens_note(g.first)) for g in below)
        if marked and only_notes and sum(line.wordlike for line in group.lines) > 1:
            group.role = Role.FOOTNOTE


def _overlaps(one: Group, other: Group) -> bool:
    return one.first.x0 < other.first.x1 and other.first.x0 < one.first.x1


def label_of(group: Group) -> str:
    """The group's label as printed, "" where it has none. A footnote's is taken off its text."""
    if group.role == Role.CAPTION:
        found = CAPTION.match(group.text)
        return found["label"] if found else ""
    if group.role == Role.FOOTNOTE:
        return _take_mark(group)
    if group.role == Role.EQUATION:
        alone = next((line.text for line in group.lines if LABEL_ONLY.fullmatch(line.text)), "")
        ending = LABELLED.search(group.text)
        return alone or (ending["label"] if ending else "")
    return ""


def _take_mark(group: Group) -> str:
    """A footnote's mark, taken off its first line."""
    words = group.first.words
    if len(words) < 2:
        return ""
    if opens_note(group.first):
        mark = words[0].text
    elif found := _NOTE_MARK.fullmatch(words[0].text):
        mark = found["mark"]
    else:
        return ""
    settle_words(words[:1], "text", "labels of notes")
    rest = list(words[1:])
    rest[0].glued = False
    group.lines[0] = Line(group.first.page, rest)
    return mark
