"""Which reader reads which file. A new kind of file is a class as in `protocol` and a line here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conspectus.errors import InputError
from conspectus.parse.protocol import Item, Reader
from conspectus.parse.recordfile import JsonLinesReader, TableReader
from conspectus.parse.text import MarkdownReader, TextReader
from conspectus.parse.xml.readers import GrobidReader, JatsReader, JatsSetReader, TeiReader
from conspectus.parse.xml.sniff import head_of, root_name


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
    TextReader(),
    JatsReader(),
    JatsSetReader(),
    TeiReader(),
)
XML_ROOTS: dict[str, str] = {
    "article": "jats",
    "pmc-articleset": "jats-set",
    "TEI": "tei",
    "TEI.2": "tei",
}
"""Which reader reads XML with which first element. Readers named here share endings; the file itself decides."""


def reader_for(path: Path) -> Reader:
    """The reader of the file: by its ending, else by its first bytes.

    Raises:
        InputError: No reader knows it; the hint names the kinds that are known.
    """
    found = _by_suffix(path) or _by_signature(path)
    if found is None:
        if _is_shared(path):
            raise _other_xml(path)
        known = " ".join(dict.fromkeys(suffix for reader in READERS for suffix in reader.suffixes))
        raise InputError(f"'{path.name}' is of a kind that cannot be read.", f"These can: {known}")
    return found


def supported(path: Path) -> bool:
    """Whether some reader knows the file."""
    return (_by_suffix(path) or _by_signature(path)) is not None


def reader_named(name: str) -> Reader:
    """The reader called `name`, which may be the order of one that works elsewhere.

    Raises:
        InputError: There is none.
    """
    if name.startswith("grobid "):
        return GrobidReader.ordered(name)
    for reader in READERS:
        if reader.name == name:
            return reader
    raise InputError(f"There is no reader '{name}'.", f"There are: {', '.join(reader.name for reader in READERS)}")


def _by_suffix(path: Path) -> Reader | None:
    fitting = _fitting(path)
    if any(reader.name in XML_ROOTS.values() for reader in fitting):
        wanted = XML_ROOTS.get(root_name(head_of(path)), "")
        return next((reader for reader in fitting if reader.name == wanted), None)
    return fitting[0] if fitting else None


def _fitting(path: Path) -> list[Reader]:
    """The readers with the longest ending that the name has."""
    name = path.name.lower()
    lengths = [max((len(end) for end in reader.suffixes if name.endswith(end)), default=0) for reader in READERS]
    longest = max(lengths)
    return [reader for reader, length in zip(READERS, lengths, strict=True) if length == longest] if longest else []


def _is_shared(path: Path) -> bool:
    return any(reader.name in XML_ROOTS.values() for reader in _fitting(path))


def _other_xml(path: Path) -> InputError:
    root = root_name(head_of(path))
    what = f"is XML of a kind that cannot be read: its first element is <{root[:60]}>" if root else "is not XML"
    known = ", ".join(f"<{name}>" for name in XML_ROOTS)
    return InputError(f"'{path.name}' {what}.", f"These first elements are known: {known}.")


def _by_signature(path: Path) -> Reader | None:
    try:
        if not path.is_file():  # a named pipe would wait for ever
            return None
        with path.open("rb") as file:
            head = file.read(16)
    except OSError:
        return None
    return next((reader for reader in READERS if reader.signatures and head.startswith(reader.signatures)), None)
