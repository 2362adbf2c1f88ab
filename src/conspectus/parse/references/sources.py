"""Where a printed reference says that the work appeared: venue, volume and pages, and where its title ends."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from conspectus.core.text import lazy_pattern
from conspectus.lexicon import word_lists, words
from conspectus.parse.text.sentences import TITLE_ABBREVIATION, VENUE_WORDS

YEAR = r"(?:1[5-9]|20)\d\d"
MONTH = f"(?:{word_lists.MONTH}|{'|'.join(word_lists.SEASONS)})"
_NUMBER = r"[A-Z]{0,2}\d{1,4}(?:\s?[–/-]\s?\d{1,4})?[A-Z]?"
_PAGE = r"[A-Za-z]{0,4}\.?\d[\d.]*+[A-Za-z]{0,2}+\d*+"
_RANGE = rf"{_PAGE}\s?[–—‐−-]++\s?{_PAGE}"
_V = rf"(?P<volume>{_NUMBER})"
_I = r"\s?\((?P<issue>[^()]{1,25})\)"
_I_OR_DOT = rf"(?:\s?\((?!{YEAR}\b)(?P<issue>[^()]{{1,25}})\)|\.(?P<dot>\d{{1,3}}))?"
_Y = rf"(?P<year>{YEAR})[a-z]?"
_Y_ROUND = rf"\((?:{MONTH}\.?\s)?{_Y}\)"
_P = (
    r"(?:pp?\.?\s?|pages?\s|S\.\s?|Art(?:icle)?\.?\s(?:no\.?|ID|number)?\s?)?"
    rf"(?P<pages>{_PAGE}(?:\s?[–—‐−-]++\s?{_PAGE})?)"
)
_FORMS = (
    (4.2, rf"{_V}{_I}\s?[,:.]?\s?{_P}\s?{_Y_ROUND}"),  # 31(3), 398–405 (2009)
    (4.2, rf"{_V}\s?[:,]\s?(?:\d{{1,3}}\s?,\s?)?{_P}\s?[,.]?\s?{_Y_ROUND}"),  # 12, 345 (1999)
    # 2010 Jan 5;275(3):123–30
    (
        4.0,
        rf"(?<!\d[–-]){_Y}(?:[\s,]*{MONTH}\b\.?(?:[ -/]*{MONTH}\b\.?)?(?:\s?\d{{1,2}})?)?\s*;\s*"
        rf"(?:{_V}{_I_OR_DOT}(?:\s?(?:Suppl|Pt|Spec No)\.?\s?\w{{0,3}}(?:\([^()]*\))?)?)?(?:\s*[:,]\s*{_P})?",
    ),
    # vol. 275, no. 3, pp. 123–130
    (
        4.0,
        rf"[Vv]ol(?:ume|\.)?\s?{_V}(?:[,\s]*(?:[Nn]o|[Nn]r|[Ii]ss(?:ue)?|[Nn]umber)\.?\s?(?P<issue>[\w–-]{{1,9}}))?"
        rf"(?:[,:;\s]*{_P})?",
    ),
    # 12 (2010) 345–350, 13.6 (1989), pp. 783–787, 12, 3 (2010), 34–45
    (
        4.0,
        rf"(?<!\)[,:]\s)(?<!\d[,:]\s){_V}{_I_OR_DOT}(?:,\s?(?:no\.\s?)?\d{{1,3}})?,?\s?{_Y_ROUND}(?:[,:.;\s]*{_P})?",
    ),
    (3.5, rf"(?<!\d[–-]){_Y}\s?,\s?{_V}\s?(?:{_I})?\s?[,:]\s?{_P}"),  # 2010, 132, 345–350
    (3.5, rf"{_V}{_I}\s?[,:.]?\s?{_P}"),  # 275(3):123–130
    (2.6, rf"{_Y_ROUND}[,:.\s]*(?:pp?\.\s?)?(?P<pages>{_RANGE})"),  # (1996) 294–304
    (2.5, rf"{_V}\s?[:,]\s?(?:pp?\.\s?)?(?P<pages>{_RANGE})"),
    (2.2, rf"{_V}\s?[:,]\s?{_P}"),
    (2.1, rf"{_V}\s(?P<pages>\d+\s?[–—-]+\s?\d+)"),
    (1.8, rf"(?:pp?\.|[Pp]ages?|S\.)\s?(?P<pages>{_PAGE}(?:\s?[–—‐−-]++\s?{_PAGE})?)"),
    (1.0, rf"(?P<volume>(?!{YEAR}\b)\d{{1,4}})(?:{_I})?(?=[.,;]?\s*$)"),
)
_LOCATORS = tuple((strength, lazy_pattern(r"(?:(?<=[\s(,.;])|^)" + form)) for strength, form in _FORMS)
"""What each form is worth as a sign, the surest first, with its pattern."""


@dataclass(frozen=True, slots=True)
class Locator:
    """Volume, pages and year at `start` to `end` of a text. `strength` says how sure it is that they are such."""

    start: int
    end: int
    strength: float
    volume: str = ""
    pages: str = ""
    year: int | None = None


def find_locator(text: str, least: float = 0.0) -> Locator | None:
    """The strongest (of at least `least`) and, of equals, last place in `text` that gives volume or pages."""
    best: Locator | None = None
    for strength, pattern in _LOCATORS:
        if strength < least or (best is not None and strength < best.strength):
            break
        for match in pattern.finditer(text):
            if best is None or match.start() >= best.end:
                best = _locator(match, strength)
    return best


def _locator(match: re.Match[str], strength: float) -> Locator:
    volume, pages, year = (match.groupdict().get(name) or "" for name in ("volume", "pages", "year"))
    pages = re.sub(r"\s?[–—‐−-]+\s?", "–", pages).rstrip(".")
    return Locator(*match.span(), strength, volume.replace(" ", ""), pages, int(year) if year else None)


_DIVIDED = re.compile(
    r"(?=[\w ]++$)(?:The )?(?:\w+ )?(?:Nature [Rr]eviews|[Jj]ournal of [\w ]+"
    r"|(?:[\w ]+ )?(?:Transactions|Proceedings) of [\w ]+)$"
)
"""Journals in sections, whose names are printed with a full stop between: `Nature Reviews. Neuroscience`."""
_NAMED_VENUE = re.compile(
    r"(?:The )?(?:[A-Z]\w+ ){0,2}(?:[Jj]ournal|[Aa]nnals|[Aa]rchives|[Rr]eviews?"
    r"|[Pp]roceedings|[Tt]ransactions|[Bb]ulletin)\b"
    r"|(?:Methods|Advances|Progress|Trends) in "
)
"""Names of journals and series in sentence case."""
_ROMAN = re.compile(r"[IVX]{2,}")
_OF_TITLES = frozenset("of the and in for on to & de la der des du et und für di y a".split())
_BOUNDARY = re.compile(r"(?P<stop>[.?!])[\"”’)\]]*\s+|(?P<comma>,)\s+|(?P<glued>(?<=[a-z]{4})\.)(?=[A-Z][a-z]+)")
_IN = re.compile(
    r"(?:(?<=[.,?!;”\"’)\]])\s+In|(?<=[.,”\"])\s+in)(?::\s*|\s+(?![Vv]i(?:vo|tro)|[Ss]itu|[Ss]ilico"
    r"|[a-z(]))(?=[A-Z“\"‘\d(À-Þ*_])|\sIn:\s"
    r"|(?<=[.?!])\s+(?=(?:[A-Z][\w’'-]+ [A-Z]{1,3}(?:, )?){1,8},? (?:editors?|eds?)\b)"
)
_WHAT_FOLLOWS = re.compile(
    r"[.,?!”]\s++(?=\[?(?:ar[Xx]iv|bioRxiv|medRxiv|ChemRxiv|PsyArXiv|SSRN|e-prints?\b|Ph\.?\s?D\.?[ ,]"
    r"|Master[’']?s?[ ,-]|M\.?Sc\.?[ ,]|Doctoral |Diploma|Dissertation|Thesis"
    r"|Tech(?:nical|\.) [Rr]ep|Unpublished|[Ii]n press|Available |Retrieved |Accessed |URL|http|doi|DOI"
    r"|Zenodo|GitHub|figshare|Preprint|[Ss]ubmitted|to appear|Working [Pp]aper|Proceedings of|Proc\. "
    r"|[Ii]n preparation))"
    r"|(?<!\s)\s*+\[(?:Computer|Online|Internet|Data|Software|Web|Preprint|Doctoral|Master|Unpub|computer|online"
    r"|internet|data|Video|Brochure|PhD)[^\]]*+\]|(?<!\s)\s*+\((?:[Vv]er(?:sion|\.)|\d+(?:st|nd|rd|th) ed"
    r"|[Rr]ev\. ed)[^()]*\)?"
)
_PRESS = f"(?:{'|'.join(words('references')['press'])})"
_TO_PRESS = re.compile(
    rf";\s++(?=[^;]{{0,80}}(?:\b{_PRESS}|{YEAR}\.?$))|,\s++(?=[^,]{{0,40}}\b{_PRESS}(?:\b|(?<=\.)))"
    rf"|,\s++(?=\d+(?:st|nd|rd|th) ed|[Vv]ol\.|[12]\d\d\d\b)|:\s++(?=[A-Z][\w&.’' ]{{0,30}}\bPress\b)"
    rf"|(?<!\s)\s++\((?=[^()]*(?:\b{_PRESS}|(?:1[5-9]|20)\d\d\)))"
)
_INSIDE = re.compile(rf"(?<!\w){TITLE_ABBREVIATION}$")
"""Behind these a full stop ends no title."""
_NOT_AN_END = re.compile(
    r"(?:\b(?:vs|cf|ca|St|Dr|Mr|Mrs|Ms|No|no|Vol|vol|spp?|var|subsp|approx|al|cv|ed|etc|[A-Z]|i\.e|e\.g"
    r"|U\.S|pt|Pt)|\.\w)$"
)


@dataclass(frozen=True, slots=True)
class ReferenceSource:
    """A text told apart: `title`, and what follows it in parts. `rest` is what stands behind the title."""

    title: str
    venue: str = ""
    volume: str = ""
    pages: str = ""
    year: int | None = None
    rest: str = ""


def split_source(text: str, *, commas: bool) -> ReferenceSource:
    """Title, venue and locator of a reference without its authors; with `commas` they may be set apart by commas."""
    if inside := _IN.search(text):
        return _behind(text[: inside.start()], text[inside.end() :])
    place = find_locator(text)
    if place and place.start > 0:
        start = venue_start(text[: place.start], commas=commas)
        if start == 0 and not place.pages and not place.year:  # `Handbook of Ice, Vol. 2: Tides`
            return replace(_without_locator(text, place, commas=commas), volume=place.volume)
        if start is not None:
            venue = text[start : place.start]
            return ReferenceSource(text[:start], _clean(venue), place.volume, place.pages, place.year, text[start:])
    return _without_locator(text, place, commas=commas)


def in_venue(title: str, text: str) -> ReferenceSource:
    """The parts of a reference whose title is known, from the text behind it."""
    text = re.sub(r"^[\s.,;:]*(?:[Ii]n\b:?\s*(?![a-z]))?", "", text)
    return _behind(title, text)


def _behind(title: str, text: str) -> ReferenceSource:
    place = find_locator(text)
    if place is None:
        return ReferenceSource(
            title, _clean(_BOUNDARY.split(text)[0] if len(text) > 120 else _until_year(text)), rest=text
        )
    return ReferenceSource(title, _clean(text[: place.start]), place.volume, place.pages, place.year, text)


def _until_year(text: str) -> str:
    return re.split(rf"(?<![\s,.;(])[\s,.;(]++{YEAR}\b", text)[0]


def _clean(venue: str) -> str:
    venue = re.sub(rf"(?<![\s,.(])[\s,.(]*+\b{YEAR}[a-z]?[),.:;]*\s*$", "", venue)
    venue = re.sub(rf"(?<![\s,.(])[\s,.(]*+\b{YEAR} (?:\d{{1,2}} )?{MONTH}.*$", "", venue)
    venue = re.sub(
        r"(?<!\s)\s*+\[(?:Internet|online)\]|(?<![\s,.])[\s,.]++(?:vol(?:ume)?|no|pp?)\.?\s*+$", "", venue, flags=re.I
    )
    return venue.strip(' ,;:(“”"’‘.') + ("." if re.search(r"\.\w+\.[\s,]*$", venue) else "")


def venue_start(before: str, *, commas: bool) -> int | None:
    """Where in the text before a locator the venue begins; 0 where there is no title, None where no venue is seen."""
    before = re.sub(rf"(?<![\s,.(])[\s,.(]++{YEAR}$", "", before.rstrip(" ,.;:(")).rstrip(" ,;:(")
    if before.endswith(("?", "!")):
        return None
    cuts = [(match.start(), match.end(), match.lastgroup) for match in _BOUNDARY.finditer(before)]
    cuts = [cut for cut in cuts if before.count("(", 0, cut[0]) == before.count(")", 0, cut[0])]
    cuts = [cut for cut in cuts if cut[2] != "stop" or not _INSIDE.search(before, max(cut[0] - 12, 0), cut[0])]
    stops = [cut for cut in cuts if commas or cut[2] != "comma"]
    start = _walk_back(before, stops)
    if start == 0 and not commas and len(cuts) > len(stops) and not _is_venue(before):
        start = _walk_back(before, cuts)
        if len(before[start:].split()) > 6:
            return None
    return 0 if start == 0 and _is_venue(before) else start or None


def _walk_back(before: str, cuts: list[tuple[int, int, str | None]]) -> int:
    """The last boundary that does not belong to an abbreviation of the venue's name; 0 if there is none."""
    for i in range(len(cuts) - 1, -1, -1):
        begin, end, kind = cuts[i]
        piece = before[cuts[i - 1][1] if i else 0 : begin]
        if kind == "stop" and before[begin] == "." and _is_abbreviation(piece, before[end:]):
            continue
        if (
            not before[end : end + 1].isalpha()
            or before[end : end + 1].isupper()
            or before[end : end + 2] in ("eL", "mB", "iS")
        ):
            return end
    return 0


