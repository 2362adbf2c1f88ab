"""Add files and folders to a library, and read files again."""

from __future__ import annotations

from typing import Annotated

from conspectus.faces.declare import Option, VerbGroup, verb
from conspectus.faces.filters import Progressing
from conspectus.ingest.files import Paths
from conspectus.library import paper_changes
from conspectus.records import AddReport


def trouble_code(report: AddReport) -> int:
    """Exit code 1 if a file could not be read, or not in full."""
    rows = (*report.added, *report.updated, *report.unchanged, *report.failed)
    return int(any(row.is_troubled for row in rows))


class AddVerbs(VerbGroup):
    """Add papers from files."""

    @verb(job=True, writes=True, creates=True, exit_code=trouble_code)
    def add(
        self,
        paths: Annotated[Paths, Option("Files, folders, globs, identifiers, links.", metavar="PATHS…")],
        progress: Progressing = None,
        *,
        full_text: Annotated[bool, Option("Also fetch and read open full texts of papers that are looked up.")] = False,
        found_for: Annotated[str, Option("The question or search that brought them.", faces=())] = "",
        online: Annotated[bool | None, Option("Look papers up online in this call (default: sources.online).")] = None,
    ) -> AddReport:
        """Add files and folders. Run it again to pick up only new or changed files.

        PDF, Markdown, JSON Lines, CSV and more; folders with all their contents; zotero:COLLECTION, zotero:group/NAME,
        or zotero: for your whole Zotero library. Unreadable files are reported and skipped. Run it again to continue
        after an interruption: what was committed is kept.

        With `online`, also papers by identifier or link: doi:10.1000/x, arxiv:2101.00001, pmid:123, PMC123, a bibcode,
        https://…

        Shell:
            The exit code is 1 if a file could not be read.

        Raises:
            ModelMissingError: the embedder is not in the model store.
            ModelMismatchError: the library was embedded with another model.
            BusyError: another process, or job of this one, is writing to the library.
        """
        return paper_changes.add(self.session, paths, progress, full_text=full_text, found_for=found_for, online=online)

    @verb(schema="papers.retry", job=True, writes=True, exit_code=trouble_code)
    def retry(
        self,
        progress: Progressing = None,
        *,
        everything: Annotated[
            bool, Option("Also retry files whose problem you have fixed yourself.", flag="all")
        ] = False,
        paths: Annotated[Paths, Option("These files or folders alone, whatever their reasons.", faces=())] = (),
    ) -> AddReport:
        """Read again the files that failed or were read only in part.

        Files that had records refused are read again if they have changed since.

        Raises:
            NotFoundError: the library knows no such file.
            ForbiddenError: without `paths`, such a file is in no folder from which this user has added to the library:
                a stranger's ledger may name any file of this machine. Else as `add`.
        """
        return paper_changes.retry(self.session, progress, everything=everything, paths=paths)
