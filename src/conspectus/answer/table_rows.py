"""Which rows of tables answer a question: those whose cells it names, or whose columns are all that it asks for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conspectus.answer.answerable import NEAR
from conspectus.core.arrays import FloatArray
from conspectus.records import Span

NAMED = 0.5
"""Of the question's weight: so much of it is in a row whose cells it names."""
COMPLETE = 0.95
"""So much is in the names of columns if it asks for these, and names no row."""
_LEAST = 2
"""One word in common is by chance: "What was replicated?" is not answered by each row of a table with a column
"Replication"."""


def cell_stretches(row: Span) -> list[tuple[int, int]]:
    """Where the row's cells are in its text, its label among them, as (start, end)."""
    stretches: list[tuple[int, int]] = []
    at = 0
    for _, cell in row.cells:
        if (start := row.text.find(cell, at)) >= 0:
            stretches.append((start, start + len(cell)))
            at = start + len(cell)
    return stretches


def row_answers(cells: FloatArray, row: FloatArray, weights: FloatArray) -> bool:
    """Whether a row answers a question.

    Args:
        cells: Of each content word of the question the best cosine with a word of the row's cells.
        row: The same with the names of its columns and its table.
        weights: Of the question's words, summing to 1.
    """
    in_cells, in_row = cells >= NEAR, row >= NEAR
    least = NAMED if in_cells.any() else COMPLETE
    if float(weights @ in_row) < least:
        return False
    return int(in_row.sum()) >= _LEAST or (bool(in_cells.any()) and len(weights) < _LEAST)


def literal_nearness(question: Sequence[str], words: Sequence[str]) -> FloatArray:
    """1 for each of the question's words that is among the others, else 0: where there are no vectors of words."""
    known = set(words)
    return np.array([float(word in known) for word in question], np.float32)
