"""An overlay in a picture of a map: texts in the colours of their values, a path, and what the colours mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from conspectus.core.characters import line
from conspectus.records.atlas import Atlas, PathStep

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Corner = Literal["lower right", "upper right", "upper left", "lower left"]
LINE, MOST = 40, 300
"""Letters of a line of the legend's title, and of all of it."""
CORNER = 0.25
"""Of the map's width and height, which a legend may take."""
LIT = 2.5
"""Times the size of others that texts are that are lit up."""


@dataclass(frozen=True, slots=True)
class Shown:
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


def show(axes: Axes, found: Atlas, shown: Shown, size: float, large: float, *, others: bool) -> None:
    """Draw it: dots of `size`, letters of `large`; `others`: also texts without a value."""
    from matplotlib.patches import Patch

    x, y = found.positions.T
    colours = np.array(shown.colours, object)
    for chosen, times, front in ((~shown.has, 1.0, 2), (shown.has, LIT if shown.is_lit else 1.0, 3)):
        if chosen.any() and (others or chosen is shown.has):
            own = colours[chosen].tolist()
            flat = len(found) > 20_000
            axes.scatter(
                x[chosen], y[chosen], s=size * times, c=own, alpha=0.8, linewidths=0, rasterized=flat, zorder=front
            )
    if shown.path:
        axes.plot([step.x for step in shown.path], [step.y for step in shown.path], color="#111", alpha=0.6, zorder=4)
        for step in shown.path:
            axes.text(step.x, step.y, str(step.year), fontsize=large * 0.8, zorder=5, clip_on=True)
    title = "\n".join(wrap(shorten(line(shown.title), MOST, placeholder=" …"), LINE))
    handles = [Patch(facecolor=colour, label=f" {line(told)}") for colour, told in shown.key]
    corner = _corner(found, land=not others)
    legend = axes.legend(handles=handles, title=title, loc=corner, fontsize=large, title_fontsize=large, framealpha=0.9)
    legend.set_zorder(9)
    for text in (legend.get_title(), *legend.get_texts()):
        text.set_parse_math(False)


def _corner(found: Atlas, *, land: bool) -> Corner:
    """Where the fewest texts are; a land's own legend is at the lower left."""
    low, wide = found.positions.min(axis=0), np.maximum(np.ptp(found.positions, axis=0), 1e-9)
    x, y = ((found.positions - low) / wide).T
    left, low_down = x < CORNER, y < CORNER
    right, high_up = x > 1 - CORNER, y > 1 - CORNER
    corners: dict[Corner, npt.NDArray[np.bool_]] = {
        "lower right": low_down & right,
        "upper right": high_up & right,
        "upper left": high_up & left,
    } | ({} if land else {"lower left": low_down & left})
    return min(corners, key=lambda corner: int(corners[corner].sum()))
