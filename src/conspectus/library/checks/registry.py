"""The checks of `doctor`, in their order."""

from __future__ import annotations

from functools import partial

from conspectus.ingest.derivations.registry import DERIVATIONS
from conspectus.library.checks import derived, encoders, files, kept, map, models, place, whole
from conspectus.library.checks.check import Check
from conspectus.library.maintenance import rebuild_index

CHECKS: tuple[Check, ...] = (
    Check(place.program, beyond=True),
    Check(whole.catalog),
    Check(whole.documents),
    Check(whole.check_orphans, whole.remove_orphans),
    Check(whole.identifiers),
    Check(kept.check_user_data, kept.mend),
    Check(place.settings),
    Check(models.embedder, beyond=True),
    Check(encoders.encoder, beyond=True),
    Check(models.language_models, beyond=True),
    Check(models.judge, beyond=True),
    Check(models.reranker, beyond=True),
    Check(models.prompts),
    Check(derived.passages),
    *(Check(partial(derived.derived, one.name), derived.derive) for one in DERIVATIONS if not one.beside),
    Check(derived.index, rebuild_index),
    Check(encoders.vectors),
    Check(derived.linked),
    Check(map.places, map.take_off),
    Check(models.ocr, beyond=True),
    Check(files.read),
    Check(files.letters),
    Check(files.hidden),
    Check(files.check_missing),
    Check(place.leftovers, place.clean),
    Check(place.private),
    Check(place.drive),
    Check(place.disk),
)
