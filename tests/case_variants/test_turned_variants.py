"""Pages and tables that are turned: lines are read in the order in which somebody who turns the page reads them."""

import re
from collections.abc import Callable
from pathlib import Path

import pypdfium2
import pytest
from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from variant_pdfs import BOLD, SERIF, wrap

from case_reading import read_paper, searchable_text
from conspectus.records import ParsedPaper

TITLE = "Ferries between the outer islands"
ABSTRACT = (
    "The ferries of the outer islands run by a timetable of 1931. We compared it with the passengers of today. Most "
    "boats leave when nobody wants to travel. A timetable made of the counts would save one boat in four."
)
FIRST = (
    "Nine islands are joined by eleven lines. The oldest line was opened for the mail and still stops at every pier. "
    "The newest was built for tourists and runs in summer only. Between them nobody has counted since the war."
)
SECOND = (
    "We counted at all piers during two weeks of March. Each passenger was asked for the pier of departure and the "
    "pier of arrival. School classes were counted as one. The counts were repeated in July by the same students."
)
THIRD = (
    "The morning boats were empty and the boats at noon were full. Two lines carried more than half of everybody. The "
    "July counts were three times those of March on the southern lines and unchanged in the north."
)
SENTENCES = [part + "." for text in (ABSTRACT, FIRST, SECOND, THIRD) for part in re.split(r"\.\s*", text) if part]
Draw = Callable[[float, float, str, float, str], None]
"""Draw a text at x, y from the top left corner of the sheet as it is read: text, size, font."""


def upright(canvas: Canvas, height: float) -> Draw:
    def draw(x: float, y: float, text: str, size: float = 10.0, font: str = SERIF) -> None:
        canvas.setFont(font, size)
        canvas.drawString(x, height - y, text)

    return draw


def turned(canvas: Canvas, degrees: int, width: float, height: float) -> Draw:
    """Draw a sheet of this width and height, turned anticlockwise on the page, each text by its own matrix."""
    cosine, sine = {90: (0, 1), 180: (-1, 0), 270: (0, -1)}[degrees]
    left, bottom = {90: (height, 0), 180: (width, height), 270: (0, width)}[degrees]

    def draw(x: float, y: float, text: str, size: float = 10.0, font: str = SERIF) -> None:
        up = height - y
        words = canvas.beginText()
        words.setFont(font, size)
        words.setTextTransform(
            cosine, sine, -sine, cosine, left + x * cosine - up * sine, bottom + x * sine + up * cosine
        )
        words.textOut(text)
        canvas.drawText(words)

    return draw


def paragraph(draw: Draw, x: float, y: float, width: float, text: str, size: float = 10.0) -> float:
    for line in wrap(text, width, SERIF, size):
        draw(x, y, line, size, SERIF)
        y += size * 1.3
    return y


def paper(draw: Draw, width: float, *, columns: int = 1) -> None:
    draw((width - stringWidth(TITLE, BOLD, 16)) / 2, 70, TITLE, 16, BOLD)
    draw(width / 2 - 70, 92, "Ida Berg and Wei Li", 11, SERIF)
    draw(60, 120, "Abstract", 11, BOLD)
    y = paragraph(draw, 60, 136, width - 120, ABSTRACT)
    draw(60, y + 14, "1 Introduction", 12, BOLD)
    if columns == 1:
        y = paragraph(draw, 60, y + 32, width - 120, FIRST)
        draw(60, y + 14, "2 Methods", 12, BOLD)
        y = paragraph(draw, 60, y + 32, width - 120, SECOND)
        paragraph(draw, 60, y + 8, width - 120, THIRD)
    else:
        column = (width - 140) / 2
        last = paragraph(draw, 60, y + 32, column, FIRST)
        draw(60, last + 14, "2 Methods", 12, BOLD)
        paragraph(draw, 60, last + 32, column, SECOND)
        paragraph(draw, 80 + column, y + 14, column, THIRD)


