"""Regions of a map: texts that mean alike and stand together, in three levels, each within one of the level above.

k-means over what a text means and where it stands, joined: `MAP_WEIGHT` says how much the place counts. With the
vectors alone a quarter of the texts that stand beside each other are of different regions, with the places alone what
they mean counts for less (5,500 papers of `arxiv_topics`, 12 regions: V-measure against arXiv's categories 0.409, 0.425
and 0.414; neighbours on the map in the same region 0.74, 0.86 and 0.95). When the map is fitted again the regions begin
where their texts are, so that they stay what they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

import faiss
import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.map.projection import SEED
from conspectus.records.atlas import LEVELS, RegionMethod

Ints = npt.NDArray[np.int64]
MAP_WEIGHT = 0.45
"""Of one standard deviation of the map, where vectors have the length 1."""
PER_CUBE_ROOT = 0.7
"""Regions of the middle level for the cube root of the number of texts: 7 of 1,000, 12 of 5,000, 19 of 20,000."""
MOST = 30
"""Of the middle level."""
STEADY = 0.15
"""Share of the middle level's regions that are too many or too few, up to which there stay as many as there were."""
FINER = 4
"""Times as many of one level as of the one above, about."""
FEWEST_TEXTS = 12
"""A region of the smallest level has about as many at least."""
ROUNDS, TRIES, TRIED = 50, 5, 125_000
"""Of k-means; of many rows there are fewer tries, which then have so many together."""
GRID, SMOOTH = 128, 2.5
"""Cells of the density's grid along each side, and how many of them it is smoothed over (published)."""


def levels(vectors: FloatArray, positions: FloatArray, by: RegionMethod = "kmeans", before: Ints | None = None) -> Ints:
    """The region of each text at each level, numbered from 0: int64 [texts, LEVELS].

    Args:
        vectors: of unit length.
        positions: where they stand.
        by: `published`: those of the middle level are the peaks of the map's density (Iyer et al. 2024).
        before: regions as they were, -1 of texts that are new; those that are left begin where their texts are now.
    """
    features = join_features(vectors, positions)
    old = np.full((len(vectors), LEVELS), -1) if before is None else before
    middle = find_peaks(positions) if by == "published" else part_features(features, _count(old[:, 1]), old[:, 1])
    labels = np.empty((len(vectors), LEVELS), np.int64)
    labels[:, 1] = middle
    labels[:, 0] = _above(features, middle, old)
    labels[:, 2] = _below(features, middle, old[:, 2])
    return labels


