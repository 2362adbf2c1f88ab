"""Names that texts are not searched for, since they would mostly mean something else."""

from __future__ import annotations

from conspectus.lexicon import STOP_WORDS
from conspectus.records import normal_name

VERSION = 1
"""Raised whenever another name is left out, or for another reason."""
IDEOGRAPHS = "\u2e80"
"""From here on a character may be a word."""


def left_out(name: str) -> str:
    """Why a name is left out; "" where it is not. In capitals a function word is an abbreviation (`ALL`)."""
    plain = normal_name(name)
    if not any(sign.isalpha() for sign in plain):
        return "number" if any(sign.isdigit() for sign in plain) else "no letters"
    if len(plain) == 1 and plain < IDEOGRAPHS:
        return "one letter"
    return "function word" if plain in STOP_WORDS and not name.isupper() else ""