def _is_abbreviation(piece: str, following: str) -> bool:
    """Whether the words before a full stop are part of an abbreviated title: `Proc`, `Natl Acad`."""
    if piece.endswith(" St") or _DIVIDED.match(piece):
        return True
    words = piece.replace("-", " ").strip(" (:").split()
    if (
        len(words) == 1
        and words[0].isalpha()
        and words[0][0].isupper()
        and len(words[0]) < 10
        and len(following.split(".", maxsplit=1)[0].split()) < 3
        and not _ROMAN.fullmatch(words[0])
    ):
        return True  # rather an abbreviation that is not known than a title of one word
    if not words or len(words) > 4:
        return False
    return (
        all(_is_short(word) or (word in _OF_TITLES and i) for i, word in enumerate(words))
        and words[-1] not in _OF_TITLES
    )


def _is_short(word: str) -> bool:
    word = word.strip("(),:").rpartition(".")[2]
    return (
        word in VENUE_WORDS
        or (len(word) < 4 and not _ROMAN.fullmatch(word) and word.isupper())
        or (len(word) == 1 and word.isupper())
    )


def _is_venue(text: str) -> bool:
    """Whether the whole text is the name of a journal: few words, all of them names or abbreviations."""
    words = text.split()
    if len(words) <= 10 and _NAMED_VENUE.match(text):
        return True
    small = sum(word.islower() and word not in _OF_TITLES for word in words)
    return 0 < len(words) <= 16 and small == 0 and len(text) < 130


