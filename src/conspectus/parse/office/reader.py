"""One Word file as a paper."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from conspectus.errors import EmptyTextError
from conspectus.parse.archive import opened
from conspectus.parse.concealed import hidden_notes
from conspectus.parse.fields import metadata_of
from conspectus.parse.identifiers import find_doi
from conspectus.parse.inline import resolved
from conspectus.parse.office.package import Package, open_package
from conspectus.parse.office.walk import DocumentWalker
from conspectus.parse.people import author_named, without_contact
from conspectus.parse.web.front import without, without_front, without_keywords
from conspectus.parse.web.walk import levelled
from conspectus.records import Author, Block, Figure, Metadata, ParsedPaper

_APART = re.compile(r"(?<!\s)\s*+(?:,|;|&|\band\b|\bund\b|\bet\b)\s*+")
_SIGNS = re.compile(r"(?<![\d⁰¹²³⁴⁵⁶⁷⁸⁹*†‡§¶,\s])[\d⁰¹²³⁴⁵⁶⁷⁸⁹*†‡§¶,\s]++$")
_NAME = re.compile(r"(?:[^\W\d_][\w.'’-]*+\s++){1,4}[^\W\d_][\w.'’-]*+")
_PLACE = re.compile(
    r"\b(?:Universit|Institut|Department|Faculty|School of|College|Laborator|Hospital|Academy|Cent(?:er|re) for)|@"
)
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
    order = [reference.key for reference in walker.references]
    blocks = list(levelled([resolved(block, walker.known.get, order) for block in walker.blocks]))
    title = " ".join(walker.titles) or _bare_title(blocks, package)
    blocks, figures, authors, places = _without_byline(blocks, walker, title)
    metadata, warnings = _metadata(package, title, authors, places)
    blocks, figures = without_front(blocks, figures, metadata, title)
    blocks, figures, keywords = without_keywords(blocks, figures)
    if not blocks and not metadata.title:
        raise EmptyTextError(
            f"'{path.name}' has no text in it.", "If its pages are pictures, recognise their text first."
        )
    abstract = "\n\n".join(block.text for block in blocks if block.kind == "abstract")
    metadata = replace(
        metadata,
        abstract=abstract,
        keywords=keywords or metadata.keywords,
        references=tuple(reference.text for reference in walker.references),
        doi=_own_doi(blocks),
    )
    hidden = tuple(text for text in walker.hidden if text.text.strip())
    return ParsedPaper(
        metadata,
        tuple(blocks),
        warnings=(*warnings, *hidden_notes(hidden)),
        references=tuple(walker.references),
        figures=tuple(figures),
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
    names = [name for line in walker.authors for name in author_names(line)]
    places: list[str] = []
    drop: set[int] = set()
    for i, block in enumerate(blocks[:30]):
        if block.text == title and block.kind in ("paragraph", "heading"):
            drop.add(i)
        elif block.kind != "paragraph" or len(block.text) > 600:
            break
        elif not names and (found := author_names(block.text)):
            names = found
            drop.add(i)
        elif _PLACE.search(block.text) and len(block.text) < 300 and names:
            places.append(re.sub(r"^[\d⁰¹²³⁴⁵⁶⁷⁸⁹*†‡§\s]+", "", block.text))
            drop.add(i)
    kept, figures = without(blocks, walker.figures, drop)
    levels = [block.level for block in kept if block.level]
    rise = min(levels) - 1 if levels else 0
    kept = [replace(block, level=block.level - rise) if block.level else block for block in kept]
    affiliations = tuple(place for place in places if "@" not in place)
    one = affiliations if len(affiliations) == 1 else ()
    return kept, figures, tuple(replace(author_named(name), affiliations=one) for name in names), affiliations


def author_names(line: str) -> list[str]:
    """The names in a line that is nothing but names, else none."""
    line = without_contact(line)
    if len(line) > 600 or line.endswith(".") or _PLACE.search(line):
        return []
    parts = [_SIGNS.sub("", part).strip() for part in _APART.split(line)]
    parts = [re.sub(r"[\d⁰¹²³⁴⁵⁶⁷⁸⁹*†‡§]", "", part).strip() for part in parts]
    parts = [part for part in parts if part]
    fits = all(_NAME.fullmatch(part) and part[0].isupper() and part.split()[-1][0].isupper() for part in parts)
    return parts if parts and fits else []


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
        authors = tuple(author_named(name) for name in author_names(core.get("creator", "")))
    return replace(metadata, authors=authors), warnings


def _own_doi(blocks: list[Block]) -> str:
    """A DOI in front of the text that is called so."""
    for block in blocks[:8]:
        if block.kind == "paragraph" and re.match(r"\s*(?:doi\b|https?://(?:dx\.)?doi\.org)", block.text, re.I):
            return find_doi(block.text)
    return ""
