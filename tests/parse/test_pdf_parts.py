"""What is easily taken for something else: items of lists, text above the title, columns of recognised text."""

from __future__ import annotations

import random
from pathlib import Path

import pdf_samples as samples
import pypdfium2
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from conspectus.parse.pdf.patterns import CAPTION
from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.text.figure_mentions import label_of, labels_in
from conspectus.records import Block

PARTS = ("Collect the moons", "Measure their heat", "Compare with the model")
LABELS = {
    "numbers": ("1.", "2.", "3."),
    "brackets": ("1)", "2)", "3)"),
    "roman": ("(i)", "(ii)", "(iii)"),
    "letters": ("(a)", "(b)", "(c)"),
    "capitals": ("A.", "B.", "C."),
    "bullets": ("•", "•", "•"),
    "dashes": ("–", "–", "–"),
}


def texts(blocks: tuple[Block, ...], kind: str) -> list[str]:
    return [block.text for block in blocks if block.kind == kind]


@pytest.mark.parametrize("font", ["Times-Roman", "Times-Bold", "Times-Italic"])
@pytest.mark.parametrize("labels", LABELS)
def test_items_of_lists_are_no_headings(labels: str, font: str, tmp_path: Path) -> None:
    """The steps of a method would be sections, and what comes behind the list would belong to the last of them."""
    sheet = samples.Sheet()
    sheet.put(72, 80, samples.TITLE, "Times-Bold", 17)
    sheet.put(72, 120, "1 Introduction", "Times-Bold", 12)
    y = sheet.paragraph(72, 145, 440, samples.FIRST)
    y = sheet.paragraph(72, y, 440, "These are the steps of our work:", indent=12) + 8
    for label, part in zip(LABELS[labels], PARTS, strict=True):
        sheet.put(84, y, f"{label} {part}", font)
        y += 20
    sheet.put(72, y + 14, "2 Methods", "Times-Bold", 12)
    y = sheet.paragraph(72, y + 38, 440, samples.SECOND)
    sheet.put(72, y + 14, "2.1 The model", "Times-Bold", 10)
    y = sheet.paragraph(72, y + 34, 440, samples.THIRD)
    sheet.put(72, y + 14, "2.2 The fit", "Times-Bold", 10)
    sheet.paragraph(72, y + 34, 440, samples.FOURTH)
    blocks = read_pdf(samples.save(tmp_path / "a.pdf", [sheet])).blocks
    assert texts(blocks, "heading") == ["1 Introduction", "2 Methods", "2.1 The model", "2.2 The fit"]
    said = " ".join(texts(blocks, "paragraph"))
    assert all(part in said for part in PARTS)


@pytest.mark.parametrize("heading", ["Significance", "1 Preface", "Note to readers"])
def test_a_section_above_the_title_is_kept(heading: str, tmp_path: Path) -> None:
    """A statement of significance that is printed first would be taken for the title's surroundings."""
    sheet, second = samples.Sheet(), samples.Sheet()
    sheet.put(72, 60, heading, "Times-Bold", 12)
    y = sheet.paragraph(72, 80, 440, samples.FIRST) + 20
    sheet.put(72, y, samples.TITLE, "Times-Bold", 17)
    sheet.put(72, y + 26, samples.AUTHORS, size=11)
    sheet.put(72, y + 60, "Abstract", "Times-Bold")
    y = sheet.paragraph(72, y + 76, 440, samples.ABSTRACT)
    sheet.put(72, y + 14, "2 Introduction", "Times-Bold", 12)
    sheet.paragraph(72, y + 34, 440, samples.SECOND)
    second.paragraph(72, 90, 440, samples.THIRD)
    paper = read_pdf(samples.save(tmp_path / "a.pdf", [sheet, second]))
    assert paper.metadata.title == samples.TITLE
    assert [(block.kind, block.text) for block in paper.blocks[:2]] == [
        ("heading", heading),
        ("paragraph", samples.FIRST),
    ]


def recognised(sheet: samples.Sheet, path: Path, *, jitter: float, skew: float) -> Path:
    """The sheet as a scanner with recognition writes it: a picture, and unseen words on it, row by row."""
    plain = samples.save(path.with_suffix(".plain.pdf"), [sheet])
    with pypdfium2.PdfDocument(plain) as document:
        picture = document[0].render(scale=0.3).to_pil().convert("L")
    canvas, draw = Canvas(str(path), pagesize=A4), random.Random(7)
    canvas.drawImage(ImageReader(picture), 0, 0, *A4)
    words = []
    for x, y, text, font, size in sheet.texts:
        for word in text.split():
            words.append((y, x, word, stringWidth(word, font, size), size))
            x += stringWidth(word + " ", font, size)  # noqa: PLW2901
    for y, x, word, width, size in sorted(words):
        of_size = round(size + draw.uniform(-jitter, jitter), 1)
        line = canvas.beginText(x, samples.HEIGHT - y - x * skew + draw.uniform(-jitter, jitter))
        line.setTextRenderMode(3)
        line.setFont("Helvetica", of_size)
        line.setHorizScale(100 * width / stringWidth(word, "Helvetica", of_size))
        line.textOut(word + " ")
        canvas.drawText(line)
    canvas.save()
    return path


