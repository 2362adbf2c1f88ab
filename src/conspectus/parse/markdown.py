"""Markdown as blocks of clean reading text: inline marks go, links keep their words, images become captions.

HTML comments and rules are left out. A table is one paragraph whose rows are its sentences. The parser is
markdown-it-py (CommonMark with tables).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from conspectus.parse.blocks import (
    clean_line,
    code_block,
    even_rows,
    labelled_abstract,
    next_key,
    rows_block,
    section_role,
    text_block,
)
from conspectus.parse.mentions import label_of
from conspectus.records import Block, Figure, FigureKind

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Rows = tuple[tuple[str, ...], ...]

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.S | re.I)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")
_NOTE = re.compile(r"^\[\^[^\]\s]{1,40}\]:\s*")
_NOTE_MARK = re.compile(r"\[\^[^\]\s]{1,40}\]")
_NEW_REFERENCE = re.compile(r"\n(?=[^\S\n]*+(?:\[[^\]\n]{1,20}\]|\d{1,3}[.)]\s|[-*•]\s))")


@dataclass(frozen=True, slots=True)
class Shown:
    """What blocks show, by their text: the cells of tables, and where the picture of a caption is."""

    tables: dict[str, Rows] = field(default_factory=dict)
    pictures: dict[str, str] = field(default_factory=dict)


def markdown_parts(text: str) -> tuple[list[Block], Shown]:
    """The blocks of a text in order, headings with their levels, and what they show.

    Paragraphs under a heading Abstract or Summary are `abstract`, those under References or Bibliography `reference`.
    """
    shown = Shown()
    return list(_with_roles(_raw_blocks(_parser().parse(text), shown))), shown


def with_figures(blocks: Sequence[Block], shown: Shown) -> tuple[list[Block], list[Figure]]:
    """The blocks and what they show. A paragraph beside a table that begins `Table 2` is its caption."""
    found = list(blocks)
    figures: list[Figure] = []

    def add(kind: FigureKind, label: str, **where: Any) -> None:
        figures.append(Figure(next_key(kind, figures), kind, label, **where))

    at = 0
    while at < len(found):
        if found[at].kind == "caption":
            printed, label = label_of(found[at].text) or ("", None)
            add(
                label.figure_kind if label else "figure",
                printed,
                caption=at,
                href=shown.pictures.get(found[at].text, ""),
            )
        elif found[at].kind == "paragraph" and (cells := shown.tables.get(found[at].text)):
            beside = next((n for n in (at - 1, at + 1) if 0 <= n < len(found) and _names_table(found[n])), None)
            if beside is None:
                add("table", "", cells=cells, block=at)
            else:
                printed = (label_of(found[beside].text) or ("",))[0]
                found[beside] = replace(found[beside], kind="caption", label=printed)
                del found[at]
                at = min(at, beside)
                add("table", printed, cells=cells, caption=at)
        at += 1
    return found, figures


def _names_table(block: Block) -> bool:
    """Whether a paragraph is the caption of a table and not text that begins with a mention of it."""
    found = label_of(block.text) if block.kind == "paragraph" else None
    return found is not None and found[1].figure_kind == "table" and block.text[len(found[0]) :][:1] in (".", ":", "")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _raw_blocks(tokens: list[Token], shown: Shown) -> Iterator[Block]:
    """Headings, paragraphs, tables and captions, as yet without regard to the section they stand in."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.type == "heading_open":
            yield from _heading(tokens[at + 1], int(token.tag[1:]), shown)
        elif token.type == "paragraph_open":
            yield from _paragraph(tokens[at + 1], shown)
        elif token.type in ("fence", "code_block"):
            if block := code_block(token.content):
                yield block
        elif token.type == "html_block":
            yield from _text(_TAG.sub(" ", _COMMENT.sub(" ", token.content)))
        elif token.type == "table_open":
            end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
            yield from _table(tokens[at:end], shown.tables)
            at = end
        at += 1


def _heading(inline: Token, level: int, shown: Shown) -> Iterator[Block]:
    text, captions = _reading_text(inline)
    if line := clean_line(text):
        yield text_block("heading", line, level)
    yield from _captions(captions, shown)


def _paragraph(inline: Token, shown: Shown) -> Iterator[Block]:
    text, captions = _reading_text(inline)
    yield from _text(text)
    yield from _captions(captions, shown)


def _text(text: str) -> Iterator[Block]:
    """A paragraph or footnote whose lines are kept, for a list of references may need them."""
    note = _NOTE.match(text)
    text = _NOTE_MARK.sub("", text[note.end() :] if note else text)
    lines = "\n".join(line for part in text.split("\n") if (line := clean_line(part)))
    if lines:
        yield text_block("footnote" if note else "paragraph", lines)


def _captions(captions: list[tuple[str, str]], shown: Shown) -> Iterator[Block]:
    for caption, address in captions:
        if line := clean_line(caption):
            shown.pictures.setdefault(line, address)
            yield text_block("caption", line)


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


def _table(tokens: list[Token], tables: dict[str, Rows]) -> Iterator[Block]:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(clean_line(_reading_text(token)[0]))
    if even := even_rows([tuple(cells) for cells in rows if any(cells)]):
        block = rows_block(even)
        tables[block.text] = even
        yield block


def _with_roles(blocks: Iterator[Block]) -> Iterator[Block]:
    role, level = "", 0
    for block in blocks:
        if block.kind == "heading":
            if not role or block.level <= level:
                role, level = section_role(block.text), block.level
            yield block
        elif block.kind != "paragraph":
            yield block
        elif role == "references":
            entries = _NEW_REFERENCE.split(block.text)
            yield from (text_block("reference", clean_line(entry)) for entry in entries)
        else:
            yield _body(block, role)


def _body(block: Block, role: str) -> Block:
    if "\n" in block.text and not all(block.text[s.end : s.end + 1] in ("\n", "") for s in block.sentences):
        block = text_block("paragraph", clean_line(block.text))  # lines of running text, not rows
    abstract = labelled_abstract(block.text)
    if role == "abstract" or abstract:
        return text_block("abstract", abstract or block.text)
    return block
