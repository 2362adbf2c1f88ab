"""Where a citation's sentence stands."""

from __future__ import annotations

from conspectus.core.errors import NotFoundError
from conspectus.library.session import Session
from conspectus.library.summarising import summaries
from conspectus.records import Paper, Passage, Span


def citation(session: Session, span_id: str) -> tuple[Paper, Passage, Span]:
    """Where a citation's sentence stands.

    Args:
        span_id: a span's id as citations give it, or a passage's id (then its first sentence is meant).

    Raises:
        NotFoundError: the library has no such sentence (any more).
    """
    paper_id = span_id.partition(".")[0]
    for passage in session.catalog.passages(paper_id):
        for span in passage.spans:
            if span_id in (span.id, passage.id):
                return session.paper(paper_id), passage, span
    for summary in summaries(session, paper_id) if session.catalog.has_paper(paper_id) else ():
        if span_id == summary.passage.id or span_id in (span.id for span in summary.passage.spans):
            raise NotFoundError(
                f"'{span_id}' is of a summary that '{summary.model}' wrote; those are not the paper's words.",
                f"The sentences it rests on: {', '.join(summary.sources)}.",
            )
    raise NotFoundError(
        f"There is no sentence '{span_id}' in the library.",
        "`ask` and `search` show the ids; the paper may have been removed or edited.",
    )
