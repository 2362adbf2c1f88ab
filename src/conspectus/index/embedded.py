"""The embedded engine: tantivy for text and faiss for vectors, in immutable generations.

A generation is a folder that is written once, beside the one in use, and becomes the index by the atomic replacement
of the file `CURRENT`. A reader keeps the generation it has open; a process killed while writing leaves a folder that
nobody points to, which the next writer removes.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from conspectus.core.disk import explained, is_irregular, keep_private, read_text, sync
from conspectus.core.errors import BusyError, LibraryDamagedError
from conspectus.index import text
from conspectus.index.checksums import checksum, damaged, is_as_written
from conspectus.index.masks import rows_where
from conspectus.index.own import OwnGenerations
from conspectus.index.protocol import Candidate, IndexRow, IndexStats, WordHits
from conspectus.index.queries import any_key
from conspectus.index.text import TextSearcher
from conspectus.index.vectors import RowFiles, VectorSearcher
from conspectus.models.protocol import FloatArray
from conspectus.records import Filters
from conspectus.records.conditions import Condition

T = TypeVar("T")

FORMAT = 5
LOCK_SECONDS = 60
LAST = 10**12 - 1
"""The largest number of a generation."""
_GENERATION = re.compile(r"gen-[0-9]{8,12}")
_M_ARENA_MAX = -8
"""glibc's number of the option, in malloc.h."""
_EMPTY = IndexStats(0, "", -1, 0, 0.0)


