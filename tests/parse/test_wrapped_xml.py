"""Articles within other XML, and what stands in them that is neither an element nor text."""

from __future__ import annotations

from pathlib import Path

import pytest

from conspectus.core.errors import EmptyTextError, InputError
from conspectus.parse.protocol import BadRecord
from conspectus.parse.registry import reader_for
from conspectus.records import ParsedPaper
from xml_samples import write_xml

DOCTYPE = '<!DOCTYPE {} PUBLIC "-//NLM//DTD JATS v1.0//EN" "JATS-journalpublishing1.dtd" [<!ENTITY own "words">]>'
FRONT = (
    "<front><article-meta><article-id pub-id-type='doi'>10.1234/{0}</article-id>"
    "<title-group><article-title>Tides {0}</article-title></title-group></article-meta></front>"
)
BODY = "<body><sec><title>Intro</title><p>Tides rise twice a day.</p></sec></body>"
ARTICLE = f"<article>{FRONT}{BODY}</article>"


def read(path: Path) -> list[ParsedPaper | BadRecord]:
    return [item for item in reader_for(path).read(path) if isinstance(item, ParsedPaper | BadRecord)]


def paper_of(tmp_path: Path, text: str) -> ParsedPaper:
    (paper,) = read(write_xml(tmp_path / "a.xml", text))
    assert isinstance(paper, ParsedPaper)
    return paper


REFERENCE = "<ref-list><ref id='r1'><label>1</label>{}</ref></ref-list>"


@pytest.mark.parametrize(
    ("citation", "text"),
    [
        (
            "<mixed-citation><article-title>Can&rsquo;t stop</article-title> <fpage>12</fpage>&ndash;<lpage>24</lpage>"
            "</mixed-citation>",
            "Can’t stop 12–24",
        ),
        (
            "<mixed-citation>Papas N &amp; Lee A&ndash;<!-- c -->B. Tides<?pi x?>. 2012.</mixed-citation>",
            "Papas N & Lee A–B.",
        ),
        (
            "<element-citation><article-title>Neap&mdash;tides</article-title>&nbsp;<source>Sea &Alpha;</source>"
            "<fpage>1&ndash;2</fpage></element-citation>",
            "Neap—tides",
        ),
        ("<mixed-citation>&ndash;&ndash;<year>2012</year>&rsquo;&own;</mixed-citation>", "––2012’"),
        ("<citation>&ldquo;Tides&rdquo; <!-- &x; --><volume>3</volume></citation>", "“Tides” 3"),
    ],
)
def test_entities_in_references_are_text(tmp_path: Path, citation: str, text: str) -> None:
    """The whole article was refused for a dash in a reference."""
    xml = DOCTYPE.format("article") + ARTICLE.replace(
        "</article>", f"<back>{REFERENCE.format(citation)}</back></article>"
    )
    paper = paper_of(tmp_path, xml.format("one"))
    assert paper.references[0].text.startswith(text)
    assert ("own" in citation) == any("Entities" in warning for warning in paper.warnings)


TEI = (
    "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><fileDesc><titleStmt><title>Tides&ndash;seas</title>"
    "</titleStmt><sourceDesc><biblStruct><idno type='DOI'>10.1234/a&ndash;b</idno></biblStruct></sourceDesc></fileDesc>"
    "</teiHeader><text><body><div><head>In&ndash;tro</head><p>Can&rsquo;t<!-- c --> stop &own;tides<?pi?>.</p></div>"
    "</body>"
    "<back><listBibl><bibl>Papas&ndash;Lee. <date>2012</date>&ndash;<biblScope>1&ndash;2</biblScope></bibl></listBibl>"
    "</back></text></TEI>"
)


def test_entities_anywhere_in_tei_are_text(tmp_path: Path) -> None:
    """The same for TEI, where own entities were left out without a word."""
    paper = paper_of(tmp_path, DOCTYPE.format("TEI") + TEI)
    assert paper.metadata.title == "Tides–seas"
    assert "Can’t stop tides." in [block.text for block in paper.blocks]
    assert paper.references[0].text.startswith("Papas–Lee. 2012")
    assert any("Entities" in warning for warning in paper.warnings)


