"""TEI: what GROBID makes of a PDF, with its places."""

from __future__ import annotations

from pathlib import Path

import pytest

from conspectus.core.errors import InputError
from conspectus.parse.markup.tei import places_of, read_tei
from conspectus.records import Author, Place
from xml_samples import TEI, assert_sound, describe_blocks, describe_marks, tei, write_xml


def test_the_metadata() -> None:
    """Lost otherwise: what the paper is."""
    found = tei().metadata
    assert (found.title, found.date, found.year, found.venue) == (
        "Why cats purr",
        "2019-03-07",
        2019,
        "Journal of Cats",
    )
    assert (found.doi, found.arxiv_id) == ("10.1000/cats.7", "1901.00007")
    assert found.keywords == ("purring", "cats")
    assert found.abstract == "Cats purr. Nobody knows why."
    assert found.authors == (
        Author("Ann M Lee", "Lee", "Ann M", "0000-0002-1825-0097", ("Institute of Felines, Oslo, Norway",)),
        Author("Bo Roe", "Roe", "Bo", "", ("Vets, Cat House, Bergen, Norway",)),
    )


def test_the_text() -> None:
    """Lost otherwise: sections with their levels, which GROBID only tells by number."""
    paper = tei()
    assert_sound(paper)
    assert describe_blocks(paper) == [
        ("abstract", "Cats purr. Nobody knows why."),
        ("heading", "1 Introduction"),
        ("paragraph", "Cats purr [1]-[3] often. As in Fig. 1 and Table 1, and [9]."),
        ("heading", "1.1 The formula"),
        ("paragraph", "It is so:"),
        ("equation", "P = E / t"),
        ("paragraph", "One sentence with a place."),
        ("paragraph", "Two sentences. They share a place."),
        ("caption", "Fig. 1. A cat asleep."),
        ("caption", "Table 1. Cats by size."),
        ("heading", "Acknowledgments"),
        ("paragraph", "We thank Tom."),
        ("heading", "Data availability"),
        ("paragraph", "Ask us."),
        ("heading", "References"),
    ]
    assert [block.level for block in paper.blocks if block.kind == "heading"] == [1, 2, 1, 1, 1]
    assert [(block.label, block.text) for block in paper.blocks if block.kind == "footnote"] == [("1", "A footnote.")]
    assert paper.pages == 2 and paper.has_full_text


def test_places_are_those_of_the_sentence_and_never_guessed() -> None:
    """Lost otherwise: a citation that opens with the wrong words lit up."""
    blocks = {block.text: block for block in tei().blocks}
    first, second = blocks["Cats purr [1]-[3] often. As in Fig. 1 and Table 1, and [9]."].sentences
    assert first.places == (Place(1, (50, 160, 250, 170)), Place(1, (50, 170, 130, 180)))
    assert second.places == ()  # has none of its own, and the paragraph's are not its
    assert blocks["One sentence with a place."].sentences[0].places == (Place(2, (50, 220, 250, 230)),)
    assert [s.places for s in blocks["Two sentences. They share a place."].sentences] == [(), ()]
    assert blocks["1 Introduction"].sentences[0].places == (Place(1, (50, 140, 150, 152)),)
    assert blocks["P = E / t"].sentences[0].places == (Place(2, (60, 200, 150, 212)),)
    assert blocks["Lee AB. Cats at rest. J Cats 3:4-9 (2001)."].sentences[0].places == (Place(2, (50, 600, 250, 620)),)
    assert blocks["Fig. 1. A cat asleep."].sentences[0].places == (Place(2, (80, 400, 250, 410)),)


def test_marks_figures_and_references() -> None:
    """Lost otherwise: what a sentence points to."""
    paper = tei()
    assert describe_marks(paper) == [
        ("[1]-[3]", "reference", ("b1", "b2", "b3")),
        ("Fig. 1", "figure", ("f1",)),
        ("Table 1", "table", ("t1",)),
        ("[9]", "reference", ()),
    ]
    figure, table = paper.figures
    assert (figure.label, figure.place) == ("Fig. 1", Place(2, (50, 300, 250, 390)))
    assert (table.label, table.place) == ("Table 1", Place(2, (50, 510, 250, 570)))
    assert table.cells == (("Cat", "Size", "Size"), ("Tom", "46", "4"))
    first, book, third = paper.references
    assert (first.title, first.venue, first.volume, first.pages) == ("Cats at rest", "J Cats", "3", "4–9")
    assert (first.year, first.doi, first.authors) == (2001, "10.1000/rest", (Author("A B Lee", "Lee", "A B"),))
    assert (book.title, book.text) == ("The Book of Cats", "Roe B (1999) The Book of Cats. Fur Press.")
    assert (third.title, third.venue, third.year) == ("Three cats", "Proc. of Cats", 2003)


def test_made_by_hand() -> None:
    """Lost otherwise: editions and corpora that do not look like GROBID's output."""
    paper = tei(
        """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>On cats</title>
        <author>Lee, Ann</author></titleStmt><publicationStmt><date when="1901"/></publicationStmt></fileDesc>
        </teiHeader>
        <text><front><div type="abstract"><p>In short.</p></div></front><body><div><head>One</head><p>First.</p><div>
        <head>Two</head><p>A list:
        <list><item>Tom</item><item>Felix</item></list>and an end<note n="*">Aside.</note>.</p>
        </div></div></body><back><listBibl>
        <bibl xml:id="x">Roe, <title>Mice</title>, <date>1899</date>.</bibl></listBibl>
        </back></text></TEI>"""
    )
    assert_sound(paper)
    assert [block.level for block in paper.blocks if block.kind == "heading"] == [1, 2, 1]
    assert [block.text for block in paper.blocks] == [
        *("In short.", "One", "First.", "Two", "A list:", "Tom", "Felix", "and an end ."),
        *("References", "Roe, Mice, 1899.", "Aside."),
    ]
    assert paper.metadata.authors == (Author("Ann Lee", "Lee", "Ann"),)
    assert (paper.metadata.title, paper.metadata.year) == ("On cats", 1901)
    assert (paper.references[0].title, paper.references[0].year) == ("Mice", 1899)


@pytest.mark.parametrize(
    "coords", ["", "1", "a,b,c,d,e", "0,1,1,1,1", "1,1,1,-5,1", "1,nan,1,1,1", "1,1,1,1,1,1", ";;"]
)
def test_odd_coordinates_are_no_places(coords: str) -> None:
    """Lost otherwise: a page that cannot be drawn."""
    from lxml import etree

    assert places_of(etree.fromstring(f'<s coords="{coords}"/>')) == ()


def test_other_xml_is_refused(tmp_path: Path) -> None:
    """Lost otherwise: why a file is not in the library."""
    with pytest.raises(InputError, match="not in TEI: its first element is <html>"):
        read_tei(write_xml(tmp_path / "a.xml", "<html/>"))
    with pytest.raises(InputError, match="no text"):
        read_tei(write_xml(tmp_path / "b.xml", "<TEI/>"))
    with pytest.raises(InputError, match="not well-formed"):
        read_tei(write_xml(tmp_path / "c.xml", TEI[:2000]))
