"""Text for LaTeX: it prints what was written, runs nothing, and stops at no letter."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conspectus.export.report import latex_preamble, latex_text
from conspectus.lexicon import pairs, words

TITLES = [
    r"\input{/etc/passwd} \write18{rm} $HOME a_b ^1 # & 100% ~ {x} [y] <z> -- ,,low'' ?` !` it's | ^^41 \end{document}",
    r"On $\alpha$-decay and \textbf{bold} {\'e}tudes \& the $10^{-3}$ limit of $\frac{a}{b} in NH$_3$ }{ \begin{x}",
    "Über β-Amyloid, 10⁻³ µm ± 2 °C; α ≤ 0.5 → “quotes” – Ł ő ș ﬁne 中文 Привет x̄ 𝛼 \u200b\u00ad\U0001f600 √2 ∑ ℝ ′ ₂",
    '"straight" ‑ אב ﷺ ½',
    "".join(pairs(words("latex")["symbols"]).values()),
]


def document(*titles: str) -> str:
    body = "\n\n".join(map(latex_text, titles))
    return f"{latex_preamble(body)}\\begin{{document}}\n{body}\n\\end{{document}}\n"


@pytest.mark.parametrize("title", TITLES)
def test_nothing_in_a_title_is_a_command(title: str) -> None:
    """What a paper is called must not read files where a report is typeset, nor open what is never closed."""
    text = latex_text(title)
    left = re.sub(r"\\((?:text[a-z]+|allowbreak)\{\}|[&%$#_{}])", "", text)
    assert not re.search(r"[$&%#_^~\\]", left)
    assert left.count("{") == left.count("}")
    assert not re.search(r"--|,,|''|[?!]`", text)  # they would print as another sign


@pytest.mark.parametrize("title", TITLES)
def test_each_letter_that_pdftex_may_lack_has_a_command(title: str) -> None:
    """One Greek letter in a title would stop pdflatex."""
    text = document(title)
    declared = set(re.findall(r"^\\letter\{(.)\}\{([0-9A-F]{4,6})\}\{[A-Za-z]*\}\{.*\}$", text, re.MULTILINE))
    assert {(letter, f"{ord(letter):04X}") for letter in text if ord(letter) > 0x7F} == declared


def test_long_words_can_be_broken_and_greek_needs_no_font() -> None:
    """An address in a table stood out of the page, and lualatex left out Greek letters, which its font lacks."""
    text = latex_text(f"{'a' * 45}#{'b' * 44} short")
    assert text.replace("\\allowbreak{}", "") == f"{'a' * 45}\\#{'b' * 44} short"
    assert max(map(len, text.split("\\allowbreak{}"))) <= 16
    preamble = latex_preamble("αο")
    assert preamble.index("\\iffontchar") < preamble.index("\\letter{α}{03B1}{alpha}"), "of all engines"
    assert "\\letter{ο}{03BF}{}{o}" in preamble


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no LaTeX (apt-get install texlive-latex-base lmodern)")
def test_documents_are_typeset(tmp_path: Path) -> None:
    """A report that LaTeX cannot typeset is of no use to who asked for LaTeX."""
    pypdfium2 = pytest.importorskip("pypdfium2")
    (tmp_path / "a.tex").write_text(document(*TITLES), "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "a.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    pdf = pypdfium2.PdfDocument(tmp_path / "a.pdf")
    printed = "".join(pdf[number].get_textpage().get_text_range() for number in range(len(pdf)))
    pdf.close()
    assert r"\input{/etc/passwd} \write18{rm} $HOME a_b ^1 # & 100% ~ {x} [y] <z> -- ,," in " ".join(printed.split())
    assert all(letter in printed for letter in "Üβµ±αŁő√")