@pytest.mark.parametrize(("gap", "jitter", "skew"), [(18.0, 0.0, 0.0), (9.0, 0.5, 0.0), (7.0, 0.5, 0.01)])
def test_recognised_text_is_read_column_by_column(gap: float, jitter: float, skew: float, tmp_path: Path) -> None:
    """Every row would be half a sentence of one column and half of the other."""
    said = [samples.FIRST, samples.SECOND, samples.THIRD, samples.FOURTH]
    said += [samples.SECOND.replace("Observers", "Readers"), samples.FIRST.replace("tides", "storms")]
    sheet, width = samples.Sheet(), (samples.WIDTH - 100 - gap) / 2
    sheet.put(120, 80, samples.TITLE, "Times-Bold", 16)
    for x, column in ((50.0, said[:3]), (50 + width + gap, said[3:])):
        y = 160.0
        for text in column:
            y = sheet.paragraph(x, y, width, text, indent=10)
    paper = read_pdf(recognised(sheet, tmp_path / "a.pdf", jitter=jitter, skew=skew))
    assert " ".join(texts(paper.blocks, "paragraph")) == " ".join(said)


ENTRIES = (
    "Lindqvist, A. B. and di Renzo, M. (2011). Tides of small moons around ringed planets. Journal of Ice, 3, 14-18.",
    "Chen, W. (2014). Heat in shells of ice over oceans, and how it is lost. Annals of Snow, 9, 1-7, and its errata.",
    "Okafor, N., Chen, W. and Roe, J. (2016a). The plumes of a southern pole in three seasons. Snow Letters, 2, 33-41.",
    "Roe, J. (2009). Craters as clocks for the young moons of old planets and their rings. Annals of Snow, 4, 88-97.",
    "Vidal, P. and Okafor, N. (2018). Resonances that keep orbits eccentric for billions of years. Ice, 11, 5-19.",
)


@pytest.mark.parametrize("hang", [0.0, 12.0])
def test_a_list_of_references_without_heading_and_labels_is_found(hang: float, tmp_path: Path) -> None:
    """What a paper cites would be its last paragraphs, found as if its authors said it."""
    sheet = samples.Sheet()
    sheet.put(72, 80, samples.TITLE, "Times-Bold", 17)
    y = 120.0
    for text in samples.PARAGRAPHS:
        y = sheet.paragraph(72, y, 440, text, indent=12)
    y += 20
    for entry in ENTRIES:
        for line, first in samples.wrap_lines(entry, 440 - hang, 0, "Times-Roman", 10):
            sheet.put(72 if first else 72 + hang, y, line)
            y += samples.LEADING
        y += 0 if hang else 6
    paper = read_pdf(samples.save(tmp_path / "a.pdf", [sheet]))
    assert texts(paper.blocks, "reference") == list(ENTRIES)
    assert texts(paper.blocks, "paragraph") == list(samples.PARAGRAPHS)


def test_what_is_said_of_the_authors_is_no_list_of_references(tmp_path: Path) -> None:
    """Lives of the authors at the end would be taken for what the paper cites."""
    sheet = samples.Sheet()
    sheet.put(72, 80, samples.TITLE, "Times-Bold", 17)
    y = 120.0
    lives = [f"{name} was born in 1971 and has studied moons since 1999." for name in ("Ada B. Roe", "Bo C. Day")]
    lives += [
        f"{name} made the first map of the ice in 2004." for name in ("Eve D. Hill", "Flo E. Lake", "Gus F. Moor")
    ]
    for text in (*samples.PARAGRAPHS, *lives):
        y = sheet.paragraph(72, y, 440, text) + 8
    assert not texts(read_pdf(samples.save(tmp_path / "a.pdf", [sheet])).blocks, "reference")


HEADS = ["Temperature", "Larvae", "Speed (mm/s)", "SD"]
SPEEDS = [["20 °C", "13", "4.2", "0.6"], ["24 °C", "13", "6.9", "0.8"], ["28 °C", "14", "9.8", "1.1"]]


