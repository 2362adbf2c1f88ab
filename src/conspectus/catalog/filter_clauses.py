"""Filters as conditions of the catalog's questions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import and_, exists, func, or_, select

from conspectus.catalog import sets
from conspectus.catalog.connection import CatalogReader
from conspectus.catalog.schema import facets, key_phrases, papers, passages, set_papers
from conspectus.catalog.schema import sets as set_rows
from conspectus.records import FACETS, Filters
from conspectus.records.filters import SETS

MOST = 2**31 - 1
"""The largest number that a column of whole numbers can be compared with."""


def conditions(filters: Filters) -> list[Any]:
    """`filters` as conditions on `papers`; a paper passes a kind of text if it has a passage of it."""
    found: list[Any] = []
    if filters.kind:
        found.append(exists().where(and_(passages.c.paper_key == papers.c.key, passages.c.kind.in_(filters.kind))))
    if filters.year is not None:
        first, last = filters.year
        found.append(papers.c.year.is_not(None))
        found += [papers.c.year >= _within(first)] if first is not None else []
        found += [papers.c.year <= _within(last)] if last is not None else []
    if filters.full_text is not None:
        found.append(papers.c.has_full_text == filters.full_text)
    for facet in FACETS:
        if terms := filters.terms(facet):
            chosen = and_(facets.c.facet == facet, facets.c.term.in_(terms))
            condition: Any = papers.c.key.in_(select(facets.c.paper_key).where(chosen))
            if facet == "keyword":
                phrased = select(key_phrases.c.paper_key).where(key_phrases.c.term.in_(terms))
                condition = or_(condition, papers.c.key.in_(phrased))
            found.append(condition)
    for kind in SETS:
        if terms := filters.terms(kind):
            sets_chosen = select(set_rows.c.key).where(sets.called(kind, terms))
            found.append(papers.c.key.in_(select(set_papers.c.paper_key).where(set_papers.c.set_key.in_(sets_chosen))))
    return found


def count_papers(catalog: CatalogReader, filters: Filters) -> int:
    """How many papers pass `filters`."""
    sets.check(catalog, filters)
    return int(catalog.scalar(select(func.count()).select_from(papers).where(*conditions(filters))))


def paper_keys(catalog: CatalogReader, filters: Filters) -> npt.NDArray[np.int64]:
    """The keys of the papers that pass `filters`, int64."""
    sets.check(catalog, filters)
    return catalog.numbers(select(papers.c.key).where(*conditions(filters)))


def _within(year: int) -> int:
    return max(-MOST, min(MOST, year))
