"""Headings: which groups of lines are some, which run in, and how deep they are.

Whether a group is a heading is decided by a linear model of how it is set and how it reads. Its weights are in
`headings.json` beside this module; `benchmarks/heading_model.py` makes them from papers whose headings are known. Rules
exclude some groups, and a line that is nothing but a known name of a section is always a heading.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import msgspec

from conspectus.core.text import lazy_pattern
from conspectus.lexicon.word_lists import MONTH, is_back_matter
from conspectus.parse.pdf.lines import Edges, Usual
from conspectus.parse.pdf.page_text import LineGroup, PdfLine, Role, Word, merge_groups, settle_words
from conspectus.parse.pdf.patterns import (
    ABSTRACT,
    FINISHED,
    KNOWN,
    LIST_ITEM,
    NUMBERED,
    THEOREM,
    close_spaced_letters,
    starts_sentence,
    strip_glued_number,
)
from conspectus.parse.pdf.thresholds import ALIKE, ROLES

_MOST_LINES, _LONGEST, _LAST_NUMBER = 3, 140, 20
_NONE = re.compile(
    rf"^{THEOREM}|[;,]$|^(?:[•▪◦·∙●○■□‣➢➤✓*–—-]|\d{{1,3}}:)\s"
    rf"|^(?:\d{{1,2}}\s+)?(?:{MONTH})\.?(?:\s+\d{{1,2}},?)?\s+(?:19|20)\d\d$|@|://",
    re.I,
)
"""Statements, items of lists, lines of programs, dates and addresses."""
_SIGN = re.compile(r"[=<>≤≥≈∼≃≡∝→∫∑∏∂∇|{}]")
_LONG_NUMBER = re.compile(r"\d{3,}")
_Look = tuple[str, float]
_CHAPTER = re.compile(r"(?:chapter|part|appendix)\s+(?:\d{1,2}|[IVX]{1,5}|[A-Z])[.:]?", re.I)
_ENOUGH = 3
_LevelLook = tuple[float, bool, bool, bool]
_ENDS = re.compile(r"[.:–—]$")
_DASH = re.compile(r"[–—-]")
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2}){0,3}[.)]?|[A-Z](?:(?:\.\d{1,2}){1,3}[.)]?|[.)])")
_STATEMENT = lazy_pattern(THEOREM, re.I)
_MOST_WORDS = 12
_LEAST = 2
"""One alone may be a word that somebody wanted to stress."""


class Features(NamedTuple):
    """What speaks for and against a heading: 0 or 1 where no unit is given."""

    size: float
    """Of type: times the text's less 1, at most a half either way."""
    larger: float
    much_smaller: float
    bold: float
    """All of it, in a document whose text is not."""
    italic: float
    numbered: float
    known: float
    """The name of a section that many papers have."""
    gap: float
    """White space above: of the text's distance of lines, less 1, at most 1."""
    ends_early: float
    lines: float
    """More than one, as many."""
    length: float
    """In hundreds of characters."""
    full_stop: float
    colon: float
    signs: float
    """Of formulas."""
    letters: float
    """The part of its signs that are letters of words."""
    symbol: float
    """The name begins with something else than a letter."""
    look_of_known: float
    """It is set in type in which known names of sections are set in the document."""
    look_of_several: float
    """It is set in type in which two other short groups or more are set, and the text is not."""
    text_below: float
    """Text that begins with a capital follows on the page."""
    set_off_early: float
    """Large, bold or in capitals, and it ends before the column does."""
    set_off_apart: float
    """Large, bold or in capitals, with white space above."""
    numbered_set_off: float
    numbered_apart: float
    numbered_font: float
    """It has a number, in a font that the text has not."""
    italic_apart: float
    """One line in italics that reads like a title, with white space above."""


class HeadingModel(msgspec.Struct, frozen=True):
    """Log odds of headings: `intercept` and a weight for each of `Features`."""

    intercept: float
    weights: dict[str, float]

    def odds(self, features: Features) -> float:
        """Above 0 where it is rather a heading."""
        pairs = zip(Features._fields, features, strict=True)
        return self.intercept + sum(self.weights[name] * value for name, value in pairs)


@cache
def load_model() -> HeadingModel:
    """The model, read once."""
    data = files("conspectus.parse.pdf").joinpath("headings.json").read_bytes()
    return msgspec.json.decode(data, type=HeadingModel)


def is_heading(features: Features) -> bool:
    """Whether what has these features is a heading: names of sections are, however they look."""
    return bool(features.known) or load_model().odds(features) > 0


