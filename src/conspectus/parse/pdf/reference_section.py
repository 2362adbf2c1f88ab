"""The reference list of a PDF: which groups belong to it, and where each of its entries begins.

A list is what stands between its heading and the next one. Lists without a heading are found by their labels, which
count up from 1, or at the document's end by the names and years of their entries. Entries begin at labels, else where
the list hangs (or indents) its first lines, else with paragraphs.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from conspectus.core.groups import grouped
from conspectus.parse.pdf.page_text import LineGroup, PdfLine, Role, settle
from conspectus.parse.pdf.paragraphs import opens_note
from conspectus.parse.pdf.patterns import (
    AFTER_REFERENCES,
    FINISHED,
    KNOWN,
    NUMBERED,
    REFERENCE_LABEL,
    REFERENCES,
    close_spaced_letters,
)
from conspectus.parse.pdf.thresholds import ALIKE, AROUND

_TEXT = (Role.PARAGRAPH, Role.FOOTNOTE, Role.FLOAT, Role.REFERENCE)
"""Roles that entries, or pieces of them, may have got."""
_CAPITAL = "[A-ZÀ-ÖØ-ÞŁŚŻŽŠČĆΑ-ΩА-ЯЁ]"
_NAMED = re.compile(
    rf"(?:[a-z]{{1,4}}\s){{0,3}}{_CAPITAL}[\w'’-]{{1,30}}(?:[ -](?:[a-z]{{1,3}} )?{_CAPITAL}[\w'’-]{{1,30}}){{0,2}},?\s"
    rf"(?:{_CAPITAL}\.(?:[\s-]?{_CAPITAL}\.){{0,3}}|[A-Z]{{1,3}}\b)"
    r"(?=\s*(?:[,;(&:]|and\b|et\b|(?:1[6-9]|20)\d\d))"
)
_YEAR = re.compile(r"\b(?:1[6-9]|20)\d\d[a-z]?\b")
"""Beginnings of entries that have no label, `Smith, J.`, and what all of them have."""
_PAGE_NUMBER = re.compile(r"\d{1,4}")
_BARE_LABEL = re.compile(r"(\d{1,3})\s+(?=[^\W\d_]|[“\"])")
_DATED = re.compile(r"\b(?:1[6-9]|20)\d\d\b|\bin press\b|\barXiv\b|\bdoi\b", re.I)
_FRESH = re.compile(r"[\W\d]*[A-ZÀ-Þ]|(?:de|van|von|di|da|le|la|el|al|den|der|ten|del)\b")
_ENDED = re.compile(r"\d[)\]]?$|\S/\S|[.)\]]$")
_AFTER_LIST = re.compile(
    r"(?:affiliations?|addresses|authors?['’]?s? (?:address(?:es)?|affiliations?|details)|about the authors?"
    r"|corresponding authors?|(?:address for )?correspondence(?: to)?)\s*(?::|$)",
    re.I,
)
"""Beginnings of what is printed behind a list without a heading of its own."""
_ENTRY = 400
"""Entries have their year within so many characters."""
_PIECE = 120
"""A shorter group may be the rest of an entry."""
_MOST_UNNAMED = 4
"""So many groups in a row may begin without a person's name."""
_FEWEST = 4
"""Fewer labels than this without a heading may be any list."""


@dataclass
class _Row:
    """Lines that stand on one baseline: justified text with wide gaps comes as several."""

    lines: list[PdfLine] = field(default_factory=list)
    group: int = 0

    @property
    def first(self) -> PdfLine:
        return self.lines[0]

    @cached_property
    def x0(self) -> float:
        return min(line.x0 for line in self.lines)

    @cached_property
    def x1(self) -> float:
        return max(line.x1 for line in self.lines)

    @cached_property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)


