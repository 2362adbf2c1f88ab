"""Large files read bit by bit, plain or compressed, with a limit on what they unfold to."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from conspectus.core.disk import open_file
from conspectus.core.errors import InputError, LimitError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_CHUNK = 1 << 20
MAX_LINE = 32 * 2**20
"""Characters, or bytes, of one line of a file of records."""
MAX_TOTAL = 16 * 2**30
"""Bytes of a file of records, unpacked."""


_UNPACK: Mapping[str, Callable[..., Any]] = {".gz": gzip.open, ".tgz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}


def cannot_open(name: str, error: OSError) -> InputError:
    """What is told of a file that the system does not open."""
    return InputError(f"'{name}' cannot be opened: {error.strerror or error}.", "Check path and rights.")


def read_whole(path: Path, most: int, what: str) -> bytes:
    """The bytes of a file.

    Raises:
        LimitError: It has more than `most`; `what` it is for which these are the most.
        InputError: It cannot be opened.
    """
    try:
        with open_file(path) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise cannot_open(path.name, error) from error
    if len(data) > most:
        raise LimitError(f"'{path.name}' is larger than {most // 2**20} MB, the most for {what}.", "Split the file.")
    return data


class Source(io.RawIOBase):
    """The bytes of a file, unpacked if its name ends in `.gz`, `.xz` or `.bz2`; never more than `max_total` of them.

    Raises:
        InputError: The file cannot be opened, or its compressed data are damaged (while reading).
        LimitError: It unfolds to more than `max_total` bytes (while reading).
    """

    def __init__(self, path: Path, max_total: int = MAX_TOTAL) -> None:
        super().__init__()
        self._name = path.name
        self._left = self._max = max_total
        try:
            self._file = open_file(path)
            self._size = path.stat().st_size
        except OSError as error:
            raise cannot_open(path.name, error) from error
        unpack = _UNPACK.get(path.suffix.lower())
        self._bytes = cast(BinaryIO, unpack(self._file, "rb") if unpack else self._file)

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fills `buffer` as far as there are bytes; see the class for what is raised."""
        view = memoryview(buffer)
        try:
            data = self._bytes.read(len(view))
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise InputError(
                f"'{self._name}' is damaged: its compressed data cannot be read to the end.", "Fetch or pack it anew."
            ) from error
        self._left -= len(data)
        if self._left < 0:
            raise LimitError(f"'{self._name}' unfolds to more than {self._max:,} bytes.", "Split the file.")
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Closes the file."""
        if not self.closed:
            self._bytes.close()
            self._file.close()
        super().close()

    @property
    def fraction(self) -> float:
        """How much of the file has been read, 0 to 1."""
        if self.closed or not self._size:
            return 1.0
        return min(1.0, self._file.tell() / self._size)


def byte_lines(source: Source, max_line: int) -> Iterator[bytes | None]:
    """The lines of a file; None for one that is longer than `max_line`, which is passed over."""
    with io.BufferedReader(source, _CHUNK) as stream:
        while line := stream.readline(max_line + 1):
            if len(line) <= max_line:
                yield line
                continue
            while line and not line.endswith(b"\n"):
                line = stream.readline(_CHUNK)
            yield None


def text_lines(source: Source, encoding: str, max_line: int, name: str) -> Iterator[str]:
    """The lines of a text file with their ends as they are.

    Raises:
        LimitError: A line has more than `max_line` characters.
    """
    with io.TextIOWrapper(io.BufferedReader(source, _CHUNK), encoding, errors="replace", newline="") as stream:
        while line := stream.readline(max_line + 1):
            if len(line) > max_line:
                raise LimitError(f"'{name}' has a line of more than {max_line:,} characters.", "Is it really a table?")
            yield line


def encoding_of(path: Path, max_total: int = MAX_TOTAL) -> str:
    """The encoding of a text file: UTF-16 if it says so, UTF-8 if it is that to the end, else Windows-1252.

    Raises:
        InputError: It has zero bytes in it and is no text.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    with io.BufferedReader(Source(path, max_total), _CHUNK) as stream:
        if stream.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "utf-16"
        encoding = "utf-8-sig"
        while chunk := stream.read(_CHUNK):
            if b"\x00" in chunk:
                raise InputError(
                    f"'{path.name}' is not a text file: it has zero bytes in it.", "Save it as text in UTF-8."
                )
            if encoding == "utf-8-sig":
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError:
                    encoding = "cp1252"
    return encoding
