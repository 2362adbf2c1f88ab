"""Lines of a library's export that have one of some schemas; lines that cannot be read are counted and reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from conspectus.core.job_context import Notice, emit
from conspectus.core.text import pluralize
from conspectus.parse.files.streams import MAX_LINE, Source, byte_lines

Line = TypeVar("Line")
_HEAD = 100
"""Bytes of a line in which its schema stands."""


class ExportLines(Generic[Line]):
    """What of a file's lines has these schemas, as often as it is read; what has none of them is passed over.

    Args:
        path: of the file.
        schemas: `conspectus.map/1`, for instance.
        decode: makes a record of a line.
    """

    def __init__(self, path: str, schemas: Sequence[str], decode: Callable[[bytes], Line]) -> None:
        self.path, self._decode = path, decode
        self._marks = tuple(f'"{name}"'.encode() for name in schemas)
        self._wrong: set[int] = set()
        self._such = ""

    def __iter__(self) -> Iterator[Line]:
        for number, line in enumerate(byte_lines(Source(Path(self.path)), MAX_LINE), 1):
            if line and any(mark in line[:_HEAD] for mark in self._marks):
                try:
                    found = self._decode(line)
                except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
                    self._wrong.add(number)
                    self._such = self._such or f"line {number}: {error}"
                else:
                    yield found

    def emit(self, what: str) -> None:
        """Say how many lines of `what` could not be read."""
        if self._wrong:
            lines = f"{pluralize(len(self._wrong), 'line')} of {what} in '{self.path}'"
            emit(Notice(f"{lines} could not be read and left out, such as {self._such}. Export it again."))
