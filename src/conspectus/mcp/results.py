"""What the tools return: small enough for a model to read, each quote with the ids that lead back to it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import Any

from mcp.types import CallToolResult, ContentBlock, ImageContent, ResourceLink, TextContent
from pydantic import BaseModel, Field

from conspectus.records import (
    AddReport,
    Answer,
    Citation,
    CitedFigure,
    Paper,
    Passage,
)
from conspectus.records.views import pick_fields

QUOTE = 600
"""Characters of a quote in a list; `get_passage` has the whole."""
LINKS = 20


class PaperCard(BaseModel):
    """A paper, named."""

    id: str
    title: str
    authors: list[str] = Field(description="The first three")
    year: int | None
    venue: str
    doi: str


class Quote(BaseModel):
    """A paper's own words, and the ids of the sentences."""

    paper: PaperCard
    passage_id: str
    span_ids: list[str]
    quote: str
    page: int | None


class StatementCard(BaseModel):
    """A statement of an answer, whether the check found it carried by its quotes, and these."""

    text: str
    status: str
    why: str
    citations: list[Quote]


class CitedFigureCard(BaseModel):
    """A figure or a table that citations of an answer rest on; `caption` is the paper's own words."""

    id: str
    paper: PaperCard
    kind: str
    label: str
    caption: str
    page: int | None
    by: str = Field(description="caption: its caption or rows are cited; mention: sentences that speak of it")
    span_ids: list[str] = Field(description="the sentences cited")
    reading: str = Field(description="what a model reads in the picture: its words, not the paper's, not to be quoted")


class AnswerCard(BaseModel):
    """An answer; where `answered` is false `reason` says why, and nothing is to be made up instead."""

    id: str
    question: str
    answered: bool
    reason: str
    statements: list[StatementCard]
    figures: list[CitedFigureCard] = Field(description="what the citations rest on; the first pictures are with them")
    closest: Quote | None = Field(description="where it is not answered, the sentence that comes closest")
    note: str


class PassageCard(BaseModel):
    """A passage, whole, with its sentences."""

    paper: PaperCard
    passage_id: str
    section: str
    kind: str
    text: str
    sentences: list[dict[str, Any]] = Field(description="id, text and pages of each sentence")


class PaperWhole(PaperCard):
    """A paper with its abstract and what is known of it."""

    abstract: str
    keywords: list[str]
    has_full_text: bool
    passages: list[dict[str, str]] = Field(description="id, section and kind of each passage")
    more: int = Field(description="passages that are not listed")


class Added(BaseModel):
    """What became of the files."""

    added: list[str]
    updated: list[str]
    unchanged: int
    failed: dict[str, str]


def card(paper: Paper) -> PaperCard:
    """A paper, named."""
    return PaperCard(**_describe_paper(paper))


def _describe_paper(paper: Paper) -> dict[str, Any]:
    authors = [author.name for author in paper.authors[:3]] + (["et al."] if len(paper.authors) > 3 else [])
    fields = pick_fields(paper, "id", "year", "venue")
    return {**fields, "title": paper.heading, "authors": authors, "doi": paper.doi or ""}


def quote(cited: Citation) -> Quote:
    """What is cited."""
    pages = [place.page for span in cited.spans for place in span.places]
    return Quote(
        paper=card(cited.paper),
        passage_id=cited.passage_id,
        span_ids=[span.id for span in cited.spans],
        quote=_short(cited.quote),
        page=pages[0] if pages else None,
    )


def _with(result: CallToolResult, pictures: Sequence[bytes]) -> CallToolResult:
    images = [
        ImageContent(type="image", data=b64encode(picture).decode(), mime_type="image/png") for picture in pictures
    ]
    return result.model_copy(update={"content": [*result.content, *images]})


def _cited(cited_figure: CitedFigure) -> CitedFigureCard:
    figure = cited_figure.figure
    return CitedFigureCard(
        paper=card(figure.paper),
        caption=_short(figure.caption),
        by=cited_figure.by,
        span_ids=list(cited_figure.spans),
        reading="\n".join((f"{read.label} {read.display_text}", *read.values))
        if (read := cited_figure.reading)
        else "",
        **pick_fields(figure, "id", "kind", "label", "page"),
    )


