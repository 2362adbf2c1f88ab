"""An answer as HTML, for notebooks and as a page of its own. All that papers and models say is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from conspectus.records.markup import BOX, DIM, QUOTE, RULE, box, dim, limited, linked, table, text

if TYPE_CHECKING:
    from conspectus.records.results import Answer, Citation, Statement

BACKGROUND = "From the model, no source:"
_NOTHING_FROM_ELSEWHERE = "default-src 'none'; style-src 'unsafe-inline'"


def answer(found: Answer) -> str:
    """The statements with their quotes, or the reason why there are none; evidence and drafts folded away."""
    parts = [f"<div><b>{text(found.question)}</b></div>"]
    parts.append(dim(f"Asked as: {found.standalone}") if found.standalone not in ("", found.question) else "")
    parts.append("" if found.answered else _line(found.reason))
    parts.append(table(found.queries.items()))
    parts += limited(_statements(found.statements))
    parts.append(f"{dim(BACKGROUND)}{_line(found.background)}" if found.background else "")
    parts.append(_line(found.opinion.said) if found.opinion else "")
    parts += [_sources(found), _evidence(found), *_drafts(found), _trace(found), _line(found.note), dim(found.took)]
    return box(*parts)


def page(found: Answer) -> str:
    """The whole as a document of its own; nothing in it comes from elsewhere, and nothing in it runs."""
    return _document(found.question, f"{answer(found)}\n{_made(found)}")


def conversation_page(title: str, answers: Sequence[Answer]) -> str:
    """A conversation as such a document; a label should mean the same paper in all answers."""
    turns = (f'<div style="{RULE}">{answer(found)}\n{_made(found)}</div>' for found in answers)
    return _document(title, f"<h1>{text(title)}</h1>\n" + "\n".join(turns))


def _made(found: Answer) -> str:
    return dim(" · ".join(part for part in (found.made, *found.models) if part))


def _document(title: str, body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_NOTHING_FROM_ELSEWHERE}">\n'
        f"<title>{text(title, 120)}</title>\n</head>\n"
        f'<body style="margin:2em auto;padding:0 1em;{BOX};font-family:sans-serif">\n'
        f"{body}\n</body>\n</html>\n"
    )


def _statements(statements: Iterable[Statement]) -> list[str]:
    """Each statement with the sentences that it rests on; what was quoted before only by its ids."""
    seen: set[str] = set()
    return [_statement(statement, seen) for statement in statements]


def _statement(statement: Statement, seen: set[str]) -> str:
    said = text(statement.text)
    said = {"unsupported": f"<s>{said}</s>", "quoted": f"“{said}”"}.get(statement.status, said)
    markers = text(" ".join(citation.marker for citation in statement.citations))
    quoted = statement.status == "quoted"
    below = "".join(_citation(citation, quoted, seen) for citation in statement.citations)
    return f'<div style="{QUOTE}">{said} <span>{markers}</span>{dim(_bracketed(statement.doubt))}{below}</div>'


def _citation(citation: Citation, quoted: bool, seen: set[str]) -> str:
    fresh = citation.quoting(seen)
    seen.update(span.id for span in citation.spans)
    said = dim(f"“{fresh}”") if fresh and not quoted else ""
    return said + dim(", ".join(span.id for span in citation.spans))


def _sources(found: Answer) -> str:
    cited = {one.paper.id: one for item in found.statements for one in item.citations}
    rows = [
        f"<li>{text(f'[{one.label or one.paper.label}]')} {linked(one.paper, text(one.paper.reference))}</li>"
        for one in cited.values()
    ]
    return f"<div>Sources</div><ul>{''.join(rows)}</ul>" if rows else ""


def _evidence(found: Answer) -> str:
    rows = [
        _line(f"{item.id} · {item.score}/10 · [{item.label or item.paper.label}] {item.summary}")
        + dim(f"“{item.quote}”")
        for item in found.evidence
    ]
    return _folded("Evidence", rows)


def _drafts(found: Answer) -> Iterable[str]:
    for draft in found.drafts:
        rows = _statements(draft.statements) or [_line(draft.text)]
        yield _folded(draft.name.capitalize(), rows)


def _trace(found: Answer) -> str:
    rows = [
        _line(f"{step.number}. {step.thought}") + dim(f"{step.tool} {step.arguments} → {step.result}")
        for step in found.trace
    ]
    return _folded("Steps", rows)


def _folded(name: str, rows: Sequence[str]) -> str:
    if not rows:
        return ""
    head = f'<summary style="{DIM}">{text(name)} ({len(rows)})</summary>'
    return f"<details>{head}{''.join(limited(rows))}</details>"


def _line(said: str) -> str:
    return f"<div>{text(said)}</div>" if said else ""


def _bracketed(said: str) -> str:
    return f"({said})" if said else ""
