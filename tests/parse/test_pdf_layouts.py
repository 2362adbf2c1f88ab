"""Layouts of journals that the typeset documents do not have: each test is a fault that was met in other papers."""

from __future__ import annotations

from pathlib import Path

import pdf_samples as samples
import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth

from conspectus.parse.pdf.block_text import DocumentWords
from conspectus.parse.pdf.furniture import find_line_numbers
from conspectus.parse.pdf.glyphs import _guess_code
from conspectus.parse.pdf.lines import rejoin
from conspectus.parse.pdf.page_text import PageFrame, PaintedStyle, PdfLine, PdfPageText, Word
from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import ParsedPaper

LEFT, WIDTH = 90.0, 400.0
PROSE = (
    "The level of the lake was read every morning from a staff that had been fixed to the pier in the year before, and "
    "the readings were entered in a book. In the winter the staff was often covered with ice and could not be read."
)
STYLE = PaintedStyle("Times-Roman", 10.0, False, False)


def texts(paper: ParsedPaper, kind: str) -> list[str]:
    return [block.text for block in paper.blocks if block.kind == kind]


def first_page() -> tuple[samples.Sheet, float]:
    """A page with a title and an author, and where it goes on."""
    sheet = samples.Sheet()
    sheet.put(LEFT, 80, "The level of a lake in winter", "Times-Bold", 16)
    sheet.put(LEFT, 105, "Anna Berg and Ivo Stein", "Times-Roman", 11)
    return sheet, 140.0


def test_a_column_of_powers_is_no_reason_to_fail() -> None:
    """`²` is a digit to Python and no number: a whole file was not read for such an axis."""
    words = [Word(text, 50, 60, 100.0 + 20 * i, STYLE) for i, text in enumerate(("²", "³", "4", "5", "6", "7"))]
    assert not find_line_numbers([PdfPageText(1, PageFrame((0, 0, 600, 800), 0, 0), words=words)])


def test_a_list_of_contents_is_left_out(tmp_path: Path) -> None:
    """Its last row is `References`: all that follows was taken for the reference list."""
    sheet, y = first_page()
    sheet.put(LEFT, y, "Contents", "Times-Bold", 12)
    for i, name in enumerate(("1 Introduction", "2 Readings", "3 Results", "References")):
        sheet.put(LEFT, y + 15 * (i + 1), name)
        sheet.put(LEFT + WIDTH - 10, y + 15 * (i + 1), str(3 * i + 1))
    sheet.put(LEFT, 260, "1 Introduction", "Times-Bold", 12)
    sheet.paragraph(LEFT, 280, WIDTH, PROSE)
    paper = read_pdf(samples.save(tmp_path / "contents.pdf", [sheet]))
    assert texts(paper, "heading") == ["1 Introduction"]
    assert texts(paper, "paragraph") == [PROSE]


def test_a_centred_heading_right_above_its_text(tmp_path: Path) -> None:
    """In the astronomers' and physicists' journals no section would be found."""
    sheet, y = first_page()
    for name in ("1. THE STAFF", "2. THE ICE"):
        sheet.put(LEFT + WIDTH / 2 - 35, y, name)
        y = sheet.paragraph(LEFT, y + 14, WIDTH, PROSE + " " + PROSE, indent=12) + 12
    paper = read_pdf(samples.save(tmp_path / "centred.pdf", [sheet]))
    assert texts(paper, "heading") == ["1. THE STAFF", "2. THE ICE"]


def test_numbered_headings_that_run_in(tmp_path: Path) -> None:
    """Mathematicians set their subsections so; they would all be lost."""
    sheet, y = first_page()
    sheet.put(LEFT, y, "1. Readings", "Times-Bold", 12)
    y += 20
    for number, name in (("1.1.", "The staff."), ("1.2.", "The snow.")):
        sheet.put(LEFT, y, number)
        sheet.put(LEFT + 20, y, name, "Times-Bold")
        behind = LEFT + 23 + stringWidth(name, "Times-Bold", 10)
        sheet.put(behind, y, "What was read from it every morning was entered in a book")
        y = sheet.paragraph(LEFT, y + samples.LEADING, WIDTH, PROSE) + 10
    paper = read_pdf(samples.save(tmp_path / "runin.pdf", [sheet]))
    headings = [(block.text, block.level) for block in paper.blocks if block.kind == "heading"]
    assert headings == [("1. Readings", 1), ("1.1. The staff.", 2), ("1.2. The snow.", 2)]


