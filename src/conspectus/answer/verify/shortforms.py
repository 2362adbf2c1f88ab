"""Abbreviations that a text defines: 'magnetic resonance imaging (MRI)', 'MRI (magnetic resonance imaging)'.

After Schwartz and Hearst (2003), "A simple algorithm for identifying abbreviation definitions in biomedical text".
"""

from __future__ import annotations

import re

_BRACKETS = re.compile(r"\(([^()]{2,80})\)")
_MOST_LETTERS = 12


def short_forms(text: str) -> dict[str, str]:
    """The long form of each short form that `text` defines."""
    found: dict[str, str] = {}
    for brackets in _BRACKETS.finditer(text):
        inside = re.split(r"[;,]", brackets[1])[0].strip()
        before = text[max(0, brackets.start() - 160) : brackets.start()].rstrip()
        if _is_short(inside):
            long = _long_form(inside, before)
            if long:
                found.setdefault(inside, long)
        elif before and _is_short(last := before.split()[-1]) and (long := _long_form(last, inside)):
            found.setdefault(last, long)
    return found


def _is_short(text: str) -> bool:
    return (
        2 <= len(text) <= _MOST_LETTERS
        and text.count(" ") < 2
        and text[0].isalnum()
        and any(sign.isupper() for sign in text)
    )


def _long_form(short: str, before: str) -> str:
    """The end of `before` whose letters, from the last one back, give `short`; its first letter begins a word."""
    letters = [sign for sign in short.lower() if sign.isalnum()]
    words = before.split()
    before = " ".join(words[-min(len(letters) + 5, len(letters) * 2) :])
    place = len(before) - 1
    for number, letter in reversed(list(enumerate(letters))):
        while place >= 0 and (
            before[place].lower() != letter or (number == 0 and place > 0 and before[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return ""
        place -= 1
    long = before[place + 1 :]
    return long if len(long) > len(short) else ""
