"""Body, back matter and floats of a JATS article, block by block."""

from __future__ import annotations

import re

from conspectus.parse.blocks import clean_line, code_block
from conspectus.parse.inline import Words
from conspectus.parse.xml.build import PaperBuilder, key_of
from conspectus.parse.xml.flow import Body
from conspectus.parse.xml.formula import formula_text
from conspectus.parse.xml.jats_refs import reference_of
from conspectus.parse.xml.jats_text import JatsText
from conspectus.parse.xml.load import Element, href_of, plain_text
from conspectus.records import FigureKind

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

    def __init__(self, builder: PaperBuilder, text: JatsText) -> None:
        super().__init__(builder, text)
        self._boxes: list[Element] = []
        self._inner: list[Element] = []  # floats within a caption
        self._handlers = {
            "p": self._paragraph,
            "sec": self.titled,
            "app": self.titled,
            "ack": self._acknowledgements,
            "list": self._list,
            "def-list": self._definitions,
            "fn": self.footnote,
            "fn-group": self._footnotes,
            "fig": self._figure,
            "table-wrap": self._table,
            "disp-formula": self._equation,
            "supplementary-material": self._supplement,
            "inline-supplementary-material": self._supplement,
            "media": self._supplement,
            "preformat": self._verbatim,
            "code": self._verbatim,
            "boxed-text": self._box,
            "ref-list": self.references,
        }

    def content(self, element: Element, level: int) -> None:
        """All that stands in `element`; sections in it have `level`."""
        boxes, self._boxes = self._boxes, []
        super().content(element, level)
        for box in self._boxes:  # where a box stands in the text is chance; behind it the section goes on
            self.titled(box, level)
        self._boxes = boxes

    def funding(self, meta: Element) -> None:
        """What only the front matter says about funding and data."""
        said = [self._text.words(part) for part in meta.iterfind("funding-group/funding-statement")]
        self._stated("Funding", said)
        for custom in meta.iter("custom-meta"):
            if _DATA_AVAILABILITY.search(custom.findtext("meta-name") or ""):
                value = custom.find("meta-value")
                self._stated("Data availability", [self._text.words(value)] if value is not None else [])

    def _stated(self, title: str, paragraphs: list[Words]) -> None:
        if any(words.text for words in paragraphs):
            self._builder.heading(Words(title), 1)
            for words in paragraphs:
                self._builder.text("paragraph", words)

    def _container(self, element: Element, level: int) -> None:
        """As others'; some groups have titles."""
        if element.tag in ("notes", "glossary", "bio", "app-group") and element.find("title") is not None:
            self.titled(element, level)
        else:
            super()._container(element, level)

    def titled(self, element: Element, level: int, otherwise: str = "") -> None:
        """The content of `element` under its own title, or `otherwise`."""
        title = element.find("title")
        if title is None:  # a box keeps its title in a caption
            title = element.find("caption/title")
        words = self._text.words(title) if title is not None else Words("")
        headed = self._builder.heading(words, level, element.findtext("label") or "")
        headed = headed or self._builder.heading(Words(otherwise), level)
        self.content(element, level + headed)

    def _acknowledgements(self, element: Element, level: int) -> None:
        inner = element.find("sec/title")
        self.titled(element, level, "" if inner is not None else "Acknowledgements")

    def _box(self, element: Element, _: int) -> None:
        self._boxes.append(element)

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
        if block := code_block(plain_text(element)):
            self._builder.blocks.append(block)

    def footnote(self, element: Element, _: int) -> None:
        """A footnote; it comes at the end, with the others. Some have their label raised within the text."""
        label = element.findtext("label") or element.get("symbol") or ""
        parts = [child for child in element if child.tag == "p"] or [element]
        if title := _STATEMENTS.get(element.get("fn-type") or ""):
            return self._stated(title, [self._text.words(part) for part in parts])
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
        self._builder.heading(Words(title), level)
        for note in element.iterchildren("fn", "p"):
            for part in [child for child in note if child.tag == "p"] or [note]:
                self._paragraph(part, level)
        return None

    def _equation(self, element: Element, _: int) -> None:
        text = formula_text(element)
        if text:
            self._builder.text("equation", Words(text), element.findtext("label") or "")
        else:
            self._builder.missing["equation"] += 1

    def _figure(self, element: Element, _: int) -> None:
        self._float("figure", element)

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
        self._builder.figure(kind, key, self._caption(element, label), label, href, cells)
        self._floats_inside(element)

    def _caption(self, element: Element, label: str) -> Words:
        """Label, title and text; a label stands in front of the title as it does in print."""
        parts = (part for caption in element.iterchildren("caption") for part in caption.iterchildren("title", "p"))
        said = [part for part in parts if not _DOI_ONLY.fullmatch(plain_text(part))]
        head = label + ("." if label and label[-1] not in ".:" else "")
        words = self._text.words(*said, head=head, interrupt=self._floats_in_caption)
        if _BOILERPLATE.fullmatch(words.text):
            return Words("")
        return Words("") if words.text.rstrip(".:") == label.rstrip(".:") else words

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
            self._builder.heading(Words(title or "References"), level)
        for child in element:
            if child.tag == "ref":
                self._builder.reference(reference_of(child, key_of(child), self._text))
            elif child.tag == "ref-list":
                self.references(child, level + 1)
            elif child.tag in ("p", "sec"):
                self._handlers[child.tag](child, level + 1)
