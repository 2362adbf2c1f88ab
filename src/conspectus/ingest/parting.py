"""Documents that were split stay apart: by what they are called, whatever becomes of their rows."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conspectus.ingest.grouping import Sides
from conspectus.store.catalog import Catalog
from conspectus.store.rows import SCHEMES, Document, Name, path_name
from conspectus.store.user_data import split_sides


@dataclass(frozen=True, slots=True)
class Change:
    """What is not kept yet.

    Attributes:
        gone: the keys of documents that go.
        moved: new numbers of documents in their files, by their keys.
        more: the sides of splits that documents are on, by their keys.
        without: splits that do not hold any more.
        edits: all that was written by hand of papers, by their keys, instead of what is kept.
    """

    gone: Container[int] = ()
    moved: Mapping[int, int] = field(default_factory=dict)
    more: Mapping[int, Sides] = field(default_factory=dict)
    without: Container[int] = ()
    edits: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)


NO_CHANGE = Change()


def names_of(document: Document) -> tuple[Name, ...]:
    """What a document is called for good: where it stands, so that its file may change, and what it says, so that it
    may be moved."""
    metadata = document.parsed.metadata
    if not document.ordinal:
        return path_name(document.path), ("file", document.sha256)
    own = metadata.external_id or next(filter(None, (getattr(metadata, scheme) for scheme in SCHEMES)), metadata.title)
    folder = f"{path_name(document.path)[1]}\0{own.lower()}"
    return ("record", hashlib.blake2b(folder.encode(errors="replace"), digest_size=16).hexdigest()), (
        "content",
        document.content,
    )


def new_names(
    catalog: Catalog, documents: Sequence[Document], sides: Sequence[Sides]
) -> tuple[tuple[int, int, Name], ...]:
    """(split, side, name) of documents that are on a side by one of their names, for those that are not kept yet."""
    sided = [(one, mine) for one, mine in zip(documents, sides, strict=True) if mine]
    known = split_sides(catalog, (name for one, _ in sided for name in names_of(one))) if sided else {}
    found = {
        (split, name): (split, side, name)
        for one, mine in sided
        for name in names_of(one)
        for split, side in mine.items()
        if split not in known.get(name, {})
    }
    return tuple(found.values())


def sides_of_documents(
    catalog: Catalog, documents: Sequence[Document], change: Change = NO_CHANGE
) -> list[dict[int, int]]:
    """The side of each split on which each document is."""
    names = [names_of(document) for document in documents]
    known = split_sides(catalog, (name for group in names for name in group))
    found = []
    for document, group in zip(documents, names, strict=True):
        sides: dict[int, int] = {}
        for name in reversed(group):  # where it stands goes before what it says
            sides |= known.get(name, {})
        kept = {split: side for split, side in sides.items() if split not in change.without}
        found.append(kept | dict(change.more.get(document.key, {})))
    return found


def are_parted(one: Sides, other: Sides) -> bool:
    """Whether two documents are on different sides of a split."""
    return any(other.get(split, side) != side for split, side in one.items())
