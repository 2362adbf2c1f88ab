"""What publishers, libraries and reviewers put on or under the pages of a finished PDF, drawn by us."""

from __future__ import annotations

import io
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

Draw = Callable[[Canvas, float, float], None]


def watermark(canvas: Canvas, width: float, height: float) -> None:
    """A large grey word across the page."""
    canvas.translate(width / 2, height / 2)
    canvas.rotate(52)
    canvas.setFillGray(0.85)
    canvas.setFont("Helvetica-Bold", 110)
    canvas.drawCentredString(0, 0, "DRAFT")


def stamp(canvas: Canvas, width: float, height: float) -> None:
    """A library's note, upwards in the margin."""
    canvas.translate(14, height / 4)
    canvas.rotate(90)
    canvas.setFont("Helvetica", 7)
    canvas.drawString(0, 0, "Downloaded from library.example by a guest of Lowtown University on 14 January 2026")


def box_stamp(canvas: Canvas, width: float, height: float) -> None:
    """A framed note at the foot of the page."""
    canvas.setFont("Helvetica", 7)
    canvas.rect(width / 2 - 90, 8, 180, 12)
    canvas.drawCentredString(width / 2, 12, "Accepted manuscript - not yet proofread")


def page_image(canvas: Canvas, width: float, height: float) -> None:
    """A pale picture under the whole page."""
    canvas.drawImage(_picture(), 0, 0, width, height)


def part_image(canvas: Canvas, width: float, height: float) -> None:
    """A pale picture under most of the page, and a line above it as banners have."""
    canvas.drawImage(_picture(), 0.06 * width, 0.08 * height, 0.88 * width, 0.72 * height)
    canvas.setLineWidth(2)
    canvas.line(0.06 * width, 0.82 * height, 0.94 * width, 0.82 * height)


def half_image(canvas: Canvas, width: float, height: float) -> None:
    """A pale picture under the left half of the page."""
    canvas.drawImage(_picture(), 0.04 * width, 0.05 * height, 0.46 * width, 0.9 * height)


def striped_image(canvas: Canvas, width: float, height: float) -> None:
    """A pale picture under the page, stored in stripes."""
    for i in range(12):
        canvas.drawImage(_picture(), 0.05 * width, (0.05 + i * 0.075) * height, 0.9 * width, 0.07 * height)


def tint(canvas: Canvas, width: float, height: float) -> None:
    """A tinted ground under the middle of the page."""
    canvas.setFillColorRGB(0.93, 0.95, 1.0)
    canvas.rect(0.05 * width, 0.25 * height, 0.9 * width, 0.5 * height, stroke=0, fill=1)


def banner(canvas: Canvas, width: float, height: float) -> None:
    """A picture at the head of the page."""
    canvas.drawImage(_picture(), 0, height - 30, width, 26)


def framed(canvas: Canvas, width: float, height: float) -> None:
    """A frame around the whole page."""
    canvas.rect(0.04 * width, 0.04 * height, 0.92 * width, 0.92 * height)


OVERLAYS: dict[str, Draw] = {
    draw.__name__: draw
    for draw in (
        watermark,
        stamp,
        box_stamp,
        page_image,
        part_image,
        half_image,
        striped_image,
        tint,
        banner,
        framed,
    )
}
PICTURES = (page_image, part_image, half_image, striped_image)


def overlaid(source: Path, path: Path, *draws: Draw, pages: int | None = None) -> Path:
    """Write the first `pages` of `source` (default: all) to `path`, with something drawn under what each page shows.

    Several drawings are put on the pages in turn. A stamp is drawn under the text, too: it hides nothing.
    """
    from pypdf import PdfReader, PdfWriter

    writer, reader = PdfWriter(), PdfReader(source)
    writer.append(reader, pages=(0, min(pages, len(reader.pages))) if pages else None)
    for page, draw in zip(writer.pages, cycle(draws)):
        width, height = float(page.mediabox.width), float(page.mediabox.height)
        data = io.BytesIO()
        canvas = Canvas(data, pagesize=(width, height))
        draw(canvas, width, height)
        canvas.save()
        page.merge_page(PdfReader(data).pages[0], over=False)
    with path.open("wb") as file:
        writer.write(file)
    return path


def _picture() -> ImageReader:
    image = Image.linear_gradient("L").resize((64, 64)).point(lambda value: 225 + value // 12)
    return ImageReader(image.convert("RGB"))
