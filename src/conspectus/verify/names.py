"""Whether identifiers of a statement (genes, stars, data sets, codes) stand in the cited sentences or around them.

An identifier is letters with digits ('IL-6', 'NGC 1275', 'GSE123456', 'TiO2'), in whatever language. Names without
digits are left to a judge: every German noun is written large, and a person may be called in many ways.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conspectus.verify.folded_text import GREEK, Folded
from conspectus.verify.hint import Hint

_WORD = re.compile(r"[A-Z][A-Za-z]{0,9}[A-Z][A-Za-z]{0,9}[ ]\d{2,9}\b(?![.,]\d)|[^\W_]+(?:[./+:-][^\W_]+)*+")
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
        numbered = frozenset(f"{found[1].lower()}{found[2]}" for found in _NUMBERED.finditer(text))
        return cls(squeeze(text), numbered, frozenset(_DIGITS.findall(text)))

    def has(self, name: str) -> bool:
        """Whether an identifier stands here, in this or another form."""
        shape = squeeze(name)
        if shape in self.squeezed or (len(shape) > 3 and shape.removesuffix("s") in self.squeezed):
            return True
        pieces = _PIECES.findall(shape)
        if len(pieces) == 2 and f"{pieces[1]}{pieces[0][0]}" in self.squeezed:
            return True  # '14C' for 'carbon-14'
        return any(f"{found[1].lower()}{found[2]}" in self.numbered for found in _NUMBERED.finditer(name))


def find_identifiers(folded: Folded) -> list[tuple[int, int]]:
    """Where the identifiers of a text stand."""
    return [found.span() for found in _WORD.finditer(folded.text) if _is_identifier(found[0])]


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
    own = IdentifierIndex.of(statement)
    others = [text.text[start:end] for text in cited for start, end in find_identifiers(text)]
    rivals = {_shape(name): _is_code(name) for name in others if not own.has(name)}
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
