"""Pages as images, with rectangles lit up as by a marker pen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pypdfium2
from PIL import Image, ImageChops, ImageDraw

from conspectus.errors import InputError, NotFoundError, UsageError
from conspectus.parse.pdf.document import opened
from conspectus.records import Place, Rect

_MARKER = (255, 236, 92)
_MARGIN = 1.0
"""Points by which the colour reaches beyond the rectangle, as a pen's would."""


def render(path: Path, page: int, rects: Sequence[Rect], scale: float) -> Image.Image:
    """See `conspectus.parse.pdf.render_page`."""
    return _lit(_drawn(path, page, scale), rects, scale)


def render_part(path: Path, place: Place, scale: float) -> Image.Image:
    """See `conspectus.parse.pdf.figure_image`."""
    image = _drawn(path, place.page, scale)
    x0, y0, x1, y1 = (value * scale for value in place.rect)
    box = (
        max(int(x0 - scale), 0),
        max(int(y0 - scale), 0),
        min(int(x1 + scale) + 1, image.width),
        min(int(y1 + scale) + 1, image.height),
    )
    if box[0] >= box[2] or box[1] >= box[3]:
        raise NotFoundError(f"Page {place.page} of '{path.name}' has nothing at {place.rect}.", "Read the file anew.")
    return image.crop(box)


def _drawn(path: Path, page: int, scale: float) -> Image.Image:
    """A page as an RGB image."""
    if not 0 < scale <= 20:
        raise UsageError(f"A scale of {scale} is not possible.", "Give pixels per point, above 0 and up to 20.")
    with opened(path) as document:
        if not 1 <= page <= len(document):
            raise NotFoundError(f"'{path.name}' has no page {page}.", f"It has pages 1 to {len(document)}.")
        try:
            return document[page - 1].render(scale=scale).to_pil().convert("RGB")
        except pypdfium2.PdfiumError as error:
            raise InputError(f"Page {page} of '{path.name}' cannot be drawn: {error}.") from error


def _lit(image: Image.Image, rects: Sequence[Rect], scale: float) -> Image.Image:
    """`image` multiplied by the marker's colour, which leaves dark text dark."""
    layer = Image.new("RGB", image.size, "white")
    draw = ImageDraw.Draw(layer)
    for x0, y0, x1, y1 in rects:
        draw.rectangle(
            ((x0 - _MARGIN) * scale, (y0 - _MARGIN / 2) * scale, (x1 + _MARGIN) * scale, (y1 + _MARGIN / 2) * scale),
            _MARKER,
        )
    return ImageChops.multiply(image, layer)
