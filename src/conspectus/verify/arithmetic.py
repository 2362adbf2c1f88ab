"""Whether a number follows from others by simple arithmetic: a sum, a difference, a share, a change, a product."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, combinations, islice, pairwise

from conspectus.verify.number_words import read_foreign_number_words
from conspectus.verify.quantities import ROUGHLY, Quantity
from conspectus.verify.units import YEAR

_CLOSE = 1e-6
_ABOUT = 0.1
"""How far 'about 40 %' may be from a change or a share that a reader estimates, as a part of it."""
_TIMES = re.compile(r"[ ](?:fois|veces|volte|keer|mal)\b")
"""Behind a number word that is a factor; without it, 'once' would be the Spanish eleven."""
_FIRST_YEAR, _LAST_YEAR = 1800, 2100
_MOST_NUMBERS = 50
"""Numbers of a text that are reckoned with: there are their square of sums."""
_MOST_COUNTED = 12
"""A count up to here may be a factor: 'three doses'. Larger ones count people or things."""


@dataclass(frozen=True)
class Operands:
    """The numbers that a statement may have reckoned with.

    Attributes:
        sentences: the first numbers of each cited sentence.
        statement: the first numbers of the statement, in their order.
        factors: what its words in other languages than English say: 'deux fois', 'verdoppelt'.
    """

    sentences: Sequence[Sequence[Quantity]]
    statement: Sequence[Quantity]
    factors: frozenset[float]

    @classmethod
    def of(cls, sentences: Sequence[Sequence[Quantity]], statement: Sequence[Quantity], text: str) -> Operands:
        """The operands of a statement with this folded text."""
        spelt = islice(read_foreign_number_words(text), _MOST_NUMBERS)
        factors = frozenset(word.value for word in spelt if word.kind == "fold" or _TIMES.match(text, word.end))
        return cls([numbers[:_MOST_NUMBERS] for numbers in sentences], statement[:_MOST_NUMBERS], factors)


def is_reckoned(item: Quantity, operands: Operands) -> bool:
    """Whether a number follows from those that the cited sentences and the statement itself give."""
    cited = list(islice(chain.from_iterable(operands.sentences), 2 * _MOST_NUMBERS))
    if (_is_share(item) or item.kind == "fold") and any(
        _is_ratio(item, value) for value in _ratios(item, operands.sentences, cited)
    ):
        return True
    if item.unit and item.unit.dimension == (("T", 1),) and _is_between_years(item, cited):
        return True
    if item.unit and item.unit.dimension == (("L", 1),) and _is_diameter(item, cited):
        return True
    return (
        _is_years_later(item, cited)
        or _is_sum(item, cited)
        or any(_is_total(item, numbers) for numbers in (operands.statement, *operands.sentences))
        or any(_is_within(item, sentence) for sentence in operands.sentences)
        or any(_is_product(item, sentence, operands) for sentence in operands.sentences)
    )


def _size(item: Quantity) -> float:
    return item.value * (item.unit.factor if item.unit else 1.0)


def _is_alike(item: Quantity, other: Quantity) -> bool:
    mine, theirs = item.unit, other.unit
    return mine is theirs if mine is None or theirs is None else mine.dimension == theirs.dimension


def _readings(item: Quantity) -> tuple[float, ...]:
    factor = item.unit.factor if item.unit else 1.0
    return tuple(abs(value) * factor for value in (item.value, *item.others))


def _reach(item: Quantity, *, rounded: bool) -> float:
    """How far the result may be from `item`, in base units; a bare number is exact unless it is said to be rounded."""
    largest = max(_readings(item))
    if not rounded:
        return _CLOSE * largest
    is_spelt_share = item.kind == "count" and item.unit is not None and not item.unit.dimension
    reach = (0.5 if is_spelt_share else item.reach) * (item.unit.factor if item.unit else 1.0)  # 'fifteen percent'
    return max(reach, ROUGHLY * largest if item.about else 0.0, _CLOSE * largest)


def _is_sum(item: Quantity, cited: Sequence[Quantity]) -> bool:
    """Whether it is the sum or the difference of two numbers, or what is left to 100 %."""
    values = [_size(other) for other in cited if _is_alike(item, other) and not other.is_margin][:_MOST_NUMBERS]
    if item.unit and not item.unit.dimension:  # a risk that is 30 % lower has a ratio of 0.7, one 37 % higher of 1.37
        values += [1.0, *(other.value for other in cited if _is_bare(other) and 0 < other.step < 1)]
    mine, reach = _size(item), _reach(item, rounded=item.unit is not None or item.about)
    return any(
        min(abs(first + second - mine), abs(abs(first - second) - mine)) <= reach
        for first, second in combinations(values, 2)
    )


def _is_total(item: Quantity, numbers: Sequence[Quantity]) -> bool:
    """Whether it is the sum of numbers that follow each other."""
    others = (other for other in numbers if other is not item and not other.is_margin)
    parts = [max(_readings(other)) for other in others if _is_alike(item, other)]
    readings, reach = _readings(item), _reach(item, rounded=True)
    most = max(readings) + reach
    for first in range(len(parts) - 1):
        for total in islice(accumulate(parts[first:]), 1, None):
            if any(abs(total - mine) <= reach for mine in readings):
                return True
            if total > most:
                break
    return False


def _is_within(item: Quantity, sentence: Sequence[Quantity]) -> bool:
    """Whether it is about what a range says: 'about three days' for 2.7 to 3.3 days."""
    ranges = (
        sorted((abs(_size(first)), abs(_size(second))))
        for first, second in pairwise(sentence)
        if first.borrowed and _is_alike(item, second) and not second.is_margin
    )
    return item.about and any(low <= _size(item) <= high <= 2 * low for low, high in ranges)


def _is_between_years(item: Quantity, cited: Sequence[Quantity]) -> bool:
    years = [other.value for other in cited if _is_bare(other) and _is_year(other.value)]
    reach = max(YEAR, _ABOUT * _size(item) if item.about or item.kind == "fraction" else 0.0)  # 'half a century'
    return any(abs(abs(first - second) * YEAR - _size(item)) <= reach for first, second in combinations(years, 2))


def _is_years_later(item: Quantity, cited: Sequence[Quantity]) -> bool:
    """Whether it is a year that the sentences give by another one: 'in 1931 … two years later'."""
    if not (_is_bare(item) and _is_year(item.value)):
        return False
    years = [other.value for other in cited if _is_bare(other) and _is_year(other.value)]
    spans = [_size(other) / YEAR for other in cited if other.unit and other.unit.dimension == (("T", 1),)]
    return any(abs(abs(item.value - year) - span) < 0.5 for year in years for span in spans)


def _is_diameter(item: Quantity, cited: Sequence[Quantity]) -> bool:
    """Whether it is twice or half a length of the sentences, as a diameter is of a radius."""
    mine, reach = _size(item), _reach(item, rounded=True)
    lengths = [_size(other) for other in cited if _is_alike(item, other)]
    return any(min(abs(2 * length - mine), abs(length / 2 - mine)) <= reach for length in lengths)


def _is_year(value: float) -> bool:
    return _FIRST_YEAR < value < _LAST_YEAR


def _is_bare(item: Quantity) -> bool:
    return item.unit is None or item.borrowed


def _is_share(item: Quantity) -> bool:
    return item.kind == "fraction" if item.unit is None else not item.unit.dimension


def _is_ratio(item: Quantity, value: float) -> bool:
    mine = abs(_size(item))
    loose = _ABOUT if item.about else ROUGHLY if item.kind == "fold" else 0.0
    return abs(mine - value) <= max(_reach(item, rounded=True), loose * mine)


def _ratios(item: Quantity, sentences: Sequence[Sequence[Quantity]], cited: Sequence[Quantity]) -> Iterator[float]:
    """What part two counts of a sentence or two measures of a kind are of each other, and how much more or less."""
    pairs = [pair for sentence in sentences for pair in _pair_counts(sentence)]
    for unit in {other.unit for other in cited if other.unit and other.unit.dimension}:
        values = {size for other in cited if other.unit == unit and (size := abs(_size(other)))}
        if len(values) == 2:  # with more of them nobody knows which two are meant; nothing is a share of 0
            pairs.append((min(values), max(values)))
    for small, large in pairs:
        yield large / small if item.kind == "fold" else small / large
        if item.unit is not None:
            yield 1 - small / large
            yield large / small - 1


def _pair_counts(sentence: Sequence[Quantity]) -> Iterator[tuple[float, float]]:
    """Counts that follow each other, and each with the largest, which may be the whole."""
    counts = [other.value for other in sentence if _is_bare(other) and other.kind in {"digits", "count"}]
    counts = [value for value in counts if value > 0]
    wholes = [value for value in counts if not _is_year(value)]
    for first, second in [*pairwise(counts), *((value, max(wholes)) for value in wholes)]:
        if first != second:
            yield min(first, second), max(first, second)


def has_counts(sentences: Sequence[Sequence[Quantity]]) -> bool:
    """Whether a sentence has two counts, so that a share of them can be wrong."""
    pairs = (pair for sentence in sentences for pair in _pair_counts(sentence[:_MOST_NUMBERS]))
    return any(small == int(small) and large == int(large) and not _is_year(large) for small, large in pairs)


def _is_product(item: Quantity, sentence: Sequence[Quantity], operands: Operands) -> bool:
    """Whether a number of the sentence times or by a factor that the sentence or the statement states gives it."""
    stated = operands.factors | {other.value for other in operands.statement if other is not item and _is_factor(other)}
    reach = min(_reach(item, rounded=item.unit is not None), ROUGHLY * abs(_size(item)))
    for other in sentence:
        if not _is_alike(item, other) or _is_share(other):
            continue
        factors = stated | {factor.value for factor in sentence if factor is not other and _is_factor(factor)}
        size = abs(_size(other))
        results = [result for factor in factors if factor > 0 for result in (size * factor, size / factor)]
        if any(abs(result - mine) <= reach for result in results for mine in _readings(item)):
            return True
    return False


def _is_factor(item: Quantity) -> bool:
    if item.kind in {"fold", "fraction"}:
        return True
    return item.unit is None and item.kind != "ordinal" and 1 < item.value <= _MOST_COUNTED