def test_a_footnote_under_the_references_is_none_of_them(tmp_path: Path) -> None:
    """The last entry of the list would have the footnote's words."""
    sheet, y = first_page()
    sheet.put(LEFT, y, "1 Introduction", "Times-Bold", 12)
    y = sheet.paragraph(LEFT, y + 20, WIDTH, PROSE + " " + PROSE) + 20
    sheet.put(LEFT, y, "References", "Times-Bold", 12)
    for i, name in enumerate(("Berg", "Holm", "Stein")):
        sheet.put(LEFT, y + 20 + 12 * i, f"{name}, A. ({1990 + i}). A book of readings. Lake Press.")
    samples_at = 700.0
    sheet.put(LEFT, samples_at - 3, "1", "Times-Roman", 6)
    sheet.put(LEFT + 4, samples_at, "The book is kept in the town hall and may be seen there by anybody.", size=8)
    paper = read_pdf(samples.save(tmp_path / "note.pdf", [sheet]))
    notes = [(block.label, block.text) for block in paper.blocks if block.kind == "footnote"]
    assert notes == [("1", "The book is kept in the town hall and may be seen there by anybody.")]
    assert len(texts(paper, "reference")) == 3


def test_a_short_abstract_without_a_name(tmp_path: Path) -> None:
    """What stands between the names and the first heading would be lost."""
    sheet, y = first_page()
    sheet.put(LEFT + 20, y, "This is a report of what was read from the staff in the winter of that year.", size=9)
    sheet.put(LEFT, y + 40, "1 Introduction", "Times-Bold", 12)
    sheet.paragraph(LEFT, y + 60, WIDTH, PROSE)
    paper = read_pdf(samples.save(tmp_path / "short.pdf", [sheet]))
    assert paper.metadata.abstract == "This is a report of what was read from the staff in the winter of that year."


def test_names_between_places_of_work(tmp_path: Path) -> None:
    """Where every author has an address below, only the first would be found."""
    sheet = samples.Sheet()
    sheet.put(LEFT, 80, "The level of a lake in winter", "Times-Bold", 16)
    for i, name in enumerate(("Anna Berg", "Ivo Stein", "Mia Holm")):
        sheet.put(LEFT, 105 + 30 * i, name, "Times-Roman", 11)
        sheet.put(LEFT, 117 + 30 * i, "Institute of Lakes, Northern University", "Times-Italic", 9)
    sheet.put(LEFT, 230, "1 Introduction", "Times-Bold", 12)
    sheet.paragraph(LEFT, 250, WIDTH, PROSE)
    paper = read_pdf(samples.save(tmp_path / "names.pdf", [sheet]))
    assert [author.name for author in paper.metadata.authors] == ["Anna Berg", "Ivo Stein", "Mia Holm"]


def test_ligatures_of_bitmap_fonts() -> None:
    """`coefficient` would be read as `coecient` in older papers."""
    assert _guess_code([ord("e"), 0x1E, ord("c")], 1) == 0xFB03
    assert _guess_code([ord("("), 0x1E, ord(")")], 1) == 0x1E


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("near", "universally", True),
        ("charge", "balancing", True),
        ("statically", "typed", True),
        ("third", "party", True),
        ("binary", "cross-entropy", True),
        ("DESCRIP", "TIVE", False),
        ("measure", "ments", False),
        ("straight", "forward", False),
        ("three", "fold", False),
    ],
)
def test_compounds_by_their_form(first: str, second: str, kept: bool) -> None:
    """A compound that the paper has nowhere else would be searched for in vain."""
    assert DocumentWords([]).keeps_hyphen(first, second) is kept


def test_a_widely_justified_line_is_one() -> None:
    """In narrow columns without hyphens such lines fell to pieces and were taken for a table's cells."""
    full = [Word(text, x, x + 40, 100, STYLE) for text, x in (("readings", 50), ("were", 93), ("entered", 136))]
    wide = [PdfLine(1, [Word(text, x, x + 20, 112, STYLE)]) for text, x in (("from", 50), ("the", 103), ("lake", 156))]
    assert [line.text for line in rejoin([PdfLine(1, full), *wide], ())] == ["readings were entered", "from the lake"]


def test_a_title_may_begin_with_an_article(tmp_path: Path) -> None:
    """`A New …` looks like the letter of an appendix; the address below would be called the title."""
    sheet = samples.Sheet()
    sheet.put(LEFT, 80, "A New Reading of a Lake", "Times-Bold", 12)
    sheet.put(LEFT, 105, "Anna Berg and Ivo Stein", "Times-Roman", 11)
    sheet.put(LEFT, 120, "Institute of Lakes, Northern University", "Times-Italic", 9)
    sheet.put(LEFT, 160, "1 Introduction", "Times-Bold", 12)
    sheet.paragraph(LEFT, 180, WIDTH, PROSE)
    paper = read_pdf(samples.save(tmp_path / "article.pdf", [sheet]))
    assert paper.metadata.title == "A New Reading of a Lake"
