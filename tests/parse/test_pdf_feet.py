"""What stands at the heads and feet of pages: it splits no sentence, names the journal, and is not the text."""

from __future__ import annotations

from pathlib import Path

import pytest
from pdf_samples import ABSTRACT, FIRST, SECOND, THIRD, TITLE, Sheet, save

from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import ParsedPaper

HALVES = (
    SECOND[: SECOND.index("Its successor")] + "The second of them",
    "found a warm band near the southern pole. " + THIRD,
)


def pages(feet: list[tuple[float, str]], heads: tuple[str, str] = ("", "")) -> list[Sheet]:
    """Two pages with a sentence that goes over; `feet` (size, text) stand at the first one's end."""
    first, second = Sheet(), Sheet()
    first.put(72, 90, TITLE, "Times-Bold", 17)
    first.put(72, 120, "Ada Lindqvist and Marco di Renzo", "Times-Roman", 11)
    first.put(72, 150, "Abstract", "Times-Bold", 10)
    y = first.paragraph(72, 166, 450, ABSTRACT, size=9)
    first.put(72, y + 14, "1 Introduction", "Times-Bold", 12)
    y = first.paragraph(72, y + 34, 450, FIRST)
    first.paragraph(72, y + 10, 450, HALVES[0])
    y = 740.0
    for size, text in feet:
        first.put(72, y, text, "Helvetica", size)
        y += 1.2 * size
    if heads[1]:
        second.put(72, 60, heads[1], "Helvetica-Bold", 9)
    second.paragraph(72, 90, 450, HALVES[1])
    return [first, second]


def read(path: Path, *sheets: Sheet) -> ParsedPaper:
    return read_pdf(save(path / "paper.pdf", list(sheets)))


def test_a_head_splits_no_sentence(tmp_path: Path) -> None:
    """Lost otherwise: the same, to a head that no other page has."""
    paper = read(tmp_path, *pages([], ("", "Wärme der Monde")))
    assert " ".join(HALVES) in [block.text for block in paper.blocks if block.kind == "paragraph"]


@pytest.mark.parametrize("name", ["Moons", "Gezeiten", "Lunas"])
def test_numbered_headings_at_the_top_of_pages_are_no_running_heads(tmp_path: Path, name: str) -> None:
    """Lost otherwise: headings of one name that begin pages; only numbers that count the pages are furniture."""
    sheets = []
    for number in (1, 3, 5):
        sheet = Sheet()
        sheet.put(72, 90, f"{number} {name}", "Times-Bold", 12)
        sheet.paragraph(72, 120, 450, (FIRST, SECOND, THIRD)[number // 2])
        sheet.put(290, 800, f"page {number // 2 + 1}", "Times-Roman", 8)
        sheets.append(sheet)
    title = Sheet()
    title.put(72, 90, TITLE, "Times-Bold", 17)
    title.paragraph(72, 130, 450, ABSTRACT)
    paper = read(tmp_path, title, *sheets)
    assert [block.text for block in paper.blocks if block.kind == "heading"] == [f"{n} {name}" for n in (1, 3, 5)]
    assert not any("page" in block.text for block in paper.blocks if len(block.text) < 9)


def test_lines_of_text_at_one_place_on_two_pages_are_no_running_heads(tmp_path: Path) -> None:
    """Lost otherwise: the first line of paragraphs that are the same on several pages, as of forms and protocols."""
    title = Sheet()
    title.put(72, 90, TITLE, "Times-Bold", 17)
    title.paragraph(72, 130, 450, ABSTRACT)
    sheets = [Sheet(), Sheet()]
    for sheet, text in zip(sheets, (SECOND, THIRD), strict=True):
        sheet.paragraph(72, sheet.paragraph(72, 80, 450, FIRST) + 10, 450, text)
    paper = read(tmp_path, title, *sheets)
    assert [block.text for block in paper.blocks].count(FIRST) == 2
