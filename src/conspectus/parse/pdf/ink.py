"""What a picture of a page says of its lines beyond their letters: baseline, size, weight, where words end, drawings.

Pictures are arrays of darkness: height by width, 0 (paper) to 255 (black).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conspectus.parse.pdf.thresholds import SCANS

Dark = NDArray[np.uint8]
Box = tuple[int, int, int, int]
"""Left, top, right, bottom, in pixels."""

_SMALL_LETTERS = frozenset("acemnorsuvwxzgpqyıäöüáéíóúàèìòùâêîôûñçåø")
_BLANK, _INK = 40, 100
"""Columns whose darkest pixel is lighter are between letters; darker pixels are ink."""

_CELL = 4
"""Pixels: drawings are looked for in squares of this side."""


@dataclass(frozen=True, slots=True)
class Print:
    """How a line is printed: its baseline and size in pixels, the breadth of its strokes in sizes, and its look:
    `italic`, `small capitals` or nothing of note."""

    base: float
    size: float
    weight: float
    look: str


def darkness(picture: NDArray[np.uint8]) -> Dark:
    """A grey picture as darkness, with the paper's own grey taken as 0."""
    counts = np.cumsum(np.bincount(picture.ravel(), minlength=256))
    paper = float(np.searchsorted(counts, SCANS.paper * counts[-1]))
    black = min(float(np.searchsorted(counts, SCANS.black * counts[-1])), paper - 30)
    dark = (paper - picture.astype(np.float32) - SCANS.clear * (paper - black)) * (
        255 / ((1 - SCANS.clear) * (paper - black))
    )
    clear: Dark = np.clip(dark, 0, 255).astype(np.uint8)
    return clear


