"""Text that is turned on its page: whole pages in every direction, and tables on their side on upright pages."""

from __future__ import annotations

from pathlib import Path

import pdf_samples as samples
import pdfplumber
import pytest
from turned_samples import save_turned, steps_back, table_on_its_side

from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import ParsedPaper

TYPESET = sorted((Path(__file__).parent / "typeset").glob("*.pdf"))
ROWS = [
    ["Port", "Mean height", "Tidal range", "Years read"],
    ["Athens", "1.24 metres", "0.31 metres", "forty"],
    ["Patras", "1.31 metres", "0.44 metres", "thirty"],
    ["Volos", "1.19 metres", "0.29 metres", "twenty"],
]
CAPTION = "Table 1. Heights of three ports over the years."


def texts(paper: ParsedPaper) -> list[str]:
    return [block.text for block in paper.blocks if block.kind in ("paragraph", "abstract")]


@pytest.mark.parametrize("shown", range(4))
@pytest.mark.parametrize("drawn", range(4))
@pytest.mark.parametrize("layout", [samples.one_column, samples.two_columns, samples.split_over_columns])
def test_turned_pages_read_like_upright_ones(tmp_path: Path, layout, drawn: int, shown: int) -> None:
    """A page on its side would be read from the last line to the first, and answers quote what nobody wrote."""
    upright = read_pdf(samples.save(tmp_path / "upright.pdf", layout()))
    turned = read_pdf(save_turned(tmp_path / "turned.pdf", layout(), drawn=drawn, shown=shown))
    assert [(block.kind, block.text) for block in turned.blocks] == [(b.kind, b.text) for b in upright.blocks]
    assert turned.metadata.title == upright.metadata.title
    assert steps_back(turned, turns=shown - drawn) == []


@pytest.mark.parametrize("path", TYPESET, ids=lambda path: path.stem)
def test_every_quotation_follows_its_page(path: Path) -> None:
    """A quotation whose words are not on the page in this order is no quotation."""
    assert steps_back(read_pdf(path)) == []


def test_a_page_read_backwards_is_noticed(tmp_path: Path) -> None:
    """The property above would hold for anything."""
    paper = read_pdf(save_turned(tmp_path / "down.pdf", samples.one_column(), drawn=0, shown=2))
    assert steps_back(paper, turns=2) == []
    assert steps_back(paper, turns=0) != []


@pytest.mark.parametrize("quarters", [1, 3])
@pytest.mark.parametrize("rules", [True, False])
def test_a_table_on_its_side_is_read_after_the_upright_text(tmp_path: Path, quarters: int, *, rules: bool) -> None:
    """The cells of a wide table would be found by no search, and no row of it could be quoted."""
    sheet = samples.Sheet()
    sheet.put(72, 60, "1 Introduction", "Times-Bold", 12)
    y = sheet.paragraph(72, 80, 450, samples.FIRST)
    y = sheet.paragraph(72, y, 450, samples.SECOND, indent=15)
    y = sheet.paragraph(72, y, 450, samples.THIRD, indent=15)
    y = sheet.paragraph(72, y, 450, samples.FOURTH, indent=15)
    sheet.paragraph(72, y, 450, samples.ABSTRACT, indent=15)
    path = table_on_its_side(tmp_path / "side.pdf", ROWS, CAPTION, quarters=quarters, above=sheet.texts, rules=rules)
    paper = read_pdf(path)
    upright = [samples.FIRST, samples.SECOND, samples.THIRD, samples.FOURTH, samples.ABSTRACT]
    assert texts(paper)[:5] == upright
    (table,) = [figure for figure in paper.figures if figure.kind == "table"]
    assert table.label == "Table 1"
    assert [list(row) for row in table.cells] == ROWS
    assert table.caption is not None
    assert paper.blocks[table.caption].text == CAPTION
    assert table.place is not None
    x0, y0, x1, y1 = table.place.rect
    assert y1 - y0 > x1 - x0  # as it is on the displayed page
    with pdfplumber.open(path) as document:
        inside = document.pages[0].crop(table.rows[1]).chars
    assert sorted(char["text"] for char in inside if char["text"].strip()) == sorted("".join(ROWS[1]).replace(" ", ""))
