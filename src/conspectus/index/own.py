"""Which generations of an index this user's program wrote, for libraries that are not trusted.

tantivy and faiss open files as they are, and a stranger can make such as no program writes. What was written here is
known by what nobody can set: each file's inode and when it was changed last.
"""

from __future__ import annotations

import os
import stat
from hashlib import blake2b
from pathlib import Path

from conspectus.settings import user_state

_KIND = "indexes"


class OwnGenerations:
    """Those of the index in `folder`; kept in the user's state folder, and while the program runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written = ""

    def has(self, generation: Path) -> bool:
        """Whether it is, to the last file, what was written here."""
        known = user_state.recall(_KIND, os.path.realpath(self._folder)).get("files")
        try:
            return _files(generation) in (self._written, known)
        except OSError:  # a writer takes it away
            return False

    def add(self, generation: Path) -> None:
        """Remember one that was just written."""
        self._written = _files(generation)
        user_state.remember(_KIND, os.path.realpath(self._folder), {"files": self._written})


def _files(generation: Path) -> str:
    """A digest of the files there, but for tantivy's locks, which readers make."""
    paths = [path for path in sorted(generation.rglob("*")) if path.suffix != ".lock"]
    found = [(path.relative_to(generation).as_posix(), path.lstat()) for path in paths]
    said = [(name, one.st_ino, one.st_size, one.st_ctime_ns) for name, one in found if not stat.S_ISDIR(one.st_mode)]
    return blake2b(repr(said).encode(), digest_size=16).hexdigest()
