"""Papers in TEI: GROBID's output with its coordinates, and what people mark up by hand."""

from __future__ import annotations

from pathlib import Path

from conspectus.core.errors import InputError
from conspectus.parse.xml.build import Keys, PaperBuilder
from conspectus.parse.xml.load import Element, load, nothing_in, tree_of
from conspectus.parse.xml.tei_body import TeiBody, is_table
from conspectus.parse.xml.tei_front import metadata_of
from conspectus.parse.xml.tei_text import TeiText, places_of
from conspectus.records import ParsedPaper

_ROOTS = ("TEI", "TEI.2")


def read_tei(path: Path) -> ParsedPaper:
    """The paper of a TEI file.

    Raises:
        InputError: It is no TEI, or is damaged, too large or empty.
    """
    return paper_of(load(path), path.name)


def parse_tei(data: bytes, name: str) -> ParsedPaper:
    """The paper of a TEI document, as a service sent it; `name` is what errors call it.

    Raises:
        InputError: as `read_tei`.
    """
    return paper_of(tree_of(data, name), name)


def paper_of(root: Element, name: str) -> ParsedPaper:
    """The paper of a TEI element.

    Raises:
        InputError: It is not TEI, or all its text is in entities.
        EmptyTextError: There is neither title nor abstract nor text in it.
    """
    if root.tag not in _ROOTS:
        raise InputError(
            f"'{name}' is XML, but not in TEI: its first element is <{root.tag[:60]}>.",
            "Only articles, TEI and lists of records can be read of XML.",
        )
    keys = _keys(root)
    builder = PaperBuilder(keys)
    text = TeiText(keys)
    metadata, abstract = metadata_of(root, text)
    for words, places in abstract:
        builder.text("abstract", words, "", places)
    body = TeiBody(builder, text)
    for part in root.iterfind("text/body"):
        body.content(part, 1)
    for part in root.iterfind("text/back"):
        body.content(part, 1)
    body.references(root)
    paper = builder.paper(metadata, _pages(root))
    if not (paper.blocks or metadata.title):
        raise nothing_in(root, name, "If GROBID made it, look at the PDF: it may be a scan.")
    return paper


def _pages(root: Element) -> int:
    """How many pages there are: as the facsimile says, else as far as anything is said to stand."""
    surfaces = sum(1 for _ in root.iterfind("facsimile/surface"))
    if surfaces:
        return surfaces
    found = (place.page for element in root.iter() if element.get("coords") for place in places_of(element))
    return max(found, default=0)


def _keys(root: Element) -> Keys:
    keys = Keys()
    for entry in root.iterfind("text//listBibl/*"):
        if entry.tag in ("biblStruct", "bibl", "biblFull"):
            keys.add_reference(entry)
    for figure in root.iterfind("text//figure"):
        keys.add_figure("table" if is_table(figure) else "figure", figure)
    for table in root.iterfind("text//table"):
        if next(table.iterancestors("figure"), None) is None:
            keys.add_figure("table", table)
    keys.add_other("footnote", root.iterfind("text//note"))
    keys.add_other("equation", root.iterfind("text//formula"))
    return keys
