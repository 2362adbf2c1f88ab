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

    What stands where, the full text says; all else is in the columns.
    """
    match condition:
        case Stands():
            return np.isin(columns.keys, text.keys_with(condition))
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
