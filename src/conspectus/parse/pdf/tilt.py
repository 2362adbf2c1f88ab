"""Points and rectangles turned by small angles."""

from __future__ import annotations

import math

from conspectus.records import Rect


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
