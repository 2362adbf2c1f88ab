"""Covers of publishers and repositories: the paper is the one behind them, and what they say of it is used."""

from __future__ import annotations

from pathlib import Path

import pytest
from pdf_samples import ABSTRACT, FIRST, SECOND, THIRD, TITLE, Sheet, save

from conspectus.parse.pdf.lines import Usual
from conspectus.parse.pdf.page_text import LineGroup, PaintedStyle, PdfLine, Word
from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.pdf.title_page import TitleFinder, count_covers
from conspectus.records import ParsedPaper

NAMES = "Ada Lindqvist and Marco di Renzo"
Said = tuple[float, str]


def cover(lines: list[Said]) -> Sheet:
    """A page of lines, each of a size; those larger than the text are bold."""
    sheet, y = Sheet(), 80.0
    for size, text in lines:
        y = 8 + sheet.paragraph(60, y, 470, text, font="Helvetica-Bold" if size > 12 else "Helvetica", size=size)
    return sheet


def article(*, names: str = NAMES, abstract: bool = True) -> Sheet:
    sheet = Sheet()
    sheet.put(72, 90, TITLE, "Times-Bold", 17)
    y = 120.0
    if names:
        sheet.put(72, y, names, "Times-Roman", 11)
        sheet.put(72, y + 14, "Institute of Moons, University of Nowhere", "Times-Italic", 9)
        y += 40
    if abstract:
        sheet.put(72, y, "Abstract", "Times-Bold", 10)
        y = sheet.paragraph(72, y + 14, 450, ABSTRACT, size=9) + 10
    sheet.put(72, y, "1 Introduction", "Times-Bold", 12)
    for text in (FIRST, SECOND, THIRD):
        y = sheet.paragraph(72, y + 18, 450, text)
    return sheet


def read(path: Path, *sheets: Sheet) -> ParsedPaper:
    return read_pdf(save(path / "paper.pdf", list(sheets)))


def test_a_title_page_gives_the_authors_that_the_article_lacks(tmp_path: Path) -> None:
    """Lost otherwise: the authors of manuscripts for blind review."""
    paper = read(tmp_path, cover([(16, TITLE), (12, NAMES), (10, "Word count: 4321")]), article(names=""))
    assert [author.name for author in paper.metadata.authors] == ["Ada Lindqvist", "Marco di Renzo"]
    assert paper.metadata.abstract == ABSTRACT


def test_a_first_page_whose_title_a_later_page_repeats_is_no_cover(tmp_path: Path) -> None:
    """Lost otherwise: the first page of an article whose supplement has the same title."""
    later = Sheet()
    later.put(72, 90, TITLE, "Times-Bold", 17)
    later.paragraph(72, 130, 450, SECOND)
    paper = read(tmp_path, article(), later)
    assert FIRST in [block.text for block in paper.blocks]
    assert paper.metadata.abstract == ABSTRACT


def groups(page: int, said: list[Said]) -> list[LineGroup]:
    """One group a text, each of one line of a size, from the top of a page."""
    styles = [PaintedStyle("Times", size, bold=False, italic=False) for size, _ in said]
    return [
        LineGroup(
            [
                PdfLine(
                    page,
                    [Word(word, 72 + 9 * at, 80 + 9 * at, 60.0 + 30 * row, style) for at, word in enumerate(words)],
                )
            ]
        )
        for row, (style, words) in enumerate(zip(styles, (text.split() for _, text in said), strict=True))
    ]


@pytest.mark.parametrize(("size", "covers"), [(17, 1), (10.5, 0), (10, 0), (8, 0)])
def test_a_running_head_with_the_title_makes_no_cover_of_the_page_before(size: float, covers: int) -> None:
    """Lost otherwise: the first page of every article with little text on it and its title over each page."""
    first = groups(1, [(17, TITLE), (11, NAMES), (10, "Abstract"), (10, ABSTRACT)])
    second = groups(2, [(size, TITLE), (11, NAMES), (10, FIRST), (10, SECOND), (10, THIRD)])
    finder = TitleFinder(Usual(10, 12, "Times", bold=False), 842, (), frozenset())
    found = finder.find(second)
    assert found is not None and found.text == TITLE, "else the size decides nothing"
    assert count_covers([first, second], finder) == covers
