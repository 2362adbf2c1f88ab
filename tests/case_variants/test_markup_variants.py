"""JATS with entities and in wrappers, related kinds of XML, Word's symbols, and files under a wrong ending."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.text.paragraph import Paragraph
from reportlab.pdfgen.canvas import Canvas

from case_reading import is_refused, names, prose, read_paper, read_papers, searched
from conspectus.core.errors import ConspectusError
from conspectus.records import ParsedPaper

DOCTYPE = (
    '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD v1.2 20190208//EN" '
    '"JATS-archivearticle1.dtd">'
)
BODY = "Gulls nest on flat roofs. They return each spring."


def article(title: str = "Gulls of the city", reference: str = "", body: str = BODY, attributes: str = "") -> str:
    return (
        f"<article{attributes}><front><journal-meta><journal-title-group><journal-title>City Birds</journal-title>"
        '</journal-title-group></journal-meta><article-meta><article-id pub-id-type="doi">10.5555/gull.1</article-id>'
        f"<title-group><article-title>{title}</article-title></title-group><contrib-group><contrib "
        'contrib-type="author"><name><surname>Okoye</surname><given-names>Ada</given-names></name></contrib>'
        "</contrib-group><pub-date><year>2019</year></pub-date></article-meta></front><body><sec><title>Nests</title>"
        f"<p>{body}</p></sec></body><back><ref-list>{reference}</ref-list></back></article>"
    )


def ref(inside: str) -> str:
    return f'<ref id="r1"><label>1</label>{inside}</ref>'


ENTITIES = {
    "names": (
        ref(
            "<element-citation><person-group><name><surname>M&uuml;ller</surname><given-names>J&ouml;rg</given-names>"
            "</name></person-group><article-title>Gulls &amp; roofs</article-title><year>2001</year></element-citation>"
        ),
        ["Müller", "Gulls & roofs", "2001"],
    ),
    "spaces and dashes": (
        ref("<mixed-citation>Miller J.&nbsp;Gulls&mdash;a study. <bold>4</bold>:12&ndash;24.</mixed-citation>"),
        ["Gulls—a study", "12–24"],
    ),
    "between elements": (
        ref(
            "<mixed-citation><string-name><surname>Miller</surname></string-name>&hellip;&thinsp;<year>2001</year>&rdquo;"
            "<italic>Gulls</italic>&dagger;</mixed-citation>"
        ),
        ["Miller…", "2001”", "Gulls†"],
    ),
    "in a note": (
        ref("<mixed-citation>Miller J. Gulls.</mixed-citation><note><p>See &sect;&thinsp;4.</p></note>"),
        ["Miller J. Gulls."],
    ),
    "two in a row": (
        ref("<mixed-citation>&ldquo;&lsquo;Gulls&rsquo;&rdquo; and others, 2001</mixed-citation>"),
        ["“‘Gulls’” and others, 2001"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("reference", "parts"), ENTITIES.values(), ids=ENTITIES)
def test_entities_in_references(tmp_path: Path, reference: str, parts: list[str]) -> None:
    """One named letter in one reference would cost the whole article."""
    path = tmp_path / "article.xml"
    path.write_text('<?xml version="1.0" encoding="UTF-8"?>\n' + DOCTYPE + article(reference=reference), "utf-8")
    paper = read_paper(path)
    assert BODY in searched(paper)
    (entry,) = paper.references
    text = entry.text + " " + " ".join(author.name for author in entry.authors)
    assert all(part in text for part in parts), text


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("title", "Gulls’ nests—on roofs"),
        ("body", "Nests at 20 °C—warm roofs’ edges."),
        ("nowhere", "Gulls of the city"),
    ],
)
def test_entities_elsewhere(tmp_path: Path, where: str, expected: str) -> None:
    """An apostrophe would be lost from a title or a sentence, or an unknown entity would refuse the article."""
    texts = {
        "title": article(title="Gulls&rsquo; nests&mdash;on roofs"),
        "body": article(body="Nests at 20&#160;&deg;C&mdash;warm roofs&rsquo; edges."),
        "nowhere": article(body=BODY + " See &nosuchentity; here."),
    }
    path = tmp_path / "article.xml"
    path.write_text('<?xml version="1.0"?>' + DOCTYPE + texts[where], "utf-8")
    paper = read_paper(path)
    assert expected in " ".join((paper.metadata.title + " " + searched(paper)).replace("\xa0", " ").split())
    if where == "nowhere":
        assert BODY in searched(paper)


JATS = ' xmlns="https://jats.nlm.nih.gov/ns/archiving/1.3/" xmlns:xlink="http://www.w3.org/1999/xlink"'
RECORD = "<record><header><identifier>oai:{n}</identifier></header><metadata>{a}</metadata></record>"
OAI = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-11-26T00:00:00Z</responseDate>{}</OAI-PMH>'
SECOND = article(title="Crows of the park", attributes=JATS).replace("gull.1", "crow.1")
WRAPPED = {
    "a list of records": OAI.format(
        '<request verb="ListRecords">https://oai.example/</request><ListRecords>'
        + RECORD.format(n=1, a=article(attributes=JATS))
        + '<record><header status="deleted"><identifier>oai:3</identifier></header></record>'
        + RECORD.format(n=2, a=SECOND)
        + '<resumptionToken cursor="0">abc</resumptionToken></ListRecords>'
    ),
    "prefixed": '<?xml version="1.0" encoding="UTF-8"?><oai:OAI-PMH xmlns:oai="http://www.openarchives.org/OAI/2.0/">'
    "<oai:ListRecords><oai:record><oai:header/><oai:metadata>"
    + article(attributes=JATS)
    + "</oai:metadata></oai:record><oai:record><oai:header/><oai:metadata>"
    + SECOND
    + "</oai:metadata></oai:record></oai:ListRecords></oai:OAI-PMH>",
    "without a namespace, about each": OAI.format(
        "<GetRecord>"
        + RECORD.format(n=1, a=article()).replace("</record>", "<about><rights>CC BY</rights></about></record>")
        + RECORD.format(n=2, a=article(title="Crows of the park").replace("gull.1", "crow.1"))
        + "</GetRecord>"
    ),
    "a set of articles": f"<pmc-articleset>{article()}{article(title='Crows of the park').replace('gull.1', 'crow.1')}"
    "</pmc-articleset>",
}


@pytest.mark.parametrize("text", WRAPPED.values(), ids=WRAPPED)
def test_articles_in_wrappers(tmp_path: Path, text: str) -> None:
    """What a harvester fetched from a repository would be refused for its first element."""
    path = tmp_path / "harvest.xml"
    path.write_text(text, "utf-8")
    gulls, crows = read_papers(path)
    assert [gulls.metadata.title, crows.metadata.title] == ["Gulls of the city", "Crows of the park"]
    assert [gulls.metadata.doi, crows.metadata.doi] == ["10.5555/gull.1", "10.5555/crow.1"]
    assert names(gulls) == ["Ada Okoye"] and gulls.metadata.venue == "City Birds" and BODY in searched(crows)


def test_an_answer_without_articles_says_why(tmp_path: Path) -> None:
    """A user would take an error of the repository for a fault of the program."""
    path = tmp_path / "error.xml"
    path.write_text(OAI.format('<error code="idDoesNotExist">No matching identifier</error>'), "utf-8")
    assert is_refused(path)


BIOC = (
    '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE collection SYSTEM "BioC.dtd"><collection><source>PMC</source>'
    "<date>20200101</date><key>a.key</key><document><id>1</id><passage><infon key='type'>title</infon>"
    f"<offset>0</offset><text>Gulls</text></passage><passage><offset>1</offset><text>{BODY}</text></passage>"
    "</document></collection>"
)
MODS = (
    '<?xml version="1.0"?><modsCollection xmlns="http://www.loc.gov/mods/v3"><mods><titleInfo><title>Gulls of the city'
    "</title></titleInfo><name type='personal'><namePart type='family'>Okoye</namePart></name></mods></modsCollection>"
)
ONE_MODS = '<mods xmlns="http://www.loc.gov/mods/v3" version="3.7"><titleInfo><title>Gulls</title></titleInfo></mods>'


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("BioC", BIOC),
        ("MODS", MODS),
        ("MODS", ONE_MODS),
        ("MODS", ONE_MODS.replace("<", "<m:").replace("<m:/", "</m:").replace("xmlns=", "xmlns:m=")),
    ],
    ids=["BioC", "a collection of MODS", "MODS", "MODS with a prefix"],
)
def test_other_kinds_of_xml_are_called_by_their_name(tmp_path: Path, kind: str, text: str) -> None:
    """The user would not know that another export of the same source can be read."""
    path = tmp_path / "other.xml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConspectusError, match=kind):
        read_papers(path)


# Word


def sym(paragraph: Paragraph, char: str, font: str = "Symbol") -> None:
    run = paragraph.add_run()
    run._r.append(parse_xml(f'<w:sym {nsdecls("w")} w:font="{font}" w:char="{char}"/>'))


def word(path: Path, *symbols: tuple[str, str], where: str = "paragraph") -> Path:
    """A document with a sentence that has these symbols (char, font) in it."""
    document = docx.Document()
    document.add_heading("Gulls of the city", 0)
    document.add_heading("Nests", 1)
    document.add_paragraph(BODY)
    if where == "heading":
        paragraph = document.add_heading("Angle ", 2)
    elif where == "cell":
        paragraph = document.add_table(2, 2).cell(0, 0).paragraphs[0]
        paragraph.add_run("Angle ")
    else:
        paragraph = document.add_paragraph("The angle ")
    for char, font in symbols:
        sym(paragraph, char, font)
    paragraph.add_run(" of the roof was small.")
    document.add_paragraph("Gulls like it flat.")
    document.save(str(path))
    return path


def is_reported(paper: ParsedPaper) -> bool:
    """Whether a warning says that symbols were left out."""
    return any(word in note.lower() for note in paper.warnings for word in ("symbol", "wingdings", "font"))


SYMBOLS = {
    "beta": ("F062", "Symbol", "β"),
    "mu": ("F06D", "Symbol", "μ"),
    "plus or minus": ("F0B1", "Symbol", "±"),
    "degree": ("F0B0", "Symbol", "°"),
    "at least": ("F0B3", "Symbol", "≥"),
    "without the private area": ("0061", "Symbol", "α"),
    "small letters": ("f061", "Symbol", "α"),
    "Delta": ("F044", "Symbol", "Δ"),
    "an arrow": ("F0E0", "Wingdings", "→"),
    "a tick of another font": ("F0FC", "Wingdings", "✔"),
    "a font that nobody knows": ("F041", "House Symbols", "☃"),
}


@pytest.mark.parametrize(("char", "font", "letter"), SYMBOLS.values(), ids=SYMBOLS)
def test_symbols_of_word_are_read_or_reported(tmp_path: Path, char: str, font: str, letter: str) -> None:
    """'5 µg' would become '5 g' without a word."""
    paper = read_paper(word(tmp_path / "symbols.docx", (char, font)))
    text = searched(paper).replace("µ", "μ")
    assert f"The angle {letter} of the roof was small." in text or any(
        "symbol" in note.lower() for note in paper.warnings
    )
    assert font != "Symbol" or f"The angle {letter} of" in text


@pytest.mark.parametrize("where", ["heading", "cell"])
def test_symbols_in_headings_and_cells(tmp_path: Path, where: str) -> None:
    """A table's column would lose its name."""
    paper = read_paper(word(tmp_path / "symbols.docx", ("F061", "Symbol"), ("F062", "Symbol"), where=where))
    cells = " ".join(cell for figure in paper.figures for row in figure.cells for cell in row)
    assert "Angle αβ of the roof" in searched(paper) + cells or is_reported(paper)


