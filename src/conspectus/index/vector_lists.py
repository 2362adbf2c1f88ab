"""Lists of short codes that find candidates among very many vectors: IVF with RaBitQ by faiss.

Each vector has a bit a dimension in the list of its nearest centroid; a question looks into the lists nearest to it,
and what it finds there is scored again by the 8-bit codes. The lists are a file that is memory-mapped. They are built
block by block in a folder beside the generations, where a build that was killed finds the blocks it had made.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import faiss
import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.disk import keep_private, open_file

FROM_ROWS = 200_000
"""Below so many rows all codes are scanned, which takes 9 ms then."""
TAIL = 0.05
"""So many rows, as a share, may be new since the lists were made: all of them are scanned."""
DEAD = 0.2
"""So many of the rows in the lists, as a share, may be gone."""
BLOCK = 1 << 16
"""Rows that are encoded at a time: 100 MB of numbers of 384 dimensions."""
POINTS = 32
"""Vectors for each centroid by which these are found."""
PROBES = 64
"""Lists that a question looks into; more where few rows pass its filters."""
FOLDER = "lists"
_QUERY_BITS = 4

Mask = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.uint8]


def can_list() -> bool:
    """Whether this build of faiss has lists on disk; that for Windows has not."""
    return hasattr(faiss, "OnDiskInvertedLists")


def count_lists(rows: int) -> int:
    """How many lists there are for so many rows: a power of two near 1.3 times their square root."""
    return int(2 ** max(0, round(math.log2(1.3 * math.sqrt(max(rows, 1))))))


def build_lists(codes: Codes, decode: Callable[[Codes], FloatArray], work: Path, target: Path) -> None:
    """Write the lists of all rows of `codes` to the folder `target`; what `work` has of them is used.

    Memory: the vectors of one block, or those that centroids are found by; whichever is more.
    """
    work.mkdir(exist_ok=True)
    keep_private(work)
    centroids = _centroids(codes, decode, work)
    index, rotation = _empty(centroids), _rotation(codes.shape[1])
    digest, parts = zlib.crc32(centroids.data), []
    for start in range(0, len(codes), BLOCK):
        block = codes[start : start + BLOCK]
        parts.append(work / f"part-{digest:08x}-{zlib.crc32(np.ascontiguousarray(block).data):08x}-{start}.npz")
        if _read(parts[-1]) is None:
            _write_part(parts[-1], index, decode(block) @ rotation, start)
    _merge(index, centroids, parts, target)


def _centroids(codes: Codes, decode: Callable[[Codes], FloatArray], work: Path) -> FloatArray:
    """The centroids of the lists, rotated; those that a build before has found, where there are as many."""
    count, path = count_lists(len(codes)), work / "centroids.npy"
    with suppress(OSError, ValueError, EOFError):
        known = np.load(path, allow_pickle=False)
        if known.shape == (count, codes.shape[1]) and known.dtype == np.float32:
            return np.asarray(known, np.float32)
    drawn = np.random.default_rng(0).permutation(len(codes))[: count * POINTS]
    clustering = faiss.Clustering(codes.shape[1], count)
    clustering.niter, clustering.spherical, clustering.min_points_per_centroid, clustering.seed = 8, True, 1, 1
    clustering.train(decode(codes[np.sort(drawn)]) @ _rotation(codes.shape[1]), faiss.IndexFlatIP(codes.shape[1]))
    centroids = faiss.vector_to_array(clustering.centroids).reshape(count, -1)
    part = path.with_suffix(".new.npy")
    np.save(part, centroids)
    part.replace(path)
    return np.asarray(centroids, np.float32)


def _rotation(dimensions: int) -> FloatArray:
    """A fixed random rotation: by it no dimension has more of the vectors than the others, as one bit each needs."""
    drawn = np.random.default_rng(0).standard_normal((dimensions, dimensions))
    rotation, upper = np.linalg.qr(drawn)
    return np.asarray(rotation * np.sign(np.diag(upper)), np.float32)


def _empty(centroids: FloatArray) -> Any:
    count, dimensions = centroids.shape
    quantizer = faiss.IndexFlatIP(dimensions)
    quantizer.add(centroids)
    index = faiss.IndexIVFRaBitQ(quantizer, dimensions, count, faiss.METRIC_INNER_PRODUCT)
    quantizer.this.disown()
    index.own_fields = True
    index.train(centroids)
    return index


def _write_part(path: Path, index: Any, vectors: FloatArray, start: int) -> None:
    """Of a block: the lists of its rows, ascending, with the rows and their codes."""
    vectors = np.ascontiguousarray(vectors, np.float32)
    lists = index.quantizer.search(vectors, 1)[1][:, 0]
    codes = np.empty((len(vectors), index.code_size), np.uint8)
    index.encode_vectors(len(vectors), faiss.swig_ptr(vectors), faiss.swig_ptr(lists), faiss.swig_ptr(codes))
    order = np.argsort(lists, kind="stable")
    part = path.with_suffix(".new.npz")
    np.savez(part, lists=lists[order].astype(np.int32), rows=(start + order).astype(np.int64), codes=codes[order])
    part.replace(path)


def _read(path: Path) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], Codes] | None:
    """A part; None where it is not there, or cut."""
    with (
        suppress(OSError, ValueError, EOFError, KeyError, BadZipFile),
        open_file(path) as file,
        np.load(file, allow_pickle=False) as arrays,
    ):
        return arrays["lists"], arrays["rows"], arrays["codes"]
    return None


def _merge(index: Any, centroids: FloatArray, parts: list[Path], target: Path) -> None:
    """Put the parts together: in the folder `target` the centroids, the lists' sizes, and what is in the lists."""
    target.mkdir(parents=True, exist_ok=True)
    sizes = np.zeros(index.nlist, np.int64)
    for part in parts:
        sizes += np.bincount(_part(part)[0], minlength=index.nlist)
    places = _places(sizes, index.code_size)
    contents = np.memmap(target / "data", np.uint8, "w+", shape=(max(places.bytes, 1),))
    filled = np.zeros(index.nlist, np.int64)
    for part in parts:
        lists, rows, codes = _part(part)
        starts = np.flatnonzero(np.diff(lists, prepend=-1)).tolist()
        for begin, end in zip(starts, [*starts[1:], len(lists)], strict=True):
            number = int(lists[begin])
            first = int(places.offsets[number] + filled[number] * index.code_size)
            contents[first : first + (end - begin) * index.code_size] = codes[begin:end].reshape(-1)
            first = int(places.offsets[number] + places.room[number] * index.code_size + filled[number] * 8)
            contents[first : first + (end - begin) * 8] = rows[begin:end].view(np.uint8)
            filled[number] += end - begin
    contents.flush()
    np.save(target / "centroids.npy", centroids)
    np.save(target / "sizes.npy", sizes)


