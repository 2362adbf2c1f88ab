"""Papers as a table shows them: in an order, page by page, by what stands in their titles and authors' names.

A page begins behind the last row of the one before (keyset), so that each takes the same time however many there are.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from sqlalchemy import ColumnElement, Select, and_, exists, false, func, select, tuple_

from conspectus.catalog.catalog import Catalog
from conspectus.catalog.filter_clauses import conditions, count_papers
from conspectus.catalog.schema import facets, papers
from conspectus.core.errors import UsageError
from conspectus.records import Filters, normal_name
from conspectus.records.results import PaperOrder, PaperPage, PaperSort

_COLUMNS = {"year": papers.c.year, "cited": papers.c.cited_by}
_Number = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**63 - 1)]
_DOWNWARDS = ("year", "cited")
"""Orders that begin with the greatest, if nothing else is said."""


@dataclass(frozen=True, slots=True)
class Place:
    """A row of the table: what it is sorted by (None: the paper has none; those come last), and its paper's key."""

    value: str | int | None
    key: int

    def written(self, sort: PaperSort) -> str:
        """As a text that names the order, too: numbers of one order could else be taken for those of another."""
        return base64.urlsafe_b64encode(msgspec.json.encode((sort, self.value, self.key))).decode().rstrip("=")


def place_of(text: str, sort: PaperSort) -> Place:
    """The inverse of `Place.written`.

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
    return Place(value, key)


@dataclass(frozen=True, slots=True)
class Table:
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
        found = catalog.papers_by_key([row.key for row in rows[:limit]])
        more = rows[limit - 1].written(self.sort) if len(rows) > limit else ""
        return PaperPage(tuple(found[row.key] for row in rows[:limit] if row.key in found), more, total)

    def count(self, catalog: Catalog) -> int:
        """How many papers there are."""
        if not self.text:
            return count_papers(catalog, self.filters)
        return int(catalog.scalar(self._wanted(select(func.count()).select_from(papers))))

    def _rows(self, catalog: Catalog, begin: Place | None, offset: int, limit: int) -> list[Place]:
        """First those that have what they are sorted by, then the others."""
        found: list[Place] = []
        if begin is None or begin.value is not None:
            known = self._wanted(self._known())
            found = _places(catalog, self._behind(known, begin).offset(offset).limit(limit))
            if len(found) == limit or self.sort == "added":
                return found
            if offset and not found:
                whole = self._behind(known, begin).order_by(None).subquery()
                offset -= int(catalog.scalar(select(func.count()).select_from(whole)))
            else:
                offset = 0
        after = begin.key if begin and begin.value is None else 0
        rest = self._wanted(self._unknown()).where(papers.c.key > after).order_by(papers.c.key)
        return found + _places(catalog, rest.offset(offset).limit(limit - len(found)))

    @property
    def _value(self) -> Any:
        return papers.c.key if self.sort == "added" else _COLUMNS.get(self.sort, facets.c.term)

    @property
    def _key(self) -> Any:
        """The paper's key in the table that is sorted, so that its index gives the order."""
        return papers.c.key if self.sort == "added" or self.sort in _COLUMNS else facets.c.paper_key

    def _known(self) -> Select[Any]:
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

    def _behind(self, query: Select[Any], begin: Place | None) -> Select[Any]:
        columns = (self._value, self._key)
        downwards = self.order == "desc" or (not self.order and self.sort in _DOWNWARDS)
        if begin is not None:
            place = tuple_(begin.value, begin.key)
            query = query.where(tuple_(*columns) < place if downwards else tuple_(*columns) > place)
        return query.order_by(*(column.desc() if downwards else column for column in columns))

    def _wanted(self, query: Select[Any]) -> Select[Any]:
        named = select(facets.c.paper_key).where(facets.c.facet.in_(("title", "author")))
        words = normal_name(self.text).split()
        stand: list[ColumnElement[bool]] = [
            papers.c.key.in_(named.where(facets.c.term.contains(word, autoescape=True))) for word in words
        ]
        if self.text.strip() and not words:  # signs alone are no word of any title
            stand = [false()]
        return query.where(*conditions(self.filters), *stand)


def _places(catalog: Catalog, query: Select[Any]) -> list[Place]:
    return [Place(getattr(row, "value", None), row.key) for row in catalog.rows(query)]
