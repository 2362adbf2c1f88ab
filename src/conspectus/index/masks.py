"""Conditions as masks of the rows of one generation, so that vectors are searched among what passes alone."""

from __future__ import annotations

from functools import reduce

import numpy as np
import numpy.typing as npt

from conspectus.index.text import TextSearcher
from conspectus.index.vectors import Columns
from conspectus.records.conditions import HAS, AllOf, AnyOf, Condition, Has, Not, Passes, Stands

Mask = npt.NDArray[np.bool_]


def rows_where(condition: Condition, columns: Columns, text: TextSearcher) -> Mask:
    """Which rows a condition holds for, bool [rows].

    What stands where, the full text says: it gives the keys of what passes, or of what does not, whichever is less. All
    else is in the columns.
    """
    with_words = _has_words(condition)
    if isinstance(condition, AllOf) and with_words:
        words = tuple(part for part in condition.parts if _has_words(part))
        others = [rows_where(part, columns, text) for part in condition.parts if part not in words]
        # What the others leave does not help the full text; what it finds for all words at once is the least.
        return reduce(np.logical_and, others, _rows_with(AllOf(words), columns, text))
    if with_words:
        return _rows_with(condition, columns, text)
    match condition:
        case Passes(filters):
            return columns.mask(filters)
        case Has(thing):
            return columns.named(HAS, (thing,))
        case Not(part):
            return ~rows_where(part, columns, text)
        case AllOf(parts):
            return reduce(np.logical_and, (rows_where(part, columns, text) for part in parts))
        case AnyOf(parts):
            return reduce(np.logical_or, (rows_where(part, columns, text) for part in parts))
        case Stands():
            raise AssertionError("has words")


def _rows_with(condition: Condition, columns: Columns, text: TextSearcher) -> Mask:
    many = 2 * text.number(condition) > len(columns.keys)
    found = np.isin(columns.keys, text.keys(Not(condition) if many else condition))
    return ~found if many else found


def _has_words(condition: Condition) -> bool:
    match condition:
        case AllOf(parts) | AnyOf(parts):
            return any(_has_words(part) for part in parts)
        case Not(part):
            return _has_words(part)
        case _:
            return isinstance(condition, Stands)
