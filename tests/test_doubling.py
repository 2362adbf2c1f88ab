"""What reads texts from outside takes a time in proportion to their length."""

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conspectus.parse.bibliography import bibtex, ris
from conspectus.parse.bibliography.tagged_text import read_medline
from conspectus.parse.markup.latex import read_tex
from conspectus.parse.markup.markdown import build_markdown
from conspectus.parse.markup.page import paper_of_page
from conspectus.parse.people.authors import author_of_name, authors_of
from conspectus.parse.people.bylines import clean_place, keyed_places, places_in_note, read_byline
from conspectus.parse.references.citation_marks import citation_marks
from conspectus.parse.references.entries import parse_reference, split_entries
from conspectus.parse.references.lists import references_of_text
from conspectus.parse.text.blocks import clean_line, text_block
from conspectus.parse.text.identifiers import find_arxiv_id, find_doi, identify, normal_doi
from conspectus.parse.text.key_phrases import key_phrases
from conspectus.parse.text.sentences import split_sentences
from conspectus.search.query_syntax import parse_query
from conspectus.verify.mechanical import hints
from growth import Steep, repeat_text

LENGTH = 5_000
"""Characters of the shorter text; the longer one has four times as many, or as many as are read."""

Read = Callable[[str, Path], Any]


def _file(name: str, read: Callable[[Path], Any], before: str = "", after: str = "") -> Read:
    def from_file(text: str, home: Path) -> Any:
        (home / name).write_text(f"{before}{text}{after}", "utf-8")
        found = read(home / name)
        return list(found) if hasattr(found, "__next__") else found

    return from_file


def _text(read: Callable[[str], Any], before: str = "", after: str = "") -> Read:
    return lambda text, home: read(f"{before}{text}{after}")


def _cited(text: str) -> Any:
    return citation_marks(
        [text_block("paragraph", text), text_block("reference", "Smith A. 2010. On moss.")],
        [parse_reference("[1] Smith A. 2010. On moss.", "1", "[1]")],
    )


_TEX = "\\documentclass{article}\\title{Moss}\\begin{document}\n"
_END = "\n\\end{document}"
READS: dict[str, Read] = {
    "name": _text(author_of_name),
    "names": _text(lambda text: authors_of(text, ValueError)),
    "byline": _text(read_byline),
    "place": _text(clean_place),
    "stacked place": _text(lambda text: clean_place(text, stacked=True)),
    "places": _text(lambda text: keyed_places(text, "1a*")),
    "note of places": _text(places_in_note, "A. Bee is with "),
    "line": _text(clean_line),
    "reference": _text(lambda text: parse_reference(text[:4_000], "1"), "Smith A. "),
    "entries": _text(split_entries),
    "list of references": _text(references_of_text, "[1] A. B. Moss. 2010.\n"),
    "DOI": _text(find_doi),
    "DOI alone": _text(normal_doi, "doi:"),
    "arXiv id": _text(find_arxiv_id),
    "identifier": _text(identify),
    "sentences": _text(split_sentences),
    "key phrases": _text(lambda text: key_phrases(text[:2_000], text)),
    "hints": _text(lambda text: hints(text, ["IL-6 rose to 5 mg."])),
    "citations": _text(_cited),
    "Markdown": _text(build_markdown, "# Moss\n\n"),
    "query": _text(parse_query),
    "HTML": _text(lambda text: paper_of_page(text.encode(), "a.html"), "<html><title>Moss</title><body><p>"),
    "style sheet": _text(lambda text: paper_of_page(text.encode(), "a.html"), "<style>", "</style><p>Moss"),
    "LaTeX": _file("a.tex", read_tex, _TEX, _END),
    "LaTeX's head": _file("a.tex", read_tex, "\\documentclass{article}", "\\begin{document}Moss.\\end{document}"),
    "LaTeX's authors": _file("a.tex", read_tex, "\\documentclass{article}\\author{", "}\\begin{document}Moss." + _END),
    "BibTeX": _file("a.bib", bibtex.read, "@article{k, title = {", "}}"),
    "BibTeX's authors": _file("a.bib", bibtex.read, "@article{k, title = {Moss}, author = {", "}}"),
    "BibTeX's head": _file("a.bib", bibtex.read),
    "RIS": _file("a.ris", ris.read, "TY  - JOUR\nTI  - Moss\nAU  - ", "\nER  - \n"),
    "MEDLINE": _file("a.nbib", read_medline, "PMID- 1\nTI  - Moss\nAU  - ", "\n"),
}
UNITS = (
    "a", "A", "0", " ", "\n", "\t", ".", ",", ";", "(", "[", "{", "<", "*", "_", "`", "\\", "$", "&", "#", "-", "'",
    '"', "A. ", "a. ", "A, ", "Moss, A. ", "0,", "0.0", "1 ", "a@", "(A", "(a ", "[1", "[1] ", "and ", " and", "Van ",
    "*,", "1,2",
    "(Smith 2010; ", "Smith et al. ", "10.1000/", "doi:", "http://.", "arXiv:", "e-mail: ", "a\n", "\n\n", "-\n", "A\n",
    "\\a{", "\\usepackage[", "\\begin{a}", "\\if", "\\input{", "\\cite{", "\\def\\a", "\\author{", "$$", "%\n",
    "<a ", "<b>", "<!--", "<p>", "&amp;", "/*", "a{", ":a(", "@a{", "@", "= {", "AU  - ", "NOT ", "OR a ", "title:",
    '"a ',
    "| a ", "> ", "- ", "![", "](", "~~", "://:0", "//@", ":#", "=", "α", "\u0301", "。", "中",
)  # fmt: skip


def _grows(steep: Steep, read: Read, unit: str, home: Path) -> str:
    return steep(lambda length: read(repeat_text(unit, length), home), LENGTH)


@pytest.mark.parametrize("name", READS)
def test_four_times_as_much_takes_four_times_as_long(name: str, tmp_path: Path, steep: Steep) -> None:
    """Lost otherwise: minutes, to a file of some kilobytes that repeats one sign."""
    gc.disable()
    try:
        assert not [f"{unit!r}: {found}" for unit in UNITS if (found := _grows(steep, READS[name], unit, tmp_path))]
    finally:
        gc.enable()
