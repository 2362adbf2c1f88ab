"""Whether text is running sentences, by how it is written and in any language: no list of words decides.

Sentences end in a full stop, have several words between two commas, and in scripts with capitals most of their words
begin with a small letter. Titles, names, addresses, keywords and dates fail at least one of these.
"""

from __future__ import annotations

import re

from conspectus.core.languages import EAST_ASIAN, UNSPACED
from conspectus.parse.pdf.thresholds import AROUND

_SENTENCE_END = re.compile(r"[^\W\d_]{2}[)\]’”»\"']{0,2}[.!?؟۔।](?=[\s)\]’”»\"']|$)|[。！？｡]")
_SEPARATOR = re.compile(r"[,;·•|،؛，；、]")
_UNSPACED_SIGN = re.compile(rf"{UNSPACED.pattern}|[\u3001-\u301f\uff01-\uff0f\uff1a-\uff1f]")
_LEAST_WORDS = 8
_MANY_WORDS = 25
"""So many words may be a part of a sentence that begins or ends elsewhere."""
_CHARACTERS_A_WORD = 2
"""About as many characters make a word in scripts without spaces."""


def count_words(text: str) -> int:
    """The number of words in `text`; where a script puts no spaces between them, as many as its characters make."""
    unspaced = 0 if text.isascii() else len(UNSPACED.findall(text))
    if not unspaced:
        return len(text.split())
    return len(UNSPACED.sub(" ", text).split()) + max(unspaced // _CHARACTERS_A_WORD, 1)


def are_unspaced(before: str, after: str) -> bool:
    """Whether a line that ends with `before` goes on with `after` without a space, as Chinese and Japanese do."""
    return _UNSPACED_SIGN.match(before[-1:]) is not None and _UNSPACED_SIGN.match(after) is not None


def extent(text: str) -> int:
    """How long `text` is, in characters of a script with letters: a Chinese character says as much as several."""
    return len(text) if text.isascii() else len(text) + 2 * len(EAST_ASIAN.findall(text))


def starts_sentence(text: str) -> bool:
    """Whether `text` may begin a sentence: with a capital, or a letter of a script that has no capitals."""
    return text[:1].isalpha() and not text[:1].islower()


def reads_as_prose(text: str) -> bool:
    """Whether `text` is running sentences rather than names, addresses, keywords, dates or a title."""
    words = count_words(text)
    if words < _LEAST_WORDS or words < AROUND.prose_apart * len(_SEPARATOR.findall(text)):
        return False
    ends = _SENTENCE_END.search(text) is not None
    first = [word.lstrip("([“„«\"'‘¿¡")[:1] for word in text.split()]
    cased = sum(letter.isupper() or letter.islower() for letter in first)
    if cased < AROUND.prose_cased * words:  # a script without capitals
        return ends
    small = sum(map(str.islower, first)) / len(first)
    return small > (AROUND.prose_small if ends else AROUND.prose_small_open) and (ends or words >= _MANY_WORDS)
