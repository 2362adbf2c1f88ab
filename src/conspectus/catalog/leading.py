"""The passages that stand for papers as wholes."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, func, select

from conspectus.catalog.catalog import Catalog, chunks
from conspectus.catalog.schema import SUMMARY, passages


def first_passages(catalog: Catalog, paper_keys: Sequence[int]) -> dict[int, int]:
    """The key of each paper's first passage of its own (its abstract, where it has one), by the paper's key.

    Papers without text are left out.
    """
    first = func.min(passages.c.key).label("first")
    query = (
        select(passages.c.paper_key, first)
        .where(passages.c.ordinal == 0, passages.c.kind != SUMMARY)
        .where(passages.c.paper_key.in_(bindparam("keys", expanding=True)))
        .group_by(passages.c.paper_key)
    )
    return {row.paper_key: row.first for keys in chunks(paper_keys) for row in catalog.rows(query, {"keys": keys})}
