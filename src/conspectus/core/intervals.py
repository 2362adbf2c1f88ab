"""Intervals of shares."""

from __future__ import annotations

NORMAL = 1.959964
"""Standard errors on each side of a 95 % interval."""


def wilson(count: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); of nothing: from 0 to 1."""
    if not total:
        return 0.0, 1.0
    share, square = count / total, NORMAL**2
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = NORMAL * (share * (1 - share) / total + square / (4 * total**2)) ** 0.5 / (1 + square / total)
    return max(0.0, middle - half), min(1.0, middle + half)
