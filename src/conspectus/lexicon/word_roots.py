"""Words of a query recognised in other forms, by how they begin: `mitochond` in `mitochondrial`."""

from __future__ import annotations

import re

from conspectus.lexicon import STOP_WORDS

WORD = re.compile(r"\w+")


def roots(query: str) -> tuple[str, ...]:
    """The beginnings by which the query's words are recognised, without stop words."""
    words = dict.fromkeys(WORD.findall(query.casefold()))
    return tuple(_root(word) for word in words if word not in STOP_WORDS)


def matches_root(word: str, wanted: tuple[str, ...]) -> bool:
    """Whether a word begins with one of the roots."""
    folded = word.casefold()
    return any(folded == root or (len(root) > 2 and folded.startswith(root)) for root in wanted)


def count_shared(text: str, wanted: tuple[str, ...]) -> int:
    """How many of the roots a text has."""
    words = {word.casefold() for word in WORD.findall(text)}
    return sum(any(matches_root(word, (root,)) for word in words) for root in wanted)


def _root(word: str) -> str:
    if len(word) >= 8:
        return word[:-3]
    if len(word) >= 6:
        return word[:-1].removesuffix("s")
    return word.removesuffix("s") if len(word) > 3 else word
