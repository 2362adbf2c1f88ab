"""Summaries and the papers they were made of: which still hold when a paper is written anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conspectus.catalog import summaries
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.rows import Draft, StoredSummary
from conspectus.records import Summary


def keep_summaries(catalog: Catalog, drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts with those of their papers' summaries that still hold.

    They hold as long as the paper has the same sentences in the same order, whatever is known of it otherwise and
    however it is cut. Else none is kept: what a model wrote of the paper as it was may say what it no longer says.
    """
    stored = summaries.of_papers(catalog, [draft.key for draft in drafts if draft.key])
    return [_with(draft, stored[draft.key]) if draft.key in stored else draft for draft in drafts]


def _with(draft: Draft, stored: Sequence[StoredSummary]) -> Draft:
    digest = summaries.digest_of(draft.passages)
    holding = [one.summary for one in stored if one.summary.digest == digest]
    return replace(draft, summaries=tuple(behind(holding, len(draft.passages))))


def behind(made: Sequence[Summary], passages: int) -> list[Summary]:
    """Summaries numbered as what comes after so many passages."""
    return [
        replace(summary, passage=replace(summary.passage, ordinal=number))
        for number, summary in enumerate(made, passages)
    ]
