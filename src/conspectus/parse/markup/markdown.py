"""Markdown and plain text as papers."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import yaml

from conspectus.core.errors import EmptyTextError, InputError
from conspectus.lexicon.word_lists import headings
from conspectus.parse.bibliography.fields import FieldError, metadata_of
from conspectus.parse.files.streams import read_limited
from conspectus.parse.markup.document import DocumentBuilder, without
from conspectus.parse.text.blocks import (
    clean_line,
    even_rows,
    labelled_abstract,
    text_block,
)
from conspectus.parse.text.figure_mentions import label_of
from conspectus.records import Block, BlockKind, Metadata, ParsedPaper

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


_MOST, _DEEPEST = 2**16, 100
_BARE = re.compile(r"^(?P<name>[ \t]*(?:- )?[A-Za-z][\w -]{0,40}:[ \t]+)(?P<value>[^\s\"'\[{>|&*!%@`#][^\n]*)$", re.M)

_PANDOC_NOTE = re.compile(r"\^\[(?:[^\[\]]|\[[^\[\]]*\])*\]|\[\^[^\]\s]{1,40}\]|\^[^\s^]{1,20}\^")
"""A footnote, a mark of one, or a superscript, as Pandoc writes them: `^[equal share]`, `[^1]`, `^1,2^`."""
_WITH_NOTES = ("title", "subtitle", "author", "authors")


def load_yaml(text: str) -> Any:
    """The value of a YAML text; an unquoted value may contain a colon (`title: Moss: a study`).

    Raises:
        FieldError: It cannot be read.
    """
    if len(text) > _MOST:
        raise FieldError(f"it is longer than {_MOST:,} characters")
    try:
        return _load(text)
    except FieldError as error:
        quoted = _BARE.sub(lambda line: line["name"] + _quoted(line["value"]), text)
        if quoted == text:
            raise
        try:
            return _load(quoted)
        except FieldError:
            raise error from None


def _load(text: str) -> Any:
    try:
        depth = 0
        for event in yaml.parse(text):
            if isinstance(event, yaml.AliasEvent):
                raise FieldError("it uses an alias (*name), which is not read")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:  # each open bracket makes each further word slower
                raise FieldError(f"it is not YAML as papers have it: nested more than {_DEEPEST} levels deep")
        return yaml.load(text, yaml.BaseLoader)  # noqa: S506 - it makes nothing but texts, lists and dictionaries
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise FieldError(f"line {line} is not YAML ({error.problem})") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise FieldError(f"it is not YAML ({error})") from error


def _quoted(value: str) -> str:
    return "'" + value.rstrip().replace("'", "''") + "'" if ": " in value or " #" in value else value


def article_fields(values: Mapping[str, Any]) -> dict[str, Any]:
    """Front matter as a record. As in JOSS `tags` are keywords, and authors name their affiliations by number."""
    fields = {name: _without_notes(value) if name in _WITH_NOTES else value for name, value in values.items()}
    if "tags" in fields and not {"keywords", "keyword"} & fields.keys():
        fields["keywords"] = fields.pop("tags")
    listed = [place for place in _list(fields.get("affiliations")) if isinstance(place, Mapping)]
    places = {_scalar(place.get("index")): place.get("name") for place in listed}
    if places.keys() - {""}:
        fields["authors"] = [_with_places(author, places) for author in _list(fields.get("authors"))]
        del fields["affiliations"]
    return fields


def _with_places(author: Any, places: Mapping[str, Any]) -> Any:
    if not isinstance(author, Mapping):
        return author
    numbers = author.get("affiliation", author.get("affiliations"))
    numbers = [part.strip() for part in re.split("[,;&]", numbers)] if isinstance(numbers, str) else _list(numbers)
    affiliations = [places.get(_scalar(number)) or number for number in numbers]
    other_fields = {name: value for name, value in author.items() if name not in ("affiliation", "affiliations")}
    return other_fields | {"affiliations": affiliations}


def _without_notes(value: Any) -> Any:
    if isinstance(value, str):
        return _PANDOC_NOTE.sub("", value)
    if isinstance(value, list):
        return [_without_notes(part) for part in value]
    return {name: _without_notes(part) for name, part in value.items()} if isinstance(value, dict) else value


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _scalar(value: Any) -> str:
    return str(value).strip() if isinstance(value, str | int) else ""


Rows = tuple[tuple[str, ...], ...]

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.S | re.I)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")
_NOTE = re.compile(r"^\[\^[^\]\s]{1,40}\]:\s*")
_NOTE_MARK = re.compile(r"\[\^[^\]\s]{1,40}\]")
_NEW_REFERENCE = re.compile(r"\n(?=[^\S\n]*+(?:\[[^\]\n]{1,20}\]|\d{1,3}[.)]\s|[-*•]\s))")


class MarkdownWalker:
    """Gives the blocks of a text to a builder, in order.

    Paragraphs under a heading Abstract or Summary become `abstract`, those under References `reference`.
    """

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._bare_table = -1  # the number of the block of a table that lacks its caption

    def walk(self, text: str) -> None:
        """Add headings, paragraphs, listings, tables and captions."""
        tokens = _parser().parse(text)
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.type == "heading_open":
                words, captions = _reading_text(tokens[at + 1])
                self._builder.heading(words, int(token.tag[1:]))
                self._captions(captions)
            elif token.type == "paragraph_open":
                words, captions = _reading_text(tokens[at + 1])
                self._text(words)
                self._captions(captions)
            elif token.type in ("fence", "code_block"):
                self._builder.code(token.content)
            elif token.type == "html_block":
                self._text(_TAG.sub(" ", _COMMENT.sub(" ", token.content)))
            elif token.type == "table_open":
                end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
                self._table(tokens[at:end])
                at = end
            at += 1

    def _text(self, text: str) -> None:
        """Add a paragraph or footnote whose lines are kept, for a list of references may need them."""
        builder = self._builder
        note = _NOTE.match(text)
        text = _NOTE_MARK.sub("", text[note.end() :] if note else text)
        lines = "\n".join(line for part in text.split("\n") if (line := clean_line(part)))
        if not lines:
            return
        if note:
            builder.blocks.append(text_block("footnote", lines))
        elif builder.role == "references":
            entries = _NEW_REFERENCE.split(lines)
            builder.blocks += [text_block("reference", clean_line(entry)) for entry in entries]
        else:
            block = text_block("paragraph", lines)
            if "\n" in lines and not all(lines[s.end : s.end + 1] in ("\n", "") for s in block.sentences):
                block = text_block("paragraph", clean_line(lines))  # lines of running text, not rows
            self._paragraph(block)

    def _paragraph(self, block: Block) -> None:
        builder = self._builder
        if self._bare_table == len(builder.blocks) - 1 >= 0 and _names_table(block):  # stands below its table
            rows = builder.figures.pop().cells
            del builder.blocks[-1]
            self._captioned_table(block, rows)
        elif builder.role == "abstract":
            builder.blocks.append(text_block("abstract", labelled_abstract(block.text) or block.text))
        else:
            builder.add(block)

    def _captioned_table(self, caption: Block, rows: Rows) -> None:
        label = (label_of(caption.text) or ("",))[0]
        self._builder.figure("table", replace(caption, kind="caption", label=label), label, cells=rows)

    def _captions(self, captions: list[tuple[str, str]]) -> None:
        """Add pictures with what describes them."""
        for caption, address in captions:
            if line := clean_line(caption):
                printed, label = label_of(line) or ("", None)
                self._builder.figure(
                    label.figure_kind if label else "figure", text_block("caption", line), printed, address
                )

    def _table(self, tokens: list[Token]) -> None:
        """Add a table; the paragraph before it, or after it, that begins `Table 2.` is its caption."""
        rows: list[list[str]] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(clean_line(_reading_text(token)[0]))
        even = even_rows([tuple(cells) for cells in rows if any(cells)])
        blocks = self._builder.blocks
        if even and blocks and _names_table(blocks[-1]):
            self._captioned_table(blocks.pop(), even)
        elif even:
            self._bare_table = len(blocks)
            self._builder.bare_table(even)


def _names_table(block: Block) -> bool:
    """Whether a paragraph is the caption of a table and not text that begins with a mention of it."""
    label = label_of(block.text) if block.kind == "paragraph" else None
    return label is not None and label[1].figure_kind == "table" and block.text[len(label[0]) :][:1] in (".", ":", "")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _reading_text(inline: Token) -> tuple[str, list[tuple[str, str]]]:
    """The words of an inline token, and of its images what describes them and where they are."""
    words: list[str] = []
    captions: list[tuple[str, str]] = []
    for child in inline.children or ():
        if child.type in ("softbreak", "hardbreak"):
            words.append("\n")
        elif child.type == "image":
            address = unquote(str(child.attrGet("src") or ""))
            captions.append((child.content, "" if address.startswith("data:") else address))
        elif child.type == "html_inline":
            words.append(" " if child.content.lower().startswith("<br") else "")
        else:
            words.append(child.content)
    return "".join(words), captions


_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<lines>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_KEY = re.compile(r"[A-Za-z][\w -]{0,40}?\s*:(?:\s|$)")
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_PLAIN_HEADING = re.compile(
    r"(?:(?:\d{1,2}(?:\.\d{1,2})*|[IVX]+)\.?\s+)?(?:" + headings("abstract", "body", "thanks", "references") + ")[:.]?",
    re.I,
)
_KINDS: dict[str, BlockKind] = {"abstract": "abstract", "references": "reference"}
_WORDS_BEFORE_TITLE = 200
MAX_BYTES = 64 * 2**20


def read_markdown(path: Path, max_bytes: int = MAX_BYTES) -> ParsedPaper:
    """The paper of a Markdown file with optional front matter; raises as `read_text` and `paper_of_markdown`."""
    text, warnings = read_text(path, max_bytes)
    try:
        fields, body = front_matter(text)
        metadata, _, notes = metadata_of(article_fields(fields))
    except FieldError as error:
        raise InputError(
            f"The front matter of '{path.name}' cannot be read: {error}.",
            "Fix it, or remove it: it is between two lines of ---.",
        ) from error
    return paper_of_markdown(body, metadata, [*warnings, *notes], path.name)


def read_plain(path: Path, max_bytes: int = MAX_BYTES) -> ParsedPaper:
    """The paper of a plain text: paragraphs between blank lines, a short first line is the title; raises as before."""
    text, warnings = read_text(path, max_bytes)
    paragraphs = [line for part in re.split(r"\n\s*\n", text) if (line := clean_line(part))]
    title = ""
    if len(paragraphs) > 1 and _is_title(paragraphs[0], text):
        title = paragraphs.pop(0)
    builder = DocumentBuilder()
    for paragraph in paragraphs:
        if _PLAIN_HEADING.fullmatch(paragraph):
            builder.heading(paragraph, 1)
        elif kind := _KINDS.get(builder.role):
            builder.blocks.append(text_block(kind, paragraph))
        else:
            builder.add(text_block("paragraph", paragraph))
    return _paper(builder, Metadata(title=title), warnings, path.name)


def read_text(path: Path, max_bytes: int) -> tuple[str, list[str]]:
    """The text of a file with `\\n` at line ends, and warnings: UTF-8, UTF-16 with its mark, else Windows-1252.

    Raises:
        LimitError: The file is larger than `max_bytes`.
        InputError: It is not text, or cannot be opened.
    """
    return decode(read_limited(path, max_bytes, "a text"), path.name)


def decode(data: bytes, name: str) -> tuple[str, list[str]]:
    """`data` as text with `\\n` at line ends, and a warning where the encoding had to be guessed.

    Raises:
        InputError: It is not text.
    """
    utf_16 = _UTF_16.get(data[:2])
    warnings: list[str] = []
    if utf_16 is None and b"\x00" in data:
        raise InputError(f"'{name}' is not a text file: it has zero bytes in it.", "Save it as text in UTF-8.")
    try:
        text = data.decode(utf_16 or "utf-8-sig")
    except UnicodeDecodeError as error:
        if utf_16:
            raise InputError(f"'{name}' says it is UTF-16 but is damaged.", "Save it as UTF-8.") from error
        text = data.decode("cp1252", errors="replace")
        warnings.append("The text is not UTF-8 and was read as Windows-1252; letters with accents may be wrong.")
    return text.replace("\r\n", "\n").replace("\r", "\n"), warnings


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """The YAML of a leading `---` block, its values as texts, lists and objects, and the text after it.

    A block that is no list of `name: value` is text between two rules.

    Raises:
        FieldError: It is YAML that cannot be read; the message says in which line.
    """
    match = _FRONT_MATTER.match(text)
    if not match:
        return {}, text
    try:
        values = load_yaml(match["lines"])
    except FieldError:
        if not _KEY.match(match["lines"].lstrip("\n").partition("\n")[0]):
            return {}, text
        raise
    return (values, text[match.end() :]) if isinstance(values, dict) else ({}, text)


def build_markdown(text: str) -> DocumentBuilder:
    """The builder with the blocks of a Markdown text."""
    builder = DocumentBuilder()
    MarkdownWalker(builder).walk(text)
    return builder


def paper_of_markdown(text: str, metadata: Metadata, warnings: Iterable[str], name: str) -> ParsedPaper:
    """The paper of a Markdown text: what `metadata` does not say is taken from the text.

    Raises:
        EmptyTextError: There is neither text nor title nor abstract.
    """
    builder = build_markdown(text)
    blocks = builder.blocks
    at = next((i for i, block in enumerate(blocks) if block.kind == "heading" and block.level == 1), None)
    if at is not None and not _PLAIN_HEADING.fullmatch(blocks[at].text) and metadata.title in ("", blocks[at].text):
        metadata = replace(metadata, title=blocks[at].text)
        builder.blocks, builder.figures = without(blocks, builder.figures, {at})
    return _paper(builder, metadata, warnings, name)


def _paper(builder: DocumentBuilder, metadata: Metadata, warnings: Iterable[str], name: str) -> ParsedPaper:
    blocks = builder.blocks
    if not (blocks or metadata.title or metadata.abstract):
        raise EmptyTextError(f"'{name}' has no text in it.", "Leave it out, or check that it was saved.")
    abstract = "\n\n".join(block.text for block in blocks if block.kind == "abstract")
    references = tuple(block.text for block in blocks if block.kind == "reference")
    builder.warnings += warnings
    return builder.paper(
        replace(metadata, abstract=metadata.abstract or abstract, references=metadata.references or references)
    )


def _is_title(paragraph: str, text: str) -> bool:
    one_line = "\n" not in text.strip().split("\n\n", 1)[0].strip()
    return one_line and len(paragraph) <= _WORDS_BEFORE_TITLE and not paragraph.endswith((".", ":", ";", ","))
