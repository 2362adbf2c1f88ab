"""The rows of tables in PDFs: a wrapped cell is one cell, and a row without all values is a row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pdf_samples as samples
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.text.passages import table_rows
from conspectus.records import Figure

HEAD = ["Meeting or group taught", "People", "Modality", "Theme"]
TAUGHT = [
    ["All-Hands conference of the lake network", "50", "In-person", "Aquatics"],
    ["Training programme for doctoral students", "15", "Synchronous on-line", "Aquatics"],
    [
        "Change Ecology Laboratory, University of Edinburgh",
        "10",
        "Asynchronous on-line (recorded before)",
        "Terrestrial",
    ],
    ["Society of America", "70", "In-person", "Terrestrial"],
]
SURVEY = [
    ["I can apply what I learned at this workshop.", "0 (0%)", "5 (13%)", "33 (87%)"],
    ["The instructions for the lesson were complete and easy to follow.", "2 (5%)", "17 (45%)", "19 (50%)"],
    ["Examples were relevant", "1 (3%)", "5 (13%)", "32 (84%)"],
]
PORTS = [
    ["Perth, Australia", "2.3", "2.0", "4.3"],
    ["", "12", "2.6", ""],
    ["Belfast, UK", "12", "7.0", "8.7"],
    ["Warsaw, Poland", "3.4", "3.3", "7.5"],
    ["", "6", "3.6", ""],
]
GROUPED = [
    ["North coast", "", "", ""],
    ["Athens", "1.2", "0.3", "40"],
    ["Patras", "1.3", "0.4", "30"],
    ["South coast of the mainland", "", "", ""],
    ["Volos", "1.9", "0.2", "20"],
    ["Pylos", "1.7", "", "10"],
]


def wrapped(text: str, width: float, size: float) -> list[str]:
    """Lines of a cell, broken as a typesetter does it; percentages below their numbers."""
    if text.endswith("%)"):
        return text.split(" ")
    return [line for line, _ in samples.wrap_lines(text, width, 0, "Times-Roman", size)]


def save(
    path: Path, head: Sequence[str], rows: Sequence[Sequence[str]], *, widths: Sequence[float], gap: float, rules: bool
) -> Path:
    """A page with a table whose cells are wrapped at `widths`; rows are `gap` further apart than lines."""
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    size, leading, y = 9.0, 11.0, 700.0
    sheet = samples.Sheet()
    sheet.put(72, 60, "1 Introduction", "Times-Bold", 12)
    sheet.paragraph(72, 80, 450, samples.FIRST)
    for x, at, text, font, font_size in sheet.texts:
        canvas.setFont(font, font_size)
        canvas.drawString(x, samples.HEIGHT - at, text)
    canvas.setFont("Times-Roman", size)
    y = samples.HEIGHT - 160
    canvas.drawString(72, y, "Table 1. What was taught and read, and where.")
    y -= 18
    if rules:
        canvas.line(72, y + 10, 72 + sum(widths), y + 10)
    for number, row in enumerate([head, *rows]):
        cells = [wrapped(cell, width - 12, size) for cell, width in zip(row, widths, strict=True)]
        lines = max(map(len, cells))
        for i in range(lines):
            x = 72.0
            for cell, width in zip(cells, widths, strict=True):
                if i < len(cell) and cell[i]:
                    assert stringWidth(cell[i], "Times-Roman", size) < width
                    canvas.drawString(x, y, cell[i])
                x += width
            y -= leading
        y -= gap
        if rules and not number:
            canvas.line(72, y + 9, 72 + sum(widths), y + 9)
            y -= 2
    if rules:
        canvas.line(72, y + 8, 72 + sum(widths), y + 8)
    canvas.save()
    return path


def table(path: Path) -> Figure:
    (found,) = [figure for figure in read_pdf(path).figures if figure.kind == "table"]
    return found


@pytest.mark.parametrize("gap", [0.0, 4.0], ids=["even", "spaced"])
@pytest.mark.parametrize("rules", [True, False], ids=["ruled", "bare"])
@pytest.mark.parametrize(
    ("head", "rows", "widths"),
    [
        (HEAD, TAUGHT, (120, 50, 80, 70)),
        (["Statement of the survey", "No", "Perhaps", "Yes"], SURVEY, (130, 50, 60, 50)),
        (
            ["Meeting or group", "Theme of what was taught", "People"],
            [[r[0], r[2], r[1]] for r in TAUGHT],
            (110, 90, 50),
        ),
    ],
    ids=["taught", "survey", "three"],
)
def test_wrapped_cells_are_one_cell(tmp_path: Path, head, rows, widths, gap: float, *, rules: bool) -> None:
    """Each printed line would be a row that says nothing, and be quoted as an answer."""
    found = table(save(tmp_path / "wrapped.pdf", head, rows, widths=widths, gap=gap, rules=rules))
    assert [list(row) for row in found.cells] == [head, *rows]
    assert len(found.rows) == len(rows) + 1
    assert len(table_rows(found)) == len(rows)


@pytest.mark.parametrize("gap", [0.0, 4.0], ids=["even", "spaced"])
@pytest.mark.parametrize("rows", [PORTS, GROUPED], ids=["ports", "grouped"])
def test_rows_without_all_values_stay_rows(tmp_path: Path, rows: list[list[str]], gap: float) -> None:
    """Values of two rows would be run together, and belong to neither."""
    head = ["Location", "Months", "Amplitude", "Noise"]
    found = table(save(tmp_path / "gaps.pdf", head, rows, widths=(130, 60, 60, 60), gap=gap, rules=True))
    assert [list(row) for row in found.cells] == [head, *rows]


def draw(path: Path, texts: Sequence[tuple[float, float, str]], rules: Sequence[float], right: float) -> Path:
    """A page of text with a table of these texts, centred at negative x, below its caption."""
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    sheet = samples.Sheet()
    sheet.put(72, 30, "1 Introduction", "Times-Bold", 12)
    sheet.paragraph(72, 50, 450, samples.FIRST)
    for x, at, text, font, font_size in sheet.texts:
        canvas.setFont(font, font_size)
        canvas.drawString(x, samples.HEIGHT - at, text)
    canvas.setFont("Times-Roman", 9)
    canvas.drawString(72, 700, "Table 1. What the people who were asked have answered.")
    for x, y, text in texts:
        (canvas.drawString if x > 0 else canvas.drawCentredString)(abs(x), y, text)
    for y in rules:
        canvas.line(70, y, right, y)
    canvas.save()
    return path


def test_names_of_columns_over_several_lines_are_one_name(tmp_path: Path) -> None:
    """A cell would be called `age`, where its column is the `Weighted average`."""
    lines = [
        ["", "", "Un-", "Weighted"],
        ["", "Strongly", "de-", "aver-"],
        ["Question", "agree", "cided", "age"],
        ["Was it clear?", "12", "3", "4.2"],
        ["Was it useful?", "9", "6", "3.9"],
    ]
    texts = [
        (72 + 70 * column, 680 - 11 * number - (6 if number > 2 else 0), cell)
        for number, row in enumerate(lines)
        for column, cell in enumerate(row)
    ]
    found = table(draw(tmp_path / "head.pdf", texts, (690, 650, 622), 330))
    assert list(found.cells[0]) == ["Question", "Strongly agree", "Undecided", "Weighted average"]


def test_a_name_over_two_columns_is_of_both(tmp_path: Path) -> None:
    """The first of two columns would lose what is printed above both."""
    lines = [
        ["Rule", "original", "reproduction"],
        ["90%", "36 (27–39)", "37 (28–41)"],
        ["80%", "40 (33–46)", "41 (33–49)"],
    ]
    texts = [(-200, 680, "Estimate (%)")] + [
        (x, 669 - 11 * number - (6 if number else 0), cell)
        for number, row in enumerate(lines)
        for x, cell in zip((72, 150, 210), row, strict=True)
    ]
    (first, _) = table_rows(table(draw(tmp_path / "span.pdf", texts, (690, 663, 635), 270)))
    assert "Estimate (%) – original = 36 (27–39); reproduction = 37 (28–41)" in first.text


def test_lines_that_are_no_rows_make_no_rows(tmp_path: Path) -> None:
    """A table whose rows cannot be told would be cut into nonsense that can be cited."""
    lines = [
        ["", "Rise of the water by"],
        ["Tide", ""],
        ["", "the pull of the moon"],
        ["", "Height of the water that"],
        ["Level", ""],
        ["", "is read from a staff"],
    ]
    texts = [(72 + 100 * c, 680 - 10 * number, cell) for number, row in enumerate(lines) for c, cell in enumerate(row)]
    assert table_rows(table(draw(tmp_path / "middle.pdf", texts, (690, 622), 300))) == []
