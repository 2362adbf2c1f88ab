"""Documents that were split stay apart: by what they are called, whatever becomes of their rows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from conspectus.catalog.apart import sides_of
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.rows import Document, Name
from conspectus.ingest.grouping import Sides
from conspectus.ingest.merge import SCHEMES, place


def names_of(document: Document) -> tuple[Name, ...]:
    """What a document is called for good: where it stands, so that its file may change, and what it says, so that it
    may be moved."""
    metadata = document.parsed.metadata
    if not document.ordinal:
        return place(document.path), ("file", document.sha256)
    own = metadata.external_id or next(filter(None, (getattr(metadata, scheme) for scheme in SCHEMES)), metadata.title)
    folder = f"{place(document.path)[1]}\0{own.lower()}"
    return ("record", hashlib.blake2b(folder.encode(errors="replace"), digest_size=16).hexdigest()), (
        "content",
        document.content,
    )


def sides_of_documents(
    catalog: Catalog, documents: Sequence[Document], more: Mapping[int, Sides]
) -> list[dict[int, int]]:
    """The side of each split on which each document is; `more`: of splits not kept yet, by keys of documents."""
    names = [names_of(document) for document in documents]
    known = sides_of(catalog, (name for group in names for name in group))
    found = []
    for document, group in zip(documents, names, strict=True):
        sides: dict[int, int] = {}
        for name in reversed(group):  # where it stands goes before what it says
            sides |= known.get(name, {})
        found.append(sides | dict(more.get(document.key, {})))
    return found


def are_parted(one: Sides, other: Sides) -> bool:
    """Whether two documents are on different sides of a split."""
    return any(other.get(split, side) != side for split, side in one.items())
