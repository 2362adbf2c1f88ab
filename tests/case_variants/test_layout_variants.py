"""What is printed around the text, between it and behind it: footers, equations, figures, line numbers, back matter."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from variant_pdfs import BOLD, SANS, WIDTH, Drawing, wrap

from case_reading import prose, searched
from conspectus.records import ParsedPaper
from helpers import open_library

TITLE = "Storm surges in narrow bays"
ABSTRACT = (
    "Storm surges are higher in narrow bays than on open coasts. We modelled nine bays with a grid of fifty metres. "
    "The width of the mouth explains most of the difference."
)
PARTS = [
    "Storms push water into a bay faster than it can leave. The mouth of the bay acts as a valve. Old engineers knew "
    "this and built their harbours in wide bays. Newer harbours were built where land was cheap.",
    "We used a model of shallow water with friction at the bottom. The wind was that of four storms. Each run lasted "
    "six days of model time. The first two days were left out because the model had to settle.",
    "Bays with a mouth of less than a kilometre had surges of two metres. Wider bays had surges of one metre. The "
    "depth of the bay mattered less than we had expected. Rivers did not matter at all in our runs.",
    "A simple rule follows for planners. The height of a surge is inversely proportional to the width of the mouth "
    "where that is small. The rule fails for bays with islands. It should be tested with measurements.",
]
SPLIT = (
    "The measured heights of the last forty years were defined by the mean of the three highest gauges in each of the "
    "bays, which were read every hour by the same observer, and they agree with the model within ten centimetres.",
    "Pressure alone would lift the sea by no more than half a metre, even under the deepest of the four storms, so "
    "that the wind has to explain the rest, and in the narrow bays the friction at the bottom hardly slows it.",
)
Footer = Callable[[Drawing, int], None]


def front(page: Drawing) -> float:
    page.centre(90, TITLE, 17, BOLD)
    page.centre(114, "Greta Holm and Tomás Ruiz", 11)
    page.text(70, 145, "Abstract", 11, BOLD)
    y = page.paragraph(70, 160, WIDTH - 140, ABSTRACT)
    page.text(70, y + 16, "1 Introduction", 12, BOLD)
    return y + 34


def rescience(page: Drawing, number: int) -> None:
    page.text(70, 790, "ReScience C 4.1 (#2) – Holm and Ruiz 2018", 8, SANS)
    page.right(WIDTH - 70, 790, str(number), 8, SANS)


def archive(page: Drawing, number: int) -> None:
    page.paragraph(
        70, 770, WIDTH - 140,
        "The code is available at https://git.example/bays – SWH swh:1:dir:7a6bc00f1e2d3c4b5a69788796a5b4c3d2e1f00"
        f"{number}; origin=https://git.example/bays; anchor=swh:1:rev:0123456789abcdef",
        size=7, font=SANS,
    )  # fmt: skip
    page.text(70, 800, f"ReScience C 4.1 (#2) – Holm and Ruiz 2018 {number}", 8, SANS)


def download(page: Drawing, number: int) -> None:
    page.text(70, 800, f"Downloaded from https://bays.example/article/31/2 by guest on 0{number} March 2020", 7, SANS)


def water(page: Drawing, number: int) -> None:
    page.text(70, 45, "Water 2018, 10, 345" if number > 1 else "Water 2018, 10, 345; doi:10.5555/w10030345", 8, SANS)
    page.right(WIDTH - 70, 45, f"{number} of 9", 8, SANS)


def frontiers(page: Drawing, number: int) -> None:
    page.text(70, 800, "Frontiers in Marine Science | www.frontiersin.example", 7, SANS)
    page.centre(800, str(number), 7, SANS)
    page.right(WIDTH - 70, 800, "March 2018 | Volume 5 | Article 31", 7, SANS)


def plos(page: Drawing, number: int) -> None:
    page.text(70, 800, "PLOS ONE | https://doi.org/10.5555/journal.pone.0190031  March 5, 2018", 7, SANS)
    page.right(WIDTH - 70, 800, f"{number} / 9", 7, SANS)


def joss(page: Drawing, number: int) -> None:
    page.paragraph(
        70, 780, WIDTH - 200,
        f"Holm et al., (2018). {TITLE}. Journal of Open Source Software, 3(25), 731. https://doi.org/10.5555/joss.00731",
        size=7, font=SANS,
    )  # fmt: skip
    page.right(WIDTH - 70, 780, str(number), 7, SANS)


def elife(page: Drawing, number: int) -> None:
    page.text(70, 800, "Holm and Ruiz. eLife 2018;7:e31031. DOI: https://doi.org/10.5555/eLife.31031", 7, SANS)
    page.right(WIDTH - 70, 800, f"{number} of 9", 7, SANS)


def rights(page: Drawing, number: int) -> None:
    """What stands once, under the text of the first page."""
    rescience(page, number)
    lines = (
        "Copyright © 2018 G. Holm and T. Ruiz, released under a Creative Commons Attribution 4.0 license.",
        "Correspondence should be addressed to Greta Holm (greta@dike.example)",
        "The authors have declared that no competing interests exist.",
        "Code is available at https://git.example/bays.",
        " – SWH swh:1:dir:7a6bc00f1e2d3c4b5a69788796a5b4c3d2e1f00a;origin=https://git.example/bays;",
    )
    for row, line in enumerate(lines if number == 1 else ()):
        page.text(70, 728 + 9 * row, line, 7, SANS)


def grant(page: Drawing, number: int) -> None:
    """A note under a rule on the first page, close to the text."""
    joss(page, number)
    if number == 1:
        page.canvas.line(70, page.height - 716, 200, page.height - 716)
        page.text(70, 726, "∗ This work was supported by the Dike Society. E-mail: greta@dike.example", 8)
        page.text(70, 736, "Received 5 March 2018; accepted 9 June 2018", 8)


def signature(page: Drawing, number: int) -> None:
    """An id in the size of the text, on the first page only."""
    if number == 1:
        page.text(70, 745, "– SWH swh:1:dir:7a6bc00f1e2d3c4b5a69788796a5b4c3d2e1f00a", 9.5)
    page.centre(800, str(number), 9)


FOOTERS: dict[str, tuple[Footer, str]] = {
    "rescience": (rescience, "ReScience C"),
    "an archive's id in two lines": (archive, "ReScience C"),
    "who downloaded it": (download, ""),
    "a head with the journal": (water, "Water"),
    "three parts": (frontiers, "Frontiers in Marine Science"),
    "journal and address": (plos, "PLOS ONE"),
    "a whole citation": (joss, "Journal of Open Source Software"),
    "names and journal": (elife, "eLife"),
    "rights once, then the journal": (rights, "ReScience C"),
    "a note of a grant": (grant, "Journal of Open Source Software"),
    "an id as large as the text": (signature, ""),
}


def fill(page: Drawing, y: float, text: str) -> None:
    """Paragraphs down to the foot of the page; the last is the first line of `text`."""
    number = 0
    while y < 690:
        y = page.paragraph(70, y, WIDTH - 140, PARTS[number % 4], indent=12)
        number += 1
    page.text(82, y, wrap(text, WIDTH - 140, indent=12)[0])


def go_on(page: Drawing, text: str) -> float:
    y = 80.0
    for line in wrap(text, WIDTH - 140, indent=12)[1:]:
        page.text(70, y, line)
        y += 12.5
    return y


def paper_with(page: Drawing, footer: Footer) -> None:
    """A paper of three pages; a sentence goes on from the first to the second, and from the second to the third."""
    fill(page, front(page), SPLIT[0])
    footer(page, 1)
    page.page()
    y = page.paragraph(70, go_on(page, SPLIT[0]), WIDTH - 140, PARTS[2], indent=12)
    page.text(70, y + 16, "2 Methods", 12, BOLD)
    fill(page, y + 34, SPLIT[1])
    footer(page, 2)
    page.page()
    page.paragraph(70, go_on(page, SPLIT[1]), WIDTH - 140, PARTS[3], indent=12)
    footer(page, 3)


@pytest.mark.parametrize(("footer", "venue"), FOOTERS.values(), ids=FOOTERS)
def test_a_footer_does_not_split_a_sentence(tmp_path: Path, footer: Footer, venue: str) -> None:
    """The sentence could not be quoted, and a footer would be quoted as part of it."""
    page = Drawing(tmp_path / "footer.pdf")
    paper_with(page, footer)
    text = searched(page.read())
    assert all(sentence in text for sentence in SPLIT), text
    assert "swh:1" not in text and "Downloaded from" not in text and "2 of 9" not in text


@pytest.mark.parametrize("name", [name for name, (_, venue) in FOOTERS.items() if venue])
def test_the_journal_of_a_footer(tmp_path: Path, name: str) -> None:
    """A citation would name no journal, and an exported reference would be of an unknown kind."""
    footer, venue = FOOTERS[name]
    page = Drawing(tmp_path / "venue.pdf")
    paper_with(page, footer)
    assert page.read().metadata.venue == venue


@pytest.mark.usefixtures("quick_pool")
def test_the_journal_of_a_footer_is_exported(tmp_path: Path) -> None:
    """BibTeX would get an entry of the kind 'misc'."""
    page = Drawing(tmp_path / "export.pdf")
    paper_with(page, rescience)
    page.read()
    text = io.StringIO()
    with open_library(tmp_path / "lib") as library:
        library.add([tmp_path / "export.pdf"])
        library.export("bibtex", text)
    assert "@article{" in text.getvalue() and "ReScience C" in text.getvalue()


def test_a_note_under_a_column_does_not_split_a_sentence(tmp_path: Path) -> None:
    """The first column of most first pages ends with a note; the sentence goes on in the second."""
    page = Drawing(tmp_path / "columns.pdf")
    width = (WIDTH - 120) / 2
    top = y = front(page)
    lines = [line for part in (*PARTS, *PARTS, PARTS[0]) for line in wrap(part, width, size=9)]
    room = int((690 - top) / 11.25) - 3
    text = lines[:room] + wrap(SPLIT[0], width, size=9)
    for line in text[: room + 3]:
        page.text(50, y, line, 9)
        y += 11.25
    page.canvas.line(50, page.height - 716, 120, page.height - 716)
    page.paragraph(50, 728, width, "G. Holm is with the Dike Institute, Husum. T. Ruiz is with the Marsh Lab.", size=7)
    page.text(50, 750, "Digital Object Identifier 10.5555/bays.2018.31", 7)
    y = top
    for line in text[room + 3 :]:
        page.text(70 + width, y, line, 9)
        y += 11.25
    page.paragraph(70 + width, y, width, SPLIT[1], size=9, indent=10)
    text = searched(page.read())
    assert SPLIT[0] in text and SPLIT[1] in text


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
    assert all(part in searched(paper) for part in PARTS)


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


def numbered(page: Drawing, step: int, side: str, *, restart: bool, columns: int = 1) -> None:
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
        if columns == 1:
            draw(80, top, PARTS, mark(45 if side == "left" else WIDTH - 60))
        else:
            draw(70, top, PARTS[:2], mark(50))
            draw(100 + width, top, PARTS[2:], mark(WIDTH - 70))
        page.page()


NUMBERS = {
    "every fifth, right, from one on each page": (5, "right", True, 1),
    "every fifth, left": (5, "left", False, 1),
    "every line, right": (1, "right", False, 1),
    "every tenth, right": (10, "right", False, 1),
    "every fifth, two columns": (5, "both", False, 2),
}


@pytest.mark.parametrize(("step", "side", "restart", "columns"), NUMBERS.values(), ids=NUMBERS)
def test_line_numbers_are_no_text(tmp_path: Path, step: int, side: str, restart: bool, columns: int) -> None:
    """A manuscript's sentences would have numbers between their words."""
    page = Drawing(tmp_path / "lines.pdf")
    numbered(page, step, side, restart=restart, columns=columns)
    paper = page.read()
    assert not any(re.fullmatch(r"[\d\s]+", text) for text in prose(paper))
    assert_no_numbers(paper)
    assert all(searched(paper).count(part) == 2 for part in PARTS)


def assert_no_numbers(paper: ParsedPaper) -> None:
    text = searched(paper).replace("1 Introduction", "")
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
