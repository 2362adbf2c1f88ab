"""Front matter on the first page: authors, abstract, keywords, dates, rights, and what else stands before the text.

Front matter is what is identified as such: title, names, lists with a label, rights, notes in the margin, and whatever
else above the text does not read as prose. Where the text begins is decided by layout and by how it is written, in any
language; the heading of an abstract only labels it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from conspectus.core.text import lazy_pattern
from conspectus.lexicon.word_lists import MONTH, OTHER, headings
from conspectus.parse.pdf.authors import AuthorFinder, names_in_lines
from conspectus.parse.pdf.lines import Usual
from conspectus.parse.pdf.metadata import FRONT_LINE, SMALL_PRINT, imprint_venue
from conspectus.parse.pdf.page_text import LineGroup, PdfLine, Role, settle_words
from conspectus.parse.pdf.patterns import ABSTRACT, KNOWN, NUMBERED, extent, reads_as_prose
from conspectus.parse.pdf.thresholds import ALIKE, AROUND, ROLES
from conspectus.parse.text.dates import date_in
from conspectus.records import Author

_STRUCTURED = re.compile(
    r"(?:background|objectives?|aims?|purpose|methods?|materials? and methods|results?|findings"
    r"|conclusions?|significance|importance"
    r"|interpretation|methodology/principal findings|conclusions?/significance|trial registration|context"
    r"|setting|design)[.:]?",
    re.I,
)
_LONGEST_ABSTRACT = 5000
_SHORTEST_ABSTRACT = 200
_LAST_PAGE_OF_ABSTRACT = 8
_PAGES_OF_NAMES = 4
_LINES_OF_IMPRINT = 2
_LINES_OF_TEXT = 3
_LONG_WORD = 20
_UNNAMED = (Role.PARAGRAPH, Role.FLOAT)
_NO_NOTES = (Role.HEADING, Role.REFERENCE)
_READ = (Role.PARAGRAPH, Role.FOOTNOTE, Role.FLOAT, Role.HEADING)
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


@dataclass
class Front:
    """What the layout of the first page says: also lists by their kind (`keywords`, `pacs` …), and dates by theirs."""

    title: LineGroup | None = None
    authors: list[Author] = field(default_factory=list)
    categories: dict[str, str] = field(default_factory=dict)
    dates: dict[str, str] = field(default_factory=dict)


def _ends_front(group: LineGroup) -> bool:
    return ABSTRACT.match(group.text) is not None or _begins_text(group)


def _begins_text(group: LineGroup) -> bool:
    """Whether the group is the first heading of the text, or a paragraph of it."""
    match = KNOWN.fullmatch(group.text) or NUMBERED.fullmatch(group.text)
    heads = group.role == Role.HEADING and match is not None and not names_in_lines(group.lines)
    return heads or _is_paragraph(group)


def _is_paragraph(group: LineGroup) -> bool:
    """Whether the group is as long as a paragraph of the text, and reads like one."""
    return extent(group.text) > _SHORTEST_ABSTRACT and reads_as_prose(group.text)


def is_set_as_text(group: LineGroup, body: Usual) -> bool:
    """Whether the group is prose of several lines in the text's size: whatever it begins with, it is no small print."""
    as_large = group.size > body.size * (1 - ALIKE.text)
    return as_large and len(group.lines) >= _LINES_OF_TEXT and _is_paragraph(group)


