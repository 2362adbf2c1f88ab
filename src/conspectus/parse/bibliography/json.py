"""JSON files: CSL-JSON, Crossref, OpenAlex, Semantic Scholar, ADS, and lists of records with our own fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conspectus.parse.bibliography.csl import csl_item, is_csl
from conspectus.parse.bibliography.jsonstream import objects
from conspectus.parse.bibliography.services import (
    ads,
    is_ads,
    is_openalex,
    is_semantic_scholar,
    openalex,
    semantic_scholar,
)
from conspectus.parse.fields import FieldError
from conspectus.parse.protocol import BadRecord, Item
from conspectus.parse.recordfile import RecordItems, item_of_record
from conspectus.parse.streams import Source

_WRAPPERS = ("citingPaper", "citedPaper", "paper", "response", "message", "_source")


def read(path: Path) -> Iterator[Item]:
    """The records as papers, and those that cannot be read; as `protocol.Reader.read`."""
    source = Source(path)
    return RecordItems(_items(source, path.name), source, path.name)


def _items(source: Source, name: str) -> Iterator[Item]:
    for where, value in objects(source, name):
        if isinstance(value, Mapping):
            yield paper_of_object(value, where)
        elif value is None:
            yield BadRecord(where, "It is null: the service did not know this paper.")
        else:
            yield BadRecord(where, "It is not a JSON object.")


def paper_of_object(value: Mapping[str, Any], where: str) -> Item:
    """The paper that an object of some service, or of a reference manager, describes; or why it is none."""
    for name in _WRAPPERS:
        inner = value.get(name)
        if isinstance(inner, Mapping) and "title" not in value:
            value = inner
    try:
        if is_openalex(value):
            return openalex(value, where)
        if is_ads(value):
            return ads(value, where)
        if is_semantic_scholar(value):
            return semantic_scholar(value, where)
        if is_csl(value):
            return csl_item(value, where)
    except (AttributeError, TypeError, ValueError, KeyError) as error:
        if isinstance(error, FieldError):
            raise
        return BadRecord(where, f"It is not as its service writes it ({type(error).__name__}: {error}).")
    return item_of_record(value, where)
