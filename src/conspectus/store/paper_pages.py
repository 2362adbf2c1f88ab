"""Papers in an order, page by page, and how many there are of each year, venue, keyword …"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

import msgspec
from sqlalchemy import ColumnElement, Select, and_, exists, false, func, not_, select, tuple_, union

from conspectus.core.errors import UsageError
from conspectus.records import Filters, Paper, normal_name
from conspectus.records.filters import SETS, facet_forms, set_term
from conspectus.records.results import FacetCounts, PaperCounts, PaperOrder, PaperPage, PaperSort
from conspectus.store import user_data
from conspectus.store.catalog import Catalog
from conspectus.store.facets import count_papers, filter_conditions
from conspectus.store.schema import SUMMARY, facets, key_phrases, papers, passages

_COLUMNS = {"year": papers.c.year, "cited": papers.c.cited_by}
_Number = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**63 - 1)]
_DOWNWARDS = ("year", "cited")
"""Orders that begin with the greatest, if nothing else is said."""


@dataclass(frozen=True, slots=True)
class RowPlace:
    """A row of the table: what it is sorted by (None: the paper has none; those come last), and its paper's key."""

    value: str | int | None
    key: int

    def to_text(self, sort: PaperSort) -> str:
        """As a text that names the order, too: numbers of one order could else be taken for those of another."""
        return base64.urlsafe_b64encode(msgspec.json.encode((sort, self.value, self.key))).decode().rstrip("=")


def place_of(text: str, sort: PaperSort) -> RowPlace:
    """The inverse of `RowPlace.written`.

    Raises:
        UsageError: it is none, or of another order.
    """
    numbers: Any = tuple[str, _Number | None, _Number]
    kind: Any = numbers if sort == "added" or sort in _COLUMNS else tuple[str, str | None, _Number]
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        of, value, key = msgspec.json.decode(raw, type=kind)
        if of != sort:
            raise ValueError(of)
    except (ValueError, msgspec.MsgspecError) as error:
        raise UsageError(f"'{text}' is no place in the list.", "Give `next` of the page before.") from error
    return RowPlace(value, key)


@dataclass(frozen=True, slots=True)
class PaperTable:
    """The papers that pass filters, in an order.

    Attributes:
        filters: which papers.
        text: words, each of which stands somewhere in the title or an author's name, also within a word.
        sort: by what.
        order: "": from the greatest down where numbers are sorted, else from the least up.
    """

    filters: Filters = Filters()
    text: str = ""
    sort: PaperSort = "added"
    order: PaperOrder = ""

    def page(self, catalog: Catalog, after: str, offset: int, limit: int) -> PaperPage:
        """The papers behind the place `after` ("": from the first), without the first `offset` of them."""
        begin = place_of(after, self.sort) if after else None
        total = self.count(catalog) if begin is None else None
        rows = self._rows(catalog, begin, offset, limit + 1)
        paper_by_key = catalog.papers_by_key([row.key for row in rows[:limit]])
        more = rows[limit - 1].to_text(self.sort) if len(rows) > limit else ""
        return PaperPage(tuple(paper_by_key[row.key] for row in rows[:limit] if row.key in paper_by_key), more, total)

    def count(self, catalog: Catalog) -> int:
        """How many papers there are."""
        if not self.text:
            return count_papers(catalog, self.filters)
        return int(catalog.scalar(self._restrict(select(func.count()).select_from(papers))))

    def _rows(self, catalog: Catalog, begin: RowPlace | None, offset: int, limit: int) -> list[RowPlace]:
        """First those that have what they are sorted by, then the others."""
        places: list[RowPlace] = []
        if begin is None or begin.value is not None:
            known = self._restrict(self._select_known())
            places = _places(catalog, self._behind(known, begin).offset(offset).limit(limit))
            if len(places) == limit or self.sort == "added":
                return places
            if offset and not places:
                all_rows = self._behind(known, begin).order_by(None).subquery()
                offset -= int(catalog.scalar(select(func.count()).select_from(all_rows)))
            else:
                offset = 0
        after = begin.key if begin and begin.value is None else 0
        rest = self._restrict(self._unknown()).where(papers.c.key > after).order_by(papers.c.key)
        return places + _places(catalog, rest.offset(offset).limit(limit - len(places)))

    @property
    def _value(self) -> Any:
        return papers.c.key if self.sort == "added" else _COLUMNS.get(self.sort, facets.c.term)

    @property
    def _key(self) -> Any:
        """The paper's key in the table that is sorted, so that its index gives the order."""
        return papers.c.key if self.sort == "added" or self.sort in _COLUMNS else facets.c.paper_key

    def _select_known(self) -> Select[Any]:
        query, of_sort = select(self._value.label("value"), papers.c.key), facets.c.facet == self.sort
        if self.sort in _COLUMNS:
            return query.where(self._value.is_not(None))
        if self.sort == "added":
            return query
        if not self.filters and not self.text:  # of what all papers have, the index alone gives the order
            return select(facets.c.term.label("value"), facets.c.paper_key.label("key")).where(of_sort)
        return query.join(facets, and_(facets.c.paper_key == papers.c.key, of_sort))

    def _unknown(self) -> Select[Any]:
        query = select(papers.c.key)
        if self.sort in _COLUMNS:
            return query.where(self._value.is_(None))
        return query.where(~exists().where(facets.c.paper_key == papers.c.key, facets.c.facet == self.sort))

    def _behind(self, query: Select[Any], begin: RowPlace | None) -> Select[Any]:
        columns = (self._value, self._key)
        downwards = self.order == "desc" or (not self.order and self.sort in _DOWNWARDS)
        if begin is not None:
            place = tuple_(begin.value, begin.key)
            query = query.where(tuple_(*columns) < place if downwards else tuple_(*columns) > place)
        return query.order_by(*(column.desc() if downwards else column for column in columns))

    def _restrict(self, query: Select[Any]) -> Select[Any]:
        name_facets = select(facets.c.paper_key).where(facets.c.facet.in_(("title", "author")))
        words = normal_name(self.text).split()
        stand: list[ColumnElement[bool]] = [
            papers.c.key.in_(name_facets.where(facets.c.term.contains(word, autoescape=True))) for word in words
        ]
        if self.text.strip() and not words:  # signs alone are no word of any title
            stand = [false()]
        return query.where(*filter_conditions(self.filters), *stand)


