"""Scanned pages: drawn, recognised, and measured (baseline, size, weight, where words end, drawings).

Pictures are arrays of darkness: height by width, 0 (paper) to 255 (black).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from conspectus.parse.pdf.ocr import OcrLine, ScannedLine, ScannedPage, ScannedWord, recognise
from conspectus.parse.pdf.page_text import Graphic, PageFrame, turn
from conspectus.parse.pdf.pdf_file import quarter_turns, visible_box
from conspectus.parse.pdf.thresholds import FIGURES, SCANS
from conspectus.parse.text.blocks import clean_line

Dark = NDArray[np.uint8]
Box = tuple[int, int, int, int]
"""Left, top, right, bottom, in pixels."""
_SMALL_LETTERS = frozenset("acemnorsuvwxzgpqyıäöüáéíóúàèìòùâêîôûñçåø")
_BLANK, _INK = 40, 100
"""Columns whose darkest pixel is lighter are between letters; darker pixels are ink."""
_CELL = 4
"""Pixels: drawings are looked for in squares of this side."""
_SCALE = 200 / 72
_MOST_PIXELS = 16_000_000
"""Larger pages are drawn smaller."""
_DIGITS = frozenset("0123456789")
_RAISABLE = _DIGITS | frozenset(",-–−+")


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


def measure_print(dark: Dark, text: str, box: Box) -> Print | None:
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
        tallest = min(_stretch(rows, SCANS.stray)[0], upper)
        if lower - tallest > SCANS.capitals * (lower - upper) and sum(map(str.isupper, letters)) > 0.5 * len(letters):
            look = "small capitals"
        upper = tallest
    size = (lower - upper) / (SCANS.xheight if small else SCANS.capheight)
    return Print(top + lower - 0.5, size, stroke_width(part) / size, look)


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


def stroke_width(part: Dark) -> float:
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
    rules = []
    for shape in ((1, least), (least, 1)):
        stretches = cv2.morphologyEx(inked, cv2.MORPH_OPEN, np.ones(shape, np.uint8))
        for box in _components(stretches):
            if min(box[2] - box[0], box[3] - box[1]) <= thickest:
                rules.append(box)
                x0, y0, x1, y1 = box
                dark[max(y0 - 1, 0) : y1 + 1, max(x0 - 1, 0) : x1 + 1] = 0
    return rules


def find_drawings(dark: Dark, lines: list[Box], least: int) -> list[Box]:
    """The boxes of what is drawn outside the boxes of `lines` and larger than `least` pixels in one direction."""
    rest = dark.copy()
    for x0, y0, x1, y1 in lines:
        rest[max(y0, 0) : y1, max(x0 - 2, 0) : x1 + 2] = 0
    height, width = (side // _CELL * _CELL for side in rest.shape)
    cells: Any = rest[:height, :width].reshape(height // _CELL, _CELL, width // _CELL, _CELL).max(axis=(1, 3)) > _INK
    boxes = []
    for x0, y0, x1, y1 in _components(cells.astype(np.uint8)):
        if max(x1 - x0, y1 - y0) * _CELL > least:
            left, top = x0 * _CELL, y0 * _CELL
            ys, xs = np.nonzero(rest[top : y1 * _CELL, left : x1 * _CELL] > _INK)
            boxes.append((left + int(xs.min()), top + int(ys.min()), left + int(xs.max()) + 1, top + int(ys.max()) + 1))
    return boxes


def _components(picture: NDArray[np.uint8]) -> list[Box]:
    """The boxes of what hangs together."""
    import cv2

    _, _, stats, _ = cv2.connectedComponentsWithStats(picture, connectivity=8)
    return [(left, top, left + wide, top + high) for left, top, wide, high, _ in stats[1:].tolist()]  # 0 is the paper


@dataclass(frozen=True, slots=True)
class _View:
    """A page as it was drawn, turned and set straight: colours, the lines found, and how it was turned."""

    picture: Any
    lines: list[OcrLine]
    turns: int = 0
    skew: float = 0.0


def recognise_page(page: Any, number: int) -> ScannedPage:
    """The lines of a page that is a picture.

    Args:
        page: A `pypdfium2.PdfPage`.
        number: Its number, from 1.

    Raises:
        UnavailableError: What recognises text is not installed.
        MemoryError: There is too little memory.
    """
    box, page_turns = visible_box(page), quarter_turns(page)
    width, height = page.get_size()
    scale = min(_SCALE, (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
    view = _straight(_upright(page, scale))
    frame = PageFrame(box, (page_turns + view.turns) % 4, page_turns, view.skew)
    dark = darkness(np.asarray(Image.fromarray(view.picture).convert("L")))
    rules = take_rules(dark, math.ceil(SCANS.rule_least * scale), math.ceil(SCANS.rule * scale))
    boxes = [_box(ocr_line) for ocr_line in view.lines]
    how = [measure_print(dark, ocr_line.text, box) for ocr_line, box in zip(view.lines, boxes, strict=True)]
    converted_lines = [_line(dark, *parts, scale) for parts in zip(view.lines, boxes, how, strict=True)]
    lines = tuple(line for line in converted_lines if line is not None)
    covered = [_inked(box, measures) for box, measures in zip(boxes, how, strict=True) if measures is not None]
    return ScannedPage(
        number,
        frame,
        lines,
        tuple(_graphics(rules + find_drawings(dark, covered, math.ceil(SCANS.small * scale)), dark.size, scale)),
    )


def _inked(box: Box, how: Print) -> Box:
    """Where the line's ink is: the box that was found may reach to a rule above or below."""
    upper, lower = int(how.base - SCANS.above * how.size), math.ceil(how.base + SCANS.below * how.size)
    return box[0], min(max(box[1], upper), lower), box[2], max(min(box[3], lower), upper)


