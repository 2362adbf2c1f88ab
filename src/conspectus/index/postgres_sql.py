"""Filters and conditions as SQL over the rows of the engine `postgres`."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from conspectus.index.postings import FIELDS
from conspectus.index.queries import Wording
from conspectus.records import FACETS, Filters
from conspectus.records.filters import HAS, AllOf, Among, AnyOf, Condition, Has, Not, Passes, Stands

LAST_YEAR = 9999
_FARTHEST = 1 << 14
"""The most places between two words of a phrase that a `tsquery` can have."""


class SqlConditions:
    """Makes conditions; none of them is ever NULL. `values` has their parameters."""

    def __init__(self, wording: Wording) -> None:
        self.values: dict[str, Any] = {}
        self._wording = wording

    def combine(self, filters: Filters, where: Condition | None) -> str:
        """What passes `filters` and `where`; "" where all does."""
        return " AND ".join([*self._filters(filters), *([self._render_condition(where)] if where else [])])

    def words(self, terms: Sequence[str]) -> str:
        """What has all of the terms, of which there is at least one, in title or text."""
        return self._matches(" & ".join(f"'{FIELDS['text']}{term}'" for term in terms))

    def _matches(self, query: str) -> str:
        return f"words @@ CAST({self._value(query)} AS tsquery)"

    def _value(self, value: Any) -> str:
        name = f"v{len(self.values)}"
        self.values[name] = value
        return f":{name}"

    def _render_condition(self, condition: Condition) -> str:
        match condition:
            case Stands():
                return self._stands(condition)
            case Passes(filters):
                return " AND ".join(self._filters(filters)) or "TRUE"
            case Has(thing):
                return self._facets(HAS, (thing,))
            case Among(keys):
                return f"key = ANY (CAST({self._value(list(keys))} AS bigint[]))"
            case AnyOf(parts) | AllOf(parts):
                joint = " OR " if isinstance(condition, AnyOf) else " AND "
                return "(" + joint.join(f"({self._render_condition(part)})" for part in parts) + ")"
            case Not(part):
                return f"NOT ({self._render_condition(part)})"

    def _stands(self, phrase: Stands) -> str:
        places = self._wording.places(phrase.words)
        query, last = "", 0
        for place, term in places:
            if place - last > _FARTHEST:
                return "FALSE"
            query += (f" <{place - last}> " if query else "") + f"'{FIELDS[phrase.where]}{term}'"
            last = place
        return self._matches(query) if query else "FALSE"

    def _filters(self, filters: Filters) -> list[str]:
        conditions = [f"kind = ANY ({self._value(list(filters.kind))})"] if filters.kind else []
        if filters.full_text is not None:
            conditions.append(f"full_text = {self._value(filters.full_text)}")
        if filters.year is not None:
            low, high = filters.year
            first = self._value(-LAST_YEAR if low is None else max(low, -LAST_YEAR))
            last = self._value(LAST_YEAR if high is None else min(high, LAST_YEAR))
            conditions.append(f"year IS NOT NULL AND year BETWEEN {first} AND {last}")
        terms = [(facet, filters.terms(facet)) for facet in FACETS]
        return conditions + [self._facets(facet, names) for facet, names in terms if names]

    def _facets(self, facet: str, names: Sequence[str]) -> str:
        return f"facets && CAST({self._value([facet_code(facet, name) for name in names])} AS bigint[])"


def facet_code(facet: str, name: str) -> int:
    """A number for what a paper has."""
    return int.from_bytes(blake2b(f"{facet}:{name}".encode(), digest_size=8).digest(), "big", signed=True)
