"""Mapped texts (papers or passages) with their vectors, brought into the plane so that similar texts are close.

The neighbours of each text are found exactly, by faiss, whatever projects. A map that is fitted again begins where
its texts stood and is only moved as far as the new ones ask for: t-SNE without its first phase, which would tear it up,
UMAP and PCA turned and scaled (Procrustes). Texts that come later are put beside the one, of the ten most like
them, that stands nearest to the other nine (their medoid): of 550 papers of `arxiv_topics` it keeps 0.33 of the nearest
15, the median of the ten 0.29, their mean 0.25, and a new fit of all 0.37.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, cast

import faiss
import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import UnavailableError
from conspectus.core.job_context import emit
from conspectus.records.atlas import ProjectionMethod
from conspectus.records.events import Progress

Ints = npt.NDArray[np.int64]
SEED = 20241
NEAREST = 10
"""The texts beside one of which a new one is put."""
ASIDE = 0.1
"""How far it stands from that one towards the next, so that the two can be distinguished."""
FOLLOWED, LINKS, LOOKED_AT = 20_000, 16, 32
"""Texts to be placed, from which a graph of those on the map is made; the links of each, and how many are followed."""
FEWEST = 10
"""Texts, below which they are only turned (PCA): the others' neighbourhoods are of more."""
THREADED = 2000
"""Texts, from which t-SNE has a thread for each processor. Where a program loaded OpenMP before it imported this one
(see `conspectus.__init__`), threads wait by spinning: beside other work two take 20 s for 300 texts, one takes 1."""
ITERATIONS, REFITTED = 300, 250
EARLY, EXAGGERATION = 100, 4
"""Rounds of t-SNE's first phase, and how many times as much texts that are alike draw each other there: with 12, as
openTSNE has it, fewer neighbours are kept (`benchmarks/atlas.py`). With its 250 and 500 rounds no more are: 0.367 of
the nearest 15 of 5,500 papers, with these 0.370."""


def project(
    vectors: FloatArray, method: ProjectionMethod, *, perplexity: float = 30, start: FloatArray | None = None
) -> FloatArray:
    """Places of unit vectors [texts, dimensions]: float32 [texts, 2].

    Args:
        vectors: of unit length.
        method: how; `pca` where there are fewer than `FEWEST` texts.
        perplexity: of t-SNE: about as many texts count as neighbours.
        start: where the texts stand now.

    Raises:
        UnavailableError: the package that does it is not installed.
    """
    if len(vectors) < FEWEST or not np.ptp(vectors, axis=0).any():
        positions = _pca(vectors)
    else:
        positions = (
            {"pca": _pca, "umap": _umap}[method](vectors) if method != "tsne" else _tsne(vectors, perplexity, start)
        )
    return positions if start is None else align_positions(positions, start)


def _pca(vectors: FloatArray) -> FloatArray:
    """The two directions in which the vectors differ most; what does not differ at all is put on a spiral."""
    centred = vectors - vectors.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, -2:][:, ::-1]
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), range(axes.shape[1])])  # either way round is as good
    positions = centred @ axes
    if np.ptp(positions, axis=0).max(initial=0) < 1e-6:
        angle, far = np.arange(len(vectors)) * np.pi * (3 - 5**0.5), np.sqrt(np.arange(len(vectors)))
        positions = np.stack([far * np.cos(angle), far * np.sin(angle)], axis=1)
    result: FloatArray = positions.astype(np.float32)
    return result


def _umap(vectors: FloatArray) -> FloatArray:
    try:
        import umap
    except ImportError as error:
        raise _missing("umap-learn", "umap") from error
    emit(Progress("projecting", 0, 1, "maps"))
    fit = umap.UMAP(metric="cosine", random_state=SEED, n_jobs=1, init="pca")
    return np.asarray(fit.fit_transform(vectors), np.float32)


def _tsne(vectors: FloatArray, perplexity: float, start: FloatArray | None) -> FloatArray:
    try:
        from openTSNE import TSNE, affinity, initialization, nearest_neighbors
    except ImportError as error:
        raise _missing("openTSNE", "atlas") from error
    logging.getLogger("openTSNE").addHandler(logging.NullHandler())  # it warns of each start that is not tiny
    perplexity = min(perplexity, (len(vectors) - 1) / 3)
    cosines, near = neighbours(vectors, vectors, int(3 * perplexity) + 1)
    others = _without_self(near)
    distances = np.sqrt(np.maximum(0, 2 - 2 * np.take_along_axis(cosines, others, axis=1)))
    index = nearest_neighbors.PrecomputedNeighbors(
        np.take_along_axis(near, others, axis=1), distances.astype(np.float64)
    )
    threads = -1 if len(vectors) >= THREADED else 1
    of = affinity.PerplexityBasedNN(knn_index=index, perplexity=perplexity, n_jobs=threads)
    early, iterations = (EARLY, ITERATIONS) if start is None else (0, REFITTED)
    first = initialization.rescale(_pca(vectors).astype(np.float64)) if start is None else start.astype(np.float64)
    heard = _ProgressCapture(early + iterations)
    fit = TSNE(
        n_jobs=threads,
        random_state=SEED,
        early_exaggeration_iter=early,
        early_exaggeration=EXAGGERATION,
        n_iter=iterations,
        initialization=first,
        callbacks=heard,
    )
    return np.asarray(fit.fit(affinities=of, initialization=first), np.float32)


