"""An answer on the command line, with all that belongs to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conspectus.cli.printer import Part, Printer, one_line
from conspectus.cli.typed import typed
from conspectus.core.plural import pluralize
from conspectus.records import Answer, Draft, Evidence, Step
from conspectus.wire.answer_text import Block, blocks, statements


def say(out: Printer, answer: Answer, *, whole: bool = False, quotes: bool = False) -> None:
    """Print an answer: prose with numbered notes, or with `quotes` each statement with its own.

    `whole`: with its evidence, drafts and trace.
    """
    for block in blocks(replace(answer, reason=typed(answer.reason)), quotes=quotes, opened="conspectus open "):
        _show(out, block)
    if whole:
        if answer.evidence:
            out.line(("Evidence", "title"))
            say_evidence(out, answer.evidence)
            out.line()
        for draft in answer.drafts:
            _draft(out, draft)
        _trace(out, answer.trace)
    if answer.note:
        out.fold(typed(answer.note))
    if hidden := _hidden(answer) if not whole else "":
        out.line((hidden, "dim"))
    out.fold(answer.took, mark=lambda line: [(line, "dim")])


def _show(out: Printer, block: Block) -> None:
    for line in block:
        out.flow(line.parts, line.indent)
    out.line()


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
    out.line((draft.name.capitalize(), "title"))
    for block in statements(draft.statements):
        _show(out, block)
    if not draft.statements:
        for line in draft.text.splitlines() or ["Nothing was said."]:
            out.fold(line, indent=2)
        out.line()


def _trace(out: Printer, trace: Sequence[Step]) -> None:
    if trace:
        out.line(("Steps", "title"))
    for step in trace:
        out.fold(f"{step.number}. {step.thought}" if step.thought else f"{step.number}.", indent=2)
        if step.tool:
            out.fold(f"{step.tool} {step.arguments}", indent=5)
        if step.result:
            out.fold(f"→ {step.result}", indent=5)
        if step.tokens:
            out.line((f"{step.tokens:,} tokens, {step.seconds:.1f} s", "dim"), indent=5)
    if trace:
        out.line()


def _hidden(answer: Answer) -> str:
    """What there is besides, and how to see it; "" where nothing, or where the answer is not kept."""
    parts = [
        pluralize(len(found), one)
        for found, one in ((answer.drafts, "draft"), (answer.trace, "step"))
        if found and answer.id
    ]
    return f"({', '.join(parts)}: conspectus show {answer.id})" if parts else ""
