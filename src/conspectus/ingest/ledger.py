"""The ledger as users see it: what became of each file, and which files would be read anew."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conspectus.core.errors import ConspectusError
from conspectus.parse.registry import GrobidReader, reader_named
from conspectus.records import LedgerRow
from conspectus.store.catalog import Catalog
from conspectus.store.codec import unpack_json
from conspectus.store.connection import put_meta, writing
from conspectus.store.rows import FileRow

_GONE = (FileNotFoundError, NotADirectoryError)


def reader_key(name: str, version: int) -> str:
    """What the ledger keeps of the reader of a file: a file read under another key is read anew."""
    from conspectus.parse.references.completion import COMPLETE_VERSION  # slow to import, and searches do not need it

    return f"{name}/{version}.{COMPLETE_VERSION}"


def ledger_row(row: FileRow) -> LedgerRow:
    """A file's row as users see it."""
    return LedgerRow(
        row.path, row.state, row.reason, row.retry, row.reader.rpartition(".")[0], row.papers, row.updated, row.notes
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
        found = Path(row.path).stat()
    except _GONE:
        return replace(row, state="missing", reason="it is no longer there")
    except OSError:
        return row
    if row.state not in ("stored", "indexed"):
        return row
    changed = (row.size, row.mtime_ns) != (found.st_size, found.st_mtime_ns)
    return replace(row, state="stale") if changed or row.reader != _key_now(row.reader) else row


def _key_now(key: str) -> str:
    name = key.rpartition("/")[0]
    grobid = GrobidReader()  # which server read it makes no difference
    try:
        return reader_key(name, grobid.version if name == grobid.name else reader_named(name).version)
    except ConspectusError:
        return ""


def note_run(catalog: Catalog, files: int, seconds: float) -> None:
    """Keep how long the last run of `add` that read anything took."""
    said = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "files": files, "seconds": round(seconds, 1)}
    with writing(catalog.engine) as connection:
        put_meta(connection, "last_add", json.dumps(said))


def last_run(catalog: Catalog) -> Mapping[str, Any]:
    """What `note_run` kept: `at`, `files`, `seconds`; empty where nothing was ever read."""
    return unpack_json(catalog.meta("last_add") or "{}", dict[str, Any], "what is known of the last run")


def reason_of(error: ConspectusError | OSError) -> str:
    """Why a file was not read."""
    if isinstance(error, ConspectusError):
        return str(error)
    if isinstance(error, PermissionError):
        return "you have no right to read it"
    return f"it cannot be read: {error.strerror or error}"