def assert_read_in_order(found: ParsedPaper) -> None:
    assert found.metadata.title == TITLE
    assert found.metadata.abstract.startswith(ABSTRACT)
    text, place = searchable_text(found), 0
    for sentence in SENTENCES:
        at = text.find(sentence, place)
        assert at >= 0, f"lost or out of order: {sentence}\n{text}"
        place = at
    assert_sentences_exist(found, SENTENCES)


def assert_sentences_exist(found: ParsedPaper, real: list[str]) -> None:
    """Every sentence that could be quoted is one of the paper's own."""
    known = " ".join([*real, TITLE])
    for block in found.blocks:
        if block.kind in ("abstract", "paragraph"):
            for sentence in block.sentences:
                assert block.text[sentence.start : sentence.end] in known


def set_page(canvas: Canvas, size: tuple[float, float], degrees: int, way: str) -> None:
    """Set the size of the page before it is turned; reportlab swaps the sides of pages that it turns by a quarter."""
    sides = size[::-1] if degrees in (90, 270) else size
    canvas.setPageSize(size if way == "both" else sides)
    if way in ("page", "both"):
        canvas.setPageRotation(degrees)


SHEETS = {
    "turned by the page, 90": (90, "page", A4, 1),
    "turned by the page, 180": (180, "page", A4, 1),
    "turned by the page, 270": (270, "page", A4, 1),
    "turned by the page, two columns": (270, "page", A4, 2),
    "drawn turned, 90": (90, "text", landscape(A4), 1),
    "drawn turned, 180": (180, "text", A4, 1),
    "drawn turned, 270": (270, "text", landscape(A4), 1),
    "drawn turned, two columns": (90, "text", landscape(A4), 2),
    "turned by a matrix of the page's": (90, "matrix", landscape(A4), 1),
    "drawn turned and turned back": (90, "both", landscape(A4), 1),
}


@pytest.mark.parametrize(("degrees", "way", "size", "columns"), SHEETS.values(), ids=SHEETS)
def test_whole_papers_that_are_turned(
    tmp_path: Path, degrees: int, way: str, size: tuple[float, float], columns: int
) -> None:
    """Sentences that do not exist would be quoted: the end of one line joined to the beginning of the line above."""
    width, height = size
    canvas = Canvas(str(tmp_path / "turned.pdf"), invariant=1)
    set_page(canvas, size, degrees, way)
    if way == "page":
        draw = upright(canvas, height)
    elif way == "matrix":
        canvas.translate(height, 0)
        canvas.rotate(90)
        draw = upright(canvas, height)
    else:
        draw = turned(canvas, degrees, width, height)
    paper(draw, width, columns=columns)
    canvas.save()
    assert_read_in_order(read_paper(tmp_path / "turned.pdf"))


ROWS = [
    ("Line", "Opened", "March", "July"),
    ("Mail line", "1887", "412", "455"),
    ("Southern line", "1931", "208", "640"),
    ("Harbour line", "1964", "77", "233"),
    ("Northern line", "1902", "95", "96"),
]
CAPTION = "Table 1. Passengers of four lines in two weeks of March and of July."


@pytest.mark.parametrize("degrees", [90, 270])
def test_a_turned_table_between_upright_text(tmp_path: Path, degrees: int) -> None:
    """A wide table on its side would be read upside down, or take the text around it along."""
    width, height = A4
    canvas = Canvas(str(tmp_path / "table.pdf"), pagesize=A4, invariant=1)
    draw = upright(canvas, height)
    paper(draw, width)
    canvas.showPage()
    side = turned(canvas, degrees, height, width)
    side(120, 100, CAPTION, 10, SERIF)
    for row, cells in enumerate(ROWS):
        for column, cell in enumerate(cells):
            side(120 + 130 * column, 130 + 18 * row, cell, 10, BOLD if row == 0 else SERIF)
    canvas.showPage()
    after = "The empty boats could be sold. The islands would then have one boat in reserve for storms."
    paragraph(upright(canvas, height), 60, 80, width - 120, after)
    canvas.save()
    found = read_paper(tmp_path / "table.pdf")
    assert_sentences_in_order(found, [*SENTENCES, CAPTION.split(". ", 1)[1], after])
    cells = [" ".join(row) for figure in found.figures for row in figure.cells]
    words = " ".join(cells) + " " + searchable_text(found)
    for first, *others in ROWS[1:]:
        assert re.search(rf"{first}\W+(?:\w+\W+)?{others[0]}\b", words), words
    assert words.find("Mail line") < words.find("Southern line") < words.find("Northern line")


