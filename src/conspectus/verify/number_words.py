"""Numbers written in words, in many languages: `thirty-five`, `un tiers`, `двадцать пять`, `one in five`.

How a language counts is known from the rules of Unicode (CLDR); what these lack (halves, 'out of') is in
`numbers.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from conspectus.lexicon import words

SCALE_WORDS: Mapping[str, float] = {
    word: float(times) for times, listed in words("numbers")["scales"].items() for word in listed.split()
}
"""What multiplies a number in digits, in several languages: '3.2 million', '3,2 Mio.', '320万'."""
HALF_STEP = 0.25
"""'Two and a half' is said of 2.4 and of 2.6."""
_ROUGH = 0.05
"""The step of a fraction in words: 'a third' is said of 31 % and of 35 %."""
_WORD = re.compile(r"[^\W\d_]+|(?<![\d.,])\d+(?![.,]?\d)")
_LARGE = 13
"""From here on a count is one in whatever language a text is; smaller ones are often other words ('sei', 'due')."""
_MOST_OF_ONE_IN = 20
_SHORTEST_JOINED = 8
"""Letters of a word that is several numbers."""
_AND_PART = re.compile(r"[ -]and[ -]an?[ -](half|third|quarter)\b(?![ ]of\b)", re.IGNORECASE)
_EAST_PART = re.compile(r"([\d一二两三四五六七八九十]{1,4})[ ]?(?:分之|分の|분의)[ ]?([\d一二两三四五六七八九十]{1,4})")
"""'三分之二', '4分の1': the whole stands before the part."""


@dataclass(frozen=True, slots=True)
class SpeltNumber:
    """A number in words, from `start` to `end` of a text.

    Attributes:
        step: what one more in its last digit would be; 0 for a whole number.
        kind: `count`, `ordinal`, `fraction` (a part of a whole) or `fold` (so many times as much).
        is_certain: it is hardly another word, in whatever language the text is.
    """

    start: int
    end: int
    value: float
    step: float = 0.0
    kind: str = "count"
    is_certain: bool = True


def read_number_words(text: str) -> Iterator[SpeltNumber]:
    """The numbers in English words of a folded text, in their order."""
    yield from _grammar("en").read(text, list(_split_words(text)))


def read_foreign_number_words(text: str) -> Iterator[SpeltNumber]:
    """The numbers in words of other languages; a word of several languages has all meanings."""
    pieces = list(_split_words(text))
    for language, known in words("numbers")["languages"].items():
        if language != "en" and not ("letters" in known and text.isascii()):  # reading the rules takes time
            yield from _grammar(language).read(text, pieces)
    for match in _EAST_PART.finditer(text):
        below, above = (
            float(part) if part.isdecimal() else _grammar("zh").counts.get(part, 1.0) for part in match.groups()
        )
        if 0 < above < below:
            yield SpeltNumber(match.start(), match.end(), above / below, _ROUGH, "fraction")


@cache
def _grammar(language: str) -> _Grammar:
    return _Grammar(language, words("numbers")["languages"].get(language, {}))


class _Word(NamedTuple):
    text: str
    start: int
    end: int
    is_joined: bool
    """At most a space or a hyphen is between it and the word before."""


def _split_words(text: str) -> Iterator[_Word]:
    last = 0
    for match in _WORD.finditer(text):
        yield _Word(match[0].lower(), match.start(), match.end(), text[last : match.start()] in {" ", "-"})
        last = match.end()


class _Grammar:
    """How one language writes numbers."""

    def __init__(self, language: str, known: Mapping[str, str]) -> None:
        from unicode_rbnf import FormatPurpose, RbnfEngine

        engine = RbnfEngine.for_language(language)

        def spell(number: int, purpose: FormatPurpose = FormatPurpose.CARDINAL) -> set[str]:
            try:
                spelt = engine.format_number(number, purpose).text_by_ruleset.values()
            except ValueError:  # it has no rules for ordinals
                return set()
            return {text.replace("\xad", "").replace("-", " ").lower() for text in spelt}

        def numbers(key: str) -> dict[str, float]:
            listed = known.get(key, "").split()
            return {word: float(value) for value, word in zip(listed[::2], listed[1::2], strict=True)}

        self._is_english = language == "en"
        self._ones = dict.fromkeys([*spell(1), *known.get("one", "").split()], 1.0)
        self.counts = {text: float(value) for value in range(2, 100) for text in spell(value)}
        self._scales: dict[str, float] = {}
        """What multiplies the count before it."""
        for scale in (100, 10**3, 10**6, 10**9, 10**12):
            for times in (1, 2, 5):
                for text in spell(times * scale):
                    factor = max(
                        (unit_word for unit_word in spell(times) if text.startswith(unit_word)), key=len, default=""
                    )
                    self._scales[text[len(factor) :].strip() or text] = float(scale)
                    if not factor:
                        self.counts[text] = float(times * scale)
        self.counts |= {text: value * 100.0 for value in range(1, 10) for text in spell(value * 100)}
        before_one = {text.rpartition(" ")[0].removesuffix(" " + known.get("and", "")) for text in spell(101)}
        self.counts |= dict.fromkeys(before_one - {""}, 100.0)  # 'ciento', where 'cien' is said of 100 alone
        self._and, self._point = known.get("and", ""), set(known.get("point", "").split())
        self._digits = {text: float(value) for value in range(10) for text in spell(value)}
        self._ordinals = {text: float(value) for value in range(2, 13) for text in spell(value, FormatPurpose.ORDINAL)}
        ending = known.get("part_ending", "")
        self._parts = {text + ending: value for text, value in self._ordinals.items() if value > 2} | numbers("parts")
        self._sure_parts = {text for text in self._parts if ending} | set(numbers("parts"))
        """Words that are a fraction behind 'a'; others may be ordinals ('a third group')."""
        self._lone = set(known.get("lone", "").split())
        self._part_nouns = known.get("part_nouns", "").split()
        self._folds, self._mixed = numbers("folds"), numbers("mixed")
        self._each = set(known.get("each", "").split())
        self._among = [(0, phrase.split()) for phrase in known.get("among", "").split(",") if phrase]
        self._among += [(1, phrase.split()) for phrase in known.get("among_nouns", "").split(",") if phrase]
        self._of = re.compile(rf"[ ](?:{known['of']})\b|[ ]?(?:[.,;:)%]|$)|[ ][^\W\d_]'" if "of" in known else "")
        single = {text for text in (*self.counts, *self._scales, *self._ones, self._and) if text and " " not in text}
        self._piece = re.compile("|".join(sorted(map(re.escape, single), key=len, reverse=True)))
        phrases = (
            *self.counts,
            *self._ones,
            *self._parts,
            *self._ordinals,
            *self._folds,
            *self._mixed,
            *self._each,
            *self._scales,
        )
        self._first = {text.split()[0] for text in phrases}
        self._most = max(text.count(" ") for text in self.counts) + 1

    def read(self, text: str, word_list: list[_Word]) -> Iterator[SpeltNumber]:
        """Yield the numbers of a text, which has these words, in their order."""
        pieces = [piece for word in word_list for piece in self._split(word)]
        at = 0
        while at < len(pieces):
            number, used = self._number_at(text, pieces, at) if pieces[at].text in self._first else (None, 1)
            if number is not None:
                yield number
            at += max(used, 1)

    def _split(self, word: _Word) -> list[_Word]:
        """Return the numbers that are one word ('dreihundertzwölf'), or the word."""
        if len(word.text) < _SHORTEST_JOINED or word.text in self._first:
            return [word]
        pieces, end = [], 0
        while piece := self._piece.match(word.text, end):
            pieces.append(_Word(piece[0], word.start + end, word.start + piece.end(), end > 0 or word.is_joined))
            end = piece.end()
        return pieces if end == len(word.text) else [word]

    def _number_at(self, text: str, pieces: list[_Word], at: int) -> tuple[SpeltNumber | None, int]:
        """Return the number that begins at a word, and how many words it has."""
        value, used = self._count_at(pieces, at)
        above, length = value if used else self._ones.get(pieces[at].text, 0.0), max(used, 1)
        count = SpeltNumber(pieces[at].start, pieces[at + length - 1].end, value, is_certain=value >= _LARGE)
        return (
            self._known_at(text, pieces, at)
            or (self._share_at(text, pieces, at, above, length) if above else None)
            or self._part_at(text, pieces[at])
            or (self._mixed_at(text, pieces, at, above, length) if above else None)
            or (count if used else None, length)
        )

    def _known_at(self, text: str, pieces: list[_Word], at: int) -> tuple[SpeltNumber | None, int] | None:
        """Return what one word says ('twice', 'anderthalb'), or 'every third'."""
        word, start, end, _ = pieces[at]
        if word in self._folds:
            if text[end : end + 1] == "-" and text[end + 1 : end + 2].isalpha():  # 'double-blind'
                return None, 1
            return SpeltNumber(start, end, self._folds[word], kind="fold", is_certain=False), 1
        if word in self._mixed:
            return SpeltNumber(start, end, self._mixed[word], is_certain=False), 1
        below = self._ordinals.get(pieces[at + 1].text, 0.0) if word in self._each and at + 1 < len(pieces) else 0.0
        return (SpeltNumber(start, pieces[at + 1].end, 1 / below, _ROUGH, "fraction"), 2) if below > 2 else None

    def _part_at(self, text: str, word: _Word) -> tuple[SpeltNumber, int] | None:
        """Return a fraction without a number before it ('half', 'Viertel'), or an English ordinal."""
        below = self._parts.get(word.text, 0.0)
        is_hyphened = text[word.end : word.end + 1] == "-" and text[word.end + 1 : word.end + 2].isalpha()
        if below and not is_hyphened and (below == 2 or not self._is_english):
            is_certain = word.text in self._lone
            return SpeltNumber(word.start, word.end, 1 / below, _ROUGH, "fraction", is_certain), 1
        if self._is_english and word.text in self._ordinals:
            return SpeltNumber(word.start, word.end, self._ordinals[word.text], kind="ordinal"), 1
        return None

    def _mixed_at(
        self, text: str, pieces: list[_Word], at: int, above: float, length: int
    ) -> tuple[SpeltNumber, int] | None:
        """Return a number that goes on behind its `length` words: 'two and a half', 'two point five'."""
        start, end = pieces[at].start, pieces[at + length - 1].end
        if self._is_english and (part := _AND_PART.match(text, end)):
            value = above + 1 / (2 if part[1] == "half" else self._parts[part[1].lower() + "s"])
            return SpeltNumber(start, part.end(), value, HALF_STEP), length + 3
        if not (digits := list(self._decimals(pieces, at + length))):
            return None
        value = above + sum(digit / 10**place for place, digit in enumerate(digits, 1))
        length += 1 + len(digits)
        return SpeltNumber(start, pieces[at + length - 1].end, value, 0.1 ** len(digits)), length

    def _decimals(self, pieces: list[_Word], at: int) -> Iterator[float]:
        """Yield the digits behind a point that is a word."""
        if at < len(pieces) and pieces[at].is_joined and pieces[at].text in self._point:
            for word in pieces[at + 1 :]:
                digit = self._digits.get(word.text)
                if digit is None or not word.is_joined:
                    break
                yield digit

    def _share_at(
        self, text: str, pieces: list[_Word], at: int, above: float, used: int
    ) -> tuple[SpeltNumber, int] | None:
        """Return a fraction whose upper number has `used` words: 'two thirds', 'un quart', 'three out of four'."""
        start, place = pieces[at].start, at + used
        if place < len(pieces) and pieces[place].is_joined and (below := self._parts.get(pieces[place].text)):
            last = place
            if last + 1 < len(pieces) and pieces[last + 1].text in self._part_nouns:
                last += 1
            is_part = pieces[place].text in self._sure_parts or last > place or above > 1
            if above < below and (is_part or self._of.match(text, pieces[place].end)):
                return SpeltNumber(start, pieces[last].end, above / below, _ROUGH, "fraction"), last + 1 - at
        for skipped, among in self._among:  # 'three in four'; 'un patient sur quatre'
            whole_at = place + skipped + len(among)
            between = pieces[place : whole_at + 1]
            is_whole = len(between) > skipped + len(among) and all(word.is_joined for word in between)
            if not is_whole or [word.text for word in between[skipped:-1]] != among:
                continue
            digits = pieces[whole_at].text
            below, more = (float(digits), 1) if digits.isdecimal() else self._count_at(pieces, whole_at)
            if more and above < below <= _MOST_OF_ONE_IN:
                end = pieces[whole_at + more - 1].end
                return SpeltNumber(start, end, above / below, _ROUGH, "fraction"), whole_at + more - at
        return None

    def _count_at(self, pieces: list[_Word], at: int) -> tuple[float, int]:
        """Return the value of a whole number from 2 on, and how many words it has; 0 words where there is none."""
        total, scale, used = 0.0, float("inf"), 0
        while True:
            value, more = self._hundreds_at(pieces, at + used, is_first=not used)
            factor_at = at + used + more
            factor = self._scales.get(pieces[factor_at].text, 0.0) if self._is_next(pieces, factor_at) and more else 0.0
            if not 1000 <= factor < scale:
                break
            total, scale, used = total + value * factor, factor, used + more + 1
        total, used = total + value, used + more
        return (total, used) if total > 1 else (0.0, 0)

    def _is_next(self, pieces: list[_Word], at: int) -> bool:
        return at < len(pieces) and pieces[at].is_joined

    def _hundreds_at(self, pieces: list[_Word], at: int, *, is_first: bool) -> tuple[float, int]:
        """Return the value of a number below 1000, and how many words it has."""
        if not is_first and self._is_next(pieces, at) and pieces[at].text == self._and:
            value, used = self._hundreds_at(pieces, at + 1, is_first=True)
            return value, used + 1 if used else 0
        if not is_first and not self._is_next(pieces, at):
            return 0.0, 0
        value, used = self._phrase_at(pieces, at)
        if not used and at < len(pieces) and self._scales.get(pieces[at].text) == 100:  # 'hundertzwanzig'
            is_one_word = at + 1 < len(pieces) and pieces[at + 1].start == pieces[at].end
            value, used = (100.0, 1) if is_one_word else (0.0, 0)
        if (
            used
            and value < 100
            and self._is_next(pieces, at + used)
            and self._scales.get(pieces[at + used].text) == 100
        ):
            value, used = value * 100, used + 1
        if used and value >= 100 and value % 100 == 0:
            place = at + used + (self._is_next(pieces, at + used) and pieces[at + used].text == self._and)
            rest, more = self._phrase_at(pieces, place) if self._is_next(pieces, place) else (0.0, 0)
            if more and rest < 100:
                return value + rest, place + more - at
        return value, used

    def _phrase_at(self, pieces: list[_Word], at: int) -> tuple[float, int]:
        """Return the longest count that the next words are, and how many words it has."""
        for used in range(self._most, 0, -1):
            phrase = pieces[at : at + used]
            if len(phrase) == used and all(word.is_joined for word in phrase[1:]):
                text = " ".join(word.text for word in phrase)
                if (value := self.counts.get(text) or self._ones.get(text)) is not None:
                    return value, used
        return 0.0, 0
