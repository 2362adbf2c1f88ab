"""The reference lists of PDFs: lists and entries that are not found are papers that nobody can follow."""

from __future__ import annotations

from pathlib import Path

import pdf_samples as samples
import pytest

from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.references.completion import complete
from conspectus.records import ParsedPaper

ENTRIES = [
    "A. Green and B. Brown, A long and winding title about the slow waves of the cortex, J. Waves 12, 34 (2011).",
    "C. White, Short title, J. Waves 13, 35 (2012).",
    "D. Black, E. Grey and F. Blue, The quick waves of the cortex and what they may be good for at all, Cell 3, 4",
    "G. Gold, Another title of some length about the waves that travel from one side to the other, Nature 5, 6 (2014).",
]


def drawn(path: Path, sheet: samples.Sheet) -> ParsedPaper:
    return complete(read_pdf(samples.save(path, [samples.one_column()[0], sheet])))


def entries(paper: ParsedPaper) -> list[str]:
    return [block.text for block in paper.blocks if block.kind == "reference"]


@pytest.mark.parametrize("heading", ["References", "Supplementary References", "Literaturverzeichnis", ""])
def test_numbered_lists_with_and_without_a_heading(tmp_path: Path, heading: str) -> None:
    """Journals of physics set their lists without a heading, and short last lines look like labels of figures."""
    sheet = samples.Sheet()
    y = sheet.paragraph(72, 100, 450, samples.FIRST + " It was shown before [1, 3] and later [2].")
    if heading:
        sheet.put(72, y + 30, heading, "Times-Bold", 12)
    y += 55
    for i, entry in enumerate(ENTRIES, 1):
        sheet.put(72, y, f"[{i}]")
        y = sheet.paragraph(90, y, 330, entry)
    found = drawn(tmp_path / "list.pdf", sheet)
    assert entries(found) == [f"[{i}] {entry}" for i, entry in enumerate(ENTRIES, 1)]
    assert [reference.label for reference in found.references] == ["[1]", "[2]", "[3]", "[4]"]
    meant = [(b.text[m.start : m.end], m.targets) for b in found.blocks for m in b.marks]
    assert meant == [("[1, 3]", ("b1", "b3")), ("[2]", ("b2",))]


def test_hanging_entries_with_overlong_lines_in_two_columns(tmp_path: Path) -> None:
    """An address that sticks out of its column would tie the entries of the next column together."""
    sheet = samples.Sheet()
    sheet.put(72, 80, "References", "Times-Bold", 12)
    names = ["Green, A.", "Brown, B.", "White, C.", "Black, D.", "Grey, E.", "Blue, F."]
    for column, x in enumerate((72, 310)):
        y = 100.0
        for name in names[3 * column : 3 * column + 3]:
            for row, line in enumerate((f"{name} (2011). A title of many words", "that goes on, Journal of Waves 12,")):
                sheet.put(x + 10 * bool(row), y, line)
                y += samples.LEADING
            address = "https://doi.org/10.1000/a.very.long.address.that.sticks.out.of.its.own.column/1"
            sheet.put(x + 10, y, address if name in ("White, C.", "Grey, E.") else "34–45.")
            y += samples.LEADING
    found = drawn(tmp_path / "hanging.pdf", sheet)
    assert [reference.authors[0].family for reference in found.references] == [name[:-4] for name in names]


def test_numbers_of_pages_and_volumes_begin_no_entry(tmp_path: Path) -> None:
    """A line that begins with `312.` would be taken for the three hundred and twelfth entry."""
    sheet = samples.Sheet()
    sheet.put(72, 80, "References", "Times-Bold", 12)
    y = 100.0
    for i, last in enumerate(("312.", "45.", "6.", "978."), 1):
        sheet.put(72, y, f"{i}. Green, A. A title of many words, Journal of Waves 12 (2011),")
        sheet.put(90, y + samples.LEADING, last)
        y += 2 * samples.LEADING
    assert [text[:2] for text in entries(drawn(tmp_path / "pages.pdf", sheet))] == ["1.", "2.", "3.", "4."]


@pytest.mark.data
def test_published_lists(data: Path) -> None:
    """Drawn lists alone would prove little."""
    found = complete(read_pdf(data / "pdf_jose" / "jose.00300.pdf"))
    assert len(found.references) == 14
    assert all(reference.title and reference.year and reference.authors for reference in found.references)
    assert sum(mark.kind == "reference" and bool(mark.targets) for b in found.blocks for mark in b.marks) >= 10
