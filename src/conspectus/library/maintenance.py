"""Looking after a library: its index made anew, its state, a backup taken back."""

from __future__ import annotations

import shutil
from dataclasses import replace as replace_in
from functools import partial
from pathlib import Path
from typing import Literal

from sqlalchemy import select

from conspectus.core.errors import LibraryDamagedError, UsageError
from conspectus.core.job_context import emit
from conspectus.graph.name_table_cache import drop_cache
from conspectus.graph.vocabularies import sql as vocabularies_sql
from conspectus.images import sql as images_sql
from conspectus.index import protocol
from conspectus.index.protocol import SearchIndex
from conspectus.library.model_vectors import count_waiting, open_executor_of, switch_model
from conspectus.records import Backup, SpaceRow, Status
from conspectus.records.events import Progress
from conspectus.records.reports import BuiltParts
from conspectus.session.session import Session
from conspectus.settings.user_folders import library_cache
from conspectus.sources import online_folder
from conspectus.store.direction_tables import direction_sets
from conspectus.store.map_tables import maps


def rebuild_index(session: Session) -> int:
    """Compute missing embeddings for the current model and rebuild the index; returns the number of new embeddings.

    Others can add papers meanwhile, and the library is searched by the index that it has until the new one is made.
    The catalog's file is rewritten too, so that no word of a removed paper is left in it.
    """
    from conspectus.ingest.derivations.registry import DERIVATIONS, derive_missing
    from conspectus.ingest.derivations.vectors import compute_missing
    from conspectus.ingest.paper_store import rechunk

    catalog, kinds = session.catalog, DERIVATIONS[:-1]
    with open_executor_of(session, session.chosen_embedder) as executor:
        embedder = executor.embedder
        with session.share_lock(checked=False) as lock:
            derive_missing(catalog, kinds, lock)
            computed, _ = compute_missing(catalog, embedder, lock, lambda: session.index.stats().model == embedder.id)
            with lock():
                rechunk(catalog, embedder, session.settings.passages)
            derive_missing(catalog, [kind for kind in kinds if not kind.with_paper], lock)
        return computed + switch_model(session, embedder, fresh=True)


def library_status(session: Session) -> Status:
    """The library in numbers, and its ledger."""
    from conspectus.ingest.derivations.registry import lacking
    from conspectus.ingest.ledger import last_run, rows_of
    from conspectus.library.backup import replaced_backups

    catalog = session.catalog
    rows = rows_of(catalog.file_rows())
    counts = dict(catalog.counts())
    for state in ("missing", "stale"):
        counts[state] = sum(row.state == state for row in rows)
    counts["underived"] = max(lacking(catalog).values())
    counts["images"] = sum(images_sql.encoders(catalog).values())
    counts["waiting"] = count_waiting(session)
    counts |= vocabularies_sql.count_vocabularies(catalog)
    model = session.searched_model() or session.settings.models.embedder
    place = str(session.folder.absolute())
    backups = replaced_backups(session.folder)
    ignored = tuple(session.settings.ignored)
    return Status(
        place, counts, rows, model, describe_index(session), _space(session), last_run(catalog), backups, ignored
    )


def _space(session: Session) -> dict[str, float]:
    """Megabytes of the catalog with its log, of the index, and free on the disk."""
    index = sum(search_index.stats().megabytes for search_index in (session.index, *_side_indexes(session).values()))
    free = shutil.disk_usage(session.folder).free
    return {"catalog": round(session.catalog.size() / 1e6, 1), "index": round(index, 1), "free": round(free / 1e6, 1)}


def measure_space(session: Session) -> tuple[SpaceRow, ...]:
    """What takes how much space, largest first: tables with their indexes, search indexes, files, caches."""
    from conspectus.library.backup import replaced_backups

    catalog = session.catalog
    with catalog.snapshot() as view:
        passages, tables = view.counts()["passages"], view.table_sizes()
    online, cache = session.folder / online_folder.NAME, library_cache(session.folder)
    log = catalog.path.with_name(f"{catalog.path.name}-wal")
    sizes: list[tuple[Literal["table", "index", "files", "cache"], str, int]] = [
        *(("table", name, size) for name, size in tables.items()),
        ("index", "passages", round(session.index.stats().megabytes * 1e6)),
        *(
            ("index", name, round(search_index.stats().megabytes * 1e6))
            for name, search_index in _side_indexes(session).items()
        ),
        ("files", log.name, log.stat().st_size if log.exists() else 0),
        ("files", online.name, _folder_size(online)),
        ("files", "backups", round(sum(replaced_backups(session.folder).values()) * 1e6)),
        *(("cache", path.name, _folder_size(path)) for path in sorted(cache.glob("*"))),
    ]
    rows = [SpaceRow(kind, name, size, round(size / max(passages, 1), 1)) for kind, name, size in sizes if size]
    return tuple(sorted(rows, key=lambda row: (-row.bytes, row.name)))


