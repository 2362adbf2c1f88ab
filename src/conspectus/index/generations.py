"""A generation of the embedded engine: opened, and written beside the one in use."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from conspectus.core.disk import explained, keep_private, read_text, sync
from conspectus.index import text, vector_lists
from conspectus.index.index_files import checksum, is_as_written
from conspectus.index.protocol import IndexRow, IndexStats
from conspectus.index.queries import any_key
from conspectus.index.text import TextSearcher
from conspectus.index.vector_lists import FOLDER, can_list
from conspectus.index.vectors import MOVED, Columns, ListFacts, RowFiles, VectorSearcher
from conspectus.records import Filters
from conspectus.records.filters import HAS, AllOf, Among, AnyOf, Condition, Has, Not, Passes, Stands

FORMAT = 2
M_ARENA_MAX = -8
"""glibc's number of the option, in malloc.h."""


@dataclass(frozen=True, slots=True)
class Generation:
    """One that is open; `checksums`: name of a file in its folder -> CRC-32."""

    folder: Path
    stats: IndexStats
    text: TextSearcher
    vectors: VectorSearcher
    checksums: dict[str, int]
    lists: ListFacts | None = None

    @classmethod
    def load(cls, folder: Path) -> Generation | None:
        """The one in `folder`; None if it has another format, so that it is rebuilt."""
        manifest = json.loads(read_text(folder / "manifest.json"))
        for path in (
            *folder.iterdir(),
            *(folder / "text").iterdir(),
            *(folder / FOLDER).rglob("*"),
        ):  # before others open them by their names
            if not path.is_file() and not path.is_dir():
                raise ValueError(f"'{path.name}' is no file")
        if manifest.pop("format") != FORMAT:
            return None
        dimensions, checksums = manifest.pop("dimensions"), manifest.pop("checksums")
        list_facts = manifest.pop("lists")
        lists = ListFacts(*list_facts) if list_facts and can_list() else None
        stats = IndexStats(**manifest)
        vectors = VectorSearcher(folder, stats.rows, dimensions, checksums, lists)
        return cls(folder, stats, TextSearcher(folder / "text"), vectors, checksums, lists)

    def damage(self) -> list[str]:
        """The files that do not have the bytes that were written."""
        return [name for name, known in self.checksums.items() if not is_as_written(self.folder / name, known)]

    def mask(self, filters: Filters, where: Condition | None) -> npt.NDArray[np.bool_] | None:
        """Which rows pass, bool [rows]; None: all."""
        filter_mask = self.vectors.columns.mask(filters) if filters else None
        if where is None:
            return filter_mask
        passing = rows_where(where, self.vectors.columns, self.text)
        return passing if filter_mask is None else filter_mask & passing


class GenerationWriter:
    """See `IndexWriter`."""

    def __init__(self, root: Path, old: Generation | None, number: int, model: str, dimensions: int) -> None:
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
        self.generation: Path | None = None
        """The generation, when it is committed."""
        self._rows: RowFiles | None = None
        self._lists: ListFacts | None = None
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
        self._build_lists(self._row_files())
        size = sum(path.stat().st_size for path in self._scratch.rglob("*") if path.is_file()) / 1e6
        stats = {"rows": rows, "model": self._model, "change": change, "generation": self._number}
        manifest = {"format": FORMAT, **stats, "megabytes": round(size, 3), "dimensions": self._dimensions}
        manifest["lists"] = (self._lists.name, self._lists.covered) if self._lists else None
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
                keep_mask = self._rows.keep(self._old.folder, self._deleted, self._old.checksums)
                if self._old.lists:
                    self._lists = self._old.lists.carry(self._old.folder, self._scratch, keep_mask, _link)
        return self._rows

    def _build_lists(self, rows: RowFiles) -> None:
        """Make the lists again where the rows have become too many for those that there are, or for none."""
        if not can_list() or (rows.rows < vector_lists.FROM_ROWS and not self._lists):
            return
        if self._lists:
            if rows.rows >= vector_lists.FROM_ROWS and not self._lists.is_worn(self._scratch, rows.rows):
                return
            shutil.rmtree(self._scratch / FOLDER)
            (self._scratch / MOVED).unlink(missing_ok=True)
            self._lists = None
        if rows.rows < vector_lists.FROM_ROWS:
            return
        name, work = f"{self._number:08d}", self._root / "building-lists"
        vector_lists.build_lists(rows.codes(), rows.decode, work, self._scratch / FOLDER / name)
        self._lists = ListFacts(name, rows.rows)

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
        self.generation = target
        shutil.rmtree(self._root / "building-lists", ignore_errors=True)
        for old in self._root.glob("gen-*"):
            if old != target:
                shutil.rmtree(old, ignore_errors=True)  # on Windows an open one stays until the next writer

    def clean(self) -> None:
        """Remove what was not committed."""
        self._text_writer = self._text = None
        shutil.rmtree(self._scratch, ignore_errors=True)
        allocator("malloc_trim", 0)


def _take_away(path: Path) -> None:
    """Remove whatever stands in the place of what is written; what cannot be removed is told by the writing."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        path.unlink()


def _is_segment(name: str) -> bool:
    return name.startswith(("text/", f"{FOLDER}/")) and not name.endswith(".json")


def _start_text(folder: Path, old: Generation | None) -> Any:
    if old is None:
        text.create(folder)
    else:
        shutil.copytree(old.folder / "text", folder, copy_function=_link, ignore=shutil.ignore_patterns(".tantivy-*"))
    return text.open_index(folder)


def allocator(name: str, *values: int) -> None:
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


Mask = npt.NDArray[np.bool_]


def rows_where(condition: Condition, columns: Columns, text: TextSearcher) -> Mask:
    """Which rows a condition holds for, bool [rows].

    What stands where, the full text says: it gives the keys of what passes, or of what does not, whichever is less. All
    else is in the columns.
    """
    if not _has_words(condition):
        return _rows_without(condition, columns)
    if not isinstance(condition, AllOf):
        return _rows_with(condition, columns, text)
    words = [part for part in condition.parts if _has_words(part)]  # asked all at once: that finds least
    others = (_rows_without(part, columns) for part in condition.parts if part not in words)
    return reduce(np.logical_and, others, _rows_with(AllOf(tuple(words)), columns, text))


def _rows_without(condition: Condition, columns: Columns) -> Mask:
    match condition:
        case Passes(filters):
            return columns.mask(filters)
        case Has(thing):
            return columns.rows_having(HAS, (thing,))
        case Among(keys):
            return np.isin(columns.keys, np.array(keys, np.int64))
        case Not(part):
            return ~_rows_without(part, columns)
        case AllOf(parts):
            return reduce(np.logical_and, (_rows_without(part, columns) for part in parts))
        case AnyOf(parts):
            return reduce(np.logical_or, (_rows_without(part, columns) for part in parts))
        case Stands():
            raise AssertionError("it has words")


def _rows_with(condition: Condition, columns: Columns, text: TextSearcher) -> Mask:
    many = 2 * text.number(condition) > len(columns.keys)
    mask = np.isin(columns.keys, text.keys(Not(condition) if many else condition))
    return ~mask if many else mask


def _has_words(condition: Condition) -> bool:
    match condition:
        case AllOf(parts) | AnyOf(parts):
            return any(_has_words(part) for part in parts)
        case Not(part):
            return _has_words(part)
        case _:
            return isinstance(condition, Stands)
