"""Word's symbols: letters of a font that has its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from articles import SAMPLE
from render_docx import W, docx, replace_parts, write
from reportlab.pdfbase._fontdata import encodings

from conspectus.parse.markup.word import read_docx
from conspectus.records import ParsedPaper

STYLES = f"""<w:styles {W}><w:style w:type="character" w:styleId="Greek"><w:name w:val="Greek"/>
<w:rPr><w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/></w:rPr></w:style></w:styles>"""


def read(tmp_path: Path, runs: str) -> ParsedPaper:
    document = f"<w:document {W}><w:body><w:p>{runs}</w:p></w:body></w:document>"
    parts = {"word/document.xml": document.encode(), "word/styles.xml": STYLES.encode()}
    return read_docx(write(tmp_path / "a.docx", replace_parts(docx(SAMPLE), parts)))


def sym(code: str, font: str = "Symbol") -> str:
    return f'<w:r><w:t>[</w:t></w:r><w:r><w:sym w:font="{font}" w:char="{code}"/></w:r><w:r><w:t>]</w:t></w:r>'


def run(text: str, look: str) -> str:
    return f"<w:r><w:rPr>{look}</w:rPr><w:t>{text}</w:t></w:r>"


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        (sym("F061"), "[α]"),
        (sym("0062"), "[β]"),
        (sym("f0b1"), "[±]"),
        (sym("F0A3", "SymbolMT"), "[≤]"),
        (sym("F0FC", "Wingdings"), "[✔]"),
        (sym("F0E0", "Wingdings"), "[→]"),
        (sym("2192", "Cambria Math"), "[→]"),
        (run("5 \uf06dm", '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>'), "5 μm"),
        (run("\uf044T", '<w:rStyle w:val="Greek"/>'), "ΔT"),
        (run("25 \uf0b0C", '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol" w:cs="Symbol"/>'), "25 °C"),
    ],
)
def test_symbols_are_read_as_what_they_show(tmp_path: Path, runs: str, text: str) -> None:
    """An angle, a threshold or a unit would go without a trace: "5 m" for "5 μm"."""
    paper = read(tmp_path, runs)
    assert [block.text for block in paper.blocks] == [text] and not paper.warnings


@pytest.mark.parametrize(
    ("runs", "shown"),
    [
        (sym("F070", "Wingdings 3"), "Wingdings 3"),
        (sym("F0F0"), "Symbol"),
        (run("[\uf0a9]", ""), "U+F0A9"),
        (sym("rubbish"), "Symbol"),
    ],
)
def test_symbols_of_unknown_meaning_are_reported(tmp_path: Path, runs: str, shown: str) -> None:
    """A reader would not know that something is missing, or where."""
    paper = read(tmp_path, runs)
    assert [block.text for block in paper.blocks] == ["[[symbol]]"]
    assert len(paper.warnings) == 1 and shown in paper.warnings[0]


def test_every_sign_of_the_symbol_font_is_known(tmp_path: Path) -> None:
    """One letter of 188 that is read as another changes a formula."""
    codes = [code for code, name in enumerate(encodings["SymbolEncoding"]) if name not in (None, "space", "apple")]
    runs = "".join(f'<w:r><w:sym w:font="Symbol" w:char="F0{code:02X}"/></w:r>' for code in codes)
    paper = read(tmp_path, runs)
    (block,) = paper.blocks
    assert len(block.text) == len(codes) and not paper.warnings
    at = {name: block.text[codes.index(code)] for code, name in enumerate(encodings["SymbolEncoding"]) if code in codes}
    known = {
        "alpha": "α",
        "Omega": "Ω",
        "mu": "μ",
        "plusminus": "±",
        "lessequal": "≤",
        "greaterequal": "≥",
        "Euro": "€",
    }
    assert {name: at[name] for name in known} == known
