"""`audit`."""

from __future__ import annotations

from pathlib import Path

import click

from conspectus.cli.app import verb
from conspectus.cli.standard_input import read_input
from conspectus.cli.state import State
from conspectus.core.disk import user_path
from conspectus.core.errors import InputError, UnavailableError
from conspectus.core.plural import pluralize
from conspectus.faces.printer import Printer, short
from conspectus.records import REFERENCE_VERDICTS, AuditReport, LookUps, ReferenceCheck
from conspectus.wire import encode

_STYLES = {"in library": "good", "found": "good", "wrong": "bad", "not found": "bad", "unchecked": "dim"}
_FIELDS = {"doi": "DOI", "arxiv_id": "arXiv id", "pmid": "PMID"}
_SHOWN = 200


@verb("audit")
@click.argument("file", metavar="FILE|-")
@click.option(
    "--online/--offline",
    default=None,
    help="Look up what the library does not have at sources.crossref.url, or do not (default: sources.online).",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if any reference is wrong or was not found.")
def audit_verb(state: State, file: str, online: bool | None, strict: bool) -> int:
    """Check whether the works in a reference list exist and match their entries.

    FILE is a list of references in any form: one a line or numbered, BibTeX, RIS, CSL-JSON, an answer that a model
    wrote, or a paper, whose own list is checked; `-`: standard input. Each reference is looked up by DOI, arXiv id,
    PMID and title in the library and, with --online, at the service. It is then `in library`, `found`, `wrong` (and
    where), `not found` or `unchecked`.

    The exit code is 3 where the service was asked and never answered; what could be checked is printed.
    """
    if file == "-":
        from conspectus.parse.references.lists import MAX_TEXT

        source: str | Path = read_input(MAX_TEXT) + "\n"
    else:
        source = user_path(file)
        if not source.exists():
            raise InputError(f"There is no file '{source}'.", "Check its name; `-` reads standard input.")
    with state.library() as library:
        report = library.audit(source, online=online)
    state.tell(lambda: encode.body(report), lambda out: _print_report(out, report))
    if strict and report.doubtful:
        return 1
    return UnavailableError.exit_code if report.unanswered else 0


def _print_report(out: Printer, report: AuditReport) -> None:
    for number, check in enumerate(report.checks, 1):
        _check(out, number, check)
    for note in report.notes:
        out.fold(note)
    for one in report.looked_up:
        if one.given:
            out.line(_fared(one))
    counts = ", ".join(
        f"{report.counts[verdict]} {verdict}" for verdict in REFERENCE_VERDICTS if report.counts[verdict]
    )
    where = f"library and {report.service}" if report.service else "library"
    out.line((" · ".join(part for part in (pluralize(len(report.checks), "reference"), counts, where) if part), "dim"))


def _fared(one: LookUps) -> str:
    """`DOIs: 2 of 3 wrong (67 %): 1 of nobody or not the work's, 1 of a work of another title`, or so of titles."""
    share = f"{one.incorrect} of {one.given}"
    percent = f"({100 * one.incorrect / one.given:.0f} %)"
    if one.by == "title":
        return f"Titles: {share} not found {percent}"
    kinds = f"{one.not_found} of nobody or not the work's, {one.mismatch} of a work of another title"
    return f"DOIs: {share} wrong {percent}: {kinds}"


def _check(out: Printer, number: int, check: ReferenceCheck) -> None:
    wrong = f": {', '.join(_FIELDS.get(name, name) for name in check.contradicts)}" if check.contradicts else ""
    out.line(f"{number:>3}  ", (f"{check.verdict}{wrong}", _STYLES[check.verdict]))
    out.fold(short(check.reference.text, _SHOWN), indent=5)
    if check.record is not None:
        out.fold(f"→ {check.record.reference}", indent=5)
    if check.paper_id:
        out.line((check.paper_id, "dim"), indent=7)
    if check.note:
        out.fold(check.note, indent=5)
    out.line()
