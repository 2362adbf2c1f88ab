"""Whether words leave a trace on the page: the page is drawn without and with the text objects that they belong to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from conspectus.core.groups import grouped
from conspectus.parse.pdf import pdf_file
from conspectus.parse.pdf.page_objects import EYE
from conspectus.parse.pdf.thresholds import SIGHT
from conspectus.records import Rect

_MOST_PIXELS = 4_000_000
_CONTRAST, _COLOUR = 18, 72
"""How much lightness, or one of the three colours, must differ (of 255) to be seen: white is not told from #EEEEEE."""
_SHORT = 4
"""Words of fewer letters may be a dash."""
_INK = 30
"""How much the lightness of a picture differs where something is printed on it."""
_MARK = np.array([255, 0, 255], dtype=np.float32)
"""A colour that hardly any ground has."""
_PAINTS = (pdf_file.fill_colour, pdf_file.set_fill), (pdf_file.stroke_colour, pdf_file.set_stroke)
_MOST_GROUPS = 4
_LIGHTNESS = np.array(EYE[::-1], dtype=np.float32)
"""Of blue, green and red, as pictures have them."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A word that may not be seen: the address of its text object, its box on the page as displayed, how many letters
    it has, and the size of its font in points."""

    item: int
    box: Rect
    letters: int
    size: float


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the displayed page at a scale."""

    box: Rect
    scale: float

    def pixels(self, box: Rect) -> tuple[slice, slice]:
        """Rows and columns of the pixels of a box; at least one of each, where it lies in the part."""
        x0, y0, x1, y1 = ((v - self.box[i % 2]) * self.scale for i, v in enumerate(box))
        top, left = max(math.floor(y0), 0), max(math.floor(x0), 0)
        return slice(top, max(math.ceil(y1), top + 1)), slice(left, max(math.ceil(x1), left + 1))


def find_traceless(page: Any, suspects: Sequence[Suspect]) -> list[bool]:
    """Whether each of the words leaves no trace that could be seen. The page is left as it was."""
    items = {suspect.item for suspect in suspects}
    traceless = [True] * len(suspects)
    try:
        _activate(items, False)
        for numbers in _bands(suspects):
            for i in _traced(page, suspects, numbers):
                traceless[i] = False
    finally:
        _activate(items, True)
    return traceless


def _traced(page: Any, suspects: Sequence[Suspect], numbers: Sequence[int]) -> Iterator[int]:
    """Those of the words that are seen; none of the suspects is active."""
    scale = SIGHT.letter / max(min(suspects[i].size for i in numbers), 1.0)
    part = _part(page, [suspects[i].box for i in numbers], min(max(scale, SIGHT.scale_least), SIGHT.scale_most))
    if part is None:
        return
    without = _drawn(page, part)
    for group in _groups(suspects, numbers, part):
        group_items = {suspects[i].item for i in group}
        _activate(group_items, True)
        with_it = _drawn(page, part)
        with _marked(group_items):
            marked = _drawn(page, part)
        _activate(group_items, False)
        for i in group:
            place = part.pixels(suspects[i].box)
            if _is_seen(without[place], with_it[place], marked[place], suspects[i]):
                yield i


def _bands(suspects: Sequence[Suspect]) -> Iterator[list[int]]:
    """The words by number in bands of the page, between which nothing needs to be drawn."""
    order = sorted(range(len(suspects)), key=lambda i: suspects[i].box[1])
    band: list[int] = []
    end = 0.0
    for i in order:
        if band and suspects[i].box[1] > end + SIGHT.gap:
            yield band
            band = []
        band.append(i)
        end = max(end, suspects[i].box[3]) if len(band) > 1 else suspects[i].box[3]
    if band:
        yield band


def find_inked(page: Any, boxes: Sequence[Rect]) -> list[bool]:
    """Whether something is printed in each of the boxes of the displayed page, so that it is not of one colour."""
    part = _part(page, boxes, 1.0)
    if part is None:
        return [False] * len(boxes)
    light = _drawn(page, part).astype(np.float32) @ _LIGHTNESS
    patches = (light[part.pixels(box)] for box in boxes)
    return [bool(patch.size and patch.max() - patch.min() >= _INK) for patch in patches]


def _part(page: Any, boxes: Iterable[Rect], scale: float) -> _Part | None:
    """What of the page holds all boxes; None where that is nothing."""
    width, height = page.get_size()
    x0, y0 = max(min(box[0] for box in boxes) - 1, 0.0), max(min(box[1] for box in boxes) - 1, 0.0)
    x1, y1 = min(max(box[2] for box in boxes) + 1, width), min(max(box[3] for box in boxes) + 1, height)
    if x1 <= x0 or y1 <= y0:
        return None
    return _Part((x0, y0, x1, y1), min(scale, math.sqrt(_MOST_PIXELS / ((x1 - x0) * (y1 - y0)))))


def _drawn(page: Any, part: _Part) -> Any:
    """The part as pixels of blue, green and red."""
    width, height = page.get_size()
    x0, y0, x1, y1 = part.box
    bitmap = page.render(scale=part.scale, crop=(x0, height - y1, width - x1, y0))
    return bitmap.to_numpy()[:, :, :3].copy()


def _is_seen(without: Any, with_it: Any, marked: Any, suspect: Suspect) -> bool:
    """Whether a word stands out from what it lies on: enough of its box, and most of what is not covered of it."""
    changed = (marked != without) | (with_it != without)
    at = (changed[:, :, 0] | changed[:, :, 1] | changed[:, :, 2]).nonzero()
    ground, word, mark = (picture[at].astype(np.float32) for picture in (without, with_it, marked))
    ink = _most(np.abs(mark - ground)) / np.maximum(_most(np.abs(_MARK - ground)), 1)
    contrast = np.abs(word - ground) / np.maximum(ink, SIGHT.ink)[:, None]
    visible = (contrast @ _LIGHTNESS >= _CONTRAST) | (_most(contrast) >= _COLOUR)
    count = np.count_nonzero(visible & (ink >= SIGHT.ink))
    least = SIGHT.trace if suspect.letters >= _SHORT else SIGHT.trace_short
    return bool(count >= max(least * changed[:, :, 0].size, 1, SIGHT.stands_out * np.count_nonzero(ink >= SIGHT.ink)))


def _most(colours: Any) -> Any:
    """The largest of the three of each pixel; many times as quick as along the axis."""
    return np.maximum(np.maximum(colours[:, 0], colours[:, 1]), colours[:, 2])


def _groups(suspects: Sequence[Suspect], numbers: Iterable[int], part: _Part) -> list[list[int]]:
    """The words by number in groups in which the text objects do not overlap, so that each is seen by itself."""
    by_item = grouped((suspects[i].item, i) for i in numbers)
    coarse = _Part(part.box, 1.0)
    size = tuple(math.ceil(part.box[i + 2] - part.box[i]) + 1 for i in (1, 0))
    masks: list[Any] = []
    groups: list[list[int]] = []
    for words in by_item.values():
        places = [coarse.pixels(suspects[i].box) for i in words]
        at = next((k for k, mask in enumerate(masks) if not any(mask[place].any() for place in places)), len(masks))
        if at == len(masks) and at < _MOST_GROUPS:
            masks.append(np.zeros(size, dtype=bool))
            groups.append([])
        at = min(at, _MOST_GROUPS - 1)
        groups[at] += words
        for place in places:
            masks[at][place] = True
    return groups


def _activate(items: Iterable[int], active: bool) -> None:
    for item in items:
        pdf_file.set_active(item, active)


@contextmanager
def _marked(items: Iterable[int]) -> Iterator[None]:
    """The text objects in `_MARK`, as opaque as they are."""
    before = [(item, put, pdf_file.colour_of(get, item)) for item in items for get, put in _PAINTS]
    try:
        for item, put, colour in before:
            if colour:
                put(item, 255, 0, 255, colour[3])
        yield
    finally:
        for item, put, colour in before:
            if colour:
                put(item, *colour)
