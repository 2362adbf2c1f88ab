"""What of a statement does not stand in the sentences it cites: numbers, units, names, quotations.

It knows nothing of meaning: what it points at may be right in other words, and what it does not may be wrong. Whether
words deny, compare or turn round what a paper says is for a judge: rules that looked for that were wrong about true
statements nearly as often as right about false ones.

An identifier is letters with digits ('IL-6', 'NGC 1275', 'GSE123456', 'TiO2'), in whatever language. Names without
digits are left to a judge: every German noun is written large, and a person may be called in many ways.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from conspectus.verify.folded_text import GREEK, Folded, fold
from conspectus.verify.numbers import Hint, HintKind, Pool, has_number, is_measured, number_hints
from conspectus.verify.quantities import Quantity, quantities

_NAME_WORD = re.compile(r"[A-Z][A-Za-z]{0,9}[A-Z][A-Za-z]{0,9}[ ]\d{2,9}\b(?![.,]\d)|[^\W_]+(?:[./+:-][^\W_]++)*+")
"""What may be an identifier: 'NGC 1275', 'IL-6'."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_DIGITS = re.compile(r"\d+")
_PIECES = re.compile(r"[^\W\d_]+|\d+")
_NUMBERED = re.compile(r"(?<![^\W\d_])([^\W\d_])[^\W\d_]{0,40}+[ -]?(\d+)")
"""A word with the number behind it: 'interleukin-6', 'interleukin 6', 'IL6'."""
_LONG = 2
"""Digits of an identifier that is certain: 'IL-6' may stand there as 'interleukin-6', 'p53' as nothing else."""
_SHORT = 4
_FORMULA = re.compile(
    r"(?:(?:Al|As|Ba|Br|Ca|Cl|Co|Cr|Cu|Fe|Hg|Li|Mg|Mn|Na|Ni|Pb|Si|Sn|Ti|Zn|[BCFHIKNOPS])\d{0,2}){1,12}[+-]?"
)
"""What may be a chemical formula, and is written in words as well: 'carbon dioxide'."""
_ACCESSION = 3
"""Digits from which an identifier is doubted though nothing like it stands there: 'NGC 1275', 'GSE123456'."""


@dataclass(frozen=True, slots=True)
class IdentifierIndex:
    """A text as identifiers are looked for in it.

    Attributes:
        squeezed: its letters and digits alone, so that 'IL-6', 'IL6' and 'IL 6' are one.
        numbered: numbers with the first letter of the word before them: 'i6' of 'interleukin 6'.
        digits: its runs of digits.
    """

    squeezed: str
    numbered: frozenset[str]
    digits: frozenset[str]

    @classmethod
    def of(cls, folded: Folded) -> IdentifierIndex:
        """The identifiers of a text."""
        text = folded.text
        numbered = frozenset(f"{match[1].lower()}{match[2]}" for match in _NUMBERED.finditer(text))
        return cls(squeeze(text), numbered, frozenset(_DIGITS.findall(text)))

    def has(self, name: str) -> bool:
        """Whether an identifier stands here, in this or another form."""
        shape = squeeze(name)
        if shape in self.squeezed or (len(shape) > 3 and shape.removesuffix("s") in self.squeezed):
            return True
        pieces = _PIECES.findall(shape)
        if len(pieces) == 2 and f"{pieces[1]}{pieces[0][0]}" in self.squeezed:
            return True  # '14C' for 'carbon-14'
        return any(f"{match[1].lower()}{match[2]}" in self.numbered for match in _NUMBERED.finditer(name))


def find_identifiers(folded: Folded) -> list[tuple[int, int]]:
    """Where the identifiers of a text stand."""
    return [match.span() for match in _NAME_WORD.finditer(folded.text) if _is_identifier(match[0])]


