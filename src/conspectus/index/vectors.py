"""The vector half of the embedded engine: 8-bit codes by faiss, and columns to filter by.

Each is a file of bare numbers, so that a writer can copy what stays and append what is new without holding either.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import faiss
import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import open_file, read_file
from conspectus.index.index_files import check, damaged
from conspectus.index.protocol import Candidate, IndexRow
from conspectus.index.vector_lists import DEAD, FOLDER, TAIL, VectorLists
from conspectus.records import FACETS, Filters, PassageKind

KINDS: tuple[str, ...] = get_args(PassageKind)
NO_YEAR = np.iinfo(np.int16).min
CODES = "codes"
_BLOCK = 1 << 16
"""Numbers copied at a time."""


@dataclass(frozen=True, slots=True)
class Columns:
    """What rows are filtered by: one value a row, and (row, hashed facet term) pairs in order of rows."""

    keys: npt.NDArray[np.int64]
    papers: npt.NDArray[np.int64]
    years: npt.NDArray[np.int16]
    kinds: npt.NDArray[np.int8]
    full_text: npt.NDArray[np.bool_]
    facet_rows: npt.NDArray[np.int32]
    facet_terms: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, rows: Sequence[IndexRow], start: int = 0) -> Columns:
        """The columns of `rows`, the first of which is row `start`."""
        pairs = [(number, _hash(*facet)) for number, row in enumerate(rows, start) for facet in row.facets]
        return cls(
            np.array([row.key for row in rows], np.int64),
            np.array([row.paper for row in rows], np.int64),
            np.array([NO_YEAR if row.year is None else max(-9999, min(row.year, 9999)) for row in rows], np.int16),
            np.array([KINDS.index(row.kind) for row in rows], np.int8),
            np.array([row.full_text for row in rows], np.bool_),
            np.array([number for number, _ in pairs], np.int32),
            np.array([term for _, term in pairs], np.uint64),
        )

    @classmethod
    def load(cls, folder: Path, rows: int) -> Columns:
        """From the files of a generation of so many rows, memory-mapped.

        Raises:
            ValueError: they are of another length.
        """
        empty = cls.of([])
        columns = cls(*(_mapped(folder / name, getattr(empty, name).dtype) for name in cls.__slots__))
        lengths = {len(getattr(columns, name)) for name in _BY_ROW}
        if lengths != {rows} or len(columns.facet_rows) != len(columns.facet_terms):
            raise ValueError("its parts are not of one length")
        return columns

    def mask(self, filters: Filters) -> npt.NDArray[np.bool_]:
        """Which rows pass, bool [rows]."""
        passes = np.ones(len(self.keys), np.bool_)
        if filters.year is not None:
            low, high = filters.year
            passes &= self.years != NO_YEAR
            passes &= self.years >= (-9999 if low is None else max(low, -9999))
            passes &= self.years <= (9999 if high is None else min(high, 9999))
        if filters.kind:
            passes &= np.isin(self.kinds, [KINDS.index(kind) for kind in filters.kind])
        if filters.full_text is not None:
            passes &= self.full_text == filters.full_text
        for facet in FACETS:
            if terms := filters.terms(facet):
                passes &= self.rows_having(facet, terms)
        return passes

    def rows_having(self, facet: str, terms: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which rows have one of the terms of a facet, bool [rows]."""
        hashes = np.array([_hash(facet, term) for term in terms], np.uint64)
        mask = np.zeros(len(self.keys), np.bool_)
        mask[self.facet_rows[np.isin(self.facet_terms, hashes)]] = True
        return mask

    def newest(self, mask: npt.NDArray[np.bool_] | None, k: int) -> list[Candidate]:
        """See `SearchIndex.newest`, among the rows of a mask; None: of all."""
        rows = np.arange(len(self.keys)) if mask is None else np.flatnonzero(mask)
        rows = rows[np.argsort(self.keys[rows], kind="stable")]
        first = rows[np.unique(self.papers[rows], return_index=True)[1]]
        best = first[np.lexsort((self.keys[first], -self.years[first].astype(np.int32)))[:k]]
        return [Candidate(int(self.keys[row]), float(self.years[row])) for row in best]


