"""How the text objects of a page are painted, as far as it may hide them."""

from __future__ import annotations

from typing import NamedTuple

from conspectus.parse.pdf import bare
from conspectus.parse.pdf.model import Frame
from conspectus.parse.pdf.objects import Holder, PageObjects, clipped, is_switched
from conspectus.records import HiddenReason, Rect

FILLED, NO_INK, BOUNDS_ONLY = 0, 3, 7
"""Modes of drawing: as most text is, without ink, and only as bounds for what is drawn after it."""

_STROKED, _BOTH = (1, 5), (2, 6)
_OUTLINED = 2
"""Filled and stroked, as plots have their numbers."""

_LIKE = 64
EYE = 0.299, 0.587, 0.114
"""How much red, green and blue count for lightness (ITU-R BT.601)."""

LAST = 2**31
"""The turn of what comes after all else."""


class Look(NamedTuple):
    """How a text object is painted. (A tuple: there is one for each text object.)

    Attributes:
        order: its turn among what the page paints.
        mode: of drawing.
        light: 0 to 255; None where the paint is not plain.
        clip: what it is cut to, in the layout frame; None where nothing is left.
        why: why it is hidden, if it is; None where nothing of its own speaks for that.
        weak: whether that may come of what it lies in only, and other reasons go before.
    """

    order: int
    mode: int
    light: float | None
    clip: Rect | None
    why: HiddenReason | None = None
    weak: bool = False


def look_at(item: int, frame: Frame, objects: PageObjects, *, layers: bool) -> Look:
    """How the text object at an address is painted; with `layers` the document may have parts that are switched off."""
    if item not in objects.texts:
        return Look(0, 0, None, None, "covered", weak=True)
    order, holder = objects.texts[item]
    if objects.whole and not (layers or holder.shaped or holder.transparent):  # the common case, with few calls
        colour = bare.colour_of(bare.fill_colour, item)
        mode = bare.render_mode(item)
        plain = mode == FILLED or (mode == _OUTLINED and bare.colour_of(bare.stroke_colour, item) == colour)
        own = not plain or bare.clip_paths(bare.clip_of(item)) > 0 or bare.is_transparent(item)
        if colour and not own:
            return Look(order, mode, lightness(colour), holder.clip)
    clip, shaped = clipped(frame, item, holder)
    mode = bare.render_mode(item)
    light, opacity, mixed = _paint(item, mode)
    why: HiddenReason | None = "invisible" if mode in (NO_INK, BOUNDS_ONLY) or not opacity else None
    weak = False
    if why is None and layers and (holder.switched or is_switched(item)):
        why = "switched off"
    if why is None:
        why = _perhaps(item, holder, shaped, mixed, layers=layers, whole=objects.whole)
        weak = why is not None
    return Look(order, mode, light, clip, why, weak)


def _paint(item: int, mode: int) -> tuple[float | None, int, bool]:
    """Lightness and opacity (0 to 255), and whether letters and their outlines differ."""
    fill = bare.colour_of(bare.stroke_colour if mode in _STROKED else bare.fill_colour, item)
    if mode not in _BOTH:
        return lightness(fill), fill[3] if fill else 255, False
    lights = [lightness(fill), lightness(line := bare.colour_of(bare.stroke_colour, item))]
    known = [light for light in lights if light is not None]
    light = max(known) if len(known) == len(lights) else None
    return light, max(c[3] if c else 255 for c in (fill, line)), len(known) == 2 and abs(known[0] - known[1]) > _LIKE


def lightness(colour: tuple[int, ...] | None) -> float | None:
    """Of red, green and blue, as the eye weighs them: 0 to 255."""
    red, green, blue = EYE
    return None if colour is None else red * colour[0] + green * colour[1] + blue * colour[2]


def _perhaps(item: int, holder: Holder, shaped: bool, mixed: bool, *, layers: bool, whole: bool) -> HiddenReason | None:
    if shaped:
        return "clipped"
    if layers and holder.matrix is not None:
        return "switched off"
    if holder.transparent or bare.is_transparent(item):
        return "invisible"
    if mixed:
        return "same colour"
    return None if whole else "covered"
