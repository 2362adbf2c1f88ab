"""Headings that run in: bold words (behind a number also italic ones) that begin a paragraph and end in a stop,
a colon or a dash."""

from __future__ import annotations

import re

from conspectus.core.patterns import late
from conspectus.parse.pdf.accounts import settle_words
from conspectus.parse.pdf.groups import Group, Role
from conspectus.parse.pdf.measure import Usual
from conspectus.parse.pdf.model import Line, Word
from conspectus.parse.pdf.patterns import LIST_ITEM, THEOREM

_ENDS = re.compile(r"[.:–—]$")
_DASH = re.compile(r"[–—-]")
_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,3}[.)]?|[A-Z](?:(?:\.\d{1,2}){1,3}[.)]?|[.)])")
_STATEMENT = late(THEOREM, re.I)
_MOST_WORDS = 12
_LEAST = 2
"""One alone may be a word that somebody wanted to stress."""


def split_run_ins(groups: list[Group], body: Usual) -> list[Group]:
    """`groups` with the run-in headings taken off their paragraphs, where the document has some."""
    if body.bold:
        return groups
    found = {group: count for group in groups if (count := _run_in(group))}
    if len(found) < _LEAST:
        return groups
    split: list[Group] = []
    for group in groups:
        count = found.get(group, 0)
        if count:
            split.append(_cut(group, count))
        split.append(group)
    return split


def _run_in(group: Group) -> int:
    """How many words of the first line are a run-in heading; 0 for none."""
    words = group.first.words
    if group.role != Role.PARAGRAPH or len(group.lines) < 2:
        return 0
    start = _number(words)
    if start < 0 or start >= len(words) - 1 or not words[start].text[:1].isupper():
        return 0
    bold, italic = words[start].style.bold, words[start].style.italic and start > 0
    count = next((i for i in range(start, len(words)) if not _stands_out(words[i], bold=bold, italic=italic)), 0)
    if not start < count <= _MOST_WORDS or not any(map(_is_word, words[start:count])):
        return 0
    if _STATEMENT.match(" ".join(word.text for word in words[start:count])):
        return 0
    dash = _DASH.fullmatch(words[count].text) is not None
    return count if (_ENDS.search(words[count - 1].text) or dash) and not words[count].glued else 0


def _is_word(word: Word) -> bool:
    text = word.text.rstrip(".:")
    return len(text) > 3 and text.isalpha()


def _number(words: list[Word]) -> int:
    """How many words of the line are a section's number; -1 where it begins like an item of a list."""
    if not LIST_ITEM.match(words[0].text) and not _NUMBER.fullmatch(words[0].text):
        return 0
    several = words[0].text.rstrip(".").count(".") > 0
    return 1 if _NUMBER.fullmatch(words[0].text) and (several or words[0].style.bold) else -1


def _stands_out(word: Word, *, bold: bool, italic: bool) -> bool:
    return not word.raised and ((bold and word.style.bold) or (not bold and italic and word.style.italic))


def _cut(group: Group, count: int) -> Group:
    """Takes the first `count` words off `group`, and a dash behind them; returns them as a heading."""
    line = group.first
    rest = line.words[count:]
    if _DASH.fullmatch(rest[0].text):
        settle_words(rest[:1], "text", "dashes behind headings")
        rest = rest[1:]
    if rest:
        rest[0].glued = False
        group.lines[0] = Line(line.page, rest)
    else:
        del group.lines[0]
    numbered = _NUMBER.fullmatch(line.words[0].text) is not None
    return Group([Line(line.page, line.words[:count])], group.gap, Role.HEADING, run_in=not numbered)
