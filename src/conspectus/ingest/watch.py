"""Watching files and folders for changes."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from pathlib import Path

from conspectus.core.disk import possible_path
from conspectus.core.errors import InputError
from conspectus.ingest.drives import drive_of, is_network

QUIET_MS = 1500
"""So long nothing more may change before it is told: files come in pieces."""
LONGEST_MS = 60_000
BEGIN_MS = 500
"""After so long without a change it is told that the watch has begun."""


def changes(names: Sequence[str | Path], without: Path) -> Iterator[None]:
    """Yields when it has begun to watch, then each time something has changed under `names`, but for `without`.

    What changes while the caller is busy is told when the caller asks again.

    Raises:
        InputError: none of them is a file or folder that is there, or the system cannot watch so many.
    """
    from watchfiles import DefaultFilter, watch

    roots = sorted({root for name in names if (root := _root(possible_path(name))) is not None})
    if not roots:
        raise InputError("There is nothing to watch: none of these is there.", "Name folders or files that exist.")
    polling = any(is_network(drive_of(root)) for root in roots)  # such drives do not tell of changes
    heed = DefaultFilter(ignore_paths=[without])
    told = watch(
        *roots,
        watch_filter=heed,
        debounce=LONGEST_MS,
        step=QUIET_MS,
        rust_timeout=BEGIN_MS,
        yield_on_timeout=True,
        force_polling=polling or None,
    )
    begun = False
    try:
        for changed in told:
            if changed or not begun:
                begun = True
                yield
    except OSError as error:
        raise InputError(
            f"The folders cannot be watched: {error}.",
            "On Linux, raise fs.inotify.max_user_watches, or watch fewer folders.",
        ) from error


def _root(path: Path) -> Path | None:
    """The folder to watch for a name: itself, or what stands before its pattern."""
    while glob.has_magic(str(path)) and not path.exists():
        path = path.parent
    return path if path.exists() else None
