"""`add` and `retry`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from conspectus.cli.app import verb
from conspectus.cli.interrupts import is_terminated
from conspectus.cli.progress import showing, step_back
from conspectus.cli.state import State
from conspectus.core.text import pluralize
from conspectus.faces.describe import holdings, noted, outcomes, say_trouble
from conspectus.faces.printer import Printer
from conspectus.records import AddReport
from conspectus.wire import encode

if TYPE_CHECKING:
    from conspectus.library import Library

_NAMED = 3
"""So many files with trouble are named; the others `status` has."""


@verb("add")
@click.argument("paths", nargs=-1, required=True, metavar="PATHS…")
@click.option("--watch", is_flag=True, help="Keep running and add changes as they happen; stop with Ctrl-C.")
@click.option("--full-text", is_flag=True, help="Also fetch and read open full texts of papers that are looked up.")
@click.option(
    "--online/--no-online", default=None, help="Look papers up online in this call (default: sources.online)."
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Read with workers of a Dask scheduler: tcp://HOST:8786 (default: parse.cluster).",
)
def add_verb(
    state: State, paths: tuple[str, ...], watch: bool, full_text: bool, online: bool | None, cluster: str | None
) -> int:
    """Add files and folders. Run it again to pick up only new or changed files.

    PDF, Markdown, JSON Lines, CSV and more; folders with all their contents; zotero:COLLECTION, zotero:group/NAME, or
    zotero: for your whole library of Zotero. Unreadable files are reported and skipped; the exit code is then 1. Run
    the same command again to continue after an interruption.

    With --online also papers by identifier or link: doi:10.1000/x, arxiv:2101.00001, pmid:123, PMC123, a bibcode,
    https://…
    """
    step_back()
    if cluster is not None:
        state.flags["parse.cluster"] = cluster
    if watch:
        _follow(state, paths)
        return 0
    with showing(state), state.library(create=True) as library:
        report = library.add(paths, full_text=full_text, online=online)
        holds = _holdings(library, report)
    return _report(state, report, *holds)


@verb("retry")
@click.option("--all", "everything", is_flag=True, help="Also retry files whose problem you have fixed yourself.")
def retry_verb(state: State, everything: bool) -> int:
    """Read again the files that failed or were read only in part."""
    step_back()
    with showing(state), state.library() as library:
        report = library.retry(everything=everything)
        holds = _holdings(library, report)
    if report.rows or state.json:
        return _report(state, report, *holds)
    failed = holds[0]["failed"]
    why = f" {failed} failed for lasting reasons. After you have fixed them: conspectus retry --all" if failed else ""
    state.out.line(f"There is no file to read again.{why}")
    return 0


def _follow(state: State, paths: tuple[str, ...]) -> None:
    """Add again and again, until Ctrl-C."""
    first = True
    try:
        with showing(state) as pause, state.library(create=True) as library:
            for report in library.watch(paths):
                pause()
                if first or report.added or report.updated or report.failed or report.duplicates:
                    _report(state, report, *_holdings(library, report))
                if first and not state.json:
                    state.out.line("Watching; Ctrl-C ends it.")
                first = False
    except KeyboardInterrupt:
        if first or is_terminated():
            raise


def _holdings(library: Library, report: AddReport) -> tuple[dict[str, int], set[str]]:
    """What the library holds, and which of the failed files it does not keep, such as pipes and identifiers."""
    failed = [row.path for row in report.failed]
    return library.counts(), set(failed) - {row.path for row in library.session.catalog.file_rows(failed)}


def _report(state: State, report: AddReport, counts: dict[str, int], unkept: set[str]) -> int:
    state.tell(lambda: encode.add_report(report, counts), lambda out: _print_report(out, report, counts, unkept))
    return int(any(row.is_troubled for row in (*report.added, *report.updated, *report.unchanged, *report.failed)))


def _print_report(out: Printer, report: AddReport, counts: dict[str, int], unkept: set[str]) -> None:
    say_trouble(out, [row for row in report.rows if row.path in unkept])  # no other command will name them
    troubled = [row for row in report.rows if row.is_troubled and row.path not in unkept]
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
    for text in report.unread:
        out.fold(f"No full text: {text}")
    if unkept:
        verb, pronoun = ("is", "it") if len(unkept) == 1 else ("are", "them")
        out.line(f"{len(unkept)} of these {verb} not recorded, so `conspectus status` will not list {pronoun}.")
    out.line(f"The library holds {holdings(counts)}.")
