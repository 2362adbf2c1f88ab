"""All papers cut into passages anew, where the settings or an earlier version cut otherwise."""

from __future__ import annotations

import json

from conspectus.core.errors import InputError
from conspectus.core.job_context import emit
from conspectus.ingest.blame import sparing
from conspectus.ingest.store import PaperStore
from conspectus.models.protocol import Embedder
from conspectus.parse.text.passages import PASSAGES_VERSION
from conspectus.records.jobs import Progress
from conspectus.settings import PassageSettings
from conspectus.store.catalog import Catalog
from conspectus.store.codec import unpack_json
from conspectus.store.connection import put_meta, writing

_BATCH = 64
KEPT = "kept as cut before"


def rechunk(catalog: Catalog, embedder: Embedder, settings: PassageSettings) -> None:
    """Cut all papers anew, from what was read of them, where settings or an older version cut otherwise.

    One that fails stays as it was, is told by `doctor`, and is tried again the next time.

    Only passages whose text is new are embedded. Interrupted, it begins anew and finds the embeddings made so far.
    """
    wanted = f"{settings.chars}/{settings.overlap}/{PASSAGES_VERSION}"
    known, spared = catalog.meta("cut"), sorted(catalog.papers_by_key(list(_kept(catalog))))
    if known == wanted and not spared:
        return

    store = PaperStore.of(catalog, embedder, settings)
    kept: dict[int, InputError] = {}
    if known:
        batches = [spared] if known == wanted else catalog.paper_keys(_BATCH)
        total, done = len(spared) if known == wanted else catalog.counts()["papers"], 0
        for keys in batches:
            kept |= sparing(store.remake, keys)
            done += len(keys)
            emit(Progress("cutting", done, total, "papers"))
    with writing(catalog.engine) as connection:
        put_meta(connection, "cut", wanted)
        put_meta(connection, KEPT, json.dumps({str(key): str(error) for key, error in kept.items()}))


def kept(catalog: Catalog) -> dict[str, str]:
    """Papers, by id, that could not be cut anew and are as they were, and why."""
    said = _kept(catalog)
    papers = catalog.papers_by_key(list(said))
    return {papers[key].id: reason for key, reason in said.items() if key in papers}


def _kept(catalog: Catalog) -> dict[int, str]:
    return unpack_json(catalog.meta(KEPT) or "{}", dict[int, str], "which papers could not be cut anew")
