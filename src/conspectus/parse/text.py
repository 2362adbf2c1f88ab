"""Readers of Markdown and plain text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from conspectus.core.errors import EmptyTextError, InputError
from conspectus.lexicon.sections import headings
from conspectus.parse.blocks import clean_line, labelled_abstract, section_role, text_block
from conspectus.parse.fields import FieldError, metadata_of
from conspectus.parse.front_matter import article_fields, load_yaml
from conspectus.parse.markdown import markdown_parts, with_figures
from conspectus.parse.streams import read_whole
from conspectus.records import Block, Metadata, ParsedPaper

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<lines>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_KEY = re.compile(r"[A-Za-z][\w -]{0,40}?\s*:(?:\s|$)")
_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_PLAIN_HEADING = re.compile(
    r"(?:(?:\d{1,2}(?:\.\d{1,2})*|[IVX]+)\.?\s+)?(?:" + headings("abstract", "body", "thanks", "references") + ")[:.]?",
    re.I,
)
_WORDS_BEFORE_TITLE = 200
MAX_BYTES = 64 * 2**20


def read_markdown(path: Path, max_bytes: int = MAX_BYTES) -> ParsedPaper:
    """The paper of a Markdown file with optional front matter; raises as `read_text` and `paper_of_markdown`."""
    text, warnings = read_text(path, max_bytes)
    try:
        given, body = front_matter(text)
        metadata, _, notes = metadata_of(article_fields(given))
    except FieldError as error:
        raise InputError(
            f"The front matter of '{path.name}' cannot be read: {error}.",
            "Mend it, or take it out: it stands between two lines of ---.",
        ) from error
    return paper_of_markdown(body, metadata, [*warnings, *notes], path.name)


def read_plain(path: Path, max_bytes: int = MAX_BYTES) -> ParsedPaper:
    """The paper of a plain text: paragraphs between blank lines, a short first line is the title; raises as before."""
    text, warnings = read_text(path, max_bytes)
    paragraphs = [line for part in re.split(r"\n\s*\n", text) if (line := clean_line(part))]
    title = ""
    if len(paragraphs) > 1 and _is_title(paragraphs[0], text):
        title = paragraphs.pop(0)
    return _paper(Metadata(title=title), _plain_blocks(paragraphs), warnings, path.name)


def read_text(path: Path, max_bytes: int) -> tuple[str, list[str]]:
    """The text of a file with `\\n` at line ends, and warnings: UTF-8, UTF-16 with its mark, else Windows-1252.

    Raises:
        LimitError: The file is larger than `max_bytes`.
        InputError: It is not text, or cannot be opened.
    """
    return decode(read_whole(path, max_bytes, "a text"), path.name)


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


def paper_of_markdown(text: str, metadata: Metadata, warnings: Iterable[str], name: str) -> ParsedPaper:
    """The paper of a Markdown text: what `metadata` does not say is taken from the text.

    Raises:
        EmptyTextError: There is neither text nor title nor abstract.
    """
    blocks, shown = markdown_parts(text)
    at = next((i for i, block in enumerate(blocks) if block.kind == "heading" and block.level == 1), None)
    if at is not None and not _PLAIN_HEADING.fullmatch(blocks[at].text):
        heading = blocks[at].text
        if metadata.title in ("", heading):
            metadata = replace(metadata, title=heading)
            del blocks[at]
    blocks, figures = with_figures(blocks, shown)
    return replace(_paper(metadata, blocks, warnings, name), figures=tuple(figures))


def _paper(metadata: Metadata, blocks: list[Block], warnings: Iterable[str], name: str) -> ParsedPaper:
    if not (blocks or metadata.title or metadata.abstract):
        raise EmptyTextError(f"'{name}' has no text in it.", "Leave it out, or check that it was saved.")
    abstract = "\n\n".join(block.text for block in blocks if block.kind == "abstract")
    references = tuple(block.text for block in blocks if block.kind == "reference")
    metadata = replace(metadata, abstract=metadata.abstract or abstract, references=metadata.references or references)
    return ParsedPaper(metadata, tuple(blocks), warnings=tuple(warnings))


def _plain_blocks(paragraphs: list[str]) -> list[Block]:
    blocks: list[Block] = []
    role = ""
    for paragraph in paragraphs:
        if _PLAIN_HEADING.fullmatch(paragraph):
            role = section_role(paragraph)
            blocks.append(text_block("heading", paragraph, 1))
        elif role == "references":
            blocks.append(text_block("reference", paragraph))
        elif role == "abstract":
            blocks.append(text_block("abstract", paragraph))
        elif abstract := labelled_abstract(paragraph):
            blocks.append(text_block("abstract", abstract))
        else:
            blocks.append(text_block("paragraph", paragraph))
    return blocks


def _is_title(paragraph: str, text: str) -> bool:
    one_line = "\n" not in text.strip().split("\n\n", 1)[0].strip()
    return one_line and len(paragraph) <= _WORDS_BEFORE_TITLE and not paragraph.endswith((".", ":", ";", ","))
