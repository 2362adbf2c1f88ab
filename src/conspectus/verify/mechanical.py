"""What of a statement does not stand in the sentences it cites: numbers, units, names, quotations.

It knows nothing of meaning: what it points at may be right in other words, and what it does not may be wrong. Whether
words deny, compare or turn round what a paper says is for a judge: rules that looked for that were wrong about true
statements nearly as often as right about false ones.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from conspectus.verify.folded_text import Folded, fold
from conspectus.verify.hint import Hint, HintKind
from conspectus.verify.names import IdentifierIndex, find_identifiers, name_hints
from conspectus.verify.numbers import Pool, has_number, is_measured, number_hints
from conspectus.verify.quantities import Quantity, quantities

__all__ = ["Hint", "HintKind", "hints", "locate_numbers", "read_ahead"]


Place = tuple[int, int]
"""Where words begin and end in a folded text."""


@dataclass(frozen=True)
class _Text:
    """A text, read once for all that is asked of it."""

    folded: Folded
    numbers: tuple[Quantity, ...]
    names: IdentifierIndex
    plain: str


def hints(statement: str, sentences: Sequence[str], around: Sequence[str] = ()) -> tuple[Hint, ...]:
    """What of `statement` does not stand in the cited `sentences`; empty where they have all its numbers and names.

    Args:
        statement: what a model wrote; one sentence or several.
        sentences: the exact texts of the spans it cites, in any order.
        around: the passages that they stand in, with title and headings: what stands there is never certainly wrong.
    """
    cited = [_text(text) for text in sorted(set(sentences)) if text.strip()]
    folded = fold(statement)
    if not cited or _line(folded) in {_line(text.folded) for text in cited}:
        return ()
    there = [*cited, *(_text(text) for text in dict.fromkeys(around) if text.strip())]
    numbers, names = _separate(quantities(folded), find_identifiers(folded))
    found = number_hints(folded, numbers, _pool(cited), _pool(there))
    found += name_hints(folded, names, [text.folded for text in cited], [text.names for text in there])
    found += quotation_hints(folded, [text.plain for text in there])
    return tuple({(hint.kind, hint.found): hint for hint in reversed(found)}.values())[::-1]


def locate_numbers(statement: str, cited: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The numbers of a statement that stand in none of the `cited` sentences, each with the first of `others` with it.

    Yields the words of the number and the place of the sentence in `others`.
    """
    folded = fold(statement)
    numbers, _ = _separate(quantities(folded), find_identifiers(folded))
    pool = _pool([_text(text) for text in cited])
    pools = [_pool([_text(text)]) for text in others]
    for item in numbers:
        if not is_measured(item) or has_number(pool, item):
            continue
        place = next((place for place, other in enumerate(pools) if has_number(other, item)), None)
        if place is not None:
            yield folded.words(item.start, item.stop), place


def _separate(numbers: Sequence[Quantity], names: Sequence[Place]) -> tuple[list[Quantity], list[Place]]:
    """Numbers that are no part of a name, and names that are no number with its unit."""
    measured = [(item.start, item.stop) for item in numbers if item.unit is not None]
    names = [name for name in names if not _meets(name, measured)]
    return [item for item in numbers if not _meets((item.start, item.end), names)], names


def _meets(place: Place, others: Sequence[Place]) -> bool:
    """Whether a place overlaps one of others, which are in their order and do not overlap."""
    following = bisect_right(others, place[0], key=lambda other: other[1])
    return following < len(others) and others[following][0] < place[1]


def read_ahead(texts: Sequence[str]) -> None:
    """Read texts that statements will be held against soon, while there is time."""
    for text in texts:
        _text(text)


@lru_cache(maxsize=512)
def _text(text: str) -> _Text:
    folded = fold(text)
    return _Text(folded, tuple(quantities(folded, source=True)), IdentifierIndex.of(folded), plain_words(folded.text))


def _pool(texts: Sequence[_Text]) -> Pool:
    return Pool([(text.folded, text.numbers) for text in texts])


def _line(folded: Folded) -> str:
    return " ".join(folded.text.split())


LEAST_WORDS = 3
"""Fewer may be called so without being quoted."""
_LEAST_SHARED = 0.3
"""The part of a quotation's words that the sentences have at least; with fewer it is translated, or quotes others."""
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
        own = [word for part in parts for word in part.split()]
        if len(own) < LEAST_WORDS or all(any(part in text for text in known) for part in parts if part.strip()):
            continue
        if sum(any(f" {word} " in text for text in known) for word in own) >= len(own) * _LEAST_SHARED:
            words = statement.words(*found.span())
            yield Hint("quotation", words, f"The words {words} are in no cited sentence.", certain=True)