def _places(catalog: Catalog, query: Select[Any]) -> list[RowPlace]:
    return [RowPlace(getattr(row, "value", None), row.key) for row in catalog.rows(query)]


_FEW_PAPERS = 5000
"""Papers that are named one by one in a question."""
_CANDIDATE_TERMS = 3
"""Times so many keywords as are told are counted exactly: two tables have some, and a paper may have one in both."""


_NAMES: Mapping[str, Callable[[Paper], Iterable[str]]] = {
    "venue": lambda paper: [paper.venue],
    "author": lambda paper: [name for author in paper.authors for name in (author.name, author.surname)],
    "keyword": lambda paper: [*paper.keywords, *paper.key_phrases],
}
"""Facet -> what a paper has of it, as it writes it."""


def count_facets(
    catalog: Catalog,
    filters: Filters,
    keys: Sequence[int] | None,
    most: int,
    is_subject: Callable[[str], bool] = lambda _: True,
) -> FacetCounts:
    """How many papers that pass the filters, or of those with the keys, there are of each value; `most` of each.

    `is_subject` chooses among key phrases that no author gave as a keyword.
    """
    user_data.check_sets(catalog, filters)
    with catalog.snapshot() as now:
        return _FacetCounter(now, filters, keys, most).all(is_subject)


def count_terms(catalog: Catalog, facet: str) -> tuple[PaperCounts, ...]:
    """All terms of a facet, those that most papers have first; key phrases are keywords, too."""
    facet_query = select(facets.c.term).where(facets.c.facet == facet), facets.c.term
    phrases = select(key_phrases.c.term), key_phrases.c.term
    sums: dict[str, int] = {}
    with catalog.snapshot() as now:
        for rows, term in (facet_query, phrases) if facet == "keyword" else (facet_query,):
            counted = rows.with_only_columns(term.label("value"), func.count().label("papers")).group_by(term)
            for row in now.rows(counted):
                sums[row.value] = max(sums.get(row.value, 0), row.papers)
    return tuple(PaperCounts(*pair) for pair in sorted(sums.items(), key=lambda pair: (-pair[1], pair[0])))


def find_values(
    catalog: Catalog, facet: str, starts: str, most: int, terms: Sequence[PaperCounts]
) -> tuple[PaperCounts, ...]:
    """Values of a facet, or names of tags or collections, of which a word begins with `starts`; the frequent first.

    `terms`: what `count_terms` gives. They are kept between two letters that somebody types.
    """
    if facet in SETS:
        begins = f" {set_term(starts)}"
        known = [
            paper_set
            for paper_set in user_data.list_sets(catalog, facet)  # type: ignore[arg-type]
            if begins in f" {set_term(paper_set.name)}"
        ]
        return tuple(
            PaperCounts(paper_set.name, paper_set.papers)
            for paper_set in sorted(known, key=lambda paper_set: -paper_set.papers)[:most]
        )
    letters = normal_name(starts)
    if starts.strip() and not letters:  # signs alone
        return ()
    with catalog.snapshot() as now:
        return _FacetCounter(now, Filters(), None, most).find_prefixed(facet, letters, terms)


