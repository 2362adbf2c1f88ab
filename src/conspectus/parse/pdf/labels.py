"""What captions, footnotes and formulas are called."""

from __future__ import annotations

import re

from conspectus.parse.pdf.accounts import settle_words
from conspectus.parse.pdf.groups import Group, Role
from conspectus.parse.pdf.model import Line
from conspectus.parse.pdf.paragraphs import opens_note
from conspectus.parse.pdf.patterns import CAPTION, LABEL_ONLY, LABELLED

_NOTE_MARK = re.compile(r"(?P<mark>\d{1,2}|[*†‡§¶∗]{1,3}|[a-z])(?P<rest>[.)]?)(?=\s|$)")


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