def _without_locator(text: str, place: Locator | None, *, commas: bool) -> ReferenceSource:
    """The parts of a book, a report, a page of the web …: the title is the first sentence."""
    ends = [
        match for match in (_WHAT_FOLLOWS.search(text), _first_stop(text, commas=commas)) if match and match.start() > 2
    ]
    end = min(ends, key=lambda match: match.start(), default=None)
    if end is None:
        title = re.sub(rf"(?<![\s,.;(])[\s,.;(]++{YEAR}[a-z]?[).]*\s*$", "", text)
        return ReferenceSource(title, rest=text[len(title) :], pages=place.pages if place else "")
    rest = text[end.end() :]
    venue = _clean(_until_year(_BOUNDARY.split(rest)[0] if len(rest) > 120 else rest))
    cut = end.start() + (1 if text[end.start()] in "?!" else 0)
    return ReferenceSource(text[:cut], venue if len(venue) < 120 else "", rest=rest)


def _first_stop(text: str, *, commas: bool) -> re.Match[str] | None:
    """The end of the first sentence, or the comma before what looks like a publisher."""
    press = _TO_PRESS.search(text)
    for match in re.finditer(r"[.?!][\"”’)]?\s+(?=[\"“(\[]?[A-ZÀ-Þ\d])|\.(?=\s*$)", text):
        if press and (commas or press[0][0] != ",") and press.start() < match.start():
            return press
        if _NOT_AN_END.search(text, max(match.start() - 12, 0), match.start()):
            continue
        if match[0][0] == "." or _is_venue(re.split(r"[.?!,](?:\s|$)", text[match.end() :])[0]):
            return match
    return press
