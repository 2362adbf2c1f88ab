"""What of a statement does not stand in the sentences it cites: numbers, units, names, quotations.

It knows nothing of meaning: what it points at may be right in other words, and what it does not may be wrong. Whether
words deny, compare or turn round what a paper says is for a judge: rules that looked for that were wrong about true
statements nearly as often as right about false ones.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from conspectus.verify.hint import Hint, HintKind
from conspectus.verify.names import Names, name_hints, names_in
from conspectus.verify.normalised import Folded, fold
from conspectus.verify.numbers import Pool, number_hints
from conspectus.verify.quantities import Quantity, quantities
from conspectus.verify.quotation import plain_words, quotation_hints

__all__ = ["Hint", "HintKind", "hints", "read_ahead"]


Place = tuple[int, int]
"""Where words begin and end in a folded text."""


@dataclass(frozen=True)
class _Text:
    """A text, read once for all that is asked of it."""

    folded: Folded
    numbers: tuple[Quantity, ...]
    names: Names
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
    numbers, names = _apart(quantities(folded), names_in(folded))
    found = number_hints(folded, numbers, _pool(cited), _pool(there))
    found += name_hints(folded, names, [text.names for text in there])
    found += quotation_hints(folded, [text.plain for text in there])
    return tuple({(hint.kind, hint.found): hint for hint in reversed(found)}.values())[::-1]


def _apart(numbers: Sequence[Quantity], names: Sequence[Place]) -> tuple[list[Quantity], list[Place]]:
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
    return _Text(folded, tuple(quantities(folded, source=True)), Names.of(folded.text), plain_words(folded.text))


def _pool(texts: Sequence[_Text]) -> Pool:
    return Pool([(text.folded, text.numbers) for text in texts])


def _line(folded: Folded) -> str:
    return " ".join(folded.text.split())
