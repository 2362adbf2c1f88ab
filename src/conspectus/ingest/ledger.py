"""The ledger of files: what became of each in a run, what it is now, and which files would be read again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conspectus.core.errors import ConspectusError, describe_os_error
from conspectus.core.job_context import emit
from conspectus.parse.registry import GrobidReader, get_reader
from conspectus.records import AddReport, LedgerRow
from conspectus.records.events import Filed, FileOutcome
from conspectus.store import writer
from conspectus.store.catalog import Catalog
from conspectus.store.codec import unpack_json
from conspectus.store.connection import put_meta, transact, writing
from conspectus.store.rows import FileRow, StoredDocument

_GONE = (FileNotFoundError, NotADirectoryError)


def reader_key(name: str, version: int) -> str:
    """What the ledger keeps of the reader of a file: a file read under another key is read anew."""
    from conspectus.parse.references.completion import (
        COMPLETE_VERSION,  # a tenth of a second, which searches need not wait
    )

    return f"{name}/{version}.{COMPLETE_VERSION}"


def ledger_row(row: FileRow) -> LedgerRow:
    """A file's row as users see it."""
    return LedgerRow(
        *(row.path, row.state, row.reason, row.retry, row.reader.rpartition(".")[0], row.papers, row.updated),
        *(row.notes, row.machine),
    )


def rows_of(rows: Iterable[FileRow]) -> tuple[LedgerRow, ...]:
    """Ledger rows for users: files that have vanished are missing, those that `add` would read anew are stale."""
    return tuple(ledger_row(_as_now(row)) for row in rows)


def is_gone(path: str) -> bool:
    """Whether no file is there, or only a link that leads nowhere; False where nobody can say (a closed folder)."""
    try:
        Path(path).stat()
    except OSError as error:
        return isinstance(error, _GONE)
    return False


def _as_now(row: FileRow) -> FileRow:
    try:
        stat = Path(row.path).stat()
    except _GONE:
        return replace(row, state="missing", reason="it is no longer there")
    except OSError:
        return row
    if row.state not in ("stored", "indexed"):
        return row
    changed = (row.size, row.mtime_ns) != (stat.st_size, stat.st_mtime_ns)
    return replace(row, state="stale") if changed or row.reader != _key_now(row.reader) else row


def _key_now(key: str) -> str:
    name = key.rpartition("/")[0]
    grobid = GrobidReader()  # which server read it makes no difference
    try:
        return reader_key(name, grobid.version if name == grobid.name else get_reader(name).version)
    except ConspectusError:
        return ""


def note_run(catalog: Catalog, files: int, seconds: float) -> None:
    """Keep how long the last run of `add` that read anything took."""
    run_record = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "files": files, "seconds": round(seconds, 1)}
    with writing(catalog.engine) as connection:
        put_meta(connection, "last_add", json.dumps(run_record))


def last_run(catalog: Catalog) -> Mapping[str, Any]:
    """What `note_run` kept: `at`, `files`, `seconds`; empty where nothing was ever read."""
    return unpack_json(catalog.meta("last_add") or "{}", dict[str, Any], "what is known of the last run")


def reason_of(error: ConspectusError | OSError) -> str:
    """Why a file was not read."""
    if isinstance(error, ConspectusError):
        return str(error)
    if isinstance(error, PermissionError):
        return "you have no right to read it"
    return f"it cannot be read: {describe_os_error(error)}"


