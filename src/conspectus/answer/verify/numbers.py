"""Whether the numbers of a statement, with their units, stand in the cited sentences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from math import isclose

from conspectus.answer.verify.doubt import Doubt
from conspectus.answer.verify.folding import Folded
from conspectus.answer.verify.quantities import Quantity
from conspectus.answer.verify.units import Unit

_LEVELS = (0.1, 0.05, 0.01, 0.005, 0.001, 0.0001)
_CLOSE = 1e-6
_ROUGHLY = 0.05
"""How far 'nearly 50 %' may be from what it rounds, as a part of it."""
_CONVERTED = 0.005
"""Numbers brought to another unit are rounded: two digits and a half are enough."""


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


def number_doubts(statement: Folded, items: Sequence[Quantity], pool: Pool) -> list[Doubt]:
    """A doubt for each of `items`, numbers of the statement, that has no equal in the sentences."""
    return [doubt for item in items if (doubt := _doubt(statement, item, pool)) is not None]


def _doubt(statement: Folded, item: Quantity, pool: Pool) -> Doubt | None:
    if item.ordinal and item.value < 3:
        return None  # 'first', 'second': they count what the statement says more often than what was measured
    same_value = [(other, where) for other, where in pool.near(item) if value_fits(item, other)]
    if any(unit_fits(item, other) for other, _ in same_value):
        return None
    if any(fits(item, other) for other, _ in pool.alike(item.unit)):
        return None
    if _scaled(item, pool) or _threshold(item, pool):
        return None
    found = statement.words(item.start, item.stop)
    same_value = [pair for pair in same_value if isclose(pair[0].value, item.value)]
    if same_value:
        other, where = same_value[0]
        there = where.words(other.start, other.stop)
        return Doubt("unit", found, f"'{found}' has another unit than the cited sentences, which have '{there}'.")
    return Doubt("number", found, f"'{found}' does not stand in the cited sentences{_instead(item, pool)}.")


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