_BY_ROW: dict[str, npt.DTypeLike] = {
    "keys": np.int64,
    "papers": np.int64,
    "years": np.int16,
    "kinds": np.int8,
    "full_text": np.bool_,
}


class RowFiles:
    """The files of a new generation while they are written: first what stays of the old one, then new rows."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        self.rows = 0
        self._folder = folder
        self._codes = _new_codes(dimensions)
        for name in (*Columns.__slots__, CODES):
            (folder / name).touch()

    def keep(
        self, old: Path, removed_keys: npt.NDArray[np.int64], checksums: Mapping[str, int]
    ) -> npt.NDArray[np.bool_] | None:
        """Copy the rows of the generation in `old` but those with the keys `removed_keys`; before anything is added.

        Returns which rows stay; None: all.

        Raises:
            LibraryDamagedError: its files have not these checksums: the copies would get ones that fit.
        """
        check(old, (*Columns.__slots__, CODES), checksums)
        keys = np.frombuffer(read_file(old / "keys", 2**32), np.int64)
        keep_mask = ~np.isin(keys, removed_keys)
        self.rows = int(keep_mask.sum())
        if self.rows == len(keys):
            for name in (*Columns.__slots__, CODES):
                shutil.copyfile(old / name, self._folder / name)
            return None
        new_number = np.cumsum(keep_mask, dtype=np.int32) - 1
        kinds = _BY_ROW | {CODES: np.dtype((np.uint8, self._codes.code_size))}
        for name, kind in kinds.items():
            self._append(
                name, (part[keep_mask[start : start + len(part)]] for start, part in _blocks(old / name, kind))
            )
        for (_, rows), (_, terms) in zip(
            _blocks(old / "facet_rows", np.int32), _blocks(old / "facet_terms", np.uint64), strict=True
        ):
            of_kept = keep_mask[rows]
            self._append("facet_rows", [new_number[rows[of_kept]]])
            self._append("facet_terms", [terms[of_kept]])
        return keep_mask

    def add(self, rows: Sequence[IndexRow]) -> None:
        """Append rows."""
        columns = Columns.of(rows, self.rows)
        for name in Columns.__slots__:
            self._append(name, [getattr(columns, name)])
        self._append(CODES, [self._codes.sa_encode(np.stack([row.vector for row in rows]).astype(np.float32))])
        self.rows += len(rows)

    def codes(self) -> npt.NDArray[np.uint8]:
        """The codes of all rows, memory-mapped."""
        return _mapped(self._folder / CODES, np.uint8, self._codes.code_size)

    def decode(self, codes: npt.NDArray[np.uint8]) -> FloatArray:
        """The vectors of codes, float32 [codes, dimensions]."""
        vectors: FloatArray = self._codes.sa_decode(np.ascontiguousarray(codes))
        return vectors

    def _append(self, name: str, parts: Iterable[npt.NDArray[Any]]) -> None:
        with (self._folder / name).open("ab") as file:
            for part in parts:
                file.write(part.tobytes())


def _blocks(path: Path, kind: npt.DTypeLike) -> Iterator[tuple[int, npt.NDArray[Any]]]:
    """A file of numbers in blocks, each with where it begins.

    Read, not mapped: what is mapped counts as memory. And by Python: numpy takes a read that fails for the end.
    """
    start = 0
    with open_file(path) as file:
        while part := file.read(_BLOCK * np.dtype(kind).itemsize):
            numbers = np.frombuffer(part, kind)
            yield start, numbers
            start += len(numbers)


def _mapped(path: Path, kind: npt.DTypeLike, width: int = 0) -> npt.NDArray[Any]:
    """A file of numbers (in rows of `width`), memory-mapped; ValueError where its length does not fit."""
    if not path.stat().st_size:
        return np.empty((0, width) if width else 0, kind)
    numbers = np.memmap(path, kind, "r")
    return numbers.reshape(-1, width) if width else numbers


def _hash(facet: str, term: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{facet}:{term}".encode(), digest_size=8).digest(), "little")


def _new_codes(dimensions: int) -> Any:
    """An empty faiss index of 8-bit codes with inner product.

    The range of the codes is fixed, not learnt: so it does not depend on which papers came first. A unit vector's
    components are about 1/sqrt(d); 5.6 times that holds all but freaks (the largest of the default model is 5.5 times
    it), and those are clipped.
    """
    index = faiss.IndexScalarQuantizer(dimensions, faiss.ScalarQuantizer.QT_8bit_uniform, faiss.METRIC_INNER_PRODUCT)
    reach = min(1.0, 5.6 / np.sqrt(dimensions))
    index.train(np.array([[-reach] * dimensions, [reach] * dimensions], np.float32))
    return index


EXACT_ROWS = 20_000
"""So few rows that pass filters are all scored, where there are lists."""
AGAIN = 5
"""For each result that is wanted, so many candidates of the lists are scored again."""
LEAST_AGAIN = 1000


class VectorSearcher:
    """Searches the vectors of one generation of so many rows. What it holds comes into memory at the first search.

    That is all codes; or where there are `lists` (`vector_lists`), the codes of the rows that these do not cover. The
    others are read where they lie. What comes into memory is held against its checksum then, and so are the lists; the
    columns when it is opened, which are a fiftieth of it.
    """

    def __init__(
        self, folder: Path, rows: int, dimensions: int, checksums: Mapping[str, int], lists: ListFacts | None = None
    ) -> None:
        check(folder, tuple(_BY_ROW), checksums)
        self.columns = Columns.load(folder, rows)
        self._folder, self._checksums = folder, checksums
        self._rows, self._facts = rows, lists
        self._start = lists.covered if lists else 0
        self._mapped: npt.NDArray[np.uint8] = _mapped(folder / CODES, np.uint8, dimensions)
        if len(self._mapped) != rows:
            raise ValueError("its codes are not of the length of its rows")
        self._loaded: Any = None
        self._lists: VectorLists | None = None
        self._loading = threading.Lock()

    def _codes(self) -> Any:
        """The faiss index of the codes in memory."""
        with self._loading:
            if self._loaded is None:
                # What is mapped, not the file: a writer may have taken that away.
                if not self._facts and zlib.crc32(self._mapped.data) != self._checksums[CODES]:
                    raise damaged(self._folder.parent, f"'{CODES}' has other bytes than were written")
                index = _new_codes(self._mapped.shape[1])
                faiss.copy_array_to_vector(self._mapped[self._start :].reshape(-1), index.codes)
                index.ntotal = self._rows - self._start
                if self._facts:
                    self._lists = self._facts.load(self._folder, self._checksums)
                else:
                    self._mapped = self._mapped[:0]  # what is mapped would count as memory too
                self._loaded = index
        return self._loaded

    def search(self, vector: FloatArray, k: int, mask: npt.NDArray[np.bool_] | None) -> list[Candidate]:
        """See `SearchIndex.search_vector`, among the rows of a mask; None: all."""
        if not self._rows:
            return []
        query = np.ascontiguousarray(vector[None, :], np.float32)
        codes = self._codes()
        faiss.omp_set_num_threads(1)  # of this thread's searches: one question at a time, the others would only spin
        if self._lists is None:
            scores, rows = _scan(codes, query, k, mask)
        elif mask is not None and (passing := np.flatnonzero(mask)).size <= EXACT_ROWS:
            scores, rows = self._scan_some(query, k, passing)
        else:
            old = None if mask is None else mask[: self._start]
            share = 1.0 if old is None else np.count_nonzero(old) / max(self._start, 1)
            near = self._lists.candidates(query[0], max(AGAIN * k, LEAST_AGAIN), mask, share)
            scores, rows = _scan(codes, query, k, None if mask is None else mask[self._start :])
            near_scores, near = self._scan_some(query, k, near)
            scores, rows = np.append(scores, near_scores), np.append(rows + self._start, near)
        keys = self.columns.keys
        candidates = [Candidate(int(keys[row]), float(score)) for score, row in zip(scores, rows, strict=True)]
        return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.key))[:k]

    def _scan_some(
        self, query: FloatArray, k: int, rows: npt.NDArray[np.int64]
    ) -> tuple[FloatArray, npt.NDArray[np.int64]]:
        """As `_scan`, among some rows, whose codes are read where they lie."""
        codes = _new_codes(self._mapped.shape[1])
        faiss.copy_array_to_vector(self._mapped[rows].reshape(-1), codes.codes)
        codes.ntotal = len(rows)
        scores, places = _scan(codes, query, k, None)
        return scores, rows[places]


def _scan(
    codes: Any, query: FloatArray, k: int, mask: npt.NDArray[np.bool_] | None
) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """The scores and rows of the k nearest codes, and of all that are as near as the last."""
    options = {}
    if mask is not None:
        bits = np.packbits(mask, bitorder="little")
        options = {"params": faiss.SearchParameters(sel=faiss.IDSelectorBitmap(bits))}
    limit = k + 1  # one more shows whether equals were cut off at the border; then all of them are wanted
    while True:
        count = min(limit, codes.ntotal)
        scores, rows = (matrix[0] for matrix in codes.search(query, max(count, 1), **options))
        if count < limit or rows[-1] < 0 or scores[-1] < scores[k - 1]:
            break
        limit *= 4
    return scores[rows >= 0], rows[rows >= 0]


@dataclass(frozen=True, slots=True)
class ListFacts:
    """Which lists a generation has: their name, and how many of its rows, from the first on, they cover."""

    name: str
    covered: int

    def load(self, folder: Path, checksums: Mapping[str, int]) -> VectorLists:
        """The lists of the generation in `folder`.

        Raises:
            LibraryDamagedError: they have other bytes than were written.
        """
        check(folder, tuple(name for name in checksums if name.startswith(f"{FOLDER}/")), checksums)
        if MOVED not in checksums:
            return VectorLists(folder / FOLDER / self.name, self.covered, None)
        check(folder, (MOVED,), checksums)
        return VectorLists(folder / FOLDER / self.name, self.covered, _mapped(folder / MOVED, np.int32))

    def carry(
        self, old: Path, folder: Path, keep_mask: npt.NDArray[np.bool_] | None, link: Callable[[str, str], Any]
    ) -> ListFacts:
        """The same lists in the folder of the generation that follows, with the rows of `keep_mask`; None: all."""
        shutil.copytree(old / FOLDER, folder / FOLDER, copy_function=link)
        before = _mapped(old / MOVED, np.int32) if (old / MOVED).exists() else None
        if keep_mask is None:
            if before is not None:
                shutil.copyfile(old / MOVED, folder / MOVED)
            return self
        number = np.where(keep_mask, np.cumsum(keep_mask, dtype=np.int32) - 1, -1).astype(np.int32)
        now = number[: self.covered] if before is None else np.where(before >= 0, number[before], -1).astype(np.int32)
        (folder / MOVED).write_bytes(now.tobytes())
        return ListFacts(self.name, int(np.count_nonzero(keep_mask[: self.covered])))

    def is_worn(self, folder: Path, rows: int) -> bool:
        """Whether too many rows are new since, or gone, so that they are better made again."""
        moved = folder / MOVED
        listed = moved.stat().st_size // 4 if moved.exists() else self.covered
        return rows - self.covered > TAIL * rows or listed - self.covered > DEAD * listed


MOVED = "lists_rows"
"""The file that says, of each row in the lists, which row it is now."""
