"""Numbers of lines in the margins are furniture, wherever they stand and however many lines have one."""

from __future__ import annotations

from pathlib import Path

import pdf_samples as samples
import pytest

from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import ParsedPaper

TEXT = " ".join(samples.PARAGRAPHS)
LEFT, WIDE = 90, 380


def pages(step: int, x: float, *, restart: bool, short: bool = False, number_size: float = 7) -> list[samples.Sheet]:
    """Two pages of text with a number beside each `step`th line."""
    sheets, line = [], 0
    for text in (f"{TEXT} {TEXT}", samples.SECOND if short else f"{samples.THIRD} {TEXT} {TEXT}"):
        sheet = samples.Sheet()
        sheet.put(LEFT, 80, "Introduction" if not sheets else "Results", "Times-Bold", 12)
        sheet.paragraph(LEFT, 100, WIDE, text)
        line = 0 if restart else line
        for _, y, *_ in list(sheet.texts)[1:]:
            line += 1
            if line % step == 0:
                sheet.put(x, y, str(line), "Times-Roman", number_size)
        sheets.append(sheet)
    return sheets


def read(path: Path, sheets: list[samples.Sheet]) -> ParsedPaper:
    return read_pdf(samples.save(path, sheets))


@pytest.mark.parametrize("step", [1, 2, 5, 10])
@pytest.mark.parametrize("x", [40, 520], ids=["left", "right"])
@pytest.mark.parametrize("restart", [True, False], ids=["restart", "go-on"])
def test_no_paragraph_has_line_numbers(tmp_path: Path, step: int, x: float, *, restart: bool) -> None:
    """`15 20` would be a paragraph of the paper, or stand within its sentences."""
    paper = read(tmp_path / "numbered.pdf", pages(step, x, restart=restart))
    bare = read(tmp_path / "bare.pdf", pages(1000, x, restart=restart))
    assert [(b.kind, b.text) for b in paper.blocks] == [(b.kind, b.text) for b in bare.blocks]
    assert "line numbers" in {left.reason for left in paper.left_out}


@pytest.mark.parametrize("step", [1, 5])
def test_the_few_numbers_of_a_last_page_go_too(tmp_path: Path, step: int) -> None:
    """The last page has three lines and would keep their numbers."""
    paper = read(tmp_path / "short.pdf", pages(step, 520, restart=False, short=True))
    assert not any(block.text[:1].isdigit() or block.text[-1:].isdigit() for block in paper.blocks)
    assert len([left for left in paper.left_out if left.reason == "line numbers"]) == 2


@pytest.mark.parametrize("step", [1, 5])
@pytest.mark.parametrize("places", [(30, 560), (30, 294), (277, 560)], ids=["outside", "at-the-left", "at-the-right"])
def test_numbers_of_both_columns(tmp_path: Path, step: int, places: tuple[float, float]) -> None:
    """Old journals count the lines of each column; the numbers between the columns stood within sentences."""

    def page(*, numbered: bool) -> samples.Sheet:
        sheet = samples.Sheet()
        line = 0
        for x, number_x in zip((50, 310), places, strict=True):
            before = len(sheet.texts)
            sheet.paragraph(x, 100, 222, f"{samples.FIRST} {samples.SECOND} {samples.THIRD} {samples.FOURTH}")
            for _, y, *_ in list(sheet.texts)[before:] if numbered else ():
                line += 1
                if line % step == 0:
                    sheet.put(number_x, y, str(line), "Times-Roman", 6)
        return sheet

    paper = read(tmp_path / "columns.pdf", [page(numbered=True)] * 2)
    bare = read(tmp_path / "bare.pdf", [page(numbered=False)] * 2)
    assert [b.text for b in paper.blocks] == [b.text for b in bare.blocks]


@pytest.mark.parametrize(
    "numbers", [["1998", "2003", "2008", "2013", "2018"], ["10", "20", "30", "40", "50"], ["1", "2", "3", "4", "5"]]
)
def test_numbers_of_a_table_stay(tmp_path: Path, numbers: list[str]) -> None:
    """The first column of a table would be gone, with what its rows are about."""
    sheet = samples.Sheet()
    sheet.put(LEFT, 80, "Introduction", "Times-Bold", 12)
    y = sheet.paragraph(LEFT, 100, WIDE, samples.FIRST)
    sheet.put(LEFT, y + 20, "Table 1. Ports by year.", "Times-Roman", 9)
    for i, number in enumerate(numbers):
        sheet.put(LEFT, y + 40 + 14 * i, number)
        sheet.put(LEFT + 100, y + 40 + 14 * i, "harbour")
        sheet.put(LEFT + 200, y + 40 + 14 * i, f"{i}.5")
    sheet.paragraph(LEFT, y + 140, WIDE, samples.SECOND)
    paper = read(tmp_path / "table.pdf", [sheet])
    (table,) = paper.figures
    assert [row[0] for row in table.cells] == numbers


def test_numbers_at_an_axis_stay_in_their_figure(tmp_path: Path) -> None:
    """The ticks of a plot in the margin would count as line numbers."""
    sheet = samples.Sheet()
    sheet.put(LEFT, 80, "Introduction", "Times-Bold", 12)
    y = sheet.paragraph(LEFT, 100, WIDE, samples.FIRST)
    for i in range(5):
        sheet.put(40, y + 20 + 30 * i, str(5 * (i + 1)), "Times-Roman", 8)
    sheet.paragraph(LEFT, y + 200, WIDE, "Figure 1. Heights of the tide by year, in metres, at the pier.", size=9)
    paper = read(tmp_path / "axis.pdf", [sheet])
    assert "line numbers" not in {left.reason for left in paper.left_out}
