"""Articles in JATS and its forerunner NLM, as PMC, PLOS, eLife, BMC and many others write them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from conspectus.core.errors import EmptyTextError, InputError
from conspectus.core.text import pluralize
from conspectus.parse.bibliography.records import with_extra
from conspectus.parse.files.streams import FORMATS
from conspectus.parse.markup.document import DocumentBuilder, key_of
from conspectus.parse.markup.inline import MarkedText
from conspectus.parse.markup.jats_metadata import JatsText, citations_of, lay_summaries, metadata_of, reference_of
from conspectus.parse.markup.xml_article import Body
from conspectus.parse.markup.xml_tree import (
    Element,
    formula_text,
    href_of,
    id_of,
    load,
    nothing_in,
    plain_text,
    unexpanded_note,
)
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.text.blocks import clean_line
from conspectus.parse.text.identifiers import find_doi
from conspectus.records import FigureKind, ParsedPaper

_FLOATS = frozenset(
    """fig fig-group table-wrap table-wrap-group supplementary-material media chem-struct-wrap
    inline-supplementary-material""".split()
)
_PASSED_OVER = frozenset(
    """title label sec-meta object-id subtitle kwd-group permissions graphic alternatives processing-meta
    page-count alt-text long-desc related-article related-object attrib""".split()
)
_BREAKS = frozenset(
    "list def-list disp-quote disp-formula disp-formula-group verse-group preformat code array speech statement".split()
)
_DATA_AVAILABILITY = re.compile(r"data\s*(?:access|availability|sharing)", re.I)
_BOILERPLATE = re.compile(r"\[?(?:Click here (?:for|to) .{0,60}|Supplementary (?:data|material))\]?\.?", re.I)
_STATEMENTS = {
    "con": "Author contributions",
    "conflict": "Competing interests",
    "coi-statement": "Competing interests",
    "financial-disclosure": "Funding",
    "supported-by": "Funding",
}
"""Types of notes that are statements, and the headings under which other articles print them."""
_DOI_ONLY = re.compile(r"\s*DOI:\s*http\S+\s*", re.I)


class JatsBody(Body[JatsText]):
    """Walks through an article and gives its blocks to the builder."""

    passed_over = _PASSED_OVER
    waits = _FLOATS | {"boxed-text", "fn"}
    breaks = _BREAKS

    def __init__(self, text: JatsText) -> None:
        super().__init__(text)
        self._boxes: list[Element] = []
        self._inner: list[Element] = []  # floats within a caption
        self._handlers = {
            "p": self._paragraph,
            "sec": self.add_section,
            "app": self.add_section,
            "ack": self._acknowledgements,
            "list": self._list,
            "def-list": self._definitions,
            "fn": self.footnote,
            "fn-group": self._footnotes,
            "fig": lambda figure, _: self._float("figure", figure),
            "table-wrap": self._table,
            "disp-formula": self._equation,
            "supplementary-material": self._supplement,
            "inline-supplementary-material": self._supplement,
            "media": self._supplement,
            "preformat": self._verbatim,
            "code": self._verbatim,
            "boxed-text": lambda box, _: self._boxes.append(box),
            "ref-list": self.references,
        }

    def content(self, element: Element, level: int) -> None:
        """All that stands in `element`; sections in it have `level`."""
        boxes, self._boxes = self._boxes, []
        super().content(element, level)
        for box in self._boxes:  # where a box stands in the text is chance; behind it the section goes on
            self.add_section(box, level)
        self._boxes = boxes

    def funding(self, meta: Element) -> None:
        """What only the front matter says about funding and data."""
        statements = [self._text.words(part) for part in meta.iterfind("funding-group/funding-statement")]
        self._add_statement("Funding", statements)
        for custom in meta.iter("custom-meta"):
            if _DATA_AVAILABILITY.search(custom.findtext("meta-name") or ""):
                value = custom.find("meta-value")
                self._add_statement("Data availability", [self._text.words(value)] if value is not None else [])

    def author_notes(self, meta: Element) -> None:
        """What notes on the authors state: their parts, their interests, where they are now."""
        stated: dict[str, list[MarkedText]] = {}
        for note in meta.iterfind("author-notes/fn"):
            title = _STATEMENTS.get(note.get("fn-type") or "", "Author notes")
            stated.setdefault(title, []).extend(self._text.words(part) for part in _paragraphs(note))
        for title, paragraphs in stated.items():
            self._add_statement(title, paragraphs)

    def _add_statement(self, title: str, paragraphs: list[MarkedText]) -> None:
        if any(words.text for words in paragraphs):
            self._builder.heading(MarkedText(title), 1)
            for words in paragraphs:
                self._builder.text("paragraph", words)

    def _container(self, element: Element, level: int) -> None:
        """As others'; some groups have titles."""
        if element.tag in ("notes", "glossary", "bio", "app-group") and element.find("title") is not None:
            self.add_section(element, level)
        else:
            super()._container(element, level)

    def add_section(self, element: Element, level: int, otherwise: str = "") -> None:
        """The content of `element` under its own title, or `otherwise`."""
        title = element.find("title")
        if title is None:  # a box keeps its title in a caption
            title = element.find("caption/title")
        words = self._text.words(title) if title is not None else MarkedText("")
        headed = self._builder.heading(words, level, element.findtext("label") or "")
        headed = headed or self._builder.heading(MarkedText(otherwise), level)
        self.content(element, level + headed)

    def _acknowledgements(self, element: Element, level: int) -> None:
        inner = element.find("sec/title")
        self.add_section(element, level, "" if inner is not None else "Acknowledgements")

    def _paragraph(self, element: Element, level: int) -> None:
        if not _DOI_ONLY.fullmatch(plain_text(element)):
            super()._paragraph(element, level)

    def _list(self, element: Element, level: int) -> None:
        title = element.find("title")
        if title is not None:
            self._builder.text("paragraph", self._text.words(title))
        for item in element.iterchildren("list-item"):
            head = clean_line(item.findtext("label") or "")
            for child in item:
                if child.tag == "p":
                    self._flow(child, level, head)
                    head = ""
                elif child.tag not in _PASSED_OVER:
                    self._handle(child, level)

    def _definitions(self, element: Element, level: int) -> None:
        for item in element.iterchildren("def-item"):
            term = clean_line(" ".join(self._text.words(part).text for part in item.iterchildren("term")))
            for paragraph in item.iter("p"):
                self._flow(paragraph, level, f"{term}:" if term else "")
                term = ""

    def _verbatim(self, element: Element, _: int) -> None:
        self._builder.code(plain_text(element))

    def footnote(self, element: Element, _: int) -> None:
        """A footnote; it comes at the end, with the others. Some have their label raised within the text."""
        label = element.findtext("label") or element.get("symbol") or ""
        parts = _paragraphs(element)
        if title := _STATEMENTS.get(element.get("fn-type") or ""):
            return self._add_statement(title, [self._text.words(part) for part in parts])
        first = parts[0]
        raised = next(iter(first), None)
        if not label and raised is not None and raised.tag == "sup" and not (first.text or "").strip():
            label = clean_line(plain_text(raised))[:10]
            tail, raised.text = raised.tail, None
            del raised[:]
            raised.tail = tail
        self._builder.text("footnote", self._text.words(*parts), label)
        return None

    def _footnotes(self, element: Element, level: int) -> None:
        """Notes at the end; under a title they are statements (of interests, of authors' parts) and no footnotes."""
        title = self._text.title(element.find("title"))
        if not title or title.lower().startswith(("footnote", "note", "endnote")):
            return self.content(element, level)
        self._builder.heading(MarkedText(title), level)
        for note in element.iterchildren("fn", "p"):
            for part in _paragraphs(note):
                self._paragraph(part, level)
        return None

    def _equation(self, element: Element, _: int) -> None:
        text = formula_text(element)
        if text:
            self._builder.text("equation", MarkedText(text), element.findtext("label") or "")
        else:
            self._builder.missing["equation"] += 1

    def _table(self, element: Element, level: int) -> None:
        self._float("table", element)
        for foot in element.iterchildren("table-wrap-foot"):
            for part in foot.iter("fn", "p"):
                if part.tag == "fn" or next(part.iterancestors("fn"), None) is None:
                    self.footnote(part, level)

    def _float(self, kind: FigureKind, element: Element) -> None:
        key = key_of(element)
        label = self._text.title(element.find("label"))
        graphic = next(element.iter("graphic", "media"), None)
        tables = list(element.iter("table", "tgroup")) if kind == "table" else []
        cells = self._cells(tables, label)
        href = href_of(graphic) if graphic is not None else ""
        self._builder.figure(kind, self._caption(element, label), label, href, cells, key=key)
        self._floats_inside(element)

    def _caption(self, element: Element, label: str) -> MarkedText:
        """Label, title and text; a label stands in front of the title as it does in print."""
        parts = (part for caption in element.iterchildren("caption") for part in caption.iterchildren("title", "p"))
        text_parts = [part for part in parts if not _DOI_ONLY.fullmatch(plain_text(part))]
        head = label + ("." if label and label[-1] not in ".:" else "")
        words = self._text.words(*text_parts, head=head, interrupt=self._floats_in_caption)
        if _BOILERPLATE.fullmatch(words.text):
            return MarkedText("")
        return MarkedText("") if words.text.rstrip(".:") == label.rstrip(".:") else words

    def _floats_in_caption(self, child: Element) -> bool:
        if child.tag not in _FLOATS:
            return False
        self._inner.append(child)
        return True

    def _floats_inside(self, element: Element) -> None:
        """What was met in a caption, or stands in the float, and has a caption of its own."""
        inner, self._inner = self._inner, []
        inner += element.iterchildren("fig", "table-wrap", "media", "supplementary-material", "p")
        for part in inner:
            self._handle(part, 1)

    def _supplement(self, element: Element, _: int) -> None:
        """A file that comes with the article. In the section that lists such files, what it holds is back matter."""
        label = self._text.title(element.find("label"))
        is_listed = next(element.iterancestors("sec"), element).get("sec-type") == "supplementary-material"
        self._builder.text("paragraph" if is_listed else "caption", self._caption(element, label), label)
        self._floats_inside(element)

    def references(self, element: Element, level: int) -> None:
        """A reference list, also one that is parted into several under titles of their own."""
        title = self._text.title(element.find("title"))
        if title or next(element.iterchildren("ref"), None) is not None:
            self._builder.heading(MarkedText(title or "References"), level)
        for child in element:
            if child.tag == "ref":
                self._builder.reference(reference_of(child, key_of(child), self._text), ())
            elif child.tag == "ref-list":
                self.references(child, level + 1)
            elif child.tag in ("p", "sec"):
                self._handlers[child.tag](child, level + 1)


