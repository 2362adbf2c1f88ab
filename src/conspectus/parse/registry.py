"""Which reader reads which file: those built in, and those that installed packages bring (`protocol.Reader`)."""

from __future__ import annotations

import gzip
import logging
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from conspectus.core import packages
from conspectus.core.disk import open_file
from conspectus.core.errors import InputError, UnavailableError
from conspectus.core.text import lazy_pattern
from conspectus.parse.files.streams import ContentKind, content_kind, unread_format
from conspectus.parse.protocol import Item, Reader, Working

XML_SUFFIXES = (".xml", ".xml.gz")
"""Endings that say nothing of what kind of XML it is."""
_PACKED = (".tar.gz", ".tgz", ".tex.gz", ".tar")
TAGGED_SUFFIXES = (".ris", ".ris.gz", ".nbib", ".nbib.gz", ".medline", ".enw", ".ciw", ".refer", ".txt", ".text")
"""Endings under which programs write any kind of tagged text."""
ASKED = frozenset(
    {".json", ".json.gz", ".nxml", ".nxml.gz", ".tei", ".tei.gz", ".tex", ".ltx", ".latex"}
    | {*XML_SUFFIXES, *_PACKED, *TAGGED_SUFFIXES}
)
"""Endings that say too little of what is in a file."""

_JSON_KEYS = (
    "title|itemType|DOI|doi|paperId|externalIds|authorships|abstract_inverted_index|bibcode|container-title|responseHeader"
    "|message-type|resultList|recommendedPapers|citingPaper|citedPaper|citation-key"
)
HEAD_BYTES = 1 << 16
_NAME = re.compile(r"<(?:[\w.-]+:)?(?P<name>[A-Za-z_][\w.-]*)")
_SKIPPED = (("<?", "?>"), ("<!--", "-->"))
_SUBSET_END = re.compile(r"\]\s*>")


@dataclass(frozen=True, slots=True)
class FileReader:
    """A reader of files with some endings.

    Attributes:
        function: the module below `conspectus.parse`, and its function that reads a file: it gives the paper, or the
            items where a file is not `one_paper`.
        version: raised whenever the same file may come to be read otherwise.
        roots: what the first element of such a file may be, where its ending says too little.
        head: what its first bytes have in them, likewise.
        recognise: the module below `conspectus.parse`, and its function that tells by the beginning of a text whether
            it is of these, whatever the file is called.
        home: the endings whose files are left to it where no reader recognises what is in them.
    """

    name: str
    suffixes: tuple[str, ...]
    function: str
    version: int = 1
    one_paper: bool = True
    signatures: tuple[bytes, ...] = ()
    roots: tuple[str, ...] = ()
    head: re.Pattern[str] | None = None
    recognise: str = ""
    home: tuple[str, ...] = ()

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Whether a file with this ending and these first bytes is one of these."""
        if suffix not in ASKED:
            return True
        if self.recognise:
            return self.recognises(head)
        rooted = not self.roots or root_name(head) in self.roots
        encoding = "utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "latin-1"
        return rooted and (self.head is None or self.head.search(head.decode(encoding, "replace")) is not None)

    def recognises(self, head: bytes) -> bool:
        """Whether these first bytes are, whatever the file is called, of a text of this kind."""
        return bool(self.recognise) and bool(_function(self.recognise)(text_of(head)))

    def read(self, path: Path) -> Iterator[Item]:
        """The papers and bad records, in order; as `protocol.Reader.read`."""
        read = _function(self.function)
        return _yield_paper(read, path) if self.one_paper else read(path)


def _function(name: str) -> Callable[[Any], Any]:
    module, _, function = name.partition(":")
    target: Callable[[Any], Any] = getattr(import_module(f"conspectus.parse.{module}"), function)
    return target


def _yield_paper(read: Callable[[Path], Any], path: Path) -> Iterator[Item]:
    yield read(path)


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
        from conspectus.parse.pdf.reader import read_pdf_steps

        return read_pdf_steps(path, ocr=self.ocr)


TEI = FileReader("tei", (*XML_SUFFIXES, ".tei", ".tei.gz"), "markup.tei:read_tei", 2, roots=("TEI", "TEI.2"))


@dataclass(frozen=True, slots=True)
class GrobidReader:
    """PDF files, read by a GROBID server. Chosen by a setting and not by the file."""

    url: str = ""
    seconds: float = 120.0
    patience: float = 300.0
    name: str = "grobid"
    one_paper: bool = True
    version: int = TEI.version
    suffixes: tuple[str, ...] = (".pdf",)
    signatures: tuple[bytes, ...] = (b"%PDF-",)

    @property
    def order(self) -> str:
        """The reader's name with all that a child process needs to know; as `ordered` reads it."""
        return f"{self.name} {self.seconds} {self.patience} {self.url}"

    @classmethod
    def from_order(cls, order: str) -> GrobidReader:
        """The reader of an `order`."""
        _, seconds, patience, url = order.split(" ", 3)
        return cls(url, float(seconds), float(patience))

    def read(self, path: Path) -> Iterator[Item]:
        """The paper; as `protocol.Reader.read`, and ServiceError where the server is away or refuses."""
        from conspectus.parse.files.grobid import Grobid

        yield Grobid(self.url, self.seconds, self.patience).read(path)


