"""Figures in panels, made by code: real pictures and plots in complex layouts, with the box of each panel known.

`make(number)` draws figure `number`, always the same: its picture, the words that are seen in it (none if it is to be
as one that was scanned or saved as pixels), its caption, and panels by hand (letter, box in parts of width and height).
A layout is a row of columns, a column of rows, and so on, to a depth of three, uneven; a panel is a plot with its axes,
a bar chart, a heat map with its colour bar, a picture of `figure_classes`, a diagram, or several small plots that go
together. Letters stand before, above or in the panels, or nowhere; a caption names them in one of the usual ways.
"""

from __future__ import annotations

import io
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import corpora
import matplotlib as mpl
import numpy as np
from PIL import Image

from conspectus.records import FigureWord

mpl.use("Agg")
from matplotlib import pyplot
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in parts of the picture."""
DPI = 130
CAPTIONS = ("({low}) {text}.", "{up}, {text}.", "{up}. {text}.", "({up}) {text};", "{low}) {text}.")
SAID = ("Rate by depth", "A map of the field", "Counts in each group", "The model and its parts", "Change with time")


@dataclass
class Composite:
    """A figure with what is known of it."""

    name: str
    picture: Image.Image
    words: tuple[FigureWord, ...]
    caption: str
    panels: list[tuple[str, Box]] = field(default_factory=list)


@dataclass
class _Panel:
    letter: str
    rect: Box
    """Left, bottom, width, height in parts of the figure, as matplotlib has them."""
    axes: list[Any] = field(default_factory=list)
    texts: list[Any] = field(default_factory=list)


def make(number: int, kind: str = "composite") -> Composite:
    """Figure `number` of a kind; another kind has other figures."""
    draw = random.Random(f"{kind} {number}")
    size = draw.choice([(8, 6), (7, 7), (9, 5), (6.5, 8.5), (10, 7)])
    figure = pyplot.figure(figsize=size, dpi=DPI, facecolor=draw.choice(["white"] * 9 + ["#f4f4f4"]))
    rects = list(_layout(draw, (0.01, 0.01, 0.98, 0.98), draw.randint(2, 3), draw.random() < 0.5))
    if not 3 <= len(rects) <= 9:
        rects = list(_layout(draw, (0.01, 0.01, 0.98, 0.98), 2, True))
    rects = rects if len(rects) > 1 else _halves()
    lettered = draw.choice(["before", "above", "in", "above", "nowhere"])
    upper, style = draw.random() < 0.6, draw.choice(["{}", "{}", "({})", "{})"])
    weight = draw.choice(["bold", "bold", "normal"])
    panels = []
    for letter, rect in zip("abcdefghijkl", rects, strict=False):
        panel = _Panel(letter.upper() if upper else letter, rect)
        _fill(draw, figure, panel, lettered)
        if lettered != "nowhere":
            _letter(figure, panel, style.format(panel.letter), lettered, weight)
        panels.append(panel)
    picture, panels_found, words = _render(draw, figure, panels)
    said = draw.choice(CAPTIONS)
    parts = (said.format(low=one.letter.lower(), up=one.letter.upper(), text=draw.choice(SAID)) for one in panels)
    caption = f"Figure {number + 1}. Results of the study. " + " ".join(parts)
    return Composite(f"{kind} {number}", picture, words if draw.random() < 0.55 else (), caption, panels_found)


def _halves() -> list[Box]:
    return [(0.01, 0.01, 0.48, 0.98), (0.51, 0.01, 0.48, 0.98)]


def _layout(draw: random.Random, rect: Box, depth: int, rows: bool) -> Iterator[Box]:
    """Parts of a rectangle in reading order: as rows or columns of uneven sizes, these again in parts."""
    left, bottom, wide, high = rect
    room = int((high / 0.23) if rows else (wide / 0.22))
    if depth == 0 or room < 2 or (depth < 2 and draw.random() < 0.4):
        yield rect
        return
    count = min(draw.choice([2, 2, 3]), room)
    shares = [1.0] * count
    for _ in range(5):
        tried = [draw.choice([1.0, 1.0, 1.4, 1.8]) for _ in range(count)]
        if min(tried) / sum(tried) * (high if rows else wide) >= (0.23 if rows else 0.22):
            shares = tried
            break
    at = 0.0
    for share in (one / sum(shares) for one in shares):
        if rows:
            part = (left, bottom + high * (1 - at - share), wide, high * share)
        else:
            part = (left + wide * at, bottom, wide * share, high)
        yield from _layout(draw, part, depth - 1, not rows)
        at += share


def _fill(draw: random.Random, figure: Any, panel: _Panel, lettered: str) -> None:
    left, bottom, wide, high = panel.rect
    width, height = (figure.get_size_inches()[i] for i in (0, 1))
    pad_x, pad_y = 0.5 / width, 0.42 / height
    top = (0.3 if lettered in ("above", "before") else 0.16) / height
    kind = draw.choice(["line", "scatter", "bars", "heat", "photo", "photo", "chart", "group", "group", "diagram"])
    plain = kind in ("photo", "chart", "diagram")
    margin = 0.07 / width, 0.07 / height
    inner = (
        (left + margin[0], bottom + margin[1], wide - 2 * margin[0], high - top - margin[1])
        if plain
        else (left + pad_x, bottom + pad_y, wide - pad_x - 0.14 / width, high - pad_y - top)
    )
    if kind == "group":
        _group(draw, figure, panel, inner)
        return
    axes = figure.add_axes(inner)
    panel.axes.append(axes)
    if kind in ("photo", "chart"):
        axes.imshow(_photo(draw, charts=kind == "chart"), cmap="gray", aspect=draw.choice(["equal", "auto"]))
        axes.set_axis_off()
    elif kind == "diagram":
        _diagram(draw, axes)
    elif kind == "heat":
        bar = figure.colorbar(axes.imshow(_grid(draw), aspect="auto", cmap=draw.choice(["viridis", "jet", "Greys"])))
        panel.axes.append(bar.ax)
        _name_axes(draw, axes)
    else:
        _plot(draw, axes, kind)
        _name_axes(draw, axes)


def _group(draw: random.Random, figure: Any, panel: _Panel, inner: Box) -> None:
    """Small plots that are one panel."""
    left, bottom, wide, high = inner
    rows, columns = draw.choice([(1, 2), (2, 1), (2, 2), (1, 3)])
    kind = draw.choice(["line", "scatter", "bars"])
    gap = draw.choice([0.008, 0.02, 0.035])
    for row in range(rows):
        for column in range(columns):
            w, h = (wide - gap * (columns - 1)) / columns, (high - gap * (rows - 1)) / rows
            axes = figure.add_axes((left + column * (w + gap), bottom + (rows - 1 - row) * (h + gap), w, h))
            _plot(draw, axes, kind)
            axes.tick_params(labelsize=6, labelleft=column == 0, labelbottom=row == rows - 1)
            panel.axes.append(axes)


def _plot(draw: random.Random, axes: Any, kind: str) -> None:
    numbers = np.random.default_rng(draw.randrange(10**9))
    colour = draw.choice(["C0", "C1", "C2", "black", "firebrick"])
    if kind == "line":
        for _ in range(draw.randint(1, 4)):
            axes.plot(np.cumsum(numbers.normal(size=60)), lw=1)
        if draw.random() < 0.4:
            axes.legend([f"run {i}" for i in range(len(axes.lines))], fontsize=6, frameon=draw.random() < 0.5)
    elif kind == "scatter":
        axes.scatter(numbers.normal(size=80), numbers.normal(size=80), s=6, color=colour)
    else:
        heights = numbers.uniform(1, 9, draw.randint(3, 8))
        axes.bar(range(len(heights)), heights, color=colour)
    if draw.random() < 0.4:
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    axes.tick_params(labelsize=draw.choice([6, 7, 8]))


def _name_axes(draw: random.Random, axes: Any) -> None:
    if draw.random() < 0.85:
        axes.set_xlabel(draw.choice(["Time (s)", "Depth (m)", "Dose", "Frequency (Hz)"]), fontsize=7)
        axes.set_ylabel(draw.choice(["Rate", "Counts", "Signal (mV)", "B (T)"]), fontsize=7)
    axes.tick_params(labelsize=6)
    if draw.random() < 0.25:
        axes.set_title(draw.choice(["Control", "Group A", "n = 12"]), fontsize=7, pad=2)


def _grid(draw: random.Random) -> Any:
    numbers = np.random.default_rng(draw.randrange(10**9)).normal(size=(12, 16))
    return np.cumsum(numbers, axis=1) if draw.random() < 0.5 else numbers


def _diagram(draw: random.Random, axes: Any) -> None:
    axes.set_axis_off()
    axes.set_xlim(0, 10)
    axes.set_ylim(0, 10)
    spots = [(1, 7), (6, 7), (1, 2), (6, 2)][: draw.randint(2, 4)]
    for x, y in spots:
        axes.add_patch(FancyBboxPatch((x, y), 2.6, 1.6, boxstyle="round,pad=0.3", fc="#dde8f4", ec="black"))
        axes.text(
            x + 1.3, y + 0.8, draw.choice(["input", "model", "data", "fit"]), ha="center", va="center", fontsize=7
        )
    if draw.random() < 0.7:
        for (x, y), (to_x, to_y) in pairwise(spots):
            axes.add_patch(
                FancyArrowPatch(
                    (x + 1.3, y + 0.8),
                    (to_x + 1.3, to_y + 0.8),
                    arrowstyle="->",
                    shrinkA=25,
                    shrinkB=25,
                    mutation_scale=9,
                )
            )


@lru_cache(maxsize=1)
def _files() -> dict[bool, list[Path]]:
    """Pictures of `figure_classes`: photographs, and charts."""
    folder = corpora.data_folder() / "figure_classes"
    rows = [line.split(",")[:2] for line in (folder / "labels.csv").read_text().splitlines()[1:]]
    named = [(folder / "img" / Path(file).name, kind) for file, kind in rows]
    return {
        charts: [path for path, kind in named if path.is_file() and (("micro" in kind or "galaxy" in kind) != charts)]
        for charts in (False, True)
    }


def _photo(draw: random.Random, *, charts: bool) -> Any:
    with Image.open(draw.choice(_files()[charts])) as image:
        image.thumbnail((500, 500))
        return np.asarray(image.convert("RGB"))


def _letter(figure: Any, panel: _Panel, text: str, where: str, weight: str) -> None:
    left, bottom, _, high = panel.rect
    x, y = left + 0.006, bottom + high - 0.008
    if where == "in":
        box = panel.axes[0].get_position()
        x, y = box.x0 + 0.012, box.y1 - 0.012
    size = 8 if where == "in" else 10
    back = {"facecolor": "white", "edgecolor": "none", "pad": 1} if where == "in" else None
    panel.texts.append(figure.text(x, y, text, fontsize=size, fontweight=weight, va="top", ha="left", bbox=back))


def _render(
    draw: random.Random, figure: Any, panels: Sequence[_Panel]
) -> tuple[Image.Image, list[tuple[str, Box]], tuple[FigureWord, ...]]:
    held = io.BytesIO()
    figure.savefig(held, dpi=DPI, facecolor=figure.get_facecolor())
    picture = Image.open(held).convert("RGB")
    if draw.random() < 0.35:
        packed = io.BytesIO()
        picture.save(packed, "JPEG", quality=draw.choice([60, 75, 88]))
        picture = Image.open(packed).convert("RGB")
    drawer = figure.canvas.get_renderer()
    wide, high = picture.size
    found, words = [], []
    for panel in panels:
        boxes = [box for axes in panel.axes if (box := axes.get_tightbbox(drawer)) is not None]
        boxes += [text.get_window_extent(drawer) for text in panel.texts]
        x0, x1 = min(one.x0 for one in boxes), max(one.x1 for one in boxes)
        y0, y1 = min(one.y0 for one in boxes), max(one.y1 for one in boxes)
        found.append((panel.letter, _to_ink(picture, (x0, high - y1, x1, high - y0))))
        texts = [text for axes in panel.axes for text in axes.findobj(mpl.text.Text)] + panel.texts
        for text in texts:
            if text.get_visible() and text.get_text().strip():
                box = text.get_window_extent(drawer)
                if box.width > 1 and 0 <= box.x0 < wide and 0 <= box.y0 < high:
                    place = (box.x0 / wide, 1 - box.y1 / high, box.x1 / wide, 1 - box.y0 / high)
                    words.append(FigureWord(text.get_text(), tuple(min(max(one, 0.0), 1.0) for one in place)))
    pyplot.close(figure)
    return picture, found, tuple(words)


def _to_ink(picture: Image.Image, box: Box) -> Box:
    """A box in pixels without its empty margins, in parts of the picture."""
    x0, y0, x1, y1 = (round(one) for one in box)
    x0, y0 = max(x0, 0), max(y0, 0)
    part = np.asarray(picture.convert("L"), np.int16)[y0:y1, x0:x1]
    inked = np.abs(part - int(picture.convert("L").getpixel((1, 1)))) > 24
    rows, columns = np.flatnonzero(inked.any(1)), np.flatnonzero(inked.any(0))
    wide, high = picture.size
    return (x0 + columns[0]) / wide, (y0 + rows[0]) / high, (x0 + columns[-1] + 1) / wide, (y0 + rows[-1] + 1) / high


if __name__ == "__main__":
    import sys

    for at in range(int(sys.argv[1]), int(sys.argv[2])):
        made = make(at)
        made.picture.save(f"{sys.argv[3]}/{at:03}.png")
        print(at, len(made.panels), len(made.words), made.caption[:90])
