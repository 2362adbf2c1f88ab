"""Papers in TEI: GROBID's output with its coordinates, and what people mark up by hand."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from conspectus.core.errors import InputError
from conspectus.parse.markup.document import DocumentBuilder, key_of, page_span, with_text, year_in
from conspectus.parse.markup.inline import MarkedText, is_raisable
from conspectus.parse.markup.xml_article import Body, Flow
from conspectus.parse.markup.xml_tree import (
    Element,
    formula_text,
    href_of,
    load,
    nothing_in,
    plain_text,
    tree_of,
    unexpanded_note,
)
from conspectus.parse.people.authors import author_of_name, orcid_in
from conspectus.parse.text.blocks import clean_line
from conspectus.parse.text.dates import iso_text
from conspectus.parse.text.identifiers import identifiers_by_kind
from conspectus.records import Author, FigureKind, MarkKind, Metadata, ParsedPaper, Place, Reference

REF_TYPES: dict[str, MarkKind] = {
    "bibr": "reference",
    "biblio": "reference",
    "figure": "figure",
    "fig": "figure",
    "table": "table",
    "foot": "footnote",
    "note": "footnote",
    "formula": "equation",
}
_MAX_PLACES = 200
_MAX_PAGE = 100_000


def places_of(element: Element | None) -> tuple[Place, ...]:
    """The rectangles of `coords`: `page,x,y,width,height;…`, in points from the top left; none where they are odd."""
    places = []
    for part in (element.get("coords") or "").split(";")[:_MAX_PLACES] if element is not None else ():
        place = _place(part.split(","))
        if place is not None:
            places.append(place)
    return tuple(places)


def _place(numbers: list[str]) -> Place | None:
    try:
        page = int(numbers[0])
        x, y, width, height = (float(number) for number in numbers[1:])
    except ValueError:
        return None
    if not (1 <= page <= _MAX_PAGE and width >= 0 and height >= 0 and math.isfinite(x + y + width + height)):
        return None
    return Place(page, (x, y, x + width, y + height))


class TeiText(Flow):
    """Gathers the text of elements."""

    skipped = frozenset({"label", "graphic", "idno"})
    spaces = frozenset({"lb", "pb", "cb"})
    paragraphs = frozenset({"p", "div", "head", "item", "row"})

    def __init__(self, builder: DocumentBuilder) -> None:
        super().__init__(builder)
        self.handlers = {
            "s": self._sentence,
            "ref": self._ref,
            "ptr": self._ref,
            "hi": self._add_highlight,
            "cell": self._cell,
        }

    def line(self, element: Element | None) -> str:
        """The text of an element on one line."""
        return "" if element is None else clean_line(self.words(element).text)

    def _add_highlight(self, element: Element) -> None:
        is_raised = "sup" in (element.get("rend") or "") and is_raisable(plain_text(element))
        (self._add_raised if is_raised else self._inside)(element)

    def _cell(self, element: Element) -> None:
        self.out.space()
        self._inside(element)
        self.out.space()

    def _sentence(self, element: Element) -> None:
        out, since = self.out, self.out.here()
        self.out.space()
        self._inside(element)
        if self.out is out:
            out.sentence(since, places_of(element))
        self.out.space()

    def _ref(self, element: Element) -> None:
        ids = [name.removeprefix("#") for name in (element.get("target") or "").split() if name.startswith("#")]
        kind, targets = self.builder.follow(ids, REF_TYPES.get(element.get("type", "")))
        if kind is None or self._marking:
            return self._inside(element)
        return self._mark(element, kind, targets)


Paragraph = tuple[MarkedText, tuple[Place, ...]]


def metadata_of(root: Element, text: TeiText) -> tuple[Metadata, list[Paragraph]]:
    """What the header says, and the paragraphs of the abstract with their places."""
    header = root.find("teiHeader")
    if header is None:
        return Metadata(), []
    source = header.find("fileDesc/sourceDesc/biblStruct")
    title = text.line(header.find("fileDesc/titleStmt/title")) or _title(source, text)
    abstract = _abstract(root, text)
    date = _date(header, source)
    ids = _identifiers(source if source is not None else header)
    pmcid = ids.pop("pmcid")
    metadata = Metadata(
        title=title,
        authors=tuple(_authors(header, source, text)),
        abstract="\n\n".join(words.text for words, _ in abstract),
        date=date,
        year=int(date[:4]) if date else None,
        venue=_venue(source, text),
        keywords=tuple(_keywords(header, text)),
        extra={"pmcid": pmcid} if pmcid else {},
        **ids,
    )
    return metadata, abstract


def reference_of(entry: Element, key: str, text: TeiText) -> Reference:
    """An entry of the reference list; where it is not given as printed, `text` is put together from its parts."""
    raw = next((note for note in entry.iter("note") if note.get("type") == "raw_reference"), None)
    if entry.tag == "bibl" and raw is None:
        raw = entry
    title = _title(entry, text)
    venue = _venue(entry, text)
    ids = _identifiers(entry)
    date = next(entry.iter("date"), None)
    known = Reference(
        key,
        text.line(raw),
        clean_line(entry.get("n") or text.line(entry.find("label"))),
        title or venue,
        tuple(_people(entry, text)),
        venue=venue if title else "",
        volume=_scope(entry, "volume"),
        pages=_scope(entry, "page") or _scope(entry, "pp"),
        doi=ids["doi"],
        arxiv_id=ids["arxiv_id"],
        pmid=ids["pmid"],
        url=next((to for ptr in entry.iter("ptr", "ref") if (to := ptr.get("target", "")).startswith("http")), ""),
    )
    return with_text(
        known,
        year=year_in(" ".join(filter(None, (date.get("when"), plain_text(date))))) if date is not None else "",
        issue=_scope(entry, "issue"),
        publisher=text.line(next(entry.iter("publisher"), None)),
    )


def _title(source: Element | None, text: TeiText) -> str:
    """The title of the article; of a book, which has none, that of the book."""
    if source is None:
        return ""
    titles = list(source.iter("title"))
    for level in ("a", "m"):
        title_element = next(
            (title for title in titles if title.get("level") == level and (title.text or len(title))), None
        )
        if title_element is not None and (level == "a" or not _has_article(titles)):
            return text.line(title_element).removesuffix(".")
    return text.line(titles[0]).removesuffix(".") if len(titles) == 1 and titles[0].get("level") is None else ""


def _has_article(titles: list[Element]) -> bool:
    return any(title.get("level") == "a" for title in titles)


def _venue(source: Element | None, text: TeiText) -> str:
    titles = list(source.iter("title")) if source is not None else []
    levels = ("j", "m", "s") if _has_article(titles) else ("j", "s")
    for level in levels:
        for title in titles:
            if title.get("level") == level and (name := text.line(title)):
                return name
    return ""


def _scope(entry: Element, unit: str) -> str:
    scope = next(
        (element for element in entry.iter("biblScope") if element.get("unit") == unit or element.get("type") == unit),
        None,
    )
    if scope is None:
        return ""
    return page_span(scope.get("from", ""), scope.get("to", "")) or clean_line(plain_text(scope))


def _identifiers(source: Element) -> dict[str, Any]:
    return identifiers_by_kind(
        ((idno.get("type") or "").lower(), clean_line(plain_text(idno))) for idno in source.iter("idno")
    )


def _date(header: Element, source: Element | None) -> str:
    """The date of publication, the most exact that is given."""
    candidates = []
    places = [source] if source is not None else []
    places += header.iterfind("fileDesc/publicationStmt")
    for number, place in enumerate(places):
        for date in place.iter("date"):
            written = iso_text(date.get("when") or clean_line(plain_text(date)))
            if written and date.get("type", "published") == "published":
                candidates.append((-len(written), number, written))
    return min(candidates)[-1] if candidates else ""


def _authors(header: Element, source: Element | None, text: TeiText) -> Iterator[Author]:
    analytic = source.find("analytic") if source is not None else None
    for place in (analytic, source, header.find("fileDesc/titleStmt")):
        people = list(_people(place, text)) if place is not None else []
        if people:
            yield from people
            return


def _people(place: Element, text: TeiText) -> Iterator[Author]:
    for element in place.iter("author"):
        if next(element.iterancestors("note"), None) is not None:
            continue
        author = _author(element, text)
        if author.name:
            yield author


def _author(element: Element, text: TeiText) -> Author:
    person = element.find("persName")
    if person is None:
        group = element.find("orgName")
        name = text.line(group) if group is not None else _loose(element)
        return Author(name) if group is not None else author_of_name(name)
    family = " ".join(text.line(part) for part in person.iterchildren("nameLink", "surname"))
    given_names = " ".join(text.line(part) for part in person.iterchildren("forename"))
    suffix = text.line(person.find("genName"))
    orcid = next((identifier for idno in element.iter("idno") if (identifier := orcid_in(plain_text(idno)))), "")
    name = " ".join(filter(None, (given_names, family, suffix))) or clean_line(plain_text(person))
    places = (_affiliation(part, text) for part in element.iterchildren("affiliation"))
    return Author(name, family, given_names, orcid, tuple(dict.fromkeys(filter(None, places))))


def _loose(element: Element) -> str:
    return clean_line((element.text or "") + "".join(child.tail or "" for child in element) or plain_text(element))


def _affiliation(element: Element, text: TeiText) -> str:
    """The affiliation as printed where that is given, else its parts."""
    raw = next((note for note in element.iter("note") if note.get("type") == "raw_affiliation"), None)
    if raw is not None:
        without_label = [part for part in raw if part.tag != "label"]
        return clean_line(
            (raw.text or "")
            + "".join(plain_text(part) + (part.tail or "") for part in without_label)
            + "".join(part.tail or "" for part in raw if part.tag == "label")
        ).strip(" ,;")
    parts = [text.line(part) for part in element.iter("orgName", "addrLine", "settlement", "region", "country")]
    return ", ".join(filter(None, parts)) or text.line(element)


def _keywords(header: Element, text: TeiText) -> Iterator[str]:
    for group in header.iterfind("profileDesc/textClass/keywords"):
        terms = [text.line(term) for term in group.iter("term", "item")] or re.split(r"[;\n]", plain_text(group))
        yield from dict.fromkeys(line for term in terms if (line := clean_line(term)))


def _abstract(root: Element, text: TeiText) -> list[Paragraph]:
    places = [*root.iterfind("teiHeader/profileDesc/abstract"), *root.iterfind("text/front/div[@type='abstract']")]
    for place in places:
        paragraphs = list(place.iter("p", "ab")) or [place]
        passages = [(text.words(paragraph), places_of(paragraph)) for paragraph in paragraphs]
        if any(words.text for words, _ in passages):
            return [(words, where) for words, where in passages if words.text]
    return []


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

    def __init__(self, text: TeiText) -> None:
        super().__init__(text)
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
            self._builder.heading(MarkedText(head or "References"), 1)
        for entry in entries:
            self._builder.reference(reference_of(entry, key_of(entry), self._text), places_of(entry))

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
            self._builder.heading(MarkedText(title), level)
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
        self._builder.text("equation", MarkedText(formula_text(element)), label, places_of(element))

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
        caption = self._caption(head, description)
        self._builder.figure(kind, caption, label, href, cells, place, key)

    def _caption(self, head: str, description: Element | None) -> MarkedText:
        """GROBID's `figDesc` often begins with the words of the `head`: they are said once."""
        words = self._text.words(description) if description is not None else MarkedText("")
        squeezed = re.sub(r"\W+", "", head).casefold()
        if not head or re.sub(r"\W+", "", words.text).casefold().startswith(squeezed):
            return words
        paragraphs = list(description.iter("p")) if description is not None else []
        parts = paragraphs if len(paragraphs) == 1 else [description] if description is not None else []
        return self._text.words(*parts, head=head + ("" if head[-1] in ".:?!" else "."))


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
    builder = DocumentBuilder(marks_have_keys=True)
    _give_keys(root, builder)
    text = TeiText(builder)
    metadata, abstract = metadata_of(root, text)
    for words, places in abstract:
        builder.text("abstract", words, "", places)
    body = TeiBody(text)
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
    page_numbers = (place.page for element in root.iter() if element.get("coords") for place in places_of(element))
    return max(page_numbers, default=0)


def _give_keys(root: Element, builder: DocumentBuilder) -> None:
    for entry in root.iterfind("text//listBibl/*"):
        if entry.tag in ("biblStruct", "bibl", "biblFull"):
            builder.key_reference(entry)
    for figure in root.iterfind("text//figure"):
        builder.key_figure("table" if is_table(figure) else "figure", figure)
    for table in root.iterfind("text//table"):
        if next(table.iterancestors("figure"), None) is None:
            builder.key_figure("table", table)
    builder.note_ids("footnote", root.iterfind("text//note"))
    builder.note_ids("equation", root.iterfind("text//formula"))
