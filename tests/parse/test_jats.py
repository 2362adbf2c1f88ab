"""JATS articles: what publishers say about a paper, kept as they say it."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from conspectus.core.errors import EmptyTextError, InputError
from conspectus.parse.markup.jats import read_jats, read_wrapped
from conspectus.parse.protocol import BadRecord
from conspectus.records import Author, ParsedPaper
from xml_samples import (
    JATS,
    JATS_BACK,
    JATS_BODY,
    JATS_FRONT,
    JATS_HEAD,
    assert_sound,
    describe_blocks,
    describe_marks,
    write_xml,
)


def article(tmp_path: Path, text: str) -> ParsedPaper:
    paper = read_jats(write_xml(tmp_path / "a.xml", text))
    assert_sound(paper)
    return paper


def body(tmp_path: Path, inner: str, back: str = "") -> ParsedPaper:
    return article(tmp_path, f"<article><front/><body>{inner}</body><back>{back}</back></article>")


@pytest.fixture
def cats(tmp_path: Path) -> ParsedPaper:
    return article(tmp_path, JATS)


def test_the_metadata(cats: ParsedPaper) -> None:
    """Lost otherwise: every filter, and the link to the paper's other records."""
    found = cats.metadata
    assert found.title == "Why Felis catus purrs at 10² Hz"
    assert (found.doi, found.pmid, found.extra["pmcid"]) == ("10.1000/cats.7", "12345678", "PMC765432")
    assert (found.date, found.year, found.venue) == ("2019-03-07", 2019, "Journal of Cats")
    assert found.keywords == ("purring", "Felis")
    assert (found.extra["volume"], found.extra["issue"], found.extra["pages"]) == ("12", "3", "10–19")
    assert found.abstract == "Background: Cats purr. Nobody knows why.\n\nResults: They purr when warm."


def test_the_authors(cats: ParsedPaper) -> None:
    """Lost otherwise: who wrote it, and editors and members of groups are taken for authors."""
    assert cats.metadata.authors == (
        Author(
            "Ann M. van den Berg",
            "van den Berg",
            "Ann M.",
            "0000-0002-1825-0097",
            ("Institute of Felines, Oslo", "Vet School, Norway"),
        ),
        Author("Bo Roe Jr", "Roe", "Bo", "", ("Cat House, Norway",)),
        Author("The Purr Consortium"),
    )


def test_the_text_in_reading_order(cats: ParsedPaper) -> None:
    """Lost otherwise: sections, or text that stands around a figure, a formula or a box."""
    assert describe_blocks(cats) == [
        ("abstract", "Background: Cats purr. Nobody knows why."),
        ("abstract", "Results: They purr when warm."),
        ("heading", "Author Summary"),
        ("paragraph", "We listened to cats."),
        ("heading", "1 Introduction"),
        (
            "paragraph",
            "Cats purr [2–4], as Lee and others say. Warm cells ¹,³ hum at 10⁻⁵ watts.² See Figure 1, Table 1 and "
            "Eq. 1; a lost one99. The end of it.",
        ),
        ("caption", "Figure 1. A cat asleep\n\nIt purrs [1]."),
        ("heading", "A formula"),
        ("paragraph", "The power is"),
        ("equation", "P = E/t"),
        ("paragraph", "where E_0 is energy and [formula] is unknown."),
        ("heading", "Methods"),
        ("paragraph", "a) Take a cat."),
        ("paragraph", "Wait."),
        ("paragraph", "It is a cat."),
        ("paragraph", "After the box."),
        ("caption", "Table 1. Cats by size."),
        ("heading", "Box 1. Cats"),
        ("paragraph", "In the box."),
        ("heading", "Supporting information"),
        ("paragraph", "S1 Sound. A purr."),
        ("heading", "Acknowledgements"),
        ("paragraph", "We thank Tom."),
        ("heading", "Appendix A"),
        ("paragraph", "More cats."),
        ("heading", "Competing interests"),
        ("paragraph", "We own cats."),
        ("heading", "References"),
        ("heading", "Funding"),
        ("paragraph", "Paid by the Milk Board."),
        ("heading", "Author notes"),
        ("paragraph", "The cats were not harmed."),
    ]
    levels = {block.text: block.level for block in cats.blocks if block.kind == "heading"}
    assert (levels["1 Introduction"], levels["A formula"], levels["Box 1. Cats"], levels["Appendix A"]) == (1, 2, 2, 1)
    equation = next(block for block in cats.blocks if block.kind == "equation")
    assert equation.label == "(1)"


