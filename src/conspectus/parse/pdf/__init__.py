"""PDF files: their text in reading order with the place of every sentence, and pages drawn with sentences lit up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.records import ParsedPaper, Place, Rect

if TYPE_CHECKING:
    from PIL import Image

    from conspectus.parse.protocol import Working

PDF_READER_VERSION = 5
"""Raised whenever the same file may come to be read otherwise."""

__all__ = ["PDF_READER_VERSION", "draw_structure", "figure_image", "read_pdf", "read_pdf_steps", "render_page"]


def read_pdf(path: Path) -> ParsedPaper:
    """The metadata and blocks of the PDF at `path`, every sentence with its rectangles.

    Raises:
        EncryptedError: The file asks for a password.
        EmptyTextError: The file has no text layer.
        LimitError: It has more pages than are read.
        InputError: The file is missing, damaged or not a PDF.
    """
    from conspectus.parse.pdf.reader import read

    return read(path)


def read_pdf_steps(path: Path, *, ocr: bool) -> Iterator[Working | ParsedPaper]:
    """The same as `read_pdf`, at last; before that, with `ocr`, a sign of life for each page that is recognised.

    Raises:
        UnavailableError: There are pages without a text layer, and what recognises text is not installed.
    """
    from conspectus.parse.pdf.reader import read_steps

    return read_steps(path, ocr=ocr)


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
    from conspectus.parse.pdf.render import render

    return render(path, page, rects, scale)


def figure_image(path: Path, place: Place, scale: float = 2.0) -> Image.Image:
    """The part of a page at `place`, such as a figure's, as an RGB image.

    Args:
        path: The PDF file.
        place: Page and rectangle, as in `Figure.place`.
        scale: Pixels per point, above 0.

    Raises:
        NotFoundError: The document has no such page, or the place lies outside it.
        InputError: As in `read_pdf`.
    """
    from conspectus.parse.pdf.render import render_part

    return render_part(path, place, scale)


def draw_structure(path: Path, paper: ParsedPaper, page: int, scale: float = 2.0) -> Image.Image:
    """Page `page` of the PDF at `path` as an RGB image, with what was read on it in colour, and a legend at the right.

    Drawn are blocks by kind, their order, sentences, captions with their figures, marks, and the space between columns.

    Args:
        path: The PDF file.
        paper: What was read of it.
        page: The page, counted from 1.
        scale: Pixels per point, above 0.

    Raises:
        NotFoundError: The document has no such page.
        InputError: As in `read_pdf`.
    """
    from conspectus.parse.pdf.diagram import draw_structure as draw

    return draw(path, paper, page, scale)
