"""What papers are filtered and weighed by: facets, key phrases, dates and citations; filters as SQL conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Column, and_, bindparam, exists, func, or_, select

from conspectus.core.groups import grouped
from conspectus.records import FACETS, Filters, KeyPhrase
from conspectus.records.filters import SETS
from conspectus.store import user_data
from conspectus.store.connection import CatalogReader, split_chunks
from conspectus.store.schema import facets, key_phrases, papers, passages, set_papers
from conspectus.store.schema import sets as set_rows


def facet_terms(catalog: CatalogReader, facet: str, paper_keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Paper key -> its terms of a facet; those that have none are left out.

    In the order of the papers first: for that of the terms alone SQLite would go through all papers that have any.
    """
    query = select(facets.c.paper_key, facets.c.term).where(facets.c.facet == facet)
    rows = catalog.rows_where(query.order_by(facets.c.paper_key, facets.c.term), facets.c.paper_key, paper_keys)
    return {key: tuple(terms) for key, terms in grouped((row.paper_key, row.term) for row in rows).items()}


class PaperStanding(NamedTuple):
    """When a paper was published, in years (2019.5: the middle of it), and how often it is cited; None: unknown."""

    published: float | None
    cited_by: int | None


def key_phrase_terms(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Paper key -> its key phrases as `normal_name` has them, best first; papers without are left out."""
    return _phrases_by_paper(catalog, paper_keys, key_phrases.c.term)


def keyword_terms(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Paper key -> its own keywords and its key phrases, as `normal_name` has them; papers without are left out."""
    terms_by_paper, derived = facet_terms(catalog, "keyword", paper_keys), key_phrase_terms(catalog, paper_keys)
    keys = terms_by_paper.keys() | derived.keys()
    return {key: tuple(dict.fromkeys([*terms_by_paper.get(key, ()), *derived.get(key, ())])) for key in keys}


def key_phrase_texts(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Paper key -> its key phrases as they are written in it, best first; papers without are left out."""
    return _phrases_by_paper(catalog, paper_keys, key_phrases.c.text)


def _phrases_by_paper(
    catalog: CatalogReader, paper_keys: Sequence[int], column: Column[Any]
) -> dict[int, tuple[str, ...]]:
    """The database joins a paper's phrases, none of which has a line's end: a row a phrase would take twice as long."""
    rows = select(key_phrases.c.paper_key, column.label("said")).where(
        key_phrases.c.paper_key.in_(bindparam("keys", expanding=True))
    )
    inner = rows.order_by(key_phrases.c.paper_key, key_phrases.c.rank).subquery()
    joined = func.aggregate_strings(inner.c.said, "\n").label("joined")
    query = select(inner.c.paper_key, joined).group_by(inner.c.paper_key)
    joined_rows = (row for chunk in split_chunks(paper_keys) for row in catalog.rows(query, {"keys": chunk}))
    return {row.paper_key: tuple(row.joined.split("\n")) for row in joined_rows}


def scored_key_phrases(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, tuple[KeyPhrase, ...]]:
    """Paper key -> its key phrases with their scores, best first; papers without are left out."""
    columns = key_phrases.c.paper_key, key_phrases.c.text, key_phrases.c.score
    query = select(*columns).order_by(columns[0], key_phrases.c.rank)
    rows = catalog.rows_where(query, columns[0], paper_keys)
    phrases_by_paper = grouped((row.paper_key, KeyPhrase(row.text, row.score)) for row in rows)
    return {key: tuple(group) for key, group in phrases_by_paper.items()}


def paper_standings(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, PaperStanding]:
    """Paper key -> when it was published and how often it is cited; keys of papers that are gone are left out.

    Of a paper whose date is not derived yet it is the middle of its year.
    """
    when = func.coalesce(papers.c.published, papers.c.year + 0.5).label("published")
    rows = catalog.rows_where(select(papers.c.key, when, papers.c.cited_by), papers.c.key, paper_keys)
    return {row.key: PaperStanding(row.published, row.cited_by) for row in rows}


def is_key_phrase(catalog: CatalogReader, forms: Sequence[str]) -> bool:
    """Whether one of these terms is a key phrase of any paper."""
    return catalog.scalar(select(key_phrases.c.rank).where(key_phrases.c.term.in_(forms)).limit(1)) is not None


def complete_key_phrase(catalog: CatalogReader, letters: str, limit: int) -> list[str]:
    """The first key phrases, in order, that begin with some letters."""
    query = select(key_phrases.c.term).where(key_phrases.c.term >= letters, key_phrases.c.term < f"{letters}\U0010ffff")
    return [row.term for row in catalog.rows(query.distinct().order_by(key_phrases.c.term).limit(limit))]


LARGEST_YEAR = 2**31 - 1
"""The largest number that a column of whole numbers can be compared with."""


def filter_conditions(filters: Filters) -> list[Any]:
    """`filters` as conditions on `papers`; a paper passes a kind of text if it has a passage of it."""
    conditions: list[Any] = []
    if filters.kind:
        conditions.append(exists().where(and_(passages.c.paper_key == papers.c.key, passages.c.kind.in_(filters.kind))))
    if filters.year is not None:
        first, last = filters.year
        conditions.append(papers.c.year.is_not(None))
        conditions += [papers.c.year >= _bound_year(first)] if first is not None else []
        conditions += [papers.c.year <= _bound_year(last)] if last is not None else []
    if filters.full_text is not None:
        conditions.append(papers.c.has_full_text == filters.full_text)
    for facet in FACETS:
        if terms := filters.terms(facet):
            chosen = and_(facets.c.facet == facet, facets.c.term.in_(terms))
            condition: Any = papers.c.key.in_(select(facets.c.paper_key).where(chosen))
            if facet == "keyword":
                phrased = select(key_phrases.c.paper_key).where(key_phrases.c.term.in_(terms))
                condition = or_(condition, papers.c.key.in_(phrased))
            conditions.append(condition)
    for kind in SETS:
        if terms := filters.terms(kind):
            sets_chosen = select(set_rows.c.key).where(user_data.set_condition(kind, terms))
            conditions.append(
                papers.c.key.in_(select(set_papers.c.paper_key).where(set_papers.c.set_key.in_(sets_chosen)))
            )
    if filters.among:
        conditions.append(user_data.among_condition(filters.among))
    return conditions


def count_papers(catalog: CatalogReader, filters: Filters) -> int:
    """How many papers pass `filters`."""
    user_data.check_sets(catalog, filters)
    return int(catalog.scalar(select(func.count()).select_from(papers).where(*filter_conditions(filters))))


def filtered_paper_keys(catalog: CatalogReader, filters: Filters) -> npt.NDArray[np.int64]:
    """The keys of the papers that pass `filters`, int64."""
    user_data.check_sets(catalog, filters)
    return catalog.numbers(select(papers.c.key).where(*filter_conditions(filters)))


def filtered_paper_ids(catalog: CatalogReader, filters: Filters) -> list[str]:
    """The ids of the papers that pass `filters`, in the order they were added."""
    user_data.check_sets(catalog, filters)
    return [
        row.id for row in catalog.rows(select(papers.c.id).where(*filter_conditions(filters)).order_by(papers.c.key))
    ]


def _bound_year(year: int) -> int:
    return max(-LARGEST_YEAR, min(LARGEST_YEAR, year))
