"""Values for columns of numbers, found without a model: a number whose unit fits, bound to words of the column.

A number is bound if only words that bind stand between it and a word of the column ('a temperature of about 300 K'),
if it stands right before it ('a 300 K temperature', '35-year-old'), behind the symbol of what is measured ('z ~ 1.6'),
or if its unit means nothing else ('at 300 K'). What a paper counts as its sample is bound to what was done with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from conspectus.records import Passage, Span
from conspectus.records.review import TableColumn
from conspectus.review.table.cell_values import read_numbers
from conspectus.review.table.measures import Measure, listed_words, measure_of, shape_of
from conspectus.review.table.printed_cells import find_table_numbers
from conspectus.review.table.sample_counts import NumberMatch, find_counts, may_count
from conspectus.verify.folded_text import Folded
from conspectus.verify.quantities import Quantity

_BINDING = re.compile(
    r"(?:[ ][^\W\d_]\b)?(?:[ ,(\[=:~≈<>≤≥±|]|\bof (?:[^\W\d_][\w-]{1,20}[ ]){1,3}(?=was|were|is|are|=)"
    rf"|\b(?:{listed_words('binding')})\b){{0,12}}"
)
"""What may stand between a word of the column and its number."""
_MOST_BETWEEN = 45
"""Characters."""
_ATTRIBUTE = re.compile(r"[ -]{0,2}(?:(?:in|of|average|mean|median|total|single|oral|daily|effective|optical) )?")
"""What may stand between a number with its unit and a word of the column behind it."""
_OTHER_SENSE = re.compile(
    rf"(?:\b(?:{listed_words('differing')})\b[^.;,]{{0,25}}|Δ ?\w?[ ]?[=~≈]?[ ]?)$", re.IGNORECASE
)
"""Before a word of the column or its number: then it is no value of it, but how far two differ."""
_DIFFERENCE = re.compile(rf"[ ]?(?:[\w-]{{1,30}}[ ])?(?:{listed_words('differing')})\b")
"""The same behind a number or a word of the column."""
_AT = re.compile(r"\b(?:at|to|of|near|below|above|from|between|range|reaching|is|was|about)[ ]$|[~≈(,=<>≤≥–][ ]?$")
_AT_WORD = re.compile(r"\b(?:at|to|above|below|between)[ ]$")
_SIGN = re.compile(r"(?<![\w^_\\])-?([^\W\d]\w{0,3})(?:[ ]?[=~≈<>≤≥][ ]?|[ ])$")
_SIGN_BEHIND = re.compile(r"[ ]?[<≤][ ]?(\w{1,4})[ ]?[<≤]")
_JOINING = re.compile(r"[ ]?(?:[-–/~±,]|\+/?-|to|and|or|, or|, and|[<≤][ ]?\w{1,3}[ ]?[<≤])?[ ]?(?:±[ ]?)?")
_RANGE = re.compile(r"[ ]?(?:[-–~±]|\+/?-|to|[<≤][ ]?\w{1,3}[ ]?[<≤])[ ]?(?:±[ ]?)?")
_OWN = re.compile(r"\b(?:we|our|here|this (?:study|work|paper)|present study|were|was)\b", re.IGNORECASE)
Place = tuple[int, int]
_ERROR_BOUND = re.compile(r"[\^_][+-]?$|\^[+-]?[\d.]{1,8}[ ]?_?[+-]?$")
"""Before the second and third number of '7.24^+0.52_-0.64'."""
_HEAT = (("H", 1),)
_BESIDE = 30
"""Characters beside a word of the column in which the further words of its name have to be."""
_DIGIT = re.compile(r"\d")
_CITED = re.compile(r"\bet al\b|\((?:[^\W\d_][^()\d]{0,60})?(?:19|20)\d\d[a-z]?\)")
"""A sentence that reports another work: 'Kojima et al. (2009)'."""
_APART = re.compile(r"[.;,()=:]")
_NO_NAME = re.compile(r"[ ]?(?:$|[^\w ]|(?:years?|yrs?|and|or|to|in|for|at|with|when|while|but|as|by|on)\b)|[.]\D")
"""Behind a number without a unit: nothing that it counts."""
_TAKEN = re.compile(r"\d[ -]?[^\W\d_]{1,6}[ -](?:[^\W\d_]+ )?$")
"""Before a word of the column: another number is bound to it, '6 mm slice thickness, 1 mm gap'."""
_MEAN = re.compile(r"\b(?:mean|average|median)\b", re.IGNORECASE)
LEAST_IN_BODY = 2.0
"""Strength from which on a number is proposed that is not in the abstract: papers give many others there."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A number that a paper may give for a column, and the sentence that has it."""

    match: NumberMatch
    passage: Passage
    span: Span


