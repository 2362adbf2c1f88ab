"""Equations, figures, line numbers and back matter of PDFs."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from variant_papers import PARTS, TITLE, front
from variant_pdfs import BOLD, SANS, WIDTH, Drawing, wrap

from case_reading import prose, searchable_text
from conspectus.records import ParsedPaper
from helpers import open_library

# Equations

BEFORE, AFTER = "The height of the surge is given as follows:", "In the equation above, the width is that of the mouth."


def equation_as_text(page: Drawing, y: float) -> None:
    page.canvas.setFont("Symbol", 12)
    page.canvas.drawString(250, page.height - y, "h")
    page.canvas.setFont("Times-Italic", 12)
    page.canvas.drawString(262, page.height - y, "= τ L / (ρ g d)")
    page.right(WIDTH - 70, y, "(1)")


def equation_as_picture(page: Drawing, y: float) -> None:
    picture = Image.new("L", (300, 40), 255)
    for x in range(20, 280, 7):
        for row in range(8, 32):
            picture.putpixel((x, row), 0)
            picture.putpixel((x + 1 + row % 3, row), 0)
    page.canvas.drawImage(ImageReader(picture), 220, page.height - y - 5, 150, 20)


def equation_as_paths(page: Drawing, y: float) -> None:
    for x in range(230, 360, 9):
        path = page.canvas.beginPath()
        path.moveTo(x, page.height - y)
        path.curveTo(x + 2, page.height - y + 10, x + 6, page.height - y + 12, x + 5, page.height - y)
        page.canvas.drawPath(path, stroke=0, fill=1)


def equation_in_two_rows(page: Drawing, y: float) -> None:
    page.canvas.setFont("Times-Italic", 11)
    page.canvas.drawString(250, page.height - y + 6, "τ L")
    page.canvas.line(245, page.height - y + 2, 275, page.height - y + 2)
    page.canvas.drawString(250, page.height - y - 9, "ρ g d")
    page.canvas.drawString(225, page.height - y - 1, "h =")


EQUATIONS = {
    "letters": equation_as_text,
    "a picture": equation_as_picture,
    "outlines": equation_as_paths,
    "a fraction": equation_in_two_rows,
}


@pytest.mark.parametrize("draw", EQUATIONS.values(), ids=EQUATIONS)
def test_an_equation_leaves_a_trace(tmp_path: Path, draw: Callable[[Drawing, float], None]) -> None:
    """'As follows:' would be followed by a sentence about something that is not there."""
    page = Drawing(tmp_path / "equation.pdf")
    y = page.paragraph(70, front(page), WIDTH - 140, PARTS[0] + " " + BEFORE, indent=12)
    draw(page, y + 22)
    y = page.paragraph(70, y + 55, WIDTH - 140, AFTER + " " + PARTS[1])
    paper = page.read()
    kinds = [(block.kind, block.text) for block in paper.blocks]
    before = next(number for number, (_, text) in enumerate(kinds) if BEFORE in text)
    after = next(number for number, (_, text) in enumerate(kinds) if AFTER in text)
    between = " ".join(text for _, text in kinds[before : after + 1])
    between = between.split(BEFORE, 1)[1].split(AFTER, 1)[0].strip()
    assert before < after and (between or any(kind == "equation" for kind, _ in kinds[before + 1 : after]))


# Figures


def photograph(page: Drawing) -> None:
    picture = Image.effect_noise((240, 180), 60).convert("RGB")
    page.canvas.drawImage(ImageReader(picture), 150, 300, 280, 210)


def chart(page: Drawing) -> None:
    page.canvas.line(150, 300, 450, 300)
    page.canvas.line(150, 300, 150, 480)
    for bar in range(8):
        page.canvas.rect(165 + 34 * bar, 300, 22, 30 + 17 * bar, fill=1)
        page.canvas.setFont("Helvetica", 7)
        page.canvas.drawString(168 + 34 * bar, 290, f"B{bar}")


def curve(page: Drawing) -> None:
    page.canvas.rect(150, 300, 280, 180)
    path = page.canvas.beginPath()
    path.moveTo(150, 320)
    for step in range(1, 60):
        path.lineTo(150 + 4.7 * step, 320 + (step * 37 % 90))
    page.canvas.drawPath(path)
    for tick in range(6):
        page.canvas.setFont("Helvetica", 7)
        page.canvas.drawString(150 + 50 * tick, 288, str(tick * 10))


@pytest.mark.parametrize("draw", [photograph, chart, curve])
def test_figures_without_captions(tmp_path: Path, draw: Callable[[Drawing], None]) -> None:
    """Nobody would find or see the figure."""
    page = Drawing(tmp_path / "figure.pdf")
    page.paragraph(70, front(page), WIDTH - 140, PARTS[0])
    page.page()
    page.paragraph(70, 80, WIDTH - 140, PARTS[1])
    page.paragraph(70, 150, WIDTH - 140, PARTS[2])
    draw(page)
    page.paragraph(70, 640, WIDTH - 140, PARTS[3])
    paper = page.read()
    (figure,) = paper.figures
    assert figure.kind == "figure" and figure.place is not None and figure.place.page == 2
    x0, y0, x1, y1 = figure.place.rect
    assert 120 < x0 < 180 and 400 < x1 < 460 and 300 < y0 < 400 and 510 < y1 < 570
    assert all(part in searchable_text(paper) for part in PARTS)


def test_small_marks_are_no_figures(tmp_path: Path) -> None:
    """A logo, a rule and the icon of an identifier would fill a gallery."""
    page = Drawing(tmp_path / "marks.pdf")
    picture = ImageReader(Image.new("RGB", (16, 16), (160, 200, 60)))
    page.canvas.drawImage(picture, 420, page.height - 118, 9, 9)
    page.canvas.drawImage(picture, 300, page.height - 118, 9, 9)
    page.canvas.line(70, page.height - 130, WIDTH - 70, page.height - 130)
    page.paragraph(70, front(page), WIDTH - 140, PARTS[0])
    assert page.read().figures == ()


# Line numbers


def numbered(page: Drawing, step: int, side: str, *, restart: bool, columns: int, repeated: int) -> None:
    width = (WIDTH - 160) if columns == 1 else (WIDTH - 190) / 2
    count = 0

    def draw(x: float, y: float, parts: list[str], number: Callable[[int, float], None]) -> None:
        nonlocal count
        for part in parts:
            for line in wrap(part, width):
                count += 1
                page.text(x, y, line)
                if count % step == 0:
                    number(count, y)
                y += 14

    def mark(at: float) -> Callable[[int, float], None]:
        return lambda value, y: page.text(at, y, str(value), 7, SANS)

    for sheet in range(2):
        count = 0 if restart else count
        top = 80.0
        if sheet == 0:
            top = front(page) + 4
        parts = (PARTS if sheet == 0 else PARTS[::-1]) * repeated
        half = len(parts) // 2
        if columns == 1:
            draw(80, top, parts, mark(45 if side == "left" else WIDTH - 60))
        else:
            draw(70, top, parts[:half], mark(50))
            draw(100 + width, top, parts[half:], mark(WIDTH - 70))
        page.page()


NUMBERS = {
    "every fifth, right, from one on each page": (5, "right", True, 1, 3),
    "every fifth, right, a few lines": (5, "right", False, 1, 1),
    "every fifth, left": (5, "left", False, 1, 3),
    "every line, right": (1, "right", False, 1, 3),
    "every tenth, right": (10, "right", False, 1, 3),
    "every fifth, two columns": (5, "both", False, 2, 3),
}


@pytest.mark.parametrize(("step", "side", "restart", "columns", "repeated"), NUMBERS.values(), ids=NUMBERS)
def test_line_numbers_are_no_text(
    tmp_path: Path, step: int, side: str, restart: bool, columns: int, repeated: int
) -> None:
    """A manuscript's sentences would have numbers between their words."""
    page = Drawing(tmp_path / "lines.pdf")
    numbered(page, step, side, restart=restart, columns=columns, repeated=repeated)
    paper = page.read()
    assert not any(re.fullmatch(r"[\d\s]+", text) for text in prose(paper))
    assert_no_numbers(paper)
    assert all(searchable_text(paper).count(part) == 2 * repeated for part in PARTS)


