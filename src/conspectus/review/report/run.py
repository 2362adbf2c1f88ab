"""Make a report, go on with one, or write a section of one again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from conspectus.answer.stored_answers import make_title
from conspectus.core.errors import NotFoundError, UnavailableError, UsageError
from conspectus.records import Filters
from conspectus.records.review import LiteratureReport, Review
from conspectus.review.report import store
from conspectus.review.report.store import TABLE
from conspectus.review.report.writer import (
    AGREEMENT,
    ReportRequest,
    add_consensus,
    find_disagreements,
    outline,
    write_sections,
    writes,
)
from conspectus.review.sql import create_review, filters_of, find_review
from conspectus.session.session import Session


def make_request(question: str, filters: Filters | None, **options: Any) -> ReportRequest:
    """What a report is to be.

    Raises:
        UsageError: an empty question.
    """
    from conspectus.search.query_syntax import check_query

    question = " ".join(check_query(question).split())
    if not question:
        raise UsageError("The question is empty.", "Ask something in words.")
    return ReportRequest(question, filters or Filters(), **options)


def run_report(
    session: Session, request: ReportRequest, name: str, *, only_outline: bool, parts: Sequence[str]
) -> LiteratureReport:
    """Make a report, or do what is left of one of the same name and question; see `ReportVerbs.report`."""
    review = _begin(session, request, name, parts)
    if review.spec.get("stage") == "begun":
        outline(session, review, request)
        review = store.find_report(session, review.id)
    sections = store.load_sections(session, review)
    if sections and not only_outline and writes(session, request.model):
        if left := [
            section
            for section in sections
            if section.state == "quoted" and section.answer.evidence and not section.kept
        ]:
            store.note_stage(session, review, "writing", write_sections(session, review, request, left))
        if review.spec.get("stage") != "compared":
            note = find_disagreements(session, review, request)
            store.note_stage(session, review, "comparing", note, stage="" if note else "compared")
        if "consensus" in review.spec.get("with", ()) and AGREEMENT not in {section.title for section in sections}:
            store.note_stage(session, review, "agreeing", add_consensus(session, review, request))
    return store.load_report(session, review.id)


def _begin(session: Session, request: ReportRequest, name: str, parts: Sequence[str]) -> Review:
    """The report of this name and question, as it is kept; begun where there is none."""
    name, parts = name or make_title(request.question), _parts(session, parts)
    try:
        review = store.find_report(session, name)
    except NotFoundError:
        spec = {
            "question": request.question,
            "filters": msgspec.to_builtins(request.filters),
            "sections": [],
            "stage": "begun",
            "with": parts,
        }
        return create_review(session, "report", name, spec, ())
    if review.spec["question"] != request.question or filters_of(review) != request.filters:
        raise UsageError(
            f"There is a report '{review.name}' already, on another question or other papers.",
            "Give this one another `name`.",
        )
    return review


def _parts(session: Session, parts: Sequence[str]) -> list[str]:
    """What else is to be in a report; tables by their ids.

    Raises:
        UsageError: there is no such part.
        NotFoundError: there is no such table.
    """
    known_parts = []
    for part in dict.fromkeys(name.strip() for text in parts for name in text.split(",")):
        if part.startswith(TABLE):
            known_parts.append(TABLE + find_review(session, "table", part.removeprefix(TABLE)).id)
        elif part in ("consensus", "figures"):
            known_parts.append(part)
        else:
            raise UsageError(f"A report has no part '{part}'.", "There are: consensus, figures, table:NAME.")
    return known_parts


def rewrite_section(
    session: Session, name: str, section: str, *, more: bool = False, model: str, cache: bool, **options: str
) -> LiteratureReport:
    """Write a section again; with `more`, from more evidence. See `ReportVerbs`."""
    review, chosen = store.find_section(session, name, section)
    store.check_changeable(chosen)
    if not (chosen.answer.evidence or more):
        raise UsageError(
            f"The section '{chosen.title}' has no sentences to write from.", "Search for some: `review report expand`."
        )
    if not writes(session, model):
        why = session.settings.language.none_for("write", model)
        raise UnavailableError(
            f"Sections are written by a language model, and {why}.",
            "Connect one (`models connect`), or name one with `model=NAME`.",
        )
    request = make_request(review.spec["question"], filters_of(review), model=model, cache=cache, **options)
    store.note_stage(session, review, "writing", write_sections(session, review, request, [chosen], more=more))
    return store.load_report(session, review.id)
