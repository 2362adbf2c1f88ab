"""Layouts of figures in panels: the best of all ways to cut a picture, gutter by gutter, into so many parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import inf, log
from typing import Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from conspectus.core.groups import grouped

Grey = npt.NDArray[np.uint8]
"""Lightness [height, width]."""

_EVEN = 14
"""Of 255: a line whose lightness differs by less is of one colour, for all that compression leaves."""
_CORNER = 2
"""Pixels at the ends of a line that may be of another colour, as where a frame has its corners."""
_FRAMED = 3
"""A margin is taken off so often: around a frame, the frame, and within it."""
_CELLS = (6, 10, 16, 24, 10_000)
"""Pixels of the cells in which pieces that touch are found: larger ones if there are too many pieces."""
_BENT = 0.025
"""Of the picture's longer side: by so much what is on both sides of a bent gutter may overlap."""
_GUTTERS = (3, 5, 8, 12, 10_000)
"""Pixels of the narrowest gutters: wider ones if there are too many pieces."""
_MOST = 120
"""Pieces that a picture may fall into."""
_WIDEST = 5
"""Gutters of each direction at which a part may be cut, the widest ones."""
_MOST_PARTS = 300
"""Parts of a picture of which as many cuts are looked at; of others one in each direction."""
_NARROWEST = 0.4
"""Hundredths of the picture's longer side that count as no gutter."""
_SMALLEST = 0.04
"""Of an even share: a smaller piece is no panel."""
_LETTER = (5, 40)
"""Pixels of a letter's height: the fewest, the most."""
Box = tuple[float, float, float, float]
"""In pixels."""
GutterKind = Literal["ground", "any", "bent"]
"""Straight ones of the colour of the picture's edge, of any one colour, or bent ones around what reaches into them."""


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


class Gutter(NamedTuple):
    """A stripe of one colour through a part: `upright` from top to bottom, in x from `start` to before `end`."""

    upright: bool
    start: int
    end: int

    @property
    def width(self) -> int:
        """In pixels."""
        return self.end - self.start


class LayoutWeights(msgspec.Struct, frozen=True):
    """What counts for a layout and against it, added up over its cuts and its panels.

    Attributes:
        width: times the logarithm of a gutter's width, in hundredths of the picture's longer side.
        bent: for a layout whose gutters may be bent.
        inner: times the logarithm of the widest gutter that is left in a panel.
        small: times the logarithm of a panel's area by an even share, where it is below 1.
        slim: times the logarithm of a panel's longer side by its shorter one.
        letter: for a panel with something like a letter in its upper left corner.
        equal: times how much the two parts of a cut differ in area by panel (logarithm).
    """

    width: float
    bent: float
    inner: float
    small: float
    slim: float
    letter: float
    equal: float


