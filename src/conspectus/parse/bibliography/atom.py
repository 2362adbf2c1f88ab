"""Atom as the arXiv interface answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from conspectus.parse.bibliography.streams import read_elements, text_of, with_extra
from conspectus.parse.identifiers import normal_arxiv_id
from conspectus.parse.protocol import BadRecord, Item


def read(path: Path) -> Iterator[Item]:
    """The entries as papers, and those that cannot be read; as `protocol.Reader.read`."""
    return read_elements(path, {"entry"}, _paper)


def _paper(entry: Element, where: str) -> Item:
    address = text_of(entry, "id")
    if "/api/errors" in address:
        return BadRecord(where, f"The service reported an error: {text_of(entry, 'summary')}.")
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
