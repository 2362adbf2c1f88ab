"""The check of highlights."""

from __future__ import annotations

from conspectus.core.errors import LibraryDamagedError
from conspectus.core.plural import pluralize
from conspectus.curation import sql
from conspectus.curation.highlights import list_highlights
from conspectus.library.checks.check import names
from conspectus.records import Finding
from conspectus.session.session import Session


def check_highlights(session: Session) -> Finding:
    """Highlights that cannot be read; those whose words are not found are only counted."""
    try:
        stored = sql.list_highlights(session.catalog)
    except LibraryDamagedError as error:
        return Finding("highlights", False, error.message, "Restore a backup: `library restore FILE`")
    lost = [one.id for one in list_highlights(session.catalog, stored) if not one.found]
    rest = f"; not found in the current text: {names(lost)}" if lost else ""
    return Finding("highlights", True, f"{pluralize(len(stored), 'highlight')} can be read{rest}")
