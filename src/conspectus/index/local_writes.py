"""Which generation of an index this user's program wrote on this machine.

tantivy and faiss open files as they are, and a stranger can make such as no program writes. What was written here is
known by what nobody can set: each file's inode and when it was changed last.
"""

from __future__ import annotations

import os
import stat
from hashlib import blake2b
from pathlib import Path

from conspectus.settings.user_folders import recall, remember

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
    found = [(path.relative_to(generation).as_posix(), path.lstat()) for path in paths]
    files = [(name, at.st_ino, at.st_size, at.st_ctime_ns) for name, at in found if not stat.S_ISDIR(at.st_mode)]
    return blake2b(repr(files).encode(), digest_size=16).hexdigest()
