"""RIS, as reference managers import it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from conspectus.export.people import escape_name_commas, parts, people, text
from conspectus.parse.bibliography.kinds import kind_in
from conspectus.records import Author, Paper

_TAGS = (
    ("volume", "VL"),
    ("number", "IS"),
    ("publisher", "PB"),
    ("address", "CY"),
    ("edition", "ET"),
    ("series", "T3"),
    ("issn", "SN"),
    ("isbn", "SN"),
    ("language", "LA"),
    ("pmcid", "C2"),
    ("section", "SE"),
    ("medium", "M3"),
    ("note", "N1"),
)
_OWN_KIND = re.compile(r"[A-Z][A-Z0-9]{2,7}")
_RANGE = re.compile(r"([^\s-]+)-([^\s-]+)")


def record(paper: Paper, files: Sequence[str] = ()) -> str:
    """The paper as a record, an empty line behind it."""
    lines = [f"{tag}  - {value}" for tag, value in _lines(paper, files) if value]
    return "\n".join(lines) + "\nER  - \n\n"


def _lines(paper: Paper, files: Sequence[str]) -> Iterator[tuple[str, str]]:
    extra = paper.extra
    yield "TY", _kind(paper)
    yield "ID", paper.external_id
    yield "TI", paper.title
    yield from (("AU", person(author)) for author in paper.authors)
    yield from (("ED", person(Author(name))) for name in people(extra.get("editor")))
    yield "T2", paper.venue
    yield "PY", str(paper.year or "")
    yield (
        "DA",
        (paper.date.replace("-", "/") + "///")[: len(paper.date) + 3 - paper.date.count("-")] if paper.date else "",
    )
    yield from ((tag, " ".join(text(extra.get(name)).split())) for name, tag in _TAGS)
    yield from _pages(text(extra.get("pages")))
    yield "DO", paper.doi
    yield "AN", f"arXiv:{paper.arxiv_id}" if paper.arxiv_id else ""
    yield "AN", f"PMID:{paper.pmid}" if paper.pmid else ""
    yield "UR", "".join(paper.url.split())
    yield from (("KW", word) for word in paper.keywords)
    yield "AB", paper.abstract.replace("\n\n", "\n\n ")
    yield from (("L1", path) for path in files)


def person(author: Author) -> str:
    """`Family, Given, Suffix`, or the whole name where its parts are not known."""
    return ", ".join(filter(None, parts(author))) or escape_name_commas(author.name)


def _kind(paper: Paper) -> str:
    kind = str(paper.extra.get("type", ""))
    known = kind_in(kind, "ris") or ("" if kind else "JOUR" if paper.venue else "GEN")
    return known or (kind if _OWN_KIND.fullmatch(kind) else "GEN")


def _pages(pages: str) -> Iterator[tuple[str, str]]:
    match = _RANGE.fullmatch(pages)
    yield "SP", match[1] if match else pages
    yield "EP", match[2] if match else ""
