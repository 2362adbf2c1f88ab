"""`doctor`: all checks, each finding with its remedy, mended where that can be done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from conspectus.core.errors import ConspectusError, LibraryDamagedError
from conspectus.core.job_context import emit
from conspectus.library.checks.check import Check
from conspectus.library.checks.registry import CHECKS
from conspectus.records import Finding
from conspectus.records.jobs import Progress
from conspectus.session.session import Session
from conspectus.store.columns import VALUE_ERRORS


def examine(session: Session, *, fix: bool = False) -> Iterator[Finding]:
    """All findings, the well ones too, in the order of the checks; with `fix`, what can be is mended first.

    What a damaged catalog keeps a check from is told once.
    """
    told: set[str] = set()
    for number, check in enumerate(CHECKS):
        emit(Progress("checking", number, len(CHECKS), "checks"))
        try:
            found = check.find(session)
        except LibraryDamagedError as error:
            if error.message not in told:
                told.add(error.message)
                yield Finding("catalog", False, error.message, error.hint)
            continue
        except VALUE_ERRORS:
            if not session.catalog.trouble():  # else it has been told
                raise
            continue
        if fix and found is not None and not found.ok and check.mend is not None:
            found = _mended(session, check, check.mend, found)
        if found is not None:
            yield found


def _mended(session: Session, check: Check, mend: Callable[[Session], object], before: Finding) -> Finding:
    """What the check finds after its mend, or why that failed."""
    failure = None
    try:
        mend(session)
    except ConspectusError as error:
        failure = error
    now = check.find(session) or before
    if now.ok:
        return replace(now, detail=f"{now.detail} (mended: {before.detail})")
    if failure is None:
        return now
    detail = f"{now.detail.rstrip('.')}; mending failed: {failure.message.rstrip('.')}"
    return replace(now, detail=detail, remedy=failure.hint or now.remedy)
