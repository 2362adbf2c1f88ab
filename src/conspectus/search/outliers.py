"""Papers found that are far from the others found (pathfinder, Iyer et al. 2024, section 3.2.6).

A paper is the vector of its first passage, which is its abstract where there is one: of a full text the other passages
are not looked at, so that a long paper does not count for more than a short one. `D95(k)` is the 95th percentile of the
distances (Euclidean, of unit vectors) from papers drawn at random to their k nearest papers. A paper P of the k found
is an outlier where its distance from the centroid of the k - 1 others is above `D_cut(k) = D95(k) - gamma`.

Libraries differ in how D95 stands to the distances within a topic, and so do sets of few and of many papers: with the
cut as published no gamma serves all (benchmarks/outliers.py). So the cut is halfway between D_cut and the median of the
set's own distances, and gamma was fitted to that; with the setting `search.outlier_cut = published` it is D_cut itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
import numpy.typing as npt
from sqlalchemy import Engine

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import BusyError, LibraryError, ServiceError
from conspectus.index.protocol import SearchIndex
from conspectus.records import Filters, Outlying
from conspectus.settings import SearchSettings
from conspectus.store.catalog import Catalog
from conspectus.store.connection import aside, put_meta, transact
from conspectus.store.vectors import Extent, all_paper_keys, changed_share, first_vectors, read_extent

FEWEST = 3
"""Papers found below which nobody is an outlier: of two, each is as far from the other."""
LEAST_DRAWN, MOST_DRAWN = 200, 1000
WORK = 25_000_000
"""Papers drawn times passages searched, about: one or two seconds, once. D95 of 200 differs from that of all papers by
0.015 or so, D95 of 1,000 by 0.005."""
PERCENTILE = 95
CHANGED = 0.05
"""Share of passages that may have come or gone before distances are measured again."""
_SEED = 20240802
_NEAREST = 20
"""Distances are kept for up to so many nearest papers at least, so that another k needs no new measurement."""
_PASSAGES = 2
"""Times as many passages as papers are wanted are taken from the index at first; then more, where papers have many."""
_MOST = 4096
_META = "spread"
_known: WeakKeyDictionary[Engine, _Spread] = WeakKeyDictionary()
"""For libraries that cannot be written, and to read nothing twice."""


@dataclass(frozen=True, slots=True)
class _Spread:
    """What was measured of a library.

    Attributes:
        model: the id of the embedder whose vectors they are.
        change: the catalog's counter then.
        extent: the passages that there were.
        wanted: up to how many nearest papers were looked for; there may have been fewer.
        d95: of the distances to the 1, 2, … nearest papers.
    """

    model: str
    change: int
    extent: Extent
    wanted: int
    d95: tuple[float, ...]


def find_outliers(
    catalog: Catalog, index: SearchIndex, embedder_id: str, papers: Sequence[int], settings: SearchSettings
) -> list[Outlying]:
    """For each of the papers found together (keys, any order) how far it is from the others, and whether too far.

    Of fewer than `FEWEST` papers, and in a library that has no more than these, nobody is an outlier; of a paper whose
    first passage has no vector nothing is known.
    """
    vectors = first_vectors(catalog, papers, embedder_id)
    rows = [key for key in papers if key in vectors]
    if len(rows) < FEWEST:
        return [Outlying(None, None, False)] * len(papers)
    far = dict(zip(rows, distances_from_others(np.stack([vectors[key] for key in rows])).tolist(), strict=True))
    d95 = typical_distance(catalog, index, embedder_id, len(rows))
    cut = None if d95 is None else cut_off(d95, list(far.values()), settings)
    return [Outlying(far.get(key), cut, cut is not None and key in far and far[key] > cut) for key in papers]


def cut_off(d95: float, distances: Sequence[float], settings: SearchSettings) -> float:
    """The distance above which one of the papers with these distances is an outlier."""
    cut = d95 - settings.outlier_gamma
    return cut if settings.outlier_cut == "published" else (cut + float(np.median(distances))) / 2


def distances_from_others(vectors: FloatArray) -> npt.NDArray[np.float64]:
    """The distance of each vector from the centroid of the others, float64 [k]; vectors are [k, dimensions], k > 1."""
    rows = vectors.astype(np.float64)
    others = (rows.sum(axis=0) - rows) / (len(rows) - 1)
    return np.asarray(np.linalg.norm(rows - others, axis=1))


def typical_distance(catalog: Catalog, index: SearchIndex, embedder_id: str, k: int) -> float | None:
    """`D95(k)` of the library; None where it has no more than k papers with vectors.

    Measured where it never was, where more than `CHANGED` of the passages came or went, or with another embedder; kept
    in the catalog.
    """
    spread = _read_spread(catalog, embedder_id, k)
    if spread is None:
        spread = _measure_spread(catalog, index, embedder_id, max(k, _NEAREST))
        _known[catalog.engine] = spread
        keep = partial(put_meta, name=_META, value=msgspec.json.encode(spread).decode())
        with suppress(LibraryError, ServiceError, BusyError):  # it can only be read, say: then it is for this process
            transact(catalog.engine, keep, aside)
    return spread.d95[k - 1] if k <= len(spread.d95) else None


def _read_spread(catalog: Catalog, embedder_id: str, k: int) -> _Spread | None:
    """What was measured before, where it still holds."""
    spread, now = _known.get(catalog.engine), catalog.change()
    if spread is None or spread.change != now:
        with suppress(msgspec.DecodeError):
            if json_text := catalog.meta(_META):
                spread = msgspec.json.decode(json_text, type=_Spread)
    if spread is None or spread.model != embedder_id or spread.wanted < k:
        return None
    if spread.change != now and changed_share(catalog, spread.extent) > CHANGED:
        return None
    _known[catalog.engine] = spread = replace(spread, change=now)
    return spread


def _measure_spread(catalog: Catalog, index: SearchIndex, embedder_id: str, neighbour_count: int) -> _Spread:
    change, extent = catalog.change(), read_extent(catalog)
    keys = all_paper_keys(catalog)
    number = min(MOST_DRAWN, max(LEAST_DRAWN, WORK // max(extent.passages, 1)))
    drawn = np.random.default_rng(_SEED).permutation(len(keys))[:number]
    sample = first_vectors(catalog, np.sort(keys[drawn]).tolist(), embedder_id)
    nearest = _nearest(catalog, index, embedder_id, sample, neighbour_count)
    reach = int(np.median([len(distances) for distances in nearest])) if nearest else 0
    pooled = (np.concatenate([distances[:k] for distances in nearest]) for k in range(1, reach + 1))
    return _Spread(
        embedder_id, change, extent, neighbour_count, tuple(float(np.percentile(d, PERCENTILE)) for d in pooled)
    )


def _nearest(
    catalog: Catalog, index: SearchIndex, embedder_id: str, sample: dict[int, FloatArray], neighbour_count: int
) -> list[npt.NDArray[np.float64]]:
    """For each paper the distances to its nearest papers, ascending: `neighbour_count`, or fewer if there are no more.

    Those are the papers of the nearest passages. Which passages these are the index says by its 8-bit codes; the
    distances are of the exact vectors of first passages.
    """
    distances_by_paper: dict[int, npt.NDArray[np.float64]] = {}
    waiting, count = list(sample), _PASSAGES * (neighbour_count + 1)
    while waiting:
        near = {paper: [hit.key for hit in index.search_vector(sample[paper], count, Filters())] for paper in waiting}
        paper_of = catalog.papers_of_passages(sorted({key for keys in near.values() for key in keys}))
        others = sorted({*paper_of.values()} - sample.keys())
        vectors = first_vectors(catalog, others, embedder_id) | sample
        retry_papers = []
        for paper, keys in near.items():
            neighbours = sorted({paper_of[key] for key in keys if key in paper_of} & vectors.keys() - {paper})
            if len(neighbours) < neighbour_count and len(keys) == count < _MOST:
                retry_papers.append(paper)
                continue
            apart = np.stack([vectors[key] for key in neighbours]) if neighbours else np.empty((0, len(sample[paper])))
            distances_by_paper[paper] = np.sort(np.linalg.norm(apart - sample[paper].astype(np.float64), axis=1))[
                :neighbour_count
            ]
        waiting, count = retry_papers, min(4 * count, _MOST)
    return list(distances_by_paper.values())
