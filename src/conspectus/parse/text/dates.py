"""Dates as files write them: year, month and day apart, as ISO 8601, or in words."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from conspectus.core.text import lazy_pattern
from conspectus.lexicon.word_lists import ANY_MONTH, month_number

_MONTH = rf"(?:de )?(?P<month>{ANY_MONTH})\.?(?: de)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_IN_WORDS = tuple(
    lazy_pattern(pattern, re.I)
    for pattern in (
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|[.º])?\s+{_MONTH},?\s+{_YEAR}\b",
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR}\b",
        rf"\b{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)\b",
        rf"\b{_MONTH},?\s+{_YEAR}\b",
        rf"\b{_YEAR}\b",
    )
)

_NUMERIC = re.compile(
    r"(?P<year>\d{4})(?:[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?(?!\d)|(?P<m>\d\d)(?P<d>\d\d)(?!\d)|(?=/|$))"
)
_DAY = re.compile(r"\s*(\d{1,2})(?!\d)", re.A)
_PARTS = re.compile(r"\d+|[^\W\d_]+")


def iso_date(year: str, month: str = "", day: str = "") -> str:
    """ISO 8601 as exact as can be believed: a day or month that cannot be is left out; "" without a believable year.

    The month may be a number or a name. Of days such as `5-9` the first counts.
    """
    year = year.strip()
    if not (year.isascii() and year.isdigit() and 1000 <= int(year[:5]) <= datetime.now(UTC).year + 2):
        return ""
    number = month_number(month)
    if not number:
        return year
    digits = _DAY.match(day)
    try:
        datetime(int(year), number, int(digits[1]) if digits else 0, tzinfo=UTC)
    except ValueError:
        return f"{year}-{number:02}"
    return f"{year}-{number:02}-{int(digits[1]) if digits else 0:02}"


def iso_text(text: str) -> str:
    """`2019-03-07`, `2019-03` or `2019`, with or without a time behind it, as `iso_date` would have it; else ""."""
    year, month, day = [*text.strip().partition("T")[0].split("-"), "", ""][:3]
    return iso_date(year, month, day)


def read_date(text: str, year: str = "") -> str:
    """A date field as `iso_date` would have it, as exact as it is written; "" without a year in it.

    Numbers (`2019-03-07`, `2019/03/07/`, `20190307`), words in any order (`March 7, 2019`, `2019 Mar-Apr`,
    `7. März 2019`), years with other letters (`c1999`, `2005a`, `[1951]`). `year` is that of a field that has
    only a month, or a month and a day.
    """
    if match := _NUMERIC.match(text.strip()):
        return iso_date(match["year"], match["month"] or match["m"] or "", match["day"] or match["d"] or "")
    parts = [part for part in _PARTS.findall(text) if part.isdecimal() or len(part) > 2]
    years = [year.strip()] if year.strip() else [part for part in parts if len(part) == 4 and iso_date(part)]
    if not years:
        return ""
    at = next((at for at, part in enumerate(parts) if part.isalpha() and month_number(part)), None)
    if at is None:
        month = next((part for part in parts if len(part) < 3 and part.isdecimal()), "") if year else ""
        return iso_date(years[0], month)
    neighbours = [parts[place] for place in (at - 1, at + 1) if 0 <= place < len(parts)]
    day = next((part for part in neighbours if len(part) < 3 and part.isdecimal()), "")
    return iso_date(years[0], parts[at], day)


def date_in(text: str) -> str:
    """The first date in running text, the most exact kind first, as `iso_date` would have it; else ""."""
    date_match = next((match for pattern in _IN_WORDS if (match := pattern.search(text))), None)
    if date_match is None:
        return ""
    parts = {"month": "", "day": ""} | date_match.groupdict()
    return iso_date(parts["year"], parts["month"], parts["day"])