def test_what_is_left_out_is_told(cats: ParsedPaper) -> None:
    """Lost otherwise: that a reviewer's words are not the paper's, and that a formula is missing in a quote."""
    assert cats.warnings == (
        "What is attached to the article was left out: decision letter.",
        "Formulas within the text that are only pictures: 1; [formula] stands where they were.",
    )
    assert not any("reviewer" in block.text for block in cats.blocks)


def test_marks_lead_to_what_they_mean(cats: ParsedPaper) -> None:
    """Lost otherwise: which sentence cites which work, above all those that a range only implies."""
    assert describe_marks(cats) == [
        ("2–4", "reference", ("b2", "b3", "b4")),
        ("Lee and others", "reference", ("b1", "b5")),
        ("¹", "reference", ("b1",)),
        ("³", "reference", ("b3",)),
        ("²", "reference", ("b2",)),
        ("Figure 1", "figure", ("f1",)),
        ("Table 1", "table", ("t1",)),
        ("Eq. 1", "equation", ()),
        ("99", "reference", ()),
        ("1", "reference", ("b1",)),
    ]
    cited = [block.text[sentence.start : sentence.end] for block, sentence in cats.mentions("b3")]
    assert cited == ["Cats purr [2–4], as Lee and others say.", "Warm cells ¹,³ hum at 10⁻⁵ watts.²"]


def test_figures_tables_and_footnotes(cats: ParsedPaper) -> None:
    """Lost otherwise: what a figure shows, and the cells of a table with heads over several columns."""
    figure, table = cats.figures
    assert (figure.key, figure.kind, figure.label, figure.href) == ("f1", "figure", "Figure 1.", "cat.tif")
    assert figure.caption is not None and cats.blocks[figure.caption].label == "Figure 1."
    assert table.cells == (("Cat", "Size", "Size"), ("Cat", "cm", "kg"), ("Tom", "46", "4a"))
    notes = [(block.label, block.text) for block in cats.blocks if block.kind == "footnote"]
    assert notes == [("a", "With fur.")]
    caption = cats.blocks[figure.caption]
    assert [caption.text[s.start : s.end] for s in caption.sentences] == ["Figure 1. A cat asleep", "It purrs [1]."]


def test_references(cats: ParsedPaper) -> None:
    """Lost otherwise: which works of the library a paper cites."""
    first, book, third, fourth, note = cats.references
    assert (first.key, first.label, first.title, first.year) == ("b1", "1", "Cats at rest", 2001)
    assert first.text == "Lee AB, et al. Cats at rest. J Cats. 2001a;3(2):4–9."
    assert (first.venue, first.volume, first.pages, first.doi, first.pmid) == (
        "J Cats",
        "3",
        "4–9",
        "10.1000/rest",
        "111",
    )
    assert first.authors == (Author("AB Lee", "Lee", "AB"),)
    assert book.text == "Roe BK, Cat Group (1999) The Book of Cats. Fur Press."
    assert (book.title, book.venue, [author.name for author in book.authors]) == (
        "The Book of Cats",
        "Fur Press",
        ["Bo Karl Roe", "Cat Group"],
    )
    assert (third.title, third.arxiv_id) == ("Three cats", "1901.00001")
    assert (fourth.title, fourth.year) == ("Four cats", 2004)
    assert note.text == "A note that is no work."
    printed = [(block.label, block.text) for block in cats.blocks if block.kind == "reference"]
    assert printed == [(reference.label, reference.text) for reference in cats.references]


def test_an_article_without_a_body_is_a_record(tmp_path: Path) -> None:
    """Lost otherwise: the difference between a paper that was read and one of which only the abstract is known."""
    paper = article(tmp_path, f"{JATS_HEAD}<article>{JATS_FRONT}{JATS_BACK}</article>")
    assert not paper.has_full_text
    assert {block.kind for block in paper.blocks} == {"abstract", "reference"}
    assert len(paper.references) == 5 and paper.metadata.abstract