_NOT_THE_PAPER = ("sub-article", "response")
_MISSING = {
    "formula": "Formulas within the text that are only pictures: {n}; [formula] stands where they were.",
    "equation": "Displayed formulas that are only pictures, and were left out: {n}.",
    "image": "Small pictures within the text: {n}; [image] stands where they were.",
}


def read_jats(path: Path) -> ParsedPaper:
    """The article of a file.

    Raises:
        InputError: It is no article in JATS, or is damaged, too large or empty.
    """
    root = load(path)
    if root.tag != "article":
        raise InputError(
            f"'{path.name}' is XML, but no article in JATS: its first element is <{root.tag[:60]}>.",
            "Only articles, TEI and lists of records can be read of XML.",
        )
    return article_of(root, path.name)


def article_of(article: Element, name: str) -> ParsedPaper:
    """The paper of an `article` element.

    Raises:
        InputError: It has no front matter, as other kinds of XML with that element; or all its text is in entities.
        EmptyTextError: There is neither title nor abstract nor text in it.
    """
    if article.find("front") is None and article.find("body") is None:
        raise InputError(
            f"'{name}' is XML with an <article>, but not in JATS: it has neither front matter nor body.",
            "Only articles, TEI and lists of records can be read of XML.",
        )
    warnings = _remove_other_parts(article)
    builder = DocumentBuilder(marks_have_keys=True)
    builder.warnings += warnings
    _give_keys(article, builder)
    text = JatsText(builder)
    metadata, abstract = metadata_of(article, text)
    for words in abstract:
        builder.text("abstract", words)
    _fill(article, JatsBody(text))
    builder.warnings += [_MISSING[what].format(n=count) for what, count in builder.missing.items()]
    builder.warnings += unexpanded_note(article)
    paper = builder.paper(metadata)
    if not (paper.blocks or paper.figures or metadata.title):
        raise nothing_in(article, name, "Download it again; the publisher may give the text elsewhere.")
    return _record(paper) if not paper.has_full_text else paper


