"""Sources of summaries: the papers' own sentences, in the passages that contain them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conspectus.core.groups import grouped
from conspectus.records import Passage, Span, Summary
from conspectus.store import summaries
from conspectus.store.catalog import Catalog
from conspectus.store.rows import StoredPassage, StoredSummary


@dataclass(frozen=True, slots=True)
class SummarySource:
    """A paper's own passage, by its key, and those of its spans that a summary rests on."""

    key: int
    passage: Passage
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class TracedSummary:
    """A summary with its sources, in the order of the paper; each sentence in one passage only."""

    summary: Summary
    sources: tuple[SummarySource, ...]


def trace_summaries(catalog: Catalog, keys: Sequence[int]) -> dict[int, TracedSummary]:
    """Those of the passages, by key, that are summaries, with what they rest on."""
    found = summaries.by_key(catalog, keys)
    stored = catalog.passages_of(sorted({one.paper_key for one in found.values()})).values()
    own = grouped((one.paper_key, one) for one in stored)
    return {key: TracedSummary(one.summary, _sources(one, own.get(one.paper_key, []))) for key, one in found.items()}


def _sources(one: StoredSummary, own: Sequence[StoredPassage]) -> tuple[SummarySource, ...]:
    """As few passages as have all sentences: each time the one with most of those that are left."""
    left = set(one.summary.sources)
    having = {stored.key: {span.id for span in stored.passage.spans} & left for stored in own}
    chosen: list[SummarySource] = []
    while left:
        best = max(own, key=lambda stored: (len(having[stored.key] & left), -stored.passage.ordinal), default=None)
        taken = having[best.key] & left if best else set()
        if best is None or not taken:  # never: a summary goes when a sentence of it does
            break
        spans = tuple(span for span in best.passage.spans if span.id in taken)
        chosen.append(SummarySource(best.key, best.passage, spans))
        left -= taken
    return tuple(sorted(chosen, key=lambda source: source.passage.ordinal))
