"""Whole answers in JSON as types, as `encode` makes them: what a schema says of them, and what tests hold them against.

What a program is answered says its `schema` (`conspectus.VERB/1`), as the command line's `--json` does.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from conspectus import records
from conspectus.llm import sql as llm_sql
from conspectus.llm.sql import By
from conspectus.records import parsed
from conspectus.records.curation import Edit, PaperNote, Removal
from conspectus.records.jobs import JobState
from conspectus.wire import shapes
from conspectus.wire.shapes import ANSWER, AUDIT, CONSENSUS, PAPER, made, many, shape


def whole(title: str, verb: str, part: Any = None, /, **types: Any) -> Any:
    """The type of a whole answer: with its schema, the fields of a shape, and others."""
    own = {field.name: field.type for field in msgspec.structs.fields(part)} if part else {}
    doc = (part and part.__doc__) or ""
    return made(title, doc, schema=Literal[f"conspectus.{verb}/1"], **{**own, **types})


PROBLEM = made(
    "ProblemDetails",
    """What failed (RFC 9457).

    Attributes:
        type: the class of the error.
        hint: what to do.
        retry: whether the same request may succeed later.
    """,
    **{"type": str, "title": str, "status": int, "detail": str, "hint": str, "retry": bool},
)

FIGURES = whole("FigureResult", "figures.search", shapes.FIGURES)
FIGURE_CARD = whole("FigureCard", "figures.show", shapes.FIGURE_CARD)

# papers

REMOVED = whole("RemovedPapers", "remove", removed=many(PAPER), undo=str)
REMOVALS = whole("RemovalList", "removals", removals=many(Removal))
UNDONE = whole("RemovalUndone", "undo", paper=PAPER)
MENTION = made("Mention", "A sentence that mentions a figure.", text=str, page=int | None)
FIGURE = shape(records.Figure, caption=str, mentions=many(MENTION))
STRUCTURE = whole("StructureResult", "structure", blocks=many(records.Block), figures=many(FIGURE))
FOUND = whole("OccurrenceList", "find", words=str, found=many(parsed.Occurrence))
SPAN = whole("SpanResult", "span", paper=PAPER, passage=records.Passage, span=records.Span)

# curation

KEPT = whole("KeptOfPaper", "kept", tags=many(str), collections=many(str), notes=many(PaperNote), edits=many(Edit))
EDITED = whole("EditedPaper", "papers.edit", paper=PAPER, edits=many(Edit))


# files and care

_FILE = shape(
    records.LedgerRow, title="AddedFile", outcome=Literal["added", "updated", "unchanged", "failed", "duplicates"]
)
ADDED = shape(
    records.AddReport,
    ("files", "counts", "passed_over"),
    files=many(_FILE),
    counts=dict[str, int],
)
USAGE = whole("UsageResult", "models.usage", since=str, by=By, rows=many(llm_sql.Totals))
HEALTH = whole("HealthResult", "health", status=Literal["ok"], version=str, read_only=bool)

# answers

_SUMMARY = shape(records.Passage, title="SummaryPassage", model=str, prompt=str, made=str, links=many(many(str)))
SUMMARIES = whole("SummaryList", "summaries", paper=PAPER, summaries=many(_SUMMARY))
WITH_SUMMARIES = whole("SummarisedPapers", "summaries", papers=many(PAPER), next=str | None)
_SUMMARISED = made("Summarised", "A paper that has new summaries.", paper=str, passages=int, summaries=many(_SUMMARY))
_NOT = made("NotSummarised", "A paper that has none, and why.", paper=str, reason=str)
SUMMARISED = shape(records.SummariseReport, summarised=many(_SUMMARISED), failed=many(_NOT))

# jobs

JOB = made(
    "Job",
    "A job: its id, what it does, whether it has ended, and how many files, papers … failed in one that is done.",
    job=str,
    verb=str,
    state=JobState,
    failed=int,
)
JOBS = whole("JobList", "jobs", jobs=many(JOB))
BEGUN = whole("JobBegun", "job", JOB)
RESULTS: tuple[Any, ...] = (
    ADDED,
    ANSWER,
    AUDIT,
    CONSENSUS,
    shapes.SHAPES[records.SearchResult],
    SUMMARISED,
    many(records.Finding),
    many(records.Tried),
    many(str),
    int,
)
"""What jobs give in the end."""
