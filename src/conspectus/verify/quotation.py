"""Words in quotation marks: those of the paper, or a hint."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from conspectus.verify.hint import Hint
from conspectus.verify.normalised import Folded

LEAST_WORDS = 3
"""Fewer may be called so without being quoted."""
_QUOTED = re.compile(r'(?<![\w"])"(?=\S)([^"]{1,2000}+)"|«([^»]{1,2000}+)»')
"""Signs behind a number are inches or seconds of arc."""
_LEFT_OUT = re.compile(r"\[?(?:\.{3}|…)\]?|\[[^\]]{0,40}\]")
_WORD = re.compile(r"\w+")


def plain_words(text: str) -> str:
    """The words of a folded text, for `quotation_hints`: one space around each, no case, no signs."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def quotation_hints(statement: Folded, sources: Iterable[str]) -> Iterator[Hint]:
    """A hint for each quotation with words that stand in none of `sources` (`plain_words`).

    Where a quotation leaves something out (`…`, `[…]`) or adds it (`[the]`), each of its parts has to stand there.
    """
    known = list(sources)
    for found in _QUOTED.finditer(statement.text):
        parts = [plain_words(part) for part in _LEFT_OUT.split(found[1] or found[2])]
        if sum(len(part.split()) for part in parts) < LEAST_WORDS:
            continue
        if not all(any(part in text for text in known) for part in parts if part.strip()):
            words = statement.words(*found.span())
            yield Hint("quotation", words, f"The words {words} stand in no cited sentence.", certain=True)
