"""Pictures of a map, by matplotlib: its texts as dots, and as a land whose height is how much is written."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import explain_write_errors
from conspectus.core.errors import UnavailableError
from conspectus.map.overlay_plot import draw_overlay, plan_overlay
from conspectus.map.regions import smooth_density
from conspectus.records.atlas import Atlas, Region

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

PlacedName = tuple[float, float, str, dict[str, Any]]
"""x, y, what is written there, and how it looks."""
ENDINGS = (".png", ".svg", ".pdf")
REMEDY = "Install it: pip install 'conspectus[atlas]'."
WIDE, POSTER, DPI = 16.0, 33.1, 200
"""Inches of a map, of a poster's long side (A1), and dots of each; an overlay's legend is next to it."""
GOLDEN = 0.381966
"""Of a turn: hues so far apart are distinguished (the golden angle)."""
FONTS = ("DejaVu Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Hiragino Sans", "Microsoft YaHei", "Arial Unicode MS")
"""For names in other scripts; what none of those that are installed has is drawn as a box."""
MARGIN = 0.03
"""Of a picture, around the texts."""
MARK = 10.0
"""Points of the mark on a peak."""
LINE = 18
"""Letters of a line of a name."""
GRID, SPREAD = 900, 0.012
"""Of the land: cells a side, and the share of it over which a text is spread."""
ASHORE = 0.98
"""Share of texts that are on land."""
STEPS, RELIEF = 12, 60.0
"""Contour lines from the coast to the top, and how much steeper than it is the land is lit."""
LOWLAND, HIGHLAND = 0.2, 0.6
"""Shares of the way from the coast to the top: plains are below, mountains above."""
LAND = ("#a9c98f", "#c6d9a4", "#e4e1b3", "#d9c18d", "#bb9567", "#98765a", "#b9aca2", "#ffffff")
SEA = ("#6fa5c8", "#8dbbd8", "#b4d6e6")
LEGEND = """“{title}”: {count:,} {of}, {made}.
Those that are alike stand together ({method}); north and south mean nothing.
Height is how much is written there, in {of} for each 0.01 % of this picture:
plains below {low}, mountains above {high}; a contour line every {step}.
Water: nearly nothing is written; {wet:.0%} of the {of} stand in it.
▲ the peak of a small region, with its name and how many {of} it has, where there is room for them."""


def draw_dots(atlas: Atlas, path: Path) -> None:
    """Write the map as a picture: a dot for each text in the colour of its region or its overlay; names of regions.

    Args:
        path: ends in .png, .svg or .pdf.

    Raises:
        UnavailableError: matplotlib is not installed.
        LibraryError: the file cannot be written.
    """
    from matplotlib.colors import hsv_to_rgb

    plot = None if atlas.overlay is None else plan_overlay(atlas.overlay)
    figure, axes = _figure(atlas, WIDE)
    order = {region.id: number for number, region in enumerate(atlas.at(1))}
    colours = [
        hsv_to_rgb((order.get(region_id, 0) * GOLDEN % 1, 0.6, 0.75)) for region_id in atlas.region_ids[:, 1].tolist()
    ]
    size = float(np.clip(60_000 / max(len(atlas), 1), 0.5, 60))
    x, y = atlas.positions.T
    edge = MARGIN * (float(np.ptp(atlas.positions, axis=0).max()) or 1.0)
    axes.set_xlim(float(x.min()) - edge, float(x.max()) + edge)
    axes.set_ylim(float(y.min()) - edge, float(y.max()) + edge)
    years = [] if plot is None else draw_overlay(axes, atlas, plot, size, 12, others=True)
    if plot is None:
        axes.scatter(x, y, s=size, c=colours, alpha=0.6, linewidths=0, rasterized=len(atlas) > 20_000)
    large, small = {"fontsize": 17, "weight": "bold", "color": "#111"}, {"fontsize": 10, "color": "#222"}
    labels = [(region, large) for region in atlas.at(0)] + [(region, small) for region in atlas.at(1)]
    _write_names(
        axes, ((*_middle(atlas, region), region.name, look) for region, look in labels), _text_boxes(axes, years)
    )
    _save(figure, path)


def draw_terrain(atlas: Atlas, path: Path, title: str) -> None:
    """Write the map as a land of poster size (A1): high where much is written, water where nothing is.

    With an overlay it has a dot for each text with a value.

    Args:
        path: ends in .png, .svg or .pdf.
        title: what the legend calls the library.

    Raises:
        UnavailableError: matplotlib is not installed.
        LibraryError: the file cannot be written.
    """
    plot = None if atlas.overlay is None else plan_overlay(atlas.overlay)
    figure, axes = _figure(atlas, POSTER)
    figure.set_facecolor(SEA[0])
    density, cells = smooth_density(atlas.positions, GRID, GRID * SPREAD)
    text_density = density[tuple(np.rint(cells).astype(int).T)]
    coast, top = float(np.quantile(text_density, 1 - ASHORE)), float(density.max())
    height = ((density - coast) / max(top - coast, 1e-12)).T
    extent = _extent(atlas.positions, cells)
    axes.imshow(
        _shade_land(height, (density / max(coast, 1e-12)).T), origin="lower", extent=extent, interpolation="bilinear"
    )
    axes.set_xlim(*extent[:2])
    axes.set_ylim(*extent[2:])
    step = _round_step((top - coast) / STEPS)
    spans = [np.linspace(low, high, GRID) for low, high in (extent[:2], extent[2:])]
    lines = np.arange(step, top - coast, step) / max(top - coast, 1e-12)
    for levels, colour, width in (([0.0], "#3f6f8c", 1.6), (lines, "#6b4f36", 0.5)):
        if len(levels):
            axes.contour(*spans, height, levels=levels, colors=colour, linewidths=width)
    size = float(np.clip(240_000 / max(len(atlas), 1), 2, 240))
    years = [] if plot is None else draw_overlay(axes, atlas, plot, size, 15, others=False)
    each = GRID**2 / 10_000
    low, high = ((coast + share * (top - coast)) * each for share in (LOWLAND, HIGHLAND))
    numbers = {"low": _number(low), "high": _number(high), "step": _number(step * each)}
    legend = _write_legend(axes, atlas, title, wet=float((text_density < coast).mean()), **numbers)
    taken_boxes = _text_boxes(axes, (legend, *years))
    _write_names(axes, _places(atlas), taken_boxes)
    peaks = _write_names(axes, _highest(atlas, density, cells), taken_boxes, MARK)
    look: dict[str, Any] = {"color": "#3b3128", "edgecolors": "#fffdf5", "linewidths": 1, "gid": "peaks"}
    x, y = np.reshape(peaks, (-1, 2)).T
    axes.scatter(x, y, s=MARK**2, marker="^", zorder=3, **look)
    _save(figure, path)


def _write_legend(axes: Axes, atlas: Atlas, title: str, **numbers: Any) -> Text:
    """Write what the land shows into the lower left corner."""
    facts = {"count": len(atlas), "of": atlas.of, "title": title, "made": atlas.made[:10], "method": atlas.method}
    box = {"facecolor": "#fffdf5", "edgecolor": "#8a7a5c", "boxstyle": "round,pad=0.8"}
    text = LEGEND.format(**facts, **numbers)
    return axes.text(
        0.012, 0.014, text, bbox=box, transform=axes.transAxes, va="bottom", fontsize=15, zorder=9, parse_math=False
    )


def _shade_land(height: FloatArray, wetness: FloatArray) -> FloatArray:
    """Colours [rows, columns, 3] of a land lit from the north-west (hypsometric tints), and of the flat water."""
    from matplotlib.colors import LightSource, LinearSegmentedColormap

    land, sea = (LinearSegmentedColormap.from_list("", colours) for colours in (LAND, SEA))
    water = sea(wetness.clip(0, 1))[..., :3]
    ground = np.where((height > 0)[..., None], land(height.clip(0, 1) ** 0.6)[..., :3], water)
    light = LightSource(azdeg=315, altdeg=45)
    shaded = light.shade_rgb(ground, height.clip(0, 1) ** 0.6, vert_exag=RELIEF, blend_mode="soft")
    image: FloatArray = np.where((height > 0)[..., None], shaded, water)
    return image


def _extent(positions: FloatArray, cells: FloatArray) -> tuple[float, float, float, float]:
    """Left, right, bottom and top of the grid that `smoothed` made, on the map."""
    wide = np.ptp(cells, axis=0)
    axis = int(wide.argmax())
    step = float(np.ptp(positions, axis=0)[axis] / max(wide[axis], 1e-12)) or 1.0
    low = positions[0] - (cells[0] + 0.5) * step
    return float(low[0]), float(low[0] + GRID * step), float(low[1]), float(low[1] + GRID * step)


def _places(atlas: Atlas) -> Iterator[PlacedName]:
    """The names of large regions, and how they look, the largest first."""
    for region in atlas.at(0):
        yield *_middle(atlas, region), region.name.upper(), {"fontsize": 34, "weight": "bold", "color": "#3b2a1a"}
    for region in atlas.at(1):
        yield *_middle(atlas, region), region.name, {"fontsize": 20, "style": "italic", "color": "#2b2118"}


def _highest(atlas: Atlas, density: FloatArray, cells: FloatArray) -> Iterator[PlacedName]:
    """Of each small region its highest text, with what is written there."""
    for region in atlas.at(2):
        rows = np.flatnonzero(atlas.region_ids[:, 2] == region.id)
        high = rows[int(density[tuple(np.rint(cells[rows]).astype(int).T)].argmax())]
        x, y = atlas.positions[high].tolist()
        yield x, y, f"{region.name}\n{region.size}", {"fontsize": 13, "color": "#3b3128"}


def _middle(atlas: Atlas, region: Region) -> tuple[float, float]:
    """The place of the region's text that stands nearest to its middle, which need not be in it."""
    positions = atlas.positions[atlas.region_ids[:, region.level] == region.id]
    x, y = positions[int(((positions - (region.x, region.y)) ** 2).sum(axis=1).argmin())].tolist()
    return x, y