@lru_cache(maxsize=1)
def load_weights() -> LayoutWeights:
    """Those that `benchmarks/panel_layouts.py` learnt."""
    raw = files("conspectus.figures").joinpath("layout_weights.json").read_bytes()
    return msgspec.json.decode(raw, type=LayoutWeights)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A gutter at which a part can be cut, the pieces without their margins, and the logarithm of its width."""

    gutter: Gutter
    pieces: tuple[PanelBox, PanelBox]
    width: float


Layout = tuple[float, tuple[tuple[str, PanelBox], ...]]
"""What a layout is worth, and its panels with their letters ("": not given)."""
NO_LAYOUT: Layout = (-inf, ())


class LayoutFinder:
    """Cuts one picture into panels; what is known of its parts is kept.

    Args:
        grey: the picture.
        frame: the picture without its margins.
        ways: the directions of gutters: upright ones (True), level ones, or both.
        kind: what gutters are made of.
        most: pieces that it may fall into; of more it is cut at wider gutters only.
    """

    def __init__(
        self,
        grey: Grey,
        frame: PanelBox,
        ways: Sequence[bool] = (True, False),
        kind: GutterKind = "ground",
        most: int = _MOST,
    ) -> None:
        self.weights = load_weights()
        self._grey, self._frame, self._ways, self._kind = grey, frame, ways, kind
        self._bend = _BENT * max(grey.shape) if kind == "bent" else 0.0
        self._pieces = find_things(grey, frame, most) if kind == "bent" else find_pieces(grey, frame, kind, most)
        self._longest = max(grey.shape) / 100
        self._cuts: dict[PanelBox, list[_Cut]] = {}
        self._letters: dict[PanelBox, bool] = {}

    def find(self, count: int, letters: Mapping[str, Box] | None = None) -> Layout:
        """The best layout; `NO_LAYOUT` where there is none of so many panels.

        Args:
            count: how many panels.
            letters: where the panels' letters stand; each panel then has one.
        """
        self._share = self._frame.area / count
        self._best: dict[tuple[PanelBox, int, tuple[str, ...]], Layout] = {}
        worth, panels = self._layout(self._frame, count, letters or {})
        return worth + self.weights.bent * (self._kind == "bent"), panels

    def _layout(self, part: PanelBox, count: int, letters: Mapping[str, Box]) -> Layout:
        """The best layout of a part; `NO_LAYOUT` where there is none."""
        key = part, count, tuple(letters)
        if key not in self._best:
            if part.area < _SMALLEST * self._share * count:
                self._best[key] = NO_LAYOUT
            elif count == 1:
                self._best[key] = self._value(part), ((next(iter(letters), ""), part),)
            else:
                tried = (self._cut_layout(cut, count, letters) for cut in self._cuts_of(part))
                self._best[key] = max(tried, key=lambda layout: layout[0], default=NO_LAYOUT)
        return self._best[key]

    def _cut_layout(self, cut: _Cut, count: int, letters: Mapping[str, Box]) -> Layout:
        sides, best = _sides(cut.gutter, letters), NO_LAYOUT
        for first in [len(sides[0])] if letters else range(1, count):
            if not 0 < first < count:
                continue
            before = self._layout(cut.pieces[0], first, sides[0])
            if before is NO_LAYOUT:
                continue
            after = self._layout(cut.pieces[1], count - first, sides[1])
            worth = before[0] + after[0] + self._cut_value(cut, first, count - first)
            if worth > best[0]:
                best = worth, before[1] + after[1]
        return best

    def _cut_value(self, cut: _Cut, first: int, second: int) -> float:
        first_area, second_area = (
            piece.area / number for piece, number in zip(cut.pieces, (first, second), strict=True)
        )
        by = self.weights
        return by.width * cut.width + by.equal * abs(log(first_area / second_area))

    def _value(self, part: PanelBox) -> float:
        """What a panel adds."""
        by = self.weights
        if part not in self._letters:
            self._letters[part] = _has_letter(self._grey, part)
        sides = sorted((part.x1 - part.x0, part.y1 - part.y0))
        return (
            by.inner * max((cut.width for cut in self._cuts_of(part)), default=log(_NARROWEST))
            + by.small * min(log(part.area / self._share), 0.0)
            + by.slim * log(sides[1] / sides[0])
            + by.letter * self._letters[part]
        )

    def _cuts_of(self, part: PanelBox) -> list[_Cut]:
        """The widest cuts of a part in each direction."""
        if part not in self._cuts:
            inside = [piece for piece in self._pieces if _holds(part, piece)]
            cut_groups = (self._look_for_cuts(inside, upright=upright) for upright in self._ways)
            most = _WIDEST if len(self._cuts) < _MOST_PARTS else 1
            self._cuts[part] = [cut for each in cut_groups for cut in sorted(each, key=lambda cut: -cut.width)[:most]]
        return self._cuts[part]

    def _look_for_cuts(self, inside: Sequence[PanelBox], *, upright: bool) -> Iterator[_Cut]:
        low = 0 if upright else 1
        ordered = sorted(inside, key=lambda piece: piece[low])
        end = ordered[0][low + 2] if ordered else 0
        for at, piece in enumerate(ordered):
            if at and piece[low] > end - self._bend:
                pieces = _hull(ordered[:at]), _hull(ordered[at:])
                yield _Cut(
                    Gutter(upright, end, piece[low]), pieces, log(max((piece[low] - end) / self._longest, _NARROWEST))
                )
            end = max(end, piece[low + 2])


def find_pieces(grey: Grey, frame: PanelBox, kind: GutterKind, most: int) -> list[PanelBox]:
    """What a picture falls into if it is cut at all straight gutters, the pieces again, and so on."""
    return next(pieces for least in _GUTTERS if len(pieces := _cut_up(grey, frame, least, kind)) < most)


def _cut_up(grey: Grey, frame: PanelBox, least: int, kind: GutterKind) -> list[PanelBox]:
    ground = _ground(grey)
    done: list[PanelBox] = []
    todo = [(frame, True, False)]
    while todo:
        part, upright, tried = todo.pop()
        pieces = list(_split_once(grey, part, least, kind, ground, upright=upright))
        if len(pieces) > 1 or pieces != [part]:
            todo += [(piece, not upright, False) for piece in pieces]
        elif tried:
            done.append(part)
        else:
            todo.append((part, not upright, True))
    return done


def _ground(grey: Grey) -> int:
    """The colour of a picture's edge."""
    return int(np.median(np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])))


def find_things(grey: Grey, frame: PanelBox, most: int) -> list[PanelBox]:
    """The hulls of what hangs together in a picture."""
    inked = np.abs(grey[frame.y0 : frame.y1, frame.x0 : frame.x1].astype(np.int16) - _ground(grey)) >= 2 * _EVEN
    return next(hulls for cell in _CELLS if len(hulls := list(_connected(inked, frame, cell))) < most)


