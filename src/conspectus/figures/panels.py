"""Panels of figures: (a), (b) …, found by gutters, by the letters that stand in the picture, and by the caption."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, get_args

import numpy as np

from conspectus.figures.captions import parts_of
from conspectus.figures.panel_layout import Box, Grey, GutterKind, LayoutFinder, PanelBox, trimmed
from conspectus.records import FigureWord, FoundPanel

if TYPE_CHECKING:
    from PIL.Image import Image


_LONGEST = 1200
"""Pixels of the longer side of what is looked at."""
_LABEL = re.compile(r"(?P<open>[(\[]?)(?P<label>[A-Za-z][1-9]?|[ivxIVX]{2,4})(?P<close>[)\]]?[.:,]?)")
_SAME, _BROAD, _MOST_ALIKE = 0.75, 0.15, 9
"""Of the widest and highest, what a piece without a label has at least; of the picture's longer side; so many."""
_MOST_PIECES = 40
"""That a picture without labels may fall into."""
_ASKEW = 0.2
"""Of the smallest panel's side: those of two rows reach into each other by less."""
_WAYS = {"left": (True,), "top": (False,)}
"""What panels stand apart by that are called so: upright gutters, or level ones."""


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
    frame = trimmed(grey, PanelBox(0, 0, grey.shape[1], grey.shape[0]))
    texts_by_label = parts_of(caption) or _read_printed_labels(words)
    if not frame.area:
        return ()
    if len(texts_by_label) < 2:
        return tuple(_panel("", "", part, grey) for part in _alike(grey, frame))
    letters = _letters(words, tuple(texts_by_label))
    boxes_by_label = _by_letters(grey, frame, letters) or _match_letters(
        letters, _by_count(grey, frame, tuple(texts_by_label)), grey
    )
    return tuple(
        _panel(label, part, boxes_by_label[label], grey)
        for label, part in texts_by_label.items()
        if label in boxes_by_label
    )


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


def _by_letters(grey: Grey, frame: PanelBox, letters: Mapping[str, FigureWord]) -> Mapping[str, PanelBox]:
    high, wide = grey.shape
    boxes = {name: (w.box[0] * wide, w.box[1] * high, w.box[2] * wide, w.box[3] * high) for name, w in letters.items()}
    return dict(_find(grey, frame, len(boxes), boxes)) if boxes else {}


def _find(
    grey: Grey,
    frame: PanelBox,
    count: int,
    letters: Mapping[str, Box] | None = None,
    ways: Sequence[bool] = (True, False),
) -> Sequence[tuple[str, PanelBox]]:
    """The panels of the best layout with their letters, whatever its gutters are made of."""
    finders = (LayoutFinder(grey, frame, ways, kind) for kind in get_args(GutterKind))
    return max((finder.find(count, letters) for finder in finders), key=lambda layout: layout[0])[1]


def _alike(grey: Grey, frame: PanelBox) -> Sequence[PanelBox]:
    """The most pieces that are alike in size and not small."""
    finder = LayoutFinder(grey, frame, kind="any", most=_MOST_PIECES)
    for count in range(_MOST_ALIKE, 1, -1):
        parts = [part for _, part in finder.find(count)[1]]
        sides = [[part[low + 2] - part[low] for part in parts] for low in (0, 1)]
        if parts and all(min(side) > max(_SAME * max(side), _BROAD * max(grey.shape)) for side in sides):
            return _in_reading_order(parts)
    return ()


def _by_count(grey: Grey, frame: PanelBox, labels: Sequence[str]) -> Mapping[str, PanelBox]:
    """A part for each label, in reading order."""
    layout = _find(grey, frame, len(labels), ways=_WAYS.get(labels[0], (True, False)))
    return dict(zip(labels, _in_reading_order([part for _, part in layout]), strict=True)) if layout else {}


def _match_letters(
    letters: Mapping[str, FigureWord], boxes_by_label: Mapping[str, PanelBox], grey: Grey
) -> Mapping[str, PanelBox]:
    """The parts, where each has its own letter; none where a letter stands in another's."""
    high, wide = grey.shape
    for label, part in boxes_by_label.items():
        if label in letters:
            x0, y0, x1, y1 = letters[label].box
            x, y = (x0 + x1) / 2 * wide, (y0 + y1) / 2 * high
            if not (part.x0 <= x <= part.x1 and part.y0 <= y <= part.y1):
                return {}
    return boxes_by_label


def _in_reading_order(parts: Sequence[PanelBox]) -> list[PanelBox]:
    """Row by row where they stand in rows; else column by column."""
    slack = min(min(part.y1 - part.y0, part.x1 - part.x0) for part in parts) * _ASKEW
    for low in (1, 0):
        ordered = sorted(parts, key=lambda part: part[low])
        for at in range(1, len(ordered)):
            before, after = ordered[:at], ordered[at:]
            if max(part[low + 2] for part in before) - slack < min(part[low] for part in after):
                return _in_reading_order(before) + _in_reading_order(after)
    return sorted(parts, key=lambda part: (part.y0, part.x0))
