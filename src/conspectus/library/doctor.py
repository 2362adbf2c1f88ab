"""`doctor`: all checks in their order, each finding with its remedy, fixed if possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from conspectus.core.errors import ConspectusError, LibraryDamagedError
from conspectus.core.job_context import emit
from conspectus.ingest.derivations.registry import DERIVATIONS
from conspectus.library.checks import catalog, models, place, user_work
from conspectus.library.checks.check import Check
from conspectus.library.maintenance import rebuild_index
from conspectus.records import Finding
from conspectus.records.events import Progress
from conspectus.session.session import Session
from conspectus.store.columns import VALUE_ERRORS

CHECKS: tuple[Check, ...] = (
    Check(place.program, beyond=True),
    Check(catalog.catalog),
    Check(catalog.documents),
    Check(catalog.check_orphans, catalog.remove_orphans),
    Check(catalog.identifiers),
    Check(user_work.check_notices),
    Check(user_work.check_user_data, user_work.mend),
    Check(user_work.check_highlights),
    Check(user_work.check_reviews),
    Check(place.settings),
    Check(models.embedder, beyond=True),
    Check(models.encoder, beyond=True),
    Check(models.language_models, beyond=True),
    Check(models.judge, beyond=True),
    Check(models.reranker, beyond=True),
    Check(models.prompts),
    Check(catalog.passages),
    *(
        Check(partial(catalog.derived, derivation.name), catalog.derive)
        for derivation in DERIVATIONS
        if not derivation.index_name
    ),
    Check(catalog.index, rebuild_index),
    Check(models.vectors),
    Check(catalog.linked),
    Check(user_work.places, user_work.take_off),
    Check(user_work.check_directions),
    Check(models.ocr, beyond=True),
    Check(catalog.read),
    Check(catalog.letters),
    Check(catalog.hidden),
    Check(catalog.check_missing),
    Check(place.leftovers, place.clean),
    Check(place.private),
    Check(place.drive),
    Check(place.disk),
)


def examine(session: Session, *, fix: bool = False) -> Iterator[Finding]:
    """All findings, the well ones too, in the order of the checks; with `fix`, what can be is mended first.

    What a damaged catalog keeps a check from is told once.
    """
    messages: set[str] = set()
    for number, check in enumerate(CHECKS):
        emit(Progress("checking", number, len(CHECKS), "checks"))
        try:
            finding = check.find(session)
        except LibraryDamagedError as error:
            if error.message not in messages:
                messages.add(error.message)
                yield Finding("catalog", False, error.message, error.hint)
            continue
        except VALUE_ERRORS:
            if not session.catalog.trouble():  # else it has been told
                raise
            continue
        if fix and finding is not None and not finding.ok and check.mend is not None:
            finding = _mended(session, check, check.mend, finding)
        if finding is not None:
            yield finding


def _mended(session: Session, check: Check, mend: Callable[[Session], object], before: Finding) -> Finding:
    """What the check finds after its mend, or why that failed."""
    failure = None
    try:
        mend(session)
    except ConspectusError as error:
        failure = error
    after = check.find(session) or before
    if after.ok:
        return replace(after, detail=f"{after.detail} (mended: {before.detail})")
    if failure is None:
        return after
    detail = f"{after.detail.rstrip('.')}; mending failed: {failure.message.rstrip('.')}"
    return replace(after, detail=detail, remedy=failure.hint or after.remedy)
