"""Whether a group of lines is a heading: a linear model over how it is set and how it reads.

The weights are in `headings.json` beside this module; `benchmarks/heading_model.py` makes them from papers whose
headings are known. Rules say what can be none, and that a line that is nothing but a known name of a section is one.
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

from conspectus.lexicon.calendar import MONTH
from conspectus.parse.pdf.groups import Group
from conspectus.parse.pdf.measure import Edges, Usual
from conspectus.parse.pdf.model import Line
from conspectus.parse.pdf.patterns import FINISHED, KNOWN, NUMBERED, THEOREM, unglued, unspaced
from conspectus.parse.pdf.prose import starts_sentence
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


class Model(msgspec.Struct, frozen=True):
    """Log odds of headings: `intercept` and a weight for each of `Features`."""

    intercept: float
    weights: dict[str, float]

    def odds(self, found: Features) -> float:
        """Above 0 where it is rather a heading."""
        pairs = zip(Features._fields, found, strict=True)
        return self.intercept + sum(self.weights[name] * value for name, value in pairs)


@cache
def model() -> Model:
    """The model, read once."""
    data = files("conspectus.parse.pdf").joinpath("headings.json").read_bytes()
    return msgspec.json.decode(data, type=Model)


def is_told(found: Features) -> bool:
    """Whether what has these features is a heading: names of sections are, however they look."""
    return bool(found.known) or model().odds(found) > 0


class Headings:
    """Tells which groups of a document are headings."""

    def __init__(self, pages: Sequence[Sequence[Group]], body: Usual, edges: dict[Line, Edges]) -> None:
        self._body, self._edges = body, edges
        self._below = {one: below for page in pages for one, below in itertools.pairwise(page)}
        self._names = {
            group: _name(group.text) for page in pages for group in page if not group.role and _can_be(group)
        }
        usual = body.font, round(body.size, 1)
        short = [group for group in self._names if not FINISHED.search(group.text) and _look(group) != usual]
        self._known = {_look(group) for group in short if self._is_known(group)}
        self._several = {look for look, count in Counter(map(_look, short)).items() if count > 2}

    def __contains__(self, group: Group) -> bool:
        found = self.features(group)
        return found is not None and is_told(found)

    def _is_known(self, group: Group) -> bool:
        return len(group.lines) == 1 and KNOWN.fullmatch(self._names[group]) is not None

    def features(self, group: Group) -> Features | None:
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


def _can_be(group: Group) -> bool:
    """Whether nothing forbids that the group is a heading."""
    text = group.text
    if len(group.lines) > _MOST_LINES or len(text) > _LONGEST or text[:1].islower() or _NONE.search(text):
        return False
    return any(line.wordlike for line in group.lines) or KNOWN.fullmatch(_name(text)) is not None


def _name(text: str) -> str:
    """The heading without its number."""
    found = NUMBERED.fullmatch(text)
    return unglued(unspaced(found["name"] or "" if found else text))


def _look(group: Group) -> _Look:
    return group.first.words[-1].style.font, round(group.size, 1)


def _counts(numbered: re.Match[str]) -> bool:
    """Whether the number can be a section's: not a year, not a list's."""
    number = numbered["arabic"]
    return not number or int(number.split(".")[0]) <= _LAST_NUMBER


def _like_title(name: str) -> bool:
    return starts_sentence(name) and "," not in name and not _SIGN.search(name) and not _LONG_NUMBER.search(name)
