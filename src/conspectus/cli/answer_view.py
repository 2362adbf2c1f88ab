"""An answer as text: statements with their quotes, and all that belongs to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, repeat

from conspectus.cli.describe import counted
from conspectus.cli.printer import Part, Printer, one_line
from conspectus.records import Answer, Citation, Draft, Evidence, Statement, Step

BACKGROUND = "From the model, no source:"


def say(out: Printer, answer: Answer, *, whole: bool = False, numbered: bool = False) -> None:
    """Print an answer. `whole`: with its evidence, drafts and trace; `numbered`: its citations have numbers, from 1."""
    numbers = count(1) if numbered else repeat(0)
    if answer.standalone and answer.standalone != answer.question:
        out.fold(f"Asked as: {answer.standalone}")
        out.line()
    if not answer.answered:
        out.fold(answer.reason)
        out.line()
    for service, query in answer.queries.items():
        out.line((f"{service:<9} ", "dim"), one_line(query))
    seen: set[str] = set()
    for statement in answer.statements:
        _statement(out, statement, numbers, seen)
    if answer.background:
        out.line((BACKGROUND, "title"))
        out.fold(answer.background, indent=2)
        out.line()
    if answer.opinion:
        out.fold(answer.opinion.said)
        out.line()
    _sources(out, answer)
    if whole:
        if answer.evidence:
            out.line()
            out.line(("Evidence", "title"))
        say_evidence(out, answer.evidence)
        for draft in answer.drafts:
            _draft(out, draft)
        _trace(out, answer.trace)
    if answer.note:
        out.fold(answer.note)
    if hidden := _hidden(answer) if not whole else "":
        out.line((hidden, "dim"))
    out.fold(answer.took, mark=_all("dim"))


def _statement(out: Printer, statement: Statement, numbers: Iterator[int], seen: set[str]) -> None:
    """A statement with its markers, what is to be said against it, and the sentences that it rests on.

    Of those in `seen`, the ids of sentences that were quoted before, only the ids are printed.
    """
    quoted = statement.status == "quoted"
    markers = " ".join(citation.marker for citation in statement.citations)
    if statement.status == "unsupported":
        _struck(out, statement.text)
        out.fold(markers)
    else:
        out.fold(f"“{statement.text}” {markers}" if quoted else f"{statement.text} {markers}")
    if statement.doubt:
        out.fold(f"({statement.doubt})", 2, _all("bad"))
    for citation in statement.citations:
        _citation(out, citation, quoted, next(numbers), seen)
    out.line()


def _citation(out: Printer, citation: Citation, quoted: bool, number: int, seen: set[str]) -> None:
    before = f"{number}. " if number else ""
    fresh = citation.quoting(seen)
    if fresh and not quoted:
        out.fold(f"{before}“{fresh}”", indent=4)
        before = ""
    seen.update(span.id for span in citation.spans)
    for span in citation.spans:
        out.line((f"{before}{span.id}", "dim"), indent=4)
        before = ""


def _struck(out: Printer, text: str) -> None:
    """A text struck out, in signs where the terminal cannot."""
    if out.strikes:
        out.fold(text, mark=_all("struck"))
    else:
        out.fold(f"~~{text}~~")


def _all(style: str) -> Callable[[str], list[Part]]:
    return lambda line: [(line, style)]


def _sources(out: Printer, answer: Answer) -> None:
    sources = {citation.paper.id: citation for item in answer.statements for citation in item.citations}
    if sources:
        out.line(("Sources", "title"))
    for citation in sources.values():
        out.fold(f"[{citation.label}] {citation.paper.reference}", indent=2)
        out.line((citation.paper.id, "dim"), indent=4)


def say_evidence(out: Printer, evidence: Sequence[Evidence]) -> None:
    """Print evidence: score, source, summary, and the sentences that carry it with their ids."""
    for item in evidence:
        parts: list[Part] = [f"{item.id}  {item.score}/10  [{one_line(item.label or item.paper.label)}]"]
        out.line(*parts, (f"  {item.passage_id}", "dim"), indent=2)
        out.fold(item.summary, indent=6)
        for span in item.spans:
            out.fold(f"“{span.text}”", indent=8)
            out.line((span.id, "dim"), indent=8)


def _draft(out: Printer, draft: Draft) -> None:
    out.line()
    out.line((draft.name.capitalize(), "title"))
    seen: set[str] = set()
    for statement in draft.statements:
        _statement(out, statement, repeat(0), seen)
    if not draft.statements:
        for line in draft.text.splitlines() or ["Nothing was said."]:
            out.fold(line, indent=2)


def _trace(out: Printer, trace: Iterable[Step]) -> None:
    for number, step in enumerate(trace):
        if not number:
            out.line()
            out.line(("Steps", "title"))
        out.fold(f"{step.number}. {step.thought}" if step.thought else f"{step.number}.", indent=2)
        if step.tool:
            out.fold(f"{step.tool} {step.arguments}", indent=5)
        if step.result:
            out.fold(f"→ {step.result}", indent=5)
        if step.tokens:
            out.line((f"{step.tokens:,} tokens, {step.seconds:.1f} s", "dim"), indent=5)


def _hidden(answer: Answer) -> str:
    """What there is besides, and how to see it; "" where nothing, or where the answer is not kept."""
    parts = [
        counted(len(found), one)
        for found, one in ((answer.drafts, "draft"), (answer.trace, "step"))
        if found and answer.id
    ]
    return f"({', '.join(parts)}: conspectus show {answer.id})" if parts else ""
