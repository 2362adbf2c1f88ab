"""TeX as Unicode: whole formulas only, the same on the page."""

import json
from pathlib import Path

import pytest

from conspectus.export.formatted_references import format_references
from conspectus.faces.printer import Printer, one_line
from conspectus.lexicon.inline_tex import page_tables, readable_tex
from conspectus.records import Author, Paper

CASES = json.loads(Path(__file__).with_name("tex_cases.json").read_text())
"""Also read by `web/src/parts/tex.test.ts`."""
PAGE_TABLES = Path(__file__).parents[2] / "web" / "src" / "parts" / "tex.json"


@pytest.mark.parametrize(("text", "wanted"), CASES)
def test_formulas_are_readable(text: str, wanted: str) -> None:
    """Titles would be source text, or a formula would lose an index and mean something else."""
    assert readable_tex(text) == wanted


def test_page_has_the_same_tables(update_golden: bool) -> None:
    """A title would read otherwise on the page than on the command line."""
    text = json.dumps(page_tables(), ensure_ascii=False, indent=1) + "\n"
    if update_golden:
        PAGE_TABLES.write_text(text)
    assert PAGE_TABLES.read_text() == text


def test_references_have_no_tex() -> None:
    """A pasted reference would have dollar signs and commands in its title."""
    paper = Paper(id="p", title=r"Noise of $1/f^{\alpha}$", authors=(Author("Ada Abel"),), year=2020)
    assert "Noise of 1/fᵅ" in format_references([paper])[0].text


def test_command_line_shows_no_tex(capsys: pytest.CaptureFixture[str]) -> None:
    """Titles and sentences in a terminal would be source text; JSON keeps what the paper has."""
    out = Printer()
    out.line((r"Noise of $1/f^{\alpha}$", "title"))
    out.fold(r"Masses of \textit{Mus}: $10^{-3}$ kg.")
    out.json("show", {"title": "$x^2$"})
    assert one_line("$x^2$") == "x²"
    assert capsys.readouterr().out.splitlines()[:2] == ["Noise of 1/fᵅ", "Masses of Mus: 10⁻³ kg."]
