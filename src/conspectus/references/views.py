"""How checked references look in a terminal."""

from __future__ import annotations

from conspectus.core.text import pluralize
from conspectus.faces.printer import Printer, short
from conspectus.records import REFERENCE_VERDICTS, AuditReport, LookUps, ReferenceCheck

_STYLES = {"in library": "good", "found": "good", "wrong": "bad", "not found": "bad", "unchecked": "dim"}
_FIELDS = {"doi": "DOI", "arxiv_id": "arXiv id", "pmid": "PMID"}
_SHOWN = 200


def audit(out: Printer, report: AuditReport) -> None:
    """Each reference with its verdict, and how many of each there are."""
    for number, check in enumerate(report.checks, 1):
        _check(out, number, check)
    for note in report.notes:
        out.fold(note)
    for look_ups in report.looked_up:
        if look_ups.given:
            out.line(_describe_look_ups(look_ups))
    counts = ", ".join(
        f"{report.counts[verdict]} {verdict}" for verdict in REFERENCE_VERDICTS if report.counts[verdict]
    )
    where = f"library and {report.service}" if report.service else "library"
    out.line((" · ".join(part for part in (pluralize(len(report.checks), "reference"), counts, where) if part), "dim"))


def _describe_look_ups(look_ups: LookUps) -> str:
    """`DOIs: 2 of 3 wrong (67 %): 1 of nobody or not the work's, 1 of a work of another title`, or so of titles."""
    share = f"{look_ups.incorrect} of {look_ups.given}"
    percent = f"({100 * look_ups.incorrect / look_ups.given:.0f} %)"
    if look_ups.by == "title":
        return f"Titles: {share} not found {percent}"
    kinds = f"{look_ups.not_found} of nobody or not the work's, {look_ups.mismatch} of a work of another title"
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
