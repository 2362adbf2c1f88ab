"""LaTeX that authors wrote in titles and abstracts of records."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conspectus.parse.registry import reader_for
from conspectus.parse.text.plain_text import decoded
from conspectus.records import ParsedPaper
from helpers import write_jsonl

ATOM = r"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2101.00001v1</id>
<title>The Poincar\'e group and Schr\"odinger operators in $H_2O$</title><summary>Seen {\it in vivo}.</summary>
<published>2021-01-01T00:00:00Z</published><author><name>G\"unter M\"uller</name></author></entry></feed>"""


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"Poincar\'e, Schr\"{o}dinger, distale \`{a} l'aide", "Poincaré, Schrödinger, distale à l'aide"),
        (r"{\'E}cole, M{{\o}}ller, M\o ller, Van\'{\i}\v{c}ek", "École, Møller, Møller, Vaníček"),
        (
            r"{\it ab initio}, \emph{GW} and {\sc Duo} (Yurchenko {\it et al.})",
            "ab initio, GW and Duo (Yurchenko et al.)",
        ),
        (r"100\% of 60 \pm 30 {\AA} at 30{\deg}, \(R\leq 2\)", r"100% of 60 ± 30 Å at 30°, $R\leq 2$"),
        (r"of {x, y} ~10 -- 12 in $\frac{1}{2} \alpha$ \'a", r"of {x, y} ~10 -- 12 in $\frac{1}{2} \alpha$ á"),
        (r"some \kms of \cite{a,b}, \ion{H}{2} and C:\new", r"some \kms of \cite{a,b}, \ion{H}{2} and C:\new"),
        (r"He said \"hello\" to \"a\", it\'s dogs\' bones", 'He said "hello" to "a", it\'s dogs\' bones'),
        (r"a \0 of {\it what was left open", r"a \0 of what was left open"),
        ("ends in \\", "ends in \\"),
        (r"Crohn\'s and don\'t, but Bogot\'a", "Crohn's and don't, but Bogotá"),
        (r"\frac{1}{2} of \href{http://x.org}{this}, e.g.\ 2\,m", "1/2 of this, e.g. 2 m"),
    ],
)
def test_what_authors_wrote_is_read_as_it_prints(written: str, read: str) -> None:
    """Else `Poincar` and `odinger operators` are key phrases, and who looks for Schrödinger does not find him."""
    assert decoded(written) == read


@pytest.mark.parametrize(
    "text",
    [
        *(
            r"Caf\u00e9 and \u03b2-cells",
            r"First line.\r\nSecond",
            r"5 km\/s of http:\/\/x.org\/a",
            r"\d+ of \bword",
        ),
        *(r"P1\{0, 1\}, R \ {0} and G\\H", r"left\right, male\female", r"On A\in B", r"C:\tmp\sim"),
    ],
)
def test_backslashes_of_other_texts_stay(text: str) -> None:
    """Else set differences, paths and escapes of other programs are taken for accents and signs."""
    assert decoded(text) == text


def test_records_of_all_kinds_are_read_so(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(ATOM)
    rows = [{"title": r"On {\it C. elegans}", "authors": [r"Erd\H{o}s, P."], "keywords": [r"na\"ive"], "year": 2020}]
    found = []
    (tmp_path / "c.ris").write_text("TY  - JOUR\nTI  - On Poincar\\'e\nAU  - Poincar\\'e, Henri\nER  - \n")
    (tmp_path / "d.bib").write_text(r"@article{d, title={On \textbackslash{}beta}}")
    for path in (tmp_path / "a.xml", write_jsonl(tmp_path / "b.jsonl", rows), tmp_path / "c.ris", tmp_path / "d.bib"):
        (item,) = reader_for(path).read(path)
        assert isinstance(item, ParsedPaper)
        found.append(item.metadata)
    assert found[0].title == "The Poincaré group and Schrödinger operators in $H_2O$"
    assert (found[0].abstract, found[0].authors[0].name) == ("Seen in vivo.", "Günter Müller")
    assert (found[1].title, found[1].keywords) == ("On C. elegans", ("naïve",))
    assert found[1].authors[0].name == "P. Erdős"
    assert (found[2].title, found[2].authors[0].family) == ("On Poincaré", "Poincaré")
    assert found[3].title == r"On \beta", "what LaTeX prints is not read as LaTeX once more"


@given(st.text("ab{}$\\'\"^~_ no(", max_size=30))
def test_no_text_breaks_it_and_what_has_no_backslash_stays(text: str) -> None:
    assert isinstance(decoded(text), str) and decoded(text.replace("\\", "")) == text.replace("\\", "")
