"""What a model gives for a cell, held against the sentences that it quotes: only what they have is confirmed.

A number is compared as a number with a unit, and the cell shows it as the sentence has it: a model points at a number,
and code copies it. Words are confirmed if the sentences have them in this order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import isclose

from conspectus.core.text import line
from conspectus.records.review import CellStatus, TableColumn
from conspectus.review.table.measures import measure_of, parse_unit, shape_of
from conspectus.verify.folded_text import Folded, fold
from conspectus.verify.mechanical import plain_words
from conspectus.verify.quantities import Quantity, quantities
from conspectus.verify.units import Unit, read_unit

LONGEST_VALUE = 300
"""Characters of a cell's value."""
LAST_DIGITS = re.compile(r"\(\d{1,4}\)$")
"""How far the last digits may be off: 1.63(3)."""
_LATE = re.compile(r"\(\d{1,3}\)|[ ]?\^\+[ ]?[\d.]{1,8}[ ]?-[ ]?[\d.]{1,8}|\]")
"""Between a number and its unit: how far it may be off, '1.63(3) eV', and the end of '[0.5, 4] Hz'."""
_CUT_BEFORE = re.compile(r"[\w.,-]")
"""Before a number: it is a part of another."""
_EXACT = 1e-9
_MOST_BETWEEN = 24
"""Characters between the first and the last number of a value that is copied as one stretch."""
_PARTS = re.compile(r"[;,]|\band\b")
_SIGNS = {1: "> ", -1: "< "}

QuotedNumber = tuple[Quantity, Folded]
"""A number and the sentence that has it."""


@dataclass(frozen=True, slots=True)
class CheckedValue:
    """A value as a cell shows it; see `TableCell` for the fields."""

    value: str
    unit: str
    status: CellStatus
    why: str = ""
    number: float | None = None


def check_value(column: TableColumn, value: str, unit: str, quotes: Sequence[str]) -> CheckedValue:
    """The value of a model for a column, held against the exact texts of the sentences that it names."""
    value, unit = line(value)[:LONGEST_VALUE], line(unit)[:LONGEST_VALUE]
    if column.kind in ("number", "count"):
        return _check_number(column, value, unit, quotes)
    if column.kind == "yes/no":
        return CheckedValue(value.casefold(), "", "judged")
    if column.kind == "choice":
        return _check_choice(column, value, quotes)
    return _check_text(value, quotes)


def sort_number(column: TableColumn, item: Quantity) -> float:
    """A number in the unit of its column, else in base units."""
    unit, column_unit = item.unit, parse_unit(column.unit)
    if unit is None:
        return item.value
    base = item.value * unit.factor + unit.offset
    return (
        (base - column_unit.offset) / column_unit.factor
        if column_unit and column_unit.dimension == unit.dimension
        else base
    )


@lru_cache(maxsize=512)
def read_numbers(text: str) -> tuple[Folded, tuple[Quantity, ...]]:
    """A sentence in one way of writing, and its numbers with their units."""
    folded = fold(text)
    return folded, tuple(
        _with_late_unit(folded.text, item) if item.unit is None else item for item in quantities(folded)
    )


def _with_late_unit(text: str, item: Quantity) -> Quantity:
    late = _LATE.match(text, item.end)
    unit, end = read_unit(text, late.end()) if late else (None, 0)
    return replace(item, unit=unit, unit_end=end) if unit else item


def _check_number(column: TableColumn, value: str, unit: str, quotes: Sequence[str]) -> CheckedValue:
    numbers = list(read_numbers(f"{value} {unit}".strip())[1])
    if not numbers:
        return CheckedValue(value, unit, "unconfirmed", "It is no number.")
    if unit and numbers[-1].unit is None and column.kind == "number":
        return _check_unknown_unit(value, unit, quotes)
    quoted_numbers = [_find_number(column, item, quotes) for item in numbers]
    missing = next((item for item, place in zip(numbers, quoted_numbers, strict=True) if place is None), None)
    if missing is not None:
        return CheckedValue(value, unit, "unconfirmed", _explain_missing(column, missing, value, quotes))
    places = [place for place in quoted_numbers if place is not None]
    copied_text, its_unit = _copy_numbers(places, value)
    return CheckedValue(copied_text, its_unit, "confirmed", "", sort_number(column, places[0][0]))


def _find_number(column: TableColumn, item: Quantity, quotes: Sequence[str]) -> QuotedNumber | None:
    """The number of a sentence that is exactly this one, with the same unit, and that may stand in the column."""
    for quote in quotes:
        folded, numbers = read_numbers(quote)
        for number in numbers:
            if _is_same(item, number) and _fits_column(column, number):
                return number, folded
    return None


