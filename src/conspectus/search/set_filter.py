"""An index that is asked for tags, collections and papers by name: the catalog knows their passages, as it is now.

They are not in the index, so that putting a paper into one does not change it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from conspectus.core.arrays import FloatArray
from conspectus.index.protocol import Candidate, SearchIndex, WordHits
from conspectus.records import Filters
from conspectus.records.filters import SETS, AllOf, Among, AnyOf, Condition, Not, Passes, all_of, any_of
from conspectus.store import user_data
from conspectus.store.connection import CatalogReader

_NONE: dict[str, Any] = dict.fromkeys((*SETS, "among"), ())


def filter_by_sets(index: SearchIndex, catalog: CatalogReader) -> SearchIndex:
    """The index, asked for the catalog's tags and collections too."""
    return cast(SearchIndex, _SetAwareIndex(index, catalog))


class _SetAwareIndex:
    """See `SearchIndex`: what has nothing to do with filters is that of the index."""

    def __init__(self, index: SearchIndex, catalog: CatalogReader) -> None:
        self._index = index
        self._catalog = catalog

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def beside(self, owner: str) -> SearchIndex:
        return filter_by_sets(self._index.beside(owner), self._catalog)

    def search_text(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        return self._index.search_text(query, k, *self._asked(filters, where))

    def search_vector(
        self, vector: FloatArray, k: int, filters: Filters, where: Condition | None = None
    ) -> list[Candidate]:
        return self._index.search_vector(vector, k, *self._asked(filters, where))

    def search_exact(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        return self._index.search_exact(query, k, *self._asked(filters, where))

    def newest(self, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        return self._index.newest(k, *self._asked(filters, where))

    def count(self, words: str, filters: Filters, where: Condition | None = None) -> WordHits:
        return self._index.count(words, *self._asked(filters, where))

    def _asked(self, filters: Filters, where: Condition | None) -> tuple[Filters, Condition | None]:
        """The same without tags, collections and names of papers, but for the passages that they have."""
        found = all_of([where and self._where(where), *self._among(filters)])
        return replace(filters, **_NONE), found

    def _among(self, filters: Filters) -> Iterator[Among]:
        user_data.check_sets(self._catalog, filters)
        for kind in SETS:
            if names := filters.terms(kind):
                yield Among(user_data.passages_in_sets(self._catalog, kind, names))
        if filters.among:
            yield Among(user_data.passages_among(self._catalog, filters.among))

    def _where(self, condition: Condition) -> Condition:
        match condition:
            case Passes(filters):
                left = replace(filters, **_NONE)
                found = all_of([*self._among(filters), Passes(left) if left else None])
                return found or condition
            case Not(part):
                return Not(self._where(part))
            case AllOf(parts):
                return all_of(map(self._where, parts)) or condition
            case AnyOf(parts):
                return any_of(map(self._where, parts))
            case _:
                return condition
