"""Which reader reads which file. A new kind of file is a class as in `protocol` and a line here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conspectus.errors import InputError
from conspectus.parse.document_readers import DocxReader, EpubReader, HtmlReader, LatexArchiveReader, LatexReader
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
    HtmlReader(),
    DocxReader(),
    EpubReader(),
    LatexReader(),
    LatexArchiveReader(),
    JsonLinesReader(),
    TableReader(),
    MarkdownReader(),
    TextReader(),
)


def reader_for(path: Path) -> Reader:
    """The reader of the file: by its ending, else by its first bytes.

    Raises:
        InputError: No reader knows it; the hint names the kinds that are known.
    """
    found = _by_suffix(path) or _by_signature(path)
    if found is None:
        known = " ".join(suffix for reader in READERS for suffix in reader.suffixes)
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
    name = path.name.lower()
    fitting = [
        (len(suffix), i) for i, reader in enumerate(READERS) for suffix in reader.suffixes if name.endswith(suffix)
    ]
    return READERS[max(fitting)[1]] if fitting else None


def _by_signature(path: Path) -> Reader | None:
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError:
        return None
    return next((reader for reader in READERS if reader.signatures and head.startswith(reader.signatures)), None)
