"""Whether the numbers of a statement, with their units, stand in the cited sentences."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isclose, log10
from typing import Literal

from conspectus.lexicon import words
from conspectus.verify.arithmetic import Operands, has_counts, is_reckoned
from conspectus.verify.folded_text import Folded
from conspectus.verify.quantities import ROUGHLY, SPOKEN, Quantity, join_compounds
from conspectus.verify.units import Unit, missing_bases, read_bases

HintKind = Literal["number", "unit", "name", "quotation"]


@dataclass(frozen=True, slots=True)
class Hint:
    """Words of a statement that do not stand in its cited sentences: for a judge to settle.

    Attributes:
        words: the words, as they stand in the statement.
        why: one plain sentence for the user.
        certain: a number with a unit, an identifier or a quotation that stands nowhere around the sentences either:
            without a judge the statement is not supported.
    """

    kind: HintKind
    words: str
    why: str
    certain: bool = False


_LEVELS = (0.1, 0.05, 0.01, 0.005, 0.001, 0.0001)
_CLOSE = 1e-6
_BOUNDED = 2
"""'More than 4,000' may be said of up to so many times as many."""
_CONVERTED = 0.005
"""Numbers brought to another unit are rounded: two digits and a half are enough."""
_COARSE = 0.015
"""How far a number may be from one brought to its unit that is itself rounded: 33 m/s are 120 km/h."""
_CALENDAR = 0.09
"""Months have 28 to 31 days: '120 days' are 'four months', and 12 weeks 'three months'."""
_DAY = 86400
_WIDEST_DIFFERENCE = 100
"""In kelvin. Up to here '5 K' and '5 °C' may both be a difference; 1400 K and 1400 °C are two temperatures."""
_MOST_RIVALS = 100
"""Numbers that are compared with each one of a statement."""
_PRECISE = 2
"""Digits from which a number is one that nobody counts up himself."""
_POWERS_OF_TEN = {10.0**power for power in range(2, 10)}
"""What is counted 'per 100,000' of it."""
_FEWEST_LISTED = 2
"""Parts of a number up to which it is no list without spaces, as '5,10,150' may be."""
_UNIT_REACH = 60
"""Characters around a number in which words may name the rest of its unit: '10 mg for each kg'."""
_NOUN = re.compile(r"[ -]?([^\W\d_]{4,5})")
_SYMBOL = re.compile(r"(?<!\w)(\w{1,9}[ ]?[=<>≤≥~])[ ]?$")
_SYMBOL_REACH = 14
_NAME = re.compile(r"(?<!\w)[^\W\d_a-z][^\W\d_]{2,20}[ ]$")
_NAME_REACH = 24
_WORD_BEFORE = re.compile(r"(?<![^\W\d_])([^\W\d_]{1,24})[ ]$")
_MORE = re.compile(r"[ ](?!and[ ])[^\W\d_]{4,}")
"""What may say how a number is meant: '5 °C colder', '5 °C below zero'."""
_DIFFERENCES = frozenset(words("numbers")["differences"]["before"].split())

Found = tuple[Quantity, Folded]
"""A number and the text that it stands in."""


class Pool:
    """The numbers of all cited sentences, found by value."""

    def __init__(self, sentences: Sequence[tuple[Folded, Sequence[Quantity]]]) -> None:
        self.items: list[Found] = [(item, folded) for folded, numbers in sentences for item in numbers]
        self.sentences = [numbers for _, numbers in sentences]
        self._sorted = sorted(
            (
                (abs(value), place)
                for place, (item, _) in enumerate(self.items)
                for value in (item.value, *item.others, *item.parts)
            ),
        )

    def near(self, item: Quantity) -> Iterator[Found]:
        """Those whose bare value may be the same as that of `item`, whatever their units."""
        for value in (item.value, *item.others):
            low, high = (edge * (1 + side * _CLOSE) for edge, side in zip(_window(item, value), (-1, 1), strict=True))
            place = bisect_left(self._sorted, (low, -1))
            while place < len(self._sorted) and self._sorted[place][0] <= high:
                yield self.items[self._sorted[place][1]]
                place += 1

    def alike(self, unit: Unit | None) -> list[Found]:
        """Those of the same dimension."""
        return [pair for pair in self.items if _is_alike(unit, pair[0].unit)]


def _is_alike(unit: Unit | None, other: Unit | None) -> bool:
    if unit is None or other is None:
        return unit is other
    is_part = unit.factors != other.factors and (unit.head or unit).dimension == (other.head or other).dimension
    return is_part or unit.dimension == other.dimension


def number_hints(statement: Folded, items: Sequence[Quantity], cited: Pool, there: Pool) -> list[Hint]:
    """A hint for each of `items`, numbers of the statement, that is another one than in the sentences.

    Args:
        cited: the numbers of the cited sentences.
        there: these and those of the text around them.
    """
    joined = [item for item in join_compounds(statement.text, items) if has_number(cited, item)]
    partial = [
        hint
        for item in items
        for hint in (_partial_unit_hint(statement, item, cited), _sign_hint(statement, item, cited))
        if hint is not None
    ]
    strange = [
        item
        for item in items
        if not (item.kind == "ordinal" and item.value < 3)
        and not has_number(cited, item)
        and not _is_true_bound(statement, item, cited)
        and not any(compound.start <= item.start < compound.stop for compound in joined)
    ]
    if not strange:
        return partial
    rivals = [
        pair for pair in cited.items[:_MOST_RIVALS] if not any(fits(item, pair[0]) for item in items[:_MOST_RIVALS])
    ]
    operands = Operands.of(cited.sentences, items, statement.text)
    doubtful = (item for item in strange if not is_reckoned(item, operands))
    return partial + [hint for item in doubtful if (hint := _hint(statement, item, cited, there, rivals)) is not None]


def _partial_unit_hint(statement: Folded, item: Quantity, cited: Pool) -> Hint | None:
    """A hint if only a part of the unit agrees, as in '10 mg' for '10 mg/kg', and no words name the rest."""
    if item.unit is None or item.borrowed:
        return None
    similar = [pair for pair in cited.alike(item.unit) if fits(item, pair[0])]
    rest = [missing_bases(item.unit, other.unit) for other, _ in similar if other.unit is not None]
    if not rest or not all(rest) or any(other.unit is None for other, _ in cited.near(item)) or _scaled(item, cited):
        return None
    for (other, where), missing in zip(similar, rest, strict=True):
        texts = [_without(statement, item), _without(where, other)]
        if any(missing <= read_bases(text) for text in texts):
            return None
    other, where = similar[0]
    words, instead = statement.words(item.start, item.stop), where.words(other.start, other.stop)
    return Hint("unit", words, f"'{words}' has another unit than the cited sentences, which have '{instead}'.", False)


def _sign_hint(statement: Folded, item: Quantity, cited: Pool) -> Hint | None:
    """A hint if only the sign is another one, and nothing says that a number is a difference ('fell by 5.5 °C')."""
    if item.kind != "digits" or not item.value or item.is_margin or (item.unit and not item.unit.offset):
        return None
    similar = [pair for pair in cited.near(item) if _is_same_value(item, pair[0]) and unit_fits(item, pair[0])]
    if not similar or _is_difference(statement, item):
        return None
    if any(other.value * item.value >= 0 or other.others or _is_difference(where, other) for other, where in similar):
        return None
    other, where = similar[0]
    words, instead = statement.words(item.start, item.stop), where.words(other.start, other.stop)
    return Hint("number", words, f"'{words}' has another sign than the cited sentences, which have '{instead}'.", False)


def _is_difference(folded: Folded, item: Quantity) -> bool:
    """Whether the word before a number, or one directly behind its unit, says how much more or less something is."""
    before = _WORD_BEFORE.search(folded.text, max(0, item.start - _NAME_REACH), item.start)
    has_sign = item.value < 0 or folded.text[max(0, item.start - 1) : item.start] == "+"
    is_said = (before and before[1].lower() in _DIFFERENCES) or _MORE.match(folded.text, item.stop)
    return bool(is_said) and not has_sign


def _without(folded: Folded, item: Quantity) -> str:
    """The text near a number, without the number and its unit."""
    before = folded.text[max(0, item.start - _UNIT_REACH) : item.start]
    return f"{before} , {folded.text[item.stop : item.stop + _UNIT_REACH]}"


def _is_true_bound(statement: Folded, item: Quantity, cited: Pool) -> bool:
    """Whether 'more than 20 years' or 'less than 50 %' is true of a number of the sentences that measures the same."""
    if not item.bound or item.p_value or item.kind == "ordinal":
        return False
    return any(
        other.bound != -item.bound and _is_comparable(statement, item, pair) and _is_beyond(item, other)
        for pair in cited.items
        for other in (pair[0],)
    )


def _is_comparable(statement: Folded, item: Quantity, pair: Found) -> bool:
    other, where = pair
    if item.unit is None or other.unit is None:
        return item.unit is other.unit and bool(_label(statement, item) & _label(where, other))
    is_mistaken = item.unit != other.unit and isclose(item.value, other.value)  # 'up to 15 cm' for '15 mm'
    return item.unit.dimension == other.unit.dimension and not is_mistaken


def _is_beyond(item: Quantity, other: Quantity) -> bool:
    mine, theirs = (
        quantity.value * (quantity.unit.factor if quantity.unit else 1.0)
        + (quantity.unit.offset if quantity.unit else 0.0)
        for quantity in (item, other)
    )
    return item.bound * (theirs - mine) >= 0


def _hint(statement: Folded, item: Quantity, cited: Pool, there: Pool, rivals: Sequence[Found]) -> Hint | None:
    """A hint where another number stands in its place in the cited sentences; else None."""
    elsewhere = has_number(there, item)
    if item.unit is None or item.borrowed or elsewhere or _is_code(statement, item):
        is_named = elsewhere and _is_in_name(statement, item, there)
        is_replaced = not is_named and any(_may_replace(statement, item, rival) for rival in rivals)
        return _number_hint(statement, item, rivals, certain=False) if is_replaced else None
    exact = replace(item, bound=0)
    if any(other.unit is None and value_fits(exact, other) for other, _ in there.near(item)):
        return None  # the unit there was not understood
    same = [pair for pair in there.near(item) if _is_same_value(item, pair[0])]
    mistaken = [pair for pair in cited.near(item) if value_fits(item, pair[0]) and isclose(pair[0].value, item.value)]
    certain = all(other.unit is not None and other.unit.dimension == item.unit.dimension for other, _ in same)
    if (not mistaken and not certain) or any(_is_in_capitals(statement, item, pair) for pair in mistaken):
        return None
    if mistaken:
        other, where = mistaken[0]
        words, instead = statement.words(item.start, item.stop), where.words(other.start, other.stop)
        return Hint(
            "unit", words, f"'{words}' has another unit than the cited sentences, which have '{instead}'.", certain
        )
    alike = cited.alike(item.unit)
    if not item.unit.dimension and item.unit.factors == 1:  # a percentage
        alike += [pair for pair in cited.items if pair[0].kind == "fraction"]
    if item.value == 1 and not alike:
        return None  # '7 % for each 1 °C'
    is_reckonable = cited.items and not item.unit.dimension and not has_counts(cited.sentences)
    return None if is_reckonable and not alike else _number_hint(statement, item, alike, certain=True)


def _number_hint(statement: Folded, item: Quantity, others: Sequence[Found], *, certain: bool) -> Hint:
    words = statement.words(item.start, item.stop)
    alike = [
        pair for pair in others if (pair[0].unit and pair[0].unit.dimension) == (item.unit and item.unit.dimension)
    ]
    alternatives = list(dict.fromkeys(where.words(other.start, other.stop) for other, where in alike or others))[:3]
    instead = ", which have " + ", ".join(f"'{text}'" for text in alternatives) if alternatives else ""
    return Hint("number", words, f"'{words}' is not in the cited sentences{instead}.", certain)


def _may_replace(statement: Folded, item: Quantity, rival: Found) -> bool:
    """Whether a number may stand where the sentences have `rival`: it counts or measures the same thing."""
    other, where = rival
    if item.unit is not None:
        return other.unit is not None and other.unit.dimension == item.unit.dimension
    if item.p_value or other.p_value or item.kind == "ordinal" or other.kind == "ordinal":
        is_same_kind = item.p_value == other.p_value and item.kind == other.kind
        return is_same_kind and (item.p_value or bool(_label(statement, item) & _label(where, other)))
    is_share = other.unit is not None and not other.unit.dimension
    if item.kind in {"fraction", "fold"} or other.kind in {"fraction", "fold"}:
        is_part = any(0 < value < 1 < other.value for value in other.others)  # '61 of 122'
        return other.kind == item.kind or (item.kind == "fraction" and (is_share or is_part))
    if other.unit is not None:  # '0.29' for '92 %'
        return is_share and 0 < item.value < 1 and _is_precise(item)
    pairs = ((mine, theirs) for mine in (item.value, *item.others) for theirs in (other.value, *other.others))
    if _has_same_digits(item, other):
        return True
    is_like = _is_precise(item) and _is_precise(other) and any(_is_like(mine, theirs) for mine, theirs in pairs)
    return is_like or bool(_label(statement, item) & _label(where, other))


def _has_same_digits(item: Quantity, other: Quantity) -> bool:
    """Whether two numbers differ by a power of ten: '3.4 million' for '3.4 billion', 'per 1,000' for 'per 100 000'."""
    small, large = sorted((abs(item.value), abs(other.value)))
    if small <= 0 or small == large:
        return False
    power = log10(large / small)
    is_wholes = {small, large} <= _POWERS_OF_TEN
    return abs(power - round(power)) < _CLOSE and (is_wholes or float(f"{small:.0e}") != small)


def _is_like(mine: float, theirs: float) -> bool:
    """Whether a number may be another one mistaken: of about the same size, and both whole or neither."""
    return (mine == int(mine)) == (theirs == int(theirs)) and 0.099 * abs(mine) < abs(theirs) < 10.1 * abs(mine)


def _label(folded: Folded, item: Quantity) -> set[str]:
    """What a number counts or is called: the beginning of the word behind it, the symbol before it ('n = 24')."""
    noun = _NOUN.match(folded.text, item.end)
    symbol = _SYMBOL.search(folded.text[max(0, item.start - _SYMBOL_REACH) : item.start])
    return {match[1].casefold() for match in (noun, symbol) if match}


def is_measured(item: Quantity) -> bool:
    """Whether a number says how much: it has a unit, decimals, or too many digits to be counted up by the way."""
    return item.unit is not None or item.kind == "fraction" or _is_precise(item)


def _is_precise(item: Quantity) -> bool:
    """Whether a number has decimals or so many digits that it was measured or counted, as '0.73' and '1,234'."""
    return 0 < item.step < 1 or abs(item.value) >= 10 ** (_PRECISE - 1)


def has_number(pool: Pool, item: Quantity) -> bool:
    """Whether a number stands there, rounded or converted or not, in any of its readings."""
    thousands = [replace(item, value=other, step=1.0, others=()) for other in item.others if abs(other) >= SPOKEN]
    if any(_has_reading(pool, reading) for reading in (item, *thousands)):
        return True
    parts = [replace(item, value=part, step=1.0, others=(), parts=()) for part in item.parts]
    return len(parts) > _FEWEST_LISTED and all(_has_reading(pool, part) for part in parts)


def _has_reading(pool: Pool, item: Quantity) -> bool:
    if any(value_fits(item, other) and unit_fits(item, other) for other, _ in pool.near(item)):
        return True
    return any(fits(item, other) for other, _ in pool.alike(item.unit)) or _scaled(item, pool) or _threshold(item, pool)


def _is_in_name(statement: Folded, item: Quantity, there: Pool) -> bool:
    """Whether a number follows the same capitalised word there: 'Abell 2146', which the title has."""
    name = _NAME.search(statement.text, max(0, item.start - _NAME_REACH), item.start)
    return name is not None and any(
        where.text[max(0, other.start - len(name[0])) : other.start] == name[0] for other, where in there.near(item)
    )


def _is_code(statement: Folded, item: Quantity) -> bool:
    """Whether a number and its unit may be a name: '3T3', '5P'."""
    unit = statement.text[item.end : item.stop]
    return unit[:1].isalpha() and not any(sign.islower() for sign in unit)


def _is_in_capitals(statement: Folded, item: Quantity, pair: Found) -> bool:
    """Whether a sentence has the unit in capitals, as in '75-G', which read as they are mean something else."""
    other, where = pair
    mine, theirs = statement.text[item.end : item.stop], where.text[other.end : other.stop]
    is_other = item.unit and other.unit and item.unit.dimension != other.unit.dimension
    return bool(is_other) and mine.strip(" -").upper() == theirs.strip(" -")


def fits(item: Quantity, other: Quantity) -> bool:
    """Whether `item` may be said where a sentence has `other`: same value and unit, rounded or converted or not."""
    if item.unit is None or other.unit is None:
        return value_fits(item, other) and unit_fits(item, other)
    if item.unit.dimension != other.unit.dimension:
        if item.unit.factors == other.unit.factors:
            return False
        # '10 mg/kg' and '10 mg/kg/day': the rest may be said in other words
        mine, theirs = item.unit.head or item.unit, other.unit.head or other.unit
        return fits(replace(item, unit=replace(mine, factors=1)), replace(other, unit=replace(theirs, factors=1)))
    if item.unit == other.unit:
        return value_fits(item, other)
    may_be_difference = abs(other.value) * other.unit.factor <= _WIDEST_DIFFERENCE
    return _converted(item, other, True) or (may_be_difference and _converted(item, other, False))


def _converted(item: Quantity, other: Quantity, has_zero: bool) -> bool:
    """Whether the values agree in one unit; `has_zero`: as points of a scale, such as Celsius, not as differences."""
    mine, theirs = item.unit, other.unit
    assert mine is not None
    assert theirs is not None
    shift = (theirs.offset - mine.offset) / mine.factor if has_zero else 0.0
    value = other.value * theirs.factor / mine.factor + shift
    extra = abs(value) * _CONVERTED if item.step < abs(value) / 50 else 0.0
    extra = max(extra, min(other.step / 2 * theirs.factor / mine.factor, _COARSE * abs(value)))
    shorter, longer = sorted((mine.factor, theirs.factor))
    if mine.dimension == (("T", 1),) and _DAY <= shorter <= 7 * _DAY < longer:
        extra = max(extra, abs(value) * _CALENDAR)
    # 12.34 g may be said as 12 g, but one week not as 6.8 days: what is said may not be more exact than the source.
    low, high = _window(item, item.value, other)
    extra = max(extra - item.step / 2, 0.0) + _CLOSE * abs(value)
    return low - extra <= abs(value) <= high + extra


def _window(item: Quantity, value: float, other: Quantity | None = None) -> tuple[float, float]:
    """Between which values a more exact number may be called `value`; both without sign.

    'More than 5' may be said of 7, but not of what the sentence (`other`) calls 'more than 7'.
    """
    reach, size = item.reach, abs(value)
    low, high = size - reach, size + reach
    if item.bound and (other is None or other.bound != item.bound):
        low, high = (low, size * _BOUNDED) if item.bound > 0 else (size / _BOUNDED, high)
    return low, high


def _is_same_value(item: Quantity, other: Quantity) -> bool:
    mine, theirs = (item.value, *item.others), (other.value, *other.others, *other.parts)
    return any(isclose(abs(first), abs(second), rel_tol=_CLOSE) for first in mine for second in theirs)


def value_fits(item: Quantity, other: Quantity) -> bool:
    """Whether the bare value of `item` is that of `other`, or that of `other` rounded."""
    if _is_same_value(item, other):
        return True
    theirs = (other.value, *other.others, *other.parts)
    loose = item.about or (item.bound and item.bound != other.bound) or item.kind == "fraction"
    if not loose and other.step >= item.step * (1 - _CLOSE) and item.reach <= item.step / 2:
        return False
    low, high = _window(item, item.value, other)
    size, tie = abs(item.value), item.step / 2 * (1 - _CLOSE)
    return any(
        low * (1 - _CLOSE) <= abs(second) <= high * (1 + _CLOSE)
        and (loose or abs(size - abs(second)) < tie or abs(size - abs(second)) <= ROUGHLY * size)
        for second in theirs
    )  # 13 % for 12.5 %, but not 5 mg for 4.5 mg


def unit_fits(item: Quantity, other: Quantity) -> bool:
    """Whether the units of two numbers of the same value agree; a statement may leave the unit out."""
    if item.unit is None or item.borrowed:
        return True
    return other.unit is not None and item.unit.agrees(other.unit)


def _scaled(item: Quantity, pool: Pool) -> bool:
    """45 % for 0.45 and the other way round."""
    if item.unit is not None and item.unit.dimension:
        return False
    scale = item.unit.factor if item.unit else 1.0
    for other, _ in pool.items:
        unit = None if other.borrowed else other.unit  # '0.45, 95 % CI'
        if unit is not None and unit.dimension:
            continue
        share = _bare_percentage(item, other) if item.unit is None and unit is None else 1.0
        if share == 1.0 and (unit is None) == (item.unit is None):
            continue
        low, high = (edge * scale for edge in _window(item, item.value, other))
        for value in (other.value, *other.others):
            size = abs(value * (unit.factor if unit else share))
            reach = other.step / 2 if other.kind == "fraction" else 0.0
            if low - reach - _CLOSE <= size <= high + reach + _CLOSE:
                return True
    return False


def _bare_percentage(item: Quantity, other: Quantity) -> float:
    """What brings `other` to the scale of `item` where one is a percentage without its sign: '0.88' and '88 to 95'."""
    if 0 < item.value < 1 < other.value <= 100:
        return 0.01
    return 100.0 if 0 < other.value < 1 < item.value <= 100 else 1.0


def _threshold(item: Quantity, pool: Pool) -> bool:
    """`p < 0.05` may be said of `p = 0.03`."""
    if not item.p_value or item.value not in _LEVELS:
        return False
    return any(other.p_value and other.value <= item.value for other, _ in pool.items)
