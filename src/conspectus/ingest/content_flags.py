"""What papers have, for libraries whose papers were stored before that was noted, or was noted in another way."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from conspectus.catalog import content_flags, writer
from conspectus.catalog.catalog import Catalog
from conspectus.catalog.engine import transact
from conspectus.ingest.blame import sparing
from conspectus.ingest.merge import merge
from conspectus.ingest.progress import Progress, ProgressCallback
from conspectus.records.conditions import HAS, things

VERSION = "1"
"""Of `things`; with another one all papers are looked at anew."""
_BATCH = 64


def is_noted(catalog: Catalog) -> bool:
    """Whether the catalog, and an index that was made since, know what each paper has."""
    return catalog.meta(HAS) == VERSION


def say_noted(catalog: Catalog) -> None:
    """Say that they do."""
    transact(catalog.engine, partial(writer.put_meta, name=HAS, value=VERSION))


def note_all(catalog: Catalog, progress: ProgressCallback) -> None:
    """Note what each paper has, from what was read of its files."""
    total, done, last = catalog.counts()["papers"], 0, 0
    while keys := catalog.paper_keys_after(last, _BATCH):
        sparing(partial(_note, catalog), keys)  # of a paper that fails nothing is noted: it is found without
        last, done = keys[-1], done + len(keys)
        progress(Progress("noting figures", done, total, "papers"))


def _note(catalog: Catalog, keys: Sequence[int]) -> None:
    found = {key: things(merge(documents)) for key, documents in catalog.documents_of(keys).items()}
    transact(catalog.engine, partial(content_flags.put, found=found))
