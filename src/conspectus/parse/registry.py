"""Which reader reads which file. A new kind of file is a class as in `protocol` and a line here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conspectus.errors import InputError
from conspectus.parse.bibliography.readers import BIBLIOGRAPHIES
from conspectus.parse.document_readers import DocxReader, EpubReader, HtmlReader, LatexArchiveReader, LatexReader
from conspectus.parse.protocol import Item, Reader, Working
from conspectus.parse.recordfile import JsonLinesReader, TableReader
from conspectus.parse.text import MarkdownReader, TextReader
from conspectus.parse.xml.readers import XML_SUFFIXES, GrobidReader, JatsReader, JatsSetReader, TeiReader
from conspectus.parse.xml.sniff import head_of, root_name


@dataclass(frozen=True, slots=True)
class PdfReader:
    """PDF files with a text layer; with `ocr` also pages that are pictures. That is chosen by a setting."""

    ocr: bool = False
    one_paper: bool = True
    suffixes: tuple[str, ...] = (".pdf",)
    signatures: tuple[bytes, ...] = (b"%PDF-",)

    @property
    def name(self) -> str:
        """`pdf`, or `pdf-ocr`: what is read otherwise is told apart in the ledger."""
        return "pdf-ocr" if self.ocr else "pdf"

    @property
    def version(self) -> int:
        """The version of the PDF package."""
        from conspectus.parse.pdf import PDF_READER_VERSION

        return PDF_READER_VERSION

    def read(self, path: Path) -> Iterator[Item | Working]:
        """The paper; as `protocol.Reader.read`."""
        from conspectus.parse.pdf import read_pdf_steps

        return read_pdf_steps(path, ocr=self.ocr)


READERS: tuple[Reader, ...] = (
    PdfReader(),
    HtmlReader(),
    DocxReader(),
    EpubReader(),
    LatexReader(),
    LatexArchiveReader(),
    JatsReader(),
    JatsSetReader(),
    TeiReader(),
    JsonLinesReader(),
    TableReader(),
    *BIBLIOGRAPHIES,
    MarkdownReader(),
    TextReader(),
)


WITH_OCR = PdfReader(ocr=True)


def reader_for(path: Path, *, ocr: bool = False) -> Reader:
    """The reader of the file: by its ending, else by its first bytes. With `ocr` pages that are pictures are read too.

    A file that only one reader could mean is left to it, also where it does not look like one: it says what is wrong.

    Raises:
        InputError: No reader knows it; the hint names the kinds that are known.
    """
    choices, suffix = _sharing(path)
    found = _reader(path) or (choices[0] if len(choices) == 1 else None)
    if found is None:
        known = " ".join(dict.fromkeys(suffix for reader in READERS for suffix in reader.suffixes))
        what = "is of a kind that cannot be read"
        if suffix in XML_SUFFIXES:
            root = root_name(head_of(path))
            what = f"is XML of a kind that cannot be read: its first element is <{root[:60]}>" if root else "is not XML"
        raise InputError(f"'{path.name}' {what}.", f"These can be read: {known}")
    return WITH_OCR if ocr and isinstance(found, PdfReader) else found


def supported(path: Path) -> bool:
    """Whether some reader knows the file."""
    return _reader(path) is not None


def reader_named(name: str) -> Reader:
    """The reader called `name`, which may be the order of one that works elsewhere.

    Raises:
        InputError: There is none.
    """
    if name.startswith("grobid "):
        return GrobidReader.ordered(name)
    for reader in (*READERS, WITH_OCR):
        if reader.name == name:
            return reader
    raise InputError(f"There is no reader '{name}'.", f"There are: {', '.join(reader.name for reader in READERS)}")


def _reader(path: Path) -> Reader | None:
    """The reader of the longest ending, of those that share it the first that accepts the file's first bytes.

    A file whose ending nobody has is known by its first bytes.
    """
    choices, suffix = _sharing(path)
    if not choices:
        return _by_signature(path)
    if not any(hasattr(reader, "accepts") for reader in choices):
        return choices[0]
    head = head_of(path)
    for reader in choices:
        accepts = getattr(reader, "accepts", None)
        if accepts is None or accepts(head, suffix):
            return reader
    return None


def _sharing(path: Path) -> tuple[list[Reader], str]:
    """The readers with the longest ending that the name has, and that ending."""
    name = path.name.lower()
    fitting = [(suffix, reader) for reader in READERS for suffix in reader.suffixes if name.endswith(suffix)]
    longest = max((suffix for suffix, _ in fitting), key=len, default="")
    return [reader for suffix, reader in fitting if suffix == longest], longest


def _by_signature(path: Path) -> Reader | None:
    head = head_of(path)
    return next((reader for reader in READERS if reader.signatures and head.startswith(reader.signatures)), None)
