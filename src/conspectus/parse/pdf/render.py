"""Pages as images, with rectangles lit up as by a marker pen; parts of them, with the words that are seen there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pypdfium2
from PIL import Image, ImageChops, ImageDraw

from conspectus.core.bounds import BOUNDS
from conspectus.core.disk import read_file
from conspectus.core.errors import InputError, LimitError, NotFoundError, UsageError
from conspectus.core.grouped import split_runs
from conspectus.parse.pdf.boxes import around
from conspectus.parse.pdf.document import Extras, extras, opened, visible_box
from conspectus.parse.pdf.glyphs import CrowdedPageError, PageWords, page_words
from conspectus.parse.pdf.sight import Sight
from conspectus.records import FigureWord, Place, Rect
from conspectus.records.parsed import MOST_SCALE

_MARKER = (255, 236, 92)
_MOST_PIXELS = 40_000_000
"""Of a picture: no page can fill the memory. Whole pages are drawn smaller, parts of them are refused."""
_MARGIN = 1.0
"""Points by which the colour reaches beyond the rectangle, as a pen's would."""


def render_page(path: Path, page: int, rects: Sequence[Rect], scale: float = 2.0) -> Image.Image:
    """Page `page` (from 1) of the PDF at `path` as an RGB image, with `rects` lit up as by a marker pen.

    Args:
        path: The PDF file.
        page: The page, counted from 1.
        rects: Rectangles as in `Place.rect`: points, origin at the top left of the page as displayed.
        scale: Pixels per point, above 0; less is taken where a page would have more than 40 million pixels.

    Raises:
        NotFoundError: The document has no such page.
        InputError: As in `read_pdf`.
    """
    image, scale = page_picture(path, page, scale)
    return _lit(image, rects, scale)


def figure_image(path: Path, place: Place, scale: float = 2.0) -> Image.Image:
    """The part of a page at `place`, such as a figure's, as an RGB image with `scale` pixels per point.

    Raises:
        NotFoundError: The document has no such page, or the place lies outside it.
        InputError: As in `read_pdf`.
    """
    with _opened_page(path, place.page, scale) as page:
        width, height = page.get_size()
        x0, y0, x1, y1 = drawn_part(place.rect, width, height)
        edges = x0, height - y1, width - x1, y0
        inside = (width - edges[0] - edges[2]) * scale, (height - edges[1] - edges[3]) * scale
        if min(inside) < 2:
            raise NotFoundError(f"Page {place.page} of '{path.name}' has nothing at {place.rect}.", "Read it anew.")
        if inside[0] * inside[1] > _MOST_PIXELS:
            what = f"a picture of {inside[0]:,.0f} × {inside[1]:,.0f} pixels"
            raise LimitError(f"Page {place.page} of '{path.name}' would be {what}.", "Give a smaller scale.")
        return _bitmap(page, scale, edges)


def drawn_part(rect: Rect, width: float, height: float) -> Rect:
    """The part of a page of a size that `figure_image` draws of `rect`: a point more on each side, within the page."""
    x0, y0, x1, y1 = rect
    return max(x0 - 1, 0.0), max(y0 - 1, 0.0), width - max(width - x1 - 1, 0.0), height - max(height - y1 - 1, 0.0)


def page_picture(path: Path, page: int, scale: float) -> tuple[Image.Image, float]:
    """A page as an RGB image, and the scale that it has, which is smaller than asked for on a vast page."""
    with _opened_page(path, page, scale) as opened_page:
        width, height = opened_page.get_size()
        scale = min(scale, (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
        return _bitmap(opened_page, scale, (0, 0, 0, 0)), scale


@contextmanager
def _opened_page(path: Path, page: int, scale: float) -> Iterator[Any]:
    if not 0 < scale <= MOST_SCALE:
        raise UsageError(
            f"A scale of {scale} is not possible.", f"Give pixels per point, above 0 and up to {MOST_SCALE}."
        )
    with opened(path) as document:
        if not 1 <= page <= len(document):
            raise NotFoundError(f"'{path.name}' has no page {page}.", f"It has pages 1 to {len(document)}.")
        try:
            yield document[page - 1]
        except pypdfium2.PdfiumError as error:
            raise InputError(
                f"Page {page} of '{path.name}' cannot be drawn: {error}.", "The file may be damaged: fetch it anew."
            ) from error


def _bitmap(page: Any, scale: float, crop: tuple[float, ...]) -> Image.Image:
    image: Image.Image = page.render(scale=scale, crop=crop).to_pil().convert("RGB")
    return image


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


def seen_inside(path: Path, place: Place) -> tuple[FigureWord, ...]:
    """The words in the part of a page that `figure_image` draws of `place`, in the order of the content stream.

    A page with more characters than pages have gives none. Texts that run in another direction come last, each as one.

    Raises:
        InputError: As in `read_pdf`.
    """
    with opened(path, for_text=True) as document:
        page = document[place.page - 1]
        found = _words(page, extras(read_file(path, 2**31)))
        part = drawn_part(place.rect, *page.get_size())
    within = (FigureWord(text[: BOUNDS.label.most], _within(box, part)) for text, box in _displayed(found))
    return tuple(
        islice(
            (word for word in within if word.box[0] < word.box[2] and word.box[1] < word.box[3]),
            BOUNDS.figure_words.most,
        )
    )


def _words(page: Any, has: Extras) -> PageWords | None:
    try:
        return page_words(page, visible_box(page), Sight(page, has).unseen)
    except CrowdedPageError:
        return None


def _displayed(found: PageWords | None) -> Iterator[tuple[str, Rect]]:
    """Texts with their boxes on the page as displayed; what is glued together is one."""
    if found is None:
        return
    for words in split_runs(found.words, lambda _, word: word.glued):
        box = around(word.box for word in words)
        yield "".join(word.text for word in words), found.frame.displayed(box)
    for turned in found.stamps:
        yield turned.text, found.frame.displayed(turned.box)


def _within(box: Rect, part: Rect) -> Rect:
    """A box of the page in parts of the width and height of one that is in it, cut at its edges."""
    left, top, right, bottom = part
    wide, high = right - left, bottom - top
    x0, y0, x1, y1 = box
    sides = (x0 - left) / wide, (y0 - top) / high, (x1 - left) / wide, (y1 - top) / high
    a, b, c, d = (min(max(side, 0.0), 1.0) for side in sides)
    return a, b, c, d
