"""What changes the papers of a library: adding and reading again."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from conspectus.core.disk import possible_path
from conspectus.core.errors import BusyError, ForbiddenError
from conspectus.core.job_context import listen
from conspectus.core.text import pluralize
from conspectus.ingest.files import Paths, names_of
from conspectus.library import zotero_exchange
from conspectus.library.model_vectors import choose_embedder, compute_missing_vectors, end_first_pass, open_executor_of
from conspectus.records import AddReport
from conspectus.records.events import Progress
from conspectus.session.session import Session
from conspectus.settings.user_folders import recall, remember
from conspectus.zotero.item_import import is_zotero

_ADDED = "added"
"""The kind of record of what was added to a library, in the state folder."""


def add(
    session: Session,
    paths: Paths,
    progress: Callable[[Progress], None] | None = None,
    *,
    full_text: bool = False,
    found_for: str = "",
    online: bool | None = None,
) -> AddReport:
    """See `AddVerbs.add`."""
    from conspectus.sources.online_works import fetch_names, names_work

    names = names_of(paths)
    if online_names := [name for name in names if isinstance(name, str) and not is_zotero(name) and names_work(name)]:
        with listen(progress, Progress):
            works = fetch_names(session, online_names, found_for, full_text, online)
            files = [name for name in names if name not in online_names]
            report = add(session, [*files, *works.paths]) if files or works.paths else AddReport()
        report = replace(report, failed=(*report.failed, *works.failed), unread=works.unread)
        return _with_library(session, report)
    if not any(map(is_zotero, names)):
        return _add_files(session, names, progress)
    with listen(progress, Progress):
        paths = zotero_exchange.fetch(session, names)
    report = _add_files(session, paths, progress)
    zotero_exchange.take_user_data(session)
    return report


def _add_files(session: Session, names: Sequence[str | Path], progress: Callable[[Progress], None] | None) -> AddReport:
    from conspectus.ingest.adder import GRACE, Adder, interrupted_after
    from conspectus.ingest.ledger import note_run
    from conspectus.library.work_import import take_over

    catalog = session.catalog
    _remember_places(session, names)
    with listen(progress, Progress), open_executor_of(session, choose_embedder(session)) as executor:
        start = time.monotonic()
        try:
            with session.share_lock() as lock:
                adder = Adder(catalog, executor, session.settings, lock, session.follow, session.searched_model)
                report = adder.run(names)
        except BusyError:  # whoever holds the lock for so long holds it still
            raise
        except KeyboardInterrupt:  # where it is not soon done, the next search or the same call does it
            with suppress(Exception), interrupted_after(GRACE), session.writing():
                _index_all(session)
            raise
        except BaseException:  # what was committed before is to be found too; the reason is what is told
            with suppress(Exception), session.writing():
                _index_all(session)
            raise
        compute_missing_vectors(session)
        with session.writing():
            _index_all(session)
            if count := len(report.added) + len(report.updated) + len(report.duplicates):
                note_run(catalog, count, time.monotonic() - start)
        take_over(session, report.added)  # before what can take hours, and be stopped
        end_first_pass(session)
    return _with_library(session, replace(_as_indexed(session, report), new_papers=adder.new_papers))


def _with_library(session: Session, report: AddReport) -> AddReport:
    """The report with what the library holds now, and which of the failed files it does not remember."""
    failed = [row.path for row in report.failed]
    recorded = {row.path for row in session.catalog.file_rows(failed)} if failed else set()
    return replace(report, library=session.catalog.counts(), unrecorded=frozenset(failed) - recorded)


def _index_all(session: Session) -> None:
    from conspectus.ingest.index_sync import mark_indexed, sync
    from conspectus.store.late_indexes import complete_indexes
    from conspectus.store.lock import is_adding

    session.check_model()  # else the index would be of vectors that are not there
    if not is_adding(session.folder):  # else the last run makes them
        complete_indexes(session.catalog)
    sync(session.catalog, session.index, session.embedder.id)
    mark_indexed(session.catalog)


def _as_indexed(session: Session, report: AddReport) -> AddReport:
    """The report with the ledger's rows as they are now."""
    from conspectus.ingest.ledger import ledger_row

    paths = [row.path for row in (*report.added, *report.updated, *report.duplicates)]
    row_by_path = {row.path: ledger_row(row) for row in session.catalog.file_rows(paths)}
    added, updated = (tuple(row_by_path.get(row.path, row) for row in rows) for rows in (report.added, report.updated))
    twice = tuple(replace(row_by_path.get(row.path, row), reason=row.reason) for row in report.duplicates)
    return replace(report, added=added, updated=updated, duplicates=twice)


def watch(session: Session, paths: Paths, progress: Callable[[Progress], None] | None = None) -> Iterator[AddReport]:
    """`add`, and again whenever something has changed there; a report each time, without end.

    Raises:
        InputError: there is nothing to watch; else as `add`.
    """
    from conspectus.ingest.files import changes

    names = names_of(paths)
    watched = zotero_exchange.changes(session, names) if any(map(is_zotero, names)) else changes(names, session.folder)
    for _ in watched:  # first when it watches: what comes during an `add` is added by the next
        yield add(session, names, progress)


def retry(
    session: Session,
    progress: Callable[[Progress], None] | None = None,
    *,
    everything: bool = False,
    paths: Paths = (),
) -> AddReport:
    """See `AddVerbs.retry`."""
    from conspectus.ingest.ledger import rows_of
    from conspectus.ingest.paper_store import find_file_rows

    chosen_names, everything = names_of(paths), everything or bool(paths)
    rows = list(find_file_rows(session.catalog, chosen_names) if chosen_names else session.catalog.file_rows())
    pending_paths = [
        row.path for row in rows if row.state == "queued" or (row.state == "failed" and (row.retry or everything))
    ]
    pending_paths += [row.path for row in rows_of(rows) if row.state == "stale" and row.reason]
    if not chosen_names and (foreign_paths := _outside_added(session, pending_paths)):
        raise ForbiddenError(
            f"The library names {pluralize(len(foreign_paths), 'file')} to read again in folders from which you have "
            f"added nothing to it, such as '{foreign_paths[0]}'.",
            "If you know them, add them again: `add FILES…`.",
        )
    return _add_files(session, pending_paths, progress)


def _remember_places(session: Session, names: Sequence[str | Path]) -> None:
    """Remember the files and folders that the user has added, which `retry` may read again."""
    places = []
    for name in names:
        path = Path(os.path.abspath(possible_path(name)))  # noqa: PTH100 - links are resolved below
        while glob.has_magic(str(path)) and not os.path.lexists(path):
            path = path.parent
        places.append(os.path.realpath(path))
    if new := _outside_added(session, places):
        remember(_ADDED, os.path.realpath(session.folder), {"places": sorted({*_added_places(session), *new})})


def _outside_added(session: Session, paths: Sequence[str]) -> list[str]:
    """The files that are not in the library's folder, nor among what this user has added, nor in `sources.roots`."""
    known = (str(session.folder), *session.settings.sources.root_folders)
    places = {*(os.path.realpath(folder) for folder in known), *_added_places(session)}
    real = ((path, Path(os.path.realpath(path))) for path in paths)
    return [path for path, at in real if places.isdisjoint(map(str, (at, *at.parents)))]


def _added_places(session: Session) -> list[str]:
    places = recall(_ADDED, os.path.realpath(session.folder)).get("places")
    return places if isinstance(places, list) else []
