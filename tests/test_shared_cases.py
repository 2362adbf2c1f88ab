"""The small files that once were read wrongly (`../shared/cases`): each is read as `EXPECT.tsv` says."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from case_reading import (
    add_vocabulary,
    concept_names,
    is_refused,
    names,
    prose,
    read_paper,
    read_papers,
    searched,
    texts,
)
from conspectus import Library
from helpers import open_library
from shared_data import data_folder

CASES = data_folder().parent / "cases"
AEGEAN = "Tides of the Aegean"
TITLE = "Tides of Open Coasts over Forty Years"
LIGATURES = (
    "The verification of the first fluctuations in offices is a difficult work of the field. "
    "The effect of inflation and of the final flow is affected by the coast and its fish."
)
Check = Callable[[Path], None]
VocabularyCheck = Callable[[Path, Library], None]
PARSED: dict[str, Check] = {}
"""File -> its check, of what a reader reads."""
VOCABULARIES: dict[str, VocabularyCheck] = {}
"""File -> its check, of vocabularies."""
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not CASES.is_dir(), reason="there is no folder of shared cases: set CONSPECTUS_DATA"),
]


def check(file: str) -> Callable[[Check], Check]:
    def register(function: Check) -> Check:
        PARSED[file] = function
        return function

    return register


def check_vocabulary(file: str) -> Callable[[VocabularyCheck], VocabularyCheck]:
    def register(function: VocabularyCheck) -> VocabularyCheck:
        VOCABULARIES[file] = function
        return function

    return register


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(tmp_path_factory.mktemp("cases") / "lib") as opened:
        yield opened


# PDFs


@check("pdf_lang_de.pdf")
def _(path: Path) -> None:
    paper = read_paper(path)
    assert {"1 Einleitung", "2 Methoden"} <= set(texts(paper, "heading"))
    paragraphs = [text for text in prose(paper) if text != paper.metadata.abstract]
    beginning = "Die Gezeiten steigen zweimal am Tag an den offenen Küsten des Ozeans. Stürme treiben das Wasser höher"
    assert beginning in searched(paper)
    assert len(paragraphs) in (12, 13)  # the abstract may be one of them, or not
    assert all(text.startswith(tuple("DSAWH")) and text.endswith(".") for text in paragraphs)
    assert not any("Gezeiten steigen" in left.text for left in paper.left_out)


@check("pdf_lang_de_one.pdf")
def _(path: Path) -> None:
    paper = read_paper(path)
    assert paper.metadata.title == "Gezeiten offener Küsten in vierzig Jahren"
    (text,) = prose(paper)
    assert text.startswith("Die Gezeiten steigen zweimal") and text.endswith("in jedem Jahr um drei Millimeter.")


@check("pdf_rotate90.pdf")
def _(path: Path) -> None:
    paper = read_paper(path)
    assert paper.metadata.abstract.startswith(
        "Tides rise twice a day along the open coasts of the ocean. Storms push the water higher than the tides alone "
        "would do. Rivers carry the wave far into the land on many of the coasts."
    )
    assert "Harbour walls built in the period changed the readings of two ports. We corrected these" in searched(paper)
    headings = texts(paper, "heading")
    assert headings.index("1 Introduction") < headings.index("2 Methods") < headings.index("2.1 Model")


@check("pdf_preproof.pdf")
def _(path: Path) -> None:
    assert read_paper(path).metadata.title == TITLE


@check("pdf_jstor.pdf")
def _(path: Path) -> None:
    paper = read_paper(path)
    assert names(paper) == ["Nikos Papas", "Eleni Vlachos"]
    assert paper.metadata.venue == "Sea Letters"


@check("pdf_hal.pdf")
def _(path: Path) -> None:
    assert read_paper(path).metadata.doi == "10.1234/tides.1"


@check("pdf_lig_pua.pdf")
@check("pdf_lig_wrongacc.pdf")
@check("pdf_lig_space.pdf")
def _(path: Path) -> None:
    assert LIGATURES in searched(read_paper(path))


@check("pdf_linenum_right5.pdf")
def _(path: Path) -> None:
    paper = read_paper(path)
    assert not any(re.fullmatch(r"[\d\s]+", text) for text in prose(paper))
    assert not re.search(r"\b(?:5|10|15|20)\b", searched(paper))


@check("pdf_cjk.pdf")
def _(path: Path) -> None:
    paper = read_paper(path)
    assert paper.metadata.title == "开放海岸四十年的潮汐"
    assert names(paper) == ["王伟", "李娜"]
    text = "".join(searched(paper).split())
    assert "潮汐每天在开放的海岸上升两次。风暴把水推得更高。" in text
    assert "北方港口的增长弱于南方港口。具有两个项的模型解释了大部分方差。" in text
    assert any("平均高度每年增加三毫米" in text for text in prose(paper))


@check("txt_is_pdf.txt")
def _(path: Path) -> None:
    if not is_refused(path):
        paper = read_paper(path)
        assert "endobj" not in searched(paper) and paper.metadata.title and prose(paper)


# Tables of databases


@check("table_scopus.csv")
def _(path: Path) -> None:
    found = read_paper(path).metadata
    assert (found.venue, found.keywords[:2], found.citation_count) == ("Sea Letters", ("tides", "sea"), 17)


@check("table_zotero.csv")
def _(path: Path) -> None:
    found = read_paper(path).metadata
    assert (found.abstract, found.venue) == ("Tides are weak in the Aegean.", "Sea Letters")


@check("table_ieee.csv")
def _(path: Path) -> None:
    found = read_paper(path).metadata
    assert (found.title, found.venue) == (AEGEAN, "Sea Letters")


@check("table_covidence.csv")
def _(path: Path) -> None:
    assert read_paper(path).metadata.year == 2012


@check("table_wos_tab.tsv")
def _(path: Path) -> None:
    first, second = read_papers(path)
    found = first.metadata
    assert found.title == AEGEAN and found.venue.lower() == "sea letters"
    assert [author.surname for author in found.authors] == ["Papas", "Vlachos"]
    assert (found.abstract, found.doi, found.year) == ("Tides are weak in the Aegean.", "10.1234/tides.1", 2012)
    assert (second.metadata.title, second.metadata.year) == ("Tides of the Adriatic", 2013)


@check("table_excel_sep.csv")
def _(path: Path) -> None:
    found = read_paper(path).metadata
    assert (found.title, found.year, found.abstract) == (AEGEAN, 2012, "Tides are weak.")


# Tagged formats


@check("tagged_endnote_refer.enw")
def _(path: Path) -> None:
    paper = read_paper(path)
    found = paper.metadata
    assert (found.title, found.year, found.venue) == (AEGEAN, 2012, "Sea Letters")
    assert names(paper) == ["Nikos Papas"] and found.abstract == "Tides are weak in the Aegean."


@check("tagged_endnote_refer.txt")
@check("tagged_wos.ciw")
@check("nbib_eric.nbib")
def _(path: Path) -> None:
    first, second = read_papers(path)
    titles = [first.metadata.title, second.metadata.title]
    eric = path.suffix == ".nbib"
    assert titles == (["Tests of tides", "Tests of waves"] if eric else [AEGEAN, "Tides of the Adriatic"])
    assert [author.surname for author in second.metadata.authors] == ["Rossi"]
    assert first.metadata.authors[0].surname == "Papas"
    assert (first.metadata.year, second.metadata.year) == (2012, 2013)


@check("ris_ty_not_first.ris")
def _(path: Path) -> None:
    first, second = (paper.metadata for paper in read_papers(path))
    assert (first.title, first.abstract) == ("Habitat use of baboons in a canyon", "Baboons use cliffs at night.")
    assert ([author.surname for author in first.authors], first.year) == (["Marai"], 2006)
    assert (second.title, second.year) == ("Second paper of rivers", 2007)
    assert [author.surname for author in second.authors] == ["Brook"]


@check("ris_empty_t2.ris")
def _(path: Path) -> None:
    assert read_paper(path).metadata.venue == "Acta Maris"


@check("ris_ebsco_t2.ris")
def _(path: Path) -> None:
    assert read_paper(path).metadata.venue == "Chronicle"


@check("ris_y1_da.ris")
def _(path: Path) -> None:
    found = read_paper(path).metadata
    assert (found.year, found.date) in [(2014, "2014-04-01"), (2013, "2013-05-28"), (2013, "2013"), (2013, "")]


@check("nbib_suffix.nbib")
def _(path: Path) -> None:
    assert names(read_papers(path)[0])[1].replace(",", "") == "Martin L King Jr"


# BibTeX, JSON, XML, Markdown, Word


@check("bib_month_number.bib")
def _(path: Path) -> None:
    assert [paper.metadata.date for paper in read_papers(path)] == ["2003-06", "2003-12"]


@check("bib_nokey.bib")
def _(path: Path) -> None:
    found = [paper.metadata.title for paper in read_papers(path)]
    assert found == [AEGEAN, "Tides of the Adriatic", "Third"]


@check("bib_html.bib")
def _(path: Path) -> None:
    assert read_paper(path).metadata.title == "Title with Homo sapiens & CO2"


@check("bib_extname.bib")
def _(path: Path) -> None:
    assert names(read_paper(path)) == ["Jan de Vries", "Wei Li"]


@check("bib_hook.bib")
def _(path: Path) -> None:
    assert names(read_paper(path)) == ["Ngô Bảo"]


@check("zotero_items.json")
def _(path: Path) -> None:
    if not is_refused(path):
        paper = read_paper(path)
        assert (names(paper), paper.metadata.year) == (["Nikos Papas"], 2012)


@check("pubmed_bookset.xml")
def _(path: Path) -> None:
    found = read_paper(path).metadata
    assert (found.title, found.pmid, found.year) == ("Salt in seas", "3", 2003)


@check("jats_entity_in_ref.xml")
def _(path: Path) -> None:
    paper = read_paper(path)
    assert "Tides rise twice a day." in searched(paper)
    (reference,) = paper.references
    assert "Can’t stop tides 12–24" in reference.text


@check("jats_oai.xml")
def _(path: Path) -> None:
    paper = read_paper(path)
    found = paper.metadata
    assert (found.title, found.doi, found.venue) == ("Tides by harvest", "10.1234/tides", "Sea Letters")
    assert "Tides rise twice a day." in searched(paper)


@check("md_joss.md")
def _(path: Path) -> None:
    paper = read_paper(path)
    assert (names(paper), paper.metadata.date) == (["Nikos Papas", "Eleni Vlachos"], "2017-08-13")


@check("docx_symbol.docx")
def _(path: Path) -> None:
    paper = read_paper(path)
    assert "long. α stands for the angle" in searched(paper) or any("symbol" in note for note in paper.warnings)


# Vocabularies


@check_vocabulary("voc_noheader.obo")
@check_vocabulary("voc_xref_backslash.obo")
@check_vocabulary("voc_def_xref_text.obo")
def _(path: Path, library: Library) -> None:
    added = add_vocabulary(library, path)
    assert added.outcome == "added", added.reason
    assert concept_names(library, path.name) == {
        "neap tide": {"neap tide", "quarter tide"},
        "spring tide": {"spring tide", "low tide"},
    }


@check_vocabulary("voc_xref_space.obo")
@check_vocabulary("voc_nodbxref.obo")
@check_vocabulary("voc_unescaped_quote.obo")
def _(path: Path, library: Library) -> None:
    added = add_vocabulary(library, path)
    assert added.outcome == "added", added.reason
    found = concept_names(library, path.name)
    assert set(found) == {"neap tide", "spring tide"} and "low tide" in found["spring tide"]
    taken = {"quarter tide", "3,3',3\"-tidal acid"} & found["neap tide"]
    assert taken or any("line 8" in note for note in added.notes)


@check_vocabulary("voc_panic.obo")
def _(path: Path, library: Library) -> None:
    added = add_vocabulary(library, path)
    if added.outcome == "added":
        assert set(concept_names(library, path.name)) == {"neap tide", "spring tide"}
    else:
        assert re.search(r"\bline \d", added.reason) and "crash" not in added.reason


@check_vocabulary("voc_skosxl.ttl")
def _(path: Path, library: Library) -> None:
    assert add_vocabulary(library, path).outcome == "added"
    assert concept_names(library, path.name) == {"neap tide": {"neap tide", "quarter tide"}}


@check_vocabulary("voc_bioportal.csv")
def _(path: Path, library: Library) -> None:
    added = add_vocabulary(library, path)
    assert added.outcome == "added", added.reason
    found = concept_names(library, path.name)
    assert found == {"neap tide": {"neap tide", "quarter tide", "weak tide"}, "spring tide": {"spring tide"}}


# What a library makes of a file


@pytest.mark.usefixtures("quick_pool")
def test_organisations_stay_whole_in_lists_and_exports(tmp_path: Path) -> None:
    """A list would say 'Organization 2001', and an exported bibliography would sort a group by its last word."""
    with open_library(tmp_path / "lib") as library:
        library.add([CASES / "bib_org.bib"])
        (paper,) = library.papers()
        written = io.StringIO()
        library.export("bibtex", written)
    assert paper.authors[0].name == paper.byline == "World Health Organization"
    assert "{{World Health Organization}}" in written.getvalue()


@pytest.mark.parametrize("file", sorted(PARSED))
def test_a_shared_case_is_read_as_expected(file: str) -> None:
    """A user's file of this kind would lose words, names or dates, or be refused."""
    PARSED[file](CASES / file)


@pytest.mark.parametrize("file", sorted(VOCABULARIES))
def test_a_shared_vocabulary_is_read_as_expected(file: str, library: Library) -> None:
    """One bad line would cost the user the whole vocabulary."""
    VOCABULARIES[file](CASES / file, library)


def test_every_shared_case_has_a_check() -> None:
    """A file without a check would be read wrongly again, and nobody would see it."""
    with (CASES / "EXPECT.tsv").open(encoding="utf-8", newline="") as table:
        listed = {row["file"] for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)}
    there = {path.name for path in CASES.iterdir()} - {"EXPECT.tsv"}
    assert listed == there == {*PARSED, *VOCABULARIES, "bib_org.bib"}
