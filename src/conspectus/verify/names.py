"""Whether the names of a statement (genes, stars, data sets, codes) stand in the cited sentences or around them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conspectus.lexicon import STOP_WORDS
from conspectus.verify.hint import Hint
from conspectus.verify.normalised import GREEK, Folded

_WORD = re.compile(r"[A-Z][A-Za-z]{0,9}[A-Z][A-Za-z]{0,9}[ ]\d{2,9}\b(?![.,]\d)|[^\W_]+(?:[./+:-][^\W_]+)*+")
"""A name: 'NGC 1275', 'IL-6'."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_START = re.compile(r"(?:^|[.!?;:]|[\"'(\[“«])\s*$")
_DIGITS = re.compile(r"\d+")
_LONG = 2
"""Digits of an identifier that is certain: 'IL-6' may stand there as 'interleukin-6', 'NGC 1275' as nothing else."""
_EVERYDAY = frozenset({"covid19"})
"""What is called so whatever a paper calls it."""


@dataclass(frozen=True, slots=True)
class Names:
    """A text as names are looked for in it.

    Attributes:
        squeezed: its letters and digits alone, so that 'IL-6', 'IL6' and 'IL 6' are one.
        initials: the first letters of its words, and of those that carry meaning: 'MRI' for its long form.
        digits: its runs of digits.
    """

    squeezed: str
    initials: tuple[str, str]
    digits: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Names:
        """The names of a folded text."""
        words = re.findall(r"\w+", text.lower())
        content = [word for word in words if word not in STOP_WORDS]
        initials = ("".join(word[0] for word in words), "".join(word[0] for word in content))
        return cls(squeezed(text), initials, frozenset(_DIGITS.findall(text)))

    def have(self, name: str) -> bool:
        """Whether a name stands here, in this or another form."""
        shape = squeezed(name)
        if shape in self.squeezed or (len(shape) > 3 and shape.removesuffix("s") in self.squeezed):
            return True
        short = name.removesuffix("s")
        return short.isalpha() and short.isupper() and any(short.lower() in letters for letters in self.initials)


def names_in(statement: Folded) -> list[tuple[int, int]]:
    """Where the names of a statement stand."""
    text = statement.text
    found = []
    for word in _WORD.finditer(text):
        first = bool(_START.search(text, max(0, word.start() - 8), word.start()))
        if _is_name(word[0], first=first):
            found.append(word.span())
    return found


def name_hints(statement: Folded, places: Sequence[tuple[int, int]], known: Sequence[Names]) -> Iterator[Hint]:
    """A hint for each name of the statement, at `places`, that stands in none of `known`."""
    for start, end in places:
        name = statement.text[start:end]
        if not any(names.have(part) for names in known for part in _parts(name)):
            words = statement.words(start, end)
            yield Hint("name", words, f"'{words}' is not named in the cited sentences.", _is_identifier(name, known))


def _is_name(word: str, *, first: bool) -> bool:
    """Whether a word is a name: by its letters and digits, or because it is written large inside a sentence."""
    letters = [sign for sign in word if sign.isalpha()]
    if len(letters) < 1 or len(word) < 2:
        return False
    if any(sign.isdigit() for sign in word):
        return word[0].isalpha() or any(sign.isupper() for sign in letters)
    if sum(sign.isupper() for sign in letters) > 1:
        return True
    return letters[0].isupper() and len(word) > 2 and not first and word.lower() not in STOP_WORDS


def _is_identifier(name: str, known: Sequence[Names]) -> bool:
    """Whether a name that does not stand there has digits that stand nowhere either, and enough of them."""
    runs = [run for run in _DIGITS.findall(name) if len(run) >= _LONG]
    if " " in name and _YEAR.fullmatch(runs[0]):
        return False  # 'in the USA 2019'
    if not runs or squeezed(name) in _EVERYDAY:
        return False
    return not any(run in digits for names in known for run in runs for digits in names.digits)


def _parts(name: str) -> Iterator[str]:
    """A name, and what of a compound is one: 'NGC1275' of 'NGC1275-like'."""
    yield name
    pieces = re.split(r"[-/]", name)
    while len(pieces) > 1 and re.fullmatch(r"[a-z]{2,}", pieces[-1]):
        pieces.pop()
        yield "-".join(pieces)


def squeezed(text: str) -> str:
    """Letters and digits of a text, in lower case, without accents, Greek letters spelt out."""
    if not text.isascii():
        text = "".join(sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign))
        text = "".join(GREEK.get(sign, sign) for sign in text.lower())
    return re.sub(r"[\W_]+", "", text.lower())