def assert_sentences_in_order(found: ParsedPaper, sentences: list[str]) -> None:
    text = searchable_text(found)
    for sentence in sentences:
        assert sentence in text, f"lost: {sentence}\n{text}"


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_turned_page_among_upright_ones(tmp_path: Path, degrees: int) -> None:
    """An appendix on its side would be read from its last line to the first."""
    canvas = Canvas(str(tmp_path / "appendix.pdf"), pagesize=A4, invariant=1)
    paper(upright(canvas, A4[1]), A4[0])
    canvas.showPage()
    set_page(canvas, A4, degrees, "page")
    appendix = (
        "The questions were asked in three languages. Answers without a pier were left out. The forms are kept in the "
        "archive of the harbour office. Students were paid by the hour. Nobody refused to answer."
    )
    draw = upright(canvas, A4[1])
    draw(60, 80, "Appendix", 13, BOLD)
    paragraph(draw, 60, 104, A4[0] - 240, appendix)
    canvas.save()
    found = read_paper(tmp_path / "appendix.pdf")
    sentences = [part + "." for part in re.split(r"\.\s*", appendix) if part]
    assert_sentences_in_order(found, [*SENTENCES, appendix])
    assert_sentences_exist(found, [*SENTENCES, *sentences])


def test_turned_words_at_the_margin_stay_apart(tmp_path: Path) -> None:
    """A stamp along the margin would be mixed into the lines beside it."""
    canvas = Canvas(str(tmp_path / "stamp.pdf"), pagesize=A4, invariant=1)
    paper(upright(canvas, A4[1]), A4[0])
    stamp = "Posted on the island archive, 5 March 2019. The copyright holder is the author."
    turned(canvas, 90, A4[1], A4[0])(150, 30, stamp, 9, SERIF)
    canvas.save()
    found = read_paper(tmp_path / "stamp.pdf")
    assert_sentences_in_order(found, SENTENCES)
    assert_sentences_exist(found, [*SENTENCES, stamp])


@pytest.mark.parametrize("name", ["turned by the page, 90", "drawn turned, 270", "drawn turned, two columns"])
def test_words_of_a_quotation_are_where_it_says(tmp_path: Path, name: str) -> None:
    """The page shown for a citation would highlight other words."""
    degrees, way, (width, height), columns = SHEETS[name]
    canvas = Canvas(str(tmp_path / "places.pdf"), invariant=1)
    set_page(canvas, (width, height), degrees, way)
    draw = upright(canvas, height) if way == "page" else turned(canvas, degrees, width, height)
    paper(draw, width, columns=columns)
    canvas.save()
    found = read_paper(tmp_path / "places.pdf")
    (page,) = pypdfium2.PdfDocument(str(tmp_path / "places.pdf"))
    shown = page.get_size()
    quoted = [(block, sentence) for block in found.blocks if block.kind == "paragraph" for sentence in block.sentences]
    assert quoted
    for block, sentence in quoted:
        said = "".join(block.text[sentence.start : sentence.end].split())
        letters = 0
        for place in sentence.places:
            x0, y0, x1, y1 = place.rect
            assert -1 <= x0 <= x1 <= shown[0] + 1 and -1 <= y0 <= y1 <= shown[1] + 1
            longest, least = max(x1 - x0, y1 - y0), min(x1 - x0, y1 - y0)
            letters += round(longest / 5.6)
            assert least < 25, "a rectangle over several lines"
        assert 0.6 < letters / len(said) < 1.8