def propose(column: TableColumn, passages: Sequence[Passage]) -> Proposal | None:
    """The number of a paper that is bound most closely to a column; of several the first one. None: there is none."""
    best: Proposal | None = None
    if column.kind not in ("number", "count"):
        return None
    paper_words = {word for passage in passages for word in _words(passage.text)}
    for passage in passages:
        bonus = 0.5 if passage.kind == "abstract" else -0.5 if passage.kind in ("table", "caption") else 0.0
        for span in passage.spans:
            if passage.kind != "abstract" and _CITED.search(span.text):
                continue
            for match in _span_matches(column, span, paper_words):
                if passage.kind != "abstract" and match.strength < LEAST_IN_BODY:
                    continue
                strength = match.strength + bonus + (0.4 if _OWN.search(span.text) else 0.0)
                if best is None or strength > best.match.strength:
                    best = Proposal(NumberMatch(match.first, match.last, strength, match.folded), passage, span)
    return best


def _span_matches(column: TableColumn, span: Span, paper_words: set[str]) -> Iterable[NumberMatch]:
    if span.cells:
        return find_table_numbers(measure_of(column), span) if column.kind == "number" else ()
    return find_matches(column, span.text, paper_words)


def find_matches(column: TableColumn, text: str, paper_words: set[str] | None = None) -> list[NumberMatch]:
    """The numbers of a sentence that are bound to a column.

    Args:
        paper_words: all words of the paper in small letters, by which symbols are understood; None: the sentence's.
    """
    words = set(_words(text))
    if column.kind == "count":
        return list(find_counts(column, *read_numbers(text))) if may_count(column, text, words) else []
    measure = measure_of(column)
    has_cue = any(cue.removeprefix("-") in words for cue in measure.cues)
    if not has_cue and not ((measure.alone or measure.signs) and _DIGIT.search(text)):
        return []
    return list(_measure_matches(measure, *read_numbers(text), paper_words or words))


@lru_cache(maxsize=64)
def _words(text: str) -> tuple[str, ...]:
    return tuple(set(re.findall(r"[^\W\d_]+", text.casefold())))


def _measure_matches(
    measure: Measure, folded: Folded, items: Sequence[Quantity], paper_words: set[str]
) -> Iterator[NumberMatch]:
    text = folded.text
    items = [
        replace(item, unit=None, unit_end=0, borrowed=False) if item.borrowed and not measure.takes(item.unit) else item
        for item in items
    ]  # '18–30, 68 %'
    word_matches = list(re.finditer(r"[^\W\d_]+", text))
    cues = [word.span() for word in word_matches if word[0].casefold() in measure.cues]
    adjectives = [word.span() for word in word_matches if f"-{word[0].casefold()}" in measure.cues]
    may_sign = bool(measure.signs) and not paper_words.isdisjoint(measure.cues | measure.context)
    for place, item in enumerate(items):
        if (
            item.p_value
            or item.is_margin
            or item.kind in ("ordinal", "fold", "fraction")
            or not measure.takes(item.unit)
        ):
            continue
        if text[item.end : item.end + 1] == "^" and item.unit is None:
            continue  # '256^3 zones'
        if item.kind != "digits" and item.unit is None:
            continue  # 'high-resolution, three-dimensional'
        if _ERROR_BOUND.search(text, max(0, item.start - 14), item.start):
            continue
        if _OTHER_SENSE.search(text, max(0, item.start - 45), item.start):
            continue
        strength = max(
            _bound_by_word(text, item, cues, adjectives, measure),
            _bound_by_sign(text, item, measure) if may_sign else 0.0,
        )
        if not strength and item.unit and shape_of(item.unit) in measure.alone:
            strength = _bound_alone(text, item)
        if strength:
            yield NumberMatch(item, _last_of(text, items, place), strength, folded)