@dataclass(slots=True)
class RunOutcome:
    """The files of a run so far.

    Attributes:
        lock: holds the library's writer lock.
        named_files: files that records name, to be read in this run.
        fresh: path -> SHA-256 of files that were read to their end.
        twins: path -> a file of the same bytes that was there before.
    """

    catalog: Catalog
    lock: Callable[[], AbstractContextManager[None]]
    named_files: dict[str, None] = field(default_factory=dict)
    fresh: dict[str, str] = field(default_factory=dict)
    twins: dict[str, str] = field(default_factory=dict)
    _rows: dict[str, list[LedgerRow]] = field(
        default_factory=lambda: {"added": [], "updated": [], "unchanged": [], "failed": []}
    )

    def put(self, row: FileRow) -> int:
        """Write a row of the ledger; returns its key."""
        with self.lock():
            return transact(self.catalog.engine, lambda connection: writer.put_file(connection, row))

    def note_unchanged(self, row: FileRow) -> None:
        """A file needed no reading."""
        self._rows["unchanged"].append(ledger_row(replace(row, state="unchanged")))

    def read(self, row: FileRow, *, known: bool) -> None:
        """A file was read to its end; `known`: there were papers of it before."""
        self.put(row)
        self.fresh[row.path] = row.sha256
        self._note("updated" if known else "added", row)

    def fail(self, row: FileRow, reason: str, retry: bool, stored: bool, by: str = "") -> None:
        """A file could not be read; `stored`: the ledger is told. What was read of it before, `by` whom, stays."""
        if row.papers:
            reason = f"{reason.rstrip('.')}. What was read of it before{by} is kept."
        failed = replace(row, state="failed", reason=reason, retry=retry)
        if stored:
            self.put(failed)
        self._note("failed", failed)

    def _note(self, outcome: FileOutcome, row: FileRow) -> None:
        entry = ledger_row(row)
        self._rows[outcome].append(entry)
        emit(Filed(outcome, entry), ends=False)

    def report(self, place: Mapping[str, int], passed_over: Mapping[str, int]) -> AddReport:
        """What became of all, in the order of the files: path -> `place`."""
        rows = {name: sorted(entries, key=lambda row: place[row.path]) for name, entries in self._rows.items()}
        reason_by_path = duplicates(self.catalog, {row.path: self.fresh[row.path] for row in rows["added"]}, self.twins)
        rows["duplicates"] = [
            replace(row, reason=reason_by_path[row.path]) for row in rows["added"] if row.path in reason_by_path
        ]
        rows["added"] = [row for row in rows["added"] if row.path not in reason_by_path]
        added, updated, unchanged, failed, twice = (
            tuple(rows[name]) for name in ("added", "updated", "unchanged", "failed", "duplicates")
        )
        return AddReport(added, updated, unchanged, failed, twice, dict(passed_over))


_LINK = "link"


def duplicates(catalog: Catalog, added: Mapping[str, str], twins: Mapping[str, str]) -> dict[str, str]:
    """Path -> what it is a duplicate of, in words, of those files that are.

    Args:
        catalog: the files and what was read of them are in it.
        added: path -> SHA-256 of the new files, in the order in which they were named: the first of several is none.
        twins: path -> a file of the same bytes that was there before.
    """
    first: dict[str, str] = {}
    reason_by_path: dict[str, str] = {}
    for path, sha in added.items():
        other = first.setdefault(sha, twins.get(path, path))
        if other != path and other not in reason_by_path:
            reason_by_path[path] = f"duplicate of '{other}' (the same bytes)"
    return reason_by_path | _same_papers(catalog, [path for path in added if path not in reason_by_path], added)


def _same_papers(catalog: Catalog, paths: Sequence[str], added: Mapping[str, str]) -> dict[str, str]:
    """Of files that are one paper as a whole those whose paper another such file had before.

    A record that names several files means article and supplements, which are no duplicates.
    """
    owners = catalog.papers_at(paths)
    wholes = catalog.wholes(sorted(set(owners.values())))
    place = {path: number for number, path in enumerate(added)}
    reason_by_path: dict[str, str] = {}
    for key, several in wholes.items():
        if len(several) < 2:
            continue
        paper_documents = catalog.documents_of_one(key)
        documents = {document.path: document for document in paper_documents if not document.ordinal}
        linked_paths = {path for document in paper_documents for path in document.linked}
        ordered = sorted((path for path in several if path in documents), key=lambda path: place.get(path, -1))
        for number, path in enumerate(ordered):
            earlier = (previous for previous in ordered[:number] if _alike(documents[previous], documents[path]))
            if owners.get(path) == key and path not in linked_paths and (other := next(earlier, "")):
                reason_by_path[path] = f"duplicate of '{other}' (the same paper)"
    return reason_by_path


def _alike(document: StoredDocument, other: StoredDocument) -> bool:
    """Whether two documents are of one paper for what they say themselves."""
    mine, its = ({name for name in it.identities if name[0] != _LINK} for it in (document, other))
    return not mine.isdisjoint(its)
