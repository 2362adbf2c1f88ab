"""Whether what is kept of papers can be unpacked again."""

from __future__ import annotations

from sqlalchemy import select

from conspectus.catalog.codec import check_parsed, unpack_metadata, unpack_spans
from conspectus.catalog.connected import Connected
from conspectus.catalog.schema import documents, papers, passages
from conspectus.core.errors import LibraryDamagedError

_BATCH = 500


def unreadable(catalog: Connected) -> list[str]:
    """The ids of papers whose metadata, sentences, or what was read of one of their files, cannot be unpacked."""
    found: dict[str, None] = {}
    last = 0
    columns = documents.c.key, documents.c.parsed, papers.c.id, papers.c.metadata
    query = select(*columns).join(papers, papers.c.key == documents.c.paper_key).order_by(documents.c.key)
    while rows := catalog.rows(query.where(documents.c.key > last).limit(_BATCH)):
        found |= dict.fromkeys(row.id for row in rows if not (check_parsed(row.parsed) and _is_metadata(row.metadata)))
        last = rows[-1].key
    last = 0
    spans = select(passages.c.key, passages.c.spans, papers.c.id).join(papers).order_by(passages.c.key)
    while rows := catalog.rows(spans.where(passages.c.key > last).limit(_BATCH)):
        found |= dict.fromkeys(row.id for row in rows if not _is_spans(row.spans))
        last = rows[-1].key
    return list(found)


def _is_spans(raw: bytes) -> bool:
    try:
        unpack_spans(raw, "", "")
    except LibraryDamagedError:
        return False
    return True


def _is_metadata(raw: bytes) -> bool:
    try:
        unpack_metadata(raw)
    except LibraryDamagedError:
        return False
    return True
