"""`doctor`: one check a function, each finding with its remedy."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from conspectus.catalog.catalog import Catalog
from conspectus.errors import ConspectusError
from conspectus.index.protocol import SearchIndex
from conspectus.models.registry import embedder, specs
from conspectus.models.store import ModelStore
from conspectus.records import Finding
from conspectus.settings import Settings

LOW_MB = 500


def examine(catalog: Catalog, index: SearchIndex, settings: Settings, folder: Path) -> Iterator[Finding]:
    """All findings, the well ones too, in the order of the checks."""
    yield _catalog(catalog)
    yield _model(settings)
    yield from _vectors(catalog, settings)
    yield _index(catalog, index)
    yield _failed(catalog)
    yield _missing(catalog)
    free = shutil.disk_usage(folder).free // 10**6
    yield Finding("disk", free >= LOW_MB, f"{free} MB free", "" if free >= LOW_MB else "Make room on this disk.")


def _catalog(catalog: Catalog) -> Finding:
    if detail := catalog.trouble():
        return Finding(
            "catalog", False, detail, f"Restore '{catalog.store.shown}' from a backup, or add the papers anew."
        )
    counts, server = catalog.counts(), catalog.store.server
    place = f"; {server} at {catalog.store.shown}" if server else ""
    return Finding("catalog", True, f"{counts['papers']} papers, {counts['passages']} passages{place}")


def _model(settings: Settings) -> Finding:
    name = settings.models.embedder
    try:
        spec = specs().get(name)
        if spec is not None:
            ModelStore(settings.models.store or None).verify(spec)
        found = embedder(settings.models)
        return Finding("model", True, f"{found.id}, {len(found.embed_query('test').vector)} dimensions")
    except ConspectusError as error:
        return Finding("model", False, error.message, error.hint)


def _vectors(catalog: Catalog, settings: Settings) -> Iterator[Finding]:
    try:
        model = embedder(settings.models).id
    except ConspectusError:
        return  # told by the check of the model
    counts, total = catalog.model_counts(), catalog.counts()["passages"]
    well = counts.get(model, 0) == total and not set(counts) - {model}
    detail = ", ".join(f"{count} of {total} passages by {name}" for name, count in counts.items()) or "none"
    yield Finding("vectors", well, detail, "" if well else "conspectus reindex")


def _index(catalog: Catalog, index: SearchIndex) -> Finding:
    try:
        stats, present = index.stats(), index.keys()
    except ConspectusError as error:
        return Finding("index", False, error.message, error.hint)
    wanted = catalog.passage_keys()
    missing, extra = len(np.setdiff1d(wanted, present)), len(np.setdiff1d(present, wanted))
    if missing or extra:
        return Finding("index", False, f"{missing} passages missing, {extra} too many", "conspectus reindex")
    return Finding("index", True, f"{stats.rows} passages, {stats.megabytes:.1f} MB")


def _failed(catalog: Catalog) -> Finding:
    rows = [row for row in catalog.file_rows() if Path(row.path).exists()]
    if begun := [row.path for row in rows if row.state == "queued"]:
        detail = f"{len(begun)} begun and not read to the end: '{Path(begun[0]).name}'" + (" …" if begun[1:] else "")
        return Finding("files read", False, detail, f"Run it again: conspectus add {begun[0]}")
    failed = [row.path for row in rows if row.state == "failed"]
    names = ", ".join(f"'{Path(path).name}'" for path in failed[:3]) + (" …" if len(failed) > 3 else "")
    remedy = "`conspectus status` says why; mend them and add them again." if failed else ""
    return Finding("files read", not failed, f"{len(failed)} failed: {names}" if failed else "all", remedy)


def _missing(catalog: Catalog) -> Finding:
    gone = [row.path for row in catalog.file_rows() if row.papers and not Path(row.path).exists()]
    remedy = "Put them back, or remove their papers: conspectus remove PAPER" if gone else ""
    return Finding("files there", not gone, f"{len(gone)} no longer there" if gone else "all", remedy)
