"""Formulas in TeX's fonts that do not say what their codes mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from conspectus.parse.pdf import read_pdf
from conspectus.parse.pdf.texfonts import meanings

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
    found = meanings(font)
    assert found is not None
    assert chr(found[code]) == sign
    assert meanings("CMR10") is None
