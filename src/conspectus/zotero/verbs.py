"""See which Zotero there is, import from it and write to it; `add zotero:` and `export --to zotero:` do the same.

What is only for people at this machine (`zotero.sqlite` by its path) is refused here, for these verbs are served, too.
"""

from __future__ import annotations

from typing import Annotated, Any

from conspectus.core.errors import ForbiddenError
from conspectus.core.job_context import listen
from conspectus.faces.declare import Option, VerbGroup, failures_code, verb
from conspectus.faces.filters import PaperNames, Progressing
from conspectus.records.events import Progress
from conspectus.records.sources import AddedWorks
from conspectus.records.zotero import ZoteroExport, ZoteroStatus

_NAMED: dict[str, Any] = {"max_length": 2000, "metavar": "COLLECTION", "example": "Reading/Grid cells"}


def export_code(report: ZoteroExport) -> int:
    """Exit code 1 if something was not written."""
    return int(bool(report.conflicts or report.failed))


class ZoteroVerbs(VerbGroup, name="zotero"):
    """Import from Zotero, and write to it."""

    @verb(http="GET /zotero", creates=True)
    def status(self) -> ZoteroStatus:
        """Show which Zotero is read and written, with its collections."""
        from conspectus.zotero.reachable import find_status

        return find_status(self.session)

    @verb("import", http="POST /zotero/import", job=True, writes=True, creates=True, exit_code=failures_code)
    def import_items(
        self,
        collection: Annotated[
            str, Option("Collection with those within it, or group/NAME (default: all).", **_NAMED)
        ] = "",
        *,
        progress: Progressing = None,
    ) -> AddedWorks:
        """Add what Zotero has, or what has changed there, with tags, collections and notes.

        The same as `add zotero:COLLECTION`.

        Raises:
            ForbiddenError: a file is named; or Zotero is on the internet, and `sources.online` is off.
            UnavailableError: no Zotero can be read.
            NotFoundError: there is no such collection or group.
        """
        from conspectus.zotero.item_import import PREFIX, names_file

        name = f"{PREFIX}{collection}"
        if names_file(name):
            raise ForbiddenError(f"'{collection}' is a file, and only collections are imported here.", f"`add {name}`")
        report = self.owner.add(name, progress)
        return AddedWorks(report.new_papers, report.failed, report.unread)

    @verb(http="POST /zotero/export", job=True, writes=True, exit_code=export_code)
    def export(
        self,
        collection: Annotated[str, Option("Collection, which is created if necessary.", **_NAMED)],
        papers: PaperNames = (),
        *,
        progress: Progressing = None,
    ) -> ZoteroExport:
        """Write papers to a collection of Zotero (default: all). Conflicts are shown; nothing is overwritten.

        The same as `export --to zotero:COLLECTION`, which can also filter.

        Raises:
            ReadOnlyZoteroError: no Zotero allows Conspectus to write.
            NotFoundError: there is no such paper.
        """
        with listen(progress, Progress):
            return self.owner.export_to_zotero(collection, papers)