def assert_no_numbers(paper: ParsedPaper) -> None:
    text = searchable_text(paper).replace("1 Introduction", "")
    assert not re.search(r"\d", text), text


# Back matter

CONTRIBUTIONS = "Conceived and designed the experiments: GH TR. Performed the experiments: TR. Wrote the paper: GH."
SUPPLEMENT = "Table S8. Heights of the surges in the nine bays of the model. (DOC)"
FUNDING = "The funders had no role in the design of the experiments. The authors have declared that no interests exist."


@pytest.mark.usefixtures("quick_pool")
@pytest.mark.parametrize("kind", ["pdf", "xml"])
def test_back_matter_is_no_evidence(tmp_path: Path, kind: str) -> None:
    """Asked for heights, an answer would quote the name of a file that is not there."""
    path = tmp_path / f"back.{kind}"
    if kind == "pdf":
        page = Drawing(path)
        y = page.paragraph(70, front(page), WIDTH - 140, PARTS[2])
        for heading, text in (
            ("Supporting Information", SUPPLEMENT),
            ("Author Contributions", CONTRIBUTIONS),
            ("Funding", FUNDING),
        ):
            page.text(70, y + 16, heading, 12, BOLD)
            y = page.paragraph(70, y + 34, WIDTH - 140, text)
        page.read()
    else:
        path.write_text(
            f"<article><front><article-meta><title-group><article-title>{TITLE}</article-title></title-group></article-meta>"
            f"</front><body><sec><title>Results</title><p>{PARTS[2]}</p></sec><sec sec-type='supplementary-material'>"
            f"<title>Supporting Information</title><supplementary-material><caption><p>{SUPPLEMENT}</p></caption>"
            f"</supplementary-material></sec></body><back><fn-group><fn fn-type='con'><p>{CONTRIBUTIONS}</p></fn>"
            f"<fn fn-type='financial-disclosure'><p>{FUNDING}</p></fn></fn-group></back></article>",
            "utf-8",
        )
    quoted = ""
    with open_library(tmp_path / "lib") as library:
        library.add([path])
        for question in (
            "What are the heights of the surges in the nine bays?",
            "How were the experiments designed and performed?",
            "Which surges do bays with a narrow mouth have?",
        ):
            answer = library.ask(question)
            quoted += " ".join(citation.quote for one in answer.statements for citation in one.citations)
    assert "surges of two metres" in quoted
    assert not any(words in quoted for words in ("Table S8", "(DOC)", "Conceived", "Wrote the paper", "no interests"))
