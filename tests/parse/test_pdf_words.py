"""Words, paragraphs and small print of PDF files: what is raised, where a paragraph ends, what is a formula."""

from __future__ import annotations

from pathlib import Path

import pdf_samples as samples

from conspectus.parse.pdf.reader import read_pdf
from conspectus.records import ParsedPaper


def texts(paper: ParsedPaper, kind: str) -> list[str]:
    return [block.text for block in paper.blocks if block.kind == kind]


def test_superscripts_are_read_as_such(tmp_path: Path) -> None:
    """Without this 10⁵ would be read as 105, and a citation mark would be a number of the text."""
    sheet = samples.Sheet()
    sheet.put(72, 100, "The plumes were seen early")
    end = 72 + samples.stringWidth("The plumes were seen early", "Times-Roman", 10)
    sheet.put(end, 96, "12", "Times-Roman", 6)
    sheet.put(end + 8, 100, "and they reach 10")
    end += 8 + samples.stringWidth("and they reach 10", "Times-Roman", 10)
    sheet.put(end, 96, "5", "Times-Roman", 6)
    sheet.put(end + 5, 100, "metres at the height of summer.")
    (block,) = read_pdf(samples.save(tmp_path / "marks.pdf", [sheet])).blocks
    assert "early¹² and" in block.text
    assert "10⁵ metres" in block.text


def test_no_space_stands_beside_a_superscript_where_none_is_printed(tmp_path: Path) -> None:
    """Without this a text that is quoted would have gaps before commas that nobody printed."""
    sheet = samples.Sheet()
    x = 72.0
    for text, size, gap in [
        ("This was seen by Hastings and Powell", 10, 1.3),
        ("3", 6, 1.3),
        (", who gave the areas in cm", 10, 0.5),
        ("2", 6, 1.3),
        (". The slope", 10, 2.6),
        ("b", 10, 1.3),
        ("2", 6, 3.2),
        ("was small.", 10, 0),
    ]:
        sheet.put(x, 96 if size == 6 else 100, text, "Times-Roman", size)
        x += samples.stringWidth(text, "Times-Roman", size) + gap
    (block,) = read_pdf(samples.save(tmp_path / "gaps.pdf", [sheet])).blocks
    assert block.text == ("This was seen by Hastings and Powell³, who gave the areas in cm². The slope b² was small.")


def test_a_short_line_of_justified_text_ends_its_paragraph(tmp_path: Path) -> None:
    """Without this two paragraphs without a gap or an indent between them would be one, or even one sentence."""
    sheet = samples.Sheet()
    words = "The tides of a planet bend its moons and"
    wide = 72 + samples.stringWidth(f"{words} {words}", "Times-Roman", 10)
    y = 100.0
    for last in (
        "The work becomes heat, and the heat must leave through the ice of the shell.",
        "It has the point values",
    ):
        for _ in range(6):
            sheet.put(72, y, f"{words} {words}")
            y += samples.LEADING
        assert 72 + samples.stringWidth(last, "Times-Roman", 10) < wide - 6
        sheet.put(72, y, last)
        y += samples.LEADING
    sheet.put(72, y, f"{words} {words}")
    sheet.put(72, y + samples.LEADING, "find no rest.")
    found = texts(read_pdf(samples.save(tmp_path / "flush.pdf", [sheet])), "paragraph")
    assert [text.rsplit(" ", 1)[1] for text in found] == ["shell.", "values", "rest."]


def test_a_formula_at_the_end_of_a_paragraph_is_text(tmp_path: Path) -> None:
    """Without this the words that a sentence ends with would be in no block at all."""
    sheet = samples.Sheet()
    y = sheet.paragraph(72, 100, 400, samples.FIRST)
    sheet.put(72, y, "The other gives the probability of the process that goes on, i.e.")
    sheet.put(72, y + samples.LEADING, "P(S > a|S = a, n) [10, 12].")
    sheet.paragraph(72, y + 2 * samples.LEADING, 400, samples.SECOND)
    found = texts(read_pdf(samples.save(tmp_path / "end.pdf", [sheet])), "paragraph")
    assert any(text.endswith("goes on, i.e. P(S > a|S = a, n) [10, 12].") for text in found)
    assert samples.SECOND in found


def test_a_numerator_is_no_superscript(tmp_path: Path) -> None:
    """Without this the 2 of 0.2 would be a citation mark."""
    sheet = samples.Sheet()
    x = 72.0
    for text, size in [("All other letters have the probability ", 10), ("0", 6), (".", 6), ("2", 6)]:
        sheet.put(x, 96 if size == 6 else 100, text, "Times-Italic" if text == "." else "Times-Roman", size)
        x += samples.stringWidth(text, "Times-Italic" if text == "." else "Times-Roman", size)
    sheet.put(x + 3, 100, "or so.", "Times-Roman", 10)
    (block,) = read_pdf(samples.save(tmp_path / "numerator.pdf", [sheet])).blocks
    assert block.text == "All other letters have the probability 0.2 or so."
