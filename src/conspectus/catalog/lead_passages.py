"""Papers by their first passages (the abstract, where there is one), and how much of the library has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlalchemy import func, select

from conspectus.catalog.catalog import Catalog
from conspectus.catalog.schema import papers, passages
from conspectus.catalog.vectors import vectors_of
from conspectus.core.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Extent:
    """Which passages a catalog has: how many, and the greatest key. Keys are never used again."""

    passages: int
    last: int


def extent(catalog: Catalog) -> Extent:
    """Which passages there are now."""
    number = catalog.scalar(select(func.count()).select_from(passages))
    return Extent(int(number), int(catalog.scalar(select(func.max(passages.c.key))) or 0))


def changed_share(catalog: Catalog, before: Extent) -> float:
    """How many passages have come or gone since `before`, as a share of those that there were; from 0 to beyond 1."""
    now = extent(catalog)
    new = int(catalog.scalar(select(func.count()).where(passages.c.key > before.last)) or 0)
    gone = before.passages - (now.passages - new)
    return (new + gone) / max(before.passages, 1)


def paper_keys(catalog: Catalog) -> npt.NDArray[np.int64]:
    """The keys of all papers, int64, ascending."""
    return catalog.numbers(select(papers.c.key).order_by(papers.c.key))


def first_passages(catalog: Catalog, keys: Sequence[int]) -> dict[int, int]:
    """Paper key -> the key of its first passage; papers without a passage are left out."""
    query = select(passages.c.paper_key, passages.c.key).where(passages.c.ordinal == 0)
    return {row.paper_key: row.key for row in catalog.rows_where(query, passages.c.paper_key, keys)}


def first_vectors(catalog: Catalog, keys: Sequence[int], model: str) -> dict[int, FloatArray]:
    """Paper key -> the vector of its first passage, float32 [dimensions]; papers without are left out."""
    first = first_passages(catalog, keys)
    vectors = vectors_of(catalog, list(first.values()), model)
    return {paper: vectors[key] for paper, key in first.items() if key in vectors}
