"""Panels of figures: (a), (b) …, found by gutters, by the letters that stand in the picture, and by the caption."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from conspectus.figures.captions import parts_of
from conspectus.records import FigureWord, FoundPanel

if TYPE_CHECKING:
    from PIL.Image import Image


_LONGEST = 800
"""Pixels of the longer side of what is looked at."""
_LABEL = re.compile(r"(?P<open>[(\[]?)(?P<label>[A-Za-z][1-9]?|[ivxIVX]{2,4})(?P<close>[)\]]?[.:,]?)")
_LEAST = 0.5
"""Of an even share of the picture: smaller pieces count the less."""
_SMALLEST = 0.08
"""Of an even share: a smaller piece is no panel."""
_SAME, _BROAD, _MOST_ALIKE = 0.75, 0.15, 9
"""Of the widest and highest, what a piece without a label has at least; of the picture's longer side; so many."""
_ASKEW = 0.2
"""Of the smallest panel's side: those of two rows reach into each other by less."""
_WAYS = {"left": (True,), "top": (False,)}
"""What panels stand apart by that are called so: upright gutters, or level ones."""
Box = tuple[float, float, float, float]
"""In pixels."""


def split(picture: Image, words: Sequence[FigureWord], caption: str) -> tuple[FoundPanel, ...]:
    """The panels of a figure in the order in which they are read; none where it is one picture.

    They are as many as the caption tells apart, or letters in brackets in the picture. Where neither names any, pieces
    that are alike in size with wide gutters between them are panels without a label.

    Args:
        picture: what the figure shows.
        words: those that are seen in it.
        caption: the figure's.
    """
    grey = _grey(picture)
    whole = trimmed(grey, PanelBox(0, 0, grey.shape[1], grey.shape[0]))
    said = parts_of(caption) or _read_printed_labels(words)
    if not whole.area:
        return ()
    if len(said) < 2:
        return tuple(_panel("", "", part, grey) for part in _alike(grey, whole))
    letters = _letters(words, tuple(said))
    found = _by_letters(grey, whole, letters) or _match_letters(letters, _by_count(grey, whole, tuple(said)), grey)
    return tuple(_panel(label, part, found[label], grey) for label, part in said.items() if label in found)


def _panel(label: str, caption: str, part: PanelBox, grey: Grey) -> FoundPanel:
    high, wide = grey.shape
    return FoundPanel(label, caption, (part.x0 / wide, part.y0 / high, part.x1 / wide, part.y1 / high))


