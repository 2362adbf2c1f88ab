"""Readers of record files: JSON Lines and tables, one paper a record (fields: see `fields`).

The files are streamed, so that memory does not grow with them; what is compressed is read with a limit on its size.
A record that cannot be read becomes a `BadRecord` and the file goes on.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from conspectus.errors import EmptyTextError, InputError
from conspectus.parse.blocks import text_block
from conspectus.parse.fields import FieldError, canonical, metadata_of
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.streams import LineStream, table_encoding
from conspectus.parse.text import paper_of_markdown
from conspectus.records import ParsedPaper

_DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True, slots=True)
class JsonLinesReader:
    """One JSON object a line."""

    name: str = "jsonl"
    version: int = 1
    suffixes: tuple[str, ...] = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
    signatures: tuple[bytes, ...] = ()
    max_line: int = 32 * 2**20
    max_total: int = 16 * 2**30

    def read(self, path: Path) -> Iterator[Item]:
        """The papers and bad records, in order; as `protocol.Reader.read`."""
        return _Records(_json_items(lines, path.name), lines := LineStream(path, self.max_line, self.max_total))


@dataclass(frozen=True, slots=True)
class TableReader:
    """A table with a header line, separated by commas, semicolons or tabs."""

    name: str = "table"
    version: int = 1
    suffixes: tuple[str, ...] = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
    signatures: tuple[bytes, ...] = ()
    max_line: int = 32 * 2**20
    max_total: int = 16 * 2**30

    def read(self, path: Path) -> Iterator[Item]:
        """The papers and bad records, in order; as `protocol.Reader.read`."""
        return _Records(_table_items(lines, path), lines := LineStream(path, self.max_line, self.max_total))