def _records(
    name: str,
    suffixes: tuple[str, ...],
    function: str = "read",
    head: str = "",
    roots: tuple[str, ...] = (),
    recognise: str = "",
    home: tuple[str, ...] = (),
    module: str = "",
) -> FileReader:
    """The reader of a bibliography, a `function` of a `module`, by default that of its name."""
    module, pattern = f"bibliography.{module or name}", lazy_pattern(head, re.S) if head else None
    known = f"{module}:{recognise}" if recognise else ""
    version = _VERSIONS.get(name, 3)
    return FileReader(name, suffixes, f"{module}:{function}", version, False, (), roots, pattern, known, home)


_VERSIONS = {"tagged": 4, "json": 4, "pubmed": 4, "atom": 4}
_PUBMED_ROOTS = (
    *("PubmedArticleSet", "PubmedArticle", "MedlineCitation"),
    *("PubmedBookArticleSet", "PubmedBookArticle", "BookDocument"),
)
BIBLIOGRAPHIES = (
    _records("bibtex", (".bib", ".bibtex", ".bib.gz", ".txt", ".text"), recognise="is_bibtex"),
    _records("ris", TAGGED_SUFFIXES, recognise="is_ris", home=(".ris", ".ris.gz")),
    _records(
        "medline",
        TAGGED_SUFFIXES,
        "read_medline",
        module="tagged_text",
        recognise="is_medline",
        home=(".nbib", ".nbib.gz", ".medline"),
    ),
    _records("tagged", TAGGED_SUFFIXES, module="tagged_text", recognise="is_tagged", home=(".enw", ".ciw", ".refer")),
    _records(
        "json",
        (".json", ".json.gz", ".txt", ".text"),
        head=rf"\A(?:(?:\xef\xbb\xbf)?\s*(?:\[\s*(?:null\s*,\s*)*)?\{{.*\"(?:{_JSON_KEYS})\"\s*:|\s*\[\s*\]\s*$)",
    ),
    _records("pubmed", (*XML_SUFFIXES, ".txt", ".text"), "read_pubmed", module="xml_lists", roots=_PUBMED_ROOTS),
    _records("atom", (".atom", *XML_SUFFIXES), "read_atom", module="xml_lists", roots=("feed",)),
    _records(
        "endnote",
        (*XML_SUFFIXES, ".txt", ".text"),
        "read_endnote",
        module="xml_lists",
        head=r"<xml>\s*<records>",
        roots=("xml",),
    ),
)
"""The readers of lists of records without full text, in the order in which they are asked."""