def count_for(texts: int) -> int:
    """Regions of the middle level."""
    count: float = PER_CUBE_ROOT * texts ** (1 / 3)
    return max(1, min(MOST, round(count), texts // FEWEST_TEXTS))


def _count(before: Ints) -> int:
    """Regions of the middle level: as many as there were, where that is about right."""
    count, had = count_for(len(before)), len(np.unique(before[before >= 0]))
    return had if abs(had - count) <= STEADY * count else count


def join_features(vectors: FloatArray, positions: FloatArray) -> FloatArray:
    """What texts mean and where they stand, float32 [texts, dimensions + 2]."""
    spread = float(positions.std(axis=0).mean()) or 1.0
    return np.hstack([vectors, (positions - positions.mean(axis=0)) / spread * MAP_WEIGHT]).astype(np.float32)


def part_features(features: FloatArray, count: int, before: Ints | None = None) -> Ints:
    """The k-means of rows, numbered from 0 without gaps; it begins with the means of what was together before."""
    count = min(count, len(features))
    if count <= 1:
        return np.zeros(len(features), np.int64)
    first = None if before is None or not (before >= 0).any() else _means(features, before, count)
    means: Any = cast(Any, faiss).Kmeans(
        features.shape[1],
        count,
        niter=ROUNDS,
        nredo=1 if first is not None else max(1, min(TRIES, TRIED // len(features))),
        seed=SEED,
        min_points_per_centroid=1,
        max_points_per_centroid=len(features),
    )
    means.train(features, init_centroids=first)
    return _compact(means.index.search(features, 1)[1][:, 0])


def _means(features: FloatArray, before: Ints, count: int) -> FloatArray:
    """Means of the groups that there were, the largest first; where they are too few, rows far from all, too."""
    groups, sizes = np.unique(before[before >= 0], return_counts=True)
    largest = groups[np.argsort(-sizes, kind="stable")][:count]
    means = [features[before == group].mean(axis=0) for group in largest]
    far = np.min([((features - mean) ** 2).sum(axis=1) for mean in means], axis=0)
    while len(means) < count:
        means.append(features[int(far.argmax())])
        far = np.minimum(far, ((features - means[-1]) ** 2).sum(axis=1))
    return np.array(means, np.float32)


def _compact(labels: Ints) -> Ints:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _above(features: FloatArray, middle: Ints, old: Ints) -> Ints:
    """Regions of the middle level put together, by their means."""
    count = int(middle.max(initial=-1)) + 1
    means = np.array([features[middle == label].mean(axis=0) for label in range(count)], np.float32)
    before = np.array([_usual(old[middle == label, 0]) for label in range(count)])
    return part_features(means, max(1, round(count / FINER)), before)[middle]


def _usual(values: Ints) -> int:
    """What most of them are; -1 of those that were nowhere."""
    known = values[values >= 0]
    return int(np.bincount(known).argmax()) if len(known) else -1


def _below(features: FloatArray, middle: Ints, before: Ints) -> Ints:
    """Each region of the middle level parted."""
    labels, number = np.empty(len(middle), np.int64), 0
    mean_size = len(middle) / (int(middle.max(initial=0)) + 1)
    for region in range(int(middle.max(initial=-1)) + 1):
        rows = np.flatnonzero(middle == region)
        count = max(1, min(round(FINER * len(rows) / mean_size), len(rows) // FEWEST_TEXTS))
        parts = part_features(features[rows], count, before[rows])
        labels[rows] = parts + number
        number += int(parts.max()) + 1
    return labels


def find_peaks(positions: FloatArray) -> Ints:
    """The nearest peak of the map's density, of each text: those within a radius of a peak are its papers, and the
    others are given to the nearest, so that none is left out."""
    density, cells = smooth_density(positions)
    around = np.stack(
        [np.roll(density, (x, y), (0, 1)) for x in (-2, -1, 0, 1, 2) for y in (-2, -1, 0, 1, 2) if x or y]
    )
    tops = np.argwhere((density >= around.max(axis=0)) & (density > density.max(initial=0) * 0.05))
    if not len(tops):
        return np.zeros(len(positions), np.int64)
    high = tops[np.argsort(-density[tuple(tops.T)], kind="stable")][:MOST]
    return _compact(((cells[:, None] - high[None]) ** 2).sum(axis=2).argmin(axis=1))


def smooth_density(
    positions: FloatArray, grid: int = GRID, smooth: float = SMOOTH, weights: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Texts to a cell of a grid over the map, smoothed (Gaussian): [grid, grid], and in which cell each text is.

    A text counts for its weight, or for 1.

    The border of the grid is three times `smooth` beyond the outermost texts.
    """
    edge = int(3 * smooth)
    low, high = positions.min(axis=0), positions.max(axis=0)
    step = float((high - low).max()) / (grid - 1 - 2 * edge) or 1.0
    cells = (positions - (low + high) / 2) / step + (grid - 1) / 2
    counts = np.zeros((grid, grid))
    np.add.at(counts, tuple(np.rint(cells).astype(int).T), 1 if weights is None else weights)
    near = np.exp(-0.5 * (np.arange(-edge, edge + 1) / smooth) ** 2)
    blur: Callable[[Any], Any] = lambda line: np.convolve(line, near / near.sum(), mode="same")  # noqa: E731
    return np.apply_along_axis(blur, 1, np.apply_along_axis(blur, 0, counts)).astype(np.float32), cells


CENTRAL = 0.25
"""Share of a region's texts that are near its mean."""


def mean_cosines(vectors: FloatArray, regions: Ints) -> tuple[Ints, FloatArray, FloatArray]:
    """Regions, ascending, their means as unit vectors, and the cosine with it of the farthest text that is near it."""
    ids, of = np.unique(regions, return_inverse=True)
    means = np.zeros((len(ids), vectors.shape[1]), np.float32)
    np.add.at(means, of, vectors)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
    cosines = (vectors * means[of]).sum(axis=1)
    near = [np.quantile(cosines[of == number], 1 - CENTRAL) for number in range(len(ids))]
    return ids, means, np.array(near, np.float32)


FENCE = 1.5
"""Times the interquartile range of a region's distances, above its upper quartile (Tukey 1977)."""
FEWEST = 8
"""Texts of a region, below which none is an outlier."""


def distances_from_region(read: Callable[[], Iterable[tuple[Ints, FloatArray]]], regions: Ints) -> FloatArray:
    """How far each text is from the mean of the others of its region, of unit vectors: float32 [texts].

    NaN where there is no other, or no vector.

    Args:
        read: gives rows of the map and their vectors, in batches; read twice.
        regions: the region of each text.
    """
    ids, of = np.unique(regions, return_inverse=True)
    sums: npt.NDArray[np.float64] | None = None
    counts = np.zeros(len(ids), np.int64)
    for rows, vectors in read():
        sums = np.zeros((len(ids), vectors.shape[1])) if sums is None else sums
        np.add.at(sums, of[rows], vectors)
        counts += np.bincount(of[rows], minlength=len(ids))
    far = np.full(len(regions), np.nan, np.float32)
    for rows, vectors in read() if sums is not None else ():
        others = counts[of[rows]] - 1
        means = (sums[of[rows]] - vectors) / np.maximum(others, 1)[:, None]  # type: ignore[index]
        far[rows] = np.where(others > 0, np.linalg.norm(vectors - means, axis=1), np.nan)
    return far


def find_outlying(far: FloatArray, regions: Ints) -> npt.NDArray[np.bool_]:
    """Which texts are farther than the others of their regions by Tukey's fence: bool [texts]."""
    is_far = np.zeros(len(far), bool)
    for region in np.unique(regions):
        rows = np.flatnonzero((regions == region) & np.isfinite(far))
        if len(rows) >= FEWEST:
            low, high = np.quantile(far[rows], [0.25, 0.75])
            is_far[rows] = far[rows] > high + FENCE * (high - low)
    return is_far
