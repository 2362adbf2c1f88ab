"""Identifiers, dates, venues and keywords in printed lines."""

from __future__ import annotations

import re

from conspectus.parse.dates import date_in

_ARXIV = re.compile(r"\barXiv:\s*(?P<id>\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?\b", re.I)
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_LABELS = (
    r"published(?:\s+online)?",
    r"available\s+online",
    r"publication\s+date",
    r"(?:©|\(c\)|copyright)",
    r"dated",
    r"accepted",
)
_IN_BRACKETS = re.compile(r"[\w.,]\s*+\((?P<year>(?:19|20)\d\d)\)")
_SERIES = re.compile(rf"(?P<name>[A-Z][^\d,;:]{{3,60}}),?\s+\(?{_YEAR}\)?\.?")
_ISSUE = re.compile(r"\bvol(?:ume|\.)?\s*\d", re.I)


def find_arxiv(texts: list[str]) -> str:
    """The arXiv identifier in `texts`, without version."""
    return next((found["id"] for text in texts if (found := _ARXIV.search(text))), "")


def find_date(front: list[str], stamps: list[str]) -> str:
    """The date of publication as printed, ISO 8601: a labelled date before a copyright's before a stamp's."""
    text = "\n".join(front)
    for label in _LABELS:
        for match in re.finditer(rf"(?<![^\W_]){label}[:\s]*", text, re.I):
            date = date_in(text[match.end() : match.end() + 60])
            if date:
                return date
    for stamp in stamps:
        if _ARXIV.search(stamp) and (date := date_in(stamp)):
            return date
    for line in front:
        if _ISSUE.search(line) and (date := date_in(line)):
            return date
    found_year = (_IN_BRACKETS.search(line) or _SERIES.fullmatch(line.strip()) for line in front)
    return next((found["year"] for found in found_year if found), "")


def split_keywords(text: str) -> tuple[str, ...]:
    """The keywords of a printed list."""
    for mark in (";", "·", "•", "|", ",", " – ", " — ", "\n"):
        if mark in text:
            parts = text.split(mark)
            break
    else:
        parts = [text]
    cleaned = (" ".join(part.split()).strip(" .;,") for part in parts)
    return tuple(dict.fromkeys(part for part in cleaned if 1 < len(part) <= 80))
