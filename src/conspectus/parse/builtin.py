"""The readers built in: what the registry knows of each. What reads is imported when a file is read."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from conspectus.core.disk import open_file
from conspectus.core.patterns import lazy_pattern
from conspectus.parse.protocol import Item, Working

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
    "|message-type|recommendedPapers|citingPaper|citedPaper|citation-key"
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
        return _one(read, path) if self.one_paper else read(path)


def _function(name: str) -> Callable[[Any], Any]:
    module, _, function = name.partition(":")
    found: Callable[[Any], Any] = getattr(import_module(f"conspectus.parse.{module}"), function)
    return found


def _one(read: Callable[[Path], Any], path: Path) -> Iterator[Item]:
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
    def ordered(cls, order: str) -> GrobidReader:
        """The reader of an `order`."""
        _, seconds, patience, url = order.split(" ", 3)
        return cls(url, float(seconds), float(patience))

    def read(self, path: Path) -> Iterator[Item]:
        """The paper; as `protocol.Reader.read`, and ServiceError where the server is away or refuses."""
        from conspectus.parse.grobid import Grobid

        yield Grobid(self.url, self.seconds, self.patience).read(path)


def _records(
    name: str,
    suffixes: tuple[str, ...],
    head: str = "",
    roots: tuple[str, ...] = (),
    recognise: str = "",
    home: tuple[str, ...] = (),
) -> FileReader:
    """The reader of a bibliography, which is the module of its name."""
    module, pattern = f"bibliography.{name}", lazy_pattern(head, re.S) if head else None
    known = f"{module}:{recognise}" if recognise else ""
    return FileReader(name, suffixes, f"{module}:read", 3, False, (), roots, pattern, known, home)


_PUBMED_ROOTS = (
    *("PubmedArticleSet", "PubmedArticle", "MedlineCitation"),
    *("PubmedBookArticleSet", "PubmedBookArticle", "BookDocument"),
)
BIBLIOGRAPHIES = (
    _records("bibtex", (".bib", ".bibtex", ".bib.gz", ".txt", ".text"), recognise="is_bibtex"),
    _records("ris", TAGGED_SUFFIXES, recognise="is_ris", home=(".ris", ".ris.gz")),
    _records("medline", TAGGED_SUFFIXES, recognise="is_medline", home=(".nbib", ".nbib.gz", ".medline")),
    _records("tagged", TAGGED_SUFFIXES, recognise="is_tagged", home=(".enw", ".ciw", ".refer")),
    _records(
        "json",
        (".json", ".json.gz"),
        rf"\A(?:(?:\xef\xbb\xbf)?\s*(?:\[\s*(?:null\s*,\s*)*)?\{{.*\"(?:{_JSON_KEYS})\"\s*:|\s*\[\s*\]\s*$)",
    ),
    _records("pubmed", XML_SUFFIXES, roots=_PUBMED_ROOTS),
    _records("atom", (".atom", *XML_SUFFIXES), roots=("feed",)),
    _records("endnote", XML_SUFFIXES, r"<xml>\s*<records>", roots=("xml",)),
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
    FileReader("jats", (*XML_SUFFIXES, ".nxml", ".nxml.gz"), "markup.jats:read_jats", 3, roots=("article",)),
    TEI,
    FileReader("jsonl", (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"), "recordfile:read_json_lines", 5, False),
    FileReader(
        "table",
        (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".txt", ".text"),
        "bibliography.table:read_table",
        5,
        one_paper=False,
        recognise="bibliography.table:is_export",
    ),
    *BIBLIOGRAPHIES,
    FileReader(
        "jats-set",
        (*XML_SUFFIXES, ".nxml", ".nxml.gz"),
        "markup.xml_harvest:read_wrapped",
        3,
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