def test_packed_with_gzip(tmp_path: Path) -> None:
    """Lost otherwise: bulk downloads, which are packed."""
    path = tmp_path / "a.xml.gz"
    path.write_bytes(gzip.compress(JATS.encode()))
    assert read_jats(path).metadata.doi == "10.1000/cats.7"


def test_a_set_of_articles(tmp_path: Path) -> None:
    """Lost otherwise: what PMC's E-utilities send, where one bad article must not lose the others."""
    good = f"<article>{JATS_FRONT}{JATS_BODY}{JATS_BACK}</article>"
    path = write_xml(tmp_path / "set.xml", f"<pmc-articleset>{good}<article><para/></article>{good}</pmc-articleset>")
    first, bad, last = read_wrapped(path)
    assert isinstance(first, ParsedPaper) and first == last
    assert isinstance(bad, BadRecord) and bad.where == "article 2"
    with pytest.raises(EmptyTextError):
        list(read_wrapped(write_xml(tmp_path / "none.xml", "<pmc-articleset/>")))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<article><title>A DocBook</title><para>x</para></article>", "neither front matter nor body"),
        ("<book/>", "no article in JATS: its first element is <book>"),
        ("<article><front/><body/></article>", "no text"),
        ("", "is empty"),
        ("hello", "not well-formed"),
        (JATS[:3000], "not well-formed"),
    ],
)
def test_what_is_no_article_is_refused(tmp_path: Path, text: str, words: str) -> None:
    """Lost otherwise: the reason why a file is not in the library."""
    with pytest.raises(InputError, match=words):
        read_jats(write_xml(tmp_path / "a.xml", text))


REFS = "<ref-list>" + "".join(f'<ref id="r{n}"><label>{n}</label></ref>' for n in range(1, 9)) + "</ref-list>"


@pytest.mark.parametrize(
    ("cited", "wanted"),
    [
        ('<xref ref-type="bibr" rid="r2 r3">2,3</xref>', [("2,3", ("b2", "b3"))]),
        ('<xref ref-type="bibr" rid="r3">3-6</xref>', [("3-6", ("b3", "b4", "b5", "b6"))]),
        ('<xref ref-type="bibr" rid="r3 r5">[3–5]</xref>', [("[3–5]", ("b3", "b4", "b5"))]),
        (
            '<sup><xref ref-type="bibr" rid="r1">1</xref>–<xref ref-type="bibr" rid="r3">3</xref></sup>',
            [("¹–³", ("b1", "b2", "b3"))],
        ),
        (  # the numbers do not fit the list: nothing is invented
            '<xref ref-type="bibr" rid="r1">1</xref>–<xref ref-type="bibr" rid="r5">3</xref>',
            [("1", ("b1",)), ("3", ("b5",))],
        ),
        ('<xref ref-type="bibr" rid="r2">2001–2003</xref>', [("2001–2003", ("b2",))]),
        ('<xref rid="r4">Cat 2004</xref>', [("Cat 2004", ("b4",))]),
        ('<xref ref-type="bibr" rid="r4"/>', []),
        ('<xref ref-type="sec" rid="s">Methods</xref>', []),
    ],
)
def test_how_citations_are_written(tmp_path: Path, cited: str, wanted: list[tuple[str, tuple[str, ...]]]) -> None:
    """Lost otherwise: works that are cited without being linked one by one; or works that are not cited get marks."""
    paper = body(tmp_path, f"<p>So it is {cited} here.</p>", REFS)
    assert [(text, targets) for text, _, targets in describe_marks(paper)] == wanted


def test_entities_of_html_are_known_and_others_told(tmp_path: Path) -> None:
    """Lost otherwise: Greek letters in older files."""
    head = '<!DOCTYPE article SYSTEM "x.dtd" [<!ENTITY own "secret">]>'
    paper = article(tmp_path, f"{head}<article><front/><body><p>A&alpha;B &own; C.</p></body></article>")
    assert describe_blocks(paper) == [("paragraph", "AαB C.")]
    assert paper.warnings == ("Entities of the document's own (&name;) that were not expanded, and left out: 1.",)


