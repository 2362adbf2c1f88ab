"""Formulas in TeX's fonts that do not say what their codes mean."""

from __future__ import annotations

from pathlib import Path

import pytest
import raw_pdf

from conspectus.parse.pdf.glyph_meanings import signs_of_font
from conspectus.parse.pdf.reader import read_pdf

TYPESET = Path(__file__).parent / "typeset"


@pytest.mark.parametrize("name", ["ieee", "article"])
def test_an_integral_is_read_as_one(name: str) -> None:
    """The sign has the code of Z in its font, and the formula could not be found or understood."""
    paper = read_pdf(TYPESET / f"{name}.pdf")
    formulas = [block.text for block in paper.blocks if block.kind == "equation"]
    assert any("∫" in text for text in formulas)
    assert not any("Z" in text for text in formulas)


@pytest.mark.parametrize(
    ("font", "code", "sign"),
    [
        ("CMMI10", 0x0B, "α"),
        ("CMMI7", 0x1B, "σ"),
        ("CMMIB10", 0x22, "ε"),
        ("LMMathItalic10-Regular", 0x0D, "γ"),
        ("CMSY10", 0x14, "≤"),
        ("CMBSY10", 0x21, "→"),
        ("CMEX10", 0x50, "∑"),
        ("CMEX10", 0x58, "∑"),
        ("LMMathExtension10-Regular", 0x5A, "∫"),
    ],
)
def test_codes_mean_what_the_font_draws(font: str, code: int, sign: str) -> None:
    """An alpha would be read as the ligature ff, which has its code in fonts for text, and a sum as P."""
    found = signs_of_font(font)
    assert found is not None
    assert chr(found.codes[code]) == sign
    assert signs_of_font("CMR10") is None


ALPHABET = "CMMI10", {0x0B: "alpha", 0x0C: "beta", 0x0F: "epsilon1", 0x22: "epsilon"}
NAMED = {1: "alpha", 2: "beta", 3: "Sigma", 4: "summation"}


@pytest.mark.parametrize(
    ("base", "names", "shown", "text"),
    [
        (*ALPHABET, "\\013\\014\\017\\042", "αβϵε"),
        ("ABCDEF+CMMI10", {}, "\\013\\014\\042\\041x", "αβεωx"),
        ("LMMathItalic10-Regular", {0x0B: "alpha"}, "\\013\\014", "αβ"),
        ("CMEX10", {0x50: "summationtext", 0x58: "summationdisplay", 0x51: "producttext"}, "PXQ", "∑∑∏"),
        ("ABCDEF+CMEX10", {}, "PXQZ0", "∑∑∏∫⎛"),
        ("CMEX10", {0x30: "parenlefttp", 0x42: "parenleftex"}, "0B", "⎛⎜"),
        ("CMSY10", {0x14: "lessequal", 0x21: "arrowright", 0x32: "element"}, "\\024\\041\\062", "≤→∈"),
        ("CMSY10", {}, "\\000\\024\\000b", "−≤−⌊"),
        ("CMSY10", {}, "\\024\\061\\062A", "≤∞∈A"),
        ("Symbol", {}, "abS\\345", "αβΣ∑"),
        ("Symbol", NAMED, "\\001\\002\\003\\004", "αβΣ∑"),
        ("ABCDEF+Symbol", {}, "abS\\345", "αβΣ∑"),
        ("Symbol", {0xB5: "mu", 0x2D: "hyphen"}, "\\265\\055", "µ-"),
        ("CMSY10", {0x00: "hyphen", 0x03: "asterisk", 0x68: "less"}, "\\000\\003\\150", "-*<"),
        ("SymbolMT", {}, "abS\\345", "αβΣ∑"),
        ("ABCDEF+F17", NAMED, "\\001\\002\\003\\004", "αβΣ∑"),
    ],
)
def test_greek_letters_and_sums_are_read_from_fonts_without_a_table(
    tmp_path: Path, base: str, names: dict[int, str], shown: str, text: str
) -> None:
    """They would be read as ff, P and X: a formula that nobody can find or understand."""
    content = (
        f"BT /F1 10 Tf 72 700 Td (as we read here ) Tj /F2 10 Tf ({shown}) Tj /F1 10 Tf ( and then it ends.) Tj ET"
    )
    fonts = {"F1": raw_pdf.Font("Times-Roman"), "F2": raw_pdf.Font(base, names)}
    paper = read_pdf(raw_pdf.save(tmp_path / "a.pdf", content, fonts))
    read = "".join(block.text for block in paper.blocks).replace(" ", "")
    assert read == f"aswereadhere{text}andthenitends."
