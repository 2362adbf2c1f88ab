"""Fields of papers that users have written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_type_hints

import msgspec
from sqlalchemy import Connection, delete, select

from conspectus.catalog.codec import unpack_json
from conspectus.catalog.connection import CatalogReader, insert_rows
from conspectus.catalog.schema import edits
from conspectus.records import Metadata

EDITABLE: Mapping[str, Any] = {
    name: kind for name, kind in get_type_hints(Metadata).items() if name not in ("references", "external_id", "extra")
}
"""The fields that can be written by hand -> their types."""
Edits = Mapping[str, Any]
"""Field of the metadata -> its value."""


def of_papers(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Paper key -> what was written by hand of it; papers without are left out."""
    found: dict[int, dict[str, Any]] = {}
    query = select(edits).order_by(edits.c.paper_key, edits.c.field)
    for row in catalog.rows_where(query, edits.c.paper_key, paper_keys):
        if row.field in EDITABLE:
            value = unpack_json(row.value, EDITABLE[row.field], "what was written of a paper by hand")
            found.setdefault(row.paper_key, {})[row.field] = value
    return found


def made(catalog: CatalogReader, paper_key: int) -> dict[str, str]:
    """Field -> when it was written (ISO 8601, UTC)."""
    return {row.field: row.made for row in catalog.rows(select(edits).where(edits.c.paper_key == paper_key))}


def put(connection: Connection, paper_key: int, values: Edits, reverted: Sequence[str], moment: str) -> None:
    """Keep what was written of a paper, and forget what was written of the fields `reverted`."""
    gone = [*values, *reverted]
    connection.execute(delete(edits).where(edits.c.paper_key == paper_key, edits.c.field.in_(gone)))
    rows = [
        {"paper_key": paper_key, "field": name, "value": msgspec.json.encode(value).decode(), "made": moment}
        for name, value in values.items()
    ]
    insert_rows(connection, edits, rows)
