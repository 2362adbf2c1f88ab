"""BibTeX as people and programs really write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conspectus.parse.bibliography.bibtex import bibtex_name, bibtex_names, read
from conspectus.parse.bibliography.fields import bibtex_files, plain_files
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.text.plain_text import decoded, plain_text, verbatim
from conspectus.records import Author, Metadata, ParsedPaper


def items(tmp_path: Path, text: str | bytes) -> list[Item]:
    path = tmp_path / "refs.bib"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read(path))


def only(tmp_path: Path, text: str | bytes) -> Metadata:
    (item,) = items(tmp_path, text)
    assert isinstance(item, ParsedPaper), item
    return item.metadata


FULL = r"""
Anything may stand here, jane@example.org (too).
@string{apj = "Astrophys. J."}
@comment{jabref-meta: databaseType:bibtex;}
@preamble{"\newcommand{\x}{y}"}
@Article{rubin1980,
  Author    = {Rubin, Vera C. and Ford, Jr., W. Kent and {NASA Team, The} and Ludwig van Beethoven and others},
  title     = {Rotational Properties of 21 {SC} Galaxies \& {G{\"o}del's} $\alpha$ H$_2$O 50\%},
  journal   = apj # " Letters",
  year      = 1980, month = jun # "~5",
  volume    = 238, number = "2",
  pages     = "471--487",
  doi       = {https://doi.org/10.1086/158003},
  eprint    = {astro-ph/0601001}, archivePrefix = "arXiv",
  adsurl    = {https://ui.adsabs.harvard.edu/abs/1980ApJ...238..471R},
  keywords  = {galaxies, rotation},
  abstract  = {One  line.

     Another {\it line}.},
  url       = {http://a.example/c\_d%20},
  editor    = {A. Smith and Jones, B.},
  note      = "Say {"}no{"}",
  empty     = {},
}
"""


def test_every_field_arrives(tmp_path: Path) -> None:
    """Lost otherwise: filters by year, author or venue, and what an export gives back."""
    data = only(tmp_path, FULL)
    assert data.title == "Rotational Properties of 21 SC Galaxies & Gödel's α H₂O 50%"
    assert data.authors == (
        Author("Vera C. Rubin", "Rubin", "Vera C."),
        Author("W. Kent Ford Jr.", "Ford", "W. Kent"),
        Author("NASA Team, The", "NASA Team, The"),
        Author("Ludwig van Beethoven", "van Beethoven", "Ludwig"),
    )
    assert (data.venue, data.year, data.date) == ("Astrophys. J. Letters", 1980, "1980-06-05")
    assert (data.doi, data.arxiv_id, data.bibcode) == ("10.1086/158003", "astro-ph/0601001", "1980ApJ...238..471R")
    assert (data.external_id, data.keywords) == ("rubin1980", ("galaxies", "rotation"))
    assert data.abstract == "One line.\n\nAnother line."
    assert data.url == "http://a.example/c_d%20"
    assert data.extra == {
        "type": "article-journal",
        "volume": "238",
        "number": "2",
        "pages": "471-487",
        "editor": ["A. Smith", "B. Jones"],
        "note": 'Say "no"',
    }


def test_a_child_inherits_from_its_proceedings(tmp_path: Path) -> None:
    """Lost otherwise: venue and year of every conference paper, as the parent stands behind its children."""
    text = """@inproceedings{c, title={Child}, crossref={P}, pages={1}}
    @proceedings{p, title={Proc. of X}, year=2001, publisher={Y}, doi={10.1000/p}}"""
    child, _ = items(tmp_path, text)
    assert isinstance(child, ParsedPaper)
    data = child.metadata
    assert (data.title, data.venue, data.year, data.doi) == ("Child", "Proc. of X", 2001, "")
    assert data.extra["publisher"] == "Y"


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("@article{a, title = {No end\n\n", "has no end"),
        ('@article{a, title = "No end,\n}\n', "not well formed"),
        ("@article{a, title = {T}, year 1990}\n", "not well formed near 'year 1990'"),
        ("@article{}\n", "has neither a key nor fields"),
        ("@article{a, year = 1990}\n", "neither a title"),
        ("@article{a, title = {%s}}\n" % ("x\n" * 2**21), "is longer than"),
    ],
)
def test_a_broken_entry_costs_itself(tmp_path: Path, broken: str, reason: str) -> None:
    """Lost otherwise: everything behind one missing brace."""
    text = "@misc{first, title={First}}\n" + broken + "@misc{last, title = {Last}}\n"
    first, wrong, last = items(tmp_path, text)
    assert isinstance(first, ParsedPaper)
    assert isinstance(last, ParsedPaper)
    assert isinstance(wrong, BadRecord)
    assert reason in wrong.reason
    assert wrong.where == "line 2"


def test_odd_but_good_files(tmp_path: Path) -> None:
    """Lost otherwise: the files of publishers' download buttons."""
    crossref = " @article{S_2015, title={Effect of\n   PIK }, number={1–2}, pages={1–11}, year={2015}, month=dec }\n"
    data = only(tmp_path, crossref)
    assert (data.title, data.date, data.extra["pages"]) == ("Effect of PIK", "2015-12", "1-11")
    assert only(tmp_path, "@book(key, title = {T}, year = 1999)").extra["type"] == "book"
    assert only(tmp_path, "@article{a,title={T},date={2019-03-07/2019-04},journaltitle={J}}").date == "2019-03-07"
    assert only(tmp_path, "\ufeff@misc{a, title={T}}").title == "T"
    assert only(tmp_path, "@misc{a, title={Müller}}".encode("cp1252")).title == "Müller"
    assert only(tmp_path, "@misc{a, title={T} year={1990}\r\n}").year == 1990
    preprint = only(tmp_path, "@misc{a, title={T}, eprint={2101.00001v2}, eprinttype={arXiv}}")
    assert (preprint.arxiv_id, preprint.extra) == ("2101.00001", {"type": "preprint"})
    assert (
        only(tmp_path, r"@misc{a, title={T}, howpublished={\url{https://x.example/a_b}}}").url
        == "https://x.example/a_b"
    )
    nested = only(tmp_path, "@article{a, title={The {{Deep} {$x^2$}} story}, subtitle={A tale}}")
    assert nested.title == "The Deep x² story: A tale"


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"{\'E}t{\'{e}} na{\"\i}ve \'{\i} \H{o} {\H o} \v{S}\c{c} \r a \L{}\o \ss", "Été naïve í ő ő Šç å Łøß"),
        (r"\AA ngstr\"om, Erd\H{o}s, \'{}", "Ångström, Erdős, '"),
        (r"10$^{-3}$ $\mathrm{H}_{2}$O $\sim$5\,K \textit{in vivo} \emph{x}", "10⁻³ H₂O ∼5 K in vivo x"),
        (r"50\% \& \$5 \#1 a\_b \{x\} costs $5", "50% & $5 #1 a_b {x} costs $5"),
        (r"``quoted'' pages 1--5---6 a~b \textemdash{} \ldots", "“quoted” pages 1–5—6 a b — …"),
        (r"\unknown{kept} \foo bar \href{http://x}{words} \frac{1}{2}", "kept foo bar words 1/2"),
        (r"\textbackslash{}x \textasciitilde{}\textasciicircum{} \~{} \^{}", "\\x ~^ ~ ^"),
        ("}}{ unbalanced {", " unbalanced "),
        ("plain", "plain"),
    ],
)
def test_latex_becomes_letters(latex: str, text: str) -> None:
    """Lost otherwise: every name with an accent, in search and in lists."""
    assert plain_text(latex) == text


def test_latex_of_any_size_is_read_in_time() -> None:
    """Lost otherwise: minutes, for a file made to take them."""
    for bad in ("{" * 200_000, "$" * 200_001, "\\'" * 100_000, "{\\'e}" * 100_000, "\\a" * 100_000, "}" * 200_000):
        assert isinstance(plain_text(bad), str) and isinstance(decoded(bad), str)
    assert verbatim(r"a\_b{\_}c\~{}d$\sim$e\%20") == "a_b_c~d~e%20"


@pytest.mark.parametrize(
    ("text", "name", "family", "given"),
    [
        ("Vera Rubin", "Vera Rubin", "Rubin", "Vera"),
        ("Jean de La Fontaine", "Jean de La Fontaine", "de La Fontaine", "Jean"),
        ("de La Fontaine, Jean", "Jean de La Fontaine", "de La Fontaine", "Jean"),
        ("King, Jr., Martin Luther", "Martin Luther King Jr.", "King", "Martin Luther"),
        (r"{\'E}mile {Van Damme}", "Émile Van Damme", "Van Damme", "Émile"),
        ("{Barnes and Noble}", "Barnes and Noble", "Barnes and Noble", ""),
        ("Plato", "Plato", "", ""),
        ("Li, X", "X Li", "Li", "X"),
    ],
)
def test_names_are_taken_apart_as_bibtex_does(text: str, name: str, family: str, given: str) -> None:
    """Lost otherwise: filters by family name, and citations by the wrong one."""
    found = bibtex_name(text)
    assert (found["literal"], found.get("family", ""), found.get("given", "")) == (name, family, given)
    assert bibtex_names(f"{text} and others") == bibtex_names(f"{text}\n  AND {text}")[:1]


@pytest.mark.parametrize(
    ("field", "paths"),
    [
        (":papers/a.pdf:PDF", ["papers/a.pdf"]),
        ("papers/a.pdf", ["papers/a.pdf"]),
        ("a.pdf;b.pdf", ["a.pdf", "b.pdf"]),
        (r"Full Text:files/a\:b\;c.pdf:application/pdf;Snapshot:s.html:text/html", ["files/a:b;c.pdf", "s.html"]),
        ("Full Text PDF:/home/u/Zotero/storage/A/x y.pdf:application/pdf", ["/home/u/Zotero/storage/A/x y.pdf"]),
        (":home/u/Mendeley/x.pdf:pdf", ["/home/u/Mendeley/x.pdf"]),
        (r":C$\backslash$:/Users/u/x.pdf:pdf", ["C:/Users/u/x.pdf"]),
        (r":C\:\\Users\\u\\x.pdf:PDF", ["C:/Users/u/x.pdf"]),
        (r"C:\Users\x.pdf", ["C:/Users/x.pdf"]),
        ("note:p.pdf", ["p.pdf"]),
        (r"a\_b \& c.pdf", ["a_b & c.pdf"]),
        ("http://x.example/a.pdf", []),
        (r":http\://x.example/a.pdf:PDF", []),
        (r":\\\\server\\share\\a.pdf:PDF", []),
        ("//server/share/a.pdf", []),
        ("file:///home/u/a%20b.pdf", ["/home/u/a b.pdf"]),
        ("file://server/a.pdf", []),
        ("", []),
    ],
)
def test_files_as_programs_name_them(field: str, paths: list[str]) -> None:
    """Lost otherwise: the PDFs of a whole reference manager."""
    assert list(bibtex_files(field)) == paths


def test_files_of_ris_and_endnote() -> None:
    """Lost otherwise: the same, from EndNote."""
    named = ["internal-pdf://123/a b.pdf", "file:///C:/x.pdf", "a.pdf; b.pdf", "https://x.example/a.pdf", "a.pdf"]
    assert plain_files(named) == ("123/a b.pdf", "C:/x.pdf", "a.pdf", "b.pdf")


def test_macros_that_explode_cost_the_entries_that_use_them(tmp_path: Path) -> None:
    """Lost otherwise: the memory, or in silence the text of an entry, to a few lines of `@string`."""
    lines = ['@string{m0 = "lol"}'] + [f"@string{{m{n} = {' # '.join([f'm{n - 1}'] * 10)}}}" for n in range(1, 12)]
    lines += ["@article{bad, title = m11}", "@article{good, title = {Cats}, journal = m1}"]
    lines += ["@article{worse, title = m9 # m9}"]
    path = tmp_path / "lol.bib"
    path.write_text("\n".join(lines))
    first, second, third = list(read(path))
    assert isinstance(first, BadRecord) and first.where == "line 13" and "too long" in first.reason
    assert isinstance(second, ParsedPaper) and second.metadata.venue == "lol" * 10
    assert isinstance(third, BadRecord)
