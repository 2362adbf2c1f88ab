"""Check reference lists."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from conspectus.core.errors import UnavailableError
from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.records import AuditReport


def audit_code(report: AuditReport, *, strict: bool = False) -> int:
    """Exit code 1 for doubtful references, if that is asked for, 3 if the service never answered."""
    if strict and report.doubtful:
        return 1
    return UnavailableError.exit_code if report.unanswered else 0


class ReferenceVerbs(VerbGroup):
    """Reference lists."""

    @verb(job=True, exit_code=audit_code)
    def audit(
        self,
        references: Annotated[str | Path, Option("A file, or a text.", metavar="FILE|-")],
        *,
        online: Annotated[
            bool | None,
            Option(
                "Look up what the library does not have at sources.crossref.url, or do not (default: sources.online).",
                off="offline",
            ),
        ] = None,
    ) -> AuditReport:
        """Check whether the works in a reference list exist and match their entries.

        FILE is a list of references in any form: one a line or numbered, BibTeX, RIS, CSL-JSON, an answer that a model
        wrote, or a paper, whose own list is checked; `-`: standard input. Each reference is looked up by DOI, arXiv id,
        PMID and title in the library and, with --online, at the service. It is then `in library`, `found`, `wrong` (and
        where), `not found` or `unchecked`.

        Shell:
            The exit code is 3 where the service was asked and never answered; what could be checked is printed.

        Raises:
            InputError: the file cannot be read.
        """
        from conspectus.references.audit import audit

        session = self.session
        return audit(session.catalog, session.own_index(), references, session.settings, online=online)
