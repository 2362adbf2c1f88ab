"""What is drawn and has no words of its own: formulas as pictures, and figures without a caption."""

from __future__ import annotations

from pathlib import Path

import pdf_samples as samples
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.pdf.roles import MARKER
from conspectus.records import ParsedPaper

LEADS = "The heat that is left in the moon at each of its turns about the planet is given as follows:"
GOES_ON = "In the equation above, the first term is the work of the tides and the second one is the heat of the rocks."


def picture(canvas: Canvas, x: float, y: float, width: float, height: float) -> None:
    canvas.drawImage(ImageReader(Image.new("RGB", (40, 20), "navy")), x, y, width, height)


def outline(canvas: Canvas, x: float, y: float, width: float, height: float) -> None:
    """Signs as filled shapes, as some programs write formulas."""
    for i in range(10):
        canvas.rect(x + i * width / 10, y, width / 14, height * (0.5 + i % 3 / 4), stroke=0, fill=1)


def page(
    path: Path, draw, *, above: str = LEADS, below: str = GOES_ON, gap: float = 44, label: str = ""
) -> ParsedPaper:
    """A page of text with something drawn between two of its paragraphs."""
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    sheet = samples.Sheet()
    sheet.put(72, 60, "1 Introduction", "Times-Bold", 12)
    y = sheet.paragraph(72, 80, 450, samples.FIRST)
    y = sheet.paragraph(72, y, 450, above, indent=15)
    drawn_at = samples.HEIGHT - y - gap + 22
    if label:
        sheet.put(505, y + gap / 2 - 6, label)
    y = sheet.paragraph(72, y + gap, 450, below)
    sheet.put(72, y + 20, "2 Methods", "Times-Bold", 12)
    y = sheet.paragraph(72, y + 40, 450, samples.THIRD)
    sheet.paragraph(72, y, 450, samples.FOURTH, indent=15)
    for x, at, text, font, size in sheet.texts:
        canvas.setFont(font, size)
        canvas.drawString(x, samples.HEIGHT - at, text)
    draw(canvas, drawn_at)
    canvas.save()
    return read_pdf(path)


@pytest.mark.parametrize("shape", [picture, outline])
@pytest.mark.parametrize(
    ("above", "below", "label"),
    [
        (LEADS, GOES_ON, ""),
        (
            "The heat is the work of the tides that bend the moon at each turn about its planet,",
            "where it is cold.",
            "",
        ),
        ("The heat is the work of the tides that bend the moon at each turn about its planet.", GOES_ON, "(3)"),
    ],
    ids=["follows", "where", "label"],
)
def test_a_formula_without_text_leaves_a_marker(tmp_path: Path, shape, above: str, below: str, label: str) -> None:
    """The text would speak of an equation above it that is nowhere, and nobody would miss it."""
    draw = lambda canvas, y: shape(canvas, 200, y, 130, 18)  # noqa: E731
    paper = page(tmp_path / "formula.pdf", draw, above=above, below=below, label=label)
    (formula,) = [block for block in paper.blocks if block.kind == "equation"]
    assert formula.text.startswith(MARKER)
    assert formula.label == label
    at = paper.blocks.index(formula)
    assert above in paper.blocks[at - 1].text
    assert below in (paper.blocks[at - 1].text[-len(below) :], paper.blocks[at + 1].text)  # a sentence goes on
    place = formula.sentences[0].places[0]
    x0, y0, x1, y1 = place.rect
    assert place.page == 1
    assert x0 == pytest.approx(200, abs=8)
    assert x1 >= 320
    assert 10 < y1 - y0 < 40
    assert paper.figures == ()


@pytest.mark.parametrize(
    ("what", "x", "width", "height", "above", "gap"),
    [
        ("icon beside a line", 530, 12, 12, LEADS, 44),
        ("hairline", 72, 450, 0.5, LEADS, 44),
        ("between two sections", 200, 60, 18, "It is the work of the tides.", 44),
    ],
)
def test_decorations_are_no_formulas(
    tmp_path: Path, what: str, x: float, width: float, height: float, above: str, gap: float
) -> None:
    """Each ornament would be taken for an equation."""
    paper = page(tmp_path / "plain.pdf", lambda c, y: picture(c, x, y, width, height), above=above, gap=gap)
    assert not [block for block in paper.blocks if block.kind == "equation"], what


@pytest.mark.parametrize("panels", [1, 2, 3])
def test_a_figure_without_a_caption_is_a_figure(tmp_path: Path, panels: int) -> None:
    """A plot that only a heading names could not be looked at."""

    def draw(canvas: Canvas, y: float) -> None:
        for panel in range(panels):
            left = 80 + 150 * panel
            canvas.rect(left, y, 130, 125, stroke=1, fill=0)
            for i in range(40):
                canvas.circle(left + 5 + 2.5 * i, y + 10 + (i * 37) % 100, 2, fill=1)
            canvas.setFont("Helvetica", 7)
            canvas.drawString(left + 40, y - 10, "time (s)")

    paper = page(tmp_path / "figure.pdf", draw, above="It was as we expected.", below="It was not.", gap=170)
    (figure,) = paper.figures
    assert (figure.kind, figure.label, figure.caption) == ("figure", "", None)
    assert figure.place is not None
    assert figure.place.rect[0] == pytest.approx(80, abs=3)
    assert figure.place.rect[2] == pytest.approx(80 + 150 * (panels - 1) + 130, abs=3)
    assert not [block for block in paper.blocks if "time (s)" in block.text]


def test_a_ground_behind_lines_is_no_figure(tmp_path: Path) -> None:
    """Each program and each box of notes would be a figure."""

    def draw(canvas: Canvas, y: float) -> None:
        for i in range(8):
            canvas.setFillGray(0.85)
            canvas.rect(80, y + 14 * i, 430, 14, stroke=0, fill=1)
            canvas.setFillGray(0)
            canvas.setFont("Courier", 9)
            canvas.drawString(84, y + 14 * i + 4, f"heat[{i}] = step(heat[{i}], {i}.5);")

    paper = page(tmp_path / "code.pdf", draw, above="It was as we expected.", below="It was not.", gap=150)
    assert paper.figures == ()
