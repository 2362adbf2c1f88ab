"""What papers are filtered by, read."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, select

from conspectus.catalog.connected import Connected, chunks
from conspectus.catalog.schema import facets

_QUERY = select(facets.c.paper_key, facets.c.term).where(
    facets.c.facet == bindparam("facet"), facets.c.paper_key.in_(bindparam("keys", expanding=True))
)


def terms_of(catalog: Connected, facet: str, paper_keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Paper key -> its terms of a facet; those that have none are left out.

    In the order of the papers first: for that of the terms alone SQLite would go through all papers that have any.
    """
    found: dict[int, tuple[str, ...]] = {}
    for chunk in chunks(paper_keys):
        for row in catalog.rows(_QUERY.order_by(facets.c.paper_key, facets.c.term), {"keys": chunk, "facet": facet}):
            found[row.paper_key] = (*found.get(row.paper_key, ()), row.term)
    return found
