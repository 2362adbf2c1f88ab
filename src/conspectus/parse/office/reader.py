"""One Word file as a paper."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from conspectus.core.errors import EmptyTextError
from conspectus.parse.archive import opened
from conspectus.parse.byline import LONGEST, read_byline
from conspectus.parse.concealed import hidden_notes
from conspectus.parse.fields import metadata_of
from conspectus.parse.identifiers import own_doi
from conspectus.parse.inline import finished
from conspectus.parse.office.package import Package, open_package
from conspectus.parse.office.walk import DocumentWalker
from conspectus.parse.people import without_contact
from conspectus.parse.web.front import without, without_apparatus
from conspectus.records import Author, Block, Figure, Metadata, ParsedPaper

_PLACE = re.compile(
    r"\b(?:Universit|Institut|Department|Faculty|School of|College|Laborator|Hospital|Academy|Cent(?:er|re) for)|@"
)
_CALLED = re.compile(r"\s*(?:doi\b|https?://(?:dx\.)?doi\.org)", re.I)
_TITLE_CHARS = 250


def read_docx(path: Path) -> ParsedPaper:
    """The paper of a Word file.

    Raises:
        InputError: It is no Word file, or damaged (also its subclasses: protected, too large, without text).
    """
    with opened(path) as archive:
        package = open_package(archive)
        walker = DocumentWalker(package)
        walker.walk(package.body)
    blocks = finished(walker.blocks, walker.references, walker.known)
    title = " ".join(walker.titles) or _bare_title(blocks, package)
    blocks, figures, authors, places = _without_byline(blocks, walker, title)
    metadata, warnings = _metadata(package, title, authors, places)
    doi = _own_doi(blocks)
    kept, shown, known = without_apparatus(blocks, figures, replace(metadata, keywords=()), title)
    if not kept and not metadata.title:
        raise EmptyTextError(
            f"'{path.name}' has no text in it.", "If its pages are pictures, recognise their text first."
        )
    hidden = tuple(text for text in walker.hidden if text.text.strip())
    return ParsedPaper(
        replace(known, keywords=known.keywords or metadata.keywords, doi=doi),
        kept,
        warnings=(*warnings, *hidden_notes(hidden), *walker.symbols.warnings),
        references=tuple(walker.references),
        figures=shown,
        hidden=hidden,
    )


def _bare_title(blocks: list[Block], package: Package) -> str:
    """The title of a text that marks none: what the properties say if it stands in front, else a short first line."""
    core = package.core.get("title", "")
    front = [block.text for block in blocks[:10]]
    if core and any(core.lower() == text.lower() for text in front):
        return core
    for i, block in enumerate(blocks[:3]):
        short = len(block.text) <= _TITLE_CHARS and not block.text.endswith((".", ":", ";", ","))
        if block.kind in ("paragraph", "heading") and short and len(block.text.split()) > 2 and len(blocks) > i + 1:
            return block.text
    return core


def _without_byline(
    blocks: list[Block], walker: DocumentWalker, title: str
) -> tuple[list[Block], list[Figure], tuple[Author, ...], tuple[str, ...]]:
    """The blocks without title, names and addresses, which stand before the first heading or the abstract."""
    named = [author for line in walker.authors for author in _authors_in(line)]
    places: list[str] = []
    drop: set[int] = set()
    for i, block in enumerate(blocks[:30]):
        if block.text == title and block.kind in ("paragraph", "heading"):
            drop.add(i)
        elif block.kind != "paragraph":
            break
        elif not named and (found := _authors_in(block.text)):
            named = found
            drop.add(i)
        elif len(block.text) > 600:
            break
        elif _PLACE.search(block.text) and len(block.text) < 300 and named:
            places.append(re.sub(r"^[\d⁰¹²³⁴⁵⁶⁷⁸⁹*†‡§\s]+", "", block.text))
            drop.add(i)
    kept, figures = without(blocks, walker.figures, drop)
    levels = [block.level for block in kept if block.level]
    rise = min(levels) - 1 if levels else 0
    kept = [replace(block, level=block.level - rise) if block.level else block for block in kept]
    affiliations = tuple(place for place in places if "@" not in place)
    one = affiliations if len(affiliations) == 1 else ()
    return kept, figures, tuple(replace(author, affiliations=one) for author in named), affiliations


def _authors_in(line: str) -> list[Author]:
    """The authors of a line that is nothing but names, else none."""
    line = without_contact(line)
    if len(line) > LONGEST or line.endswith(".") or _PLACE.search(line):
        return []
    named, left_over = read_byline(line)
    return [] if left_over else [one.author for one in named]


def _metadata(
    package: Package, title: str, authors: tuple[Author, ...], places: tuple[str, ...]
) -> tuple[Metadata, list[str]]:
    core = package.core
    attached = any(author.affiliations for author in authors)
    metadata, _, warnings = metadata_of(
        {
            "title": title,
            "keywords": re.sub(r",\s*", ";", core.get("keywords", "")),
            "affiliations": "" if attached else list(places) or "",
            "modified": core.get("modified", "")[:10],  # when it was saved is not when it came out
        }
    )
    if not authors:  # Word puts the name of an account here: taken only where it looks like somebody's
        authors = tuple(_authors_in(core.get("creator", "")))
    return replace(metadata, authors=authors), warnings


def _own_doi(blocks: list[Block]) -> str:
    """The DOI in front of the text that is called so."""
    front = (block.text for block in blocks[:8] if block.kind == "paragraph")
    return own_doi([text for text in front if _CALLED.match(text)])
