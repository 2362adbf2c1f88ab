"""Files of an index: their checksums, and which generation this user's program wrote on this machine.

A failing disk leaves files of the right length with other bytes, hence checksums. tantivy and faiss open files as they
are, and a stranger can make files that no program writes. What was written here is known by what nobody can set: each
file's inode and when it was changed last.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from conspectus.core.disk import open_file
from conspectus.core.errors import LibraryDamagedError
from conspectus.settings.user_folders import recall, remember

_BLOCK = 1 << 20


def checksum(path: Path) -> int:
    """CRC-32 of a file's bytes."""
    crc = 0
    with open_file(path) as file:
        while block := file.read(_BLOCK):
            crc = zlib.crc32(block, crc)
    return crc


def is_as_written(path: Path, known: int) -> bool:
    """Whether a file is there with the bytes of which this is the checksum."""
    try:
        return checksum(path) == known
    except OSError:
        return False


def damaged(folder: Path, reason: str) -> LibraryDamagedError:
    """The error where the index in `folder` is not what was written."""
    return LibraryDamagedError(
        f"The index '{folder}' cannot be read: {reason}.", "Rebuild it from the catalog: `library reindex`"
    )


def check(generation: Path, names: tuple[str, ...], known: Mapping[str, int]) -> None:
    """Check files of a generation.

    Raises:
        LibraryDamagedError: one has other bytes than were written.
    """
    for name in names:
        if not is_as_written(generation / name, known[name]):
            raise damaged(generation.parent, f"'{name}' has other bytes than were written")


_KIND = "indexes"


class LocalWrites:
    """The generation of the index in `folder` that was written here last; remembered in the user's state folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written = ""

    def has(self, generation: Path) -> bool:
        """Whether it is, to the last file, what was written here."""
        known = recall(_KIND, os.path.realpath(self._folder)).get("files")
        try:
            return _digest(generation) in (self._written, known)
        except OSError:  # a writer takes it away
            return False

    def add(self, generation: Path) -> None:
        """Remember one that was just written."""
        self._written = _digest(generation)
        remember(_KIND, os.path.realpath(self._folder), {"files": self._written})


def _digest(generation: Path) -> str:
    """A digest of the files there, but for tantivy's locks, which readers make."""
    paths = [path for path in sorted(generation.rglob("*")) if path.suffix != ".lock"]
    entries = [(path.relative_to(generation).as_posix(), path.lstat()) for path in paths]
    files = [(name, at.st_ino, at.st_size, at.st_ctime_ns) for name, at in entries if not stat.S_ISDIR(at.st_mode)]
    return blake2b(repr(files).encode(), digest_size=16).hexdigest()