def answer(record: Answer, pictures: Sequence[bytes] = ()) -> CallToolResult:
    """An answer, with the pictures (PNG) of some of its figures."""
    statements = [
        StatementCard(
            citations=list(map(quote, statement.citations)), **pick_fields(statement, "text", "status", "why")
        )
        for statement in record.statements
    ]
    fields = pick_fields(record, "id", "question", "answered", "reason", "note")
    closest = quote(record.closest) if record.closest else None
    body = AnswerCard(statements=statements, figures=list(map(_cited, record.figures)), closest=closest, **fields)
    lines = [] if record.answered else [f"Not answered: {record.reason}"]
    lines += [f"The closest sentence:\n{quoted(closest)}"] if closest else []
    for statement in statements:
        lines += [f"{statement.text} ({statement.status})", *map(quoted, statement.citations)]
    for figure in body.figures:
        lines.append(
            f"{figure.label or figure.kind} of {line_of(figure.paper)} [{figure.id}]\n   {figure.caption[:300]}"
        )
        lines.append(figure.reading)
    papers = [cited.paper for statement in statements for cited in statement.citations]
    papers += [closest.paper] if closest else []
    return _with(result_of(body, [*lines, record.note], papers), pictures)


def passage(paper: Paper, record: Passage) -> CallToolResult:
    """A passage, whole."""
    sentences = [
        {"id": span.id, "text": span.text, "pages": sorted({place.page for place in span.places})}
        for span in record.spans
    ]
    fields = pick_fields(record, "section", "kind", "text")
    body = PassageCard(paper=card(paper), passage_id=record.id, sentences=sentences, **fields)
    return result_of(body, [line_of(body.paper), record.text], [body.paper])


def make_paper_result(paper: Paper, passages: Sequence[Passage], most: int) -> CallToolResult:
    """A paper."""
    body = PaperWhole(
        **_describe_paper(paper),
        **pick_fields(paper, "abstract", "has_full_text"),
        keywords=list(paper.keywords),
        passages=[pick_fields(part, "id", "section", "kind") for part in passages[:most]],
        more=max(0, len(passages) - most),
    )
    return result_of(body, [line_of(body), paper.abstract], [body])


def added(report: AddReport) -> CallToolResult:
    """What became of files."""
    body = Added(
        added=[row.path for row in report.added],
        updated=[row.path for row in report.updated],
        unchanged=len(report.unchanged),
        failed={row.path: row.reason for row in report.failed},
    )
    summary = f"Added {len(body.added)}, updated {len(body.updated)}, unchanged {body.unchanged}."
    return result_of(body, [summary, *(f"{path}: {why}" for path, why in body.failed.items())], ())


def result_of(body: BaseModel, lines: Iterable[str], papers: Iterable[PaperCard]) -> CallToolResult:
    """The result for hosts that read its structure, and in words for those that only read text."""
    links: dict[str, ContentBlock] = {
        paper.id: ResourceLink(
            type="resource_link", uri=f"conspectus://paper/{paper.id}", name=paper.title[:100] or paper.id
        )
        for paper in papers
    }
    text = TextContent(type="text", text="\n".join(line for line in lines if line) or "Nothing was found.")
    return CallToolResult(content=[text, *list(links.values())[:LINKS]], structured_content=body.model_dump())


def line_of(paper: PaperCard) -> str:
    """A paper in a line."""
    by = f"{paper.authors[0]}{' et al.' if len(paper.authors) > 1 else ''}" if paper.authors else ""
    return f"{paper.title} ({', '.join(str(part) for part in (by, paper.year) if part)})"


def quoted(quote_card: Quote) -> str:
    """A quote in a line, with the ids of its sentences."""
    return f'   "{quote_card.quote}" — {line_of(quote_card.paper)} [{", ".join(quote_card.span_ids)}]'


def _short(text: str) -> str:
    return text if len(text) <= QUOTE else f"{text[: QUOTE - 1]}…"
