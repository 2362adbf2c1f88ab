"""Whether what is kept of papers can be unpacked again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import select

from conspectus.catalog.codec import check_parsed, unpack_metadata, unpack_spans
from conspectus.catalog.connection import CatalogReader
from conspectus.catalog.schema import documents, papers, passages
from conspectus.core.errors import LibraryDamagedError


def unreadable(catalog: CatalogReader) -> list[str]:
    """The ids of papers whose metadata, sentences, or what was read of one of their files, cannot be unpacked."""
    found: dict[str, None] = {}
    columns = documents.c.key, documents.c.parsed, papers.c.id, papers.c.metadata
    query = select(*columns).join(papers, papers.c.key == documents.c.paper_key)
    for rows in catalog.pages(query, documents.c.key, 0):
        for row in rows:
            if not (check_parsed(row.parsed) and _is_whole(unpack_metadata, row.metadata)):
                found[row.id] = None
    spans = select(passages.c.key, passages.c.spans, papers.c.id).join(papers)
    for rows in catalog.pages(spans, passages.c.key, 0):
        found |= dict.fromkeys(row.id for row in rows if not _is_whole(unpack_spans, row.spans, "", ""))
    return list(found)


def _is_whole(unpack: Callable[..., object], *raw: Any) -> bool:
    try:
        unpack(*raw)
    except LibraryDamagedError:
        return False
    return True
