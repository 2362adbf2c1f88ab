"""Records as HTML for notebooks. What papers say is escaped, always: it may be hostile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from conspectus.wire.markup import MOST, MOST_CHARS, QUOTE, RULE, box, cut, dim, limited, linked, more, table, text

if TYPE_CHECKING:
    from conspectus.records.paper import Metadata, Paper
    from conspectus.records.passage import Passage
    from conspectus.records.results import AddReport, Hit, LedgerRow, SearchResult, Status


def search_result(result: SearchResult) -> str:
    """The hits, each with its passage."""
    said = f"{len(result.hits)} for “{cut(result.query, 120)}” · {result.method} · {result.took:.2f} s"
    return box(dim(said), *limited([_hit(hit) for hit in result.hits]), text(result.note))


def paper(found: Paper) -> str:
    """Title, authors, names and abstract."""
    authors = ", ".join(author.name for author in found.authors)
    said = " · ".join(str(part) for part in (found.year, found.venue, found.extent, found.id) if part)
    rows = [_title(found), f"<div>{text(authors, MOST_CHARS)}</div>", dim(said)]
    abstract = f'<div style="margin-top:.4em">{text(found.abstract, 4 * MOST_CHARS)}</div>' if found.abstract else ""
    return box(*rows, abstract, dim(cut("; ".join(found.key_phrases), MOST_CHARS)))


def add_report(report: AddReport) -> str:
    """How many files became what, and which have something to say."""
    names = ("added", "updated", "unchanged", "failed", *(["duplicates"] if report.duplicates else []))
    said = ", ".join(f"{len(getattr(report, name))} {name}" for name in names)
    return box(f"<div><b>{said}</b></div>", _ledger(row for row in report.rows if row.reason))


def status(found: Status) -> str:
    """The numbers, and the files that failed, are missing or had records refused."""
    states = Counter(row.state for row in found.files)
    rows = {
        "library": found.path,
        **{name.replace("_", " "): str(count) for name, count in found.counts.items()},
        "ledger": ", ".join(f"{count} {name}" for name, count in states.most_common()),
        "embedder": found.embedder,
        "index": found.index,
    }
    numbers = table((name, value) for name, value in rows.items())
    return box(numbers, _ledger(row for row in found.files if row.reason or row.state in ("failed", "missing")))


def _hit(hit: Hit) -> str:
    head = f"{_title(hit.paper, f'{hit.rank}. ')}{dim(_byline(hit.paper))}"
    place = " · ".join((_where(hit.passage), f"score {hit.score:.2f}", hit.passage.id))
    passage = f'<div style="{QUOTE}">{text(hit.passage.text, MOST_CHARS)}</div>'
    return f'<div style="{RULE}">{head}{passage}{dim(place)}</div>'


def _title(found: Metadata, before: str = "") -> str:
    return f"<div>{escape(before)}<b>{linked(found, text(found.heading, MOST_CHARS))}</b></div>"


def _byline(found: Metadata) -> str:
    return " · ".join(str(part) for part in (found.byline, found.year, found.venue) if part)


def _where(passage: Passage) -> str:
    pages = passage.pages
    page = f", p. {pages[0]}" if len(pages) == 1 else f", pp. {pages[0]}–{pages[-1]}" if pages else ""
    return f"{passage.section or passage.kind}{page}{', OCR' if passage.recognised else ''}"


def _ledger(rows: Iterable[LedgerRow]) -> str:
    found = list(rows)
    return table((row.path, row.reason or row.state) for row in found[:MOST]) + more(len(found))
