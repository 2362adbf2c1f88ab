"""`add`."""

from __future__ import annotations

import click

from conspectus.cli import encode
from conspectus.cli.app import Verb
from conspectus.cli.describe import counted, holdings, trouble
from conspectus.cli.printer import Printer
from conspectus.cli.progress import showing
from conspectus.cli.state import State
from conspectus.records import AddReport


@click.command("add", cls=Verb)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS…")
@click.pass_obj
def add_verb(state: State, paths: tuple[str, ...]) -> int:
    """Add files, folders and globs; again, only what is new or changed.

    PDF, Markdown, JSON Lines, CSV and more; folders with all that is in them. A file that cannot be read is named and
    does not stop the others; then the exit code is 1. After an interruption the same command goes on.
    """
    with state.library(create=True) as library:
        with showing(state) as tell:
            report = library.add(paths, progress=tell)
        counts = dict(library.status().counts)
    if state.json:
        state.out.json("add", encode.add_report(report, counts))
    else:
        _say(state.out, report, counts)
    return int(any(encode.troubled(row) for row in report.rows))


def _say(out: Printer, report: AddReport, counts: dict[str, int]) -> None:
    for path, reason in trouble(row for row in report.rows if encode.troubled(row)):
        if path:
            out.line((path, "bad"), f": {reason}")
        else:
            out.line(reason, indent=4)
    if report.passed_over:
        kinds = ", ".join(f"{ending} ({number})" for ending, number in sorted(report.passed_over.items()))
        out.fold(f"Passed over, of kinds that cannot be read: {kinds}")
    if not report.rows:
        out.line("There is nothing there that can be read.")
    names = ("added", "updated", "unchanged", "failed")
    out.line(", ".join(f"{len(getattr(report, name))} {name}" for name in names) + f" ({_files(report)})")
    out.line(f"The library holds {holdings(counts)}.")


def _files(report: AddReport) -> str:
    return counted(len(report.rows), "file")