def _fill(article: Element, body: JatsBody) -> None:
    """Body, floats, back matter and references; without a body only the references."""
    main, back, meta = (article.find(path) for path in ("body", "back", "front/article-meta"))
    has_text = main is not None and any(text.strip() for text in main.itertext())
    if has_text and main is not None:
        for summary in lay_summaries(article):
            body.add_section(summary, 1, "Summary")
        body.content(main, 1)
    for group in article.iterchildren("floats-group", "floats-wrap"):
        body.content(group, 1)
    if back is not None and has_text:
        body.content(back, 1)
    elif back is not None:
        for references in back.iterchildren("ref-list"):
            body.references(references, 1)
    if meta is not None and has_text:
        body.funding(meta)
        body.author_notes(meta)


def _paragraphs(note: Element) -> list[Element]:
    return [child for child in note if child.tag == "p"] or [note]


def _record(paper: ParsedPaper) -> ParsedPaper:
    """An article without text is a record: what stands in front of nothing goes."""
    blocks = tuple(block for block in paper.blocks if block.kind in ("abstract", "reference"))
    return replace(paper, blocks=blocks, figures=())


def _remove_other_parts(article: Element) -> list[str]:
    """Takes out what is not the paper's own text (reviews, replies, translations), and says so."""
    counts: Counter[str] = Counter()
    for part in list(article.iterchildren(*_NOT_THE_PAPER)):
        counts[(part.get("article-type") or part.get("response-type") or "part").replace("-", " ")] += 1
        article.remove(part)
    if not counts:
        return []
    listed = ", ".join(f"{count} × {name}" if count > 1 else name for name, count in counts.items())
    return [f"What is attached to the article was left out: {listed}."]


