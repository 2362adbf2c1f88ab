"""How a consensus looks in a terminal."""

from __future__ import annotations

from typing import Annotated

from conspectus.faces.declare import Option
from conspectus.faces.printer import Printer
from conspectus.records import Consensus, Stance

_STYLES = {"supports": "good", "opposes": "bad", "mixed": "match", "not about it": "dim"}


Explain = Annotated[bool, Option("Also show the ids of sentences.")]


def consensus(out: Printer, verdict: Consensus, *, explain: Explain = False) -> None:
    """The level, then each paper with its stance and the sentences that show it."""
    if verdict.claim:
        out.fold(f"Claim: {verdict.claim}")
    if verdict.level:
        out.line((verdict.level, "title"), f"  relevance {verdict.relevance:.2f}")
    else:
        out.advise(verdict.reason)
    if verdict.explanation:
        out.fold(verdict.explanation)
    out.line()
    for item in verdict.stances:
        if item.stance != "not about it":
            _show_stance(out, item, explain)
    if others := [item for item in verdict.stances if item.stance == "not about it"]:
        out.line(("Not about it", "title"))
        for item in others:
            out.fold(f"{item.rank}. [{item.label}] {item.paper.heading}{_outlier_mark(item)}", indent=2)
        out.line()
    for paper in verdict.unjudged:
        out.line((f"{paper.rank}. not judged", "bad"), f": [{paper.label}]")
        out.fold(paper.reason, indent=4)
    if verdict.note:
        out.advise(verdict.note)
    out.line((verdict.took, "dim"))


def _show_stance(out: Printer, item: Stance, explain: bool) -> None:
    out.line(f"{item.rank}. ", (item.stance, _STYLES[item.stance]), f"  [{item.label}]{_outlier_mark(item)}")
    out.fold(item.paper.heading, indent=4)
    if item.why:
        out.fold(item.why, 4, lambda line: [(line, "dim")])
    for citation in item.citations:
        out.fold(f"“{citation.quote}” {citation.marker}", indent=4)
        for span in citation.spans if explain else ():
            out.line((span.id, "dim"), indent=6)
    out.line()


def _outlier_mark(item: Stance) -> str:
    return f"  (far from the others found: {item.outlying.distance:.2f})" if item.outlying.outlier else ""
