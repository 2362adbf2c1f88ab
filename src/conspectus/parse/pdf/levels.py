"""Headings that run in, and how deep headings are: by their numbers, else by their looks."""

from __future__ import annotations

import re

from conspectus.core.patterns import lazy_pattern
from conspectus.lexicon.sections import is_back_matter
from conspectus.parse.pdf.accounts import settle_words
from conspectus.parse.pdf.groups import Group, Role, merged
from conspectus.parse.pdf.measure import Usual
from conspectus.parse.pdf.model import Line, Word
from conspectus.parse.pdf.patterns import ABSTRACT, KNOWN, LIST_ITEM, NUMBERED, THEOREM

_CHAPTER = re.compile(r"(?:chapter|part|appendix)\s+(?:\d{1,2}|[IVX]{1,5}|[A-Z])[.:]?", re.I)
_ENOUGH = 3
_Look = tuple[float, bool, bool, bool]
_ENDS = re.compile(r"[.:–—]$")
_DASH = re.compile(r"[–—-]")
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,3}[.)]?|[A-Z](?:(?:\.\d{1,2}){1,3}[.)]?|[.)])")
_STATEMENT = lazy_pattern(THEOREM, re.I)
_MOST_WORDS = 12
_LEAST = 2
"""One alone may be a word that somebody wanted to stress."""


def join_headings(groups: list[Group]) -> list[Group]:
    """`groups` with `Chapter 3` and the chapter's name, printed below it, made one heading."""

    def goes_on(before: Group, group: Group) -> bool:
        return before.role == group.role == Role.HEADING and _CHAPTER.fullmatch(before.text) is not None

    return merged(groups, goes_on)


def drop_strangers(headings: list[Group], body: Usual) -> None:
    """Makes `float` of headings that only look like some: titles of plots, output of programs.

    Where the sections are numbered, a heading without a number in a family of fonts that neither they nor the text have
    is none.
    """
    numbered = [h for h in headings if not h.run_in and NUMBERED.fullmatch(h.text) and _depth(h.text, romans=False)]
    if len(numbered) < _ENOUGH:
        return
    families = {_family(h) for h in numbered} | {body.font[:2]}
    for heading in headings:
        known = NUMBERED.fullmatch(heading.text) or KNOWN.fullmatch(heading.text) or _CHAPTER.match(heading.text)
        if not known and not heading.run_in and _family(heading) not in families:
            heading.role = Role.FLOAT


def _family(heading: Group) -> str:
    """The first letters of the font's name, which the fonts of a family share."""
    return heading.first.style.font[:2]


def set_levels(headings: list[Group]) -> None:
    """Sets `level`: by numbers, else by looks (those of numbered headings, size, weight). Run-ins are deepest."""
    apart = [heading for heading in headings if not heading.run_in]
    _set_levels(apart)
    deepest = max((heading.level for heading in apart), default=0)
    for heading in headings:
        if heading.run_in:
            heading.level = min(deepest + 1, 5)


def _set_levels(headings: list[Group]) -> None:
    romans = any((found := NUMBERED.fullmatch(h.text)) and found["roman"] for h in headings)
    depths = {h: _depth(h.text, romans=romans) for h in headings}
    depth_of: dict[_Look, int] = {}
    for heading in headings:
        if depths[heading]:
            depth_of.setdefault(_look(heading), depths[heading])
    own = [h for h in headings if not depths[h] and not ABSTRACT.fullmatch(h.text)]
    looks = sorted({_look(h) for h in own}, key=lambda look: (-look[0], not look[1], not look[3], look[2]))
    rank = 0
    for look in looks:
        if look not in depth_of:
            rank += 1
            depth_of[look] = min(rank, 4)
    for heading in headings:
        known = ABSTRACT.fullmatch(heading.text) or (KNOWN.fullmatch(heading.text) and heading.text.isupper())
        heading.level = depths[heading] or (1 if known else depth_of[_look(heading)])


def _look(heading: Group) -> _Look:
    line = heading.lines[-1]
    return round(heading.size * 2) / 2, line.bold, line.italic, heading.text.isupper()


def _depth(text: str, *, romans: bool) -> int:
    """How deep the heading's number says it is; 0 without a number. Letters are below Roman numerals (`romans`)."""
    if _CHAPTER.match(text):
        return 1
    found = NUMBERED.fullmatch(text)
    if not found:
        return 0
    if found["arabic"]:
        points = found["arabic"].count(".")
        return 3 if romans and not points else points + 1
    if found["letter"]:
        return found["letter"].count(".") + (2 if romans else 1)
    return 1


def split_run_ins(groups: list[Group], body: Usual) -> list[Group]:
    """`groups` with the run-in headings taken off their paragraphs, where the document has some."""
    if body.bold:
        return groups
    found = {group: count for group in groups if (count := _run_in(group))}
    if len(found) < _LEAST:
        found = {group: count for group, count in found.items() if is_back_matter(_words(group, count))}
    split: list[Group] = []
    for group in groups:
        count = found.get(group, 0)
        if count:
            split.append(_cut(group, count))
        split.append(group)
    return split


def _words(group: Group, count: int) -> str:
    return " ".join(word.text for word in group.first.words[:count])


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
    if not LIST_ITEM.match(words[0].text) and not _SECTION.fullmatch(words[0].text):
        return 0
    several = words[0].text.rstrip(".").count(".") > 0
    return 1 if _SECTION.fullmatch(words[0].text) and (several or words[0].style.bold) else -1


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
    numbered = _SECTION.fullmatch(line.words[0].text) is not None
    return Group([Line(line.page, line.words[:count])], group.gap, Role.HEADING, run_in=not numbered)
