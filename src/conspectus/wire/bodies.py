"""Whole answers in JSON as types, as `encode` makes them: what a schema says of them, and what tests hold them against.

What a program is answered says its `schema` (`conspectus.VERB/1`), as the command line's `--json` does.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from conspectus import records
from conspectus.records import parsed_paper
from conspectus.records.curation import Edit, PaperNote
from conspectus.records.events import JobState
from conspectus.wire import shapes
from conspectus.wire.shapes import ANSWER, AUDIT, CONSENSUS, PAPER, list_of, shape, struct


def envelope(title: str, verb: str, part: Any = None, /, **types: Any) -> Any:
    """The type of a whole answer: with its schema, the fields of a shape, and others."""
    part_types = {field.name: field.type for field in msgspec.structs.fields(part)} if part else {}
    doc = (part and part.__doc__) or ""
    return struct(title, doc, schema=Literal[f"conspectus.{verb}/1"], **{**part_types, **types})


PROBLEM = struct(
    "ProblemDetails",
    """What failed (RFC 9457).

    Attributes:
        type: the class of the error.
        hint: what to do.
        retry: whether the same request may succeed later.
    """,
    **{"type": str, "title": str, "status": int, "detail": str, "hint": str, "retry": bool},
)

FIGURES = envelope("FigureResult", "figures.search", shapes.FIGURES)
FIGURE_CARD = envelope("FigureCard", "figures.show", shapes.FIGURE_CARD)

# papers

MENTION = struct("Mention", "A sentence that mentions a figure.", text=str, page=int | None)
FIGURE = shape(records.Figure, caption=str, mentions=list_of(MENTION))
STRUCTURE = envelope("StructureResult", "structure", blocks=list_of(records.Block), figures=list_of(FIGURE))
FOUND = envelope("OccurrenceList", "find", words=str, found=list_of(parsed_paper.Occurrence))
SPAN = envelope("SpanResult", "span", paper=PAPER, passage=records.Passage, span=records.Span)

# curation

KEPT = envelope(
    "KeptOfPaper", "kept", tags=list_of(str), collections=list_of(str), notes=list_of(PaperNote), edits=list_of(Edit)
)


# files and care

_FILE = shape(
    records.LedgerRow, title="AddedFile", outcome=Literal["added", "updated", "unchanged", "failed", "duplicates"]
)
ADDED = shape(
    records.AddReport,
    ("files", "counts", "passed_over", "library"),
    files=list_of(_FILE),
    counts=dict[str, int],
)
HEALTH = envelope("HealthResult", "health", status=Literal["ok"], version=str, read_only=bool, private=bool, quits=bool)

# answers

SUMMARIES = envelope("SummaryList", "summaries", paper=PAPER, summaries=list_of(shapes.SUMMARY))
WITH_SUMMARIES = envelope("SummarisedPapers", "summaries", papers=list_of(PAPER), next=str | None)
# jobs

JOB = struct(
    "Job",
    "A job: its id, what it does, whether it has ended, and how many files, papers … failed in one that is done.",
    job=str,
    verb=str,
    state=JobState,
    failed=int,
)
JOBS = envelope("JobList", "jobs", jobs=list_of(JOB))
BEGUN = envelope("JobBegun", "job", JOB)
RESULTS: tuple[Any, ...] = (
    ADDED,
    ANSWER,
    AUDIT,
    CONSENSUS,
    shapes.SHAPES[records.SearchResult],
    shapes.SHAPES[records.SummariseReport],
    list_of(records.Finding),
    list_of(records.Tried),
    list_of(str),
    int,
)
"""What jobs give in the end."""
