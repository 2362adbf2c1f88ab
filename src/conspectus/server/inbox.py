"""Uploads: kept in the library's folder until a job has read them, and by name from then on."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from conspectus.core.disk import explained
from conspectus.core.errors import UsageError
from conspectus.core.text import line
from conspectus.library import Library
from conspectus.records import AddReport
from conspectus.server.board import Board
from conspectus.session.jobs import Job

FOLDER = "files"
"""Of the library: where uploads are kept."""
ABANDONED = 24 * 3600
"""Seconds after which a part of a file is no upload that still comes: also another server may take some."""
_COPY = 2**20
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')


class Inbox:
    """The uploads of a library.

    Args:
        library: is open.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._folder = library.folder / FOLDER
        self._pending_paths: Counter[Path] = Counter()
        self._lock = threading.Lock()

    def keep(self, source: BinaryIO, name: str) -> Path:
        """A file's copy, whole and on the disk, until `settle`; the same bytes of the same name are kept once."""
        part = self._folder / f".{secrets.token_hex(8)}.part"
        digest = hashlib.sha256()
        with explained(self._folder):
            self._folder.mkdir(mode=0o700, exist_ok=True)
            try:
                with part.open("xb") as copy:
                    while block := source.read(_COPY):
                        digest.update(block)
                        copy.write(block)
                    copy.flush()
                    os.fsync(copy.fileno())
                place = self._folder / digest.hexdigest()[:16] / name
                with self._lock:
                    place.parent.mkdir(mode=0o700, exist_ok=True)
                    part.replace(place)
                    self._pending_paths[place] += 1
            finally:
                with suppress(OSError):
                    part.unlink(missing_ok=True)
        return place

    def read(self, board: Board, places: Sequence[Path]) -> Job[AddReport]:
        """Begin the job that reads uploads; when somebody cancels it, what it has not read is given up.

        Raises:
            BusyError: as many jobs as may be are running; the uploads are given up.
        """
        try:
            job = board.begin(self._library.add, places)
        except BaseException:
            self.settle(places, drop=True)
            raise
        job.when_done(lambda: self.settle(places, drop=board.is_unwanted(job)))
        return job

    def settle(self, places: Sequence[Path], *, drop: bool) -> None:
        """No job reads these any more; `drop`: what none has read, and no other is to, goes."""
        with self._lock:
            self._pending_paths.subtract(places)
            self._pending_paths = +self._pending_paths
        if drop:
            self.discard(places)

    def discard(self, places: Iterable[Path]) -> None:
        """Delete those of the files that are uploads, unless the library knows them or a job is to read them."""
        known_paths = self._list_read_paths()
        with self._lock:
            for place in places:
                if (
                    place.parent.parent == self._folder
                    and place not in self._pending_paths
                    and str(place) not in known_paths
                ):
                    place.unlink(missing_ok=True)
                    with suppress(OSError):  # another name of the same bytes is there
                        place.parent.rmdir()

    def unread(self) -> list[Path]:
        """Uploads that no job has read to the end: the server ended before. What links lead to is none."""
        if not self._folder.is_dir() or self._folder.is_symlink():
            return []
        for part in self._folder.glob(".*.part"):
            with suppress(OSError):
                if time.time() - part.lstat().st_mtime > ABANDONED:
                    part.unlink(missing_ok=True)
        known_paths = self._list_read_paths()
        unread_paths = [place for place in self._list_files() if str(place) not in known_paths]
        with self._lock:
            self._pending_paths.update(unread_paths)
        return unread_paths

    def _list_files(self) -> Iterator[Path]:
        folders = [folder for folder in sorted(self._folder.iterdir()) if folder.is_dir() and not folder.is_symlink()]
        return (
            file for folder in folders for file in sorted(folder.iterdir()) if file.is_file() and not file.is_symlink()
        )

    def _list_read_paths(self) -> set[str]:
        return {row.path for row in self._library.status().files if row.state != "queued"}


def safe_name(name: str) -> str:
    """The last part of a name, without what a file system or a terminal would take for more.

    Raises:
        UsageError: nothing is left of it.
    """
    stem, dot, ending = line(_UNSAFE.sub(" ", name.replace("\\", "/").rpartition("/")[2])).strip(" .").rpartition(".")
    file_name = f"{_cut(stem, 150)}{dot}{_cut(ending, 20)}" if dot else _cut(ending, 150)
    if not file_name.strip(" ."):
        raise UsageError(f"'{line(name)}' is not a file name.", "Rename the file.")
    return file_name


def _cut(text: str, most: int) -> str:
    """So much of a part of a name that the whole has at most 255 bytes."""
    return text[:most].encode(errors="ignore")[: most * 4 // 3].decode(errors="ignore")