def _give_keys(article: Element, builder: DocumentBuilder) -> None:
    for ref in article.iter("ref"):
        builder.key_reference(ref, (id_of(citation) for citation in citations_of(ref)))
    for figure in article.iter("fig", "table-wrap"):
        builder.key_figure("table" if figure.tag == "table-wrap" else "figure", figure)
    for group in article.iter("fig-group", "table-wrap-group"):
        inner = [key_of(part) for part in group.iter("fig", "table-wrap")]
        if inner and id_of(group):
            builder.meaning.setdefault(id_of(group), ("table" if inner[0].startswith("t") else "figure", tuple(inner)))
    builder.note_ids("footnote", article.iterfind(".//fn"))
    builder.note_ids("equation", article.iter("disp-formula"))


_PAPERS = frozenset({"article", "dc"})
_UNITS = _PAPERS | {"record"}
_MORE = "The harvest has more records, which are not in this file (resumptionToken)."
_KEPT = ("type", "language", "rights", "format", "relation", "coverage", "contributor")
"""Fields of Dublin Core that are kept as they are."""


def read_wrapped(path: Path) -> Iterator[Item]:
    """Yield the articles in JATS and the records in Dublin Core of a file, and those that cannot be read.

    Raises:
        InputError: The file as a whole cannot be read, or has none.
    """
    root = load(path)
    units = list(enumerate(_outermost(root, _UNITS), 1))
    present = [(number, unit) for number, unit in units if not _is_deleted(unit)]
    if not present:
        raise _nothing_in(root, path.name, is_deleted=bool(units))
    notes = tuple(_notes(root, len(units) - len(present)))
    for number, unit in present:
        where = f"{'record' if unit.tag == 'record' else 'article'} {number}"
        for item in _items(unit, path.name, where):
            if notes and isinstance(item, ParsedPaper):
                yield replace(item, warnings=(*item.warnings, *notes))
                notes = ()
            else:
                yield item