def name_hints(
    statement: Folded,
    places: Sequence[tuple[int, int]],
    cited: Sequence[Folded],
    known: Sequence[IdentifierIndex],
) -> Iterator[Hint]:
    """A hint for each identifier of the statement, at `places`, in whose place the `cited` sentences have another one.

    One with several digits ('GSE123456', 'p53') needs no other: nobody has it from elsewhere. `known` is all that the
    identifiers may stand in: the cited sentences and the text around them.
    """
    names = [statement.text[start:end] for start, end in places]
    strange = [name for name in names if not any(index.has(part) for index in known for part in _parts(name))]
    if not strange:
        return
    index_here = IdentifierIndex.of(statement)
    others = [text.text[start:end] for text in cited for start, end in find_identifiers(text)]
    rivals = {_shape(name): _is_code(name) for name in others if not index_here.has(name)}
    for (start, end), name in zip(places, names, strict=True):
        if name not in strange:
            continue
        digits = [] if _is_dated(name) else [run for run in _DIGITS.findall(name) if not _stands(run, known)]
        longest = max(map(len, digits), default=0)
        is_like, is_code = any(_shape(part) in rivals for part in _parts(name)), _is_code(name)
        is_certain = longest >= _ACCESSION or (longest >= _LONG and (is_like or is_code))
        if is_certain or is_like or (is_code and any(rivals.values())):
            words = statement.words(start, end)
            yield Hint("name", words, f"'{words}' is not named in the cited sentences.", is_certain)


def _stands(run: str, known: Sequence[IdentifierIndex]) -> bool:
    """Whether digits stand anywhere."""
    return any(run in digits for index in known for digits in index.digits)


def _is_identifier(word: str) -> bool:
    """Whether a word is letters with digits, and no number with its ending or unit ('1980s', '5mg')."""
    if not any(sign.isdigit() for sign in word):
        return False
    letters = [sign for sign in word if sign.isalpha()]
    return bool(letters) and (word[0].isalpha() or any(sign.isupper() for sign in letters))


def _is_code(name: str) -> bool:
    """Whether an identifier is a short code, and neither a word with a number ('COVID-19') nor a formula ('CO2')."""
    letters = re.findall(r"[^\W\d_]+", name)
    return max(map(len, letters)) <= _SHORT and not _FORMULA.fullmatch(name)


def _is_dated(name: str) -> bool:
    """Whether a name is one with a year: 'in the USA 2019'."""
    return " " in name and bool(_YEAR.fullmatch(name.rpartition(" ")[2]))


def _shape(name: str) -> str:
    """The letters of an identifier, with a mark for its digits."""
    return re.sub(r"\d+", "0", squeeze(name))


def _parts(name: str) -> Iterator[str]:
    """A name, and what of a compound is one: 'NGC1275' of 'NGC1275-like'."""
    yield name
    pieces = re.split(r"[-/]", name)
    while len(pieces) > 1 and re.fullmatch(r"[^\W\d_]{2,}", pieces[-1]):
        pieces.pop()
        yield "-".join(pieces)


def squeeze(text: str) -> str:
    """Letters and digits of a text, in lower case, without accents, Greek letters spelt out."""
    if not text.isascii():
        text = "".join(sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign))
        text = "".join(GREEK.get(sign, sign) for sign in text.lower())
    return re.sub(r"[\W_]+", "", text.lower())


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
    all_hints = number_hints(folded, numbers, _pool(cited), _pool(there))
    all_hints += name_hints(folded, names, [text.folded for text in cited], [text.names for text in there])
    all_hints += quotation_hints(folded, [text.plain for text in there])
    return tuple({(hint.kind, hint.words): hint for hint in reversed(all_hints)}.values())[::-1]


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
    for match in _QUOTED.finditer(statement.text):
        parts = [plain_words(part) for part in _LEFT_OUT.split(match[1] or match[2])]
        quoted_words = [word for part in parts for word in part.split()]
        if len(quoted_words) < LEAST_WORDS or all(
            any(part in text for text in known) for part in parts if part.strip()
        ):
            continue
        if (
            sum(any(f" {word} " in text for text in known) for word in quoted_words)
            >= len(quoted_words) * _LEAST_SHARED
        ):
            words = statement.words(*match.span())
            yield Hint("quotation", words, f"The words {words} are in no cited sentence.", certain=True)