def mark_front(
    pages: list[list[LineGroup]], title: LineGroup | None, edges_left: float, edges_right: float, body: Usual
) -> Front:
    """Gives the first page's groups the roles `front` and `abstract`, and margin notes the role `front`.

    Args:
        pages: The groups of every page, with their roles so far.
        title: The title as `find_title` found it.
        edges_left: The left edge of the document's text.
        edges_right: The right edge of the document's text.
        body: What is usual in the document's text.
    """
    front = Front(title)
    for group in pages[0]:
        if all(line.x1 < edges_left + 2 or line.x0 > edges_right - 2 for line in group.lines):
            group.role = Role.FRONT
    begin = next((i for i, group in enumerate(pages[0]) if _is_section(group)), len(pages[0]))
    pages[0][:begin] = [part for group in pages[0][:begin] for part in _split_categories(group)]
    first = [group for group in pages[0] if group.role != Role.FRONT or label_at(group.text)[0]]
    if title is not None:
        front.authors = AuthorFinder(_ends_front).find([first, *pages[1:_PAGES_OF_NAMES]], title)
    _mark_small_print(first, body)
    _mark_imprint(first)
    if title is not None and _is_title_page(pages):
        for group in first:
            group.role = Role.FRONT
    _mark_title(first, title, body)
    _mark_categories(first, front)
    _mark_abstract(_where_abstracts_are(first, pages), front)
    return front


def _is_title_page(pages: list[list[LineGroup]]) -> bool:
    """Whether the first page has no running text and a later one has some, as in a thesis or a report."""
    first, *later = pages
    if any(ABSTRACT.match(group.text) or reads_as_prose(group.text) for group in first):
        return False
    return any(_is_paragraph(group) for page in later for group in page)


def _where_abstracts_are(first: list[LineGroup], pages: list[list[LineGroup]]) -> list[LineGroup]:
    """The groups of the first two pages, or of the first pages up to one with the abstract's heading."""
    for count in range(2, min(len(pages), _LAST_PAGE_OF_ABSTRACT) + 1):
        later = [group for page in pages[1:count] for group in page]
        if any(g.role == Role.HEADING and ABSTRACT.fullmatch(g.text) for g in later):
            return first + later
        if any(g.role == Role.HEADING and NUMBERED.fullmatch(g.text) for g in later):
            break
    return first + [group for page in pages[1:2] for group in page]


def _mark_small_print(groups: list[LineGroup], body: Usual) -> None:
    """What publishers print about rights and how to cite becomes front matter."""
    for i, group in enumerate(groups):
        if group.role in _READ and SMALL_PRINT.match(group.text) and not is_set_as_text(group, body):
            group.role = Role.FRONT
            name_only = len(group.text) < 30 and i + 1 < len(groups)
            if name_only and groups[i + 1].role == Role.PARAGRAPH:
                groups[i + 1].role = Role.FRONT


def _mark_imprint(groups: list[LineGroup]) -> None:
    """The line with the journal's name, or an identifier, at the foot of a first page becomes front matter."""
    lowest = max((group.last.base for group in groups), default=0.0)
    for group in groups:
        at_foot = len(group.lines) <= _LINES_OF_IMPRINT and group.first.base > lowest - AROUND.imprint * group.size
        if at_foot and group.role in _READ and (imprint_venue(group.text) or _is_identifier(group)):
            group.role = Role.FRONT


def _is_identifier(group: LineGroup) -> bool:
    """Whether the group is hardly more than one long word with digits, such as the id of archived software."""
    longest = max(group.text.split(), key=len, default="")
    digits = any(map(str.isdigit, longest))
    return group.role in _UNNAMED and digits and len(longest) > max(_LONG_WORD, 0.5 * len(group.text))


def _mark_title(groups: list[LineGroup], title: LineGroup | None, body: Usual) -> None:
    """Everything from the top to the title's end is front matter."""
    if title is None:
        return
    lines = set(title.lines)
    small: LineGroup | None = None
    for group in groups:
        above = any(line in lines for line in group.lines) or group.last.base < title.first.base
        about = group.role not in _NO_NOTES and FRONT_LINE.match(group.text) and not is_set_as_text(group, body)
        goes_on = small is not None and group.role in _UNNAMED and _goes_on(small, group, body)
        small = group if about or goes_on else None
        if above or about or goes_on:
            group.role = Role.FRONT


