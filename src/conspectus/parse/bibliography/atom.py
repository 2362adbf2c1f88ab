"""Atom as the arXiv interface answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from conspectus.parse.bibliography.streams import with_extra
from conspectus.parse.bibliography.xmlstream import elements, open_source, text_of
from conspectus.parse.identifiers import normal_arxiv_id
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.recordfile import RecordItems
from conspectus.parse.streams import Source


def read(path: Path) -> Iterator[Item]:
    """The entries as papers, and those that cannot be read; as `protocol.Reader.read`."""
    source = open_source(path)
    return RecordItems(_items(source, path.name), source, path.name)


def _items(source: Source, name: str) -> Iterator[Item]:
    for line, entry in elements(source, frozenset({"entry"}), name):
        if "/api/errors" in text_of(entry, "id"):
            yield BadRecord(f"line {line}", f"The service reported an error: {text_of(entry, 'summary')}.")
        else:
            yield _paper(entry, f"line {line}")


def _paper(entry: Element, where: str) -> Item:
    address = text_of(entry, "id")
    arxiv = normal_arxiv_id(address)
    terms = list(dict.fromkeys(category.get("term", "") for category in entry.findall("category")))
    record: dict[str, Any] = {
        "id": arxiv or address,
        "title": text_of(entry, "title"),
        "authors": [
            {"name": name, "affiliations": [text_of(found) for found in person.findall("affiliation")]}
            for person in entry.findall("author")
            if (name := text_of(person, "name"))
        ],
        "abstract": text_of(entry, "summary") or text_of(entry, "content"),
        "date": (text_of(entry, "published") or text_of(entry, "updated"))[:10],
        "arxiv_id": arxiv,
        "doi": text_of(entry, "doi"),
        "venue": text_of(entry, "journal_ref"),
        "keywords": terms,
        "url": next(
            (link.get("href", "") for link in entry.findall("link") if link.get("rel") == "alternate"), address
        ),
    }
    primary = entry.find("primary_category")
    extra = {
        "type": "preprint" if arxiv else "",
        "primary_category": primary.get("term", "") if primary is not None else "",
        "comment": text_of(entry, "comment"),
        "updated": text_of(entry, "updated")[:10],
    }
    return with_extra(record, extra, where)
