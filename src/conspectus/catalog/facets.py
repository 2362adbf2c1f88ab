"""What papers are filtered by, read."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from conspectus.catalog.connection import CatalogReader
from conspectus.catalog.schema import facets
from conspectus.core.grouped import grouped


def terms_of(catalog: CatalogReader, facet: str, paper_keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Paper key -> its terms of a facet; those that have none are left out.

    In the order of the papers first: for that of the terms alone SQLite would go through all papers that have any.
    """
    query = select(facets.c.paper_key, facets.c.term).where(facets.c.facet == facet)
    rows = catalog.rows_where(query.order_by(facets.c.paper_key, facets.c.term), facets.c.paper_key, paper_keys)
    return {key: tuple(terms) for key, terms in grouped((row.paper_key, row.term) for row in rows).items()}
