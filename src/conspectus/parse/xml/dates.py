"""Dates of which year, month and day are written apart."""

from __future__ import annotations

from datetime import UTC, datetime


def iso_date(year: str, month: str = "", day: str = "") -> str:
    """ISO 8601 as exact as can be believed: a day or month that cannot be is left out; "" without a believable year."""
    if not (year.isascii() and year.isdigit() and 1000 <= int(year[:5]) <= datetime.now(UTC).year + 2):
        return ""
    numbers = [int(part) if part.isascii() and part.isdigit() and len(part) < 3 else 0 for part in (month, day[:2])]
    if not 1 <= numbers[0] <= 12:
        return year
    try:
        datetime(int(year), numbers[0], numbers[1], tzinfo=UTC)
    except ValueError:
        return f"{year}-{numbers[0]:02}"
    return f"{year}-{numbers[0]:02}-{numbers[1]:02}"


def iso_text(text: str) -> str:
    """`2019-03-07`, `2019-03` or `2019`, with or without a time behind it, as `iso_date` would have it; else ""."""
    year, month, day = [*text.strip().partition("T")[0].split("-"), "", ""][:3]
    return iso_date(year, month, day)