def _connected(inked: npt.NDArray[np.bool_], frame: PanelBox, cell: int) -> Iterator[PanelBox]:
    high, wide = (-(-side // cell) for side in inked.shape)
    padded = np.zeros((high * cell, wide * cell), np.bool_)
    padded[: inked.shape[0], : inked.shape[1]] = inked
    runs: list[tuple[int, int, int]] = []
    root: list[int] = []
    before = range(0)
    for row, line in enumerate(np.asarray(padded.reshape(high, cell, wide, cell).any((1, 3)))):
        edges = np.flatnonzero(np.diff(line.astype(np.int8), prepend=0, append=0)).tolist()
        first = len(runs)
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            root.append(len(runs))
            runs.append((row, start, end))
            for other in before:
                if runs[other][1] <= end and start <= runs[other][2]:
                    root[_root_of(root, other)] = _root_of(root, len(runs) - 1)
        before = range(first, len(runs))
    for members in grouped((_root_of(root, at), run) for at, run in enumerate(runs)).values():
        rows, starts, ends = zip(*members, strict=True)
        x0, y0 = frame.x0 + min(starts) * cell, frame.y0 + min(rows) * cell
        yield PanelBox(
            x0, y0, min(frame.x0 + max(ends) * cell, frame.x1), min(frame.y0 + (max(rows) + 1) * cell, frame.y1)
        )


def _root_of(root: list[int], at: int) -> int:
    while root[at] != at:
        root[at] = at = root[root[at]]
    return at


def _split_once(
    grey: Grey, part: PanelBox, least: int, kind: GutterKind, ground: int, *, upright: bool
) -> Iterator[PanelBox]:
    """What is between the gutters of one direction, and the margins in it."""
    low = 0 if upright else 1
    edges = np.flatnonzero(
        np.diff(_blank(grey, part, kind, ground, upright=upright).astype(np.int8), prepend=1, append=1)
    )
    start = end = -1
    for first, last in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if end >= 0 and first - end >= least:
            yield _strip(part, start, end, low)
            start = first
        start, end = (first if start < 0 else start), last
    if end >= 0:
        yield _strip(part, start, end, low)


def _strip(part: PanelBox, start: int, end: int, low: int) -> PanelBox:
    return part._replace(**{f"{'xy'[low]}0": part[low] + start, f"{'xy'[low]}1": part[low] + end})


def _blank(grey: Grey, part: PanelBox, kind: GutterKind, ground: int, *, upright: bool) -> npt.NDArray[np.bool_]:
    """Of each column of a part (or row), whether it may be of a gutter."""
    if kind == "any":
        return _even(grey, part, upright=upright)
    inside = grey[part.y0 : part.y1, part.x0 : part.x1]
    return np.asarray((np.abs(inside.astype(np.int16) - ground) < _EVEN).all(0 if upright else 1))


def _hull(parts: Sequence[PanelBox]) -> PanelBox:
    x0, y0, x1, y1 = zip(*parts, strict=True)
    return PanelBox(min(x0), min(y0), max(x1), max(y1))


def _holds(part: PanelBox, piece: PanelBox) -> bool:
    return part.x0 <= piece.x0 and part.y0 <= piece.y0 and piece.x1 <= part.x1 and piece.y1 <= part.y1


def _sides(gutter: Gutter, letters: Mapping[str, Box]) -> tuple[dict[str, Box], dict[str, Box]]:
    """The letters before a gutter, and those behind it, by their middles."""
    low, middle = 0 if gutter.upright else 1, gutter.start + gutter.end
    before = {label: box for label, box in letters.items() if box[low] + box[low + 2] < middle}
    return before, {label: box for label, box in letters.items() if label not in before}


def _has_letter(grey: Grey, part: PanelBox) -> bool:
    """Whether something of a letter's size stands alone in the upper left corner."""
    window = grey[part.y0 : part.y0 + 2 * _LETTER[1], part.x0 : part.x0 + 3 * _LETTER[1]]
    if min(window.shape) < 2 * _LETTER[0]:
        return False
    ink = np.abs(window.astype(np.int16) - int(np.median(window))) > 3 * _EVEN
    down = _first_run(np.asarray(ink[:, : _LETTER[1]].any(1)))
    if down is None or down[0] > _LETTER[0] or not _LETTER[0] <= down[1] - down[0] <= _LETTER[1]:
        return False
    across = _first_run(_closed(np.asarray(ink[down[0] : down[1]].any(0)), 4))
    return across is not None and across[0] <= _LETTER[0] and across[1] - across[0] <= 1.7 * (down[1] - down[0])


def _closed(line: npt.NDArray[np.bool_], gap: int) -> npt.NDArray[np.bool_]:
    """A line with gaps of so many pixels or fewer filled."""
    at = np.flatnonzero(line)
    filled = line.copy()
    for start, end in zip(at[:-1][np.diff(at) <= gap + 1], at[1:][np.diff(at) <= gap + 1], strict=True):
        filled[start:end] = True
    return filled


def _first_run(line: npt.NDArray[np.bool_]) -> tuple[int, int] | None:
    """Where the first run of what is set begins and ends, if it ends."""
    edges = np.flatnonzero(np.diff(line.astype(np.int8), prepend=0))
    return (int(edges[0]), int(edges[1])) if len(edges) > 1 else None


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
