"""How many papers there are of each year, venue, keyword …: what filters offer to choose from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sqlalchemy import Select, and_, func, not_, select, union

from conspectus.catalog import sets
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.filter_clauses import conditions
from conspectus.catalog.schema import SUMMARY, facets, key_phrases, papers, passages
from conspectus.records import Filters, Paper, normal_name
from conspectus.records.results import Counted, FacetCounts

_FEW = 5000
"""Papers that are named one by one in a question."""
_CANDIDATES = 3
"""Times so many keywords as are told are counted exactly: two tables have some, and a paper may have one in both."""


def counted(catalog: Catalog, filters: Filters, keys: Sequence[int] | None, most: int) -> FacetCounts:
    """How many papers that pass the filters, or of those with the keys, there are of each value; `most` of each."""
    sets.check(catalog, filters)
    with catalog.snapshot() as now:
        return _Counting(now, filters, keys, most).all()


class _Counting:
    def __init__(self, catalog: Catalog, filters: Filters, keys: Sequence[int] | None, most: int) -> None:
        self.catalog, self.most, self.best = catalog, most, keys is not None
        wanted = [papers.c.key.in_(keys)] if keys is not None else conditions(filters)
        if wanted and keys is None:  # few are named by their keys, else each question looks for them again
            found = [row.key for row in catalog.rows(select(papers.c.key).where(*wanted).limit(_FEW + 1))]
            wanted = [papers.c.key.in_(found)] if len(found) <= _FEW else wanted
        self.papers = self._count(*wanted)
        self._wanted = select(papers.c.key).where(*wanted) if wanted else None
        self._others: Select[Any] | None = None
        if self._wanted is not None and not self.best:
            others = self._count() - self.papers
            if others == 0:
                self._wanted = None
            elif others < self.papers:
                self._others = select(papers.c.key).where(not_(and_(*wanted)))

    def _count(self, *wanted: Any) -> int:
        return int(self.catalog.scalar(select(func.count()).select_from(papers).where(*wanted)))

    def all(self) -> FacetCounts:
        """All counts."""
        years = select(papers.c.year.label("value"), func.count().label("papers")).where(papers.c.year.is_not(None))
        kinds = select(passages.c.kind.label("value"), func.count(passages.c.paper_key.distinct()).label("papers"))
        kinds = self._best(kinds.where(passages.c.kind != SUMMARY), passages.c.kind)
        return FacetCounts(
            self.papers,
            self.best,
            tuple(self._rows(years.group_by(papers.c.year).order_by(papers.c.year), papers.c.key)),
            self._named(self._terms("venue"), lambda paper: [paper.venue]),
            self._named(self._keywords(), lambda paper: [*paper.keywords, *paper.key_phrases]),
            tuple(self._terms("language")),
            tuple(self._rows(kinds, passages.c.paper_key)),
        )

    def _of(self, query: Select[Any], column: Any) -> Select[Any]:
        if self._others is not None:  # `+ 0`: the rows are gone through by their terms, not looked up paper by paper
            return query.where((column + 0).not_in(self._others))
        return query if self._wanted is None else query.where(column.in_(self._wanted))

    def _best(self, query: Select[Any], value: Any) -> Select[Any]:
        return query.group_by(value).order_by(func.count().desc(), value).limit(self.most)

    def _rows(self, query: Select[Any], column: Any) -> Iterable[Counted]:
        return (Counted(str(row.value), row.papers) for row in self.catalog.rows(self._of(query, column)))

    def _terms(self, facet: str, most: int = 1) -> list[Counted]:
        query = select(facets.c.term.label("value"), func.count().label("papers")).where(facets.c.facet == facet)
        return list(self._rows(self._best(query, facets.c.term).limit(self.most * most), facets.c.paper_key))

    def _keywords(self) -> list[Counted]:
        """Of sources and of the papers' own words; the most frequent of both, each paper counted once."""
        phrases = select(key_phrases.c.term.label("value"), func.count().label("papers"))
        often = self._best(phrases, key_phrases.c.term).limit(self.most * _CANDIDATES)
        sums: Counter[str] = Counter()
        for one in (*self._terms("keyword", _CANDIDATES), *self._rows(often, key_phrases.c.paper_key)):
            sums[one.value] += one.papers
        likely = [term for term, _ in sums.most_common(self.most * _CANDIDATES)]
        given = select(facets.c.paper_key, facets.c.term).where(facets.c.facet == "keyword", facets.c.term.in_(likely))
        own = select(key_phrases.c.paper_key, key_phrases.c.term).where(key_phrases.c.term.in_(likely))
        both = union(self._of(given, facets.c.paper_key), self._of(own, key_phrases.c.paper_key)).subquery()
        query = select(both.c.term.label("value"), func.count().label("papers"))
        return [Counted(row.value, row.papers) for row in self.catalog.rows(self._best(query, both.c.term))]

    def _named(self, rows: Sequence[Counted], names: Callable[[Paper], Iterable[str]]) -> tuple[Counted, ...]:
        """The values as the first paper that has them writes them."""
        terms = [one.value for one in rows]
        firsts = [
            select(func.min(table.c.paper_key).label("key")).where(*of, table.c.term.in_(terms)).group_by(table.c.term)
            for table, of in ((facets, (facets.c.facet.in_(("venue", "keyword")),)), (key_phrases, ()))
        ]
        keys = {row.key for first in firsts for row in self.catalog.rows(first)}
        written: dict[str, str] = {}
        for paper in self.catalog.papers_by_key(sorted(keys)).values():
            for name in names(paper):
                written.setdefault(normal_name(name), name)
        return tuple(Counted(written.get(one.value, one.value), one.papers) for one in rows)
