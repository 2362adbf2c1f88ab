"""Who and what a PDF's paper is: the front matter of its first page, in the ways journals print it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.parse.pdf_samples import ABSTRACT, FIRST, SECOND, THIRD, TITLE, Sheet, save

from conspectus.parse.pdf import read_pdf
from conspectus.records import ParsedPaper


def front(names: list[str], below: list[str] = [], after: list[str] = []) -> Sheet:  # noqa: B006
    """A first page: title, the names' lines, lines below them, an abstract, lines after it, and text."""
    sheet = Sheet()
    sheet.put(72, 90, TITLE, "Times-Bold", 17)
    y = 120.0
    for line in names:
        sheet.put(72, y, line, "Times-Roman", 11)
        y += 13
    y += 4
    for line in below:
        sheet.put(72, y, line, "Times-Italic", 9)
        y += 11
    sheet.put(72, y + 16, "Abstract", "Times-Bold", 10)
    y = sheet.paragraph(72, y + 32, 450, ABSTRACT, size=9)
    for line in after:
        sheet.put(72, y, line, "Times-Roman", 9)
        y += 11
    sheet.put(72, y + 16, "1 Introduction", "Times-Bold", 12)
    for text in (FIRST, SECOND, THIRD):
        y = sheet.paragraph(72, y + 34, 450, text)
        y -= 22
    return sheet


def read(path: Path, *sheets: Sheet) -> ParsedPaper:
    return read_pdf(save(path / "paper.pdf", list(sheets)))


def names(paper: ParsedPaper) -> list[str]:
    return [author.name for author in paper.metadata.authors]


@pytest.mark.parametrize(
    "lines",
    [
        ["Lindqvist, Ada1,2, di Renzo, Marco3, Chen, Wei-Lin1"],
        ["Lindqvist, Ada; di Renzo, Marco; Chen, Wei-Lin"],
        ["Ada Lindqvist MD,1 Marco di Renzo PhD,2,3 and", "Wei-Lin Chen, MPH1,*"],
        ["1Ada Lindqvist, 2Marco di Renzo, 1Wei-Lin Chen"],
        ["LINDQVIST Ada1, DI RENZO Marco2, CHEN Wei-Lin"],
    ],
)
def test_authors_in_any_order_with_any_marks(tmp_path: Path, lines: list[str]) -> None:
    """Lost otherwise: all authors of the paper."""
    paper = read(tmp_path, front(lines, ["1Institute of Moons, University of Nowhere"]))
    assert names(paper) == ["Ada Lindqvist", "Marco di Renzo", "Wei-Lin Chen"]
    assert paper.metadata.abstract == ABSTRACT
