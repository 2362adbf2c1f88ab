"""How papers, places and ledger rows are put into words, and which part of a passage is shown for a query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from conspectus.core.text import pluralize
from conspectus.faces.printer import Part, Printer, one_line
from conspectus.lexicon.word_lists import WORD, count_shared, matches_root, roots
from conspectus.records import (
    AddReport,
    Citation,
    Fate,
    LedgerRow,
    Metadata,
    PageAccount,
    PaperDocument,
    Passage,
    Span,
    Usage,
)

_NOTED = 3
"""So many files are told with their notes."""


def under_title(paper: Metadata) -> str:
    """`Author et al. · 2015 · Venue`, without what is not known."""
    return " · ".join(str(part) for part in (paper.byline, paper.year, paper.venue) if part)


def describe_place(passage: Passage, span: Span | None = None) -> str:
    """Section and page of a passage, or of one sentence of it."""
    pages = [span.page] if span and span.page else list(passage.pages)
    page = f"p. {pages[0]}" if len(pages) == 1 else f"pp. {pages[0]}–{pages[-1]}" if pages else ""
    ocr = "OCR" if (span or passage).recognised else ""
    return ", ".join(part for part in (passage.section or passage.kind.capitalize(), page, ocr) if part)


def say_trouble(out: Printer, rows: Iterable[LedgerRow]) -> None:
    """Print what is wrong with files; below each the first notes of refused records that this does not say."""
    for row in rows:
        retry_note = " (trying again may help)" if row.retry else ""
        out.line((row.path, "bad"), f": {out.remedy(row.reason) or row.state}{retry_note}")
        if row.papers or row.state == "failed":
            for note in _first([note for note in row.notes if note.rstrip(".") not in row.reason]):
                out.line(note, indent=4)


def _first(notes: Sequence[str]) -> Iterator[str]:
    """The first notes on a file, and how many more there are."""
    yield from notes[:3]
    if (more := len(notes) - 3) > 0:
        yield f"… and {more} more, in `conspectus status --json`"


def noted(rows: Iterable[LedgerRow]) -> Iterator[str]:
    """What could not be read well in files that were read, one note a line: of the first files that have any."""
    noted_rows = [row for row in rows if row.notes]
    for row in noted_rows[:_NOTED]:
        yield from (f"{Path(row.path).name}: {note}" for note in _first(row.notes))
    if len(noted_rows) > _NOTED:
        yield f"… and notes on {pluralize(len(noted_rows) - _NOTED, 'more file')}: conspectus status --json"


_FATES: dict[Fate, str] = {
    "text": "in passages",
    "reference": "in the reference list",
    "front": "in title and front matter",
    "equation": "in formulas",
    "figure": "in figures and tables",
    "furniture": "in running heads, page numbers and the like",
    "hidden": "hidden",
    "unread": "unread",
}


def accounted(accounts: Sequence[PageAccount]) -> str:
    """What became of the letters of a paper's pages: `93.1 % in passages, 4.0 % in …`; "" where that is not known."""
    total = sum(account.letters for account in accounts)
    parts = []
    for fate, words in _FATES.items():
        letters = sum(share.letters for account in accounts for share in account.shares if share.fate == fate)
        if letters:
            parts.append(f"{100 * letters / total:.1f} % {words}")
    return ", ".join(parts)


def say_example(out: Printer, example: Citation) -> None:
    """Print a sentence, and where it stands."""
    out.fold(example.quote, 4)
    out.line((one_line(f"{example.marker} · {example.spans[0].id}"), "dim"), indent=4)


def spent(model: str, usage: Usage) -> str:
    """Which model, how many calls and tokens, what they cost, how long it took."""
    from conspectus.models.languages.model_titles import list_titles

    tokens = f"{usage.prompt_tokens + usage.completion_tokens:,} tokens"
    cost = "" if usage.cost is None else "free" if usage.calls and not usage.cost else f"${usage.cost:.2f}"
    cache_note = f" ({usage.from_cache} known)" if usage.from_cache else ""
    parts = (list_titles(model), pluralize(usage.calls, "call") + cache_note, tokens, cost, f"{usage.seconds:.1f} s")
    return " · ".join(part for part in parts if part)


