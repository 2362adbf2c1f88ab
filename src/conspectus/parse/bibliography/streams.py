"""What the readers of bibliographies share: lines of a file, elements of XML, and a record with its extra fields.

Of XML no entities are read, no DTD and nothing from elsewhere; depth and size of a record are limited.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element
from xml.parsers import expat

from conspectus.core.errors import InputError, LimitError
from conspectus.parse.blocks import clean_line
from conspectus.parse.fields import plain
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.recordfile import TOO_DEEP, RecordItems, item_of_record
from conspectus.parse.streams import MAX_LINE, Source, encoding_of, text_lines
from conspectus.records import ParsedPaper

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


def has_word(path: Path, word: bytes) -> bool:
    """Whether the file has `word`, which is in lower case, anywhere in it in any case."""
    with Source(path) as source:
        before = b""
        while chunk := source.read(2**20):
            if word in (before + chunk).lower():
                return True
            before = chunk[-len(word) :]
    return False


def with_extra(record: Mapping[str, Any], extra: Mapping[str, Any], where: str, *, latex: bool = True) -> Item:
    """The paper of `record`, whose names are those of `fields`, with what is not among them; or why it is none.

    `latex`: see `item_of_record`.
    """
    given = {name: value for name, value in record.items() if value not in ("", [], None)}
    item = item_of_record(given, where, latex=latex)
    if not isinstance(item, ParsedPaper):
        return item
    try:
        kept = {name: plain(value) for name, value in extra.items() if value not in ("", [], {}, None)}
    except RecursionError:
        return BadRecord(where, TOO_DEEP)
    return replace(item, metadata=replace(item.metadata, extra=kept))


def elements(source: Source, names: Set[str], name: str) -> Iterator[tuple[int, Element]]:
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
            yield from builder.taken()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        yield from builder.taken()
        what = expat.errors.messages[error.code]
        raise InputError(
            f"'{name}' is not well-formed XML: {what} in line {error.lineno}.",
            "Fetch or export it anew; it may have been cut off.",
        ) from error
    except (ValueError, LookupError) as error:
        raise InputError(f"'{name}' is in an encoding that cannot be read: {error}.", "Save it as UTF-8.") from error
    yield from builder.taken()


def read_elements(path: Path, names: Set[str], item: Callable[[Element, str], Item]) -> Iterator[Item]:
    """What `item` makes of each such element of a file, and of where it stands."""
    source = Source(path)
    found = (item(element, f"line {line}") for line, element in elements(source, names, path.name))
    return RecordItems(found, source, path.name)


def text_of(element: Element | None, path: str = "") -> str:
    """All text in the element, or in the first one at `path` within it, on one line; "" where there is none."""
    found = element.find(path) if element is not None and path else element
    return " ".join("".join(found.itertext()).split()) if found is not None else ""


def texts_of(element: Element | None, path: str) -> list[str]:
    """The texts of all elements at `path` that have some."""
    return [text for found in (element.findall(path) if element is not None else ()) if (text := text_of(found))]


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

    def taken(self) -> list[tuple[int, Element]]:
        ready, self._ready = self._ready, []
        return ready

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MAX_RECORD:
            raise LimitError(
                f"'{self._name}' has a record of more than {MAX_RECORD // 2**20} MB.", "Is it a list of records?"
            )
