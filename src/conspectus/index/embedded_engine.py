"""The embedded engine: tantivy for text and faiss for vectors, in immutable generations.

A generation is a folder that is written once, beside the one in use, and becomes the index by the atomic replacement
of the file `CURRENT`. A reader keeps the generation it has open; a process killed while writing leaves a folder that
nobody points to, which the next writer removes.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import explained, is_irregular, keep_private, read_text
from conspectus.core.errors import BusyError, LibraryDamagedError, describe_os_error
from conspectus.index.generations import M_ARENA_MAX, Generation, GenerationWriter, allocator
from conspectus.index.index_files import LocalWrites, damaged
from conspectus.index.protocol import Candidate, IndexStats, WordHits
from conspectus.records import Filters
from conspectus.records.filters import Condition

T = TypeVar("T")

LOCK_SECONDS = 60
LAST = 10**12 - 1
"""The largest number of a generation."""
_GENERATION = re.compile(r"gen-[0-9]{8,12}")
_EMPTY = IndexStats(0, "", -1, 0, 0.0)


class EmbeddedIndex:
    """See `SearchIndex`. `folder` is made at the first write.

    `trusted`: False where the folder may have files of a stranger: only what this user's program wrote is opened, and
    all else is as if it were not there.
    """

    def __init__(self, folder: Path, *, trusted: bool = True) -> None:
        self.folder = folder
        self._local_writes = None if trusted else LocalWrites(folder)
        self._open: Generation | None = None
        self._read: tuple[tuple[int, ...], str] | None = None
        self._side_indexes: dict[str, EmbeddedIndex] = {}
        allocator("mallopt", M_ARENA_MAX, 2)

    def beside(self, owner: str) -> EmbeddedIndex:
        """See `SearchIndex.beside`; in a folder of that name within this one's."""
        if owner not in self._side_indexes:
            self._side_indexes[owner] = EmbeddedIndex(self.folder / owner, trusted=self._local_writes is None)
        return self._side_indexes[owner]

    @contextmanager
    def writing(self, model: str, dimensions: int, *, fresh: bool = False) -> Iterator[GenerationWriter]:
        """See `SearchIndex.writing`."""
        with explained(self.folder):
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except (FileExistsError, NotADirectoryError) as error:
                raise _no_folder(self.folder) from error
            keep_private(self.folder)
        with self._hold_lock(LOCK_SECONDS):
            old = None if fresh else self._current()
            if old is not None and not old.stats.rows:
                old = None  # nothing to keep, and its vectors may be of another length
            with explained(self.folder):
                writer = GenerationWriter(self.folder, old, self._next_number(), model, dimensions)
            try:
                yield writer
                if self._local_writes is not None and writer.generation is not None:
                    self._local_writes.add(writer.generation)
            finally:
                writer.clean()

    @contextmanager
    def _hold_lock(self, seconds: float) -> Iterator[None]:
        lock = FileLock(self.folder / "write.lock")
        with explained(self.folder):
            try:
                lock.acquire(timeout=seconds)
            except Timeout as error:
                raise BusyError(
                    f"Another process, or a job of this one, is writing the index '{self.folder}'.",
                    "Try again when it is done.",
                ) from error
        keep_private(self.folder / "write.lock")
        try:
            yield
        finally:
            lock.release()

    def search_text(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """See `SearchIndex.search_text`."""
        return self._ask(lambda now: now.text.search(query, k, filters, where), [])

    def search_vector(
        self, vector: FloatArray, k: int, filters: Filters, where: Condition | None = None
    ) -> list[Candidate]:
        """See `SearchIndex.search_vector`; scores are of 8-bit codes."""
        return self._ask(lambda now: now.vectors.search(vector, k, now.mask(filters, where)), [])

    def search_exact(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """See `SearchIndex.search_exact`."""
        return self._ask(lambda now: now.text.search_exact(query, k, filters, where), [])

    def exactness(self, query: str, keys: Sequence[int]) -> dict[int, float]:
        """See `SearchIndex.exactness`."""
        return self._ask(lambda now: now.text.exactness(query, keys), {})

    def newest(self, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """See `SearchIndex.newest`."""
        return self._ask(lambda now: now.vectors.columns.newest(now.mask(filters, where), k), [])

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """See `SearchIndex.frequencies`."""
        return self._ask(lambda now: now.text.frequencies(words), [0] * len(words))

    def has(self, word: str) -> bool:
        """See `SearchIndex.has`."""
        return self._ask(lambda now: now.text.has(word), False)

    def near(self, word: str, edits: int, k: int) -> list[int]:
        """See `SearchIndex.near`."""
        return self._ask(lambda now: now.text.near(word, edits, k), [])

    def count(self, words: str, filters: Filters, where: Condition | None = None) -> WordHits:
        """See `SearchIndex.count`."""
        return self._ask(lambda now: now.text.count(words, filters, where), WordHits({}, 0, 0))

    def keys(self) -> npt.NDArray[np.int64]:
        """See `SearchIndex.keys`."""
        return self._ask(lambda now: np.sort(now.vectors.columns.keys), np.empty(0, np.int64))

    def stats(self) -> IndexStats:
        """See `SearchIndex.stats`."""
        return self._ask(lambda now: now.stats, _EMPTY)

    def dead(self) -> int:
        """See `upkeep.Upkeep.dead`."""
        return self._ask(lambda now: now.text.dead, 0)

    def damage(self) -> list[str]:
        """See `upkeep.Upkeep.damage`."""
        while True:
            current = self._current()
            problems = current.damage() if current else []
            if not problems or self._current() is current:  # else a writer has taken it away meanwhile
                return problems

    def leftovers(self) -> list[Path]:
        """See `upkeep.Upkeep.leftovers`."""
        if not self.folder.is_dir():
            return []
        with self._hold_lock(0):
            used = self._pointer()
            old_generations = sorted(p for p in self.folder.glob("*-*") if p.is_dir() and p.name != used)
            others = sorted(p.name for p in self.folder.iterdir() if p.is_dir() and "-" not in p.name)
        return [*old_generations, *(path for name in others for path in self.beside(name).leftovers())]

    def is_foreign(self) -> bool:
        """See `upkeep.Upkeep.is_foreign`."""
        if self._local_writes is None or not os.path.lexists(self.folder / "CURRENT"):
            return False
        name = self._pointer()
        return name is None or not self._local_writes.has(self.folder / name)

    def age(self) -> float:
        """See `upkeep.Upkeep.age`."""
        try:
            seconds = time.time() - (self.folder / "CURRENT").stat().st_mtime
        except OSError:
            return float("inf")
        return max(0.0, seconds) if seconds > -60 else float("inf")  # the clock was put back: nobody can say

    def close(self) -> None:
        """See `SearchIndex.close`."""
        self._open = None
        for index in self._side_indexes.values():
            index.close()

    def _current(self) -> Generation | None:
        for _ in range(20):  # a writer may remove a generation between reading its name and opening it
            name, current = self._pointer(), self._open
            if name is None:
                self._open = None
                return None
            if current is not None and current.folder.name == name:
                return current
            try:
                is_own = self._local_writes is None or self._local_writes.has(self.folder / name)
                self._open = current = Generation.load(self.folder / name) if is_own else None
                return current
            except LibraryDamagedError:
                if self._pointer() == name:
                    raise
            except (OSError, EOFError, ValueError, RuntimeError, KeyError, TypeError, AttributeError) as error:
                if self._pointer() == name:
                    raise damaged(self.folder, str(error)) from error
        raise damaged(self.folder, "its generations change faster than they can be opened")

    def _ask(self, question: Callable[[Generation], T], nothing: T) -> T:
        """What the generation in use answers; `nothing` where there is none.

        Files whose bytes have changed make tantivy panic, which is no `Exception`.
        """
        try:
            current = self._current()
            return question(current) if current else nothing
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            raise damaged(self.folder, f"its text index gave up ({error})") from error

    def _pointer(self) -> str | None:
        """The name of the generation in use, None where there is none, or where a stranger says what is none."""
        try:
            return self._read_pointer()
        except LibraryDamagedError:
            if self._local_writes is None or not self.folder.is_dir():
                raise
            return None

    def _read_pointer(self) -> str | None:
        """The generation that CURRENT names; None where there is no CURRENT."""
        path = self.folder / "CURRENT"
        try:
            seen, read = path.lstat(), self._read  # each question asks, and a new generation is a new file
            state = (seen.st_ino, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size)
            if read is not None and read[0] == state:
                return read[1]
            name = read_text(path).strip()
        except FileNotFoundError:
            return None
        except NotADirectoryError as error:
            raise _no_folder(self.folder) from error
        except ValueError as error:
            raise damaged(self.folder, "CURRENT names no generation") from error
        except OSError as error:
            if not is_irregular(error):
                raise
            raise damaged(self.folder, f"CURRENT: {describe_os_error(error)}") from error
        if not _GENERATION.fullmatch(name):  # it may lead anywhere
            raise damaged(self.folder, "CURRENT names no generation")
        self._read = state, name
        return name

    def _next_number(self) -> int:
        """A number that no generation has: the next, as long as there is one that CURRENT could name."""
        taken = {int(path.name[4:]) for path in self.folder.glob("gen-*") if _GENERATION.fullmatch(path.name)}
        last = max(taken, default=0)
        return last + 1 if last < LAST else next(number for number in count(1) if number not in taken)


def _no_folder(folder: Path) -> LibraryDamagedError:
    return LibraryDamagedError(
        f"The index '{folder}' is a file, where a folder should be.",
        "Move it elsewhere, or delete it: the next search rebuilds the index from the catalog.",
    )