class EmbeddedIndex:
    """See `SearchIndex`. `folder` is made at the first write.

    `trusted`: False where the folder may have files of a stranger: only what this user's program wrote is opened, and
    all else is as if it were not there.
    """

    def __init__(self, folder: Path, *, trusted: bool = True) -> None:
        self.folder = folder
        self._own = None if trusted else OwnGenerations(folder)
        self._open: _Generation | None = None
        self._beside: dict[str, EmbeddedIndex] = {}
        _allocator("mallopt", _M_ARENA_MAX, 2)

    def beside(self, owner: str) -> EmbeddedIndex:
        """See `SearchIndex.beside`; in a folder of that name within this one's."""
        if owner not in self._beside:
            self._beside[owner] = EmbeddedIndex(self.folder / owner, trusted=self._own is None)
        return self._beside[owner]

    @contextmanager
    def writing(self, model: str, dimensions: int, *, fresh: bool = False) -> Iterator[_Writer]:
        """See `SearchIndex.writing`."""
        with explained(self.folder):
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except (FileExistsError, NotADirectoryError) as error:
                raise _no_folder(self.folder) from error
            keep_private(self.folder)
        with self._locked(LOCK_SECONDS):
            old = None if fresh else self._current()
            if old is not None and not old.stats.rows:
                old = None  # nothing to keep, and its vectors may be of another length
            with explained(self.folder):
                writer = _Writer(self.folder, old, self._next_number(), model, dimensions)
            try:
                yield writer
                if self._own is not None and writer.made is not None:
                    self._own.add(writer.made)
            finally:
                writer.clean()

    @contextmanager
    def _locked(self, seconds: float) -> Iterator[None]:
        lock = FileLock(self.folder / "write.lock")
        with explained(self.folder):
            try:
                lock.acquire(timeout=seconds)
            except Timeout as error:
                raise BusyError(
                    f"Another process is writing the index '{self.folder}'.", "Try again when it is done."
                ) from error
        keep_private(self.folder / "write.lock")
        try:
            yield
        finally:
            lock.release()

    def search_text(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """See `SearchIndex.search_text`."""
        return self._asked(lambda now: now.text.search(query, k, filters, where), [])

    def search_vector(
        self, vector: FloatArray, k: int, filters: Filters, where: Condition | None = None
    ) -> list[Candidate]:
        """See `SearchIndex.search_vector`; scores are of 8-bit codes."""
        return self._asked(lambda now: now.vectors.search(vector, k, now.mask(filters, where)), [])

    def search_exact(self, query: str, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """See `SearchIndex.search_exact`."""
        return self._asked(lambda now: now.text.search_exact(query, k, filters, where), [])

    def exactness(self, query: str, keys: Sequence[int]) -> dict[int, float]:
        """See `SearchIndex.exactness`."""
        return self._asked(lambda now: now.text.exactness(query, keys), {})

    def newest(self, k: int, filters: Filters, where: Condition | None = None) -> list[Candidate]:
        """See `SearchIndex.newest`."""
        return self._asked(lambda now: now.vectors.columns.newest(now.mask(filters, where), k), [])

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """See `SearchIndex.frequencies`."""
        return self._asked(lambda now: now.text.frequencies(words), [0] * len(words))

    def has(self, word: str) -> bool:
        """See `SearchIndex.has`."""
        return self._asked(lambda now: now.text.has(word), False)

    def near(self, word: str, edits: int, k: int) -> list[int]:
        """See `SearchIndex.near`."""
        return self._asked(lambda now: now.text.near(word, edits, k), [])

    def count(self, words: str, filters: Filters, where: Condition | None = None) -> WordHits:
        """See `SearchIndex.count`."""
        return self._asked(lambda now: now.text.count(words, filters, where), WordHits({}, 0, 0))

    def keys(self) -> npt.NDArray[np.int64]:
        """See `SearchIndex.keys`."""
        return self._asked(lambda now: np.sort(now.vectors.columns.keys), np.empty(0, np.int64))

    def stats(self) -> IndexStats:
        """See `SearchIndex.stats`."""
        return self._asked(lambda now: now.stats, _EMPTY)

    def dead(self) -> int:
        """See `upkeep.Upkeep.dead`."""
        return self._asked(lambda now: now.text.dead, 0)

    def damage(self) -> list[str]:
        """See `upkeep.Upkeep.damage`."""
        while True:
            current = self._current()
            found = current.damage() if current else []
            if not found or self._current() is current:  # else a writer has taken it away meanwhile
                return found

    def leftovers(self) -> list[Path]:
        """See `upkeep.Upkeep.leftovers`."""
        if not self.folder.is_dir():
            return []
        with self._locked(0):
            used = self._pointer()
            own = sorted(p for p in self.folder.glob("*-*") if p.is_dir() and p.name != used)
            others = sorted(p.name for p in self.folder.iterdir() if p.is_dir() and "-" not in p.name)
        return [*own, *(path for name in others for path in self.beside(name).leftovers())]

    def is_foreign(self) -> bool:
        """See `upkeep.Upkeep.is_foreign`."""
        if self._own is None or not os.path.lexists(self.folder / "CURRENT"):
            return False
        name = self._pointer()
        return name is None or not self._own.has(self.folder / name)

    def age(self) -> float:
        """See `upkeep.Upkeep.age`."""
        try:
            found = time.time() - (self.folder / "CURRENT").stat().st_mtime
        except OSError:
            return float("inf")
        return max(0.0, found) if found > -60 else float("inf")  # the clock was put back: nobody can say

    def close(self) -> None:
        """See `SearchIndex.close`."""
        self._open = None
        for index in self._beside.values():
            index.close()

    def _current(self) -> _Generation | None:
        for _ in range(20):  # a writer may remove a generation between reading its name and opening it
            name, current = self._pointer(), self._open
            if name is None:
                self._open = None
                return None
            if current is not None and current.folder.name == name:
                return current
            try:
                is_own = self._own is None or self._own.has(self.folder / name)
                self._open = current = _Generation.load(self.folder / name) if is_own else None
                return current
            except LibraryDamagedError:
                if self._pointer() == name:
                    raise
            except (OSError, EOFError, ValueError, RuntimeError, KeyError, TypeError, AttributeError) as error:
                if self._pointer() == name:
                    raise damaged(self.folder, str(error)) from error
        raise damaged(self.folder, "its generations change faster than they can be opened")

    def _asked(self, question: Callable[[_Generation], T], nothing: T) -> T:
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
            return self._named()
        except LibraryDamagedError:
            if self._own is None:
                raise
            return None

    def _named(self) -> str | None:
        """The generation that CURRENT names; None where there is no CURRENT."""
        try:
            name = read_text(self.folder / "CURRENT").strip()
        except FileNotFoundError:
            return None
        except NotADirectoryError as error:
            raise _no_folder(self.folder) from error
        except ValueError as error:
            raise damaged(self.folder, "CURRENT names no generation") from error
        except OSError as error:
            if not is_irregular(error):
                raise
            raise damaged(self.folder, f"CURRENT: {error.strerror}") from error
        if not _GENERATION.fullmatch(name):  # it may lead anywhere
            raise damaged(self.folder, "CURRENT names no generation")
        return name

    def _next_number(self) -> int:
        """A number that no generation has: the next, as long as there is one that CURRENT could name."""
        taken = {int(path.name[4:]) for path in self.folder.glob("gen-*") if _GENERATION.fullmatch(path.name)}
        last = max(taken, default=0)
        return last + 1 if last < LAST else next(number for number in count(1) if number not in taken)


def _no_folder(folder: Path) -> LibraryDamagedError:
    return LibraryDamagedError(
        f"The index '{folder}' is a file, where a folder should be.",
        "Move it elsewhere, or delete it: the next search makes the index anew from the catalog.",
    )


@dataclass(frozen=True, slots=True)
class _Generation:
    folder: Path
    stats: IndexStats
    text: TextSearcher
    vectors: VectorSearcher
    checksums: dict[str, int]

    @classmethod
    def load(cls, folder: Path) -> _Generation | None:
        manifest = json.loads(read_text(folder / "manifest.json"))
        for path in (*folder.iterdir(), *(folder / "text").iterdir()):  # before others open them by their names
            if not path.is_file() and not path.is_dir():
                raise ValueError(f"'{path.name}' is no file")
        if manifest.pop("format") != FORMAT:
            return None  # another version's: it is built anew, as if it were not there
        dimensions, checksums = manifest.pop("dimensions"), manifest.pop("checksums", {})
        stats = IndexStats(**manifest)
        vectors = VectorSearcher(folder, stats.rows, dimensions, checksums)
        return cls(folder, stats, TextSearcher(folder / "text"), vectors, checksums)

    def damage(self) -> list[str]:
        """The files that do not have the bytes that were written."""
        return [name for name, known in self.checksums.items() if not is_as_written(self.folder / name, known)]

    def mask(self, filters: Filters, where: Condition | None) -> npt.NDArray[np.bool_] | None:
        """Which rows pass, bool [rows]; None: all."""
        found = self.vectors.columns.mask(filters) if filters else None
        if where is None:
            return found
        passing = rows_where(where, self.vectors.columns, self.text)
        return passing if found is None else found & passing


class _Writer:
    """See `IndexWriter`."""

    def __init__(self, root: Path, old: _Generation | None, number: int, model: str, dimensions: int) -> None:
        if old and old.stats.model != model:
            raise AssertionError(f"an index of {old.stats.model} cannot take vectors of {model}")
        self._root = root
        self._old = old
        self._number = number
        self._model = model
        self._scratch = root / f"tmp-{number:08d}"
        self._deleted: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._dimensions = dimensions
        for leftover in root.glob("tmp-*"):
            _take_away(leftover)
        self._scratch.mkdir()
        self.made: Path | None = None
        """The generation, when it is committed."""
        self._rows: RowFiles | None = None
        self._text = _start_text(self._scratch / "text", old)
        self._text_writer = self._text.writer(text.HEAP, num_threads=1)

    def delete(self, keys: npt.NDArray[np.int64]) -> None:
        """See `IndexWriter.delete`."""
        assert self._rows is None, "what goes is said before anything is added"
        self._deleted = np.union1d(self._deleted, keys)
        if len(keys):
            with explained(self._root):
                self._text_writer.delete_documents_by_query(any_key(self._text.schema, keys.tolist()))

    def add(self, rows: Sequence[IndexRow]) -> None:
        """See `IndexWriter.add`."""
        if not rows:
            return
        with explained(self._root):
            for row in rows:
                self._text_writer.add_document(text.document(row))
            self._row_files().add(rows)

    def commit(self, change: int) -> None:
        """See `IndexWriter.commit`."""
        with explained(self._root):
            self._commit(change)

    def _commit(self, change: int) -> None:
        self._text_writer.commit()
        self._text_writer.wait_merging_threads()
        rows = self._row_files().rows
        size = sum(path.stat().st_size for path in self._scratch.rglob("*") if path.is_file()) / 1e6
        stats = {"rows": rows, "model": self._model, "change": change, "generation": self._number}
        manifest = {"format": FORMAT, **stats, "megabytes": round(size, 3), "dimensions": self._dimensions}
        manifest["checksums"] = self._checksums()
        (self._scratch / "manifest.json").write_text(json.dumps(manifest), "utf-8")
        self._switch()

    def _checksums(self) -> dict[str, int]:
        """CRC-32 of each file. Those of text segments that stay are known: such files never change."""
        known = {name: crc for name, crc in (self._old.checksums if self._old else {}).items() if _is_segment(name)}
        paths = (path for path in sorted(self._scratch.rglob("*")) if path.is_file() and path.suffix != ".lock")
        names = {path.relative_to(self._scratch).as_posix(): path for path in paths}
        return {name: known[name] if name in known else checksum(path) for name, path in names.items()}

    def _row_files(self) -> RowFiles:
        """The files of rows; when they are begun, with what stays, all deletions are known."""
        if self._rows is None:
            self._rows = RowFiles(self._scratch, self._dimensions)
            if self._old:
                self._rows.keep(self._old.folder, self._deleted, self._old.checksums)
        return self._rows

    def _switch(self) -> None:
        target = self._root / f"gen-{self._number:08d}"
        for path in (self._scratch, *self._scratch.rglob("*")):
            keep_private(path)
            sync(path)
        self._scratch.replace(target)
        pointer = self._root / "CURRENT.new"
        _take_away(pointer)  # a stranger's library may have a pipe there, for which writing would wait
        if (self._root / "CURRENT").is_dir():
            _take_away(self._root / "CURRENT")
        pointer.write_text(target.name, "ascii")
        keep_private(pointer)
        sync(pointer)
        pointer.replace(self._root / "CURRENT")
        sync(self._root)
        self.made = target
        for old in self._root.glob("gen-*"):
            if old != target:
                shutil.rmtree(old, ignore_errors=True)  # on Windows an open one stays until the next writer

    def clean(self) -> None:
        """Remove what was not committed."""
        self._text_writer = self._text = None
        shutil.rmtree(self._scratch, ignore_errors=True)
        _allocator("malloc_trim", 0)


def _take_away(path: Path) -> None:
    """Remove whatever stands in the place of what is written; what cannot be removed is told by the writing."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink()


def _is_segment(name: str) -> bool:
    return name.startswith("text/") and not name.endswith(".json")


def _start_text(folder: Path, old: _Generation | None) -> Any:
    if old is None:
        text.create(folder)
    else:
        shutil.copytree(old.folder / "text", folder, copy_function=_link, ignore=shutil.ignore_patterns(".tantivy-*"))
    return text.open_index(folder)


def _allocator(name: str, *values: int) -> None:
    """Call a function of glibc's allocator, where it is that.

    tantivy starts threads for each change. With a heap for each of them (`mallopt` sets how many there may be), and
    without `malloc_trim`, some 10 MB a change would never be given back.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            getattr(ctypes.CDLL(None), name)(*values)


def _link(source: str, target: str) -> str:
    """A second name for a file that is never changed (tantivy replaces files, it does not write into them)."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target