class Headings:
    """Tells which groups of a document are headings."""

    def __init__(self, pages: Sequence[Sequence[LineGroup]], body: Usual, edges: dict[PdfLine, Edges]) -> None:
        self._body, self._edges = body, edges
        self._below = {group: below for page in pages for group, below in itertools.pairwise(page)}
        self._names = {
            group: _name(group.text) for page in pages for group in page if not group.role and _can_be(group)
        }
        usual = body.font, round(body.size, 1)
        short = [group for group in self._names if not FINISHED.search(group.text) and _look(group) != usual]
        self._known = {_look(group) for group in short if self._is_known(group)}
        self._several = {look for look, count in Counter(map(_look, short)).items() if count > 2}

    def __contains__(self, group: LineGroup) -> bool:
        features = self.features(group)
        return features is not None and is_heading(features)

    def _is_known(self, group: LineGroup) -> bool:
        return len(group.lines) == 1 and KNOWN.fullmatch(self._names[group]) is not None

    def features(self, group: LineGroup) -> Features | None:
        """What speaks for and against it; None where it can be none."""
        if group not in self._names:
            return None
        text, body, name = group.text, self._body, self._names[group]
        first, edge, below = group.first, self._edges[group.last], self._below.get(group)
        size = (max(word.style.size for word in first.words) if first.small_caps else group.size) / body.size
        number = NUMBERED.fullmatch(text)
        numbered = number is not None and _counts(number)
        bold = group.bold and not body.bold
        capitals = text.isupper() and sum(map(str.isalpha, text)) > 4
        gap = group.gap * body.size / body.leading
        set_off, apart = size > ROLES.large or bold or capitals, gap > ROLES.gap
        early = group.last.x1 < edge.right - ROLES.short * edge.width or len(group.lines) > 1
        other = first.style.font != body.font
        ended = FINISHED.search(text) is not None and not text.endswith(("?", "!"))
        follows = below is not None and abs(below.size - body.size) < ALIKE.text * body.size
        return Features(
            size=max(min(size - 1, 0.5), -0.5),
            larger=size > ROLES.large,
            much_smaller=size < ROLES.much_smaller,
            bold=bold,
            italic=first.italic and other,
            numbered=numbered,
            known=self._is_known(group),
            gap=min(gap, 2.0) - 1,
            ends_early=early,
            lines=len(group.lines) - 1,
            length=len(text) / 100,
            full_stop=ended and not text.endswith(":"),
            colon=text.endswith(":"),
            signs=_SIGN.search(name) is not None,
            letters=sum(line.word_letters for line in group.lines) / len(text.replace(" ", "")),
            symbol=not name[:1].isalpha(),
            look_of_known=_look(group) in self._known,
            look_of_several=_look(group) in self._several,
            text_below=below is not None and follows and starts_sentence(below.text) and below.first.wordlike > 3,
            set_off_early=set_off and early,
            set_off_apart=set_off and apart,
            numbered_set_off=numbered and set_off,
            numbered_apart=numbered and apart,
            numbered_font=numbered and other,
            italic_apart=first.italic and other and apart and _like_title(name),
        )


def _can_be(group: LineGroup) -> bool:
    """Whether nothing forbids that the group is a heading."""
    text = group.text
    if len(group.lines) > _MOST_LINES or len(text) > _LONGEST or text[:1].islower() or _NONE.search(text):
        return False
    return any(line.wordlike for line in group.lines) or KNOWN.fullmatch(_name(text)) is not None


def _name(text: str) -> str:
    """The heading without its number."""
    match = NUMBERED.fullmatch(text)
    return strip_glued_number(close_spaced_letters(match["name"] or "" if match else text))


def _look(group: LineGroup) -> _Look:
    return group.first.words[-1].style.font, round(group.size, 1)


def _counts(numbered: re.Match[str]) -> bool:
    """Whether the number can be a section's: not a year, not a list's."""
    number = numbered["arabic"]
    return not number or int(number.split(".")[0]) <= _LAST_NUMBER


def _like_title(name: str) -> bool:
    return starts_sentence(name) and "," not in name and not _SIGN.search(name) and not _LONG_NUMBER.search(name)


def join_headings(groups: list[LineGroup]) -> list[LineGroup]:
    """`groups` with `Chapter 3` and the chapter's name, printed below it, made one heading."""

    def goes_on(before: LineGroup, group: LineGroup) -> bool:
        return before.role == group.role == Role.HEADING and _CHAPTER.fullmatch(before.text) is not None

    return merge_groups(groups, goes_on)


def drop_strangers(headings: list[LineGroup], body: Usual) -> None:
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


def _family(heading: LineGroup) -> str:
    """The first letters of the font's name, which the fonts of a family share."""
    return heading.first.style.font[:2]


def set_levels(headings: list[LineGroup]) -> None:
    """Sets `level`: by numbers, else by looks (those of numbered headings, size, weight). Run-ins are deepest."""
    display_headings = [heading for heading in headings if not heading.run_in]
    _set_levels(display_headings)
    deepest = max((heading.level for heading in display_headings), default=0)
    for heading in headings:
        if heading.run_in:
            heading.level = min(deepest + 1, 5)


