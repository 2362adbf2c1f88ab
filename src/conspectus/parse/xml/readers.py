"""The readers of XML, light: what parses is imported when a file is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conspectus.parse.protocol import Item


@dataclass(frozen=True, slots=True)
class JatsReader:
    """An article in JATS."""

    name: str = "jats"
    one_paper: bool = True
    version: int = 1
    suffixes: tuple[str, ...] = (".xml", ".nxml", ".xml.gz", ".nxml.gz")
    signatures: tuple[bytes, ...] = ()

    def read(self, path: Path) -> Iterator[Item]:
        """The paper; as `protocol.Reader.read`."""
        from conspectus.parse.xml.jats import read_jats

        yield read_jats(path)


@dataclass(frozen=True, slots=True)
class JatsSetReader:
    """Articles in JATS, as many as PMC sends at once."""

    name: str = "jats-set"
    one_paper: bool = False
    version: int = 1
    suffixes: tuple[str, ...] = (".xml", ".nxml", ".xml.gz", ".nxml.gz")
    signatures: tuple[bytes, ...] = ()

    def read(self, path: Path) -> Iterator[Item]:
        """The papers, one after another; as `protocol.Reader.read`."""
        from conspectus.parse.xml.jats import read_articles

        yield from read_articles(path)


@dataclass(frozen=True, slots=True)
class TeiReader:
    """A paper in TEI, from GROBID or by hand."""

    name: str = "tei"
    one_paper: bool = True
    version: int = 1
    suffixes: tuple[str, ...] = (".xml", ".tei", ".xml.gz", ".tei.gz")
    signatures: tuple[bytes, ...] = ()

    def read(self, path: Path) -> Iterator[Item]:
        """The paper; as `protocol.Reader.read`."""
        from conspectus.parse.xml.tei import read_tei

        yield read_tei(path)
