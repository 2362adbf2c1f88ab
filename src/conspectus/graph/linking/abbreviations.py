"""Abbreviations that a paper defines: "long-term potentiation (LTP)" (Schwartz and Hearst, PSB 2003)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_DEFINED = re.compile(r"\(([^\W_](?:[^()\s;,]{0,8}[^\W_])?)[;,)]")
"""A short form in brackets: begins and ends with a letter or a number."""
_LISTED = re.compile(r"[;,.:(] ([A-Z][^\W_]{1,5})(?:, |; |: | = )([^\W\d_][\w -]{2,60})[;,.)]")
"""A short form and what it is for, as legends of figures list them: "ONL, outer nuclear layer;"."""
_REACH = 120
"""Characters before the bracket that are looked at."""


def definitions(texts: Iterable[str]) -> dict[str, str]:
    """The short forms that texts define, with what each is short for; the first definition counts."""
    found: dict[str, str] = {}
    for text in texts:
        for short, before in _candidates(text):
            if short not in found and (long := _long_form(short, before)):
                found[short] = long
    return found


def _candidates(text: str) -> Iterator[tuple[str, str]]:
    """Short forms, each with a text at whose end its long form may stand."""
    if "(" in text:
        for match in _DEFINED.finditer(text):
            yield match[1], text[max(0, match.start() - _REACH) : match.start()]
    for match in _LISTED.finditer(text):
        if _long_form(match[1], match[2]) == match[2]:
            yield match[1], match[2]


def _long_form(short: str, before: str) -> str:
    """The words at the end of `before` that `short` is made of, "" where it is not."""
    if not any(map(str.isupper, short)) or short.isdigit() or len(short) < 2:
        return ""
    ending = short[-1] == "s" and short[:-1].isupper() and len(short) > 2
    at, signs = len(before), short[:-1] if ending else short
    for number, sign in enumerate(reversed(signs.lower()), 1):
        if not sign.isalnum():
            continue
        at = before.lower().rfind(sign, 0, at)
        while at > 0 and number == len(signs) and before[at - 1].isalnum():
            at = before.lower().rfind(sign, 0, at)
        if at < 0:
            return ""
    long = before[at:].strip()
    return long if len(long.split()) <= min(len(signs) + 5, 2 * len(signs)) and len(long) > len(short) + 1 else ""