BUILT_IN = (
    PdfReader(),
    FileReader(
        "html",
        (".html", ".htm", ".xhtml"),
        "markup.page:read_html",
        8,
        signatures=(b"<!doctype html", b"<!DOCTYPE html", b"<!DOCTYPE HTML", b"<html", b"<HTML"),
    ),
    FileReader("docx", (".docx", ".docm"), "markup.word:read_docx", 4),
    FileReader("epub", (".epub",), "markup.epub:read_epub", 6),
    FileReader(
        "latex",
        (".tex", ".ltx", ".latex"),
        "markup.latex:read_tex",
        6,
        signatures=(b"\\documentclass", b"\\documentstyle"),
        head=re.compile(r"\\document(?:class|style)"),
    ),
    FileReader(
        "latex-archive",
        _PACKED,
        "markup.latex:read_tex_archive",
        6,
        head=re.compile(r"\.tex|\\document(?:class|style)"),
    ),
    FileReader(
        "jats", (*XML_SUFFIXES, ".nxml", ".nxml.gz", ".txt", ".text"), "markup.jats:read_jats", 4, roots=("article",)
    ),
    TEI,
    FileReader(
        "jsonl", (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"), "bibliography.records:read_json_lines", 5, False
    ),
    FileReader(
        "table",
        (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".txt", ".text"),
        "bibliography.table:read_table",
        7,
        one_paper=False,
        recognise="bibliography.table:is_export",
    ),
    *BIBLIOGRAPHIES,
    FileReader(
        "jats-set",
        (*XML_SUFFIXES, ".nxml", ".nxml.gz", ".txt", ".text"),
        "markup.jats:read_wrapped",
        4,
        one_paper=False,
        head=re.compile(
            r"<(?:[\w.-]+:)?(?:OAI-PMH|pmc-articleset|(?:List|Get)Record|dc[\s>]"
            r"|article(?:\s[^<>]*+)?>\s*+<(?:[\w.-]+:)?(?:front|processing-meta)\b)"
        ),
    ),
    FileReader("markdown", (".md", ".markdown"), "markup.markdown:read_markdown", 6),
    FileReader("text", (".txt", ".text"), "markup.markdown:read_plain", home=(".txt", ".text")),
)


def head_of(path: Path) -> bytes:
    """The first bytes of a file, unpacked if its name ends in `.gz`; none where it cannot be read."""
    try:
        if not path.is_file():  # a named pipe would wait for ever
            return b""
        with open_file(path) as file:
            if not path.name.lower().endswith((".gz", ".tgz")):
                return file.read(HEAD_BYTES)
            with gzip.GzipFile(fileobj=file) as packed:
                return packed.read(HEAD_BYTES)
    except (OSError, EOFError, zlib.error):
        return b""


def root_name(head: bytes) -> str:
    """The local name of the first element in the first bytes of a file (`article`), or "" where that is no XML."""
    text = text_of(head).lstrip("\ufeff \t\r\n")
    while text.startswith(("<?", "<!")):
        text = _after_prolog(text).lstrip()
    match = _NAME.match(text)
    return match["name"] if match else ""


def text_of(head: bytes) -> str:
    """The first bytes of a file as text: UTF-16 if they say so, else UTF-8."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return head.decode("utf-16", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return head.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def _after_prolog(text: str) -> str:
    """What comes after the declaration, comment or document type that `text` begins with."""
    for begin, end in _SKIPPED:
        if text.startswith(begin):
            return text.partition(end)[2]
    close, bracket = text.find(">"), text.find("[")
    if 0 <= bracket < close:
        match = _SUBSET_END.search(text, bracket)
        return text[match.end() :] if match else ""
    return text[close + 1 :] if close >= 0 else ""


WITH_OCR = PdfReader(ocr=True)
_MAY_BE_UNREAD = (*XML_SUFFIXES, ".json", ".json.gz")


@lru_cache
def readers() -> tuple[Reader, ...]:
    """All readers. Those of packages come first, so that one may take what a reader here would read otherwise.

    One that cannot be loaded or used, or has the name of another, is left out, which is logged: the others read on.
    """
    reader_by_name: dict[str, Reader] = {}
    built_in_names = {reader.name for reader in (*BUILT_IN, WITH_OCR)}
    for point in packages.offered("readers", {}).values():
        try:
            reader: Reader = packages.make(point)
            _check(reader)
            if reader.name in built_in_names or reader.name in reader_by_name:
                raise UnavailableError(f"There is another reader '{reader.name}'.")
        except Exception as error:  # noqa: BLE001 - whatever a package of somebody else does
            log = logging.getLogger("conspectus")
            log.warning("The reader '%s' (%s) is left out. %s", point.name, packages.package(point), error)
        else:
            reader_by_name[reader.name] = reader
    return (*reader_by_name.values(), *BUILT_IN)


def _check(reader: Reader) -> None:
    """See that a reader says of itself what is asked of all when a file of any kind is added.

    Raises:
        UnavailableError: it does not.
    """
    right = {
        "name": isinstance(reader.name, str) and reader.name.strip() and "/" not in reader.name,
        "version": isinstance(reader.version, int),
        "suffixes": _are(reader.suffixes, str)
        and all(suffix[0] == "." and suffix == suffix.lower() for suffix in reader.suffixes),
        "signatures": _are(reader.signatures, bytes),
        "read": callable(reader.read),
    }
    if wrong := [f"'{name}'" for name, fits in right.items() if not fits]:
        raise UnavailableError(f"Its {', '.join(wrong)} cannot be used: see `conspectus.parse.protocol.Reader`.")


def _are(values: object, kind: type) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, kind) and value for value in values)


def reader_for(path: Path, *, ocr: bool = False) -> Reader:
    """The reader of the file: by its ending, else by its first bytes. With `ocr` pages that are pictures are read too.

    A file that only one reader could mean is left to it, also where it does not look like one: it says what is wrong.

    Raises:
        InputError: No reader knows it; the hint names the kinds that are known.
    """
    reader = _reader(path)
    if reader is None:
        choices, suffix = _sharing(path)
        if len(choices) == 1:
            return choices[0]
        what = "is of a kind that cannot be read"
        if suffix in XML_SUFFIXES:
            root = root_name(head_of(path))
            what = f"is XML of a kind that cannot be read: its first element is <{root[:60]}>" if root else "is not XML"
        raise InputError(f"'{path.name}' {what}.", _known_endings())
    if isinstance(reader, ContentKind):
        raise InputError(f"'{path.name}' is {reader.name}, which is not read.", reader.remedy or _known_endings())
    return WITH_OCR if ocr and isinstance(reader, PdfReader) else reader


def _known_endings() -> str:
    known = dict.fromkeys(suffix for reader in readers() for suffix in reader.suffixes)
    return f"These can be read: {' '.join(known)}"


def supported(path: Path) -> bool:
    """Whether some reader knows the file."""
    reader = _reader(path)
    return reader is not None and (not isinstance(reader, ContentKind) or bool(_sharing(path)[0]))


def is_one_paper(path: Path) -> bool:
    """Whether some reader knows the file, and reads one paper of it."""
    reader = _reader(path)
    return reader is not None and not isinstance(reader, ContentKind) and reader.one_paper


def get_reader(name: str) -> Reader:
    """The reader called `name`, which may be the order of one that works elsewhere.

    Raises:
        InputError: There is none.
    """
    if name.startswith("grobid "):
        return GrobidReader.from_order(name)
    for reader in (*readers(), WITH_OCR):
        if reader.name == name:
            return reader
    raise InputError(f"There is no reader '{name}'.", f"There are: {', '.join(reader.name for reader in readers())}")


def _reader(path: Path) -> Reader | ContentKind | None:
    """Return the reader of the longest ending, of those that share it the first that accepts the file's first bytes.

    A file whose ending nobody has, or whose bytes say that it is something else, is known by its bytes: what it is if
    that is not read. The endings of readers from packages are left to these.
    """
    choices, suffix = _sharing(path)
    if all(reader in BUILT_IN for reader in choices):
        kind = content_kind(path)
        if kind is not None and not (choices and {path.suffix.lower(), suffix} & set(kind.endings)):
            return _sharing(Path(f"_{kind.reader}"))[0][0] if kind.reader else kind
        if suffix in _MAY_BE_UNREAD and (kind := unread_format(root_name(head := head_of(path)), head, suffix)):
            return kind
    if not choices:
        return reader_of_bytes(head_of(path))
    head = head_of(path)
    if not any(_asks(reader, suffix) for reader in choices):
        reader = choices[0]
        if isinstance(reader, FileReader) and (reader.recognise or reader.name == "markdown"):
            return reader if reader.recognises(head) else reader_of_text(head) or reader
        return reader
    accepting = next((reader for reader in choices if _accepts(reader, head, suffix)), None)
    return accepting or reader_of_text(head) or _at_home(choices, suffix)


def _at_home(choices: list[Reader], suffix: str) -> Reader | None:
    """The reader to which a file of this ending is left where nothing in it is recognised: it says what is wrong."""
    return next((reader for reader in choices if suffix in getattr(reader, "home", ())), None)


def _asks(reader: Reader, suffix: str) -> bool:
    """Whether a reader looks at the first bytes of a file of this ending."""
    return suffix in ASKED if isinstance(reader, FileReader) else hasattr(reader, "accepts")


def _accepts(reader: Reader, head: bytes, suffix: str) -> bool:
    """Whether it has nothing against a file of its ending. One that fails is not asked to read: the next is asked."""
    accepts = getattr(reader, "accepts", None)
    try:
        return accepts is None or bool(accepts(head, suffix))
    except Exception as error:  # a package's, in this process
        if reader in BUILT_IN:
            raise
        _log_failure(reader.name, f"{type(error).__name__}: {error}")
        return False


@lru_cache
def _log_failure(name: str, why: str) -> None:
    """Log it once."""
    logging.getLogger("conspectus").warning("The reader '%s' cannot say whether it reads a file: %s.", name, why)


def _sharing(path: Path) -> tuple[list[Reader], str]:
    """The readers with the longest ending that the name has, and that ending."""
    name = path.name.lower()
    fitting = [(suffix, reader) for reader in readers() for suffix in reader.suffixes if name.endswith(suffix)]
    longest = max((suffix for suffix, _ in fitting), key=len, default="")
    return [reader for suffix, reader in fitting if suffix == longest], longest


def reader_of_text(head: bytes) -> Reader | None:
    """The reader of records that recognises the beginning of a text, whatever the file is called."""
    return next((reader for reader in readers() if isinstance(reader, FileReader) and reader.recognises(head)), None)


def reader_of_bytes(head: bytes) -> Reader | None:
    """The reader of papers whose files begin so, where they have a beginning of their own."""
    for reader in readers():
        if reader.signatures and head.startswith(reader.signatures):
            return reader
        if isinstance(reader, FileReader) and reader.recognises(head):
            return reader
    return None
