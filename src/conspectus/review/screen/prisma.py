"""The counts of a PRISMA 2020 flow diagram, and the diagram as SVG."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from html import escape
from pathlib import PurePath
from textwrap import wrap

from conspectus.core.text import line
from conspectus.ingest.work_identity import service_of
from conspectus.records.review_screen import PrismaCounts
from conspectus.review.screen.labels import FULL_TEXT, decide_all, read_labels
from conspectus.review.screen.state import ScreeningState
from conspectus.session.session import Session
from conspectus.store.rows import StoredDocument

NO_REASON = "no reason given"
_WIDTH, _GAP, _LINE, _PAD = 330, 30, 17, 10
_CHARACTERS = 46
"""Characters of a line in a box."""
_AT_ONCE = 500


def count_prisma(session: Session, state: ScreeningState) -> PrismaCounts:
    """The counts of a screening as it is now."""
    sources = _count_sources(session, state)
    decisions, works = state.decisions, state.works
    made_decisions = [decision for decision in decisions if decision.is_made]
    excluded = Counter(decision.reason for decision in made_decisions if decision.state == "exclude")
    sought = [number for number, decision in enumerate(decisions) if decision.state == "include"]
    labels = read_labels(session.catalog, state.review, FULL_TEXT)
    reports = decide_all([works[number] for number in sought], labels, state.criteria)
    has_begun = any(report.first for report in reports)
    there = _with_full_text(session, state, sought) if has_begun else set()
    assessed = [report for number, report in zip(sought, reports, strict=True) if number in there or report.first]
    refused = Counter(report.reason for report in assessed if report.state == "exclude")
    unread = sum(not decision.first for decision in decisions)
    return PrismaCounts(
        state.review.name,
        dict(sources),
        max(sum(sources.values()) - len(works), 0),
        len(made_decisions),
        sum(excluded.values()),
        dict(excluded.most_common()),
        unread if state.ended else 0,
        len(works) - len(made_decisions) - (unread if state.ended else 0),
        len(sought),
        len(sought) - len(assessed) if has_begun else 0,
        len(assessed),
        sum(not report.is_made for report in assessed) if has_begun else len(sought),
        sum(refused.values()),
        dict(refused.most_common()),
        sum(report.state == "include" for report in assessed),
    )


def _count_sources(session: Session, state: ScreeningState) -> Counter[str]:
    """Records by the service or database that they came from, or the name of their file.

    A full text is no record of a search; papers that have no other are counted by the kind of their file.
    """
    counts: Counter[str] = Counter()
    keys = list(state.keys.values())
    for at in range(0, len(keys), _AT_ONCE):
        for documents in session.catalog.documents_of(keys[at : at + _AT_ONCE]).values():
            records = [document for document in documents if not _is_full_text(document)] or documents[:1]
            counts.update(_source(document) for document in records)
    return Counter(dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))))


def _is_full_text(document: StoredDocument) -> bool:
    return document.parsed.has_full_text


def _source(document: StoredDocument) -> str:
    path, extra = PurePath(document.path), document.parsed.metadata.extra
    database = extra.get("database")
    named = service_of(document) or (line(database) if isinstance(database, str) else "")
    return named or (f"{path.suffix[1:].upper()} files".strip() if _is_full_text(document) else path.name)


def _with_full_text(session: Session, state: ScreeningState, numbers: Sequence[int]) -> set[int]:
    """Those of works that have a paper with a full text."""
    keys = {state.keys[paper]: number for number in numbers for paper in state.works[number]}
    papers = session.catalog.papers_by_key(list(keys))
    return {keys[key] for key, paper in papers.items() if paper.has_full_text}


def prisma_json(counts: PrismaCounts) -> str:
    """The counts as JSON."""
    figures = {name: value for name, value in asdict(counts).items() if name not in ("output", "text")}
    return json.dumps(figures, ensure_ascii=False, indent=1) + "\n"


def prisma_html(counts: PrismaCounts) -> str:
    """A page with the diagram."""
    title = escape(f"PRISMA 2020 flow diagram: {counts.name}")
    head = f'<meta charset="utf-8"><title>{title}</title>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{prisma_svg(counts)}</body></html>\n'


def prisma_svg(counts: PrismaCounts) -> str:
    """The diagram: a row for each step, what goes on at the left and what is left out at the right."""
    boxes, y = [], 20
    rows = _rows(counts)
    for number, row in enumerate(rows):
        texts = [_wrapped(lines) for lines in row]
        height = max(len(lines) for lines in texts) * _LINE + 2 * _PAD
        for side, lines in enumerate(texts):
            if lines:
                boxes.append(_box(20 + side * (_WIDTH + 2 * _GAP), y, lines, height))
        middle = 20 + _WIDTH / 2
        if row[1]:
            x = 20 + _WIDTH
            boxes.append(_arrow(x, y + height / 2, x + 2 * _GAP, y + height / 2))
        if number + 1 < len(rows):
            boxes.append(_arrow(middle, y + height, middle, y + height + _GAP))
        y += height + _GAP
    width = 40 + 2 * _WIDTH + 2 * _GAP
    title = escape(f"PRISMA 2020 flow diagram of {counts.name}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" width="{width}" height="{y}" role="img"'
        f' font-family="Arial, Helvetica, sans-serif" font-size="13"><title>{title}</title>\n'
        '<defs><marker id="arrow" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="7" markerHeight="7"'
        ' orient="auto"><path d="M0 0 10 5 0 10z" fill="#333"/></marker></defs>\n'
        f'<rect width="{width}" height="{y}" fill="#fff"/>\n' + "".join(boxes) + "</svg>\n"
    )


def _rows(counts: PrismaCounts) -> list[tuple[list[str], list[str]]]:
    identified = sum(counts.sources.values())
    left_out = [f"Records excluded by people (n = {counts.excluded_by_people:,})", *_reasons(counts.excluded_reasons)]
    if counts.excluded_by_automation:
        left_out.append(f"Records excluded by automation, unread (n = {counts.excluded_by_automation:,})")
    screened = [f"Records screened (n = {counts.screened + counts.excluded_by_automation:,})"]
    if counts.unscreened:
        screened.append(f"Records still without a decision (n = {counts.unscreened:,})")
    refused = [f"Reports excluded (n = {counts.full_text_excluded:,})", *_reasons(counts.full_text_reasons)]
    if counts.unassessed:
        refused.append(f"Reports without a decision (n = {counts.unassessed:,})")
    return [
        (
            [f"Records identified (n = {identified:,})", *(f"  {name}: {n:,}" for name, n in counts.sources.items())],
            ["Records removed before screening:", f"  Duplicates (n = {counts.duplicates:,})"],
        ),
        (screened, left_out),
        (
            [f"Reports sought for retrieval (n = {counts.sought:,})"],
            [f"Reports not retrieved (n = {counts.not_retrieved:,})"],
        ),
        ([f"Reports assessed for eligibility (n = {counts.assessed:,})"], refused),
        ([f"Studies included in review (n = {counts.included:,})"], []),
    ]


def _reasons(reasons: Mapping[str, int]) -> Iterator[str]:
    if set(reasons) - {""}:
        yield from (f"  {reason or NO_REASON}: {count:,}" for reason, count in reasons.items())


def _wrapped(lines: Sequence[str]) -> list[str]:
    return [
        part
        for text in lines
        for part in wrap(text, _CHARACTERS, subsequent_indent=" " * (len(text) - len(text.lstrip()) + 2))
    ]


def _box(x: float, y: float, lines: Sequence[str], height: float) -> str:
    texts = "".join(
        f'<text x="{x + _PAD + 6 * (len(text) - len(text.lstrip()))}" y="{y + _PAD + _LINE * number + 13}">'
        f"{escape(text.strip())}</text>"
        for number, text in enumerate(lines)
    )
    return f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{height}" fill="none" stroke="#333"/>{texts}\n'


def _arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}" stroke="#333" marker-end="url(#arrow)"/>\n'
