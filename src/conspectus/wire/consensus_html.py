"""How far papers agree, as HTML for notebooks. All that papers and models say is escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conspectus.wire.markup import QUOTE, RULE, box, dim, limited, linked, text

if TYPE_CHECKING:
    from conspectus.records.consensus import Consensus, Stance

FAR = "far from the others found"


def consensus(found: Consensus) -> str:
    """The level or why there is none, and each paper's stance with its quotes."""
    counts = ", ".join(f"{number} {stance}" for stance, number in found.counts.items())
    head = found.level or "No level"
    parts = [
        f"<div><b>{text(found.claim or found.question)}</b></div>",
        dim(f"Asked: {found.question}") if found.claim not in ("", found.question) else "",
        f"<div><b>{text(head)}</b> · relevance {found.relevance:.2f} · {text(counts)}</div>",
        _line(found.reason),
        _line(found.explanation),
        *limited([_stance(item) for item in found.stances]),
        *(_line(f"{item.rank}. [{item.label}] not judged: {item.reason}") for item in found.unjudged),
        _line(found.note),
        dim(found.took),
    ]
    return box(*parts)


def _stance(item: Stance) -> str:
    name = linked(item.paper, text(item.paper.title or item.paper.id))
    head = f"<div>{item.rank}. <b>{text(item.stance)}</b> {name} {text(f'[{item.label or item.paper.label}]')}</div>"
    quotes = "".join(
        f'<div style="{QUOTE}">“{text(citation.quote)}”{dim(", ".join(span.id for span in citation.spans))}</div>'
        for citation in item.citations
    )
    far = dim(f"{FAR}: {item.outlying.distance:.2f}") if item.outlying.outlier else ""
    return f'<div style="{RULE}">{head}{dim(item.why)}{quotes}{far}</div>'


def _line(said: str) -> str:
    return f"<div>{text(said)}</div>" if said else ""
