"""The vector half of the embedded engine: flat 8-bit codes by faiss, and columns to filter by."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import faiss
import numpy as np
import numpy.typing as npt

from conspectus.index.protocol import Candidate, IndexRow
from conspectus.models.protocol import FloatArray
from conspectus.records import FACETS, Filters, PassageKind

KINDS: tuple[str, ...] = get_args(PassageKind)
NO_YEAR = np.iinfo(np.int16).min
CODES = "vectors.faiss"


@dataclass(frozen=True, slots=True)
class Columns:
    """What rows are filtered by: one value a row, and (row, hashed facet term) pairs in order of rows."""

    keys: npt.NDArray[np.int64]
    years: npt.NDArray[np.int16]
    kinds: npt.NDArray[np.int8]
    full_text: npt.NDArray[np.bool_]
    facet_rows: npt.NDArray[np.int32]
    facet_terms: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, rows: Sequence[IndexRow]) -> Columns:
        """The columns of `rows`."""
        pairs = [(number, _hash(*facet)) for number, row in enumerate(rows) for facet in row.facets]
        return cls(
            np.array([row.key for row in rows], np.int64),
            np.array([NO_YEAR if row.year is None else max(-9999, min(row.year, 9999)) for row in rows], np.int16),
            np.array([KINDS.index(row.kind) for row in rows], np.int8),
            np.array([row.full_text for row in rows], np.bool_),
            np.array([number for number, _ in pairs], np.int32),
            np.array([term for _, term in pairs], np.uint64),
        )

    @classmethod
    def load(cls, folder: Path) -> Columns:
        """From the files of a generation, memory-mapped."""
        return cls(*(np.load(folder / f"{name}.npy", mmap_mode="r") for name in cls.__slots__))

    def save(self, folder: Path) -> None:
        """To the files of a generation. Through Python: numpy does not notice when the last bytes find no room."""
        for name in self.__slots__:
            with (folder / f"{name}.npy").open("wb") as file:
                np.save(SimpleNamespace(write=file.write), getattr(self, name))

    def keep(self, kept: npt.NDArray[np.bool_]) -> Columns:
        """Only the rows of a mask."""
        new_number = np.cumsum(kept, dtype=np.int32) - 1
        pairs = kept[self.facet_rows]
        return Columns(
            self.keys[kept],
            self.years[kept],
            self.kinds[kept],
            self.full_text[kept],
            new_number[self.facet_rows[pairs]].astype(np.int32),
            self.facet_terms[pairs],
        )

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
                wanted = np.array([_hash(facet, term) for term in terms], np.uint64)
                named = np.zeros(len(self.keys), np.bool_)
                named[self.facet_rows[np.isin(self.facet_terms, wanted)]] = True
                passes &= named
        return passes


def join(parts: Sequence[Columns]) -> Columns:
    """Columns one after another."""
    starts = np.cumsum([0, *(len(part.keys) for part in parts[:-1])])
    shifted = [part.facet_rows + start for part, start in zip(parts, starts, strict=True)]
    return Columns(
        np.concatenate([part.keys for part in parts]),
        np.concatenate([part.years for part in parts]),
        np.concatenate([part.kinds for part in parts]),
        np.concatenate([part.full_text for part in parts]),
        np.concatenate(shifted).astype(np.int32),
        np.concatenate([part.facet_terms for part in parts]),
    )


def _hash(facet: str, term: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{facet}:{term}".encode(), digest_size=8).digest(), "little")


def new_codes(dimensions: int) -> Any:
    """An empty faiss index of 8-bit codes with inner product.

    The range of the codes is fixed, not learnt: so it does not depend on which papers came first. A unit vector's
    components are about 1/sqrt(d); eight times that holds all but freaks, and those are clipped.
    """
    index = faiss.IndexScalarQuantizer(dimensions, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    reach = min(1.0, 8 / np.sqrt(dimensions))
    index.train(np.array([[-reach] * dimensions, [reach] * dimensions], np.float32))
    return index


def save_codes(codes: Any, path: Path) -> None:
    """Write a faiss index. Through Python: faiss does not fail when the last bytes find no room."""
    failed: list[OSError] = []
    with path.open("wb") as file:

        def write(part: bytes) -> int:
            try:
                return file.write(part)
            except OSError as error:
                failed.append(error)
                return 0

        try:
            faiss.write_index(codes, faiss.PyCallbackIOWriter(write))
        except RuntimeError:
            if failed:
                raise failed[0] from None
            raise


class VectorSearcher:
    """Searches one generation's vectors."""

    def __init__(self, folder: Path) -> None:
        self.columns = Columns.load(folder)
        self._codes = faiss.read_index(str(folder / CODES))

    def search(self, vector: FloatArray, k: int, filters: Filters) -> list[Candidate]:
        """See `SearchIndex.search_vector`."""
        if not self._codes.ntotal:
            return []
        options = {}
        if filters:
            bits = np.packbits(self.columns.mask(filters), bitorder="little")
            options = {"params": faiss.SearchParameters(sel=faiss.IDSelectorBitmap(bits))}
        query = np.ascontiguousarray(vector[None, :], np.float32)
        limit = k + 1  # one more shows whether equals were cut off at the border; then all of them are wanted
        while True:
            count = min(limit, self._codes.ntotal)
            scores, rows = (found[0] for found in self._codes.search(query, count, **options))
            if count < limit or rows[-1] < 0 or scores[-1] < scores[k - 1]:
                break
            limit *= 4
        keys = self.columns.keys
        found = [Candidate(int(keys[row]), float(score)) for score, row in zip(scores, rows, strict=True) if row >= 0]
        return sorted(found, key=lambda candidate: (-candidate.score, candidate.key))[:k]
