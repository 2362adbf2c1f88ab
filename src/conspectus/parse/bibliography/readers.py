"""What the registry knows of the readers of bibliographies; the modules that read are imported when they do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from conspectus.parse.protocol import Item

_JSON_KEYS = (
    "title|DOI|doi|paperId|externalIds|authorships|abstract_inverted_index|bibcode|container-title|responseHeader"
    "|message-type|recommendedPapers|citingPaper|citedPaper|citation-key"
)
_COMMENTS = r"(?>(?><!--.*?-->)\s*+)*+"
_XML_START = rf"(?:\xef\xbb\xbf)?\s*+(?><\?xml.*?\?>\s*+)?+{_COMMENTS}(?:<!DOCTYPE[^>\[]*+>\s*+)?+{_COMMENTS}"


@dataclass(frozen=True, slots=True)
class BibliographyReader:
    """A list of records without full text, read by the module `name` of this folder.

    `head` is a pattern that the beginning of such a file has; files whose ending others have too are told by it.
    """

    name: str
    suffixes: tuple[str, ...]
    head: str = ""
    version: int = 1
    one_paper: bool = False
    signatures: tuple[bytes, ...] = ()

    def accepts(self, head: bytes, suffix: str) -> bool:
        """Whether a file with this ending and these first bytes is one of these."""
        own = suffix not in SHARED
        return own or re.match(self.head.encode("latin-1"), head, re.S) is not None

    def read(self, path: Path) -> Iterator[Item]:
        """The papers and bad records, in order; as `protocol.Reader.read`."""
        items: Iterator[Item] = import_module(f"conspectus.parse.bibliography.{self.name}").read(path)
        return items


SHARED = frozenset({".txt", ".xml", ".xml.gz", ".json", ".json.gz"})
"""Endings that say little about what is in a file."""

BIBLIOGRAPHIES = (
    BibliographyReader("bibtex", (".bib", ".bibtex", ".bib.gz")),
    BibliographyReader("ris", (".ris", ".ris.gz", ".txt"), r"(?:\xef\xbb\xbf)?\s*TY  ?- \w"),
    BibliographyReader("medline", (".nbib", ".medline", ".nbib.gz", ".txt"), r"(?:\xef\xbb\xbf)?\s*PMID- *\d"),
    BibliographyReader(
        "json",
        (".json", ".json.gz"),
        rf"(?:\xef\xbb\xbf)?\s*(?:\[\s*(?:null\s*,\s*)*)?\{{.*\"(?:{_JSON_KEYS})\"\s*:|\s*\[\s*\]\s*$",
    ),
    BibliographyReader(
        "pubmed", (".xml", ".xml.gz"), _XML_START + r"<(?:PubmedArticleSet|PubmedArticle|MedlineCitation)\b"
    ),
    BibliographyReader("atom", (".atom", ".xml", ".xml.gz"), _XML_START + r"<(?:\w+:)?feed\b"),
    BibliographyReader("endnote", (".xml", ".xml.gz"), _XML_START + r"<xml>\s*<records>"),
)
"""The readers, in the order in which they are asked."""
