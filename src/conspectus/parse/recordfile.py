"""Records of papers (fields: see `fields`), and the reader of JSON Lines, one record a line.

The files are streamed, so that memory does not grow with them; what is compressed is read with a limit on its size.
A record that cannot be read becomes a `BadRecord` and the file goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from conspectus.core.errors import EmptyTextError, InputError
from conspectus.parse.bibliography.latex import decoded
from conspectus.parse.bibliography.markup import without_markup
from conspectus.parse.blocks import text_block
from conspectus.parse.fields import FieldError, canonical, links_of, metadata_of
from conspectus.parse.markup.markdown import paper_of_markdown
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.streams import MAX_LINE, MAX_TOTAL, Source, byte_lines
from conspectus.records import ParsedPaper

PAPER_LINE = "conspectus.paper/1"
CONVERSATION_LINE, ANSWER_LINE = "conspectus.conversation/1", "conspectus.answer/1"
CATALOG_LINES = tuple(
    f"conspectus.{name}/1" for name in ("library", "file", "reading", "passage", "vector", "summary", "split-name")
)
COLLECTION_LINE = "conspectus.collection/1"
VOCABULARY_LINE, CONCEPT_LINE = "conspectus.vocabulary/1", "conspectus.concept/1"
RULE_LINE, MERGE_LINE = "conspectus.name-rule/1", "conspectus.entity-merge/1"
NAME_LINES = (VOCABULARY_LINE, CONCEPT_LINE, RULE_LINE, MERGE_LINE)
MAP_LINES = MAP_LINE, REGION_LINE, PLACE_LINE = ("conspectus.map/1", "conspectus.region/1", "conspectus.place/1")
OTHER_LINES = (*CATALOG_LINES, CONVERSATION_LINE, ANSWER_LINE, COLLECTION_LINE, *NAME_LINES, *MAP_LINES)
"""The schemas of lines of an export of a whole library: of all that it holds only the papers are records."""

TOO_DEEP = "Its fields lie too deep within each other."
_WRITTEN = ("title", "abstract", "venue", "keywords", "authors")
"""Fields that authors write, with LaTeX and HTML in them."""
_UTF_8_MARK = b"\xef\xbb\xbf"


def read_json_lines(path: Path, max_line: int = MAX_LINE, max_total: int = MAX_TOTAL) -> Iterator[Item]:
    """The papers and bad records of a file with one JSON object a line, plain or compressed, in order."""
    source = Source(path, max_total)
    return RecordItems(_json_items(source, max_line, path.name), source, path.name)


class RecordItems:
    """The items of a record file, with the fraction of it that has been read. A file without any raises an error."""

    def __init__(self, items: Iterator[Item], source: Source, name: str) -> None:
        self._items = items
        self._source = source
        self._name = name
        self._some = False

    def __iter__(self) -> Iterator[Item]:
        return self

    def __next__(self) -> Item:
        try:
            item = next(self._items)
        except StopIteration:
            self._source.close()
            if not self._some:
                raise EmptyTextError(
                    f"'{self._name}' has no records in it.", "Export it anew, or leave it out."
                ) from None
            raise
        except InputError:
            self._source.close()
            raise
        self._some = True
        return item

    @property
    def fraction(self) -> float:
        """How much of the file has been read, 0 to 1."""
        return self._source.fraction


def paper_of_record(record: Mapping[str, Any]) -> ParsedPaper:
    """The paper of one record: its abstract as one block, its `text`, if any, as blocks of Markdown.

    Raises:
        FieldError: A field has a type that cannot be meant, or there is neither title nor abstract.
    """
    metadata, text, warnings = metadata_of(record)
    if not (metadata.title or metadata.abstract):
        raise FieldError("it has neither a title nor an abstract")
    files = links_of(record)
    if text.strip():
        paper = paper_of_markdown(text.replace("\r\n", "\n").replace("\x00", " "), metadata, warnings, "the record")
        if any(block.kind == "abstract" for block in paper.blocks) or not metadata.abstract:
            return replace(paper, files=files)
    else:
        paper = ParsedPaper(metadata, warnings=tuple(warnings))
    if metadata.abstract:
        paper = replace(paper, blocks=(text_block("abstract", metadata.abstract), *paper.blocks))
    return replace(paper, files=files)


def item_of_record(record: Mapping[str, Any], where: str, *, latex: bool = True) -> Item:
    """`paper_of_record`, or a bad record that says why there is no paper.

    `latex`: its texts may have LaTeX and HTML in them, which are read as what they print.
    """
    try:
        return paper_of_record(_as_printed(record) if latex else record)
    except FieldError as error:
        return BadRecord(where, f"{str(error)[0].upper()}{str(error)[1:]}.")
    except RecursionError:
        return BadRecord(where, TOO_DEEP)


def _as_printed(record: Mapping[str, Any]) -> dict[str, Any]:
    known = canonical(record)
    names = {known[field] for field in _WRITTEN if field in known}
    return {name: _plain(value) if name in names else value for name, value in record.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return without_markup(decoded(value))
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return {name: _plain(part) for name, part in value.items()} if isinstance(value, dict) else value


def _json_items(source: Source, max_line: int, name: str) -> Iterator[Item]:
    decoder = msgspec.json.Decoder()
    for number, line in enumerate(byte_lines(source, max_line), 1):
        where = f"line {number}"
        if line is None:
            yield BadRecord(where, f"It is longer than {max_line:,} bytes.")
            continue
        text = line.removeprefix(_UTF_8_MARK).strip() if number == 1 else line.strip()
        if number == 1 and text.startswith((b"[", b"\xff\xfe", b"\xfe\xff")):
            raise InputError(f"'{name}' is not JSON Lines.", "Write one JSON object a line, in UTF-8.")
        if text and (item := _json_item(decoder, text, where)):
            yield item


def _json_item(decoder: msgspec.json.Decoder[Any], line: bytes, where: str) -> Item | None:
    """The record of a line, or None where it is a line of an exported library that is no paper."""
    try:
        record = decoder.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return BadRecord(where, f"It is not valid JSON: {error}.")
    if not isinstance(record, dict):
        return BadRecord(where, "It is not a JSON object.")
    schema = record.get("schema")
    if schema in OTHER_LINES:
        return None
    if schema == PAPER_LINE and isinstance(record.get("record"), dict):
        return item_of_record(record["record"], where, latex=False)
    if isinstance(schema, str) and schema.startswith("conspectus."):
        return BadRecord(where, f"It is of the schema '{schema}', which has no record that this version can add.")
    return item_of_record(record, where)
