"""The weights of `search.weights` applied to passages found; a passage has the weights of its paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from conspectus.catalog import key_phrases
from conspectus.search import weights
from conspectus.search.scored import Scored, ranked
from conspectus.search.weights import FloatVector

if TYPE_CHECKING:
    from conspectus.search.retrieve import Retriever


@dataclass(frozen=True, slots=True)
class _Table:
    """What passages are weighed by, a row for each: decimal years and citation counts (nan: not known), keywords."""

    years: FloatVector
    counts: FloatVector
    keywords: Sequence[Sequence[str]]

    @classmethod
    def of(cls, now: Retriever, found: Sequence[Scored], *, keywords: bool) -> _Table:
        """Of passages in their order; keywords only where they are asked for."""
        paper_of = now.catalog.papers_of_passages([one.key for one in found])
        keys = sorted(set(paper_of.values()))
        known = key_phrases.standings(now.catalog, keys)
        rows = [known[paper_of[one.key]] for one in found]
        years = [float("nan") if row.published is None else row.published for row in rows]
        counts = [float("nan") if row.cited_by is None else float(row.cited_by) for row in rows]
        terms = key_phrases.keywords(now.catalog, keys) if keywords else {}
        owned = [terms.get(paper_of[one.key], ()) for one in found]
        return cls(np.array(years, np.float64), np.array(counts, np.float64), owned)


def added(now: Retriever, found: Sequence[Scored], wanted: Sequence[str]) -> list[Scored]:
    """`score + keyword_weight keywords + recency_weight recency + citation_weight citations`, of what is switched on.

    Best first. Each factor is 0..1, so that no order is changed where the scores without weights differ by more than
    their sum.
    """
    own = now.settings
    table = _Table.of(now, found, keywords=bool(wanted))
    newest = min(float(np.nanmax(table.years, initial=0.0)), this_year())
    parts: dict[str, tuple[float, FloatVector]] = {}
    if wanted:
        parts["keywords"] = own.keyword_weight, weights.keywords(wanted, table.keywords)
    if own.recency:
        parts["recency"] = own.recency_weight, weights.recency(table.years, newest, own.half_life)
    if own.citations:
        parts["citations"] = own.citation_weight, weights.citations(table.counts, own.saturation)
    bonus = sum((weight * factor for weight, factor in parts.values()), np.zeros(len(found)))
    made = [
        one.with_score(one.score + float(bonus[row]), **{name: float(part[row]) for name, (_, part) in parts.items()})
        for row, one in enumerate(found)
    ]
    return ranked(made, now.catalog.reading_order)


def published(now: Retriever, found: Sequence[Scored], wanted: Sequence[str]) -> list[Scored]:
    """Best first, by the score times the weights that are switched on, as pathfinder has them (equations 1 and 2)."""
    own = now.settings
    table = _Table.of(now, found, keywords=bool(wanted))
    parts: dict[str, FloatVector] = {}
    if wanted:
        parts["keywords"] = weights.published_keywords(weights.keywords(wanted, table.keywords))
    if own.recency:
        parts["recency"] = weights.published_recency(table.years, this_year())
    if own.citations:
        parts["citations"] = weights.published_citations(table.counts)
    factor = np.prod([*parts.values(), np.ones(len(found))], axis=0)
    made = [
        one.with_score(one.score * float(factor[row]), **{name: float(part[row]) for name, part in parts.items()})
        for row, one in enumerate(found)
    ]
    return ranked(made, now.catalog.reading_order)


def this_year() -> float:
    """Now, as a decimal year."""
    today = datetime.now(UTC)
    start, end = (datetime(today.year + more, 1, 1, tzinfo=UTC) for more in (0, 1))
    return today.year + (today - start) / (end - start)
