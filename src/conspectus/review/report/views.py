"""How contradictions and reports look in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from conspectus.core.text import line as one_line
from conspectus.core.text import pluralize
from conspectus.faces.declare import Option

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records.review import Contradiction, ContradictionReport, LiteratureReport


Explain = Annotated[bool, Option("Also show how alike two sentences are, and their ids.")]


_SHOWN = 20
"""Candidates that a terminal shows, the most alike; JSON has all."""


def contradictions(out: Printer, outcome: ContradictionReport, *, explain: Explain = False) -> None:
    """Pairs of sentences that cannot both hold, then candidates that nobody judged."""
    if outcome.contradictions:
        out.line(("Contradictions", "title"))
    for number, item in enumerate(outcome.contradictions, 1):
        _show_pair(out, number, item, explain)
    if outcome.candidates:
        out.line(("Candidates, not judged", "title"))
    for number, item in enumerate(outcome.candidates[:_SHOWN], 1):
        _show_pair(out, number, item, explain)
    if (further := len(outcome.candidates) - _SHOWN) > 0:
        out.advise(f"{pluralize(further, 'more candidate')}, less alike: read them with --json.")
    if not outcome.contradictions and not outcome.candidates:
        out.advise("No contradiction was found." if outcome.judged else "No two statements are about the same thing.")
    if outcome.note:
        out.advise(outcome.note)
    if outcome.left:
        out.advise(f"{pluralize(outcome.left, 'pair')} less alike were left out. Give a higher number with --pairs.")
    compared = f"{pluralize(outcome.statements, 'statement')} of {pluralize(outcome.papers, 'paper')} compared"
    judged = f"{outcome.judged} of {pluralize(outcome.pairs, 'pair')} judged"
    out.line((" · ".join(part for part in (compared, judged, outcome.usage.spent) if part), "dim"))


def _show_pair(out: Printer, number: int, item: Contradiction, explain: bool) -> None:
    out.line(f"{number}.", *([(f" likeness {item.score:.2f}", "dim")] if explain else []))
    if item.why:
        out.fold(item.why, indent=4)
    for citation in (item.first, item.second):
        out.fold(f"“{citation.quote}” {citation.marker}", indent=4)
        if explain:
            out.line((citation.spans[0].id, "dim"), indent=6)
    out.line()


def report(out: Printer, report: LiteratureReport, *, to: str = "", output: str = "") -> None:
    """A report with numbered notes; in another format as it is; or which file has it."""
    from conspectus.export.report import document_text

    if output:
        out.line(f"Wrote the report to {output}")
    elif to:
        for line in document_text(report, to).splitlines():
            out.line(line)
    else:
        _show_report(out, report)


report_show = report_keep = report_expand = report_rewrite = report_delete = report


def _show_report(out: Printer, report: LiteratureReport) -> None:
    from conspectus.export.report import lay_out, note_text

    document = lay_out(report)
    out.line((one_line(report.question), "title"), (f"  {report.id}", "dim"))
    numbers = {section.title: section for section in report.sections}
    for block in document.blocks:
        text = "".join(f"{run.text}{''.join(f'[{number}]' for number in run.notes)}" for run in block.runs).strip()
        if block.level:
            section = numbers.get(text)
            out.line()
            state = f"  {section.state}{', kept' if section.kept else ''}" if section else ""
            out.line((f"{section.number}. {text}" if section else text, "title"), (state, "dim"))
        elif block.rows:
            for row in block.rows[1:]:
                cells = ["".join(run.text for run in cell) for cell in row]
                out.fold(" · ".join(cell.strip() for cell in cells if cell.strip()), indent=2)
        else:
            out.fold(text, indent=2)
    if document.notes:
        out.line()
        out.line(("Notes", "title"))
    for number, note in document.notes.items():
        out.fold(f"[{number}] {note_text(note)}", indent=2)
