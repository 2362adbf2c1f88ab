"""Spaces about ligatures within a word, as in "veri fi cation": closed up where one word is likelier than several.

How likely a word is comes from counts of words with ligatures (`ligature_words.json`, which
`benchmarks/ligature_words.py` makes), from the document's own words, and for words in neither from their length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from math import log
from typing import Protocol

import msgspec

from conspectus.lexicon import STOP_WORDS

LIGATURES = ("ffi", "ffl", "ff", "fi", "fl")
_ENDING, _BEGINNING = re.compile(r"(?<![^\W\d_])[^\W\d_]++$"), re.compile(r"[^\W\d_]+")
_EDGE = re.compile(rf"^(?:{'|'.join(LIGATURES)})|(?:{'|'.join(LIGATURES)})$")
_CLOSING = re.compile(r"[.,;:!?)\]]")

_COMMON = -log(100)
"""Of a word as common as "in"."""
_LEAST, _OF_OTHERS = 2, 2000
"""A word that a document has once may be a part of a broken one; its words count as if there were so many others."""
_STEM = 4
"""The least letters that known words which begin longer ones have."""
_UNKNOWN, _LETTER = -log(1000), -log(15)
"""Of any word that is not known, and of each of its letters."""


class Piece(Protocol):
    """A part of a line; `glued` ones follow the one before without white space."""

    text: str
    glued: bool


class _Counts(msgspec.Struct, frozen=True):
    """How often each word is used, of a `total` of words."""

    total: int
    words: dict[str, int]


@lru_cache(maxsize=1)
def _counts() -> _Counts:
    data = files("conspectus.parse.pdf").joinpath("ligature_words.json").read_bytes()
    return msgspec.json.decode(data, type=_Counts)


def close_up(lines: Sequence[Sequence[Piece]]) -> None:
    """Glues together what is one word in the lines of a document."""
    texts = {piece.text for line in lines for piece in line}
    suspects = {text for text in texts if ("f" in text or "F" in text) and _may_be_broken(text)}
    if not suspects:
        return
    words: _Words | None = None
    for line in lines:
        if suspects.isdisjoint([piece.text for piece in line]):
            continue
        for i, piece in enumerate(line):
            alone = piece.text.casefold() in LIGATURES
            if not alone and (not i or piece.glued or not _makes_word(line, i)):
                continue
            words = words or _Words(lines, suspects)
            if alone:
                _close_around(line, i, words)
            else:
                _close_between(line, i, words)


def _may_be_broken(text: str) -> bool:
    """Whether a part of a line is a ligature, or begins or ends with one and is no word that is known."""
    word = text.casefold()
    return word in LIGATURES or (_EDGE.search(word.strip(".,;:()")) is not None and word not in _counts().words)


def _before(line: Sequence[Piece], i: int) -> str:
    """The letters at the end of what stands before piece `i`, with all that it is glued to."""
    text = ""
    for piece in reversed(line[:i]):
        text = piece.text + text
        if not piece.glued:
            break
    found = _ENDING.search(text)
    return found[0].casefold() if found else ""


def _after(line: Sequence[Piece], i: int) -> str:
    """The letters at the beginning of piece `i`."""
    found = _BEGINNING.match(line[i].text) if i < len(line) else None
    return found[0].casefold() if found else ""


def _close_around(line: Sequence[Piece], i: int, words: _Words) -> None:
    """Glues a ligature that stands alone to what is before it, behind it, or both."""
    before = "" if line[i].glued else _before(line, i)
    after = "" if i + 1 < len(line) and line[i + 1].glued else _after(line, i + 1)
    own = line[i].text.casefold()
    ways = [(False, False, (before, own, after)), (False, True, (before, own + after))]
    if before:
        ways += [(True, False, (before + own, after)), (True, True, (before + own + after,))]
    if not words.are_spaced(own):
        ways = [way for way in ways if all(part in (before, own, after) or words.can_be(part) for part in way[2])]
    left, right, _ = max(ways, key=lambda way: sum(words.likelihood(part) for part in way[2] if part))
    if left:
        line[i].glued = True
    if (right and after) or (left and i + 1 < len(line) and _CLOSING.match(line[i + 1].text)):
        line[i + 1].glued = True


def _makes_word(line: Sequence[Piece], i: int) -> bool:
    """Whether a piece and the one before it have a ligature at their border and are one word that is known."""
    if not (line[i].text[:1].casefold() == "f" or line[i - 1].text[-1:].casefold() in "fil"):
        return False
    before, after = _before(line, i), _after(line, i)
    parted = before and after and (before.endswith(LIGATURES) or after.startswith(LIGATURES))
    return bool(parted) and before + after in _counts().words


def _close_between(line: Sequence[Piece], i: int, words: _Words) -> None:
    """Glues a piece to the one before it if one of them is no word, and they are likelier together."""
    before, after = _before(line, i), _after(line, i)
    apart = words.likelihood(before) + words.likelihood(after)
    known = words.is_known(before) and words.is_known(after)
    if not known and words.likelihood(before + after) > apart:
        line[i].glued = True


class _Words:
    """The words of a document that stand by no ligature which may be spaced, and those that are counted."""

    def __init__(self, lines: Iterable[Sequence[Piece]], suspects: set[str]) -> None:
        self._own = Counter[str]()
        self._spaced = Counter[str]()
        for line in lines:
            for text in (piece.text.casefold() for piece in line):
                for ligature in LIGATURES:
                    self._spaced[ligature] += 1 if text == ligature else -(ligature in text)
            broken = {i for i, piece in enumerate(line) if piece.text in suspects}
            near = broken | {i + step for i in broken for step in (-1, 1)}
            for i, (piece, following) in enumerate(pairwise([*line, None])):
                word = piece.text.casefold().strip(".,;:()[]") if piece else ""
                whole = piece is not None and not piece.glued and not (following and following.glued)
                if whole and i not in near and word.isalpha() and not _EDGE.search(word):
                    self._own[word] += 1
        self._total = self._own.total() + _OF_OTHERS

    def is_known(self, word: str) -> bool:
        """Whether it is a word of the document, a counted or a common one."""
        return word in STOP_WORDS or self._own[word] >= _LEAST or word in _counts().words

    def are_spaced(self, ligature: str) -> bool:
        """Whether the ligature stands alone at least as often as within what stands together."""
        return self._spaced[ligature] >= 0

    def can_be(self, word: str) -> bool:
        """Whether it is known, or longer than a known one: what is neither may be two words."""
        return self.is_known(word) or bool(_stem(word))

    def likelihood(self, word: str) -> float:
        """The logarithm of how likely it is that a word is this one. After a known word, what ends it counts as much as
        a word of its own, so that no word is glued to the next for it."""
        if word in STOP_WORDS:
            return _COMMON
        if count := _counts().words.get(word):
            return log(count / _counts().total)
        if word in self._own and len(word) > 1:
            return log(self._own[word] / self._total)
        stem = _stem(word)
        known = log(_counts().words[stem] / _counts().total) if stem else 0.0
        return known + _UNKNOWN + _LETTER * (len(word) - len(stem))


def _stem(word: str) -> str:
    """The longest counted word that begins this one."""
    return next((word[:n] for n in range(len(word) - 1, _STEM - 1, -1) if word[:n] in _counts().words), "")
