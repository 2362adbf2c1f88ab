"""Which pictures are nearest to one, exactly: all of their raw vectors are compared, by three measures.

With x the picture asked for, y another's and the dot product x·y: `dot` is x·y, `cosine` is x·y / (|x| |y|), and
`euclidean` is |x - y|, a distance, of which the smallest is the nearest. They put pictures in different orders unless
all vectors have one length. One pass of dot products and the lengths give all three.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.records import Measure

_SLACK = 32
"""So many more than asked for are compared again in double precision, which settles the order of those alike."""
_BLOCK = 4096


class PictureIndex:
    """Vectors of pictures in memory, two bytes a number. Never changed, so any number of threads may search it.

    Args:
        keys: int64 [pictures], what each is called.
        matrix: float16 [pictures, dimensions], raw vectors.
    """

    def __init__(self, keys: Sequence[int] | npt.NDArray[np.int64], matrix: npt.NDArray[np.float16]) -> None:
        self.keys = np.asarray(keys, np.int64)
        if matrix.ndim != 2 or len(matrix) != len(self.keys):
            raise ValueError("there is not one vector for each key")
        self._codes = faiss.IndexScalarQuantizer(
            max(1, matrix.shape[1]), faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        faiss.copy_array_to_vector(np.ascontiguousarray(matrix, "<f2").view(np.uint8).reshape(-1), self._codes.codes)
        self._codes.ntotal = len(matrix)
        self._lengths = np.concatenate([np.zeros(0), *_lengths(matrix)])

    def __len__(self) -> int:
        return len(self.keys)

    def nearest(
        self, vector: FloatArray, k: int, measure: Measure = "cosine", mask: npt.NDArray[np.bool_] | None = None
    ) -> list[tuple[int, float]]:
        """The keys of the `k` nearest of those in `mask` (bool [pictures]; None: of all), with the measure, best first.

        Equals come in the order of their keys. A vector of zeros has the cosine 0 with all.
        """
        rows = np.arange(len(self)) if mask is None else np.flatnonzero(mask)
        if not len(rows) or k < 1:
            return []
        worth = _worth(measure, self._dots(vector)[rows], self._lengths[rows], float(np.linalg.norm(vector)))
        if k + _SLACK < len(rows):
            rows = rows[np.argpartition(-worth, k + _SLACK)[: k + _SLACK]]
        theirs = self.vectors(rows).astype(np.float64)
        exact = _exact(measure, theirs, np.asarray(vector, np.float64))
        order = np.lexsort((self.keys[rows], exact if measure == "euclidean" else -exact))[:k]
        return [(int(self.keys[rows[number]]), float(exact[number])) for number in order]

    def vectors(self, rows: npt.NDArray[np.int64]) -> FloatArray:
        """The vectors of rows, float32 [rows, dimensions]."""
        vectors: FloatArray = self._codes.reconstruct_batch(np.asarray(rows, np.int64))
        return vectors

    def _dots(self, vector: FloatArray) -> FloatArray:
        faiss.omp_set_num_threads(1)  # of this thread's searches
        query: Any = np.ascontiguousarray(vector, np.float32)[None, :]
        dots, rows = self._codes.search(query, len(self))  # a tenth of what faiss's range_search takes
        ordered_dots = np.empty(len(self), np.float32)
        ordered_dots[rows[0]] = dots[0]
        return ordered_dots


def _worth(measure: Measure, dots: FloatArray, lengths: FloatArray, length: float) -> FloatArray:
    """The greater the nearer."""
    if measure == "cosine":
        dots = dots / np.maximum(lengths * length, np.finfo(np.float32).tiny)
    worth: FloatArray = 2 * dots - lengths**2 if measure == "euclidean" else dots
    return worth


def _exact(measure: Measure, theirs: npt.NDArray[np.float64], vector: npt.NDArray[np.float64]) -> Any:
    if measure == "euclidean":
        return np.linalg.norm(theirs - vector, axis=1)
    lengths = np.linalg.norm(theirs, axis=1) * np.linalg.norm(vector)
    return theirs @ vector / (np.where(lengths == 0, 1.0, lengths) if measure == "cosine" else 1.0)


def _lengths(matrix: npt.NDArray[np.float16]) -> Iterator[FloatArray]:
    for start in range(0, len(matrix), _BLOCK):
        yield np.linalg.norm(matrix[start : start + _BLOCK].astype(np.float32), axis=1)
