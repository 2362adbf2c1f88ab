"""Records of papers (fields: see `fields`), and the reader of JSON Lines, one record a line.

The files are streamed, so that memory does not grow with them; what is compressed is read with a limit on its size.
A record that cannot be read becomes a `BadRecord` and the file goes on.
"""

from __future__ import annotations

import codecs
import html
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element
from xml.parsers import expat

import msgspec

from conspectus.core.errors import EmptyTextError, InputError, LimitError
from conspectus.parse.bibliography.fields import FieldError, canonical, links_of, metadata_of, plain
from conspectus.parse.bibliography.record_lines import OTHER_LINES, PAPER_LINE
from conspectus.parse.files.streams import MAX_LINE, MAX_TOTAL, Source, byte_lines, encoding_of, text_lines
from conspectus.parse.markup.markdown import paper_of_markdown
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.text.blocks import clean_line, text_block
from conspectus.parse.text.plain_text import decoded, without_markup
from conspectus.records import Metadata, ParsedPaper

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
        self._has_items = False

    def __iter__(self) -> Iterator[Item]:
        return self

    def __next__(self) -> Item:
        try:
            item = next(self._items)
        except StopIteration:
            self._source.close()
            if not self._has_items:
                raise EmptyTextError(
                    f"'{self._name}' has no records in it.", "Export it again, or leave it out."
                ) from None
            raise
        except InputError:
            self._source.close()
            raise
        self._has_items = True
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


MAX_DEPTH = 100
MAX_RECORD = 16 * 2**20
_CHUNK = 2**16


def read_lines(path: Path, items: Callable[[Iterator[str]], Iterator[Item]]) -> Iterator[Item]:
    """What `items` makes of the lines of a text file."""
    source = Source(path)
    return RecordItems(items(lines_of(source, encoding_of(path), path.name)), source, path.name)


def first_of(tags: Mapping[str, Sequence[str]], *names: str) -> str:
    """The first value of the first of these tags that has one, on one line; "" where none has."""
    return next((clean_line(tags[name][0]) for name in names if tags.get(name) and tags[name][0]), "")


def lines_of(source: Source, encoding: str, name: str) -> Iterator[str]:
    """The lines of a text file, their ends made `\\n`."""
    for line in text_lines(source, encoding, MAX_LINE, name):
        yield line.replace("\r\n", "\n").replace("\r", "\n") if "\r" in line else line


def has_word(path: Path, word: str, encoding: str) -> bool:
    """Whether the file has `word`, which is in lower case, anywhere in it in any case."""
    with Source(path) as source:
        text = codecs.getreader(encoding)(source, "replace")
        before = ""
        while chunk := text.read(2**20):
            if word in (before + chunk).lower():
                return True
            before = chunk[-len(word) :]
    return False


def with_extra(record: Mapping[str, Any], extra: Mapping[str, Any], where: str, *, latex: bool = True) -> Item:
    """The paper of `record`, whose names are those of `fields`, with what is not among them; or why it is none.

    `latex`: see `item_of_record`.
    """
    filled_record = {name: value for name, value in record.items() if value not in ("", [], None)}
    item = item_of_record(filled_record, where, latex=latex)
    if not isinstance(item, ParsedPaper):
        return item
    try:
        plain_extra = {name: plain(value) for name, value in extra.items() if value not in ("", [], {}, None)}
    except RecursionError:
        return BadRecord(where, TOO_DEEP)
    return replace(item, metadata=replace(item.metadata, extra=plain_extra))


def metadata_of_service(record: Mapping[str, Any], extra: Mapping[str, Any]) -> Metadata:
    """What a service says of a work, which need not have a title; arguments as `with_extra`.

    Raises:
        FieldError: A field has a type that cannot be meant.
        RecursionError: It is too deep.
    """
    filled_record = {name: value for name, value in record.items() if value not in ("", [], None)}
    metadata, _, _ = metadata_of(_as_printed(filled_record))
    return replace(
        metadata, extra={name: plain(value) for name, value in extra.items() if value not in ("", [], {}, None)}
    )


def elements(source: Source | BytesIO, names: Set[str], name: str) -> Iterator[tuple[int, Element]]:
    """(line, element) of each outermost element whose local name is among `names`; tags and attributes are local names.

    Raises:
        InputError: It is not well formed, or declares entities.
        LimitError: A record is too deep or too large.
    """
    builder = _Builder(names, name)
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler = lambda tag, attributes: builder.start(tag, attributes, parser.CurrentLineNumber)
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.text
    parser.EntityDeclHandler = builder.entity
    parser.SkippedEntityHandler = lambda name, _: builder.text(html.unescape(f"&{name};"))
    try:
        while chunk := source.read(_CHUNK):
            parser.Parse(chunk, False)
            yield from builder.take_ready()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        yield from builder.take_ready()
        what = expat.errors.messages[error.code]
        raise InputError(
            f"'{name}' is not well-formed XML: {what} in line {error.lineno}.",
            "Download or export it again; it may have been cut off.",
        ) from error
    except (ValueError, LookupError) as error:
        raise InputError(f"'{name}' is in an encoding that cannot be read: {error}.", "Save it as UTF-8.") from error
    yield from builder.take_ready()


def read_elements(path: Path, names: Set[str], item: Callable[[Element, str], Item]) -> Iterator[Item]:
    """What `item` makes of each such element of a file, and of where it stands."""
    source = Source(path)
    read_items = (item(element, f"line {line}") for line, element in elements(source, names, path.name))
    return RecordItems(read_items, source, path.name)


def text_of(element: Element | None, path: str = "") -> str:
    """All text in the element, or in the first one at `path` within it, on one line; "" where there is none."""
    target = element.find(path) if element is not None and path else element
    return " ".join("".join(target.itertext()).split()) if target is not None else ""


def texts_of(element: Element | None, path: str) -> list[str]:
    """The texts of all elements at `path` that have some."""
    return [text for child in (element.findall(path) if element is not None else ()) if (text := text_of(child))]


class _Builder:
    """Makes trees of the wanted elements and forgets all others."""

    def __init__(self, names: Set[str], name: str) -> None:
        self._names = names
        self._name = name
        self._stack: list[Element] = []
        self._ready: list[tuple[int, Element]] = []
        self._size = self._line = self._depth = 0

    def start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise LimitError(
                f"'{self._name}' has elements within elements, more than {MAX_DEPTH} deep.", "Is it a list of records?"
            )
        local = tag.rpartition("}")[2]
        if not self._stack and local not in self._names:
            return
        element = Element(local, {key.rpartition("}")[2]: value for key, value in attributes.items()})
        if self._stack:
            self._stack[-1].append(element)
        else:
            self._size, self._line = 0, line
        self._stack.append(element)
        self._grow(100 + sum(map(len, attributes.values())))

    def end(self, _: str) -> None:
        self._depth -= 1
        if self._stack:
            element = self._stack.pop()
            if not self._stack:
                self._ready.append((self._line, element))

    def text(self, data: str) -> None:
        if not self._stack:
            return
        self._grow(len(data))
        element = self._stack[-1]
        if len(element):
            element[-1].tail = (element[-1].tail or "") + data
        else:
            element.text = (element.text or "") + data

    def entity(self, *_: object) -> None:
        raise InputError(
            f"'{self._name}' declares XML entities, which are not read.", "Remove its internal DTD if you trust it."
        )

    def take_ready(self) -> list[tuple[int, Element]]:
        ready, self._ready = self._ready, []
        return ready

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MAX_RECORD:
            raise LimitError(
                f"'{self._name}' has a record of more than {MAX_RECORD // 2**20} MB.", "Is it a list of records?"
            )
