"""How answers, conversations and feedback look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from conspectus.core.text import pluralize
from conspectus.faces.declare import Option
from conspectus.faces.printer import Part, Printer, one_line, short
from conspectus.records import Answer, AskOptions, Draft, Evidence, Filters, Rerun, Step
from conspectus.wire.answer_text import Block, blocks, statements
from conspectus.wire.encode import plain

if TYPE_CHECKING:
    from conspectus.records.answer import AnswerRow, Conversation, SavedAnswer, SavedConversation
    from conspectus.records.curation import Feedback, FeedbackExport


Quotes = Annotated[bool, Option("Show each statement with its quotes below it, instead of prose with notes.")]
Explain = Annotated[bool, Option("Also show ids, how the answer was made, and the numbers behind a reason.")]
Verbose = Annotated[bool, Option("Also show the evidence, drafts and steps.")]


def list(out: Printer, rows: Sequence[AnswerRow]) -> None:
    """A line or two an answer."""
    for row in rows:
        how = row.method if row.kind == "multi" else row.kind
        parts = [row.id, row.made[:16].replace("T", " "), how, "answered" if row.answered else "not answered"]
        question = one_line(row.question)
        out.row((*parts, row.conversation, question), (row.id, "dim"), f"  {parts[1]}  ", (question, "title"))
        if out.width is not None:
            turn = f" · turn {row.turn} of {row.conversation}" if row.conversation else ""
            out.line((f"{how} · {parts[3]}{turn}", "dim"), indent=14)
    if not rows:
        out.empty("There are no answers yet: `conspectus ask QUESTION` makes one.")


def show(out: Printer, saved: SavedAnswer, *, quotes: Quotes = False, explain: Explain = False) -> None:
    """An answer with all that belongs to it."""
    out.line((one_line(saved.answer.question), "title"))
    out.line((f"{saved.answer.id} · {saved.answer.made}{_describe_options(saved)}", "dim"))
    out.line()
    print_answer(out, saved.answer, verbose=True, quotes=quotes, explain=explain)


def _describe_options(saved: SavedAnswer) -> str:
    """How it was asked for, as far as that is not the usual way."""
    summary = ""
    for values, usual in ((saved.options, AskOptions()), (saved.filters, Filters())):
        for name, value in plain(values).items():
            if value != getattr(usual, name):
                text = ", ".join(map(str, value)) if not isinstance(value, str | int | float) else str(value)
                summary += f" · {name}: {one_line(text)}"
    return summary


def remove(out: Printer, row: AnswerRow) -> None:
    """Which answer was removed."""
    out.line(f"Removed {row.id}  {short(row.question)}")


def rerun(
    out: Printer, comparison: Rerun, *, quotes: Quotes = False, verbose: Verbose = False, explain: Explain = False
) -> None:
    """The new answer, and what has changed."""
    print_answer(out, comparison.after, verbose=verbose, quotes=quotes, explain=explain)
    out.line()
    out.line((f"Changed since {comparison.before.id} ({comparison.before.made[:10]})", "title"))
    if not comparison.changed:
        out.line("Nothing: the same statements from the same sources.", indent=2)
    for sign, style, changed in (("+", "good", comparison.new), ("-", "bad", comparison.gone)):
        for statement in changed:
            _changed(out, sign, style, statement.text)
    for sign, style, papers in (("+", "good", comparison.new_sources), ("-", "bad", comparison.gone_sources)):
        for paper in papers:
            _changed(out, sign, style, f"source {paper.id} {paper.label}: {paper.heading}")
    if comparison.after.answered != comparison.before.answered:
        out.line("It is answered now." if comparison.after.answered else "It is no longer answered.", indent=2)


def _changed(out: Printer, sign: str, style: str, text: str) -> None:
    out.fold(f"{sign} {text}", 2, lambda line: [(line, style)])


def feedback(out: Printer, entries: Sequence[Feedback]) -> None:
    """A line an entry."""
    for entry in entries:
        about = f"statement {entry.statement}" if entry.statement else "whole answer"
        cells = entry.answer, about, entry.verdict, one_line(entry.comment)
        out.row(cells, (entry.answer, "dim"), f"  {about:<13} {entry.verdict:<5} {cells[3]}")
    if not entries:
        out.empty("There is no feedback yet: conspectus answers judge last --verdict up")


judge = feedback


def export_feedback(out: Printer, export: FeedbackExport) -> None:
    """The entries, or which file has them."""
    for line in [f"Wrote {export.feedback} to {export.output}"] if export.output else export.text.splitlines():
        out.line(line)


def conversations(out: Printer, rows: Sequence[Conversation]) -> None:
    """A line a conversation."""
    for row in rows:
        when, title = row.updated[:16].replace("T", " "), one_line(row.title) or "(nothing asked yet)"
        count = f"{pluralize(row.turns, 'answer'):>10}"
        out.row((row.id, when, str(row.turns), title), (row.id, "dim"), f"  {when}  {count}  ", (title, "title"))
    if not rows:
        out.empty("There are no conversations yet: `conspectus chat` begins one.")


def conversation(out: Printer, saved: SavedConversation, *, quotes: Quotes = False) -> None:
    """Its title, and each question with its answer."""
    out.line((one_line(saved.conversation.title), "title"))
    out.line((f"{saved.conversation.id} · {saved.conversation.made}", "dim"))
    for number, answer in enumerate(saved.answers, 1):
        out.line()
        out.line((f"{number}. {one_line(answer.question)}", "title"))
        out.line()
        print_answer(out, answer, quotes=quotes)


def rename_conversation(out: Printer, row: Conversation) -> None:
    """The new title."""
    out.line(f"Renamed {row.id}  {one_line(row.title)}")


def remove_conversation(out: Printer, row: Conversation) -> None:
    """Which conversation was removed."""
    out.line(f"Removed {row.id}  {one_line(row.title)}")


def print_answer(
    out: Printer, answer: Answer, *, verbose: bool = False, quotes: bool = False, explain: bool = False
) -> None:
    """Print an answer: prose with numbered notes, or with `quotes` each statement with its own.

    Args:
        verbose: with its evidence, drafts and trace.
        explain: with ids, how it was made, and the numbers behind the reason of a refusal.
    """
    printable = replace(answer, reason=out.remedy(answer.reason))
    for block in blocks(printable, quotes=quotes, ids=explain, opened="conspectus open "):
        _show(out, block)
    if verbose:
        if answer.evidence:
            out.line(("Evidence", "title"))
            say_evidence(out, answer.evidence)
            out.line()
        for draft in answer.drafts:
            _draft(out, draft)
        _trace(out, answer.trace)
    if answer.note:
        out.advise(answer.note)
    _unread(out, answer, verbose=verbose)
    if hidden := _hidden(answer) if not verbose else "":
        out.line((hidden, "dim"))
    out.fold(answer.took if explain else answer.effort, mark=lambda line: [(line, "dim")])


_SHOWN = 3
"""Papers that could not be read in full which are named in a terminal."""


def _unread(out: Printer, answer: Answer, *, verbose: bool) -> None:
    """Papers found online that could not be read in full: in a terminal the first few, unless `verbose`."""
    if not answer.unread:
        return
    texts = answer.unread if verbose or out.width is None else answer.unread[:_SHOWN]
    out.line(f"Not read in full ({pluralize(len(answer.unread), 'paper')}):")
    for text in texts:
        out.fold(one_line(text), indent=2)
    if left := len(answer.unread) - len(texts):
        where = f"conspectus answers show {answer.id}" if answer.id else "conspectus ask --verbose"
        out.line(f"and {left} more: {where}", indent=2)


def _show(out: Printer, block: Block) -> None:
    for line in block:
        out.flow(line.parts, line.indent)
    out.line()


def say_evidence(out: Printer, evidence: Sequence[Evidence]) -> None:
    """Print evidence: score, source, summary, and the sentences that carry it with their ids."""
    for item in evidence:
        parts: Sequence[Part] = [f"{item.id}  {item.score}/10  [{one_line(item.label or item.paper.label)}]"]
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
        pluralize(len(entries), noun)
        for entries, noun in ((answer.drafts, "draft"), (answer.trace, "step"))
        if entries and answer.id
    ]
    return f"({', '.join(parts)}: conspectus show {answer.id})" if parts else ""
