"""Conditions as masks of the rows of one generation, so that vectors are searched among what passes alone."""

from __future__ import annotations

from functools import reduce

import numpy as np
import numpy.typing as npt

from conspectus.index.text import TextSearcher
from conspectus.index.vectors import Columns
from conspectus.records.filters import HAS, AllOf, Among, AnyOf, Condition, Has, Not, Passes, Stands

Mask = npt.NDArray[np.bool_]


def rows_where(condition: Condition, columns: Columns, text: TextSearcher) -> Mask:
    """Which rows a condition holds for, bool [rows].

    What stands where, the full text says: it gives the keys of what passes, or of what does not, whichever is less. All
    else is in the columns.
    """
    if not _has_words(condition):
        return _rows_without(condition, columns)
    if not isinstance(condition, AllOf):
        return _rows_with(condition, columns, text)
    words = [part for part in condition.parts if _has_words(part)]  # asked all at once: that finds least
    others = (_rows_without(part, columns) for part in condition.parts if part not in words)
    return reduce(np.logical_and, others, _rows_with(AllOf(tuple(words)), columns, text))


def _rows_without(condition: Condition, columns: Columns) -> Mask:
    match condition:
        case Passes(filters):
            return columns.mask(filters)
        case Has(thing):
            return columns.named(HAS, (thing,))
        case Among(keys):
            return np.isin(columns.keys, np.array(keys, np.int64))
        case Not(part):
            return ~_rows_without(part, columns)
        case AllOf(parts):
            return reduce(np.logical_and, (_rows_without(part, columns) for part in parts))
        case AnyOf(parts):
            return reduce(np.logical_or, (_rows_without(part, columns) for part in parts))
        case Stands():
            raise AssertionError("it has words")


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
