"""An overlay in a picture of a map: texts in the colours of their values, a path, and what the colours mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from conspectus.core.characters import line
from conspectus.map import colours
from conspectus.records.atlas import Atlas, Overlay, PathStep

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

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


def plot_of(found: Overlay) -> OverlayPlot:
    """An overlay as a picture shows it."""
    since = f", since {found.since}" if found.since is not None else ""
    meaning = "" if found.kind == "lit" else f": {found.legend.meaning}"  # which the key has
    return OverlayPlot(
        f"{found.name}{since}{meaning}",
        colours.colours(found),
        np.isfinite(found.values),
        colours.key(found),
        found.path,
        found.kind == "lit",
    )


def show(axes: Axes, found: Atlas, shown: OverlayPlot, size: float, large: float, *, others: bool) -> list[Text]:
    """Draw it: dots of `size`, letters of `large`, the legend beside the map; the years along a path are returned.

    Args:
        others: also texts without a value.
    """
    x, y = found.positions.T
    colours = np.array(shown.colours, object)
    lit = _lit(size, len(found), int(shown.has.sum()), large) if shown.is_lit else size
    for chosen, own, front in ((~shown.has, size, 2), (shown.has, lit, 4)):
        if chosen.any() and (others or chosen is shown.has):
            looks = colours[chosen].tolist()
            flat = len(found) > 20_000
            axes.scatter(x[chosen], y[chosen], s=own, c=looks, alpha=0.8, linewidths=0, rasterized=flat, zorder=front)
    _beside(axes, shown, large)
    if not shown.path:
        return []
    axes.plot([step.x for step in shown.path], [step.y for step in shown.path], color="#111", alpha=0.6, zorder=3)
    away: dict[str, Any] = {"xytext": (large / 3, large / 3), "textcoords": "offset points"}
    look: dict[str, Any] = {"fontsize": large * 0.8, "zorder": 5, "annotation_clip": True}
    return [axes.annotate(str(step.year), (step.x, step.y), **away, **look) for step in shown.path]


def _lit(size: float, every: int, lit: int, large: float) -> float:
    """The fewer dots are lit up the larger they are, up to a letter's size (squared points)."""
    return float(np.clip(size * every / 3 / max(lit, 1), LIT * size, max(LIT * size, large**2 / 2)))


def _beside(axes: Axes, shown: OverlayPlot, large: float) -> None:
    """The legend, in a column that the picture gets at its right, so that it covers nothing."""
    from matplotlib.patches import Patch

    title = "\n".join(wrap(shorten(line(shown.title), MOST, placeholder=" …"), LINE))
    handles = [Patch(facecolor=colour, label=f" {line(told)}") for colour, told in shown.key]
    figure = axes.get_figure(root=True)
    assert figure is not None
    legend = figure.legend(handles=handles, title=title, loc="upper right", fontsize=large, title_fontsize=large)
    for text in (legend.get_title(), *legend.get_texts()):
        text.set_parse_math(False)
    wide, high = figure.get_size_inches()
    more = (legend.get_window_extent().width / figure.dpi) + 2 * large / 72
    figure.set_size_inches(wide + more, high)
    axes.set_position((0, 0, wide / (wide + more), 1))