def test_a_table_is_cut_where_it_has_no_end(tmp_path: Path) -> None:
    """Lost otherwise: memory, for a table of a few bytes that claims to be large."""
    rows = '<tr><td colspan="1000" rowspan="1000">x</td></tr>' * 200
    paper = body(tmp_path, f"<p>Text.</p><table-wrap><label>Table 1</label><table>{rows}</table></table-wrap>")
    assert sum(map(len, paper.figures[0].cells)) <= 50_000
    assert paper.warnings == ("Table 1 is too large; only its first rows were read.",)


def articles(data: Path) -> Iterator[tuple[str, bytes]]:
    for name in ("jats_samples/jats_samples.tar.xz", "jats_craft/craft_nxml_67.tar.xz"):
        with tarfile.open(data / name) as tar:
            for member in tar:
                file = tar.extractfile(member) if member.name.endswith((".xml", ".nxml")) else None
                if file is not None:
                    yield Path(member.name).name, file.read()


@pytest.mark.data
@pytest.mark.slow
def test_real_articles_are_sound(data: Path, tmp_path: Path) -> None:
    """Lost otherwise: what publishers do that no sample of ours foresees."""
    read = linked = marks = 0
    for name, content in articles(data):
        path = tmp_path / name.replace("/", "_")
        path.write_bytes(content)
        try:
            paper = read_jats(path)
        except InputError as error:
            assert name.startswith(("simple-jats", "xmlio_")), error  # without content, made to test a library
            continue
        read += 1
        assert_sound(paper)
        found = [mark for block in paper.blocks for mark in block.marks if mark.kind == "reference"]
        marks += len(found)
        linked += sum(bool(mark.targets) for mark in found)
    assert read == 101 and marks > 5000
    assert linked >= 0.99 * marks


def test_what_publishers_do(tmp_path: Path) -> None:
    """Lost otherwise: labels of notes, levels of appendices; and boilerplate would be found as text."""
    paper = body(
        tmp_path,
        "<sec><title>Data</title><p>Cats<xref ref-type='fn' rid='n1'>2</xref> purr.</p><fig id='f'><label>Fig 1</label>"
        "<caption><p>A cat.<supplementary-material><label>Data 1</label><caption><p>Its purr.</p></caption>"
        "</supplementary-material></p></caption><p><fig id='g'><label>Fig 1-1</label><caption><p>Its tail.</p>"
        "</caption></fig></p></fig><p>See <xref ref-type='fig' rid='g'>Fig 1-1</xref>.</p>"
        "<supplementary-material><caption><p>Click here for additional data file.</p></caption>"
        "</supplementary-material></sec>",
        "<ack><sec><title>Thanks</title><p>To Tom.</p></sec></ack><app-group><app><title>Appendix</title><boxed-text>"
        "<sec><title>Animals</title><p>Cats.</p></sec></boxed-text></app></app-group>"
        "<fn-group><fn id='n1'><p><sup>2</sup>Only tame ones.</p></fn></fn-group>",
    )
    assert [(block.kind, block.level, block.label, block.text) for block in paper.blocks] == [
        ("heading", 1, "", "Data"),
        ("paragraph", 0, "", "Cats ² purr."),
        ("caption", 0, "Fig 1", "Fig 1. A cat."),
        ("caption", 0, "Data 1", "Data 1. Its purr."),
        ("caption", 0, "Fig 1-1", "Fig 1-1. Its tail."),
        ("paragraph", 0, "", "See Fig 1-1."),
        ("heading", 1, "", "Thanks"),
        ("paragraph", 0, "", "To Tom."),
        ("heading", 1, "", "Appendix"),
        ("heading", 2, "", "Animals"),
        ("paragraph", 0, "", "Cats."),
        ("footnote", 0, "2", "Only tame ones."),
    ]
    assert describe_marks(paper) == [("²", "footnote", ()), ("Fig 1-1", "figure", ("f2",))]
