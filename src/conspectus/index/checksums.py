"""Checksums of an index's files: a disk that fails leaves files of the right length with other bytes."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path

from conspectus.core.disk import open_file
from conspectus.core.errors import LibraryDamagedError

_BLOCK = 1 << 20


def checksum(path: Path) -> int:
    """CRC-32 of a file's bytes."""
    found = 0
    with open_file(path) as file:
        while block := file.read(_BLOCK):
            found = zlib.crc32(block, found)
    return found


def is_as_written(path: Path, known: int) -> bool:
    """Whether a file is there with the bytes of which this is the checksum."""
    try:
        return checksum(path) == known
    except OSError:
        return False


def damaged(folder: Path, reason: str) -> LibraryDamagedError:
    """The error where the index in `folder` is not what was written."""
    return LibraryDamagedError(
        f"The index '{folder}' cannot be read: {reason}.", "Build it anew from the catalog: `library reindex`"
    )


def check(generation: Path, names: tuple[str, ...], known: Mapping[str, int]) -> None:
    """Check files of a generation.

    Raises:
        LibraryDamagedError: one has other bytes than were written.
    """
    for name in names:
        if not is_as_written(generation / name, known[name]):
            raise damaged(generation.parent, f"'{name}' has other bytes than were written")
