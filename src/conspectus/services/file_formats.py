"""What a downloaded file is by its bytes, whatever its name and the server say, and whether all of it is there."""

from __future__ import annotations

import gzip
import mmap
import re
import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from conspectus.core.disk import open_file
from conspectus.parse.files.streams import most_unfolded
from conspectus.parse.registry import HEAD_BYTES, root_name

_PDF_HEADER = re.compile(rb"%PDF-\d")
_JUNK = 1024
"""Bytes that may be before the header of a PDF (ISO 32000, annex H)."""
_TAIL = 1 << 16
_LATEX = re.compile(rb"\\document(?:class|style)|\.tex\b")
_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body|script|meta)\b", re.I)
_BODY = re.compile(rb"<(?:[\w.-]+:)?body[\s/>]")
_ROOTS = {
    "article": "jats",
    "pmc-articleset": "jats",
    "tei": "tei",
    "tei.2": "tei",
    "html": "html",
}
_WIDE = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format, as `FullTextLink.format` names it, and what names of such files end with.

    Attributes:
        name: `xml` for XML of another kind; "" where it is not known.
        ending: one by which a reader finds it.
    """

    name: str
    ending: str = ""


def recognise_format(path: Path) -> FileFormat:
    """The format of a file, or of its beginning."""
    with open_file(path) as file:
        head = file.read(HEAD_BYTES)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"<") or head.startswith(_WIDE):
        name = _ROOTS.get(root_name(head).lower(), "")
        if not name or name == "html":
            return FileFormat("html" if name or _PAGE.search(text[:4096]) else "xml")
        return FileFormat(name, ".xml")
    if _PDF_HEADER.search(head, 0, _JUNK + 8):
        return FileFormat("pdf", ".pdf")
    if head.startswith(b"\x1f\x8b"):
        return _packed_format(head)
    if _is_tar(head):
        return FileFormat("latex", ".tar")
    return FileFormat("latex", ".tex") if _LATEX.search(head) else FileFormat("")


def _packed_format(head: bytes) -> FileFormat:
    """The format of what gzip has packed; PDFs and XML that are packed twice are not known."""
    try:
        inner = zlib.decompressobj(31).decompress(head, HEAD_BYTES)
    except zlib.error:
        return FileFormat("")
    if _is_tar(inner):
        return FileFormat("latex", ".tar.gz")
    return FileFormat("latex", ".tex.gz") if _LATEX.search(inner) else FileFormat("")


def _is_tar(head: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(head[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return False
    return True


def find_fault(path: Path, found: FileFormat) -> str:
    """Why a file of this format is not a whole paper: it ends in the middle, or has no text; "" where it is one."""
    with open_file(path) as file:
        if found.ending.endswith(".gz"):
            return _packed_fault(gzip.GzipFile(fileobj=file), most_unfolded(path.stat().st_size))
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if found.name == "pdf":
                return (
                    "" if data.rfind(b"%%EOF", max(0, len(data) - _TAIL)) >= 0 else "it ends in the middle of the PDF"
                )
            if found.ending == ".xml" and data[:2] not in _WIDE:
                if data.rfind(b"</", max(0, len(data) - _TAIL)) < 0 or not data[-_JUNK:].rstrip().endswith(b">"):
                    return "it ends in the middle of the XML"
                return "" if _BODY.search(data) else "its XML has no text of the paper, only what is known of it"
    return ""


def _packed_fault(packed: gzip.GzipFile, most: int) -> str:
    size = 0
    try:
        while part := packed.read(HEAD_BYTES):
            size += len(part)
            if size > most:
                return f"it unfolds to more than {most / 2**20:,.0f} MB, far more than a paper has"
    except (OSError, EOFError, zlib.error):
        return "it ends in the middle of the archive, or is damaged"
    return ""
