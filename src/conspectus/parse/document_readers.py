"""Readers of web pages, Word files, e-books and LaTeX: light classes whose work lies in modules of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conspectus.parse.protocol import Item


@dataclass(frozen=True, slots=True)
class HtmlReader:
    """Web pages: one file, one article."""

    name: str = "html"
    one_paper: bool = True
    suffixes: tuple[str, ...] = (".html", ".htm", ".xhtml")
    signatures: tuple[bytes, ...] = (b"<!doctype html", b"<!DOCTYPE html", b"<!DOCTYPE HTML", b"<html", b"<HTML")

    @property
    def version(self) -> int:
        """The version of the package for web pages."""
        from conspectus.parse.web import HTML_READER_VERSION

        return HTML_READER_VERSION

    def read(self, path: Path) -> Iterator[Item]:
        """The paper; as `protocol.Reader.read`."""
        from conspectus.parse.web.reader import read_html

        yield read_html(path)


@dataclass(frozen=True, slots=True)
class DocxReader:
    """Word files."""

    name: str = "docx"
    one_paper: bool = True
    suffixes: tuple[str, ...] = (".docx", ".docm")
    signatures: tuple[bytes, ...] = ()

    @property
    def version(self) -> int:
        """The version of the package for Word files."""
        from conspectus.parse.office import DOCX_READER_VERSION

        return DOCX_READER_VERSION

    def read(self, path: Path) -> Iterator[Item]:
        """The paper; as `protocol.Reader.read`."""
        from conspectus.parse.office.reader import read_docx

        yield read_docx(path)


@dataclass(frozen=True, slots=True)
class EpubReader:
    """E-books: one book, one paper."""

    name: str = "epub"
    one_paper: bool = True
    suffixes: tuple[str, ...] = (".epub",)
    signatures: tuple[bytes, ...] = ()

    @property
    def version(self) -> int:
        """The version of the module for e-books."""
        from conspectus.parse.epub import EPUB_READER_VERSION

        return EPUB_READER_VERSION

    def read(self, path: Path) -> Iterator[Item]:
        """The paper; as `protocol.Reader.read`."""
        from conspectus.parse.epub import read_epub

        yield read_epub(path)


@dataclass(frozen=True, slots=True)
class LatexReader:
    """The main file of a LaTeX document; what it inputs is looked for in its folder."""

    name: str = "latex"
    one_paper: bool = True
    suffixes: tuple[str, ...] = (".tex", ".ltx", ".latex")
    signatures: tuple[bytes, ...] = (b"\\documentclass", b"\\documentstyle")

    @property
    def version(self) -> int:
        """The version of the package for LaTeX."""
        from conspectus.parse.tex import LATEX_READER_VERSION

        return LATEX_READER_VERSION

    def accepts(self, head: bytes, suffix: str) -> bool:  # noqa: ARG002 - all of its endings are its own
        """Whether it is a main file; what others input is no paper."""
        return any(mark in head for mark in self.signatures)

    def read(self, path: Path) -> Iterator[Item]:
        """The paper; as `protocol.Reader.read`."""
        from conspectus.parse.tex.reader import read_tex

        yield read_tex(path)


@dataclass(frozen=True, slots=True)
class LatexArchiveReader:
    """The source of one paper as arXiv gives it: a tar archive, or one file, gzipped."""

    name: str = "latex-archive"
    one_paper: bool = True
    suffixes: tuple[str, ...] = (".tar.gz", ".tgz", ".tex.gz", ".tar")
    signatures: tuple[bytes, ...] = ()

    @property
    def version(self) -> int:
        """The version of the package for LaTeX."""
        from conspectus.parse.tex import LATEX_READER_VERSION

        return LATEX_READER_VERSION

    def accepts(self, head: bytes, suffix: str) -> bool:  # noqa: ARG002 - all of its endings are its own
        """Whether the first of what is packed speaks of LaTeX; archives of other things are no papers."""
        return b".tex" in head or any(mark in head for mark in LatexReader().signatures)

    def read(self, path: Path) -> Iterator[Item]:
        """The paper; as `protocol.Reader.read`."""
        from conspectus.parse.tex.reader import read_tex_archive

        yield read_tex_archive(path)
