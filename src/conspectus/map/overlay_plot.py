"""An overlay in a picture of a map: texts in the colours of their values, a path, and what the colours mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan, log1p
from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from conspectus.core.text import line
from conspectus.records.atlas import Atlas, Overlay, PathStep

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

NONE = "#cfcfcf"
LIT_COLOUR = "#d1495b"
RAMP = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37))
DIVERGING = ((33, 102, 172), (146, 197, 222), (225, 225, 225), (244, 165, 130), (178, 24, 43))
CATEGORIES = (
    *("#2454d8", "#b42418", "#009c60", "#fc900c", "#9c249c", "#00f0b4"),
    *("#9c7800", "#fc6084", "#9c78fc", "#0090c0", "#fc9cfc", "#d8d800"),
)
"""Far apart in Oklab, also as seen without red or green cones, and from `NONE`; the page has the same."""
_STEPS = 8
Key = tuple[tuple[str, str], ...]
"""(colour, what it means) pairs of a legend."""


def pick_colours(overlay: Overlay) -> list[str]:
    """A colour for each text."""
    return [NONE if isnan(value) else _colour(overlay, value) for value in overlay.values.tolist()]


def colour_key(overlay: Overlay) -> Key:
    """What the colours mean, from the least value to the greatest."""
    if overlay.kind == "category":
        return tuple((_of_category(number), name) for number, name in enumerate(overlay.categories))
    if overlay.kind == "lit" or overlay.legend.low is None or overlay.legend.high is None:
        return ((LIT_COLOUR, overlay.legend.meaning),) if overlay.kind == "lit" else ()
    low, high = _ends(overlay)
    ends = {0: f"{low:.4g}", _STEPS: f"{high:.4g} {overlay.legend.unit}"}
    return tuple((_colour(overlay, _at(overlay, step / _STEPS)), ends.get(step, "")) for step in range(_STEPS + 1))


def _colour(overlay: Overlay, value: float) -> str:
    if overlay.kind == "category":
        return _of_category(int(value))
    if overlay.kind == "lit":
        return LIT_COLOUR
    low, high = (_share(overlay, end) for end in _ends(overlay))
    share = (_share(overlay, value) - low) / ((high - low) or 1.0)
    return _mix(DIVERGING if overlay.legend.scale == "diverging" else RAMP, min(max(share, 0.0), 1.0))


def _ends(overlay: Overlay) -> tuple[float, float]:
    low, high = overlay.legend.low or 0.0, overlay.legend.high or 0.0
    far = max(abs(low), abs(high))
    return (-far, far) if overlay.legend.scale == "diverging" else (low, high)


def _share(overlay: Overlay, value: float) -> float:
    return log1p(max(value, 0.0)) if overlay.legend.scale == "log" else value


def _at(overlay: Overlay, share: float) -> float:
    low, high = _ends(overlay)
    return low + share * (high - low)


def _of_category(number: int) -> str:
    return CATEGORIES[number % len(CATEGORIES)]


def _mix(stops: Sequence[tuple[int, int, int]], share: float) -> str:
    """The colour at a share of the way along stops."""
    place = share * (len(stops) - 1)
    first = min(int(place), len(stops) - 2)
    start, end = list(pairwise(stops))[first]
    part = place - first
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(start, end, strict=True))


LINE, MOST = 40, 300
"""Letters of a line of the legend's title, and of all of it."""
LIT = 2.5
"""Times the size of others that texts are, at least, that are lit up."""


@dataclass(frozen=True, slots=True)
class OverlayPlot:
    """What is shown.

    Attributes:
        title: what it is.
        colours: of each text, `#rrggbb`.
        has: bool [texts]: which have a value.
        key: (colour, what it means) pairs.
        path: of an author.
        is_lit: whether those with a value are lit up.
    """

    title: str
    colours: Sequence[str]
    has: npt.NDArray[np.bool_]
    key: Sequence[tuple[str, str]]
    path: Sequence[PathStep]
    is_lit: bool


def plan_overlay(overlay: Overlay) -> OverlayPlot:
    """An overlay as a picture shows it."""
    since = f", since {overlay.since}" if overlay.since is not None else ""
    meaning = "" if overlay.kind == "lit" else f": {overlay.legend.meaning}"  # which the key has
    return OverlayPlot(
        f"{overlay.name}{since}{meaning}",
        pick_colours(overlay),
        np.isfinite(overlay.values),
        colour_key(overlay),
        overlay.path,
        overlay.kind == "lit",
    )


def draw_overlay(axes: Axes, atlas: Atlas, plot: OverlayPlot, size: float, large: float, *, others: bool) -> list[Text]:
    """Draw it: dots of `size`, letters of `large`, the legend beside the map; the years along a path are returned.

    Args:
        others: also texts without a value.
    """
    x, y = atlas.positions.T
    colours = np.array(plot.colours, object)
    lit = _size_of_lit(size, len(atlas), int(plot.has.sum()), large) if plot.is_lit else size
    for chosen, dot_size, front in ((~plot.has, size, 2), (plot.has, lit, 4)):
        if chosen.any() and (others or chosen is plot.has):
            looks = colours[chosen].tolist()
            flat = len(atlas) > 20_000
            axes.scatter(
                x[chosen], y[chosen], s=dot_size, c=looks, alpha=0.8, linewidths=0, rasterized=flat, zorder=front
            )
    _draw_legend(axes, plot, large)
    if not plot.path:
        return []
    axes.plot([step.x for step in plot.path], [step.y for step in plot.path], color="#111", alpha=0.6, zorder=3)
    away: dict[str, Any] = {"xytext": (large / 3, large / 3), "textcoords": "offset points"}
    look: dict[str, Any] = {"fontsize": large * 0.8, "zorder": 5, "annotation_clip": True}
    return [axes.annotate(str(step.year), (step.x, step.y), **away, **look) for step in plot.path]


def _size_of_lit(size: float, every: int, lit: int, large: float) -> float:
    """The fewer dots are lit up the larger they are, up to a letter's size (squared points)."""
    return float(np.clip(size * every / 3 / max(lit, 1), LIT * size, max(LIT * size, large**2 / 2)))


def _draw_legend(axes: Axes, plot: OverlayPlot, large: float) -> None:
    """The legend, in a column that the picture gets at its right, so that it covers nothing."""
    from matplotlib.patches import Patch

    title = "\n".join(wrap(shorten(line(plot.title), MOST, placeholder=" …"), LINE))
    handles = [Patch(facecolor=colour, label=f" {line(meaning)}") for colour, meaning in plot.key]
    figure = axes.get_figure(root=True)
    assert figure is not None
    legend = figure.legend(handles=handles, title=title, loc="upper right", fontsize=large, title_fontsize=large)
    for text in (legend.get_title(), *legend.get_texts()):
        text.set_parse_math(False)
    wide, high = figure.get_size_inches()
    more = (legend.get_window_extent().width / figure.dpi) + 2 * large / 72
    figure.set_size_inches(wide + more, high)
    axes.set_position((0, 0, wide / (wide + more), 1))