def _figure(atlas: Atlas, wide: float) -> tuple[Figure, Axes]:
    """A picture of a map without frame; its long side in inches."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UnavailableError("Maps are drawn by matplotlib, which is not installed.", REMEDY) from error
    long, high = np.maximum(np.ptp(atlas.positions, axis=0), 1e-9).tolist()
    shape = 1.0 if wide == POSTER else float(np.clip(high / long, 0.4, 1.6))
    figure = Figure(figsize=(wide, wide * shape))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_aspect("equal")
    axes.set_axis_off()
    return figure, axes


def _write_names(
    axes: Axes, names: Iterable[PlacedName], taken_boxes: list[Any], mark: float = 0.0
) -> list[tuple[float, float]]:
    """Write names where there is room, or not at all: each on its place or beside it, at most 1.2 of its letters away.

    The places of those that were written are returned.

    Args:
        taken_boxes: boxes where nothing may be written; those of the names are added.
        mark: points of a mark that there is to be on each place; its name is written below or above it.
    """
    from matplotlib.font_manager import get_font_names
    from matplotlib.patheffects import withStroke

    axes.apply_aspect()
    point = axes.figure.dpi / 72
    fonts = [font for font in FONTS if font in get_font_names()]
    common: dict[str, Any] = {"ha": "center", "va": "center", "parse_math": False, "clip_on": True, "family": fonts}
    written = []
    for x, y, name, look in names:
        halo = [withStroke(linewidth=look["fontsize"] / 5, foreground="#fffdf5cc")]
        text = axes.text(x, y, _fold_name(name), path_effects=halo, **common, **look)
        [room] = _text_boxes(axes, [text])
        place = _square(axes.transData.transform((x, y)), mark * point)
        offset = room.height / 2 + mark * point * 0.6
        steps = [step * look["fontsize"] * point for step in (0, 0.6, -0.6, 1.2, -1.2)]
        for up in (-offset, offset) if mark else steps:
            boxes = [room.translated(0, up), *([place] if mark else [])]
            is_free = not any(box.overlaps(other) for box in boxes for other in taken_boxes)
            if is_free and room.x0 >= axes.bbox.x0 and room.x1 <= axes.bbox.x1:
                text.set_position(_at(axes, (room.x0 + room.x1) / 2, (room.y0 + room.y1) / 2 + up))
                taken_boxes += boxes
                written.append((x, y))
                break
        else:
            text.remove()
    return written


def _text_boxes(axes: Axes, texts: Iterable[Text]) -> list[Any]:
    """The boxes that texts take, in dots, with the frame around them."""
    renderer = axes.figure.canvas.get_renderer()  # type: ignore[attr-defined]
    rooms = []
    for text in texts:
        with _missing_glyphs_allowed():
            room = text.get_window_extent(renderer)
        frame = text.get_bbox_patch()
        rooms.append(room if frame is None else room.padded(float(text.get_fontsize()) * axes.figure.dpi / 72))
    return rooms


def _square(middle: FloatArray, side: float) -> Any:
    from matplotlib.transforms import Bbox

    return Bbox([middle - side / 2, middle + side / 2])


@contextmanager
def _missing_glyphs_allowed() -> Iterator[None]:
    """Letters that no font has are drawn as boxes, without a warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def _at(axes: Axes, across: float, up: float) -> tuple[float, float]:
    """A dot of the picture as a place on the map."""
    x, y = axes.transData.inverted().transform((across, up)).tolist()
    return x, y


def _fold_name(name: str) -> str:
    """A name in lines of about a dozen letters; those that are given are kept."""
    return "\n".join(fill(line, LINE, break_long_words=False) for line in name.splitlines())


def _round_step(step: float) -> float:
    """1, 2 or 5 times a power of ten, near a number."""
    power = 10.0 ** np.floor(np.log10(max(step, 1e-12)))
    return float(power * min((1, 2, 5, 10), key=lambda factor: abs(factor - step / power)))


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def _save(figure: Figure, path: Path) -> None:
    undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower())
    with explain_write_errors(path), _missing_glyphs_allowed():
        figure.savefig(path, dpi=DPI, metadata=undated)
