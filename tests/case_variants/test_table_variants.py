"""Tables of PDFs with wrapped cells, under many kinds of rules: a row is a row of the table, with its head."""

from pathlib import Path
from typing import Any

import pytest
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from case_reading import read_paper

NESTS = [
    ["Site", "Habitat of the birds", "Nests", "Remarks of the observers"],
    ["North bay", "Salt marsh with a few old dikes and ditches", "14", "Counted twice in April by two observers"],
    ["South bay", "Dunes", "7", "–"],
    ["East point", "Shingle beach above the spring tide line", "22", "Many nests were lost to foxes in May"],
]
ALLOYS = [
    ["Alloy", "Composition of the melt", "Yield"],
    ["A1", "Copper with a little tin and some lead", "12 MPa"],
    ["B2", "Zinc", "7 MPa"],
    ["C3", "Iron with carbon and manganese, quenched twice", "31 MPa"],
]
TOP = ("VALIGN", (0, 0), (-1, -1), "TOP")
BELOW_EACH = ("LINEBELOW", (0, 0), (-1, -1), 0.25, colors.grey)
STYLES: dict[str, list[Any]] = {
    "a grid": [("GRID", (0, 0), (-1, -1), 0.5, colors.black), TOP],
    "a grid close to the caption": [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("TOPPADDING", (0, 0), (-1, -1), 1)],
    "rules above and below": [
        ("LINEABOVE", (0, 0), (-1, 0), 1, colors.black),
        ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black),
        ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black),
        TOP,
    ],
    "a rule below each row": [BELOW_EACH, TOP],
    "a frame": [("BOX", (0, 0), (-1, -1), 0.5, colors.black), BELOW_EACH, TOP],
    "stripes": [("ROWBACKGROUNDS", (0, 0), (-1, -1), [colors.whitesmoke, colors.white]), TOP],
}


@pytest.mark.parametrize(
    ("rows", "widths"), [(NESTS, (60, 110, 40, 120)), (ALLOYS, (60, 130, 70))], ids=["four", "three"]
)
@pytest.mark.parametrize("style", STYLES)
def test_rows_of_wrapped_cells(tmp_path: Path, style: str, rows: list[list[str]], widths: tuple[int, ...]) -> None:
    """A row without the names of its columns could not be understood, and halves of rows would be quoted."""
    path, sheet = tmp_path / "table.pdf", getSampleStyleSheet()
    text = sheet["BodyText"]
    cells = [[Paragraph(cell, text) for cell in row] for row in rows]
    story = [
        Paragraph("Counts on three coasts", sheet["Title"]),
        Paragraph("Ida Berg and Wei Li", text),
        Paragraph("Abstract", sheet["Heading2"]),
        Paragraph("We counted at three sites for one year. The counts were repeated by other people.", text),
        Paragraph("1 Results", sheet["Heading2"]),
        Paragraph("All counts are in the table below. Nobody had counted there before, and it took a year.", text),
        Paragraph("Table 1. What was counted at three sites.", text),
        Table(cells, colWidths=widths, style=TableStyle(STYLES[style])),
        Spacer(1, 14),
        Paragraph("The counts differ more than we had expected. It is not known why they differ so much.", text),
    ]
    SimpleDocTemplate(str(path), invariant=1).build(story)
    paper = read_paper(path)
    (table,) = (figure for figure in paper.figures if figure.kind == "table")
    assert [[" ".join(cell.split()) for cell in row] for row in table.cells] == rows
    assert table.caption is not None
    assert paper.blocks[table.caption].text.endswith("What was counted at three sites.")
