"""How the files that were read look in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conspectus.core.text import pluralize
from conspectus.faces.describe import holdings, noted, outcomes, say_trouble

if TYPE_CHECKING:
    from conspectus.faces.printer import Printer
    from conspectus.records import AddReport

_NAMED = 3
"""So many files with trouble are named; the others `status` has."""


def add(out: Printer, report: AddReport) -> None:
    """The files with trouble, what became of all of them, and what the library holds."""
    say_trouble(out, [row for row in report.rows if row.path in report.unrecorded])  # no other command will name them
    troubled = [row for row in report.rows if row.is_troubled and row.path not in report.unrecorded]
    say_trouble(out, troubled[:_NAMED])
    if len(troubled) > _NAMED:
        out.line(f"… and {pluralize(len(troubled) - _NAMED, 'more file')}: conspectus status --failed")
    for text in noted(row for row in (*report.added, *report.updated) if not row.is_troubled):
        out.fold(text)
    if report.passed_over:
        kinds = ", ".join(f"{ending} ({number})" for ending, number in sorted(report.passed_over.items()))
        out.fold(f"Skipped files of other types: {kinds}")
    if not report.rows:
        out.line("There is nothing there that can be read.")
    out.line(f"{outcomes(report)} ({pluralize(len(report.rows), 'file')})")
    if (joined := sum(row.papers for row in report.added) - report.new_papers) > 0:
        merged = "duplicates another paper and was" if joined == 1 else "duplicate other papers and were"
        out.line(f"{joined:,} of these {merged} merged.")
    for text in report.unread:
        out.fold(f"No full text: {text}")
    if report.unrecorded:
        verb, pronoun = ("is", "it") if len(report.unrecorded) == 1 else ("are", "them")
        out.line(
            f"{len(report.unrecorded)} of these {verb} not recorded, so `conspectus status` will not list {pronoun}."
        )
    out.line(f"The library holds {holdings(dict(report.library))}.")


def retry(out: Printer, report: AddReport) -> None:
    """As of `add`; or that there is nothing to read again."""
    if report.rows:
        add(out, report)
        return
    failed = report.library["failed"]
    why = f" {failed} failed for lasting reasons. After you have fixed them: conspectus retry --all" if failed else ""
    out.line(f"There is no file to read again.{why}")
