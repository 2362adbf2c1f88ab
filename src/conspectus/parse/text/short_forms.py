"""Short forms that a paper defines, such as "white blood cell count (WBC)", and sentences written out with them.

Two papers that say the opposite may name the same thing by its long and by its short form, which vectors hold apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_IN_BRACKETS = re.compile(r"\(([^()\s;,]{2,10})(?:[;,][^()]{0,80})?\)")
_SENTENCE_END = re.compile(r"[.!?]\s+(?=[A-Z(])")
_MOST_BEFORE = 300
"""Characters before the brackets in which the long form is looked for."""


def find_short_forms(text: str) -> dict[str, str]:
    """Short form -> long form, by Schwartz and Hearst (2003): each letter of the short form, from its end, is found in
    the words before the brackets, the first one at the beginning of a word. The first definition of each counts."""
    found: dict[str, str] = {}
    for match in _IN_BRACKETS.finditer(text):
        short = match[1]
        plural = short[-1] == "s" and short[:-1].isupper()
        short = short[:-1] if plural else short
        before = _SENTENCE_END.split(text[max(match.start() - _MOST_BEFORE, 0) : match.start()])[-1]
        if any(letter.isupper() for letter in short) and (long := _long_form(before, short)):
            found.setdefault(short, long.removesuffix("s") if plural else long)
    return found


def _long_form(before: str, short: str) -> str:
    words = before.split()
    text = " ".join(words[-min(len(short) + 5, 2 * len(short)) :])
    at = len(text)
    letters = [letter for letter in short.lower() if letter.isalnum()]
    for place in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= 0 and not _fits(text, at, letters[place], first=place == 0):
            at -= 1
        if at < 0:
            return ""
    found = text[at:].strip()
    return found if letters and len(found) > len(short) else ""


def _fits(text: str, at: int, letter: str, *, first: bool) -> bool:
    return text[at].lower() == letter and not (first and at and text[at - 1].isalnum())


def write_out(sentence: str, forms: Mapping[str, str]) -> str:
    """A sentence with the long forms in place of the short ones; where it has the long one already it stays."""
    for short, long in forms.items():
        if short in sentence and long.lower() not in sentence.lower():
            sentence = re.sub(rf"(?<![\w-])\(?{re.escape(short)}(s?)\)?(?!\w)", lambda one: long + one[1], sentence)  # noqa: B023
    return sentence
