"""What the readers of bibliographies share: lines of a file, and a record with its extra fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from conspectus.parse.fields import plain
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.recordfile import TOO_DEEP, RecordItems, item_of_record
from conspectus.parse.streams import MAX_LINE, Source, encoding_of, text_lines
from conspectus.records import ParsedPaper


def read_lines(path: Path, items: Callable[[Iterator[str]], Iterator[Item]]) -> Iterator[Item]:
    """What `items` makes of the lines of a text file."""
    source = Source(path)
    return RecordItems(items(lines_of(source, encoding_of(path), path.name)), source, path.name)


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
