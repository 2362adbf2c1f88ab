"""How boxes lie to each other, and boxes and points turned by small angles."""

from __future__ import annotations

import math

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


def turn(point: tuple[float, float], middle: tuple[float, float], angle: float) -> tuple[float, float]:
    """The point turned clockwise (y grows downwards) about `middle`."""
    x, y = point[0] - middle[0], point[1] - middle[1]
    cos, sin = math.cos(angle), math.sin(angle)
    return middle[0] + x * cos - y * sin, middle[1] + x * sin + y * cos


def tilted(rect: Rect, middle: tuple[float, float], angle: float) -> Rect:
    """The box around a rectangle that is turned clockwise about `middle`."""
    x0, y0, x1, y1 = rect
    corners = [turn(corner, middle, angle) for corner in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)
