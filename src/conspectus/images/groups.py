"""Images that are alike: near-duplicates, and clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import faiss
import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.search.pictures import PictureIndex

SAME = 0.97
"""From this cosine on two images are near-duplicates whatever their hashes."""
LIKELY = 0.4
"""From this on they are where few bits of their hashes differ:"""
BITS = 16
"""of 128."""
KS = (4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
"""How many clusters are tried: two or three nearly always have the greatest silhouette, and say little."""
_SAMPLE = 3000
_BLOCK = 1024
Rows = npt.NDArray[np.int64]


def duplicates(index: PictureIndex, hashes: Sequence[bytes]) -> list[Rows]:
    """Groups of rows that are near-duplicates of each other, or of one that both are; the largest first.

    Two are where their cosine is at least `SAME`, or at least `LIKELY` with at most `BITS` bits of their hashes
    different. All pairs are compared.
    """
    bits = (
        np.frombuffer(b"".join(hashes), np.uint64).reshape(len(hashes), -1) if hashes else np.empty((0, 2), np.uint64)
    )
    parent = np.arange(len(index))
    for rows, others in _pairs(index, bits):
        for one, other in zip(rows.tolist(), others.tolist(), strict=True):
            first, second = sorted((_root(parent, one), _root(parent, other)))
            parent[second] = first
    roots = np.array([_root(parent, row) for row in range(len(index))], np.int64)
    names, counts = np.unique(roots, return_counts=True)
    groups = [np.flatnonzero(roots == name) for name in names[counts > 1]]
    return sorted(groups, key=lambda group: (-len(group), int(group[0])))


def _pairs(index: PictureIndex, bits: npt.NDArray[np.uint64]) -> Iterator[tuple[Rows, Rows]]:
    """Rows that are near-duplicates, block by block."""
    starts = range(0, len(index), _BLOCK)
    for start in starts:
        rows = np.arange(start, min(start + _BLOCK, len(index)))
        block = unit(index, rows)
        for other in starts[start // _BLOCK :]:
            others = np.arange(other, min(other + _BLOCK, len(index)))
            cosines = block @ unit(index, others).T
            differ = np.bitwise_count(bits[rows, None] ^ bits[None, others]).sum(axis=2, dtype=np.uint8)
            near = (cosines >= SAME) | ((cosines >= LIKELY) & (differ <= BITS))
            ones, twos = np.nonzero(near & (rows[:, None] < others[None]))
            yield rows[ones], others[twos]


def _root(parent: Rows, row: int) -> int:
    while (above := int(parent[row])) != row:
        parent[row] = parent[above]
        row = above
    return row


def clusters(index: PictureIndex, k: int | None = None) -> tuple[list[tuple[Rows, FloatArray]], int]:
    """Each cluster's rows, the most typical first, and their cosines with its middle; the largest first; and k.

    Spherical k-means on unit vectors. Without `k` it is that of `KS` with the greatest mean simplified silhouette
    (Hruschka et al. 2004): (b - a) / max(a, b), with a the distance (1 - cosine) to the own middle and b to the
    nearest other, over at most 3,000 images.
    """
    sample = _sample(index)
    if len(sample) < 2:
        return ([(np.arange(len(index)), np.ones(len(index), np.float32))] if len(index) else []), len(index)
    tried = [k] if k else [one for one in KS if one < len(sample)] or [1]
    middles = max(
        (_middles(sample, min(one, len(sample))) for one in tried), key=lambda found: _silhouette(sample, found)
    )
    cosines = np.concatenate([unit(index, rows) @ middles.T for rows in _blocks(len(index))])
    own = cosines.argmax(axis=1)
    found = []
    for number in range(len(middles)):
        rows = np.flatnonzero(own == number)
        order = np.argsort(-cosines[rows, number], kind="stable")
        found.append((rows[order], cosines[rows[order], number]))
    groups = sorted((one for one in found if len(one[0])), key=lambda one: (-len(one[0]), int(one[0][0])))
    return groups, len(groups)


def _sample(index: PictureIndex) -> FloatArray:
    rows = np.arange(len(index))
    if len(rows) > _SAMPLE:
        rows = np.sort(np.random.default_rng(0).choice(rows, _SAMPLE, replace=False))
    return unit(index, rows)


def _middles(sample: FloatArray, k: int) -> FloatArray:
    """float32 [k, dimensions], unit vectors."""
    means = faiss.Kmeans(sample.shape[1], k, niter=15, spherical=True, seed=1, min_points_per_centroid=1)
    means.train(sample)
    found: FloatArray = means.centroids
    return found


def _silhouette(sample: FloatArray, middles: FloatArray) -> float:
    if len(middles) < 2:
        return 0.0
    far = np.sort(1 - sample @ middles.T, axis=1)
    return float(np.mean((far[:, 1] - far[:, 0]) / np.maximum(far[:, 1], 1e-9)))


def unit(index: PictureIndex, rows: Rows) -> FloatArray:
    """The vectors of rows, of length 1 (those of zeros stay)."""
    vectors = index.vectors(rows)
    found: FloatArray = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return found


def _blocks(count: int) -> list[Rows]:
    return [np.arange(start, min(start + _BLOCK, count)) for start in range(0, count, _BLOCK)]
