"""Dates as bibliographies write them: a year, the name or number of a month, a day."""

from __future__ import annotations

import re

from conspectus.lexicon.calendar import month_number

_RIS = re.compile(r"(\d{4})(?:[/-](\d{0,2})(?:[/-](\d{0,2}))?)?(?:/.*)?")


def iso_date(year: str, month: str = "", day: str = "") -> str:
    """ISO 8601 as exact as known: `2019-03-07`, `2019-03`, `2019`; "" without a year of four digits."""
    year = year.strip()
    if not re.fullmatch(r"\d{4}", year, re.ASCII):
        return ""
    number = month_number(month)
    if not number:
        return year
    digits = re.match(r"\s*(\d{1,2})\b", day)
    return f"{year}-{number:02}" + (f"-{int(digits[1]):02}" if digits and 1 <= int(digits[1]) <= 31 else "")


def slashed_date(text: str) -> str:
    """`2019/03/07/` and the like as ISO 8601; the text itself where it is nothing of the kind."""
    match = _RIS.fullmatch(text.strip())
    return iso_date(match[1], match[2] or "", match[3] or "") if match else text.strip()


def written_date(text: str) -> str:
    """`2012 Oct 5` as ISO 8601, as exact as known; "" where there is no year in it."""
    match = re.match(r"\s*(\d{4})\b\s*([A-Za-z]+(?:-[A-Za-z]+)?)?\s*(\d{1,2})?", text)
    return iso_date(match[1], match[2] or "", match[3] or "") if match else ""
