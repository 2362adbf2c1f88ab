"""Headings that run in: bold or italic words at a paragraph's beginning, set off by a stop, a colon or a dash."""

from __future__ import annotations

import re

from conspectus.parse.pdf.measure import Usual
from conspectus.parse.pdf.model import Line, Word
from conspectus.parse.pdf.paragraphs import Group
from conspectus.parse.pdf.patterns import LIST_ITEM

_ENDS = re.compile(r"[.:–—]$")
_DASH = re.compile(r"[–—-]")
_MOST_WORDS = 12
_LEAST = 2
"""One alone may be a word that somebody wanted to stress."""


def split_run_ins(groups: list[Group], body: Usual) -> list[Group]:
    """`groups` with the run-in headings taken off their paragraphs, where the document has some."""
    if body.bold:
        return groups
    found = {id(group): count for group in groups if (count := _run_in(group))}
    if len(found) < _LEAST:
        return groups
    split: list[Group] = []
    for group in groups:
        count = found.get(id(group), 0)
        if count:
            split.append(_cut(group, count))
        split.append(group)
    return split


def _run_in(group: Group) -> int:
    """How many words of the first line are a run-in heading; 0 for none."""
    words = group.first.words
    if group.role != "paragraph" or LIST_ITEM.match(group.text) or len(group.lines) < 2:
        return 0
    count = next((i for i, word in enumerate(words) if not _stands_out(word, words[0])), 0)
    if not 0 < count <= _MOST_WORDS or not words[0].text[:1].isupper():
        return 0
    if not any(len(word.text) > 3 and word.text.isalpha() for word in words[:count]):
        return 0
    dash = _DASH.fullmatch(words[count].text) is not None
    return count if (_ENDS.search(words[count - 1].text) or dash) and not words[count].glued else 0


def _stands_out(word: Word, first: Word) -> bool:
    return word.style.bold and first.style.bold and not word.raised


def _cut(group: Group, count: int) -> Group:
    """Takes the first `count` words off `group`, and a dash behind them; returns them as a heading."""
    line = group.first
    rest = line.words[count:]
    if _DASH.fullmatch(rest[0].text):
        rest = rest[1:]
    if rest:
        rest[0].glued = False
        group.lines[0] = Line(line.page, rest)
    else:
        del group.lines[0]
    return Group([Line(line.page, line.words[:count])], group.gap, "heading", run_in=True)
