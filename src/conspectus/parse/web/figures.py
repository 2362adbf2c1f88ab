"""Figures and tables of a page: label, caption, picture, cells."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from conspectus.lexicon.labels import CAPTIONED, FURTHER
from conspectus.parse.inline import Inline
from conspectus.parse.picturing import data_name, is_address
from conspectus.parse.web.tree import Element, elements, is_element, names_of, plain_text
from conspectus.parse.web.words import Words
from conspectus.parse.xml.table import rows_of
from conspectus.records import Figure, FigureKind

LABEL = re.compile(
    rf"(?:(?:{FURTHER.title()})\s+)?"
    rf"(?:Fig(?:ure|s?\.)?|FIG(?:URE|\.)?|Table|TABLE|Tab\.|{CAPTIONED.title()})"
    r"\s*(?:S\s?)?[A-Z]?[\dIVX]+(?:[.\-–]\d+)*(?![\w])",
)
_FIGURE = re.compile(
    r"(?:^|[\s_-])(?:fig|figure|figures?-?(?:wrap|box|container)|thumb|asset-viewer-inline|table-?wrap|tablewrap|tw"
    r"|inline-table|table-container|wp-caption|image-?box|article-table-content)(?:$|[\s_-]|\d)"
)
_CAPTION = re.compile(
    r"(?:^|[\s_-])(?:fig|table|thumb|wp|asset)?-?(?:captions?|captiontext|captioned|legend|description)(?:$|[\s_-])"
)
_LEAST_DATA = 300
"""Characters; shorter data are a spacer, or a dot that counts readers."""
_URL = re.compile(r"(?:https?://|doi:\s*)\S+|\W*")


def is_figure(element: Element) -> bool:
    """Whether the element is one figure, or one table with its caption."""
    if element.tag == "figure":
        return True
    if element.tag == "table":
        return any(child.tag == "caption" and plain_text(child) for child in element)
    if element.tag not in ("div", "section", "aside", "p", "li") or not _FIGURE.search(names_of(element)):
        return False
    inside = [e for e in element.iterdescendants() if is_element(e)]
    if any(
        e.tag == "figure" or (e.tag in ("div", "section") and _FIGURE.search(names_of(e)) and _captions(e))
        for e in inside
    ):
        return False
    return any(e.tag in ("img", "table", "picture", "svg", "object") for e in inside) and bool(_captions(element))


def is_figure_box(element: Element) -> bool:
    """Whether the page's maker calls the element a figure, with whatever stands in it."""
    return element.tag in ("div", "section", "aside") and bool(_FIGURE.search(names_of(element)))


def found_figure(element: Element, words: Words, folder: str = "") -> tuple[Figure, Inline | None]:
    """The figure or table that `element`, which `is_figure`, holds in a page of `folder`, and its caption if any.

    It has no key yet.
    """
    line = _caption_line(element, words)
    text = line.text
    match = LABEL.match(text)
    label = match[0] if match else ""
    table = element if element.tag == "table" else next(_own(element, "table"), None)
    names = names_of(element)
    is_table = label.lower().startswith("tab") or (not label and table is not None)
    is_table = is_table or ("ltx_table" in names)
    cells = table_cells(table, words) if table is not None and is_table else ()
    kind: FigureKind = "table" if is_table else "figure"
    return Figure("", kind, label, href=_href(element, folder), cells=cells), line if text else None


def _captions(element: Element) -> list[Element]:
    """The outermost elements that say what is shown."""
    found: list[Element] = []
    for inner in element.iterdescendants():
        if not is_element(inner) or any(parent in found for parent in inner.iterancestors()):
            continue
        nested = next((p for p in inner.iterancestors("figure")), element)
        if element.tag == "figure" and nested is not element:
            continue
        by_name = inner.tag in ("div", "p", "span", "section", "h3", "h4", "h5", "h6") and _CAPTION.search(
            names_of(inner)
        )
        if (inner.tag in ("figcaption", "caption") or by_name) and not _URL.fullmatch(plain_text(inner)):
            found.append(inner)
    return found


def _caption_line(element: Element, words: Words) -> Inline:
    captions = _captions(element)
    line = Inline()
    head = next(
        (e for e in _own(element, "h2", "h3", "h4", "h5", "h6", "span", "strong") if LABEL.match(plain_text(e))), None
    )
    if head is not None and not any(c in (head, *head.iterancestors()) for c in captions):
        words.fill(line, head)
        line.add(" ")
    for caption in captions:
        words.fill(line, caption)
        line.add(" ")
    return line


def _own(element: Element, *tags: str) -> Iterator[Element]:
    """The elements of these tags that belong to no figure within this one."""
    for inner in elements(element, *tags):
        nearest = next(inner.iterancestors("figure"), None)
        if element.tag != "figure" or nearest is element or inner is element:
            yield inner


def _href(element: Element, folder: str) -> str:
    """Where the picture is: a path in the book or beside the page, an address, or the name of data (`data_name`)."""
    for image in elements(element, "img", "source", "embed", "object"):
        given = (image.get(name) for name in ("data-src", "src", "data", "srcset"))
        address = next(filter(None, given), "").split(" ")[0]
        if address.startswith("data:"):
            if len(address) > _LEAST_DATA:
                return data_name(address)
        elif address:
            path = unquote(address.partition("?")[0].partition("#")[0])
            return address if is_address(address) else posixpath.normpath(posixpath.join(folder, path))
    return ""


def table_cells(table: Element, words: Words) -> tuple[tuple[str, ...], ...]:
    """The rows of a table; a cell that spans several columns or rows is followed by empty ones."""
    return rows_of([table], words.text, repeated=False)[0]