def mark_references(groups: Sequence[LineGroup]) -> None:
    """Sets the role of the groups that are of a reference list, and that of its heading."""
    section: list[LineGroup] | None = None
    sections: list[list[LineGroup]] = []
    for i, group in enumerate(groups):
        if REFERENCES.fullmatch(close_spaced_letters(group.text)) and not _before_section(groups, i):
            group.role = Role.HEADING
            section = []
            sections.append(section)
        elif section is not None and group.role == Role.HEADING:
            if _DATED.search(group.text):  # an entry in the look of a heading
                section.append(group)
            elif AFTER_REFERENCES.match(group.text) or KNOWN.fullmatch(group.text):
                section = None
            elif not _divides(group, section):
                section.append(group)
        elif section is not None and group.role in _TEXT:
            if _AFTER_LIST.match(group.text):
                section = None
            else:
                section.append(group)
    if not any(sections):
        sections = [_unnamed(groups)]
    for section_groups in sections:
        _mark(section_groups)


def _divides(group: LineGroup, section: Sequence[LineGroup]) -> bool:
    """Whether a heading without signs stands between whole entries, as `Software` does."""
    is_bare = len(group.lines) == 1 and all(word.isalpha() for word in group.text.split())
    last = section[-1].text if section else "."
    return is_bare and bool(FINISHED.search(last) or _ENDED.search(last))


def _before_section(groups: Sequence[LineGroup], i: int) -> bool:
    """Whether a section such as `1 Introduction` follows right away, as behind the end of a list of contents."""
    after = next((g.first.text for g in groups[i + 1 : i + 4] if g.role in (Role.HEADING, Role.PARAGRAPH)), "")
    match = NUMBERED.fullmatch(after)
    return match is not None and KNOWN.fullmatch(match["name"] or "") is not None


def _mark(section: list[LineGroup]) -> None:
    """The groups of a section that are set like most of it are references; figures' labels among them are not."""
    sizes: Counter[float] = Counter()
    for group in section:
        if group.role != Role.FLOAT:
            for line in group.lines:
                sizes[round(line.size, 1)] += len(line.text)
    usual = sizes.most_common(1)[0][0] if sizes else 0.0
    notes = _notes(section)
    for group in section:
        if group in notes:
            continue
        like = any(abs(word.style.size - usual) < ALIKE.size for line in group.lines for word in line.words)
        is_text = group.role in (Role.PARAGRAPH, Role.FOOTNOTE, Role.HEADING)
        if is_text or (like and not _PAGE_NUMBER.fullmatch(group.text)):
            group.role = Role.REFERENCE


def _notes(section: list[LineGroup]) -> set[LineGroup]:
    """The ids of footnotes that stand on the list's pages; none where the entries themselves have raised labels."""
    notes = [group for group in section if group.role == Role.FOOTNOTE and opens_note(group.first)]
    labelled = sum(_raised_label(line) for group in section for line in group.lines)
    return set(notes) if labelled < 2 * len(notes) and labelled <= 4 else set()


def _unnamed(groups: Sequence[LineGroup]) -> list[LineGroup]:
    """The groups of a list without a heading: from the label 1 on, as far as labels count up."""
    expected, entries, start, end = 1, [""], -1, -1
    best: tuple[int, int] | None = None
    for i, group in enumerate(groups):
        if group.role == Role.HEADING and start >= 0:
            expected, start = 1, -1
        if group.role not in _TEXT:
            continue
        for line in group.lines:
            value = _value(line)
            if value == 1 and line is group.first:
                expected, start, entries = 1, i, []
            if start >= 0 and value == expected:
                expected, end = expected + 1, i
                entries.append("")
            if start >= 0 and entries:
                entries[-1] += " " + line.text
        dated = sum(_DATED.search(entry) is not None for entry in entries)
        if start >= 0 and len(entries) >= _FEWEST and dated > AROUND.dated * len(entries):
            best = start, end
    if best is None:
        return _unlabelled(groups)
    last = best[1] + 1
    while last < len(groups) and groups[last].role in _TEXT and _is_rest(groups[last], groups[last - 1]):
        last += 1
    return [group for group in groups[best[0] : last] if group.role in _TEXT]


def _unlabelled(groups: Sequence[LineGroup]) -> list[LineGroup]:
    """The groups of a list without labels whose heading, if any, says nothing: the end of the last section with one."""
    heads = [i for i, group in enumerate(groups) if group.role == Role.HEADING]
    for begin, end in reversed(list(pairwise([-1, *heads, len(groups)]))):
        if section := _entries([group for group in groups[begin + 1 : end] if group.role in _TEXT]):
            return section
    return []


