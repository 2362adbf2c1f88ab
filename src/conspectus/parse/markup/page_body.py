"""The article's element as blocks in reading order, with its figures and references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from conspectus.parse.markup.document import DocumentBuilder
from conspectus.parse.markup.inline import Inline
from conspectus.parse.markup.page_tree import BLOCK_TAGS, Element, elements, has_block, is_element, names_of, plain_text
from conspectus.parse.markup.page_words import (
    Entry,
    LineFiller,
    Links,
    equation,
    hidden,
    is_equation,
    is_figure,
    is_figure_box,
    is_math,
    is_reference_list,
    page_target,
    read_page_figure,
    read_reference,
    read_references,
    table_cells,
)
from conspectus.parse.text.blocks import (
    clean_line,
    text_block,
)
from conspectus.records import Block, BlockKind

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_ABSTRACT = re.compile(r"(?:^|[\s_-])(?:abstract|ltx_abstract|doc-abstract)(?:$|[\s_-]|\d)")
_NOT_ABSTRACT = re.compile(r"graphical|teaser|plain-?language|digest|has-abstract")
_FOOTNOTES = re.compile(
    r"(?:^|[\s_-])(?:footnotes?|endnotes?|fn-group|doc-footnote|doc-endnotes?|rearnotes?|fn)(?:$|[\s_-]|\d)"
)
_CODE = re.compile(r"(?:^|[\s_-])(?:highlight|code|sourcecode|lst|ltx_listing)(?:$|[\s_-])")
_SKIPPED = re.compile(
    r"(?:share|share this.{0,20}|related(?: articles?| posts?| content| reading)?|cited by|similar articles|recommended"
    r"(?: articles?| reading)?|you may also like.*|most read|advertisement|navigation(?: menu)?|see also|external links"
    r"|further reading|leave a (?:comment|reply)|(?:\d+ )?comments?|(?:article )?metrics|downloads?|permissions"
    r"|cite this (?:article|page)|on this page|subscribe|newsletter|contents|jump to|author information|associated data"
    r"|actions|resources|links to ncbi databases|instructions for reporting errors|download pdf|table of contents)",
    re.I,
)
_NOTES = re.compile(r"notes and references|references and notes", re.I)
_TITLE = re.compile(r"(?:abstract|summary)[.:]?", re.I)
_NOTE_NUMBER = re.compile(r"^(?:[↑^]\s*)?(\[?\d{1,3}\]?|[*†‡§¶]|[a-z])[.)]?\s+(?=\S)")
_DEPTH = 150
_BIG_CELL = 400


class Page:
    """What was read so far; one page, or all chapters of a book.

    Attributes:
        folder: that of the page, within the book.
        figure_keys: the key of each figure by what it shows.
    """

    def __init__(self) -> None:
        self.builder = DocumentBuilder()
        self.links = Links(page_target, self.builder.meaning)
        self.folder = ""
        self.figure_keys: dict[tuple[object, ...], str] = {}


class Walker:
    """Walks through one article element and adds to a `Page`."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._builder = page.builder
        self._words = LineFiller(page.links)
        self._line = Inline()
        self._builder.role = ""
        self._inside = ""
        self._breaks = 0

    def walk(self, root: Element) -> None:
        """Adds the blocks of `root` and of all below it."""
        self._flow(root, 0)
        self._flush()

    # The flow of blocks and lines

    def _flow(self, element: Element, depth: int) -> None:
        self._text(element.text)
        for child in element:
            if is_element(child):
                self._child(child, depth)
            self._text(child.tail)

    def _text(self, text: str | None) -> None:
        if text:
            if text.strip():
                self._breaks = 0
            self._line.add(text)

    def _child(self, child: Element, depth: int) -> None:
        if child.tag == "br":
            self._breaks += 1
            if self._breaks > 1:
                self._flush()
            self._line.add(" ")
        elif is_equation(child) and (child.tag in BLOCK_TAGS or not self._line):
            self._flush()
            self._equation(child)
        elif child.tag in BLOCK_TAGS or (not is_math(child) and not hidden(child) and has_block(child)):
            self._flush()
            if depth > _DEPTH:
                self._words.child(self._line, child)
            elif not hidden(child) and child.get("hidden") is None:
                self._block(child, depth + 1)
            self._flush()
        else:
            self._breaks = 0
            self._words.child(self._line, child)

    def _block(self, element: Element, depth: int) -> None:
        if self._builder.role == "skip" and next(elements(element, *_HEADINGS), None) is None:
            return
        if element.tag in _HEADINGS:
            self._heading(element)
        elif is_figure(element):
            self._figure(element, depth)
        elif element.tag == "table":
            self._table(element, depth)
        elif element.tag == "pre":
            self._pre(element)
        elif is_reference_list(element):
            self._reference_list(element)
        elif self._builder.role == "references" and element.tag in ("li", "p", "dd"):
            self._add_entry(read_reference(element, self._words, len(self._builder.references) + 1))
        elif element.tag in ("summary", "legend") or (element.tag == "dt" and not has_block(element)):
            self._flow(element, depth)
        else:
            with self._within(element):
                self._flow(element, depth)
                self._flush()

    @contextmanager
    def _within(self, element: Element) -> Iterator[None]:
        """Paragraphs inside an abstract or inside footnotes are of that kind."""
        before = self._inside
        names = names_of(element)
        if element.tag not in ("body", "html", "article", "main") and not before:
            if _ABSTRACT.search(names) and not _NOT_ABSTRACT.search(names):
                self._inside = "abstract"
            elif _FOOTNOTES.search(names) and len(plain_text(element)) < 20_000:
                self._inside = "footnote"
        note = self._inside == "footnote" and (element.tag in ("li", "aside", "p", "div"))
        first, role = len(self._builder.blocks), self._builder.role
        yield
        self._flush()
        if self._builder.role == "skip" and role != "skip" and not _is_heading_alone(element):
            self._builder.role = role
        if note and element.get("id") and len(self._builder.blocks) > first:
            self._page.links.register(element, "footnote", "")
        self._inside = before

    def _flush(self) -> None:
        """Ends the paragraph in hand; footnotes that stood in it follow."""
        self._breaks = 0
        kind = self._kind()
        block = self._line.block(kind)
        if (
            block is not None
            and self._builder.role != "skip"
            and not (kind == "abstract" and _TITLE.fullmatch(block.text))
        ):
            self._page.links.waiting.clear()
            self._builder.add(_labelled(block))
        notes, self._words.notes = self._words.notes, []
        for note in notes:
            self._note(note)

    def _kind(self) -> BlockKind:
        if self._inside == "footnote":
            return "footnote"
        if self._inside == "abstract" or self._builder.role == "abstract":
            return "abstract"
        return "reference" if self._builder.role == "references" else "paragraph"

    # Blocks of their own kinds

    def _heading(self, element: Element) -> None:
        level = int(element.tag[1])
        line = Inline()
        self._words.fill(line, element)
        text = line.text.strip(" ¶#§🔗")
        if not text or self._inside == "footnote":
            return
        title = text.rstrip(":")
        role = "skip" if _SKIPPED.fullmatch(title) else "references" if _NOTES.fullmatch(text) else None
        self._builder.heading(text, level, role=role)

    def _figure(self, element: Element, depth: int) -> None:
        figure, caption = read_page_figure(element, self._words, self._page.folder)
        if caption is None and not figure.cells:  # what nobody says anything of is a logo, or decoration
            self._flow(element, depth)
            return
        signature = (figure.kind, caption.text if caption else "", figure.href, figure.cells)
        if (same := self._page.figure_keys.get(signature)) is not None:  # such as a larger copy for who clicks on it
            self._page.links.register(element, figure.kind, same)
            return
        block = caption.block("caption", label=figure.label) if caption else None
        key = self._builder.figure(figure.kind, block, figure.label, figure.href, figure.cells)
        self._page.figure_keys[signature] = key
        for outer in list(element.iterancestors())[:3]:
            if is_figure_box(outer) and (name := outer.get("id")):
                self._page.links.waiting.append(name)
        self._page.links.register(element, figure.kind, key)
        if element.tag == "figure":
            for inner in elements(element, "figure"):
                if inner is not element and next(inner.iterancestors("figure")) is element and plain_text(inner):
                    self._figure(inner, depth + 1)

    def _table(self, table: Element, depth: int) -> None:
        """A table without caption: its rows as a paragraph if it holds data, else what stands in its cells."""
        cells = list(elements(table, "td", "th"))
        sizes = [len(plain_text(cell)) for cell in cells[:2000]]
        nested = any(inner is not table for inner in elements(table, "table"))
        if (
            nested
            or len(cells) < 4
            or max(sizes) > _BIG_CELL
            or sum(map(has_block, cells[:200])) > len(cells[:200]) / 2
        ):
            self._flow(table, depth)
            return
        rows = table_cells(table, self._words)
        if rows:
            self._page.links.register(table, "table", self._builder.bare_table(rows))

    def _pre(self, element: Element) -> None:
        """A program keeps its lines; other text that is set as it stands is read as paragraphs."""
        near = names_of(element) + " " + " ".join(names_of(e) for e in list(element.iterancestors())[:3])
        if _CODE.search(near) or next(elements(element, "code", "samp", "kbd"), None) is not None:
            if self._builder.role != "skip":
                self._flush()
                self._builder.code("".join(element.itertext()))
            return
        for part in re.split(r"\n\s*\n", "".join(element.itertext())):
            self._line.add(part)
            self._flush()

    def _equation(self, element: Element) -> None:
        text, label = equation(element)
        if text:
            block = replace(text_block("equation", clean_line(text)), label=label)
            self._builder.blocks.append(block)
            self._page.links.register(element, "equation", "")

    def _reference_list(self, element: Element) -> None:
        for heading in list(elements(element, *_HEADINGS))[:1]:
            self._heading(heading)
        if self._builder.role == "skip":
            return
        for entry in read_references(element, self._words, len(self._builder.references) + 1):
            self._add_entry(entry)

    def _add_entry(self, entry: Entry | None) -> None:
        if entry is None:
            return
        reference, element = entry
        self._builder.reference(reference)
        self._page.links.register(element, "reference", reference.key)

    def _note(self, note: Element) -> None:
        """A footnote that stands within its sentence, as LaTeXML writes them."""
        content = next((e for e in elements(note, "span") if "ltx_note_content" in names_of(e)), note)
        mark = next((plain_text(e) for e in elements(content, "sup") if "ltx_note_mark" in names_of(e)), "")
        self._words.drop = lambda e: "ltx_note_mark" in names_of(e) or "ltx_tag_note" in names_of(e)
        line = Inline()
        self._words.fill(line, content)
        self._words.drop = None
        block = line.block("footnote", label=mark)
        if block is not None:
            self._builder.blocks.append(block)
            self._page.links.register(note, "footnote", "")


def _is_heading_alone(element: Element) -> bool:
    """Whether it holds a heading and nothing else: what the heading stands over comes after it."""
    return sum(len(plain_text(e)) for e in elements(element, *_HEADINGS)) == len(plain_text(element))


def _labelled(block: Block) -> Block:
    """A footnote without the number that it begins with."""
    if block.kind == "footnote" and (number := _NOTE_NUMBER.match(block.text)):
        return replace(text_block("footnote", block.text[number.end() :]), label=number[1])
    return block