def test_entities_and_comments_everywhere_in_jats_are_text(tmp_path: Path) -> None:
    """A title, a name, an affiliation, a formula, a table or a footnote may have one too."""
    text = (
        "<article><front><journal-meta><journal-title>Sea&ndash;Letters</journal-title></journal-meta><article-meta>"
        "<title-group><article-title>A&ndash;<!-- c -->B</article-title></title-group><contrib-group><contrib>"
        "<name><surname>M&uuml;ller</surname><given-names>A<?x?>nna</given-names></name></contrib></contrib-group>"
        "<aff>K&ouml;ln<!-- c -->, DE</aff><pub-date><year>2012</year></pub-date>"
        "<abstract><p>Ab&ndash;stract.</p></abstract><kwd-group><kwd>neap&ndash;tide</kwd></kwd-group></article-meta>"
        "</front><body>&ndash;<sec>&ndash;<title>In&ndash;tro</title><p>One&ndash;<list>&ndash;<list-item><label>&alpha;</label>"
        "<p>two</p></list-item></list><inline-formula><math><mi>&alpha;</mi><mo>&le;</mo><mn>1</mn></math>"
        "</inline-formula></p><fig id='f'><label>Fig&nbsp;1</label><caption><p>C&ndash;d</p></caption>&ndash;</fig>"
        "<table-wrap><table>"
        "<tr><td>x&ndash;y</td><!-- c --></tr>&ndash;</table></table-wrap>"
        "<code>a &lt; b&ndash;</code></sec></body></article>"
    )
    paper = paper_of(tmp_path, DOCTYPE.format("article") + text)
    assert paper.metadata.title == "A–B" and paper.metadata.authors[0].name == "Anna Müller"
    assert paper.metadata.venue == "Sea–Letters" and paper.metadata.authors[0].affiliations == ("Köln, DE",)
    whole = " ".join(block.text for block in paper.blocks)
    assert all(words in whole for words in ("Ab–stract.", "In–tro", "One–", "α two", "α ≤ 1", "C–d"))
    assert "neap–tide" in paper.metadata.keywords and paper.figures[1].cells == (("x–y",),)


PUBMED = (
    '<!DOCTYPE PubmedArticleSet PUBLIC "x" "y.dtd"><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID>'
    "<Article><ArticleTitle>Can&rsquo;t<!-- c --> stop<?pi?> tides&ndash;seas</ArticleTitle></Article>"
    "</MedlineCitation></PubmedArticle></PubmedArticleSet>"
)


def test_entities_in_pubmed_are_text(tmp_path: Path) -> None:
    """They went without a trace: "Cant stop tidesseas"."""
    assert paper_of(tmp_path, PUBMED).metadata.title == "Can’t stop tides–seas"


def record(metadata: str, status: str = "") -> str:
    head = f"<header{status}><identifier>oai:x.example:1</identifier><datestamp>2012-01-01</datestamp></header>"
    return f"<record>{head}" + (f"<metadata>{metadata}</metadata>" if metadata else "") + "</record>"


DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
    "<dc:title>Tides of old</dc:title><dc:creator>Papas, Nikos</dc:creator><dc:creator>Lee, Ann</dc:creator>"
    "<dc:subject>tides</dc:subject><dc:subject>sea</dc:subject><dc:description>What tides were.</dc:description>"
    "<dc:publisher>Sea Press</dc:publisher><dc:date>2012-04-01</dc:date><dc:source>Sea Letters; 3; 1-9</dc:source>"
    "<dc:identifier>https://x.example/article/1</dc:identifier><dc:identifier>10.1234/old</dc:identifier></oai_dc:dc>"
)
OAI = '<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026</responseDate>{}</OAI-PMH>'
NAMESPACED = ARTICLE.replace("<article>", '<article xmlns="https://jats.nlm.nih.gov/ns/archiving/1.3/">')


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (OAI.format(f"<GetRecord>{record(NAMESPACED.format(1))}</GetRecord>"), ["Tides 1"]),
        (
            OAI.format(
                f"<ListRecords>{record(NAMESPACED.format(1))}{record(NAMESPACED.format(2))}"
                "<resumptionToken>7</resumptionToken></ListRecords>"
            ),
            ["Tides 1", "Tides 2"],
        ),
        (f"<ListRecords>{record(ARTICLE.format(1))}</ListRecords>", ["Tides 1"]),
        (record(ARTICLE.format(1)), ["Tides 1"]),
        (f"<pmc-articleset>{ARTICLE.format(1)}{ARTICLE.format(2)}</pmc-articleset>", ["Tides 1", "Tides 2"]),
        (
            f"<harvest><page n='1'>{NAMESPACED.format(1)}</page><page>{ARTICLE.format(2)}</page></harvest>",
            ["Tides 1", "Tides 2"],
        ),
        (
            OAI.format(f"<ListRecords>{record(DC)}{record(NAMESPACED.format(1))}</ListRecords>"),
            ["Tides of old", "Tides 1"],
        ),
        ("<m:records xmlns:m='urn:m'>" + record(DC) + "</m:records>", ["Tides of old"]),
    ],
    ids=["GetRecord", "ListRecords", "bare list", "bare record", "PMC", "unknown wrapper", "Dublin Core", "records"],
)
def test_articles_within_other_xml_are_read(tmp_path: Path, text: str, titles: list[str]) -> None:
    """What a repository sends for a harvest was refused as XML of an unknown kind."""
    papers = read(write_xml(tmp_path / "a.xml", text))
    assert [paper.metadata.title for paper in papers if isinstance(paper, ParsedPaper)] == titles
    assert len(papers) == len(titles)
    warnings = [warning for paper in papers if isinstance(paper, ParsedPaper) for warning in paper.warnings]
    assert ("resumptionToken" in text) == any("more records" in warning for warning in warnings)