def test_runs_in_the_symbol_font(tmp_path: Path) -> None:
    """Older documents have the letter of the private area as text, in a run whose font is Symbol."""
    document = docx.Document()
    document.add_heading("Gulls of the city", 0)
    paragraph = document.add_paragraph("The angle ")
    run = paragraph.add_run("\uf061")
    run.font.name = "Symbol"
    paragraph.add_run(" of the roof was small. " + BODY)
    document.save(str(tmp_path / "old.docx"))
    paper = read_paper(tmp_path / "old.docx")
    assert "The angle α of" in searched(paper) or is_reported(paper)


# Wrong endings


def pdf() -> bytes:
    page = io.BytesIO()
    canvas = Canvas(page, invariant=1)
    canvas.setFont("Times-Bold", 18)
    canvas.drawString(72, 760, "Gulls of the city")
    canvas.setFont("Times-Roman", 11)
    for row, line in enumerate((BODY, "We counted them on forty roofs for six years, from the first of March on.")):
        canvas.drawString(72, 700 - 14 * row, line)
    canvas.save()
    return page.getvalue()


def archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a.txt", "words " * 50)
    return packed.getvalue()


WRONG = {
    "PDF.TXT": pdf,
    "pdf.text": pdf,
    "pdf.md": pdf,
    "pdf.csv": pdf,
    "junk-before.txt": lambda: b"\r\n\r\n" + pdf(),
    "pdf.html": pdf,
    "zip.txt": archive,
    "packed.txt": lambda: gzip.compress(BODY.encode() * 20),
    "picture.txt": lambda: b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\2\0\0\0" + bytes(range(256)) * 20,
    "office.md": lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000) + "Gulls".encode("utf-16-le") * 50,
}


@pytest.mark.parametrize("file", WRONG)
def test_a_file_under_a_wrong_ending(tmp_path: Path, file: str) -> None:
    """The bytes of a file would be quoted as prose."""
    path = tmp_path / file
    path.write_bytes(WRONG[file]())
    if not is_refused(path):
        paper = read_paper(path)
        assert "Gulls nest on flat roofs." in searched(paper)
        assert "endobj" not in searched(paper) and not any("\0" in text or "%PDF" in text for text in prose(paper))