@pytest.mark.parametrize("step", [12, 15])
@pytest.mark.parametrize(
    "caption",
    [["Table 1. Swimming speed of the larvae"], ["Table 1. Swimming speed of the larvae", "at three temperatures"]],
)
def test_a_caption_ends_where_the_columns_of_its_table_begin(tmp_path: Path, caption: list[str], step: int) -> None:
    """A header row read as part of the caption would leave every number of the table without the name of its column."""
    sheet = samples.Sheet()
    y = sheet.paragraph(72, 80, 450, samples.FIRST)
    y = sheet.paragraph(72, y, 450, samples.SECOND, indent=15) + 10
    for number, text in enumerate(caption):
        sheet.put(72, y + 12 * number, text, "Times-Roman", 10)
    y += 12 * (len(caption) - 1) + step
    for number, row in enumerate([HEADS, *SPEEDS]):
        for x, cell in zip((190, 260, 302, 372), row, strict=True):
            sheet.put(x, y + 15 * number, cell, "Times-Roman", 10)
    sheet.paragraph(72, y + 100, 450, samples.THIRD)
    paper = read_pdf(samples.save(tmp_path / "close.pdf", [sheet]))
    (table,) = paper.figures
    assert [list(row) for row in table.cells] == [HEADS, *SPEEDS]
    assert table.caption is not None
    assert paper.blocks[table.caption].text == " ".join(caption)


def test_a_justified_caption_goes_on_behind_wide_spaces_between_sentences(tmp_path: Path) -> None:
    """Taken for heads of columns, its last lines would become text, or references where the list begins above."""
    lines = ["Figure 1. Moons of ringed planets, at rest and in motion, for"]
    sheet = samples.Sheet()
    y = sheet.paragraph(72, 80, 450, samples.FIRST)
    y = sheet.paragraph(72, y, 450, samples.SECOND, indent=15) + 20
    sheet.put(72, y, lines[0], "Times-Roman", 9)
    for number, moons in enumerate(("four", "five", "nine"), start=1):
        first, second = f"a year of {moons} turns of all.", "The others of them stayed"
        sheet.put(72, y + 11 * number, first, "Times-Roman", 9)
        sheet.put(72 + stringWidth(first, "Times-Roman", 9) + 5, y + 11 * number, second, "Times-Roman", 9)
        lines.append(f"{first} {second}")
    sheet.put(72, y + 44, "where they were before.", "Times-Roman", 9)
    sheet.paragraph(72, y + 80, 450, samples.THIRD)
    paper = read_pdf(samples.save(tmp_path / "justified.pdf", [sheet]))
    assert texts(paper.blocks, "caption") == [" ".join([*lines, "where they were before."])]


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Tabelle 1", "table"),
        ("Tableau 2", "table"),
        ("Tabla 1", "table"),
        ("Tabela 1", "table"),
        ("Tabella 3", "table"),
        ("Таблица 1", "table"),
        ("Πίνακας 1", "table"),
        ("表 1", "table"),
        ("Abbildung 2", "figure"),
        ("Abb. 2", "figure"),
        ("Figura 1", "figure"),
        ("Рисунок 1", "figure"),
        ("Рис. 1", "figure"),
        ("图1", "figure"),
        ("図 1", "figure"),
    ],
)
def test_captions_of_other_languages_have_labels_that_text_leads_to(label: str, kind: str) -> None:
    """A German table would have no caption, and `Tabelle 1` in the text would lead nowhere."""
    match = CAPTION.match(f"{label}: Heights")
    assert match is not None
    assert match["label"] == label
    parsed = label_of(f"{label}. Heights")
    assert parsed is not None
    assert parsed[0] == label
    assert parsed[1].figure_kind == kind
    assert parsed[1] in labels_in(f"Siehe {label}.")


def test_a_table_with_a_german_caption_is_a_table(tmp_path: Path) -> None:
    """A table whose caption is no English one would be lost to searches."""
    sheet = samples.Sheet()
    sheet.put(72, 60, "Larven im warmen Wasser", "Times-Bold", 18)
    y = sheet.paragraph(72, 90, 450, samples.FIRST)
    y = sheet.paragraph(72, y, 450, samples.SECOND, indent=15) + 10
    sheet.put(72, y, "Tabelle 1: Schwimmgeschwindigkeit der Larven", "Times-Roman", 10)
    for number, row in enumerate([HEADS, *SPEEDS]):
        for x, cell in zip((190, 260, 302, 372), row, strict=True):
            sheet.put(x, y + 15 + 15 * number, cell, "Times-Roman", 10)
    sheet.paragraph(72, y + 115, 450, samples.THIRD)
    (table,) = read_pdf(samples.save(tmp_path / "german.pdf", [sheet])).figures
    assert (table.kind, table.label) == ("table", "Tabelle 1")
    assert [list(row) for row in table.cells] == [HEADS, *SPEEDS]
