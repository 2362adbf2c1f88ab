"""The checks of `doctor`, in their order."""

from __future__ import annotations

from functools import partial

from conspectus.ingest.derivations.registry import DERIVATIONS
from conspectus.library.checks import (
    derivations,
    directions,
    encoders,
    files,
    highlights,
    integrity,
    map,
    models,
    notices,
    place,
    reviews,
    user_data,
)
from conspectus.library.checks.check import Check
from conspectus.library.maintenance import rebuild_index

CHECKS: tuple[Check, ...] = (
    Check(place.program, beyond=True),
    Check(integrity.catalog),
    Check(integrity.documents),
    Check(integrity.check_orphans, integrity.remove_orphans),
    Check(integrity.identifiers),
    Check(notices.check_notices),
    Check(user_data.check_user_data, user_data.mend),
    Check(highlights.check_highlights),
    Check(reviews.check_reviews),
    Check(place.settings),
    Check(models.embedder, beyond=True),
    Check(encoders.encoder, beyond=True),
    Check(models.language_models, beyond=True),
    Check(models.judge, beyond=True),
    Check(models.reranker, beyond=True),
    Check(models.prompts),
    Check(derivations.passages),
    *(Check(partial(derivations.derived, one.name), derivations.derive) for one in DERIVATIONS if not one.beside),
    Check(derivations.index, rebuild_index),
    Check(encoders.vectors),
    Check(derivations.linked),
    Check(map.places, map.take_off),
    Check(directions.check_directions),
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
