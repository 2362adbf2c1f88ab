"""How papers are called in an answer."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_lowercase
from typing import TYPE_CHECKING

from conspectus.core.grouped import grouped

if TYPE_CHECKING:
    from conspectus.records.paper import Paper


def labels(papers: Iterable[Paper]) -> dict[str, str]:
    """How each paper is called, by its id; a letter tells apart those of the same author and year."""
    unique = {paper.id: paper for paper in papers}
    shared = grouped((paper.label, paper.id) for paper in unique.values())
    return {
        paper_id: label + (ascii_lowercase[number % 26] if len(ids) > 1 else "")
        for label, ids in shared.items()
        for number, paper_id in enumerate(ids)
    }