def _goes_on(note: LineGroup, group: LineGroup, body: Usual) -> bool:
    """Whether small type follows right below a note about the paper, in the same size and at the same edge."""
    small = group.size < ROLES.note * body.size and abs(group.size - note.size) < ALIKE.size
    step = group.first.base - note.last.base
    alongside = abs(step) < 1 and group.first.x0 > note.last.x1
    below = 0 < step < ALIKE.step * group.size and abs(group.first.x0 - note.first.x0) < 2 * group.size
    return small and (alongside or below)


def _is_section(group: LineGroup) -> bool:
    match = KNOWN.fullmatch(group.text) or NUMBERED.fullmatch(group.text)
    return group.role == Role.HEADING and bool(match) and not ABSTRACT.match(group.text) and not label_at(group.text)[0]


def _mark_categories(groups: list[LineGroup], front: Front) -> None:
    """Lists of keywords, of classifications and of dates become front matter."""
    for i, group in enumerate(groups):
        kind, begin = label_at(group.text)
        if (
            not kind
            or group.role == Role.REFERENCE
            or (group.role == Role.FRONT and not front.title)
            or (kind == "dates" and len(group.text) > 300)
        ):
            continue
        group.role = Role.FRONT
        text = _by_line(group)[begin:]
        if not text and i + 1 < len(groups):
            groups[i + 1].role = Role.FRONT
            text = _by_line(groups[i + 1])
        if kind == "dates":
            front.dates |= dates_in(text)
        elif text:
            front.categories.setdefault(kind, text)


def _by_line(group: LineGroup) -> str:
    """The group's text with its line ends, which may be all that separates keywords."""
    return re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", "\n".join(line.text for line in group.lines))


def _mark_abstract(groups: list[LineGroup], front: Front) -> None:
    """Marks the abstract, and as front matter what stands between title and abstract or first heading."""
    begin = _abstract_start(groups)
    if begin is None:
        _mark_unnamed(groups, front)
        return
    for group in groups[:begin]:
        if group.role in (Role.PARAGRAPH, Role.FLOAT, Role.HEADING):
            group.role = Role.FRONT
    match = ABSTRACT.match(groups[begin].text)
    assert match
    alone = match.end() == len(groups[begin].text)
    if alone:
        groups[begin].role, groups[begin].level = Role.HEADING, 1
    else:
        _drop_start(groups[begin], len(match.group().replace(" ", "")))
        groups[begin].role = Role.ABSTRACT
    _extend_abstract(groups, begin, alone=alone)


def _abstract_start(groups: list[LineGroup]) -> int | None:
    """The number of the group that is or begins with the abstract's heading; on later pages only before the text."""
    text_began = False
    for i, group in enumerate(groups):
        later = group.first.page != groups[0].first.page
        if group.role != Role.FRONT and ABSTRACT.match(group.text) and not (later and text_began):
            return i
        if group.role == Role.HEADING and not ABSTRACT.fullmatch(group.text):
            text_began = text_began or bool(KNOWN.fullmatch(group.text) or NUMBERED.fullmatch(group.text))
    return None


def _drop_start(group: LineGroup, count: int) -> None:
    """Takes the abstract's run-in heading, `count` characters without white space, off its first line."""
    line = group.first
    words = list(line.words)
    while words and count >= len(words[0].text):
        count -= len(words.pop(0).text)
    settle_words(line.words[: len(line.words) - len(words)], "front", "the heading of the abstract")
    if words:
        if count:  # a script without spaces: the heading is a part of the word
            first = words[0]
            first.x0 += (first.x1 - first.x0) * count / len(first.text)
            first.text = first.text[count:]
        words[0].glued = False
        group.lines[0] = type(line)(line.page, words)
    else:
        del group.lines[0]


