"""Pages whose text is turned: by the rotation of the page, by its own matrix, or by both; and tables on their side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import pdf_samples as samples
import pypdf
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from conspectus.records import ParsedPaper, Rect

WIDTH, HEIGHT = A4
Text = tuple[float, float, str, str, float]


def save_turned(path: Path, sheets: Iterable[samples.Sheet], *, drawn: int, shown: int) -> Path:
    """Draws sheets turned counterclockwise by `drawn` quarter turns, on pages with `shown` clockwise ones."""
    size = (WIDTH, HEIGHT) if drawn % 2 == 0 else (HEIGHT, WIDTH)
    canvas = Canvas(str(path), invariant=1)
    for sheet in sheets:
        canvas.setPageSize(size)
        canvas.saveState()
        turn(canvas, drawn, size)
        for x, y, text, font, font_size in sheet.texts:
            canvas.setFont(font, font_size)
            canvas.drawString(x, HEIGHT - y, text)
        canvas.restoreState()
        canvas.showPage()
    canvas.save()
    if shown:  # reportlab would swap the sides of the page
        writer = pypdf.PdfWriter(clone_from=path)
        for page in writer.pages:
            page.rotate(90 * shown)
        writer.write(path)
    return path


def turn(canvas: Canvas, quarters: int, size: tuple[float, float]) -> None:
    """Turns what is drawn next counterclockwise about the page, so that it still lies on a page of `size`."""
    width, height = size
    if quarters == 1:
        canvas.translate(width, 0)
    elif quarters == 2:
        canvas.translate(width, height)
    elif quarters == 3:
        canvas.translate(0, height)
    canvas.rotate(90 * quarters)


def table_on_its_side(
    path: Path, rows: Sequence[Sequence[str]], caption: str, *, quarters: int, above: Sequence[Text], rules: bool = True
) -> Path:
    """A page of upright texts with a turned table and its caption below them."""
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    for x, y, text, font, size in above:
        canvas.setFont(font, size)
        canvas.drawString(x, HEIGHT - y, text)
    canvas.saveState()
    if quarters == 1:
        canvas.translate(420, 60)
    else:
        canvas.translate(180, 400)
    canvas.rotate(90 * quarters if quarters == 1 else -90)
    canvas.setFont("Times-Roman", 9)
    canvas.drawString(0, 200, caption)
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            canvas.drawString(80 * column, 180 - 14 * number, cell)
    if rules:
        for y in (190, 176, 180 - 14 * len(rows) + 8):
            canvas.line(-2, y, 330, y)
    canvas.restoreState()
    canvas.save()
    return path


def steps_back(paper: ParsedPaper, turns: int = 0) -> list[str]:
    """The sentences whose lines do not follow each other in reading direction, which therefore are on no page.

    From one line of a sentence to the next, text goes down its column, into a column to the right or to a later page.

    Args:
        paper: What was read.
        turns: The clockwise quarter turns by which its text is turned on the pages as displayed.
    """
    wrong = []
    for block in paper.blocks:
        for sentence in block.sentences:
            places = [(place.page, *_level(place.rect, turns)) for place in sentence.places]
            for (page, _, y0, x1, y1), (next_page, next_x0, next_y0, _, _) in pairwise(places):
                if next_page < page or (next_page == page and next_y0 < (y0 + y1) / 2 and next_x0 < x1 - 1):
                    wrong.append(block.text[sentence.start : sentence.end])
                    break
    return wrong


def _level(rect: Rect, turns: int) -> Rect:
    """A rectangle of the displayed page, turned back so that text that runs with `turns` clockwise turns is level."""
    x0, y0, x1, y1 = rect
    return ((x0, y0, x1, y1), (y0, -x1, y1, -x0), (-x1, -y1, -x0, -y0), (-y1, x0, -y0, x1))[turns % 4]