def _folder_size(path: Path) -> int:
    return (
        path.stat().st_size
        if path.is_file()
        else sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    )


def describe_index(session: Session) -> str:
    """What the index holds, in words."""
    if protocol.is_foreign(session.index):
        return "it was written by another user or on another computer: the next search rebuilds it"
    stats, side_indexes = session.index.stats(), _side_indexes(session).items()
    side_counts = "".join(f" and {rows} of {name}" for name, index in side_indexes if (rows := index.stats().rows))
    behind = "" if stats.change == session.catalog.change() or not stats.rows else ", behind the catalog"
    return f"{stats.rows} passages{side_counts}, {_space(session)['index']:.1f} MB{behind}"


def _side_indexes(session: Session) -> dict[str, SearchIndex]:
    """The indexes beside that of the papers' own passages, by the names of what is in them."""
    from conspectus.ingest.index_sync import side_derivations

    return {derivation.name: session.index.beside(derivation.index_name) for derivation in side_derivations()}


def restore_backup(session: Session, path: Path, *, replace: bool) -> Backup:
    """See `CareVerbs.restore`.

    `left_out` of what it returns names what the backup had and was not taken: its settings, if the library has its own,
    and triggers and views, which no catalog of ours has and which would run.
    """
    from conspectus.ingest.index_sync import sync
    from conspectus.library import backup
    from conspectus.papers.removed_papers import recent_removals
    from conspectus.store import snapshot

    catalog = session.catalog
    unpacking = backup.opened(path, session.folder)
    with session.writing(), unpacking as contents:
        takes_settings = contents.settings is not None and backup.is_needed(contents.settings, session.folder)
        is_begun = snapshot.is_of(catalog, contents.sha256)
        if not is_begun or (replace and session.index.stats().change == catalog.change()):
            _make_way(session, replace)
            drop_cache(session)
            change = max(_last_change(session), snapshot.change_of(contents.catalog)) + 1
            pages = partial(Progress, "restoring", unit="pages")
            recent_removals(session).clear()
            snapshot.load(catalog, contents.catalog, change, contents.sha256, lambda *done: emit(pages(*done)))
        if contents.settings is not None and takes_settings:
            backup.put_settings(contents.settings, session.folder)
        models = catalog.model_counts()
        if models:
            sync(catalog, session.index, max(models, key=lambda name: models[name]), fresh=True)
        left = contents.backup.left_out + (("conspectus.toml",) if contents.settings and not takes_settings else ())
    return replace_in(contents.backup, left_out=left)


def _last_change(session: Session) -> int:
    """The number of the catalog's last change; of a damaged catalog that of the index."""
    try:
        return session.catalog.change()
    except LibraryDamagedError:
        return session.index.stats().change


def _make_way(session: Session, replace: bool) -> None:
    """Back up the papers that a restore is to replace."""
    from conspectus.library import backup

    if _may_have_papers(session):
        if not replace:
            raise UsageError(
                f"The library '{session.folder}' has papers or images, which would be replaced.",
                "Restore into another folder (`library=FOLDER`), or say `replace=True`.",
            )
        target = backup.free_name(session.folder, backup.REPLACED)
        backup.write(session.catalog, session.folder, target, damaged=True)  # a damaged one is what is replaced


def _may_have_papers(session: Session) -> bool:
    """Whether there are papers, or the catalog is so damaged that nobody can say."""
    try:
        return bool(session.catalog.counts()["papers"] or images_sql.encoders(session.catalog))
    except LibraryDamagedError:
        return True


def list_built(session: Session) -> BuiltParts:
    """Of what the library has maps and directions."""
    rows = session.catalog.rows
    return BuiltParts(
        tuple(sorted(row.of for row in rows(select(maps.c.of)))),
        tuple(sorted(row.of for row in rows(select(direction_sets.c.of)))),
    )
