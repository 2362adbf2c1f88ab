"""Pages that are pictures: drawn, recognised, and measured."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from conspectus.parse.blocks import clean_line
from conspectus.parse.pdf.boxes import turn
from conspectus.parse.pdf.document import quarter_turns, visible_box
from conspectus.parse.pdf.ink import (
    Box,
    Dark,
    Print,
    darkness,
    drawings,
    is_raised,
    printed,
    stroke,
    take_rules,
    word_ends,
)
from conspectus.parse.pdf.model import Frame, Graphic
from conspectus.parse.pdf.ocr import Found, recognise
from conspectus.parse.pdf.thresholds import FIGURES, SCANS
from conspectus.parse.pdf.typefaces import ScannedLine, ScannedPage, ScannedWord

_SCALE = 200 / 72
_MOST_PIXELS = 16_000_000
"""Larger pages are drawn smaller."""

_DIGITS = frozenset("0123456789")
_RAISABLE = _DIGITS | frozenset(",-–−+")


@dataclass(frozen=True, slots=True)
class _View:
    """A page as it was drawn, turned and set straight: colours, the lines found, and how it was turned."""

    picture: Any
    found: list[Found]
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
    box, shown = visible_box(page), quarter_turns(page)
    width, height = page.get_size()
    scale = min(_SCALE, (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
    view = _straight(_upright(page, scale))
    frame = Frame(box, (shown + view.turns) % 4, shown, view.skew)
    dark = darkness(np.asarray(Image.fromarray(view.picture).convert("L")))
    rules = take_rules(dark, math.ceil(SCANS.rule_least * scale), math.ceil(SCANS.rule * scale))
    boxes = [_box(found) for found in view.found]
    how = [printed(dark, found.text, box) for found, box in zip(view.found, boxes, strict=True)]
    made = [_line(dark, *one, scale) for one in zip(view.found, boxes, how, strict=True)]
    lines = tuple(line for line in made if line is not None)
    covered = [_inked(box, one) for box, one in zip(boxes, how, strict=True) if one is not None]
    return ScannedPage(
        number,
        frame,
        lines,
        tuple(_graphics(rules + drawings(dark, covered, math.ceil(SCANS.small * scale)), dark.size, scale)),
    )


def _inked(box: Box, how: Print) -> Box:
    """Where the line's ink is: the box that was found may reach to a rule above or below."""
    upper, lower = int(how.base - SCANS.above * how.size), math.ceil(how.base + SCANS.below * how.size)
    return box[0], min(max(box[1], upper), lower), box[2], max(min(box[3], lower), upper)


def _upright(page: Any, scale: float) -> _View:
    """The page turned so that its lines run from left to right and can be read best."""
    first = _drawn(page, scale, 0)
    sideways = _certainty(first, tall=True) > _certainty(first, tall=False)
    letters = sum(len(found.text) for found in first.found)
    if not sideways and _certainty(first, tall=False) >= SCANS.sure * letters:
        return first
    others = [_drawn(page, scale, turns) for turns in ((1, 3) if sideways else (2,))]
    return max([first, *others], key=lambda view: _certainty(view, tall=False))


def _drawn(page: Any, scale: float, turns: int) -> _View:
    picture = page.render(scale=scale, rotation=90 * turns).to_numpy()
    if picture.shape[2] == 1:
        picture = picture.repeat(3, axis=2)
    picture = np.ascontiguousarray(picture[:, :, :3])
    return _View(picture, recognise(picture), turns)


def _certainty(view: _View, *, tall: bool) -> float:
    """How much was read with certainty in boxes that are higher than wide, or not."""
    return sum(found.score * len(found.text) for found in view.found if _is_tall(found) == tall)


def _is_tall(found: Found) -> bool:
    (ax, ay), (bx, by), (cx, cy) = found.corners[:3]
    return len(found.text) > 2 and math.hypot(cx - bx, cy - by) > SCANS.tall * math.hypot(bx - ax, by - ay)


def _straight(view: _View) -> _View:
    """The view turned a little, so that its long lines are level."""
    angles = sorted(_angle(found) for found in view.found if len(found.text) > 20)
    skew = angles[len(angles) // 2] if angles else 0.0
    if not SCANS.skew_least < math.degrees(abs(skew)) < SCANS.skew_most:
        return view
    image = Image.fromarray(view.picture)
    turned = image.rotate(math.degrees(skew), Image.Resampling.BICUBIC, fillcolor=_paper(view.picture))
    middle = image.width / 2, image.height / 2
    found = [
        Found(tuple(turn(corner, middle, -skew) for corner in each.corners), each.text, each.score, each.middles)
        for each in view.found
    ]
    return _View(np.asarray(turned), found, view.turns, skew)


def _paper(picture: Any) -> tuple[int, ...]:
    return tuple(int(np.percentile(picture[::8, ::8, colour], 80)) for colour in range(3))


def _angle(found: Found) -> float:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = found.corners
    return math.atan2(by - ay + cy - dy, bx - ax + cx - dx)


def _box(found: Found) -> Box:
    xs, ys = [x for x, _ in found.corners], [y for _, y in found.corners]
    return int(min(xs)), int(min(ys)), math.ceil(max(xs)), math.ceil(max(ys))


def _line(dark: Dark, found: Found, box: Box, how: Print | None, scale: float) -> ScannedLine | None:
    """The line in points; None for what runs upwards or has no ink."""
    texts = [word for word in clean_line(found.text).split(" ") if word]
    if how is None or not texts or _is_tall(found) or sum(map(len, texts)) != len(found.middles):
        return None
    middles = [box[0] + part * (box[2] - box[0]) for part in found.middles]
    ends, at = [], 0
    for text in texts:
        ends.append((middles[at], middles[at + len(text) - 1]))
        at += len(text)
    words, at = [], 0
    for text, (x0, x1) in zip(texts, word_ends(dark, box, ends), strict=True):
        weight = stroke(dark[max(box[1], 0) : box[3], max(int(x0), 0) : math.ceil(x1)]) / how.size
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
    found = []
    for box in boxes:
        x0, y0, x1, y1 = (value / scale for value in box)
        if (x1 - x0) * (y1 - y0) < FIGURES.background * pixels / scale**2:
            found.append(Graphic("rule" if min(x1 - x0, y1 - y0) <= SCANS.rule else "path", (x0, y0, x1, y1)))
    return found
