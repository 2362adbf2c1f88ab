"""Records as HTML for notebooks. What papers say is escaped, always: it may be hostile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from conspectus.records.paper import Metadata, Paper
    from conspectus.records.passage import Passage
    from conspectus.records.results import AddReport, Answer, Hit, LedgerRow, SearchResult, Statement, Status

MOST = 50
"""Items shown of a long list."""
MOST_CHARS = 600
"""Characters shown of a long text."""

_BOX = "max-width:60em;line-height:1.45"
_DIM = "opacity:.65;font-size:.9em"
_RULE = "border-top:1px solid rgba(128,128,128,.35);margin-top:.6em;padding-top:.6em"
_QUOTE = "border-left:3px solid rgba(128,128,128,.5);padding-left:.7em;margin:.3em 0"


def search_result(result: SearchResult) -> str:
    """The hits, each with its passage."""
    said = f"{len(result.hits)} for “{_cut(result.query, 120)}” · {result.method} · {result.took:.2f} s"
    return _box(_dim(said), *_limited([_hit(hit) for hit in result.hits]), _text(result.note))


def answer(found: Answer) -> str:
    """The statements with their markers and the ids of their sentences, or the reason why there are none."""
    parts = [f"<div><b>{_text(found.question)}</b></div>"]
    if not found.answered:
        parts.append(f"<div>{_text(found.reason)}</div>")
    parts += _limited([_statement(statement) for statement in found.statements])
    parts += [f"<div>{_text(found.note)}</div>"] if found.note else []
    said = f"{found.method} · {found.usage.passages} passages read · {found.usage.seconds:.2f} s"
    return _box(*parts, _dim(said))


def paper(found: Paper) -> str:
    """Title, authors, names and abstract."""
    authors = ", ".join(author.name for author in found.authors)
    kind = "full text" if found.has_full_text else "abstract"
    said = " · ".join(str(part) for part in (found.year, found.venue, kind, found.id) if part)
    rows = [_title(found), f"<div>{_text(authors, MOST_CHARS)}</div>", _dim(said)]
    abstract = f'<div style="margin-top:.4em">{_text(found.abstract, 4 * MOST_CHARS)}</div>' if found.abstract else ""
    return _box(*rows, abstract)


def add_report(report: AddReport) -> str:
    """How many files became what, and which have something to say."""
    names = ("added", "updated", "unchanged", "failed")
    said = ", ".join(f"{len(getattr(report, name))} {name}" for name in names)
    return _box(f"<div><b>{said}</b></div>", _ledger(row for row in report.rows if row.reason))


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
    table = _table((name, value) for name, value in rows.items())
    return _box(table, _ledger(row for row in found.files if row.reason or row.state in ("failed", "missing")))


def _hit(hit: Hit) -> str:
    head = f"{_title(hit.paper, f'{hit.rank}. ')}{_dim(_byline(hit.paper))}"
    place = " · ".join((_where(hit.passage), f"score {hit.score:.2f}", hit.passage.id))
    passage = f'<div style="{_QUOTE}">{_text(hit.passage.text, MOST_CHARS)}</div>'
    return f'<div style="{_RULE}">{head}{passage}{_dim(place)}</div>'


def _statement(statement: Statement) -> str:
    markers = " ".join(citation.marker for citation in statement.citations)
    spans = ", ".join(span.id for citation in statement.citations for span in citation.spans)
    sources = "".join(
        _dim(f"“{_cut(citation.quote, MOST_CHARS)}”")
        for citation in statement.citations
        if statement.status != "quoted"
    )
    status_said = "" if statement.status == "quoted" else f" ({escape(statement.status)})"
    text = f"{_text(statement.text)} <span>{_text(markers)}</span>{status_said}"
    return f'<div style="{_QUOTE}">{text}{sources}{_dim(spans)}</div>'


def _title(found: Metadata, before: str = "") -> str:
    title = _text(found.title or found.external_id, MOST_CHARS)
    if found.doi:
        link = escape("https://doi.org/" + quote(found.doi, safe="/:;()"), quote=True)
        title = f'<a href="{link}" target="_blank" rel="noopener noreferrer">{title}</a>'
    return f"<div>{escape(before)}<b>{title}</b></div>"


def _byline(found: Metadata) -> str:
    return " · ".join(str(part) for part in (found.byline, found.year, found.venue) if part)


def _where(passage: Passage) -> str:
    pages = passage.pages
    page = f", p. {pages[0]}" if len(pages) == 1 else f", pp. {pages[0]}–{pages[-1]}" if pages else ""
    return f"{passage.section or passage.kind}{page}{', OCR' if passage.recognised else ''}"


def _ledger(rows: Iterable[LedgerRow]) -> str:
    found = list(rows)
    table = _table((row.path, row.reason or row.state) for row in found[:MOST])
    return table + _more(len(found))


def _table(rows: Iterable[tuple[str, str]]) -> str:
    cell = '<td style="text-align:left;vertical-align:top">'
    lines = [f"<tr>{cell}{_text(name)}</td>{cell}{_text(value)}</td></tr>" for name, value in rows]
    return f"<table>{''.join(lines)}</table>" if lines else ""


def _limited(items: Sequence[str]) -> list[str]:
    return [*items[:MOST], _more(len(items))]


def _more(count: int) -> str:
    return _dim(f"… and {count - MOST} more") if count > MOST else ""


def _dim(text: str) -> str:
    return f'<div style="{_DIM}">{_text(text)}</div>' if text else ""


def _text(text: str, most: int | None = None) -> str:
    return escape(text if most is None else _cut(text, most), quote=True)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rstrip() + "…"


def _box(*parts: str) -> str:
    return f'<div style="{_BOX}">{"".join(parts)}</div>'