def test_dublin_core_gives_a_record(tmp_path: Path) -> None:
    """A harvest in the format that every repository has would have no author, date or DOI."""
    known = paper_of(tmp_path, OAI.format(f"<GetRecord>{record(DC)}</GetRecord>")).metadata
    assert [author.name for author in known.authors] == ["Nikos Papas", "Ann Lee"] and known.date == "2012-04-01"
    assert known.doi == "10.1234/old" and known.keywords == ("tides", "sea") and known.abstract == "What tides were."


def test_records_of_a_harvest_that_are_no_papers_are_named(tmp_path: Path) -> None:
    """A record in another format would be missing without a word."""
    mods = '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>x</title></titleInfo></mods>'
    text = OAI.format(f"<ListRecords>{record(mods)}{record(NAMESPACED.format(1))}{record('')}</ListRecords>")
    first, paper, last = read(write_xml(tmp_path / "a.xml", text))
    assert isinstance(first, BadRecord) and "MODS" in first.reason and first.where == "record 1"
    assert isinstance(paper, ParsedPaper)
    assert isinstance(last, BadRecord) and "no metadata" in last.reason and last.where == "record 3"
    error = OAI.format('<error code="noRecordsMatch">nothing that matches</error>')
    with pytest.raises(InputError, match="nothing that matches"):
        read(write_xml(tmp_path / "b.xml", error))


def test_deleted_records_of_a_harvest_are_no_failures(tmp_path: Path) -> None:
    """Every harvest of a repository that marks what it deletes would end with an error and refused records."""
    deleted = record("", ' status="deleted"')
    text = OAI.format(f"<ListRecords>{deleted}{record(NAMESPACED.format(1))}{deleted}</ListRecords>")
    assert any("deleted 2 records" in warning for warning in paper_of(tmp_path, text).warnings)
    with pytest.raises(EmptyTextError, match="only records that the repository has deleted"):
        read(write_xml(tmp_path / "b.xml", OAI.format(f"<ListRecords>{deleted}{deleted}</ListRecords>")))


BIOC = (
    '<?xml version="1.0"?><!DOCTYPE collection SYSTEM "BioC.dtd"><collection><source>PMC</source>'
    "<document><id>1</id><passage/></document></collection>"
)
BIOC_JSON = (
    '{"source": "PMC", "infons": {}, "documents": [{"id": "1", "infons": {}, "passages": '
    '[{"offset": 0, "text": "Tides", "infons": {"title": "x"}}]}]}'
)
MODS = '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>Tides</title></titleInfo></mods>'


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.xml", BIOC, "BioC"),
        ("a.json", BIOC_JSON, "BioC"),
        ("b.json", f"[{BIOC_JSON}]", "BioC"),
        ("c.json", '[{"bioctype": "BioCCollection", "source": "PMC", "title": "x", "documents": []}]', "BioC"),
        ("a.xml", MODS, "MODS"),
        ("a.xml", f"<modsCollection xmlns='http://www.loc.gov/mods/v3'>{MODS}</modsCollection>", "MODS"),
        ("a.xml", '<m:mods xmlns:m="http://www.loc.gov/mods/v3"/>', "MODS"),
    ],
)
def test_formats_that_are_not_read_are_refused_by_name(tmp_path: Path, name: str, text: str, kind: str) -> None:
    """Nobody would know what to fetch instead of "XML of a kind that cannot be read"."""
    path = write_xml(tmp_path / name, text)
    with pytest.raises(InputError, match=kind) as error:
        reader_for(path)
    assert name in error.value.message and error.value.hint
