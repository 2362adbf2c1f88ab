"""Listings of programs: kept whole, with their lines and indents, and found by a search."""

from __future__ import annotations

from pathlib import Path

import pdf_samples as samples

from conspectus.parse.blocks import code_block
from conspectus.parse.markdown import markdown_blocks
from conspectus.parse.pdf import read_pdf

PROGRAM = ("def warm(moons):", "    for moon in moons:", "        moon.heat(tides=True)", "", "    return moons")


def with_program(path: Path, caption: str = "") -> Path:
    sheet = samples.Sheet()
    sheet.put(72, 80, samples.TITLE, "Times-Bold", 17)
    y = sheet.paragraph(72, 130, 440, samples.FIRST)
    y = sheet.paragraph(72, y, 440, samples.SECOND, indent=12) + 8
    for i, line in enumerate(PROGRAM):
        if line.strip():
            indent = len(line) - len(line.lstrip())
            sheet.put(80 + indent * 0.6 * 9, y + 11 * i, line.strip(), "Courier", 9)
    y += 11 * len(PROGRAM) + 8
    if caption:
        y = sheet.paragraph(72, y, 440, caption, font="Times-Italic", size=9) + 8
    y = sheet.paragraph(72, y, 440, samples.THIRD)
    sheet.paragraph(72, y, 440, samples.FOURTH, indent=12)
    return samples.save(path, [sheet])


def test_a_listing_of_a_pdf_keeps_lines_and_indents(tmp_path: Path) -> None:
    """A program would be torn into headings and formulas, or left out, and could never be found."""
    blocks = read_pdf(with_program(tmp_path / "a.pdf")).blocks
    (listing,) = (block for block in blocks if block.kind == "code")
    assert listing.text == "\n".join(PROGRAM)
    (sentence,) = listing.sentences
    assert listing.text[sentence.start : sentence.end] == listing.text
    assert len(sentence.places) == 4
    assert sum(block.kind == "paragraph" for block in blocks) == 4


def test_a_listing_with_a_caption_is_text_and_no_picture(tmp_path: Path) -> None:
    """What stands above `Listing 1` would be in a figure, where no search finds it."""
    paper = read_pdf(with_program(tmp_path / "a.pdf", "Listing 1. How the moons are warmed by their tides."))
    assert [block.text for block in paper.blocks if block.kind == "code"] == ["\n".join(PROGRAM)]


def test_listings_of_markdown_are_blocks_of_their_own() -> None:
    """The commands of a protocol could not be searched in a note, though they can in a PDF."""
    blocks = markdown_blocks("# Moons\n\nRun this:\n\n```python\n" + "\n".join(PROGRAM) + "\n```\n\nThat is all.\n")
    assert [block.kind for block in blocks] == ["heading", "paragraph", "code", "paragraph"]
    assert blocks[2].text == "\n".join(PROGRAM)


def test_long_listings_are_cut_at_line_ends() -> None:
    """A quote would end in the middle of a statement, or hold a whole program."""
    text = "\n".join(f"step({i})" + ("\n" if i % 20 == 0 else "") for i in range(400))
    block = code_block(text)
    assert block is not None
    pieces = [block.text[s.start : s.end] for s in block.sentences]
    assert max(map(len, pieces)) <= 600
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(piece.startswith("step(") and piece.endswith(")") for piece in pieces)
