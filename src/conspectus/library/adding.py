"""What changes the papers of a library: adding, reading again, forgetting, removing, splitting."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from conspectus.core.errors import UntrustedError
from conspectus.core.listening import hearing
from conspectus.library.session import Session
from conspectus.records import AddReport, LedgerRow, Paper
from conspectus.records.jobs import Progress
from conspectus.settings.standing import origin, remedy

Paths = Sequence[str | Path] | str | Path


def names_of(paths: Paths) -> list[str | Path]:
    """Files and folders, of which one may be given alone."""
    return [paths] if isinstance(paths, str | Path) else list(paths)


def add(session: Session, paths: Paths) -> AddReport:
    """See `Library.add`."""
    from conspectus.ingest.interrupt import GRACE, interrupted_after
    from conspectus.ingest.ledger import note_run
    from conspectus.ingest.run import Adder
    from conspectus.ingest.sync import sync
    from conspectus.library.taking_over import take_over

    catalog = session.catalog
    with session.writing():
        session.check_model()
        try:
            follow = partial(sync, catalog, session.index, session.embedder.id)
            begun = time.monotonic()
            report = Adder(catalog, session.embedder, session.settings, follow).run(names_of(paths))
            if read := len(report.added) + len(report.updated) + len(report.duplicates):
                note_run(catalog, read, time.monotonic() - begun)
        except KeyboardInterrupt:  # where it is not soon done, the next search or the same call does it
            with suppress(Exception), interrupted_after(GRACE):
                _index_all(session)
            raise
        except BaseException:  # what was committed before is to be found too; the reason is what is told
            with suppress(Exception):
                _index_all(session)
            raise
        _index_all(session)
    take_over(session, report.added)
    return _as_indexed(session, report)


def _index_all(session: Session) -> None:
    from conspectus.ingest.sync import mark_indexed, sync

    sync(session.catalog, session.index, session.embedder.id)
    mark_indexed(session.catalog)


def _as_indexed(session: Session, report: AddReport) -> AddReport:
    """The report with the ledger's rows as they are now."""
    from conspectus.ingest.ledger import ledger_row

    paths = [row.path for row in (*report.added, *report.updated, *report.duplicates)]
    now = {row.path: ledger_row(row) for row in session.catalog.file_rows(paths)}
    added, updated = (tuple(now.get(row.path, row) for row in rows) for rows in (report.added, report.updated))
    twice = tuple(replace(now.get(row.path, row), reason=row.reason) for row in report.duplicates)
    return replace(report, added=added, updated=updated, duplicates=twice)


def watch(session: Session, paths: Paths, hear: Callable[[Progress], None] | None) -> Iterator[AddReport]:
    """See `Library.watch`."""
    from conspectus.ingest.watch import changes

    names = names_of(paths)
    for _ in changes(names, session.folder):  # first when it watches: what comes during an `add` is added by the next
        with hearing(hear, Progress):
            report = add(session, names)
        yield report


def retry(session: Session, paths: Paths, *, everything: bool) -> AddReport:
    """See `Library.retry`."""
    from conspectus.ingest.forget import named
    from conspectus.ingest.ledger import rows_of

    chosen, everything = names_of(paths), everything or bool(paths)
    rows = list(named(session.catalog, chosen) if chosen else session.catalog.file_rows())
    again = [row.path for row in rows if row.state == "queued" or (row.state == "failed" and (row.retry or everything))]
    again += [row.path for row in rows_of(rows) if row.state == "stale" and row.reason]
    if again and not session.standing.whole:
        raise UntrustedError(
            f"The library '{session.folder}' {origin(session.folder)}, and its ledger names the files to read: "
            f"{len(again)}, such as '{again[0]}'.",
            f"Name those that you mean: `add FILES…`. {remedy(session.folder)}",
        )
    return add(session, again)


def forget(session: Session, paths: Paths, *, papers: bool) -> tuple[LedgerRow, ...]:
    """See `Library.forget`."""
    from conspectus.ingest.forget import forget_files, named
    from conspectus.ingest.ledger import rows_of
    from conspectus.ingest.store import cutter

    with session.writing():
        rows = named(session.catalog, names_of(paths))
        told = rows_of(rows)
        if any(row.papers for row in rows):
            session.check_model()
        cut = cutter(session.settings.passages)
        forget_files(session.catalog, session.embedder, rows, cut, papers=papers)
        session.follow()
    return told


def split(session: Session, name: str, documents: Sequence[str | int], *, undo: bool) -> tuple[Paper, ...]:
    """See `Library.split`."""
    from conspectus.ingest import splitting
    from conspectus.ingest.store import cutter

    catalog = session.catalog
    with session.writing():
        session.check_model()
        key, cut = catalog.paper_key(session.paper(name).id), cutter(session.settings.passages)
        if undo:
            keys = splitting.unite(catalog, session.embedder, key, cut)
        else:
            keys = splitting.split(catalog, session.embedder, key, list(map(str, documents)), cut)
        session.follow()
    found = catalog.papers_by_key(keys)
    return tuple(found[key] for key in keys if key in found)
