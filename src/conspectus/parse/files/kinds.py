"""What a file is by its bytes, where its ending says something else."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

from conspectus.core.disk import open_file
from conspectus.core.zips import FAULTS


@dataclass(frozen=True, slots=True)
class ContentKind:
    """A kind of file.

    Attributes:
        name: What it is called, with its article.
        remedy: What to do with one that cannot be read; "" where nothing is known.
        endings: What its files end with; `reader`: the ending whose reader reads it, "" where none does.
    """

    name: str
    remedy: str = ""
    endings: tuple[str, ...] = ()
    reader: str = ""


PDF = ContentKind("a PDF", endings=(".pdf",), reader=".pdf")
_WORD = ContentKind("a Word file", endings=(".docx", ".docm"), reader=".docx")
_EPUB = ContentKind("an EPUB book", endings=(".epub",), reader=".epub")
_UNPACK = "Unpack it, and add what is in it."
_ZIP = ContentKind("a zip archive, or a file of a program that packs its files so", _UNPACK, (".zip",))
_PICTURE = ContentKind("a picture", "Make a PDF of it, whose text can be recognised.")
_SIGNATURES: tuple[tuple[bytes, ContentKind], ...] = (
    (
        b"\x1f\x8b",
        ContentKind("packed with gzip", "Name it so: `paper.xml.gz`, or unpack it.", (".gz", ".tgz", ".tar")),
    ),
    (b"\xfd7zXZ\x00", ContentKind("packed with xz", _UNPACK, (".xz", ".txz"))),
    (b"\x28\xb5\x2f\xfd", ContentKind("packed with zstd", _UNPACK, (".zst",))),
    (b"7z\xbc\xaf\x27\x1c", ContentKind("a 7z archive", _UNPACK, (".7z",))),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ContentKind("an old Word or Office file", "Save it as .docx or PDF.")),
    (b"{\\rtf", ContentKind("an RTF file", "Save it as .docx or PDF.")),
    (b"%!PS", ContentKind("PostScript", "Make a PDF of it, for example with `ps2pdf`.")),
    (b"\x89PNG\r\n\x1a\n", _PICTURE),
    (b"\xff\xd8\xff", _PICTURE),
    (b"II*\x00", _PICTURE),
    (b"MM\x00*", _PICTURE),
)
_UNREADABLE: tuple[type[Exception], ...] = (OSError, *FAULTS)
_BZIP2 = re.compile(rb"BZh[1-9]1AY&SY")
_EXPORT = "Export the records as RIS, BibTeX or Dublin Core."
_BIOC_KIND = ContentKind("BioC", "Fetch the article in JATS, which PMC offers too, or as PDF.")
_MARC = ContentKind("MARC", _EXPORT)
FORMATS = {
    "mods": ContentKind("MODS", _EXPORT),
    "modsCollection": ContentKind("MODS", _EXPORT),
    "collection": _BIOC_KIND,
}
"""Kinds of XML that are known and not read, by their first element."""
_BIOC = re.compile(rb'"(?:bioctype"\s*:\s*"BioC|passages"\s*:\s*\[)')
_PDF_HEADER = re.compile(rb"%PDF-\d")
_PDF_OBJECT = re.compile(rb"\b\d+ \d+ obj\b")
_HEAD = 1 << 14
_JUNK = 1024
"""Bytes that may stand before the header of a PDF (ISO 32000, annex H)."""


def content_kind(path: Path) -> ContentKind | None:
    """Return what a file is by its bytes; None where they say nothing, as those of texts."""
    try:
        if not path.is_file():  # a named pipe would wait for ever
            return None
        with open_file(path) as file:
            head = file.read(_HEAD)
            if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
                return _packed_kind(path)
            if _PDF_HEADER.search(head, 0, _JUNK + 8):
                file.seek(-min(_JUNK * 2, file.seek(0, io.SEEK_END)), io.SEEK_END)
                if _PDF_OBJECT.search(head) or b"startxref" in file.read():
                    return PDF
    except OSError:
        return None
    if _BZIP2.match(head):
        return ContentKind("packed with bzip2", _UNPACK, (".bz2",))
    return next((kind for signature, kind in _SIGNATURES if head.startswith(signature)), None)


def _packed_kind(path: Path) -> ContentKind:
    """Return what a zip archive is by the names in it."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {info.filename for info in archive.infolist()}
    except _UNREADABLE:
        return _ZIP
    if "word/document.xml" in names:
        return _WORD
    return _EPUB if "META-INF/container.xml" in names and "mimetype" in names else _ZIP


def unread_format(root: str, head: bytes, suffix: str) -> ContentKind | None:
    """Return the kind of XML or JSON that a file is, if it is one that is known and not read."""
    if suffix.startswith(".json"):
        return _BIOC_KIND if _BIOC.search(head) else None
    return _MARC if b"MARC21/slim" in head and root in ("collection", "record") else FORMATS.get(root)