def _missing(package: str, extra: str) -> UnavailableError:
    remedy = f"Install it: pip install 'conspectus[{extra}]'; or have the map made by `pca`, which is always there."
    return UnavailableError(f"The package '{package}', which projects, is missing.", remedy)


def _without_self(near: Ints) -> Ints:
    """The columns of neighbours that are not the text itself, which need not be the first of those that are equal."""
    is_self = near == np.arange(len(near))[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    return np.nonzero(~is_self)[1].reshape(len(near), -1)


class _ProgressCapture:
    """Tells how far t-SNE is; it can be ended there."""

    callbacks_every_iters = 50

    def __init__(self, total: int) -> None:
        self._done, self._total = 0, total

    def __call__(self, iteration: int, error: float, embedding: Any) -> bool:  # noqa: ARG002
        self._done += 50
        emit(Progress("projecting", self._done, self._total, "rounds"))
        return False


def neighbours(vectors: FloatArray, queries: FloatArray, k: int) -> tuple[FloatArray, Ints]:
    """Cosines and numbers of the k unit vectors most like each query, [queries, k], the most like first.

    All are compared: of 20,000 texts, looking into the likeliest cells (IVF) takes as long, and finds 0.77 of them.
    """
    index = cast(Any, faiss).IndexFlatIP(vectors.shape[1])
    index.add(np.ascontiguousarray(vectors, np.float32))
    cosines, near = index.search(np.ascontiguousarray(queries, np.float32), min(k, len(vectors)))
    return cosines, near


class NearestTexts:
    """Finds the texts that are the most like others.

    All are compared where few are asked of, else a graph of neighbours is followed (HNSW): 0.98 of the ten most like
    are found in a tenth of the time (1,000 of `arxiv_topics` among 4,500: 0.03 ms each; as float32 0.05, and as many).
    """

    def __init__(self, vectors: FloatArray, query_count: int) -> None:
        self._vectors = vectors
        self._graph: Any = None
        if query_count >= max(len(vectors), FOLLOWED):
            library, float_vectors = cast(Any, faiss), np.ascontiguousarray(vectors, np.float32)
            half = library.ScalarQuantizer.QT_fp16
            self._graph = library.IndexHNSWSQ(float_vectors.shape[1], half, LINKS, library.METRIC_INNER_PRODUCT)
            self._graph.hnsw.efSearch = LOOKED_AT
            threads = faiss.omp_get_max_threads()
            faiss.omp_set_num_threads(1)  # several would link as chance has it
            self._graph.train(float_vectors)
            self._graph.add(float_vectors)
            faiss.omp_set_num_threads(threads)

    def of(self, queries: FloatArray, k: int) -> Ints:
        """The numbers of the k most like each query, [queries, k], the most like first.

        Where the graph leads to fewer, the first is in for the others.
        """
        if self._graph is None:
            return neighbours(self._vectors, queries, k)[1]
        numbers: Ints = self._graph.search(np.ascontiguousarray(queries, np.float32), k)[1]
        return np.where(numbers < 0, numbers[:, :1], numbers)


def place_near(near: Ints, positions: FloatArray) -> tuple[FloatArray, Ints]:
    """Where new texts go, float32 [new, 2], and beside which text, by the numbers of those most like them, [new, k]."""
    spots = positions[near]
    apart = np.linalg.norm(spots[:, :, None] - spots[:, None], axis=-1)
    rows = np.arange(len(near))
    middle = apart.sum(axis=2).argmin(axis=1)
    to_middle = apart[rows, middle]
    to_middle[rows, middle] = np.inf
    second = to_middle.argmin(axis=1) if near.shape[1] > 1 else middle
    places = (1 - ASIDE) * spots[rows, middle] + ASIDE * spots[rows, second]
    return places.astype(np.float32), near[rows, middle]


def align_positions(positions: FloatArray, to: FloatArray, rows: Sequence[int] | Ints | None = None) -> FloatArray:
    """Positions turned, mirrored, scaled and shifted so that they lie as near to others as they can (Procrustes).

    `rows`: those by which it is found; None: all.
    """
    chosen = slice(None) if rows is None else rows
    here, there = positions[chosen].astype(np.float64), to[chosen].astype(np.float64)
    middle, goal = here.mean(axis=0), there.mean(axis=0)
    left, stretch, right = np.linalg.svd((here - middle).T @ (there - goal))
    spread = ((here - middle) ** 2).sum()
    scale = stretch.sum() / spread if spread > 0 else 1.0
    aligned_positions: FloatArray = (((positions - middle) @ (left @ right)) * scale + goal).astype(np.float32)
    return aligned_positions


def moved(before: FloatArray, after: FloatArray) -> float:
    """How far texts moved in the median, as a share of the map's width."""
    width = float(np.ptp(before, axis=0).max(initial=0)) or 1.0
    return float(np.median(np.linalg.norm(after - before, axis=1))) / width if len(before) else 0.0
