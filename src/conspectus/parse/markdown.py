"""Markdown as blocks of clean reading text: inline marks go, links keep their words, images become captions.

HTML comments and rules are left out. A table is one paragraph whose rows are its sentences. The parser is
markdown-it-py (CommonMark with tables).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from conspectus.parse.blocks import clean_line, code_block, labelled_abstract, section_role, text_block
from conspectus.records import Block, Sentence

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.S | re.I)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")
_NOTE = re.compile(r"^\[\^[^\]\s]{1,40}\]:\s*")
_NOTE_MARK = re.compile(r"\[\^[^\]\s]{1,40}\]")
_NEW_REFERENCE = re.compile(r"\n(?=[^\S\n]*+(?:\[[^\]\n]{1,20}\]|\d{1,3}[.)]\s|[-*•]\s))")


def markdown_blocks(text: str) -> list[Block]:
    """The blocks of a Markdown text, in order, headings with their levels.

    Paragraphs under a heading Abstract or Summary are `abstract`, those under References or Bibliography `reference`.
    """
    return list(_with_roles(_raw_blocks(_parser().parse(text))))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _raw_blocks(tokens: list[Token]) -> Iterator[Block]:
    """Headings, paragraphs, tables and captions, as yet without regard to the section they stand in."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.type == "heading_open":
            yield from _heading(tokens[at + 1], int(token.tag[1:]))
        elif token.type == "paragraph_open":
            yield from _paragraph(tokens[at + 1])
        elif token.type in ("fence", "code_block"):
            if block := code_block(token.content):
                yield block
        elif token.type == "html_block":
            yield from _text(_TAG.sub(" ", _COMMENT.sub(" ", token.content)))
        elif token.type == "table_open":
            end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
            yield from _table(tokens[at:end])
            at = end
        at += 1


def _heading(inline: Token, level: int) -> Iterator[Block]:
    text, captions = _reading_text(inline)
    if line := clean_line(text):
        yield text_block("heading", line, level)
    yield from _captions(captions)


def _paragraph(inline: Token) -> Iterator[Block]:
    text, captions = _reading_text(inline)
    yield from _text(text)
    yield from _captions(captions)


def _text(text: str) -> Iterator[Block]:
    """A paragraph or footnote whose lines are kept, for a list of references may need them."""
    note = _NOTE.match(text)
    text = _NOTE_MARK.sub("", text[note.end() :] if note else text)
    lines = "\n".join(line for part in text.split("\n") if (line := clean_line(part)))
    if lines:
        yield text_block("footnote" if note else "paragraph", lines)


def _captions(captions: list[str]) -> Iterator[Block]:
    yield from (text_block("caption", line) for caption in captions if (line := clean_line(caption)))


def _reading_text(inline: Token) -> tuple[str, list[str]]:
    """The words of an inline token, and the descriptions of its images."""
    words: list[str] = []
    captions: list[str] = []
    for child in inline.children or ():
        if child.type in ("softbreak", "hardbreak"):
            words.append("\n")
        elif child.type == "image":
            captions.append(child.content)
        elif child.type == "html_inline":
            words.append(" " if child.content.lower().startswith("<br") else "")
        else:
            words.append(child.content)
    return "".join(words), captions


def _table(tokens: list[Token]) -> Iterator[Block]:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(clean_line(_reading_text(token)[0]))
    lines = [" | ".join(cells) for cells in rows if any(cells)]
    sentences: list[Sentence] = []
    start = 0
    for line in lines:
        sentences.append(Sentence(start + len(line) - len(line.lstrip()), start + len(line.rstrip())))
        start += len(line) + 1
    if sentences:
        yield Block("paragraph", "\n".join(lines), tuple(sentences))


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
