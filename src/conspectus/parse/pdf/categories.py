"""Lines of categories, dates and rights that journals print around an abstract, taken out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from conspectus.core.patterns import lazy_pattern
from conspectus.lexicon.calendar import MONTH
from conspectus.lexicon.sections import OTHER, headings
from conspectus.parse.dates import date_in
from conspectus.parse.pdf.groups import Group, Role
from conspectus.parse.pdf.model import Line

_LABELS = (
    ("keywords", r"key\s?-?words?(?:\s++and\s++phrases)?|index\s++terms|subject\s++(?:headings|terms)|descriptors"
     r"|unified\s++astronomy\s++thesaurus\s++concepts|" + headings("keywords", languages=(OTHER,))),
    ("pacs", r"PACS(?:\s++(?:numbers?|nos?\.?|codes?))?"),
    ("msc", r"(?:AMS\s++)?(?:(?:19|20)\d\d\s++)?(?:AMS\s++)?(?:mathematics\s++)?subject\s++classifications?"
     r"(?:\s*+\((?:MSC\s*+)?(?:19|20)?\d*\))?|MSC(?:\s*+\(?(?:19|20)\d\d\)?)?(?:\s++(?:codes?|classification))?"),
    ("jel", r"JEL(?:\s++classifications?)?(?:\s++(?:codes?|numbers?))?"),
    ("ccs", r"CCS\s++concepts?|categories\s++and\s++subject\s++descriptors|general\s++terms|ACM\s++classification"),
)  # fmt: skip
CODES = ("pacs", "msc", "jel", "ccs")
"""Kinds of lists whose text is kept as printed."""
_MARK = r"\s*+(?:[.:：—–]+-?|-)\s*+"
_DAY = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s++(?:{MONTH})\b|(?:{MONTH})\b\.?\s++\d|\d{{4}}-\d\d|\d{{1,2}}[./]\d{{1,2}}[./]\d)"
)
_DATED = (
    r"(?:received|revised|accepted|submitted|published)(?:\s++online|\s++in\s++(?:revised|final)\s++form)?\s*+[:;,]?"
    rf"\s*+(?:on\s++)?\(?(?={_DAY})"
)
_RIGHTS = (
    r"(?:copyright\b\s*+(?:\(c\)|©)?|\(c\)|©)\s*+(?:by\s++)?(?:the\s++authors?\b|(?:19|20)\d\d\b"
    r"|[A-Z][\w &.]{2,40}\b(?:19|20)\d\d\b)"
)
_STARTS = re.compile(
    "|".join(f"(?P<{name}>{label}){_MARK}" for name, label in _LABELS) + f"|(?P<dates>{_DATED})|(?P<rights>{_RIGHTS})",
    re.I,
)
"""A label with its mark; behind it the categories."""
_ALONE = re.compile("|".join(f"(?P<{name}>{label})" for name, label in _LABELS), re.I)
_ENDED = re.compile(r"[.!?:;)\]][\"”’]?$")
_DATE = lazy_pattern(rf"(?P<what>received|revised|accepted)\b[^\d]{{0,40}}?(?P<date>{_DAY}.{{0,7}})", re.I)


def label_at(text: str) -> tuple[str, int]:
    """What the text is a list of by the label that it begins with, and where the list begins; "" and 0 for others."""
    found = _STARTS.match(text) or _ALONE.fullmatch(text)
    if found is None or text[:1].islower():
        return "", 0
    whole = found.lastgroup in ("dates", "rights")
    return found.lastgroup or "", 0 if whole else found.end()


def split_categories(groups: list[Group]) -> list[Group]:
    """The groups, cut where such a list begins within one: in a line, or behind a full stop in the middle of one."""
    return [part for group in groups for part in _split(group)]


def _split(group: Group) -> Iterator[Group]:
    lines = [piece for line in group.lines for piece in _pieces(line)]
    at: list[int] = []
    for i in range(1, len(lines)):
        listed = bool(at) or label_at(lines[0].text)[0]  # behind one list another may begin anywhere
        if (listed or _ENDED.search(lines[i - 1].text)) and label_at(lines[i].text)[0]:
            at.append(i)
    if not at:
        yield group
        return
    bounds = [0, *at, len(lines)]
    for begin, end in pairwise(bounds):
        role = Role.FRONT if label_at(lines[begin].text)[0] else group.role
        yield Group(lines[begin:end], group.gap if not begin else 0.0, role, group.level, group.run_in)


def _pieces(line: Line) -> list[Line]:
    """The line, cut behind full stops where a label follows."""
    ends = [i for i in range(1, len(line.words)) if _ENDED.search(line.words[i - 1].text)]
    starts = [i for i in ends if label_at(Line(line.page, line.words[i:]).text)[0]]
    pieces = [line]
    for i in reversed(starts):
        pieces.insert(1, line.cut(i))
    return pieces


def dates_in(text: str) -> dict[str, str]:
    """`received`, `revised` and `accepted` with their dates (ISO 8601), as far as the text says them."""
    found = ((match["what"].lower(), date_in(match["date"])) for match in _DATE.finditer(text))
    return {what: date for what, date in found if date}
