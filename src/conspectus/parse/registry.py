"""Which reader reads which file. A new kind of file is a class as in `protocol` and a line here."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conspectus.errors import InputError
from conspectus.parse.bibliography.readers import BIBLIOGRAPHIES
from conspectus.parse.protocol import Item, Reader
from conspectus.parse.recordfile import JsonLinesReader, TableReader
from conspectus.parse.text import MarkdownReader, TextReader


@dataclass(frozen=True, slots=True)
class PdfReader:
    """PDF files with a text layer."""

    name: str = "pdf"
    one_paper: bool = True
    suffixes: tuple[str, ...] = (".pdf",)
    signatures: tuple[bytes, ...] = (b"%PDF-",)

    @property
    def version(self) -> int:
        """The version of the PDF package."""
        from conspectus.parse.pdf import PDF_READER_VERSION

        return PDF_READER_VERSION

    def read(self, path: Path) -> Iterator[Item]:
        """The paper; as `protocol.Reader.read`."""
        from conspectus.parse.pdf import read_pdf

        yield read_pdf(path)


READERS: tuple[Reader, ...] = (
    PdfReader(),
    JsonLinesReader(),
    TableReader(),
    MarkdownReader(),
    *BIBLIOGRAPHIES,
    TextReader(),
)
HEAD = 2**14
"""How many bytes of a file its readers are shown, to tell which of them it is for."""


def reader_for(path: Path) -> Reader:
    """The reader of the file: by its ending, else by its first bytes.

    Raises:
        InputError: No reader knows it; the hint names the kinds that are known.
    """
    found = _by_suffix(path) or _by_signature(path)
    if found is None:
        known = " ".join(dict.fromkeys(suffix for reader in READERS for suffix in reader.suffixes))
        raise InputError(f"'{path.name}' is of a kind that cannot be read.", f"These can: {known}")
    return found


def supported(path: Path) -> bool:
    """Whether some reader knows the file."""
    return (_by_suffix(path) or _by_signature(path)) is not None


def reader_named(name: str) -> Reader:
    """The reader called `name`.

    Raises:
        InputError: There is none.
    """
    for reader in READERS:
        if reader.name == name:
            return reader
    raise InputError(f"There is no reader '{name}'.", f"There are: {', '.join(reader.name for reader in READERS)}")


def _by_suffix(path: Path) -> Reader | None:
    """The reader of the longest ending; of those that share it the first that accepts the file's first bytes."""
    name = path.name.lower()
    fitting = [(suffix, reader) for reader in READERS for suffix in reader.suffixes if name.endswith(suffix)]
    longest = max((suffix for suffix, _ in fitting), key=len, default="")
    choices = [reader for suffix, reader in fitting if suffix == longest]
    if not any(hasattr(reader, "accepts") for reader in choices):
        return choices[0] if choices else None
    head = _head(path)
    for reader in choices:
        accepts = getattr(reader, "accepts", None)
        if accepts is None or accepts(head, longest):
            return reader
    return None


def _by_signature(path: Path) -> Reader | None:
    head = _head(path)
    return next((reader for reader in READERS if reader.signatures and head.startswith(reader.signatures)), None)


def _head(path: Path) -> bytes:
    """The first bytes of a file, unpacked where it is compressed; none where it cannot be read."""
    try:
        with path.open("rb") as file:
            if path.name.lower().endswith(".gz"):
                with gzip.GzipFile(fileobj=file) as packed:
                    return packed.read(HEAD)
            return file.read(HEAD)
    except (OSError, EOFError, zlib.error):
        return b""
