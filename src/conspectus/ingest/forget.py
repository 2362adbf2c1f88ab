"""Files that go from the ledger, with what they said of papers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from conspectus.core.disk import possible_path
from conspectus.core.errors import NotFoundError, UsageError
from conspectus.ingest.store import PaperStore
from conspectus.store import writer
from conspectus.store.catalog import Catalog
from conspectus.store.connection import writing
from conspectus.store.rows import FileRow

_BATCH = 64


def named(catalog: Catalog, names: Sequence[str | Path]) -> list[FileRow]:
    """The ledger rows of files as `add` was told of them, or of all files that lay in a folder, each once.

    Raises:
        NotFoundError: the ledger has none that is called so.
    """
    rows = list(catalog.file_rows())
    found: dict[str, FileRow] = {}
    for name in map(str, names):
        whole = os.path.abspath(possible_path(name))  # noqa: PTH100 - links stay links
        meant = [row for row in rows if row.path in (name, whole) or row.path.startswith(os.path.join(whole, ""))]  # noqa: PTH118
        if not meant:
            raise NotFoundError(f"The library knows no file '{name}'.", "`status` lists them.")
        found |= {row.path: row for row in meant}
    return list(found.values())


def forget_files(store: PaperStore, rows: Sequence[FileRow], *, papers: bool) -> None:
    """Take files out of the ledger; papers lose what those said of them. The caller has the index follow.

    Args:
        papers: whether papers that rest on these files alone go, too.

    Raises:
        UsageError: there are such papers, and `papers` is False; nothing was done.
    """
    catalog = store.catalog
    gone = {key for row in rows for key in catalog.digests(row.key).values()}
    if not papers and (alone := _resting_on(catalog, gone)):
        which = f"'{rows[0].path}'" if len(rows) == 1 else "these files"
        resting = "1 paper rests" if len(alone) == 1 else f"{len(alone)} papers rest"
        raise UsageError(
            f"{resting} on {which} alone, such as {catalog.papers_by_key(alone[:1])[alone[0]].id}; nothing was done.",
            "To let the papers go as well: `forget FILE papers=True`. To keep them, leave the file as it is.",
        )
    store.forget(gone)
    with writing(catalog.engine) as connection:
        writer.drop_files(connection, [row.key for row in rows])


def _resting_on(catalog: Catalog, gone: set[int]) -> list[int]:
    """The keys of papers of which nothing else is said than in these documents."""
    found: list[int] = []
    keys = catalog.papers_of(sorted(gone))
    for some in (keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH)):
        stored = catalog.documents_of(some)
        found += [key for key, documents in stored.items() if all(one.key in gone for one in documents)]
    return found
