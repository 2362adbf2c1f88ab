"""Symbols of Word, and files under a wrong ending."""

import gzip
import io
import zipfile
from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.text.paragraph import Paragraph
from reportlab.pdfgen.canvas import Canvas

from case_reading import is_refused, prose, read_paper, searchable_text
from conspectus.records import ParsedPaper

BODY = "Gulls nest on flat roofs. They return each spring."


def sym(paragraph: Paragraph, char: str, font: str = "Symbol") -> None:
    run = paragraph.add_run()
    run._r.append(parse_xml(f'<w:sym {nsdecls("w")} w:font="{font}" w:char="{char}"/>'))


def word(path: Path, *symbols: tuple[str, str], where: str = "paragraph") -> Path:
    """A document with a sentence that has these symbols (char, font) in it."""
    document = docx.Document()
    document.add_heading("Gulls of the city", 0)
    document.add_heading("Nests", 1)
    document.add_paragraph(BODY)
    if where == "heading":
        paragraph = document.add_heading("Angle ", 2)
    elif where == "cell":
        paragraph = document.add_table(2, 2).cell(0, 0).paragraphs[0]
        paragraph.add_run("Angle ")
    else:
        paragraph = document.add_paragraph("The angle ")
    for char, font in symbols:
        sym(paragraph, char, font)
    paragraph.add_run(" of the roof was small.")
    document.add_paragraph("Gulls like it flat.")
    document.save(str(path))
    return path


def is_reported(paper: ParsedPaper) -> bool:
    """Whether a warning says that symbols were left out."""
    return any(word in note.lower() for note in paper.warnings for word in ("symbol", "wingdings", "font"))


SYMBOLS = {
    "beta": ("F062", "Symbol", "β"),
    "mu": ("F06D", "Symbol", "μ"),
    "plus or minus": ("F0B1", "Symbol", "±"),
    "degree": ("F0B0", "Symbol", "°"),
    "at least": ("F0B3", "Symbol", "≥"),
    "without the private area": ("0061", "Symbol", "α"),
    "small letters": ("f061", "Symbol", "α"),
    "Delta": ("F044", "Symbol", "Δ"),
    "an arrow": ("F0E0", "Wingdings", "→"),
    "a tick of another font": ("F0FC", "Wingdings", "✔"),
    "a font that nobody knows": ("F041", "House Symbols", "☃"),
}


@pytest.mark.parametrize(("char", "font", "letter"), SYMBOLS.values(), ids=SYMBOLS)
def test_symbols_of_word_are_read_or_reported(tmp_path: Path, char: str, font: str, letter: str) -> None:
    """'5 µg' would become '5 g' without a word."""
    paper = read_paper(word(tmp_path / "symbols.docx", (char, font)))
    text = searchable_text(paper).replace("µ", "μ")
    assert f"The angle {letter} of the roof was small." in text or any(
        "symbol" in note.lower() for note in paper.warnings
    )
    assert font != "Symbol" or f"The angle {letter} of" in text


@pytest.mark.parametrize("where", ["heading", "cell"])
def test_symbols_in_headings_and_cells(tmp_path: Path, where: str) -> None:
    """A table's column would lose its name."""
    paper = read_paper(word(tmp_path / "symbols.docx", ("F061", "Symbol"), ("F062", "Symbol"), where=where))
    cells = " ".join(cell for figure in paper.figures for row in figure.cells for cell in row)
    assert "Angle αβ of the roof" in searchable_text(paper) + cells or is_reported(paper)


def test_runs_in_the_symbol_font(tmp_path: Path) -> None:
    """Older documents have the letter of the private area as text, in a run whose font is Symbol."""
    document = docx.Document()
    document.add_heading("Gulls of the city", 0)
    paragraph = document.add_paragraph("The angle ")
    run = paragraph.add_run("\uf061")
    run.font.name = "Symbol"
    paragraph.add_run(" of the roof was small. " + BODY)
    document.save(str(tmp_path / "old.docx"))
    paper = read_paper(tmp_path / "old.docx")
    assert "The angle α of" in searchable_text(paper) or is_reported(paper)


# Wrong endings


def pdf() -> bytes:
    page = io.BytesIO()
    canvas = Canvas(page, invariant=1)
    canvas.setFont("Times-Bold", 18)
    canvas.drawString(72, 760, "Gulls of the city")
    canvas.setFont("Times-Roman", 11)
    for row, line in enumerate((BODY, "We counted them on forty roofs for six years, from the first of March on.")):
        canvas.drawString(72, 700 - 14 * row, line)
    canvas.save()
    return page.getvalue()


def archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a.txt", "words " * 50)
    return packed.getvalue()


WRONG = {
    "PDF.TXT": pdf,
    "pdf.text": pdf,
    "pdf.md": pdf,
    "pdf.csv": pdf,
    "junk-before.txt": lambda: b"\r\n\r\n" + pdf(),
    "pdf.html": pdf,
    "zip.txt": archive,
    "packed.txt": lambda: gzip.compress(BODY.encode() * 20),
    "picture.txt": lambda: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\2\0\0\0" + bytes(range(256)) * 20,
    "office.md": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000) + "Gulls".encode("utf-16-le") * 50,
}


@pytest.mark.parametrize("file", WRONG)
def test_a_file_under_a_wrong_ending(tmp_path: Path, file: str) -> None:
    """The bytes of a file would be quoted as prose."""
    path = tmp_path / file
    path.write_bytes(WRONG[file]())
    if not is_refused(path):
        paper = read_paper(path)
        assert "Gulls nest on flat roofs." in searchable_text(paper)
        assert "endobj" not in searchable_text(paper) and not any(
            "\0" in text or "%PDF" in text for text in prose(paper)
        )