@dataclass(frozen=True, slots=True)
class _Places:
    """Where in their file lists begin, each codes first, then rows of 8 bytes; and for how many rows each has room."""

    offsets: npt.NDArray[np.int64]
    room: npt.NDArray[np.int64]
    bytes: int


def _places(sizes: npt.NDArray[np.int64], code_size: int) -> _Places:
    room = -(-sizes // 8) * 8  # so that rows lie where numbers of 8 bytes may
    ends = np.cumsum(room * (code_size + 8))
    return _Places(np.concatenate([[0], ends[:-1]]).astype(np.int64), room, int(ends[-1]))


def _opened(folder: Path) -> Any:
    """The faiss index of lists, whose data is memory-mapped.

    Raises:
        ValueError: its parts do not fit each other.
    """
    centroids = np.load(folder / "centroids.npy", allow_pickle=False)
    sizes = np.load(folder / "sizes.npy", allow_pickle=False)
    index, data = _empty(centroids), folder / "data"
    places = _places(sizes, index.code_size)
    if len(sizes) != index.nlist or data.stat().st_size != max(places.bytes, 1):
        raise ValueError("its lists are not of the length of their data")
    disk_lists = faiss.OnDiskInvertedLists()
    disk_lists.nlist, disk_lists.code_size, disk_lists.totsize = index.nlist, index.code_size, data.stat().st_size
    disk_lists.filename, disk_lists.read_only = str(data), True
    disk_lists.prefetch_nthread = 0  # it would start threads for each question
    disk_list = faiss.OnDiskOneList()
    for size, room, offset in zip(sizes.tolist(), places.room.tolist(), places.offsets.tolist(), strict=True):
        disk_list.size, disk_list.capacity, disk_list.offset = size, room, offset
        disk_lists.lists.push_back(disk_list)
    disk_lists.do_mmap()
    index.replace_invlists(disk_lists, True)
    disk_lists.this.disown()
    index.ntotal = int(sizes.sum())
    return index


def _part(path: Path) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], Codes]:
    part = _read(path)
    if part is None:
        raise OSError(f"'{path}' was taken away while lists were built")
    return part


class VectorLists:
    """The lists in the folder `path`, opened.

    `covered`: the rows from the first on that are in them; `rows`: of each row that is in them the one that it is now,
    -1: gone; None: all are as they were.
    """

    def __init__(self, path: Path, covered: int, rows: npt.NDArray[np.int32] | None) -> None:
        self._index = _opened(path)
        self._rotation = _rotation(self._index.d)
        self.covered, self._rows = covered, rows

    def candidates(self, vector: FloatArray, k: int, mask: Mask | None, share: float) -> npt.NDArray[np.int64]:
        """About the k nearest of the covered rows that a mask passes (None: all); `share`: which part of them."""
        options = faiss.IVFRaBitQSearchParameters(qb=_QUERY_BITS)
        options.nprobe = min(self._index.nlist, math.ceil(PROBES / max(share, 1e-9)))
        if (passes := self._combine_masks(mask)) is not None:
            bits = np.packbits(passes, bitorder="little")
            selector = faiss.IDSelectorBitmap(bits)
            options.sel = selector
        query = np.ascontiguousarray(vector[None, :] @ self._rotation, np.float32)
        rows: npt.NDArray[np.int64] = self._index.search(query, k, params=options)[1][0]
        rows = rows[rows >= 0]
        return rows if self._rows is None else self._rows[rows].astype(np.int64)

    def _combine_masks(self, mask: Mask | None) -> Mask | None:
        if self._rows is None:
            return None if mask is None else mask[: self.covered]
        there: Mask = self._rows >= 0
        return there if mask is None else there & mask[self._rows]
