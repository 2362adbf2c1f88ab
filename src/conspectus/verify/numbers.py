"""Whether the numbers of a statement, with their units, stand in the cited sentences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from math import isclose

from conspectus.verify.hint import Hint
from conspectus.verify.normalised import Folded
from conspectus.verify.quantities import Quantity
from conspectus.verify.units import Unit

_LEVELS = (0.1, 0.05, 0.01, 0.005, 0.001, 0.0001)
_CLOSE = 1e-6
_ROUGHLY = 0.05
"""How far 'nearly 50 %' may be from what it rounds, as a part of it."""
_CONVERTED = 0.005
"""Numbers brought to another unit are rounded: two digits and a half are enough."""
_CALENDAR = 0.02
"""Months have 28 to 31 days: '120 days' are 'four months'."""
_DAY = 86400
_MOST_RECKONED = 50
"""Numbers of which sums and differences are made: there are their square of them."""


class Pool:
    """The numbers of all cited sentences, found by value."""

    def __init__(self, sentences: Sequence[tuple[Folded, Sequence[Quantity]]]) -> None:
        self.items = [(item, folded) for folded, numbers in sentences for item in numbers]
        self._sorted = sorted(
            (
                (abs(value), place)
                for place, (item, _) in enumerate(self.items)
                for value in (item.value, *item.others, *item.parts)
            ),
        )

    def near(self, item: Quantity) -> Iterator[tuple[Quantity, Folded]]:
        """Those whose bare value may be the same as that of `item`, whatever their units."""
        reach = _reach(item)
        for value in (item.value, *item.others):
            low, high = abs(value) - reach - _CLOSE * abs(value), abs(value) + reach + _CLOSE * abs(value)
            place = bisect_left(self._sorted, (low, -1))
            while place < len(self._sorted) and self._sorted[place][0] <= high:
                yield self.items[self._sorted[place][1]]
                place += 1

    def alike(self, unit: Unit | None) -> list[tuple[Quantity, Folded]]:
        """Those of the same dimension."""
        dimension = unit.dimension if unit else None
        return [pair for pair in self.items if (pair[0].unit.dimension if pair[0].unit else None) == dimension]


def number_hints(statement: Folded, items: Sequence[Quantity], cited: Pool, there: Pool) -> list[Hint]:
    """A hint for each of `items`, numbers of the statement, that has no equal in the sentences.

    Args:
        cited: the numbers of the cited sentences.
        there: these and those of the text around them.
    """
    return [hint for item in items if (hint := _hint(statement, item, cited, there)) is not None]


def _hint(statement: Folded, item: Quantity, cited: Pool, there: Pool) -> Hint | None:
    if item.ordinal and item.value < 3:
        return None  # 'first', 'second': they count what the statement says more often than what was measured
    if _stands(item, cited):
        return None
    certain = not (_stands(item, there) or _is_code(statement, item)) and _is_certain(item, cited, there)
    found = statement.words(item.start, item.stop)
    same = [pair for pair in cited.near(item) if value_fits(item, pair[0]) and isclose(pair[0].value, item.value)]
    if same:
        other, where = same[0]
        said = where.words(other.start, other.stop)
        why = f"'{found}' has another unit than the cited sentences, which have '{said}'."
        return Hint("unit", found, why, certain)
    return Hint("number", found, f"'{found}' does not stand in the cited sentences{_instead(item, cited)}.", certain)


def _stands(item: Quantity, pool: Pool) -> bool:
    """Whether a number stands there, rounded or converted or not."""
    if any(value_fits(item, other) and unit_fits(item, other) for other, _ in pool.near(item)):
        return True
    return any(fits(item, other) for other, _ in pool.alike(item.unit)) or _scaled(item, pool) or _threshold(item, pool)


def _is_code(statement: Folded, item: Quantity) -> bool:
    """Whether a number and its unit may be a name: '3T3', '5P'."""
    unit = statement.text[item.end : item.stop]
    return unit[:1].isalpha() and not any(sign.islower() for sign in unit)


def _is_certain(item: Quantity, cited: Pool, there: Pool) -> bool:
    """Whether nothing can excuse a number: it has a unit, and nobody can have reckoned or misread it."""
    if item.unit is None:
        return False
    for other, _ in there.near(item):  # the same number behind which the unit was not understood, or is another kind
        if value_fits(item, other) and (other.unit is None or other.unit.dimension != item.unit.dimension):
            return False
    return not _reckoned(item, cited)


def _reckoned(item: Quantity, pool: Pool) -> bool:
    """Whether a number is the sum or the difference of two there, or what is left to 100 %."""
    assert item.unit is not None
    values = [other.value * other.unit.factor for other, _ in pool.alike(item.unit)[:_MOST_RECKONED] if other.unit]
    if not item.unit.dimension:
        values.append(1.0)
    mine, reach = item.value * item.unit.factor, max(_reach(item) * item.unit.factor, _CLOSE * abs(item.value))
    pairs = ((first, second) for place, first in enumerate(values) for second in values[place + 1 :])
    return any(min(abs(a + b - mine), abs(abs(a - b) - mine)) <= reach for a, b in pairs)


def _instead(item: Quantity, pool: Pool) -> str:
    others = pool.alike(item.unit) if item.unit else []
    shown = list(dict.fromkeys(where.words(other.start, other.stop) for other, where in others))[:3]
    return ", which have " + ", ".join(f"'{text}'" for text in shown) if shown else ""


def fits(item: Quantity, other: Quantity) -> bool:
    """Whether `item` may be said where a sentence has `other`: same value and unit, rounded or converted or not."""
    if item.unit is None or other.unit is None:
        return value_fits(item, other) and unit_fits(item, other)
    if item.unit.dimension != other.unit.dimension:
        return False
    if item.unit == other.unit:
        return value_fits(item, other)
    return any(_converted(item, other, offsets) for offsets in (True, False))


def _converted(item: Quantity, other: Quantity, offsets: bool) -> bool:
    mine, theirs = item.unit, other.unit
    assert mine is not None
    assert theirs is not None
    shift = (theirs.offset - mine.offset) / mine.factor if offsets else 0.0
    value = other.value * theirs.factor / mine.factor + shift
    reach = max(_reach(item), abs(value) * _CONVERTED if item.step < abs(value) / 50 else 0.0)
    if mine.dimension == (("T", 1),) and min(mine.factor, theirs.factor) >= _DAY:
        reach = max(reach, abs(value) * _CALENDAR)
    # 12.34 g may be said as 12 g, but one week not as 6.8 days: what is said may not be more exact than the source.
    return abs(value - item.value) <= reach + _CLOSE * abs(value)


def _reach(item: Quantity) -> float:
    """How far a more exact number may be from `item`."""
    step = item.step
    if item.about:
        return max(step, _ROUGHLY * abs(item.value))
    return step / 2


def value_fits(item: Quantity, other: Quantity) -> bool:
    """Whether the bare value of `item` is that of `other`, or that of `other` rounded."""
    mine, theirs = (item.value, *item.others), (other.value, *other.others, *other.parts)
    if any(isclose(abs(first), abs(second), rel_tol=_CLOSE) for first in mine for second in theirs):
        return True
    if item.about and any(abs(first - second) <= _reach(item) for first in mine for second in theirs):
        return True
    finer = other.step < item.step * (1 - _CLOSE)
    return finer and abs(abs(item.value) - abs(other.value)) <= item.step / 2 * (1 + _CLOSE)


def unit_fits(item: Quantity, other: Quantity) -> bool:
    """Whether the units of two numbers of the same value agree; a statement may leave the unit out."""
    if item.unit is None or item.borrowed:
        return True
    if other.unit is None:
        return False
    same = item.unit.dimension == other.unit.dimension
    return (
        same
        and isclose(item.unit.factor, other.unit.factor, rel_tol=1e-3)
        and (isclose(item.unit.offset, other.unit.offset, rel_tol=1e-3, abs_tol=1e-9))
    )


def _scaled(item: Quantity, pool: Pool) -> bool:
    """45 % for 0.45 and the other way round."""
    if item.unit is not None and item.unit.dimension:
        return False
    mine = item.value * (item.unit.factor if item.unit else 1.0)
    reach = max(_reach(item) * (item.unit.factor if item.unit else 1.0), _CLOSE)
    for other, _ in pool.items:
        if other.unit is not None and other.unit.dimension:
            continue
        if (other.unit is None) == (item.unit is None):
            continue
        for value in (other.value, *other.others):
            if abs(mine - value * (other.unit.factor if other.unit else 1.0)) <= reach:
                return True
    return False


def _threshold(item: Quantity, pool: Pool) -> bool:
    """`p < 0.05` may be said of `p = 0.03`."""
    if not item.p_value or item.value not in _LEVELS:
        return False
    return any(other.p_value and other.value <= item.value for other, _ in pool.items)
