"""How much more often two concepts stand together than by chance."""

from __future__ import annotations

from math import log


def log_likelihood(together: int, first: int, second: int, total: int) -> float:
    """The log-likelihood ratio (Dunning 1993), at least 0; 0 where they stand together no more often than by chance.

    Args:
        together: sentences with both.
        first, second: sentences with each.
        total: sentences that speak of anything.
    """
    table = (together, first - together, second - together, max(total - first - second + together, 0))
    if together * total <= first * second:
        return 0.0
    rows, columns = (first, max(total - first, 0)), (second, max(total - second, 0))
    return max(0.0, 2 * (_entropy(table) - _entropy(rows) - _entropy(columns) + _entropy((total,))))


def _entropy(counts: tuple[int, ...]) -> float:
    return sum(count * log(count) for count in counts if count > 0)
