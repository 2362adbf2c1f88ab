"""Whether papers were retracted or are doubted, and whether anybody was asked."""

from __future__ import annotations

from conspectus.core.plural import pluralize
from conspectus.records import Finding
from conspectus.records.publication_status import publication_status
from conspectus.session.session import Session

_MOST = 10


def check_notices(session: Session) -> Finding:
    """Retracted and doubted papers by name, and the number of those of which no service was asked."""
    marked: dict[str, list[str]] = {"retracted": [], "concern": [], "unchecked": []}
    for name, title, extra in session.catalog.extras_of_papers():
        status = publication_status(title, extra)
        if status in marked:
            marked[status].append(name)
    said = []
    for status, words in (("retracted", "retracted"), ("concern", "under an expression of concern")):
        if found := marked[status]:
            more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
            named = (f"{session.paper(name).label} ({name})" for name in found[:_MOST])
            said.append(f"{len(found)} {words}: {', '.join(named)}{more}")
    if unchecked := marked["unchecked"]:
        said.append(f"{pluralize(len(unchecked), 'paper')} not checked for retractions")
    return Finding("retractions", True, "; ".join(said) or "no retractions known; every paper was checked")
