"""Ids of entities that no vocabulary has, made of their names alone, so that they do not depend on what came first."""

from __future__ import annotations

from hashlib import blake2b

from conspectus.graph.linking.words import PART, fold, is_acronym
from conspectus.records.entities import LOCAL

_ENDINGS = (("ies", "y"), ("es", ""), ("is", ""), ("s", ""), ("e", ""))
"""Of singulars and plurals: what is left is the same for both of nearly all, and is shown to nobody."""
_KEPT = ("ss", "us", "ics")


def new_id(name: str) -> str:
    """The id of what a name means; case, hyphens, British spelling and the plural of the last word do not matter."""
    words = [_acronym(part) or fold(part) for part in PART.findall(name)]
    words[-1:] = [_stem(word) for word in words[-1:]]
    return f"{LOCAL}:{blake2b(' '.join(words).encode(), digest_size=5).hexdigest()}"


def _acronym(part: str) -> str:
    """A word whose case says something, in the singular; "" of others."""
    one = part.removesuffix("s")
    return one if is_acronym(one) else part if is_acronym(part) else ""


def _stem(word: str) -> str:
    if len(word) > 3 and word.islower() and not word.endswith(_KEPT):
        return next((word.removesuffix(end) + new for end, new in _ENDINGS if word.endswith(end)), word)
    return word