def _is_same(item: Quantity, number: Quantity) -> bool:
    """Whether two numbers are the same; a unit that the model left out is that of the sentence."""
    mine, theirs = item.unit, number.unit
    if mine is None:
        return isclose(item.value, number.value, rel_tol=_EXACT)
    if theirs is None or shape_of(mine) != shape_of(theirs) or mine.factors != theirs.factors:
        return False
    if isclose(mine.factor, theirs.factor, rel_tol=_EXACT) and isclose(mine.offset, theirs.offset, rel_tol=_EXACT):
        return isclose(item.value, number.value, rel_tol=_EXACT)
    return isclose(_base(item.value, mine), _base(number.value, theirs), rel_tol=_EXACT)


def _base(value: float, unit: Unit) -> float:
    return value * unit.factor + unit.offset


def _fits_column(column: TableColumn, number: Quantity) -> bool:
    if column.kind == "count":
        return number.unit is None
    return measure_of(column).takes(number.unit)


def _check_unknown_unit(value: str, unit: str, quotes: Sequence[str]) -> CheckedValue:
    """A number whose unit is not known here: both have to stand in a sentence, one behind the other."""
    value_text = " ".join(fold(f"{value} {unit}").text.split())
    for quote in quotes:
        text = " ".join(fold(quote).text.split())
        before, hit, after = text.partition(value_text)
        if hit and not _CUT_BEFORE.search(before[-1:]) and not after[:1].isalnum():
            numbers = read_numbers(value)[1]
            return CheckedValue(value, unit, "confirmed", "", numbers[0].value if numbers else None)
    return CheckedValue(value, unit, "unconfirmed", f"'{value} {unit}' is not in the quoted sentences.")


def _explain_missing(column: TableColumn, item: Quantity, value: str, quotes: Sequence[str]) -> str:
    bare = replace(item, unit=None)
    same = [number for quote in quotes for number in read_numbers(quote)[1] if _is_same(bare, number)]
    if not same:
        return f"'{value}' is not in the quoted sentences."
    if column.kind == "count" or not any(_fits_column(column, number) for number in same):
        return f"'{value}' has a unit there that does not fit the column."
    return f"'{value}' has another unit in the quoted sentences."


def _copy_numbers(places: Sequence[QuotedNumber], value: str) -> tuple[str, str]:
    """The numbers as the sentence has them, from the first to the last, and the unit of the last."""
    (first, folded), (last, other) = places[0], places[-1]
    text = folded.text
    if folded is other and first.start <= last.start and last.start - first.stop <= _MOST_BETWEEN:
        copied_text = LAST_DIGITS.sub("", text[first.start : last.end])
    else:
        copied_text = value
    if first is last and first.kind != "digits":
        copied_text = f"{first.value:g}"
    sign = _SIGNS.get(first.bound, "~ " if first.about else "")
    return (sign if copied_text[:1] not in "<>~≈≤≥" else "") + copied_text.strip(), text_of_unit(last, other)


def text_of_unit(item: Quantity, folded: Folded) -> str:
    """The unit of a number as the sentence has it; of a list or a range the one at its end."""
    if item.unit is None:
        return ""
    return _LATE.sub("", folded.text[item.end : item.stop], count=1).strip(" -")


def _check_choice(column: TableColumn, value: str, quotes: Sequence[str]) -> CheckedValue:
    chosen = find_choice(column, value)
    if not chosen:
        return CheckedValue(value, "", "unconfirmed", f"It is none of: {', '.join(column.choices)}.")
    text = " ".join(plain_words(fold(quote).text) for quote in quotes)
    others = [choice for choice in column.choices if choice != chosen and plain_words(choice) in text]
    return CheckedValue(chosen, "", "judged" if others or plain_words(chosen) not in text else "confirmed")


def find_choice(column: TableColumn, value: str) -> str:
    """The choice of a column that a text is, in any case; "": none."""
    return next((choice for choice in column.choices if choice.casefold() == line(value).casefold()), "")


def _check_text(value: str, quotes: Sequence[str]) -> CheckedValue:
    texts = [plain_words(fold(quote).text) for quote in quotes]
    folded, numbers = read_numbers(value)
    plain_value = plain_words(folded.text)
    parts = (
        [plain_value]
        if any(plain_value in text for text in texts)
        else [plain_words(p) for p in _PARTS.split(folded.text)]
    )
    parts = [part for part in parts if part.strip()]
    if not parts or not all(any(part in text for text in texts) for part in parts):
        return CheckedValue(value, "", "unconfirmed", "The quoted sentences do not have these words.")
    known = [number for quote in quotes for number in read_numbers(quote)[1]]
    for item in numbers:
        if not any(_is_same(item, number) for number in known):
            return CheckedValue(value, "", "unconfirmed", "The quoted sentences do not have this number.")
    return CheckedValue(value, "", "confirmed")
