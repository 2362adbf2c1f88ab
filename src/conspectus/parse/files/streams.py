"""Large files read bit by bit, plain or compressed, with a limit on size; and what a file is by its bytes."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import posixpath
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from conspectus.core.disk import FAULTS, is_encrypted, open_file
from conspectus.core.errors import EncryptedError, InputError, LimitError, describe_os_error

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


_CHUNK = 1 << 20
MAX_LINE = 32 * 2**20
"""Characters, or bytes, of one line of a file of records."""
MAX_TOTAL = 16 * 2**30
"""Bytes of a file of records, unpacked."""


class ZstandardReader:
    """The unpacked bytes of a file that Zstandard has packed; one that is cut off is an `EOFError`.

    Raises:
        InputError: zstandard is not installed.
    """

    def __init__(self, packed: IO[bytes], mode: str = "rb") -> None:  # noqa: ARG002 - as gzip.open has it
        try:
            import zstandard
        except ModuleNotFoundError as error:
            raise InputError(
                f"'{Path(packed.name).name}' is compressed by Zstandard, and zstandard is not installed.",
                "Unpack it (`zstd -d FILE`), or `pip install zstandard`.",
            ) from error
        self._packed, self._fault = packed, zstandard.ZstdError
        self._new = zstandard.ZstdDecompressor().decompressobj
        self._frame: Any = None
        self._unpacked = memoryview(b"")

    def read(self, size: int) -> bytes:
        """The next bytes, at most `size`; none at the end."""
        while not self._unpacked:
            if not (piece := self._left_over() or self._packed.read(_ZSTD_PIECE)):
                if self._frame and not self._frame.eof:
                    raise EOFError
                return b""
            self._frame = self._new() if self._frame is None or self._frame.eof else self._frame
            try:
                self._unpacked = memoryview(self._frame.decompress(piece))
            except self._fault as error:
                raise OSError(*error.args) from error
        chunk, self._unpacked = self._unpacked[:size], self._unpacked[size:]
        return bytes(chunk)

    def _left_over(self) -> bytes:
        """What was read behind the end of a frame."""
        return bytes(self._frame.unused_data) if self._frame and self._frame.eof else b""

    def close(self) -> None:
        """Nothing: the file is closed by whoever opened it."""


_ZSTD_PIECE = 256
"""Bytes that are unpacked at once; they unfold to 11 MB at most: a block has at least 3, and unfolds to 128 KB."""
_UNPACK: Mapping[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".tgz": gzip.open,
    ".xz": lzma.open,
    ".bz2": bz2.open,
    ".zst": ZstandardReader,
}


def cannot_open(name: str, error: OSError) -> InputError:
    """What is told of a file that the system does not open."""
    return InputError(f"'{name}' cannot be opened: {describe_os_error(error)}.", "Check path and rights.")


def read_limited(path: Path, most: int, what: str) -> bytes:
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
    """The bytes of a file, unpacked if its name ends in `.gz`, `.xz`, `.bz2` or `.zst`; at most `max_total` of them.

    Raises:
        InputError: The file cannot be opened, zstandard is needed and not installed, or its compressed data are damaged
            (while reading).
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
                f"'{self._name}' is damaged: its compressed data cannot be read to the end.",
                "Download or compress it again.",
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


MAX_FILES = 20_000
MAX_UNFOLDED = 512 * 2**20
MAX_FILE = 64 * 2**20
MAX_RATIO = 300
"""A file may unfold to this many times its packed size once it is larger than 1 MB."""
_FREE = 2**20
_UNREADABLE: tuple[type[Exception], ...] = (OSError, *FAULTS)


def most_unfolded(packed: int) -> int:
    """The bytes that an archive of `packed` bytes may unfold to."""
    return min(MAX_UNFOLDED, max(_FREE, MAX_RATIO * max(1, packed)))


def inside(name: str) -> str:
    """The name as a plain path within the archive, or "" if it leads out of it or nowhere."""
    name = name.replace("\\", "/")
    if "\x00" in name or name.startswith("/") or (len(name) > 1 and name[1] == ":"):
        return ""
    path = posixpath.normpath(name)
    return "" if path in (".", "..") or path.startswith("../") else path