def _upright(page: Any, scale: float) -> _View:
    """The page turned so that its lines run from left to right and can be read best."""
    first = _draw_view(page, scale, 0)
    sideways = _certainty(first, tall=True) > _certainty(first, tall=False)
    letters = sum(len(ocr_line.text) for ocr_line in first.lines)
    if not sideways and _certainty(first, tall=False) >= SCANS.sure * letters:
        return first
    others = [_draw_view(page, scale, turns) for turns in ((1, 3) if sideways else (2,))]
    return max([first, *others], key=lambda view: _certainty(view, tall=False))


def _draw_view(page: Any, scale: float, turns: int) -> _View:
    picture = page.render(scale=scale, rotation=90 * turns).to_numpy()
    if picture.shape[2] == 1:
        picture = picture.repeat(3, axis=2)
    picture = np.ascontiguousarray(picture[:, :, :3])
    return _View(picture, recognise(picture), turns)


def _certainty(view: _View, *, tall: bool) -> float:
    """How much was read with certainty in boxes that are higher than wide, or not."""
    return sum(ocr_line.score * len(ocr_line.text) for ocr_line in view.lines if _is_tall(ocr_line) == tall)


def _is_tall(ocr_line: OcrLine) -> bool:
    (ax, ay), (bx, by), (cx, cy) = ocr_line.corners[:3]
    return len(ocr_line.text) > 2 and math.hypot(cx - bx, cy - by) > SCANS.tall * math.hypot(bx - ax, by - ay)


def _straight(view: _View) -> _View:
    """The view turned a little, so that its long lines are level."""
    angles = sorted(_angle(ocr_line) for ocr_line in view.lines if len(ocr_line.text) > 20)
    skew = angles[len(angles) // 2] if angles else 0.0
    if not SCANS.skew_least < math.degrees(abs(skew)) < SCANS.skew_most:
        return view
    image = Image.fromarray(view.picture)
    paper = tuple(int(np.percentile(view.picture[::8, ::8, colour], 80)) for colour in range(3))
    turned = image.rotate(math.degrees(skew), Image.Resampling.BICUBIC, fillcolor=paper)
    middle = image.width / 2, image.height / 2
    ocr_lines = [
        OcrLine(tuple(turn(corner, middle, -skew) for corner in each.corners), each.text, each.score, each.middles)
        for each in view.lines
    ]
    return _View(np.asarray(turned), ocr_lines, view.turns, skew)


def _angle(ocr_line: OcrLine) -> float:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = ocr_line.corners
    return math.atan2(by - ay + cy - dy, bx - ax + cx - dx)


def _box(ocr_line: OcrLine) -> Box:
    xs, ys = [x for x, _ in ocr_line.corners], [y for _, y in ocr_line.corners]
    return int(min(xs)), int(min(ys)), math.ceil(max(xs)), math.ceil(max(ys))


def _line(dark: Dark, ocr_line: OcrLine, box: Box, how: Print | None, scale: float) -> ScannedLine | None:
    """The line in points; None for what runs upwards or has no ink."""
    texts = [word for word in clean_line(ocr_line.text).split(" ") if word]
    if how is None or not texts or _is_tall(ocr_line) or sum(map(len, texts)) != len(ocr_line.middles):
        return None
    middles = [box[0] + part * (box[2] - box[0]) for part in ocr_line.middles]
    ends, at = [], 0
    for text in texts:
        ends.append((middles[at], middles[at + len(text) - 1]))
        at += len(text)
    words, at = [], 0
    for text, (x0, x1) in zip(texts, word_ends(dark, box, ends), strict=True):
        weight = stroke_width(dark[max(box[1], 0) : box[3], max(int(x0), 0) : math.ceil(x1)]) / how.size
        for start, end, raised in _parts(dark, how, text, middles[at : at + len(text)]):
            left = x0 if not start else (middles[at + start - 1] + middles[at + start]) / 2
            right = x1 if end == len(text) else (middles[at + end - 1] + middles[at + end]) / 2
            words.append(ScannedWord(text[start:end], left / scale, right / scale, weight, raised, start > 0))
        at += len(text)
    return ScannedLine(tuple(words), how.base / scale, how.size / scale, how.weight, how.look)


def _parts(dark: Dark, how: Print, text: str, middles: list[float]) -> list[tuple[int, int, bool]]:
    """The word in parts, each from, to, and whether it is raised as exponents and marks of notes are."""
    if not any(char in _RAISABLE for char in text):
        return [(0, len(text), False)]
    raised = [char in _RAISABLE and is_raised(dark, how, x) for char, x in zip(text, middles, strict=True)]
    if all(raised) or not any(text[i] in _DIGITS for i, up in enumerate(raised) if up):
        return [(0, len(text), False)]
    cuts = [0, *(i for i in range(1, len(text)) if raised[i] != raised[i - 1]), len(text)]
    return [(a, b, raised[a]) for a, b in itertools.pairwise(cuts)]


def _graphics(boxes: list[Box], pixels: int, scale: float) -> list[Graphic]:
    """What is drawn between the lines, in points. What covers most of the page is the shadow of a scanner's lid."""
    graphics = []
    for box in boxes:
        x0, y0, x1, y1 = (value / scale for value in box)
        if (x1 - x0) * (y1 - y0) < FIGURES.background * pixels / scale**2:
            graphics.append(Graphic("rule" if min(x1 - x0, y1 - y0) <= SCANS.rule else "path", (x0, y0, x1, y1)))
    return graphics
