"""Listings of programs: kept whole, with their lines and indents, and found by a search."""

from __future__ import annotations

from pathlib import Path

import pdf_samples as samples
import pytest
from articles import SAMPLE
from render_docx import W, docx, replace_parts, write

from conspectus.parse.markup.jats import read_jats
from conspectus.parse.markup.latex import read_tex
from conspectus.parse.markup.markdown import build_markdown
from conspectus.parse.markup.word import read_docx
from conspectus.parse.pdf.reader import read_pdf
from conspectus.parse.text.blocks import code_block
from conspectus.records import ParsedPaper

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
    blocks = build_markdown(
        "# Moons\n\nRun this:\n\n```python\n" + "\n".join(PROGRAM) + "\n```\n\nThat is all.\n"
    ).blocks
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


def listings(paper: ParsedPaper) -> list[str]:
    return [block.text for block in paper.blocks if block.kind == "code"]


@pytest.mark.parametrize("place", ["<p>Run this:</p>{}<p>That is all.</p>", "<p>Run this: {} That is all.</p>"])
@pytest.mark.parametrize("tag", ["preformat", "code"])
def test_listings_of_articles_keep_their_lines(tag: str, place: str, tmp_path: Path) -> None:
    """A program would be one long line, and its first words and the text's last one sentence."""
    path = tmp_path / "a.xml"
    inner = place.format(f"<{tag}>" + "\n".join(PROGRAM) + f"\n</{tag}>")
    path.write_text(f"<article><front/><body>{inner}</body></article>", "utf-8")
    paper = read_jats(path)
    assert listings(paper) == ["\n".join(PROGRAM)]
    assert [block.kind for block in paper.blocks] == ["paragraph", "code", "paragraph"]


@pytest.mark.parametrize(
    ("begin", "name"),
    [
        ("", "verbatim"),
        ("[fontsize=\\small]", "Verbatim"),
        ("[language=Python,caption={How}]", "lstlisting"),
        ("[linenos]{python}", "minted"),
        ("{python}", "minted"),
    ],
)
@pytest.mark.parametrize("float", ["", "figure"])
def test_listings_of_latex_keep_their_lines(begin: str, name: str, float: str, tmp_path: Path) -> None:
    """The commands of a protocol were left out without a word."""
    program = [*PROGRAM, "    # 100% \\of {it}"]
    listing = f"\\begin{{{name}}}{begin}\n" + "\n".join(program) + f"\n\\end{{{name}}}\n"
    if float:
        listing = "\\begin{figure}\n" + listing + "\\caption{How the moons are warmed.}\\end{figure}\n"
    path = tmp_path / "a.tex"
    path.write_text(
        "\\documentclass{article}\\begin{document}\nRun this: % a comment\n"
        + listing
        + "That is all.\n\\end{document}\n",
        "utf-8",
    )
    paper = read_tex(path)
    assert listings(paper) == ["\n".join(program)]
    assert " ".join(block.text for block in paper.blocks if block.kind == "paragraph") == "Run this: That is all."


def word(style: str, font: str, text: str) -> str:
    look = f'<w:rPr><w:rFonts w:ascii="{font}"/></w:rPr>' if font else ""
    named = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{named}<w:r>{look}<w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def in_word(path: Path, inner: str) -> ParsedPaper:
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{name.replace(" ", "")}"><w:name w:val="{name}"/></w:style>'
        for name in ("Source Code", "HTML Preformatted")
    )
    body = f"<w:document {W}><w:body>{inner}</w:body></w:document>"
    parts = {"word/document.xml": body.encode(), "word/styles.xml": f"<w:styles {W}>{styles}</w:styles>".encode()}
    return read_docx(write(path, replace_parts(docx(SAMPLE), parts)))


@pytest.mark.parametrize(("style", "font"), [("SourceCode", ""), ("HTMLPreformatted", ""), ("", "Courier New")])
def test_listings_of_word_files_keep_their_lines(style: str, font: str, tmp_path: Path) -> None:
    """Each line of a program would be a paragraph without its indent, and a short one in bold a heading."""
    said = [samples.FIRST, samples.SECOND, *("That is how it is done.",) * 5]
    lines = "".join(word(style, font if line else "", line) for line in PROGRAM)
    paper = in_word(tmp_path / "a.docx", word("", "", said[0]) + lines + "".join(word("", "", one) for one in said[1:]))
    assert listings(paper) == ["\n".join(PROGRAM)]
    assert [block.text for block in paper.blocks if block.kind == "paragraph"] == said


def test_a_manuscript_in_a_typewriter_font_is_no_listing(tmp_path: Path) -> None:
    """All of an author's text would be a program."""
    paper = in_word(tmp_path / "a.docx", "".join(word("", "Courier New", one) for one in samples.PARAGRAPHS))
    assert [block.kind for block in paper.blocks] == ["paragraph"] * 4
