"""Reviews: what is kept of a ranking, a classification, a screening, a table or a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

ReviewKind = Literal["rank", "classify", "screen", "table", "report"]
NOUNS: Mapping[str, str] = {
    "rank": "ranking",
    "classify": "classification",
    "screen": "screening",
    "table": "table",
    "report": "report",
}
"""What a review of each kind is called in a sentence."""


@dataclass(frozen=True, slots=True)
class Review:
    """A review that is kept.

    Attributes:
        id: it stays when the review is renamed.
        kind: a key of `NOUNS`.
        spec: what was asked, as its kind has it: a criterion, categories, columns.
        papers: how many it works on.
        made, updated: ISO 8601, UTC.
    """

    id: str
    kind: ReviewKind
    name: str
    spec: Mapping[str, Any]
    papers: int
    made: str
    updated: str


@dataclass(frozen=True, slots=True)
class ReviewEntry:
    """What a review says of a paper, or of a pair of papers.

    Attributes:
        paper, other: ids of papers; `other` is "" where it is of one paper.
        field: a column, a label; "" where its kind has one thing to say only.
        by: `model:NAME`, `vectors`, `user`, or the name of a reviewer.
        value: without words of papers: sentences by the ids of their spans.
        made: ISO 8601, UTC; "" of one that is not stored yet.
        key: grows with time; 0 of one that is not stored yet.
    """

    paper: str
    field: str
    by: str
    value: Mapping[str, Any]
    other: str = ""
    made: str = ""
    key: int = 0
