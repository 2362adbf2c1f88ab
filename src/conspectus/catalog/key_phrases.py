"""Key phrases of papers (F2), and date and citations as numbers to weigh papers by (F4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Column, bindparam, func, select

from conspectus.catalog.connection import CatalogReader, split_chunks
from conspectus.catalog.facets import terms_of
from conspectus.catalog.schema import key_phrases, papers
from conspectus.core.grouped import grouped
from conspectus.records import KeyPhrase


class Standing(NamedTuple):
    """When a paper was published, in years (2019.5: the middle of it), and how often it is cited; None: unknown."""

    published: float | None
    cited_by: int | None


def terms(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Paper key -> its key phrases as `normal_name` has them, best first; papers without are left out."""
    return _grouped(catalog, paper_keys, key_phrases.c.term)


def keywords(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Paper key -> its own keywords and its key phrases, as `normal_name` has them; papers without are left out."""
    found, derived = terms_of(catalog, "keyword", paper_keys), terms(catalog, paper_keys)
    keys = found.keys() | derived.keys()
    return {key: tuple(dict.fromkeys([*found.get(key, ()), *derived.get(key, ())])) for key in keys}


def phrases(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Paper key -> its key phrases as they are written in it, best first; papers without are left out."""
    return _grouped(catalog, paper_keys, key_phrases.c.text)


def written(catalog: CatalogReader, forms: Sequence[str]) -> dict[str, str]:
    """Terms as most papers write them that have them as key phrases; with capitals, as in titles, a quarter counts."""
    number = func.count().label("number")
    query = select(key_phrases.c.term, key_phrases.c.text, number).group_by(key_phrases.c.term, key_phrases.c.text)
    rows = catalog.rows_where(query, key_phrases.c.term, forms)
    best = sorted(rows, key=lambda row: (row.number * (0.25 if row.text.istitle() else 1), row.text))
    return {row.term: row.text for row in best}


def _grouped(catalog: CatalogReader, paper_keys: Sequence[int], column: Column[Any]) -> dict[int, tuple[str, ...]]:
    """The database joins a paper's phrases, none of which has a line's end: a row a phrase would take twice as long."""
    rows = select(key_phrases.c.paper_key, column.label("said")).where(
        key_phrases.c.paper_key.in_(bindparam("keys", expanding=True))
    )
    inner = rows.order_by(key_phrases.c.paper_key, key_phrases.c.rank).subquery()
    joined = func.aggregate_strings(inner.c.said, "\n").label("joined")
    query = select(inner.c.paper_key, joined).group_by(inner.c.paper_key)
    found = (row for chunk in split_chunks(paper_keys) for row in catalog.rows(query, {"keys": chunk}))
    return {row.paper_key: tuple(row.joined.split("\n")) for row in found}


def scored(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, tuple[KeyPhrase, ...]]:
    """Paper key -> its key phrases with their scores, best first; papers without are left out."""
    columns = key_phrases.c.paper_key, key_phrases.c.text, key_phrases.c.score
    query = select(*columns).order_by(columns[0], key_phrases.c.rank)
    rows = catalog.rows_where(query, columns[0], paper_keys)
    found = grouped((row.paper_key, KeyPhrase(row.text, row.score)) for row in rows)
    return {key: tuple(group) for key, group in found.items()}


def standings(catalog: CatalogReader, paper_keys: Sequence[int]) -> dict[int, Standing]:
    """Paper key -> when it was published and how often it is cited; keys of papers that are gone are left out.

    Of a paper whose date is not derived yet it is the middle of its year.
    """
    when = func.coalesce(papers.c.published, papers.c.year + 0.5).label("published")
    rows = catalog.rows_where(select(papers.c.key, when, papers.c.cited_by), papers.c.key, paper_keys)
    return {row.key: Standing(row.published, row.cited_by) for row in rows}


def is_key_phrase(catalog: CatalogReader, forms: Sequence[str]) -> bool:
    """Whether one of these terms is a key phrase of any paper."""
    return catalog.scalar(select(key_phrases.c.rank).where(key_phrases.c.term.in_(forms)).limit(1)) is not None


def beginning_with(catalog: CatalogReader, letters: str, limit: int) -> list[str]:
    """The first key phrases, in order, that begin with some letters."""
    query = select(key_phrases.c.term).where(key_phrases.c.term >= letters, key_phrases.c.term < f"{letters}\U0010ffff")
    return [row.term for row in catalog.rows(query.distinct().order_by(key_phrases.c.term).limit(limit))]
