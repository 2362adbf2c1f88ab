"""Looking at papers: where a sentence stands, and pictures of pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conspectus.errors import NotFoundError, UsageError
from conspectus.library.session import Session
from conspectus.library.summarising import summaries_of
from conspectus.records import AuditReport, CitedWork, Filters, Paper, PaperDocument, ParsedPaper, Passage, Span

if TYPE_CHECKING:
    from PIL.Image import Image

    from conspectus.export.output import Output


def parsed(session: Session, name: str) -> ParsedPaper:
    """See `Library.parsed`."""
    from conspectus.ingest.merge import merge

    return merge(session.documents(session.paper(name)))


def documents(session: Session, name: str) -> tuple[PaperDocument, ...]:
    """See `Library.documents`."""
    from conspectus.ingest.splitting import described

    return described(session.documents(session.paper(name)))


def references(session: Session, name: str) -> tuple[CitedWork, ...]:
    """See `Library.references`."""
    from conspectus.ingest.cited import cited_works

    return cited_works(session.catalog, parsed(session, name).references)


def audit(session: Session, references: str | Path, *, online: bool | None) -> AuditReport:
    """See `Library.audit`."""
    from conspectus.references.audit import audit

    return audit(session.catalog, session.own_index(), references, session.settings, online=online)


def citation(session: Session, span_id: str) -> tuple[Paper, Passage, Span]:
    """See `Library.citation`."""
    paper_id = span_id.partition(".")[0]
    for passage in session.catalog.passages(paper_id):
        for span in passage.spans:
            if span_id in (span.id, passage.id):
                return session.paper(paper_id), passage, span
    for summary in summaries_of(session, paper_id) if session.catalog.has_paper(paper_id) else ():
        if span_id == summary.passage.id or span_id in (span.id for span in summary.passage.spans):
            raise NotFoundError(
                f"'{span_id}' is of a summary that '{summary.model}' wrote; those are not the paper's words.",
                f"The sentences it rests on: {', '.join(summary.sources)}.",
            )
    raise NotFoundError(
        f"There is no sentence '{span_id}' in the library.",
        "`conspectus ask` and `conspectus search` show the ids; the paper may have been removed or edited.",
    )


def page_of(session: Session, span_ids: Sequence[str], scale: float, page: int | None) -> Image:
    """See `Library.open`."""
    from conspectus.library import pictures

    found = [citation(session, one) for one in span_ids]
    if len({paper.id for paper, _, _ in found}) != 1:
        raise UsageError("A picture is of sentences of one paper.", "Name at least one, and those of others apart.")
    paper, spans = found[0][0], [span for _, _, span in found]
    return pictures.of_sentences(paper, session.documents(paper), spans, page, scale, session.settings.parse)


def structure_of(session: Session, name: str, page: int, scale: float) -> Image:
    """See `Library.inspect`."""
    from conspectus.library import pictures

    paper = session.paper(name)
    return pictures.of_structure(paper, session.documents(paper), page, scale, session.settings.parse)


def figure_of(session: Session, name: str, key: str, scale: float) -> Image:
    """See `Library.figure_image`."""
    from conspectus.library import pictures

    paper = session.paper(name)
    return pictures.of_figure(paper, session.documents(paper), key, scale, session.settings.parse)


def export(
    session: Session,
    to: str,
    output: Output,
    papers: Sequence[str],
    filters: Filters | None,
    files: bool | None,
    vectors: bool,
) -> int:
    """See `Library.export`."""
    from conspectus.export.output import export

    wanted = {session.paper(name).id for name in papers} if papers else None
    return export(session.catalog, to, output, wanted, filters, files, vectors)
