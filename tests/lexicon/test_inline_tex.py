"""Inline TeX as Unicode: whole formulas only."""

import pytest

from conspectus.export.formatted_references import format_references
from conspectus.lexicon.inline_tex import readable_tex
from conspectus.records import Author, Paper


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"$1/f^{\alpha}$ noise", "1/fᵅ noise"),
        (r"$m_χ\gtrsim 0.01$", "mᵪ≳ 0.01"),
        (r"$\ell_0$-sparsification", "ℓ₀-sparsification"),
        (r"$\mathrm{H}_2$O and $10^{-3}$", "H₂O and 10⁻³"),
        (r"$\ev{f_i}$", r"$\ev{f_i}$"),
        (r"$\sqrt{xy}$", r"$\sqrt{xy}$"),
        ("$f_{NL}$", "$f_{NL}$"),
        ("costs $5 and $6", "costs $5 and $6"),
    ],
)
def test_formulas_are_readable(text: str, wanted: str) -> None:
    """Titles would be source text, or a formula would lose an index and mean something else."""
    assert readable_tex(text) == wanted


def test_references_have_no_tex() -> None:
    """A pasted reference would have dollar signs and commands in its title."""
    paper = Paper(id="p", title=r"Noise of $1/f^{\alpha}$", authors=(Author("Ada Abel"),), year=2020)
    assert "Noise of 1/fᵅ" in format_references([paper])[0].text
