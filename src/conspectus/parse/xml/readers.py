"""The readers of XML, light: what parses is imported when a file is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conspectus.parse.protocol import Item
from conspectus.parse.xml.sniff import root_name

JATS_VERSION = 2
TEI_VERSION = 1
"""Raised whenever the same file may come to be read otherwise."""

XML_SUFFIXES = (".xml", ".xml.gz")
"""Endings that say nothing of what kind of XML it is."""


@dataclass(frozen=True, slots=True)
class JatsReader:
    """An article in JATS."""

    name: str = "jats"
    one_paper: bool = True
    version: int = JATS_VERSION
    suffixes: tuple[str, ...] = (*XML_SUFFIXES, ".nxml", ".nxml.gz")
    signatures: tuple[bytes, ...] = ()

    def accepts(self, head: bytes, suffix: str) -> bool:  # noqa: ARG002 - no ending says which XML it is
        """Whether XML that begins so is one of these."""
        return root_name(head) in ("article",)

    def read(self, path: Path) -> Iterator[Item]:
        """The paper; as `protocol.Reader.read`."""
        from conspectus.parse.xml.jats import read_jats

        yield read_jats(path)


@dataclass(frozen=True, slots=True)
class JatsSetReader:
    """Articles in JATS, as many as PMC sends at once."""

    name: str = "jats-set"
    one_paper: bool = False
    version: int = JATS_VERSION
    suffixes: tuple[str, ...] = (*XML_SUFFIXES, ".nxml", ".nxml.gz")
    signatures: tuple[bytes, ...] = ()

    def accepts(self, head: bytes, suffix: str) -> bool:  # noqa: ARG002 - no ending says which XML it is
        """Whether XML that begins so is one of these."""
        return root_name(head) in ("pmc-articleset",)

    def read(self, path: Path) -> Iterator[Item]:
        """The papers, one after another; as `protocol.Reader.read`."""
        from conspectus.parse.xml.jats import read_articles

        yield from read_articles(path)


@dataclass(frozen=True, slots=True)
class TeiReader:
    """A paper in TEI, from GROBID or by hand."""

    name: str = "tei"
    one_paper: bool = True
    version: int = TEI_VERSION
    suffixes: tuple[str, ...] = (*XML_SUFFIXES, ".tei", ".tei.gz")
    signatures: tuple[bytes, ...] = ()

    def accepts(self, head: bytes, suffix: str) -> bool:  # noqa: ARG002 - no ending says which XML it is
        """Whether XML that begins so is one of these."""
        return root_name(head) in ("TEI", "TEI.2")

    def read(self, path: Path) -> Iterator[Item]:
        """The paper; as `protocol.Reader.read`."""
        from conspectus.parse.xml.tei import read_tei

        yield read_tei(path)


@dataclass(frozen=True, slots=True)
class GrobidReader:
    """PDF files, read by a GROBID server. Chosen by a setting and not by the file."""

    url: str = ""
    seconds: float = 120.0
    patience: float = 300.0
    name: str = "grobid"
    one_paper: bool = True
    version: int = TEI_VERSION
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
