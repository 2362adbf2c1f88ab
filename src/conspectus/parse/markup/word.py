"""One Word file as a paper: its blocks, figures, tables, references and front."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from conspectus.core.errors import EmptyTextError
from conspectus.parse.bibliography.fields import metadata_of
from conspectus.parse.files.streams import opened
from conspectus.parse.markup.document import DocumentBuilder, without
from conspectus.parse.markup.inline import Inline, raised
from conspectus.parse.markup.page_words import LABEL
from conspectus.parse.markup.word_package import (
    LineReader,
    M,
    Package,
    W,
    WordLine,
    WordStyle,
    monospaced,
    open_package,
    outline_level,
    value,
)
from conspectus.parse.people.authors import without_contact
from conspectus.parse.people.bylines import LONGEST, read_byline
from conspectus.parse.text.blocks import (
    even_rows,
    hidden_notes,
    numbered_entry,
    section_role,
    text_block,
)
from conspectus.parse.text.identifiers import find_arxiv_id, find_doi, own_doi
from conspectus.records import Author, Block, BlockKind, FigureKind, MarkKind, Metadata, ParsedPaper, Reference

_CAPTION_END = re.compile(r"\s*[.:|—–]\s+\S|\s*[.:|]?$")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S")
_CODE_STYLE = re.compile(r"\b(?:source ?code|code|listing|(?:html )?preformatted|verbatim|macro text)\b")
_TITLE_STYLES = ("title", "titel", "titre", "título", "papertitle", "paper title", "article title")
_AUTHOR_STYLES = ("author", "authors", "author name", "authornames", "author names")
_REFERENCE_STYLES = ("bibliography", "references", "reference", "endnote bibliography", "literature")
_MAX_CAPTION = 3000
_DEPTH = 30


class DocumentWalker:
    """Walks through a body once; `blocks`, `figures`, `references` and what stood in front are then complete."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._lines = LineReader(package)
        self.hidden = self._lines.hidden
        self.symbols = self._lines.symbols
        self.builder = DocumentBuilder()
        self.builder.meaning["\x00note"] = ("footnote", ())
        self.blocks, self.figures = self.builder.blocks, self.builder.figures
        self.titles: list[str] = []
        self.authors: list[str] = []
        used = {value(style) for style in package.body.iter(W + "pStyle")}
        self._styled = any(style.level for name, style in package.styles.items() if name in used)
        self._pictures: list[str] = []
        self._open_table: tuple[tuple[str, ...], ...] | None = None
        self._open_caption: int | None = None
        self._notes = 0
        self._listing: list[str] = []
        paragraphs = [
            paragraph for paragraph in package.body.iter(W + "p") if next(paragraph.iter(W + "t"), None) is not None
        ]
        self._typed = 2 * sum(map(self._is_monospaced, paragraphs)) > len(paragraphs)

    def _style(self, paragraph: Any) -> WordStyle:
        return self._package.styles.get(value(paragraph.find(f"{W}pPr/{W}pStyle")), WordStyle("", 0))

    def walk(self, container: Any, depth: int = 0) -> None:
        """Adds what stands in `container`: the body, a cell, a text box."""
        for child in container:
            if child.tag == W + "p":
                self._paragraph(child, depth)
            elif child.tag == W + "tbl":
                self._table(child, depth)
            elif child.tag in (W + "sdt", W + "ins", W + "customXml", W + "moveTo") and depth < _DEPTH:
                gallery = value(child.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery"))
                content = child.find(W + "sdtContent") if child.tag == W + "sdt" else child
                if content is not None and gallery != "Table of Contents":
                    self.walk(content, depth + 1)
        if not depth:
            self._end_listing()

    # Paragraphs

    def _paragraph(self, paragraph: Any, depth: int) -> None:
        line = self._lines.read(paragraph)
        style = self._style(paragraph)
        if not style.name.startswith(("toc", "table of")):
            self._text(paragraph, line, style)
        self._pictures += line.pictures
        for box in line.boxes if depth < _DEPTH else ():
            self.walk(box, depth + 1)
        for note in line.notes:
            self._note(*note)

    def _text(self, paragraph: Any, line: WordLine, style: WordStyle) -> None:
        text = line.inline.text
        if self._is_code(paragraph, style) if text else self._listing:  # with its blank lines
            self._listing.append("".join(line.raw))
            return
        if not text:
            return
        self._end_listing()
        if style.name in _TITLE_STYLES and not self.blocks:
            self.titles.append(text)
        elif style.name in _AUTHOR_STYLES and not any(block.kind == "heading" for block in self.blocks):
            self.authors.append(text)
        elif line.formulas and self._is_equation(line):
            self._equation(line)
        elif level := self._heading_level(paragraph, line, style):
            self._heading(line.inline, level)
        elif self._is_caption(text, style):
            self._caption(line, style)
        elif self.builder.role == "references" or style.name in _REFERENCE_STYLES:
            self._reference(paragraph, line)
        else:
            self._body(line, style)

    # Listings

    def _is_code(self, paragraph: Any, style: WordStyle) -> bool:
        """Whether the paragraph is a line of a listing, by its style's name, or its font where most text has others."""
        if style.level or style.name in _TITLE_STYLES:
            return False
        return _CODE_STYLE.search(style.name) is not None or (not self._typed and self._is_monospaced(paragraph))

    def _is_monospaced(self, paragraph: Any) -> bool:
        style = self._style(paragraph)
        runs = [run for run in paragraph.iter(W + "r") if any((part.text or "").strip() for part in run.iter(W + "t"))]
        return bool(runs) and all(monospaced(run.find(W + "rPr"), style.monospaced) for run in runs)

    def _end_listing(self) -> None:
        self.builder.code("\n".join(self._listing))
        self._listing.clear()

    def _heading_level(self, paragraph: Any, line: WordLine, style: WordStyle) -> int:
        text = line.inline.text
        if style.level and len(text) < 400:
            return style.level
        if level := outline_level(paragraph):
            return level
        if self._styled or len(text) > 120 or text.endswith((".", ",", ";")):
            return 0
        alone = line.plain and line.bold and not LABEL.match(text) and len(self.blocks) + len(self.titles) > 0
        if not alone and not section_role(text):
            return 0
        number = _NUMBERED.match(text)
        return number[1].count(".") + 1 if number else 1

    def _heading(self, inline: Inline, level: int) -> None:
        self._open_caption = self._open_table = None
        self.builder.heading(inline.text, level)

    def _body(self, line: WordLine, style: WordStyle) -> None:
        kind: BlockKind = "abstract" if self.builder.role == "abstract" or "abstract" in style.name else "paragraph"
        self.builder.add(self._number_notes(line, line.inline.block(kind)))

    def _number_notes(self, line: WordLine, block: Block | None) -> Block:
        """The block with the numbers of its notes in place of the signs that held these places."""
        assert block is not None  # only lines with text come here
        if not line.notes:
            return block
        text, shift, marks = block.text, 0, []
        for mark in block.marks:
            mark = replace(mark, start=mark.start + shift, end=mark.end + shift)  # noqa: PLW2901
            if text[mark.start : mark.end] == "\ue000":
                self._notes += 1
                number = raised(str(self._notes))
                text = text[: mark.start] + number + text[mark.end :]
                shift += len(number) - 1
                mark = replace(mark, end=mark.start + len(number))  # noqa: PLW2901
            marks.append(mark)
        self._notes -= len(line.notes)  # counted again with the notes themselves
        return replace(text_block(block.kind, text, block.level), label=block.label, marks=tuple(marks))

    def _note(self, kind: str, id: str) -> None:
        note = self._package.notes.get((kind, id))
        self._notes += 1
        if note is None:
            return
        block = self._words(note).block("footnote", label=str(self._notes))
        if block is not None:
            self.blocks.append(block)

    # Formulas

    @staticmethod
    def _is_equation(line: WordLine) -> bool:
        """Whether there is nothing but a formula, and perhaps its number, on the line."""
        rest = line.inline.text
        for formula in line.formulas:
            rest = rest.replace(f"${formula}$", "", 1)
        return re.fullmatch(r"\W*+(?:\d[\d.]*+[a-z]?\)?)?\W*+", rest) is not None

    def _equation(self, line: WordLine) -> None:
        label = re.search(r"\(\d[\d.]*[a-z]?\)", re.sub(r"\$.*\$", "", line.inline.text))
        text = " ".join(line.formulas)
        if not label and (hashed := re.fullmatch(r"(.*\S)\s*#\s*(\(\d[\d.]*[a-z]?\))", text)):
            text, number = hashed[1], hashed[2]
        else:
            number = label[0] if label else ""
        self.blocks.append(replace(text_block("equation", text), label=number))
        self._mean(line, "equation")

    # Figures and tables

    @staticmethod
    def _is_caption(text: str, style: WordStyle) -> bool:
        if len(text) > _MAX_CAPTION:
            return False
        match = LABEL.match(text)
        by_style = "caption" in style.name or style.name in ("beschriftung", "légende")
        return by_style or (match is not None and _CAPTION_END.match(text[match.end() :]) is not None)

    def _caption(self, line: WordLine, style: WordStyle) -> None:
        match = LABEL.match(line.inline.text)
        label = match[0] if match else ""
        is_table = label.lower().startswith("tab") or (
            not label and (self._open_table is not None or style.name.startswith("table"))
        )
        kind: FigureKind = "table" if is_table else "figure"
        block = self._number_notes(line, line.inline.block("caption", label=label))
        at = len(self.blocks)
        if kind == "table" and self._open_table is not None and self.figures and self.figures[-1].caption is None:
            self.blocks.append(block)  # stands below its table
            self.figures[-1] = replace(self.figures[-1], label=label, caption=at, block=None)
            key = self.figures[-1].key
            self._drop_rows()
        else:
            href = self._pictures.pop() if kind == "figure" and self._pictures else ""
            key = self.builder.figure(kind, block, label, href)
            self._open_caption = at if kind == "table" else None
        self._open_table = None
        self._pictures.clear()
        self._mean(line, kind, key)

    def _mean(self, line: WordLine, kind: MarkKind, *keys: str) -> None:
        """Note what the bookmarks of a line lead to."""
        self.builder.meaning.update(dict.fromkeys(line.bookmarks, (kind, keys)))

    def _drop_rows(self) -> None:
        """A table with a caption is not also a paragraph."""
        at = self.figures[-1].caption
        if at and self.blocks[at - 1].kind == "paragraph" and "\n" in self.blocks[at - 1].text:
            del self.blocks[at - 1]
            self.figures[-1] = replace(self.figures[-1], caption=at - 1)

    def _table(self, table: Any, depth: int) -> None:
        self._end_listing()
        rows = [list(row.iter(W + "tc")) for row in table.findall(W + "tr")]
        cells = [cell for row in rows for cell in row]
        if len(rows) == 1 and any(True for _ in table.iter(M + "oMath")):
            joined = WordLine()
            for cell in cells:
                for paragraph in cell.iter(W + "p"):
                    line = self._lines.read(paragraph)
                    joined.inline.add(line.inline.text + " ")
                    joined.formulas += line.formulas
            if joined.formulas and self._is_equation(joined):
                self._equation(joined)
                return
        if len(cells) < 2 or (next(table.iter(W + "drawing"), None) is not None and len(cells) < 5):
            for cell in cells if depth < _DEPTH else ():
                self.walk(cell, depth + 1)
            return
        self._data_table(rows)

    def _data_table(self, rows: list[list[Any]]) -> None:
        texts = even_rows([row for cells in rows if any(row := tuple(self._cells(cells)))])
        if not texts:
            return
        if self._open_caption is not None and self._open_caption == len(self.blocks) - 1:
            self.figures[-1] = replace(self.figures[-1], cells=texts)
            self._open_caption = None
            return
        self.builder.bare_table(texts)
        self._open_table = texts

    def _cells(self, cells: list[Any]) -> Iterator[str]:
        for cell in cells:
            yield self._words(cell).text.replace("\ue000", "")
            span = value(cell.find(f"{W}tcPr/{W}gridSpan"))
            yield from [""] * (min(100, int(span)) - 1 if span.isascii() and span.isdigit() and len(span) < 5 else 0)

    def _words(self, element: Any) -> Inline:
        """The words of all paragraphs in an element on one line."""
        words = Inline()
        for paragraph in element.iter(W + "p"):
            words.add(self._lines.read(paragraph).inline.text + " ")
        return words

    # References

    def _reference(self, paragraph: Any, line: WordLine) -> None:
        label, text = numbered_entry(line.inline.text.replace("\ue000", ""))
        number = len(self.builder.references) + 1
        if not label and paragraph.find(f"{W}pPr/{W}numPr") is not None:
            label = str(number)
        if not re.search(r"\w", text):
            return
        key = f"b{number}"
        self.builder.reference(Reference(key, text, label, doi=find_doi(text), arxiv_id=find_arxiv_id(text)))
        self._mean(line, "reference", key)


_PLACE = re.compile(
    r"\b(?:Universit|Institut|Department|Faculty|School of|College|Laborator|Hospital|Academy|Cent(?:er|re) for)|@"
)
_CALLED = re.compile(r"\s*(?:doi\b|https?://(?:dx\.)?doi\.org)", re.I)
_TITLE_CHARS = 250


def read_docx(path: Path) -> ParsedPaper:
    """The paper of a Word file.

    Raises:
        InputError: It is no Word file, or damaged (also its subclasses: protected, too large, without text).
    """
    with opened(path) as archive:
        package = open_package(archive)
        walker = DocumentWalker(package)
        walker.walk(package.body)
    builder = walker.builder
    title = " ".join(walker.titles) or _bare_title(builder.blocks, package)
    authors, places = _take_byline(builder, walker.authors, title)
    metadata, warnings = _metadata(package, title, authors, places)
    hidden = tuple(text for text in walker.hidden if text.text.strip())
    builder.warnings += [*warnings, *hidden_notes(hidden), *walker.symbols.warnings]
    paper = builder.article(replace(metadata, keywords=(), doi=_own_doi(builder.blocks)), title, hidden)
    if not paper.blocks and not metadata.title:
        raise EmptyTextError(
            f"'{path.name}' has no text in it.", "If its pages are pictures, recognise their text first."
        )
    return replace(paper, metadata=replace(paper.metadata, keywords=paper.metadata.keywords or metadata.keywords))


def _bare_title(blocks: list[Block], package: Package) -> str:
    """The title of a text that marks none: what the properties say if it stands in front, else a short first line."""
    core = package.core.get("title", "")
    front = [block.text for block in blocks[:10]]
    if core and any(core.lower() == text.lower() for text in front):
        return core
    for i, block in enumerate(blocks[:3]):
        short = len(block.text) <= _TITLE_CHARS and not block.text.endswith((".", ":", ";", ","))
        if block.kind in ("paragraph", "heading") and short and len(block.text.split()) > 2 and len(blocks) > i + 1:
            return block.text
    return core


def _take_byline(builder: DocumentBuilder, lines: list[str], title: str) -> tuple[tuple[Author, ...], tuple[str, ...]]:
    """Take title, names and addresses, which stand before the first heading or the abstract, out of the blocks.

    `lines` have the style of authors. Returns the authors and their affiliations.
    """
    blocks = builder.blocks
    authors = [author for line in lines for author in _authors_in(line)]
    places: list[str] = []
    drop: set[int] = set()
    for i, block in enumerate(blocks[:30]):
        if block.text == title and block.kind in ("paragraph", "heading"):
            drop.add(i)
        elif block.kind != "paragraph":
            break
        elif not authors and (block_authors := _authors_in(block.text)):
            authors = block_authors
            drop.add(i)
        elif len(block.text) > 600:
            break
        elif _PLACE.search(block.text) and len(block.text) < 300 and authors:
            places.append(re.sub(r"^[\d⁰¹²³⁴⁵⁶⁷⁸⁹*†‡§\s]+", "", block.text))
            drop.add(i)
    builder.blocks, builder.figures = without(blocks, builder.figures, drop)
    affiliations = tuple(place for place in places if "@" not in place)
    shared = affiliations if len(affiliations) == 1 else ()
    return tuple(replace(author, affiliations=shared) for author in authors), affiliations


def _authors_in(line: str) -> list[Author]:
    """The authors of a line that is nothing but names, else none."""
    line = without_contact(line)
    if len(line) > LONGEST or line.endswith(".") or _PLACE.search(line):
        return []
    names, left_over = read_byline(line)
    return [] if left_over else [name.author for name in names]


def _metadata(
    package: Package, title: str, authors: tuple[Author, ...], places: tuple[str, ...]
) -> tuple[Metadata, list[str]]:
    core = package.core
    attached = any(author.affiliations for author in authors)
    metadata, _, warnings = metadata_of(
        {
            "title": title,
            "keywords": re.sub(r",\s*", ";", core.get("keywords", "")),
            "affiliations": "" if attached else list(places) or "",
            "modified": core.get("modified", "")[:10],  # when it was saved is not when it came out
        }
    )
    if not authors:  # Word puts the name of an account here: taken only where it looks like somebody's
        authors = tuple(_authors_in(core.get("creator", "")))
    return replace(metadata, authors=authors), warnings


def _own_doi(blocks: list[Block]) -> str:
    """The DOI in front of the text that is called so."""
    front = (block.text for block in blocks[:8] if block.kind == "paragraph")
    return own_doi([text for text in front if _CALLED.match(text)])
