"""Papers in TEI: GROBID's output with its coordinates, and what people mark up by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from conspectus.core.errors import InputError
from conspectus.parse.blocks import clean_line
from conspectus.parse.inline import Words
from conspectus.parse.xml.build import Keys, PaperBuilder, key_of
from conspectus.parse.xml.flow import Body
from conspectus.parse.xml.formula import formula_text
from conspectus.parse.xml.load import Element, href_of, load, nothing_in, tree_of, unexpanded_note
from conspectus.parse.xml.tei_front import metadata_of, reference_of
from conspectus.parse.xml.tei_text import TeiText, places_of
from conspectus.records import FigureKind, ParsedPaper, Place

_BACK_TITLES = {
    "acknowledgement": "Acknowledgements",
    "acknowledgements": "Acknowledgements",
    "funding": "Funding",
    "availability": "Data availability",
    "annex": "",
    "conflict": "Competing interests",
    "contribution": "Author contributions",
}
_LOOSE_STOP = re.compile(r"(?<!\s)\s++([.:])")
_NUMBER = re.compile(r"(?:\d{1,2}|[A-Z])(?:\.\d{1,2})*\.?")
_ROOTS = ("TEI", "TEI.2")


def is_table(figure: Element) -> bool:
    """Whether a `figure` is what GROBID takes for a table."""
    return figure.get("type") == "table"


class TeiBody(Body[TeiText]):
    """Walks through a document and gives its blocks to the builder."""

    passed_over = frozenset({"head", "listBibl", "pb", "lb", "cb", "fw", "label"})
    waits = frozenset({"figure", "table", "note"})
    breaks = frozenset({"formula", "list", "quote", "cit"})

    def __init__(self, builder: PaperBuilder, text: TeiText) -> None:
        super().__init__(builder, text)
        self._handlers = {
            "div": self._section,
            **{f"div{number}": self._section for number in range(1, 8)},
            "p": self._paragraph,
            "ab": self._paragraph,
            "figure": self._figure,
            "table": self._bare_table,
            "formula": self._formula,
            "note": self._note,
            "list": self._list,
        }

    def references(self, root: Element) -> None:
        """The reference list."""
        entries = [part for part in root.iterfind("text//listBibl/*") if part.tag in ("biblStruct", "bibl", "biblFull")]
        if entries:
            head = self._text.line(root.find("text//listBibl/head"))
            self._builder.heading(Words(head or "References"), 1)
        for key, entry in zip(self._builder.keys.references, entries, strict=True):
            self._builder.reference(reference_of(entry, key, self._text), places_of(entry))

    def _section(self, element: Element, level: int) -> None:
        """A `div`; GROBID's lie side by side, and the number of the heading tells the level."""
        if element.get("type") in ("references", "bibliography") and next(element.iter("p"), None) is None:
            return
        head = element.find("head")
        number = clean_line(head.get("n") or "") if head is not None else ""
        if number and _NUMBER.fullmatch(number):
            level = max(level, number.rstrip(".").count(".") + 1)
        if head is not None:
            self._builder.heading(self._text.words(head), level, number, places_of(head))
        elif next(element.iter("p", "head"), None) is not None:
            nested = next(element.iterdescendants("head"), None)
            title = "" if nested is not None else _BACK_TITLES.get(element.get("type", ""), "")
            self._builder.heading(Words(title), level)
        self.content(element, level + (head is not None))

    def _flow(self, element: Element, level: int, head: str = "", places: tuple[Place, ...] = ()) -> None:
        super()._flow(element, level, head, places or places_of(element))

    def _list(self, element: Element, level: int) -> None:
        for item in element.iterchildren("item", "head"):
            self._paragraph(item, level)

    def _note(self, element: Element, _: int) -> None:
        if element.get("type") in ("raw_reference", "raw_affiliation"):
            return
        self._builder.text("footnote", self._text.words(element), element.get("n") or "", places_of(element))

    def _formula(self, element: Element, _: int) -> None:
        label = self._text.line(element.find("label"))
        self._builder.text("equation", Words(formula_text(element)), label, places_of(element))

    def _figure(self, element: Element, _: int) -> None:
        table = is_table(element)
        pictures: Iterable[Element] = element.iter("table") if table else element.iter("graphic")
        self._float("table" if table else "figure", element, list(element.iter("table")), _union(pictures))
        for note in element.iterchildren("note"):
            self._note(note, 0)

    def _bare_table(self, element: Element, _: int) -> None:
        self._float("table", element, [element], _union([element]))

    def _float(self, kind: FigureKind, element: Element, tables: list[Element], place: Place | None) -> None:
        key = key_of(element)
        head = _LOOSE_STOP.sub(r"\1", self._text.line(element.find("head")))
        label = _label(head, self._text.line(element.find("label")), kind)
        description = element.find("figDesc")
        graphic = next(element.iter("graphic"), None)
        cells = self._cells(tables, label)
        href = (graphic.get("url") or href_of(graphic)) if graphic is not None else ""
        self._builder.figure(kind, key, self._caption(head, description), label, href, cells, place)

    def _caption(self, head: str, description: Element | None) -> Words:
        """GROBID's `figDesc` often begins with the words of the `head`: they are said once."""
        whole = self._text.words(description) if description is not None else Words("")
        squeezed = re.sub(r"\W+", "", head).casefold()
        if not head or re.sub(r"\W+", "", whole.text).casefold().startswith(squeezed):
            return whole
        paragraphs = list(description.iter("p")) if description is not None else []
        said = paragraphs if len(paragraphs) == 1 else [description] if description is not None else []
        return self._text.words(*said, head=head + ("" if head[-1] in ".:?!" else "."))


def _label(head: str, number: str, kind: FigureKind) -> str:
    """`Figure 3` out of the head (`Figure 3. A map`), else out of the number alone."""
    match = re.match(
        r"(?:Supplementary\s++)?(?:fig(?:ure|\.)?|tab(?:le|\.)?)\s*+[A-Z]?\d*+[\w.-]{0,40}?(?=[\s.:|]|$)", head, re.I
    )
    if match and any(sign.isdigit() for sign in match[0]):
        return match[0].rstrip(".: ")
    if number:
        return number if not number[0].isdigit() else f"{'Table' if kind == 'table' else 'Figure'} {number}"
    return ""


def _union(pictures: Iterable[Element]) -> Place | None:
    """The rectangle around all the pictures on the page of the first."""
    places = [place for picture in pictures for place in places_of(picture)]
    rects = [place.rect for place in places if place.page == places[0].page]
    if not rects:
        return None
    left, top, right, bottom = zip(*rects, strict=True)
    return Place(places[0].page, (min(left), min(top), max(right), max(bottom)))


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
    for part in (*root.iterfind("text/body"), *root.iterfind("text/back")):
        body.content(part, 1)
    body.references(root)
    builder.warnings += unexpanded_note(root)
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