class Zip:
    """The files of a zip archive by name; nothing is ever written to disk.

    Attributes:
        links: names of links, which are never followed.

    Raises:
        InputError: It is no archive, or damaged.
        LimitError: It has too many files or unfolds to too much.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._left = MAX_UNFOLDED
        try:
            self._zip = zipfile.ZipFile(path)
            infos = self._zip.infolist()
        except OSError as error:
            raise cannot_open(path.name, error) from error
        except FAULTS as error:
            raise InputError(
                f"'{path.name}' is damaged: it is not a complete archive.", "Save or fetch it again."
            ) from error
        if len(infos) > MAX_FILES:
            self.close()
            raise LimitError(f"'{path.name}' has more than {MAX_FILES:,} files in it.", "Is it really one document?")
        files = [info for info in infos if not stat.S_ISLNK(info.external_attr >> 16)]
        self._infos = {plain: info for info in files if (plain := inside(info.filename))}
        self.links = tuple(info.filename for info in infos if stat.S_ISLNK(info.external_attr >> 16))

    def __contains__(self, name: str) -> bool:
        return name in self._infos

    def close(self) -> None:
        """Closes the archive."""
        self._zip.close()

    def names(self) -> list[str]:
        """All names that stay inside the archive."""
        return list(self._infos)

    def read(self, name: str) -> bytes:
        """The bytes of one file, b"" if there is none of that name; raises as the class."""
        info = self._infos.get(name)
        if info is None:
            return b""
        if is_encrypted(info):
            raise EncryptedError(f"'{self.name}' is protected with a password.", "Save it without one and add that.")
        limit = min(MAX_FILE, self._left, max(_FREE, MAX_RATIO * max(1, info.compress_size)))
        try:
            with self._zip.open(info) as file:
                data = file.read(limit + 1)
        except _UNREADABLE as error:
            raise InputError(
                f"'{self.name}' is damaged: '{info.filename[:80]}' in it cannot be read.",
                "Download or export the file again.",
            ) from error
        if len(data) > limit:
            raise LimitError(
                f"'{self.name}' unfolds to far more than a document has.",
                "It may be made to fill the memory; do not trust it.",
            )
        self._left -= len(data)
        return data


def opened(path: Path) -> closing[Zip]:
    """The archive, to be used in a `with` statement, at whose end it is closed."""
    return closing(Zip(path))


class Limited:
    """A stream that gives no more than `limit` bytes.

    Raises:
        LimitError: There is more (while reading).
    """

    def __init__(self, stream: IO[bytes], limit: int, name: str) -> None:
        self._stream = stream
        self._left = limit
        self._name = name

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most what is left and one more."""
        data = self._stream.read(self._left + 1 if size < 0 else min(size, self._left + 1))
        self._left -= len(data)
        if self._left < 0:
            raise LimitError(
                f"'{self._name}' unfolds to far more than a paper has.",
                "It may be made to fill the memory; do not trust it.",
            )
        return data


def tar_files(
    stream: IO[bytes], name: str, endings: tuple[str, ...], packed: int, links: list[str] | None = None
) -> dict[str, bytes | None]:
    """The plain files of a tar stream by name: their bytes where the ending is one of `endings`, else None.

    `packed` is the size of the file on disk. Links and names that lead out of the archive are passed over; the names of
    links are added to `links`.

    Raises:
        InputError: It is damaged.
        LimitError: It has too many files or unfolds to too much.
    """
    files: dict[str, bytes | None] = {}
    limited: Any = Limited(stream, most_unfolded(packed), name)
    try:
        with tarfile.open(fileobj=limited, mode="r|") as tar:
            for count, member in enumerate(tar):
                if count >= MAX_FILES:
                    raise LimitError(f"'{name}' has more than {MAX_FILES:,} files in it.", "Is it really one paper?")
                path = inside(member.name)
                if links is not None and (member.issym() or member.islnk()):
                    links.append(member.name)
                if not member.isreg() or not path:
                    continue
                is_wanted = path.lower().endswith(endings)
                if is_wanted and member.size > MAX_FILE:
                    raise LimitError(
                        f"'{name}' has a text of more than {MAX_FILE // 2**20} MB in it.", "Is it really a paper?"
                    )
                file = tar.extractfile(member) if is_wanted else None
                files[path] = file.read(MAX_FILE) if file else None
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError, OverflowError, RecursionError) as error:
        raise InputError(f"'{name}' is damaged: it is not a complete archive.", "Fetch it again.") from error
    return files


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
_UNPACK_IT = "Unpack it, and add what is in it."
_ZIP = ContentKind("a zip archive", _UNPACK_IT)
_ZIPPED = ContentKind("a zip archive that is neither a Word file nor an EPUB book")
_PICTURE = ContentKind("a picture", "Make a PDF of it, whose text can be recognised.")
_SIGNATURES: tuple[tuple[bytes, ContentKind], ...] = (
    (
        b"\x1f\x8b",
        ContentKind("packed with gzip", "Name it so: `paper.xml.gz`, or unpack it.", (".gz", ".tgz", ".tar")),
    ),
    (b"\xfd7zXZ\x00", ContentKind("packed with xz", _UNPACK_IT, (".xz", ".txz"))),
    (b"\x28\xb5\x2f\xfd", ContentKind("packed with zstd", _UNPACK_IT, (".zst",))),
    (b"7z\xbc\xaf\x27\x1c", ContentKind("a 7z archive", _UNPACK_IT, (".7z",))),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ContentKind("an old Word or Office file", "Save it as .docx or PDF.")),
    (b"{\\rtf", ContentKind("an RTF file", "Save it as .docx or PDF.")),
    (b"%!PS", ContentKind("PostScript", "Make a PDF of it, for example with `ps2pdf`.")),
    (b"\x89PNG\r\n\x1a\n", _PICTURE),
    (b"\xff\xd8\xff", _PICTURE),
    (b"II*\x00", _PICTURE),
    (b"MM\x00*", _PICTURE),
)
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
        return ContentKind("packed with bzip2", _UNPACK_IT, (".bz2",))
    return next((kind for signature, kind in _SIGNATURES if head.startswith(signature)), None)


def _packed_kind(path: Path) -> ContentKind:
    """Return what a zip archive is by the names in it."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {info.filename for info in archive.infolist()}
    except _UNREADABLE:
        names = set()
    if "word/document.xml" in names:
        return _WORD
    if "META-INF/container.xml" in names and "mimetype" in names:
        return _EPUB
    return _ZIP if path.suffix.lower() == ".zip" else _ZIPPED


def unread_format(root: str, head: bytes, suffix: str) -> ContentKind | None:
    """Return the kind of XML or JSON that a file is, if it is one that is known and not read."""
    if suffix.startswith(".json"):
        return _BIOC_KIND if _BIOC.search(head) else None
    return _MARC if b"MARC21/slim" in head and root in ("collection", "record") else FORMATS.get(root)
