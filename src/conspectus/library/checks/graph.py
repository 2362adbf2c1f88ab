"""The check of what papers speak of."""

from __future__ import annotations

from conspectus.catalog import mentions as kept
from conspectus.core.counted import counted
from conspectus.library.graphing import unlinked
from conspectus.library.session import Session
from conspectus.records import Finding


def linked(session: Session) -> Finding | None:
    """Papers that were not linked by the vocabularies as they are now; None where there is none, or nothing linked."""
    number, entities = kept.size(session.catalog)
    if not number:
        return None
    if lacking := unlinked(session):
        detail = f"not linked by the vocabularies as they are now: {counted(lacking, 'paper')}"
        return Finding("graph", False, detail, "`link` finds what they speak of")
    return Finding("graph", True, f"{counted(number, 'mention')} of {counted(entities, 'entity', 'entities')}")
