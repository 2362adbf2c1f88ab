"""What papers have (`records.conditions.THINGS`), kept among their facets. A paper that is stored brings its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, bindparam, delete, insert, select

from conspectus.catalog.connected import Connected, chunks
from conspectus.catalog.schema import facets, papers
from conspectus.records.conditions import HAS, Thing

_QUERY = select(facets.c.paper_key, facets.c.term).where(
    facets.c.facet == HAS, facets.c.paper_key.in_(bindparam("keys", expanding=True))
)


def by_key(catalog: Connected, paper_keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Paper key -> what the paper has; those that have nothing are left out.

    In the order of the papers first: for that of the terms alone SQLite would go through all papers that have anything.
    """
    found: dict[int, tuple[str, ...]] = {}
    for chunk in chunks(paper_keys):
        for row in catalog.rows(_QUERY.order_by(facets.c.paper_key, facets.c.term), {"keys": chunk}):
            found[row.paper_key] = (*found.get(row.paper_key, ()), row.term)
    return found


def put(connection: Connection, found: Mapping[int, Sequence[Thing]]) -> None:
    """Note what papers have, by their keys, instead of what was noted before; of those that are gone nothing."""
    for chunk in chunks(list(found)):
        connection.execute(delete(facets).where(facets.c.paper_key.in_(chunk), facets.c.facet == HAS))
        there = connection.scalars(select(papers.c.key).where(papers.c.key.in_(chunk)))
        terms = [{"paper_key": key, "facet": HAS, "term": thing} for key in there for thing in found[key]]
        if terms:
            connection.execute(insert(facets), terms)
