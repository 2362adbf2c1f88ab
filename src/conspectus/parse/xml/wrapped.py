"""Articles and records within other XML: the sets of PMC, harvests by OAI-PMH, and whatever else has them inside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from conspectus.core.errors import EmptyTextError, InputError
from conspectus.core.plural import pluralize
from conspectus.parse.bibliography.streams import with_extra
from conspectus.parse.blocks import clean_line
from conspectus.parse.content_kinds import FORMATS
from conspectus.parse.identifiers import find_doi
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.xml.jats import article_of
from conspectus.parse.xml.load import Element, load, plain_text
from conspectus.records import ParsedPaper

_PAPERS = frozenset({"article", "dc"})
_UNITS = _PAPERS | {"record"}
_MORE = "The harvest has more records, which are not in this file (resumptionToken)."
_KEPT = ("type", "language", "rights", "format", "relation", "coverage", "contributor")
"""Fields of Dublin Core that are kept as they are."""


def read_wrapped(path: Path) -> Iterator[Item]:
    """Yield the articles in JATS and the records in Dublin Core of a file, and those that cannot be read.

    Raises:
        InputError: The file as a whole cannot be read, or has none.
    """
    root = load(path)
    units = list(enumerate(_outermost(root, _UNITS), 1))
    present = [(number, unit) for number, unit in units if not _is_deleted(unit)]
    if not present:
        raise _nothing_in(root, path.name, is_deleted=bool(units))
    notes = tuple(_notes(root, len(units) - len(present)))
    for number, unit in present:
        where = f"{'record' if unit.tag == 'record' else 'article'} {number}"
        for item in _items(unit, path.name, where):
            if notes and isinstance(item, ParsedPaper):
                yield replace(item, warnings=(*item.warnings, *notes))
                notes = ()
            else:
                yield item


def _is_deleted(unit: Element) -> bool:
    """Whether a record only says that the repository has no such paper any more."""
    header = unit.find("header")
    return header is not None and header.get("status") == "deleted"


def _notes(root: Element, deleted: int) -> Iterator[str]:
    """Yield what the harvest does not have."""
    if deleted:
        yield f"The repository has deleted {pluralize(deleted, 'record')} of the harvest."
    if any(plain_text(token).strip() for token in root.iter("resumptionToken")):
        yield _MORE


def _outermost(root: Element, tags: frozenset[str]) -> Iterator[Element]:
    """Yield the elements with one of the tags that are in none of these."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.tag in tags:
            yield element
        else:
            waiting += reversed(element)


def _items(unit: Element, name: str, where: str) -> Iterator[Item]:
    papers = list(_outermost(unit, _PAPERS))
    for paper in papers:
        try:
            yield _dublin_core(paper, where) if paper.tag == "dc" else article_of(paper, name)
        except InputError as error:
            yield BadRecord(where, str(error))
    if not papers:
        yield BadRecord(where, _why_no_paper(unit))


def _why_no_paper(record: Element) -> str:
    metadata = record.find("metadata")
    kind = metadata[0].tag if metadata is not None and len(metadata) else ""
    if not kind:
        return "It has no metadata."
    format = FORMATS.get(kind)
    return (
        f"Its metadata are {format.name if format else f'<{kind}>'}, which cannot be read; harvest JATS or Dublin Core."
    )


def _dublin_core(record: Element, where: str) -> Item:
    """Return the paper of a record in Dublin Core."""
    values: dict[str, list[str]] = {}
    for element in record:
        if text := clean_line(plain_text(element)):
            values.setdefault(element.tag, []).append(text)
    identifiers = values.get("identifier", [])
    known = {
        "title": next(iter(values.get("title", ())), ""),
        "authors": values.get("creator", []),
        "abstract": "\n\n".join(values.get("description", ())),
        "date": next(iter(values.get("date", ())), ""),
        "venue": next((source.partition(";")[0] for source in values.get("source", ())), ""),
        "doi": next((doi for text in identifiers if (doi := find_doi(text))), ""),
        "url": next((text for text in identifiers if text.startswith(("http://", "https://"))), ""),
        "keywords": values.get("subject", []),
    }
    extra = {name: values.get(name, []) for name in _KEPT}
    extra["publisher"] = values.get("publisher", [])
    return with_extra(known, extra, where)


def _nothing_in(root: Element, name: str, *, is_deleted: bool) -> InputError:
    error = next(root.iter("error"), None)
    if root.tag == "OAI-PMH" and error is not None:
        said = clean_line(plain_text(error)) or error.get("code", "")
        return InputError(f"'{name}' is a repository's answer without records: {said}", "Change what is asked for.")
    if is_deleted:
        return EmptyTextError(f"'{name}' has only records that the repository has deleted.", "Harvest others.")
    return EmptyTextError(f"'{name}' has no articles in it.", "Fetch or export it again.")
