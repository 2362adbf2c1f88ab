"""Personal names as they are printed below a title or written into a file's information."""

from __future__ import annotations

import re

from conspectus.parse.pdf.model import Line
from conspectus.records import Author

_PARTICLE_LIST = "van von de der den di da do dos das del della la le du el al bin ibn ten ter zu zur af av y e i"
_PARTICLES = frozenset(_PARTICLE_LIST.split())
_NOT_NAMES = re.compile(
    r"universit|institut|department|laborator|school|college|cent(?:er|re)\b|hospital|faculty|division"
    r"|research|academy|inc\b|ltd|gmbh|"
    r"society|science|technolog|engineer|national|observator|abstract|summary|introduction|keyword|member"
    r"|fellow|senior|street|avenue|road|"
    r"\b(?:usa|uk|u\.s\.a|germany|france|china|japan|italy|spain|canada|india|united|states|kingdom)\b"
    r"|received|accepted|journal|review|"
    r"article|volume|author|editor|edited|correspond|published|january|february|march|april|june|july"
    r"|august|september|october|november|december|"
    r"\b(?:the|of|for|in|on|with|at|to|by|from|is|are|this|that|we|using|an)\b|collaboration$",
    re.I,
)
_DEGREES = re.compile(
    r"(?:,?\s*\b(?:Ph\.?\s?D|M\.?\s?D|M\.?\s?Sc|B\.?\s?Sc|Dr|Prof|Jr|Sr|MPH|MS|MA|FRCP|RN)\b\.?)+", re.I
)
_MEMBERS = re.compile(r",?\s*(?:(?:Senior|Student|Graduate|Life|Associate)\s+)*(?:Member|Fellow),?\s+[A-Z]{3,5}\b")
_SEPARATOR = re.compile(r"\s*(?:[,;·•|]|\b(?:and|AND)\b|&|\bund\b|\bet\b(?!\s+al))\s*")
_NAME = re.compile(r"[^\W\d_][\w'’.\-‐–]*")
_MARKS = re.compile(r"[*†‡§¶∗⋆#]|(?<=\w)\d+(?:,\d+)*|\b[iI]D\b|\(.*?\)|\[.*?\]|[✉\ue000-\uf8ff]|\bORCID\b|\S+@\S+")


def names_in_lines(lines: list[Line]) -> list[Author]:
    """The names where `lines` are nothing but names, else none. Superscripts stand for the space between two names."""
    parts = []
    for line in lines:
        for word in line.words:
            small = word.style.size < 0.8 * line.size
            parts.append(" ; " if word.raised or small else ("" if word.glued else " ") + word.text)
        parts.append(" ")
    return names_in("".join(parts))


def names_in(text: str) -> list[Author]:
    """The names of a list such as `A. Bee, C. Dee and E. Eff`; none where a quarter of it or more is something else."""
    text = _MEMBERS.sub("", text)
    text = _DEGREES.sub("", _MARKS.sub(" ; ", re.sub(r"^\s*by\s+", "", text, flags=re.I)))
    parts = [part.strip(" .") if part.strip(" .").count(" ") == 0 else part.strip() for part in _SEPARATOR.split(text)]
    parts = [part for part in parts if any(c.isalpha() for c in part) and len(part) > 1]
    if not parts:
        return []
    good = [part for part in parts if is_name(part)]
    if len(good) < 0.75 * len(parts) or len(good) == 0:
        return []
    return [Author(name=_cased(part)) for part in good]


def is_name(text: str) -> bool:
    """Whether the text reads like one person's whole name."""
    words = text.split()
    if not 2 <= len(words) <= 6 or len(text) > 50 or _NOT_NAMES.search(text):
        return False
    main = [word for word in words if word.casefold() not in _PARTICLES]
    if not all(_NAME.fullmatch(word) and (word[0].isupper() or not word[0].isascii()) for word in main):
        return False
    return any(len(word.strip(".")) > 1 for word in main) and len(main) >= 1


def _cased(name: str) -> str:
    """Names in capitals as they are written elsewhere; initials stay."""
    if not name.isupper():
        return " ".join(name.split())
    return " ".join(word if len(word.strip(".")) < 3 and "." in word else word.title() for word in name.split())