def _set_levels(headings: list[LineGroup]) -> None:
    romans = any((match := NUMBERED.fullmatch(h.text)) and match["roman"] for h in headings)
    depths = {h: _depth(h.text, romans=romans) for h in headings}
    depth_of: dict[_LevelLook, int] = {}
    for heading in headings:
        if depths[heading]:
            depth_of.setdefault(_level_look(heading), depths[heading])
    unnumbered = [h for h in headings if not depths[h] and not ABSTRACT.fullmatch(h.text)]
    looks = sorted({_level_look(h) for h in unnumbered}, key=lambda look: (-look[0], not look[1], not look[3], look[2]))
    rank = 0
    for look in looks:
        if look not in depth_of:
            rank += 1
            depth_of[look] = min(rank, 4)
    for heading in headings:
        known = ABSTRACT.fullmatch(heading.text) or (KNOWN.fullmatch(heading.text) and heading.text.isupper())
        heading.level = depths[heading] or (1 if known else depth_of[_level_look(heading)])


def _level_look(heading: LineGroup) -> _LevelLook:
    line = heading.lines[-1]
    return round(heading.size * 2) / 2, line.bold, line.italic, heading.text.isupper()


def _depth(text: str, *, romans: bool) -> int:
    """How deep the heading's number says it is; 0 without a number. Letters are below Roman numerals (`romans`)."""
    if _CHAPTER.match(text):
        return 1
    match = NUMBERED.fullmatch(text)
    if not match:
        return 0
    if match["arabic"]:
        points = match["arabic"].count(".")
        return 3 if romans and not points else points + 1
    if match["letter"]:
        return match["letter"].count(".") + (2 if romans else 1)
    return 1


def split_run_ins(groups: list[LineGroup], body: Usual) -> list[LineGroup]:
    """`groups` with the run-in headings taken off their paragraphs, where the document has some."""
    if body.bold:
        return groups
    run_ins = {group: count for group in groups if (count := _run_in(group))}
    if len(run_ins) < _LEAST:
        run_ins = {
            group: count
            for group, count in run_ins.items()
            if is_back_matter(" ".join(word.text for word in group.first.words[:count]))
        }
    split: list[LineGroup] = []
    for group in groups:
        count = run_ins.get(group, 0)
        if count:
            split.append(_cut(group, count))
        split.append(group)
    return split


def _run_in(group: LineGroup) -> int:
    """How many words of the first line are a run-in heading; 0 for none."""
    words = group.first.words
    if group.role != Role.PARAGRAPH or len(group.lines) < 2:
        return 0
    start = _number(words)
    if start < 0 or start >= len(words) - 1 or not words[start].text[:1].isupper():
        return 0
    bold, italic = words[start].style.bold, words[start].style.italic and start > 0
    count = next((i for i in range(start, len(words)) if not _stands_out(words[i], bold=bold, italic=italic)), 0)
    texts = [word.text.rstrip(".:") for word in words[start:count]]
    if not start < count <= _MOST_WORDS or not any(len(text) > 3 and text.isalpha() for text in texts):
        return 0
    if _STATEMENT.match(" ".join(word.text for word in words[start:count])):
        return 0
    dash = _DASH.fullmatch(words[count].text) is not None
    return count if (_ENDS.search(words[count - 1].text) or dash) and not words[count].glued else 0


def _number(words: list[Word]) -> int:
    """How many words of the line are a section's number; -1 where it begins like an item of a list."""
    if not LIST_ITEM.match(words[0].text) and not _SECTION.fullmatch(words[0].text):
        return 0
    several = words[0].text.rstrip(".").count(".") > 0
    return 1 if _SECTION.fullmatch(words[0].text) and (several or words[0].style.bold) else -1


def _stands_out(word: Word, *, bold: bool, italic: bool) -> bool:
    return not word.raised and ((bold and word.style.bold) or (not bold and italic and word.style.italic))


def _cut(group: LineGroup, count: int) -> LineGroup:
    """Takes the first `count` words off `group`, and a dash behind them; returns them as a heading."""
    line = group.first
    rest = line.words[count:]
    if _DASH.fullmatch(rest[0].text):
        settle_words(rest[:1], "text", "dashes behind headings")
        rest = rest[1:]
    if rest:
        rest[0].glued = False
        group.lines[0] = PdfLine(line.page, rest)
    else:
        del group.lines[0]
    numbered = _SECTION.fullmatch(line.words[0].text) is not None
    return LineGroup([PdfLine(line.page, line.words[:count])], group.gap, Role.HEADING, run_in=not numbered)
