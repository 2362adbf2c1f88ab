"""Whether two titles are of one work: as printed, as typed by hand, as a database has it, with a subtitle or without.

A title becomes words without case, accents, punctuation, mark-up and LaTeX; Greek letters are written out. Words are
aligned in their order. Words that differ as spellings do (`behavior`, `behaviour`) count as nearly the same, function
words little, negations and numbers fully, so that `is not associated` and `part II` are other titles.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from html import unescape

from conspectus.lexicon import STOP_WORDS
from conspectus.records import normal_name

SAME_TITLE = 0.95
"""The similarity from which two titles are the same; measured with `benchmarks/audit.py`.

A title of up to nineteen content words may not have another word in it; of ten and more it may lack one.
"""
LEAST_WORDS = 3
"""Titles with fewer words (`Introduction`) are shared by works that have nothing to do with each other."""
DISTINCT_WORDS = 5
"""Titles with as many words are one work's own: the same title with another author is the same work, wrongly cited."""

_LITTLE = STOP_WORDS - {"no", "nor", "not", "without", "against", "before", "after", "above", "below", "under", "over"}
_LITTLE_WEIGHT = 0.2
_SPELLING = 0.8
_SPELLING_COST = 0.1
_OPPOSITES = (("hyper", "hypo"), ("inter", "intra"), ("macro", "micro"), ("ab", "ad"), ("over", "under"))
"""How words begin that look alike and say the opposite."""
_MOST_WORDS = 80
_MOST_TEXT = 4000
_SUBTITLE = re.compile(r"(?:[:?!.;]\s++|(?<=\s)[–—-]\s++|—)")
_TAG = re.compile(r"</?(?:\w+:)?[a-zA-Z]\w*(?:\s[^<>]{0,300})?/?>")
_GREEK = {
    chr(code): name
    for code in [*range(0x3B1, 0x3CA)]
    if (name := unicodedata.name(chr(code), "").rpartition("LETTER ")[2].removeprefix("FINAL ").lower())
}


def plain_title(title: str) -> str:
    """A title without mark-up, entities and LaTeX."""
    if "\\" in title or "$" in title or "{" in title:
        from conspectus.parse.text.plain_text import plain_text

        title = plain_text(title)
    if "<" in title:
        title = _TAG.sub("", title)
    return " ".join((unescape(title) if "&" in title else title).split())


@lru_cache(maxsize=4096)
def title_words(title: str) -> tuple[str, ...]:
    """The words of a title, as they are compared: `TGF-β1 & me` is `tgf`, `beta1`, `and`, `me`."""
    plain = unicodedata.normalize("NFKC", plain_title(title)).casefold().replace("&", " and ")
    plain = "".join(_GREEK.get(sign, sign) for sign in plain)
    return tuple(normal_name(plain).split())


def main_title(title: str) -> str:
    """The title up to its subtitle; the whole one where it has none, or where what precedes is too short."""
    for match in _SUBTITLE.finditer(title):
        before = title[: match.start()]
        if len(title_words(before)) >= LEAST_WORDS:
            return before
    return title


def same_title(title: str, other: str) -> bool:
    """Whether two titles are of one work, as far as titles can tell."""
    return similarity(title, other) >= SAME_TITLE


def similarity(title: str, other: str) -> float:
    """0 to 1: how much of two titles is the same; a subtitle that only one of them has is left out."""
    first, second = title_words(title), title_words(other)
    best = _aligned(first, second)
    for short, long in ((first, other), (second, title)):
        main = title_words(main_title(long))
        if best < 1.0 and len(main) >= LEAST_WORDS and main != title_words(long):
            best = max(best, _aligned(short, main))
    return best


def holds_title(text: str, title: str) -> bool:
    """Whether a title stands in a text as a whole, spelled more or less so. Short ones never do."""
    target_words = title_words(title)
    if len(target_words) < DISTINCT_WORDS:
        return False
    words = _long_words(text)
    parts = (words[at : at + len(target_words)] for at, word in enumerate(words) if word in target_words[:2])
    return any(part == target_words or _aligned(part, target_words) >= SAME_TITLE for part in parts)


@lru_cache(maxsize=256)
def _long_words(text: str) -> tuple[str, ...]:
    return title_words(text[:_MOST_TEXT])


def _aligned(ours: Sequence[str], other: Sequence[str]) -> float:
    """1 less the cost of making one list of words the other, as a part of both their weights."""
    if ours == other:
        return 1.0 if ours else 0.0
    if not ours or not other:
        return 0.0
    if "".join(ours) == "".join(other):
        return 1.0
    ours, other = _joined(ours, other)[:_MOST_WORDS], _joined(other, ours)[:_MOST_WORDS]
    weights, others = [_weight(word) for word in ours], [_weight(word) for word in other]
    row = [0.0]
    for weight in others:
        row.append(row[-1] + weight)
    for word, weight in zip(ours, weights, strict=True):
        before, row = row, [row[0] + weight]
        for at, (against, cost) in enumerate(zip(other, others, strict=True)):
            changed = before[at] + _change(word, against, weight + cost)
            row.append(min(before[at + 1] + weight, row[at] + cost, changed))
    return max(1.0 - row[-1] / (sum(weights) + sum(others)), 0.0)


def _joined(words: Sequence[str], other: Sequence[str]) -> Sequence[str]:
    """`meta`, `analysis` as one word where the other title has it so."""
    known, joined_words, at = set(other), [], 0
    while at < len(words):
        both = "".join(words[at : at + 2])
        joins = at + 1 < len(words) and both in known and words[at] not in known
        joined_words.append(both if joins else words[at])
        at += 2 if joins else 1
    return joined_words


def _weight(word: str) -> float:
    return _LITTLE_WEIGHT if word in _LITTLE else 1.0


def _change(word: str, other: str, both: float) -> float:
    if word == other:
        return 0.0
    if min(len(word), len(other)) < 4 or any(sign.isdigit() for sign in word + other):
        return both
    return _SPELLING_COST * both if _like(word, other) else both


@lru_cache(maxsize=8192)
def _like(word: str, other: str) -> bool:
    """Whether two words are spellings of one, a typing mistake included."""
    if abs(len(word) - len(other)) > 2 or word[0] != other[0] or _opposite(word, other) or _opposite(other, word):
        return False
    return difflib.SequenceMatcher(None, word, other, autojunk=False).ratio() >= _SPELLING


def _opposite(word: str, other: str) -> bool:
    return any(word.startswith(prefix) and other.startswith(against) for prefix, against in _OPPOSITES)