def _grey(picture: Image) -> Grey:
    factor = -(-max(picture.size) // _LONGEST)
    return np.asarray(picture.convert("L").reduce(factor))


def _read_printed_labels(words: Sequence[FigureWord]) -> Mapping[str, str]:
    """The labels that stand in the picture in brackets, where the caption has none."""
    seen = [match["label"] for word in words if (match := _LABEL.fullmatch(word.text)) and match["close"][:1] == ")"]
    small, capital = (list(takewhile(seen.__contains__, names)) for names in (ascii_lowercase, ascii_uppercase))
    return dict.fromkeys(small if len(small) >= len(capital) else capital, "")


def _letters(words: Sequence[FigureWord], labels: Sequence[str]) -> Mapping[str, FigureWord]:
    """The words that label panels, where each has one: those written in one way, the largest, the highest."""
    ways: dict[tuple[str, str, bool], dict[str, FigureWord]] = {}
    folded = {label.casefold(): label for label in labels}
    for word in words:
        match = _LABEL.fullmatch(word.text)
        if match and (label := folded.get(match["label"].casefold())):
            way = ways.setdefault((match["open"], match["close"], match["label"].isupper()), {})
            way[label] = max(way.get(label, word), word, key=_size)
    best = max(ways.items(), key=lambda way: (len(way[1]), way[0]), default=None)
    return best[1] if best and len(best[1]) == len(labels) else {}


def _size(word: FigureWord) -> tuple[float, float, float]:
    x0, y0, _, y1 = word.box
    return round(y1 - y0, 3), -y0, -x0


def _by_letters(grey: Grey, whole: PanelBox, letters: Mapping[str, FigureWord]) -> Mapping[str, PanelBox]:
    high, wide = grey.shape
    boxes = {name: (w.box[0] * wide, w.box[1] * high, w.box[2] * wide, w.box[3] * high) for name, w in letters.items()}
    return _parted(grey, whole, boxes, whole.area / len(boxes)) if boxes else {}


def _parted(grey: Grey, part: PanelBox, boxes: Mapping[str, Box], share: float) -> Mapping[str, PanelBox]:
    """A part for each label; none at all where no gutters tell them apart."""
    if len(boxes) == 1:
        return dict.fromkeys(boxes, part)
    best, most = None, 0.0
    for gutter in gutters(grey, part):
        sides = _sides(gutter, boxes)
        pieces = part.cut(*gutter)
        if all(sides) and (worth := _worth(gutter, pieces, [share * len(side) for side in sides])) > most:
            best, most = (pieces, sides), worth
    if best is None:
        return {}
    one, other = (_parted(grey, trimmed(grey, piece), side, share) for piece, side in zip(*best, strict=True))
    return {**one, **other} if one and other else {}


def _alike(grey: Grey, whole: PanelBox) -> Sequence[PanelBox]:
    """The most pieces that are alike in size and not small."""
    for count in range(_MOST_ALIKE, 1, -1):
        parts = list(_by_count(grey, whole, [str(i) for i in range(count)]).values())
        sides = [[one[low + 2] - one[low] for one in parts] for low in (0, 1)]
        if parts and all(min(side) > max(_SAME * max(side), _BROAD * max(grey.shape)) for side in sides):
            return parts
    return ()


def _sides(gutter: Gutter, boxes: Mapping[str, Box]) -> tuple[dict[str, Box], dict[str, Box]]:
    """The labels before a gutter, and those behind it, by their middles."""
    low, middle = 0 if gutter.upright else 1, gutter.start + gutter.end
    before = {label: box for label, box in boxes.items() if box[low] + box[low + 2] < middle}
    return before, {label: box for label, box in boxes.items() if label not in before}


def _worth(gutter: Gutter, pieces: Sequence[PanelBox], shares: Sequence[float]) -> float:
    """How good it is to cut there: the wider the better, but for pieces much smaller than their shares."""
    smaller = min(piece.area / share for piece, share in zip(pieces, shares, strict=True))
    return 0.0 if smaller < _SMALLEST else gutter.width * min(1.0, smaller / _LEAST)


def _by_count(grey: Grey, whole: PanelBox, labels: Sequence[str]) -> Mapping[str, PanelBox]:
    """A part for each label, in reading order: where the widest gutters are that leave pieces of some size."""
    share = whole.area / len(labels)
    ways = _WAYS.get(labels[0], (True, False))
    parts = {whole: _best_cut(grey, whole, share, ways)}
    while len(parts) < len(labels):
        part = max(parts, key=lambda one: parts[one][0])
        worth, pieces = parts.pop(part)
        if not worth:
            return {}
        parts |= {piece: _best_cut(grey, piece, share, ways) for one in pieces if (piece := trimmed(grey, one)).area}
    return dict(zip(labels, _in_reading_order(list(parts)), strict=True))


def _match_letters(
    letters: Mapping[str, FigureWord], found: Mapping[str, PanelBox], grey: Grey
) -> Mapping[str, PanelBox]:
    """The parts, where each has its own letter; none where a letter stands in another's."""
    high, wide = grey.shape
    for label, part in found.items():
        if label in letters:
            x0, y0, x1, y1 = letters[label].box
            x, y = (x0 + x1) / 2 * wide, (y0 + y1) / 2 * high
            if not (part.x0 <= x <= part.x1 and part.y0 <= y <= part.y1):
                return {}
    return found


def _best_cut(grey: Grey, part: PanelBox, share: float, ways: Sequence[bool]) -> tuple[float, tuple[PanelBox, ...]]:
    """What the best of a part's gutters is worth, and the pieces that it leaves."""
    cuts = ((gutter, part.cut(*gutter)) for gutter in gutters(grey, part) if gutter.upright in ways)
    return max(((_worth(gutter, pieces, (share, share)), pieces) for gutter, pieces in cuts), default=(0.0, ()))


def _in_reading_order(parts: Sequence[PanelBox]) -> list[PanelBox]:
    """Row by row where they stand in rows; else column by column."""
    slack = min(min(one.y1 - one.y0, one.x1 - one.x0) for one in parts) * _ASKEW
    for low in (1, 0):
        ordered = sorted(parts, key=lambda one: one[low])
        for at in range(1, len(ordered)):
            before, after = ordered[:at], ordered[at:]
            if max(one[low + 2] for one in before) - slack < min(one[low] for one in after):
                return _in_reading_order(before) + _in_reading_order(after)
    return sorted(parts, key=lambda one: (one.y0, one.x0))


Grey = npt.NDArray[np.uint8]
"""Lightness [height, width]."""

_EVEN = 14
"""Of 255: a line whose lightness differs by less is of one colour, for all that compression leaves."""
_CORNER = 2
"""Pixels at the ends of a line that may be of another colour, as where a frame has its corners."""
_FRAMED = 3
"""A margin is taken off so often: around a frame, the frame, and within it."""


class PanelBox(NamedTuple):
    """A rectangle of a picture, in pixels; right and bottom are the first that are not in it."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def area(self) -> int:
        """In pixels."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    def cut(self, upright: bool, start: int, end: int) -> tuple[PanelBox, PanelBox]:
        """What is left of an upright stripe from start to end and what is right; or what is above a level one, …"""
        if upright:
            return self._replace(x1=start), self._replace(x0=end)
        return self._replace(y1=start), self._replace(y0=end)


class Gutter(NamedTuple):
    """A stripe of one colour through a part: `upright` from top to bottom, in x from `start` to before `end`."""

    upright: bool
    start: int
    end: int

    @property
    def width(self) -> int:
        """In pixels."""
        return self.end - self.start


def trimmed(grey: Grey, part: PanelBox) -> PanelBox:
    """The part without what is of one colour along its edges; it is empty where nothing else is there."""
    for upright in (True, False) * _FRAMED:
        uneven = np.flatnonzero(~_even(grey, part, upright=upright))
        if not uneven.size:
            return part._replace(x1=part.x0, y1=part.y0)
        first, last = int(uneven[0]), int(uneven[-1]) + 1
        if upright:
            part = part._replace(x0=part.x0 + first, x1=part.x0 + last)
        else:
            part = part._replace(y0=part.y0 + first, y1=part.y0 + last)
    return part


def gutters(grey: Grey, part: PanelBox) -> Iterator[Gutter]:
    """Those of a trimmed part, upright ones first, each from left to right or from top to bottom."""
    for upright in (True, False):
        even = _even(grey, part, upright=upright)
        edges = np.flatnonzero(np.diff(even.astype(np.int8), prepend=0, append=0))
        offset = part.x0 if upright else part.y0
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            yield Gutter(upright, offset + start, offset + end)


def _even(grey: Grey, part: PanelBox, *, upright: bool) -> npt.NDArray[np.bool_]:
    """Of each column of the part (or row), whether it is of one colour."""
    inside = grey[part.y0 : part.y1, part.x0 : part.x1]
    inside = inside if upright else inside.T
    if inside.shape[0] > 4 * _CORNER:
        inside = inside[_CORNER:-_CORNER]
    if not inside.size:
        return np.empty(0, np.bool_)
    even: npt.NDArray[np.bool_] = inside.max(0).astype(np.int16) - inside.min(0) < _EVEN
    return even