def printed(dark: Dark, text: str, box: Box) -> Print | None:
    """How the line of `text` in `box` (left, top, right, bottom) is printed; None where there is no ink."""
    x0, y0, x1, y1 = box
    margin = max((y1 - y0) // 10, 1)
    top = max(y0 - margin, 0)
    part = dark[top : y1 + margin, max(x0, 0) : x1]
    rows = part.sum(axis=1, dtype=np.float64)
    if part.size == 0 or not rows.any():
        return None
    upper, lower = _stretch(rows, SCANS.full)
    letters = [char for char in text if not char.isspace()]
    small = sum(char in _SMALL_LETTERS for char in letters) > SCANS.small_letters * len(letters)
    look = "italic" if _is_slanted(part) else ""
    if not small:  # of small capitals the tall ones tell the size
        tallest = min(_stretch(rows, SCANS.some)[0], upper)
        if lower - tallest > SCANS.capitals * (lower - upper) and sum(map(str.isupper, letters)) > 0.5 * len(letters):
            look = "small capitals"
        upper = tallest
    size = (lower - upper) / (SCANS.xheight if small else SCANS.capheight)
    return Print(top + lower - 0.5, size, stroke(part) / size, look)


def is_raised(dark: Dark, line: Print, middle: float) -> bool:
    """Whether the sign at `middle` stands clearly above the baseline."""
    half = max(int(SCANS.sign * line.size), 1)
    top, bottom = int(line.base - SCANS.sign_above * line.size), int(line.base + SCANS.sign_below * line.size)
    part = dark[max(top, 0) : bottom, max(int(middle) - half, 0) : int(middle) + half + 1]
    inked = np.flatnonzero(part.max(axis=1, initial=0) > _INK)
    return bool(len(inked)) and line.base - (max(top, 0) + int(inked[-1])) > SCANS.raised * line.size


def _is_slanted(part: Dark) -> bool:
    """Whether upright strokes lean to the right: leaned back they fall into fewer columns."""
    height, width = part.shape
    leaning = np.zeros((height, width + height), np.float64)
    for row in range(height):
        shift = round(SCANS.slant * row)
        leaning[row, shift : shift + width] = part[row]
    upright, leant = (float((array.sum(axis=0, dtype=np.float64) ** 2).sum()) for array in (part, leaning))
    return leant > SCANS.slanted * upright


def stroke(part: Dark) -> float:
    """The mean breadth of the strokes in pixels: ink by edges."""
    edges = np.abs(np.diff(part.astype(np.int16), axis=1)).sum(dtype=np.float64) / 2
    return float(part.sum(dtype=np.float64) / edges) if edges else 0.0


def _stretch(rows: NDArray[np.float64], least_part: float) -> tuple[float, float]:
    """The longest stretch of rows with at least this part of the ink of the fullest, to parts of a row."""
    least = least_part * float(np.sort(rows)[-max(3, len(rows) // 6) :].mean())
    full = np.concatenate(([False], rows > least, [False]))
    starts, ends = np.flatnonzero(~full[:-1] & full[1:]), np.flatnonzero(full[:-1] & ~full[1:])
    best = int(np.argmax(ends - starts))
    a, b = int(starts[best]), int(ends[best])
    upper = a - ((rows[a] - least) / (rows[a] - rows[a - 1]) if a > 0 else 0.0)
    lower = b + ((rows[b - 1] - least) / (rows[b - 1] - rows[b]) if b < len(rows) else 0.0)
    return float(upper), float(lower)


def word_ends(dark: Dark, box: Box, words: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Left and right edge of each word, given the middles of its first and its last letter: blanks are looked for."""
    x0, y0, x1, y1 = box
    x0 = max(x0, 0)
    inked = dark[max(y0, 0) : y1, x0:x1].max(axis=0, initial=0) > _BLANK
    if not inked.any():
        return words
    left, right = int(np.argmax(inked)), len(inked) - int(np.argmax(inked[::-1]))
    edges = [float(left)]
    for (_, last), (first, _) in itertools.pairwise(words):
        edges += _blank(inked, last - x0, first - x0)
    edges.append(float(right))
    return [(x0 + a, x0 + max(b, a + 1.0)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _blank(inked: NDArray[np.bool_], begin: float, end: float) -> tuple[float, float]:
    """The widest stretch without ink between two places; the middle where there is none."""
    a, b = max(int(begin), 0), max(int(np.ceil(end)), 0)
    free = np.concatenate(([False], ~inked[a:b], [False]))
    starts, ends = np.flatnonzero(~free[:-1] & free[1:]), np.flatnonzero(free[:-1] & ~free[1:])
    if not len(starts):
        middle = (begin + end) / 2
        return middle, middle
    best = int(np.argmax(ends - starts))
    return float(a + starts[best]), float(a + ends[best])


def take_rules(dark: Dark, least: int, thickest: int) -> list[Box]:
    """The boxes of rules: straight, level or upright, at least so long and at most so thick; they are wiped out."""
    import cv2

    inked = (dark > _INK).astype(np.uint8)
    found = []
    for shape in ((1, least), (least, 1)):
        stretches = cv2.morphologyEx(inked, cv2.MORPH_OPEN, np.ones(shape, np.uint8))
        for box in _pieces(stretches):
            if min(box[2] - box[0], box[3] - box[1]) <= thickest:
                found.append(box)
                x0, y0, x1, y1 = box
                dark[max(y0 - 1, 0) : y1 + 1, max(x0 - 1, 0) : x1 + 1] = 0
    return found


def drawings(dark: Dark, lines: list[Box], least: int) -> list[Box]:
    """The boxes of what is drawn outside the boxes of `lines` and larger than `least` pixels in one direction."""
    rest = dark.copy()
    for x0, y0, x1, y1 in lines:
        rest[max(y0, 0) : y1, max(x0 - 2, 0) : x1 + 2] = 0
    height, width = (side // _CELL * _CELL for side in rest.shape)
    cells: Any = rest[:height, :width].reshape(height // _CELL, _CELL, width // _CELL, _CELL).max(axis=(1, 3)) > _INK
    boxes = []
    for x0, y0, x1, y1 in _pieces(cells.astype(np.uint8)):
        if max(x1 - x0, y1 - y0) * _CELL > least:
            left, top = x0 * _CELL, y0 * _CELL
            ys, xs = np.nonzero(rest[top : y1 * _CELL, left : x1 * _CELL] > _INK)
            boxes.append((left + int(xs.min()), top + int(ys.min()), left + int(xs.max()) + 1, top + int(ys.max()) + 1))
    return boxes


def _pieces(picture: NDArray[np.uint8]) -> list[Box]:
    """The boxes of what hangs together."""
    import cv2

    _, _, found, _ = cv2.connectedComponentsWithStats(picture, connectivity=8)
    return [(left, top, left + wide, top + high) for left, top, wide, high, _ in found[1:].tolist()]  # 0 is the paper