def _bound_by_word(
    text: str, item: Quantity, nouns: Sequence[Place], adjectives: Sequence[Place], measure: Measure
) -> float:
    """How closely a number is bound to one of the words at these places; 0: not at all."""
    for start, end in nouns:
        is_near = end <= item.start <= end + _MOST_BETWEEN and not _OTHER_SENSE.search(text, max(0, start - 45), start)
        if is_near and _BINDING.fullmatch(text, end, item.start) and _has_stems(text, start, item.start, measure.stems):
            is_bare = item.unit is None and measure.shapes and (item.value < 1 or not _NO_NAME.match(text, item.end))
            is_taken = text[end : item.start].strip() == "," and _TAKEN.search(text, max(0, start - 25), start)
            return 0.0 if is_bare or is_taken else _binding_strength(text, start, end, item)
    if item.unit is None or item.borrowed:
        return 0.0
    for start, end in (*nouns, *adjectives):
        is_attribute = item.stop <= start and _is_attribute(text[item.stop : start], measure.stems)
        if is_attribute and not _DIFFERENCE.match(text, end) and _has_stems(text, start, end + _BESIDE, measure.stems):
            return 3.0  # '300 K temperature', not '10 K temperature rise'
    return 0.0


def _is_attribute(gap: str, stems: Sequence[str]) -> bool:
    """Whether nothing but further words of the column's name is between a number and a word of the column."""
    if len(gap) > _MOST_BETWEEN:
        return False
    words = gap.replace("-", " ").split(" ")
    others = [word for word in words if not word.casefold().startswith(tuple(stems))] if stems else words
    return _ATTRIBUTE.fullmatch(" ".join(others)) is not None


def _binding_strength(text: str, start: int, end: int, item: Quantity) -> float:
    is_mean = _MEAN.search(text, max(0, start - 20), start) is not None
    return (4.0 if text[end : item.start].strip() else 2.0) + (0.3 if is_mean else 0.0)


def _has_stems(text: str, start: int, end: int, stems: Sequence[str]) -> bool:
    """Whether the further words of a column's name are in a part of a text or right before it."""
    before = _APART.split(text[max(0, start - _BESIDE) : start])[-1]
    near = (before + text[start:end]).casefold()
    return all(stem in near for stem in stems)


def _bound_alone(text: str, item: Quantity) -> float:
    """Whether a number whose unit needs no word is a value, and not how far two differ."""
    if _DIFFERENCE.match(text, item.stop) or " per " in text[item.end : item.stop]:
        return 0.0
    if item.unit is None or item.unit.dimension != _HEAT:
        return 1.0
    before = text[max(0, item.start - 12) : item.start]
    is_isotope = text[item.end : item.stop] == "C"  # '12C'
    return 1.0 if (_AT_WORD if is_isotope else _AT).search(before) else 0.0


def _bound_by_sign(text: str, item: Quantity, measure: Measure) -> float:
    before, behind = _SIGN.search(text, max(0, item.start - 12), item.start), _SIGN_BEHIND.match(text, item.stop)
    if before and before[1] in measure.signs:
        return 3.0
    return 3.2 if behind and behind[1] in measure.signs else 0.0


def _last_of(text: str, items: Sequence[Quantity], place: int) -> Quantity:
    """The last number of the list or range that begins at a place."""
    last = items[place]
    for item in items[place + 1 :]:
        gap = text[last.stop : item.start]
        is_alike = item.unit == last.unit or (last.borrowed and item.unit is not None)
        if not is_alike or not (_JOINING if item.unit else _RANGE).fullmatch(gap):
            break
        last = item
    return last
