"""The pages of an EPUB in their order, read as one text."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from conspectus.core.errors import EmptyTextError, EncryptedError, InputError
from conspectus.core.groups import grouped
from conspectus.parse.bibliography.fields import metadata_of
from conspectus.parse.files.streams import Zip, inside, opened
from conspectus.parse.markup.page_body import Page, Walker
from conspectus.parse.markup.page_tree import elements, names_of, page_tree, remove, take_hidden
from conspectus.parse.markup.xml_tree import root_in_archive
from conspectus.parse.people.authors import author_of_name
from conspectus.parse.text.blocks import clean_abstract, clean_line, hidden_notes
from conspectus.records import Hidden, Metadata, ParsedPaper

_DC = "{http://purl.org/dc/elements/1.1/}"
_OPF = "{http://www.idpf.org/2007/opf}"
_TAGS = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_NO_TEXT = re.compile(
    r"(?:^|[\s_-])(?:cover|toc|landmarks|page-list|copyright-page|titlepage|halftitlepage)(?:$|[\s_-])"
)
_MAX_PAGES = 5_000


def read_epub(path: Path) -> ParsedPaper:
    """The text of an e-book as one paper.

    Raises:
        InputError: It is no EPUB, or damaged (also its subclasses: protected, too large, without text).
    """
    with opened(path) as archive:
        name, package = _package(archive)
        page = Page()
        metadata, page.builder.warnings = _metadata(package)
        pages = _spine(package, posixpath.dirname(name))
        _refuse_protected(archive, pages)
        hidden: list[Hidden] = []
        for chapter in pages[:_MAX_PAGES]:
            hidden += _chapter(archive, chapter, page)
    page.builder.warnings += hidden_notes(text for text in hidden if text.reason != "switched off")
    paper = page.builder.article(metadata, metadata.title, tuple(hidden))
    if not paper.blocks:
        raise EmptyTextError(f"'{path.name}' has no text in it.", "Books whose pages are pictures cannot be read.")
    return paper


def _package(archive: Zip) -> tuple[str, Any]:
    """The name and the root of the package file, which lists what the book consists of."""
    container = root_in_archive(archive, "META-INF/container.xml")
    if container is not None:
        for element in container.iter("{*}rootfile"):
            name = inside(unquote(element.get("full-path") or ""))
            root = root_in_archive(archive, name) if name else None
            if root is not None:
                return name, root
    raise InputError(
        f"'{archive.name}' is not an EPUB: it does not say what it consists of.", "Save or fetch it again."
    )


def _spine(package: Any, folder: str) -> list[str]:
    """The names of the pages in reading order, without the table of contents."""
    manifest = {item.get("id"): item for item in package.iter(f"{_OPF}item")}
    names = []
    for part in package.iter(f"{_OPF}itemref"):
        item = manifest.get(part.get("idref"))
        if item is None or "nav" in (item.get("properties") or "").split():
            continue
        if "html" in (item.get("media-type") or "html"):
            names.append(inside(posixpath.join(folder, unquote(item.get("href") or ""))))
    return [name for name in dict.fromkeys(names) if name]


def _refuse_protected(archive: Zip, pages: list[str]) -> None:
    locked = root_in_archive(archive, "META-INF/encryption.xml")
    if locked is None:
        return
    names = {inside(unquote(element.get("URI") or "")) for element in locked.iter("{*}CipherReference")}
    if names & set(pages):
        raise EncryptedError(
            f"'{archive.name}' is protected against copying.", "Only books without protection can be read."
        )


def _chapter(archive: Zip, name: str, page: Page) -> tuple[Hidden, ...]:
    """Adds a page of the book; returns what it hides."""
    data, warnings = archive.read(name), page.builder.warnings
    if not data.strip():
        if name not in archive:
            warnings.append(f"The book names a page '{name[:80]}' that is not in it.")
        return ()
    try:
        root, notes = page_tree(data, name)
    except InputError:
        warnings.append(f"The page '{name[:80]}' of the book cannot be read and is left out.")
        return ()
    warnings += [note for note in notes if note not in warnings]
    body = next(elements(root, "body"), root)
    if _NO_TEXT.search(names_of(body)):
        return ()
    hidden = take_hidden(root)
    for element in [e for tag in ("nav", "script", "style") for e in elements(body, tag)]:
        if not (element.get("type") or "").startswith("math/tex"):
            remove(element)
    page.links.target, page.folder = _targets(name), posixpath.dirname(name)
    page.links.waiting.clear()
    if body.get("id"):
        page.links.waiting.append(body.get("id"))
    Walker(page).walk(body)
    return hidden


def _targets(chapter: str) -> Callable[[str], str]:
    """What a link in a chapter leads to: the page's name and the id in it."""

    def target(href: str) -> str:
        path, sign, name = href.strip().partition("#")
        if not sign or ":" in path:
            return ""
        page = posixpath.normpath(posixpath.join(posixpath.dirname(chapter), unquote(path))) if path else chapter
        return f"{page}#{unquote(name)}"

    return target


def _modified(package: Any) -> str:
    """When the file was last made, as its package says."""
    dates = (meta.text for meta in package.iter("{*}meta") if meta.get("property") == "dcterms:modified")
    return next((text for text in dates if text), "")


def _metadata(package: Any) -> tuple[Metadata, list[str]]:
    fields = (
        (element.tag.removeprefix(_DC), clean_line("".join(element.itertext()))) for element in package.iter(f"{_DC}*")
    )
    values = grouped((name, text) for name, text in fields if text)
    doi = next((v for v in values.get("identifier", []) if "10." in v and "/" in v), "")
    dates = [match[0] for v in values.get("date", []) if (match := re.match(r"\d{4}(?:-\d\d(?:-\d\d)?)?", v))]
    if values.get("date", [""])[0] == _modified(package):
        dates = []  # when the file was made
    metadata, _, warnings = metadata_of(
        {
            "title": values.get("title", [""])[0],
            "abstract": clean_abstract(_TAGS.sub(" ", values.get("description", [""])[0])),
            "date": dates[0] if dates else "",
            "doi": doi.removeprefix("urn:doi:"),
            "keywords": values.get("subject", []),
        }
    )
    authors = tuple(author_of_name(name) for name in values.get("creator", []))
    return replace(metadata, authors=authors), warnings
