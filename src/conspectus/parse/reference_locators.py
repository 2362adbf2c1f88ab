"""Volume, issue, pages and year in the forms in which references print them: `12(3):45–67`, `2010;275:123`, …."""

from __future__ import annotations

import re
from dataclasses import dataclass

from conspectus.core.patterns import lazy_pattern
from conspectus.lexicon import calendar

YEAR = r"(?:1[5-9]|20)\d\d"
MONTH = f"(?:{calendar.MONTH}|{'|'.join(calendar.SEASONS)})"
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