def _is_deleted(unit: Element) -> bool:
    """Whether a record only says that the repository has no such paper any more."""
    header = unit.find("header")
    return header is not None and header.get("status") == "deleted"


def _notes(root: Element, deleted: int) -> Iterator[str]:
    """Yield what the harvest does not have."""
    if deleted:
        yield f"The repository has deleted {pluralize(deleted, 'record')} of the harvest."
    if any(plain_text(token).strip() for token in root.iter("resumptionToken")):
        yield _MORE


def _outermost(root: Element, tags: frozenset[str]) -> Iterator[Element]:
    """Yield the elements with one of the tags that are in none of these."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag in tags:
            yield element
        else:
            waiting += reversed(element)


def _items(unit: Element, name: str, where: str) -> Iterator[Item]:
    papers = list(_outermost(unit, _PAPERS))
    for paper in papers:
        try:
            yield _dublin_core(paper, where) if paper.tag == "dc" else article_of(paper, name)
        except InputError as error:
            yield BadRecord(where, str(error))
    if not papers:
        yield BadRecord(where, _why_no_paper(unit))


def _why_no_paper(record: Element) -> str:
    metadata = record.find("metadata")
    kind = metadata[0].tag if metadata is not None and len(metadata) else ""
    if not kind:
        return "It has no metadata."
    format = FORMATS.get(kind)
    return (
        f"Its metadata are {format.name if format else f'<{kind}>'}, which cannot be read; harvest JATS or Dublin Core."
    )


def _dublin_core(record: Element, where: str) -> Item:
    """Return the paper of a record in Dublin Core."""
    values: dict[str, list[str]] = {}
    for element in record:
        if text := clean_line(plain_text(element)):
            values.setdefault(element.tag, []).append(text)
    identifiers = values.get("identifier", [])
    known = {
        "title": next(iter(values.get("title", ())), ""),
        "authors": values.get("creator", []),
        "abstract": "\n\n".join(values.get("description", ())),
        "date": next(iter(values.get("date", ())), ""),
        "venue": next((source.partition(";")[0] for source in values.get("source", ())), ""),
        "doi": next((doi for text in identifiers if (doi := find_doi(text))), ""),
        "url": next((text for text in identifiers if text.startswith(("http://", "https://"))), ""),
        "keywords": values.get("subject", []),
    }
    extra = {name: values.get(name, []) for name in _KEPT}
    extra["publisher"] = values.get("publisher", [])
    return with_extra(known, extra, where)


def _nothing_in(root: Element, name: str, *, is_deleted: bool) -> InputError:
    error = next(root.iter("error"), None)
    if root.tag == "OAI-PMH" and error is not None:
        message = clean_line(plain_text(error)) or error.get("code", "")
        return InputError(f"'{name}' is a repository's answer without records: {message}", "Change what is asked for.")
    if is_deleted:
        return EmptyTextError(f"'{name}' has only records that the repository has deleted.", "Harvest others.")
    return EmptyTextError(f"'{name}' has no articles in it.", "Fetch or export it again.")