def _entries(section: Sequence[LineGroup]) -> list[LineGroup]:
    """The groups at the end of `section` that are entries: most begin with names and have a year soon."""
    start = last = len(section)
    for i in range(len(section) - 1, -1, -1):
        text = section[i].text
        if _YEAR.search(text[:_ENTRY]) and any(_NAMED.match(line.text) for line in section[i].lines):
            last = i
            start = i if _NAMED.match(text) else start
        elif last - i > _MOST_UNNAMED or not (_DATED.search(text) or "://" in text or len(text) < _PIECE):
            break
    if start <= _MOST_UNNAMED and all(_DATED.search(group.text) or "://" in group.text for group in section[:start]):
        start = 0  # the list fills its section, and its first entries are of no person
    lines = [line for group in section[start:] for line in group.lines]
    names = sum(_NAMED.match(line.text) is not None for line in lines)
    return list(section[start:]) if names >= _FEWEST or _hang_from_names(lines) else []


def _hang_from_names(lines: Sequence[PdfLine]) -> bool:
    """Whether others are set in below the lines that begin with names: then two entries are a list."""
    left = min((line.x0 for line in lines), default=0.0)
    hanging = [line for line in lines if line.x0 - left <= 4]
    names = sum(_NAMED.match(line.text) is not None for line in hanging)
    return len(hanging) < len(lines) and names > max(1, AROUND.dated * len(hanging))


def _is_rest(group: LineGroup, last: LineGroup) -> bool:
    """Whether a group goes on right under the one before."""
    step = group.first.base - last.last.base
    return (
        group.first.page == last.last.page
        and 0 < step < ALIKE.step * last.size
        and abs(group.size - last.size) < ALIKE.size
    )


def _value(line: PdfLine) -> int | None:
    """The number that the line begins with as a label, `[12]`, `12.`, `(12)` or raised."""
    label = REFERENCE_LABEL.match(line.text)
    number = (label["key"] or label["round"] or label["number"]) if label else ""
    if not number and _raised_label(line):
        number = line.words[0].text
    return int(number) if number.isdecimal() and len(number) < 10 else None


def _bare_value(line: PdfLine) -> int | None:
    """The number that the line begins with as a label without a sign, `12 Smith`: only where such count up from 1."""
    match = _BARE_LABEL.match(line.text)
    return int(match[1]) if match and _FRESH.match(line.text[match.end() :]) else None


def _raised_label(line: PdfLine) -> bool:
    """Whether the line begins with a small number that is a label."""
    first = line.words[0]
    return (
        len(line.words) > 1
        and first.text.isdecimal()
        and len(first.text) < 4
        and first.style.size < ALIKE.mark * line.size
    )


def split_references(groups: list[LineGroup]) -> list[LineGroup]:
    """`groups` with every reference in a group of its own."""
    rows = _rows(groups)
    starts = {rows[i].first for i in _starts(rows)}
    row_lines = {line for row in rows for line in row.lines}
    result: list[LineGroup] = []
    current: LineGroup | None = None
    for group in groups:
        if group.role != Role.REFERENCE:
            result.append(group)
            current = None if group.role == Role.HEADING else current
            continue
        for line in group.lines:
            if line not in row_lines:
                settle([line], "furniture", "running heads and page numbers")
                continue
            if current is None or line in starts:
                current = LineGroup([line], group.gap, Role.REFERENCE)
                result.append(current)
            else:
                current.lines.append(line)
    return result


def _rows(groups: list[LineGroup]) -> list[_Row]:
    """The rows of all references, without page numbers."""
    rows: list[_Row] = []
    for i, group in enumerate(groups):
        if group.role != Role.REFERENCE:
            continue
        for line in group.lines:
            last = rows[-1].lines[-1] if rows else None
            if (
                last
                and last.page == line.page
                and abs(last.base - line.base) < ALIKE.row * line.size
                and 0 < line.x0 - last.x1 < 60
            ):
                rows[-1].lines.append(line)
            else:
                rows.append(_Row([line], i))
    return [row for row in rows if not (_PAGE_NUMBER.fullmatch(row.text) and _alone(row, rows))]


