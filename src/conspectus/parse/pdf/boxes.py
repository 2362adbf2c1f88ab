"""How boxes lie to each other."""

from __future__ import annotations

from conspectus.records import Rect


def area(box: Rect) -> float:
    """The box's area in square points."""
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def shared(one: Rect, two: Rect) -> float:
    """The area that two boxes have in common."""
    return max(min(one[2], two[2]) - max(one[0], two[0]), 0.0) * max(min(one[3], two[3]) - max(one[1], two[1]), 0.0)


def holds(box: Rect, x: float, y: float, slack: float = 0.0) -> bool:
    """Whether the point lies in the box."""
    return box[0] - slack <= x <= box[2] + slack and box[1] - slack <= y <= box[3] + slack


def centred_in(inner: Rect, outer: Rect, slack: float = 0.0) -> bool:
    """Whether the middle of one box lies in another."""
    return holds(outer, (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2, slack)