def _extend_abstract(groups: list[LineGroup], begin: int, *, alone: bool) -> None:
    """Marks the paragraphs that follow an abstract's heading, and those that go on after its first."""
    length = 0 if alone else len(groups[begin].text)
    size = groups[begin + 1].size if alone and begin + 1 < len(groups) else groups[begin].size
    for group in groups[begin + 1 :]:
        if group.role == Role.HEADING:
            if not _STRUCTURED.fullmatch(group.text) or length > 0.5 * _LONGEST_ABSTRACT or not alone:
                break
            group.role = Role.ABSTRACT
        elif group.role in (Role.FRONT, Role.FOOTNOTE, Role.CAPTION, Role.FLOAT, Role.EQUATION):
            if length and label_at(group.text)[0] == "keywords":
                break
            continue
        elif (
            length > _LONGEST_ABSTRACT
            or (length and abs(group.size - size) > AROUND.abstract)
            or (length and not alone)
        ):
            break
        else:
            group.role = Role.ABSTRACT
        length += len(group.text)


def _mark_unnamed(groups: list[LineGroup], front: Front) -> None:
    """Takes the prose before the first heading for the abstract, and what else precedes it for front matter."""
    if front.title is None:
        return
    first_page = [group for group in groups if group.first.page == groups[0].first.page]
    begin = _text_begins(first_page)
    paragraphs = [group for group in first_page[:begin] if group.role == Role.PARAGRAPH and reads_as_prose(group.text)]
    prose = [g for g in paragraphs if not names_in_lines(g.lines) and not FRONT_LINE.match(g.text)]
    for group in first_page[:begin]:
        if group.role in (*_UNNAMED, Role.HEADING) and group not in prose:
            group.role = Role.FRONT
    headed = next((i for i, group in enumerate(groups) if group.role == Role.HEADING), len(groups))
    prose += [group for group in first_page[begin:headed] if group.role == Role.PARAGRAPH]
    if headed < len(groups) and 0 < sum(len(group.text) for group in prose) < _LONGEST_ABSTRACT:
        for group in prose:
            group.role = Role.ABSTRACT


def _text_begins(groups: list[LineGroup]) -> int:
    """The number of the first group of the text: a paragraph of it or its heading; of a short text any prose."""
    below = [group.role not in (Role.FRONT, Role.FOOTNOTE, Role.CAPTION) for group in groups]
    begin = next((i for i, group in enumerate(groups) if below[i] and _begins_text(group)), None)
    if begin is None:
        begin = next((i for i, group in enumerate(groups) if below[i] and reads_as_prose(group.text)), len(groups))
    while begin and groups[begin - 1].role == Role.HEADING and not names_in_lines(groups[begin - 1].lines):
        begin -= 1
    return begin


def label_at(text: str) -> tuple[str, int]:
    """What the text is a list of by the label that it begins with, and where the list begins; "" and 0 for others."""
    match = _STARTS.match(text) or _ALONE.fullmatch(text)
    if match is None or text[:1].islower():
        return "", 0
    whole_text = match.lastgroup in ("dates", "rights")
    return match.lastgroup or "", 0 if whole_text else match.end()


def _split_categories(group: LineGroup) -> Iterator[LineGroup]:
    """The group, cut where a list of categories begins in it: in a line, or behind a full stop in one."""
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
        yield LineGroup(lines[begin:end], group.gap if not begin else 0.0, role, group.level, group.run_in)


def _pieces(line: PdfLine) -> list[PdfLine]:
    """The line, cut behind full stops where a label follows."""
    ends = [i for i in range(1, len(line.words)) if _ENDED.search(line.words[i - 1].text)]
    starts = [i for i in ends if label_at(PdfLine(line.page, line.words[i:]).text)[0]]
    pieces = [line]
    for i in reversed(starts):
        pieces.insert(1, line.cut(i))
    return pieces


def dates_in(text: str) -> dict[str, str]:
    """`received`, `revised` and `accepted` with their dates (ISO 8601), as far as the text says them."""
    dates = ((match["what"].lower(), date_in(match["date"])) for match in _DATE.finditer(text))
    return {what: date for what, date in dates if date}