def _alone(row: _Row, rows: list[_Row]) -> bool:
    """Whether no other row of the page begins where this one does."""
    return not any(
        other is not row and other.first.page == row.first.page and abs(other.x0 - row.x0) < 3 for other in rows
    )


def _starts(rows: list[_Row]) -> list[int]:
    """The numbers of the rows that begin a reference."""
    for value in (_value, _bare_value):
        labelled = _labelled(rows, value)
        if len(labelled) > max(AROUND.labelled * len(rows), 1 if value is _value else _FEWEST - 1):
            return labelled
    indents = _indents(rows)
    hanging = [i for i, x in enumerate(indents) if x <= 4]
    indented = [i for i, x in enumerate(indents) if x > 4]
    if len(indented) > AROUND.hanging * len(rows) or _hangs(rows, indented):
        return hanging if _freshness(rows, hanging) >= _freshness(rows, indented) else indented
    parted = _parted(rows)
    return [i for i in range(len(rows)) if not i or (i in parted and _is_fresh(rows, i))]


def _hangs(rows: list[_Row], indented: list[int]) -> bool:
    """Whether most rows that are set in go on with a row that fills the column, or with one that is set in."""
    right, deep = max((row.x1 for row in rows), default=0.0), set(indented)
    full = [i - 1 in deep or rows[i - 1].x1 > right - AROUND.hang for i in indented if i]
    return bool(full) and sum(full) >= AROUND.dated * len(indented)


def _parted(rows: list[_Row]) -> set[int]:
    """The rows that are set off: by a paragraph, by white space or a short row above, or that begin with a name."""
    steps = [row.first.base - before.first.base for before, row in pairwise(rows)]
    within = sorted(step for step in steps if step > 0)
    usual = within[len(within) // 4] if within else 0.0
    right = max((row.x1 for row in rows), default=0.0)
    return {
        i
        for i, step in enumerate(steps, 1)
        if rows[i].group != rows[i - 1].group
        or step > AROUND.entry_step * usual
        or rows[i - 1].x1 < right - AROUND.hang
        or _NAMED.match(rows[i].text)
    }


def _labelled(rows: list[_Row], value_of: Callable[[PdfLine], int | None]) -> list[int]:
    """The rows that begin with a label; of numbers those that count up, with a gap of two at most."""
    values = [value_of(row.first) for row in rows]
    numbers = [i for i, value in enumerate(values) if value is not None]
    keys = [
        i
        for i, row in enumerate(rows)
        if values[i] is None and (label := REFERENCE_LABEL.match(row.text)) and label["key"]
    ]
    if len(keys) > len(numbers):
        return keys
    starts: list[int] = []
    last = 0
    for at, i in enumerate(numbers):
        value = values[i] or 0
        skips = last + 1 < value <= last + 3 and all(values[j] != last + 1 for j in numbers[at:])
        if value == last + 1 or skips or value == 1 or not starts:
            starts.append(i)
            last = value
    return starts


def _indents(rows: list[_Row]) -> list[float]:
    """How far each row begins right of its column, which is the leftmost beginning near it. Lines may overhang."""
    beginnings = grouped((row.first.page, row.x0) for row in rows)
    for lefts in beginnings.values():
        lefts.sort()
    return [row.x0 - (lefts := beginnings[row.first.page])[bisect(lefts, row.x0 - AROUND.hang)] for row in rows]


def _freshness(rows: list[_Row], starts: list[int]) -> float:
    """The part of the rows that read like beginnings."""
    return sum(_is_fresh(rows, i) for i in starts) / len(starts) if starts else 0.0


def _is_fresh(rows: list[_Row], i: int) -> bool:
    """Whether a row reads like the beginning of a reference and the one before like the end of one."""
    if not i:
        return True
    before = rows[i - 1].text
    return bool(_FRESH.match(rows[i].text)) and bool(FINISHED.search(before) or _ENDED.search(before))