class _FacetCounter:
    def __init__(self, catalog: Catalog, filters: Filters, keys: Sequence[int] | None, most: int) -> None:
        self.catalog, self.most, self.best = catalog, most, keys is not None
        conditions = [papers.c.key.in_(keys)] if keys is not None else filter_conditions(filters)
        if conditions and keys is None:  # few are named by their keys, else each question looks for them again
            paper_keys = [
                row.key for row in catalog.rows(select(papers.c.key).where(*conditions).limit(_FEW_PAPERS + 1))
            ]
            conditions = [papers.c.key.in_(paper_keys)] if len(paper_keys) <= _FEW_PAPERS else conditions
        self.papers = self._count(*conditions)
        self._matching = select(papers.c.key).where(*conditions) if conditions else None
        self._others: Select[Any] | None = None
        if self._matching is not None and not self.best:
            others = self._count() - self.papers
            if others == 0:
                self._matching = None
            elif others < self.papers:
                self._others = select(papers.c.key).where(not_(and_(*conditions)))

    def _count(self, *conditions: Any) -> int:
        return int(self.catalog.scalar(select(func.count()).select_from(papers).where(*conditions)))

    def all(self, is_subject: Callable[[str], bool]) -> FacetCounts:
        """All counts."""
        years = select(papers.c.year.label("value"), func.count().label("papers")).where(papers.c.year.is_not(None))
        kinds = select(passages.c.kind.label("value"), func.count(passages.c.paper_key.distinct()).label("papers"))
        kinds = self._best(kinds.where(passages.c.kind != SUMMARY), passages.c.kind)
        return FacetCounts(
            self.papers,
            self.best,
            tuple(self._rows(years.group_by(papers.c.year).order_by(papers.c.year), papers.c.key)),
            self._name_values(self._terms("venue"), "venue"),
            self._name_values(self._keywords(is_subject), "keyword"),
            tuple(self._terms("language")),
            tuple(self._rows(kinds, passages.c.paper_key)),
        )

    def find_prefixed(self, facet: str, letters: str, terms: Sequence[PaperCounts]) -> tuple[PaperCounts, ...]:
        """The values of which a word begins with letters, as papers write them."""
        inner = f" {letters}"
        begins = (term for term in terms if term.value.startswith(letters) or inner in term.value)
        often = list(islice(begins, self.most * _CANDIDATE_TERMS))
        return self._name_values(often, facet, only_written=facet == "author")[: self.most]

    def _of(self, query: Select[Any], column: Any) -> Select[Any]:
        if self._others is not None:  # `+ 0`: the rows are gone through by their terms, not looked up paper by paper
            return query.where((column + 0).not_in(self._others))
        return query if self._matching is None else query.where(column.in_(self._matching))

    def _best(self, query: Select[Any], value: Any) -> Select[Any]:
        return query.group_by(value).order_by(func.count().desc(), value).limit(self.most)

    def _rows(self, query: Select[Any], column: Any) -> Iterable[PaperCounts]:
        return (PaperCounts(str(row.value), row.papers) for row in self.catalog.rows(self._of(query, column)))

    def _terms(self, facet: str, most: int = 1) -> list[PaperCounts]:
        query = select(facets.c.term.label("value"), func.count().label("papers")).where(facets.c.facet == facet)
        return list(self._rows(self._best(query, facets.c.term).limit(self.most * most), facets.c.paper_key))

    def _keywords(self, is_subject: Callable[[str], bool]) -> list[PaperCounts]:
        """Of sources and of the papers' own words; the most frequent of both, each paper counted once."""
        phrases = select(key_phrases.c.term.label("value"), func.count().label("papers"))
        often = self._best(phrases, key_phrases.c.term).limit(self.most * _CANDIDATE_TERMS)
        sums: Counter[str] = Counter()
        authors = self._terms("keyword", _CANDIDATE_TERMS)
        phrase_counts = [phrase for phrase in self._rows(often, key_phrases.c.paper_key) if is_subject(phrase.value)]
        for keyword in (*authors, *phrase_counts):
            sums[keyword.value] += keyword.papers
        likely = [term for term, _ in sums.most_common(self.most * _CANDIDATE_TERMS)]
        keyword_rows = select(facets.c.paper_key, facets.c.term).where(
            facets.c.facet == "keyword", facets.c.term.in_(likely)
        )
        phrased = select(key_phrases.c.paper_key, key_phrases.c.term).where(key_phrases.c.term.in_(likely))
        both = union(self._of(keyword_rows, facets.c.paper_key), self._of(phrased, key_phrases.c.paper_key)).subquery()
        query = select(both.c.term.label("value"), func.count().label("papers"))
        return [PaperCounts(row.value, row.papers) for row in self.catalog.rows(self._best(query, both.c.term))]

    def _name_values(
        self, rows: Sequence[PaperCounts], facet: str, *, only_written: bool = False
    ) -> tuple[PaperCounts, ...]:
        """The values as the first paper that has them writes them; or only those that papers write so."""
        terms = [row.value for row in rows]
        firsts = [
            select(func.min(table.c.paper_key).label("key")).where(*of, table.c.term.in_(terms)).group_by(table.c.term)
            for table, of in ((facets, (facets.c.facet.in_(list(_NAMES)),)), (key_phrases, ()))
        ]
        keys = {row.key for first in firsts for row in self.catalog.rows(first)}
        written: dict[str, str] = {}
        for paper in self.catalog.papers_by_key(sorted(keys)).values():
            for name in _NAMES[facet](paper):
                written.setdefault(facet_forms(facet, name)[0], name)
        kept_rows = [row for row in rows if row.value in written] if only_written else rows
        return tuple(PaperCounts(written.get(row.value, row.value), row.papers) for row in kept_rows)