def outcomes(report: AddReport) -> str:
    """`3 added, 0 updated, 1 unchanged, 0 failed`; with duplicates, where there are any."""
    names = ("added", "updated", "unchanged", "failed")
    counts = ", ".join(f"{len(getattr(report, name))} {name}" for name in names)
    return f"{counts}, {pluralize(twice, 'duplicate')}" if (twice := len(report.duplicates)) else counts


def holdings(counts: dict[str, int]) -> str:
    """`25 papers (10 with full text), 79 passages`; with summaries, where there are any."""
    papers = pluralize(counts.get("papers", 0), "paper")
    passages = pluralize(counts.get("passages", 0), "passage")
    summary_note = (
        f", {pluralize(summaries, 'summary', 'summaries')}" if (summaries := counts.get("summaries", 0)) else ""
    )
    return f"{papers} ({counts.get('full_text', 0)} with full text), {passages}{summary_note}"


def describe_count(count: int | None, service: str, date: str) -> str:
    """How often a work was cited, with who says so and when: `cited 123 times (Europe PMC, 2026-11-27)`."""
    from conspectus.services import protocol

    if count is None:
        return ""
    title = protocol.service(service).title if service in protocol.service_names() else service
    source = ", ".join(filter(None, (title, date)))
    return f"cited {pluralize(count, 'time')}" + (f" ({source})" if source else "")


def describe_document(document: PaperDocument) -> str:
    """Where a document of a paper is: its file, and its number if that has several records."""
    return document.path + (f", record {document.record}" if document.record else "")


LENGTH = 300


class Snippet(NamedTuple):
    """Text to show, and the sentence it is built around."""

    text: str
    span: Span


def snippet(passage: Passage, query: str) -> Snippet:
    """The sentence with most of the query's words, with its neighbours as far as they fit."""
    query_roots = roots(query)
    scores = [count_shared(span.text, query_roots) for span in passage.spans]
    best = scores.index(max(scores))
    first = last = best
    spans = passage.spans
    while last + 1 < len(spans) and spans[last + 1].end - spans[first].start <= LENGTH:
        last += 1
    while first and spans[last].end - spans[first - 1].start <= LENGTH:
        first -= 1
    before, after = "… " if first else "", " …" if last + 1 < len(spans) else ""
    text = passage.text[spans[first].start : spans[last].end]
    return Snippet(before + _trimmed(text, query_roots) + after, spans[best])


Mark = Callable[[str], list[Part]]


def marker(query: str) -> Mark:
    """A function that splits a line into parts, the words that match the query styled."""
    query_roots = roots(query)
    return lambda line: list(_parts(line, query_roots))


def _parts(line: str, query_roots: tuple[str, ...]) -> Iterator[Part]:
    end = 0
    for match in WORD.finditer(line):
        if matches_root(match[0], query_roots):
            yield line[end : match.start()]
            yield match[0], "match"
            end = match.end()
    yield line[end:]


def _trimmed(text: str, query_roots: tuple[str, ...]) -> str:
    """A single long sentence cut to what is around its first match, at spaces."""
    if len(text) <= LENGTH * 1.3:
        return text
    at = next((match.start() for match in WORD.finditer(text) if matches_root(match[0], query_roots)), 0)
    start = max(0, min(at - LENGTH // 4, len(text) - LENGTH))
    cut = text[start : start + LENGTH]
    head, tail = start > 0, start + LENGTH < len(text)
    if head and " " in cut:
        cut = cut[cut.index(" ") + 1 :]
    if tail and " " in cut:
        cut = cut[: cut.rindex(" ")]
    return ("…" if head else "") + cut + ("…" if tail else "")
