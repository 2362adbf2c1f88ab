"""Which language a text is in, by ISO 639-1."""

from __future__ import annotations

import re
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.core.disk import explained
from conspectus.core.errors import LibraryError

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

READ = 1000
"""Characters of a text that are looked at."""
LEAST_LETTERS = 20
"""A text of fewer letters may be in any language."""
SURE = 0.8
"""The probability from which it is said in which language a text is."""
EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Kana, Chinese characters, Hangul."""
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")
"""Of scripts that put no space between words: Thai, Lao, Burmese, Khmer, Kana, Chinese characters."""
_WORD = re.compile(r"[^\W\d_]+")
ENGLISH = frozenset("the and with for that this which from by are these their its have been between".split())
"""Function words of English that no other language shares three of."""


@lru_cache(maxsize=1)
def identifier() -> LanguageIdentifier:
    """The model, which takes half a second to be read."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    with explained(_temporary()):  # where it is unpacked
        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def _temporary() -> Path:
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError as error:  # nothing can be written to any of them
        raise LibraryError(
            "No folder for temporary files is writable; detecting the languages of papers needs one.",
            "Make room on its disk, or name another with TMPDIR; then run the same command again: nothing is lost.",
        ) from error


def words_in(text: str) -> set[str]:
    """The words of a text, in small letters."""
    return {word.lower() for word in _WORD.findall(text)}


def language_of(text: str) -> str:
    """The code of the language that a text is in; "" where it says too little to tell.

    Most texts of papers are told by a few words, without the identifier.
    """
    read = text[:READ]
    if len(words_in(read) & ENGLISH) >= 3:
        return "en"
    if sum(map(str.isalpha, read)) < LEAST_LETTERS:
        return ""
    code, probability = identifier().classify(read)
    return str(code) if probability >= SURE else ""
