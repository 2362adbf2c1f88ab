"""How papers, places and ledger rows are put into words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conspectus.records import AddReport, LedgerRow, Metadata, Passage, Span


def under_title(paper: Metadata) -> str:
    """`Author et al. · 2015 · Venue`, without what is not known."""
    return " · ".join(str(part) for part in (paper.byline, paper.year, paper.venue) if part)


def where(passage: Passage, span: Span | None = None) -> str:
    """Section and page of a passage, or of one sentence of it."""
    pages = [span.page] if span and span.page else list(passage.pages)
    page = f"p. {pages[0]}" if len(pages) == 1 else f"pp. {pages[0]}–{pages[-1]}" if pages else ""
    ocr = "OCR" if (span or passage).recognised else ""
    return ", ".join(part for part in (passage.section or passage.kind.capitalize(), page, ocr) if part)


def trouble(rows: Iterable[LedgerRow]) -> Iterator[tuple[str, str]]:
    """(path, what is wrong with it) of files; the first notes of refused records follow their file, without a path."""
    for row in rows:
        again = " (trying again may help)" if row.retry else ""
        yield row.path, f"{row.reason or row.state}{again}"
        if row.papers or row.state == "failed":
            yield from (("", note) for note in row.notes[:3])
            if more := len(row.notes) - 3:
                yield from [("", f"… and {more} more, in `conspectus status --json`")] if more > 0 else []


def counted(number: int, one: str, many: str = "") -> str:
    """`1 paper`, `2 papers`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def outcomes(report: AddReport) -> str:
    """`3 added, 0 updated, 1 unchanged, 0 failed`; with duplicates, where there are any."""
    names = ("added", "updated", "unchanged", "failed")
    said = ", ".join(f"{len(getattr(report, name))} {name}" for name in names)
    return f"{said}, {counted(twice, 'duplicate')}" if (twice := len(report.duplicates)) else said


def holdings(counts: dict[str, int]) -> str:
    """`25 papers (10 with full text), 79 passages`; with summaries, where there are any."""
    papers = counted(counts.get("papers", 0), "paper")
    passages = counted(counts.get("passages", 0), "passage")
    written = f", {counted(made, 'summary', 'summaries')}" if (made := counts.get("summaries", 0)) else ""
    return f"{papers} ({counts.get('full_text', 0)} with full text), {passages}{written}"
