"""Vectors of a collection of images: names, hits, near-duplicates and clusters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import faiss
import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import ModelMismatchError, NotFoundError, UsageError
from conspectus.images import sql as image_sql
from conspectus.records.images import ImageHit
from conspectus.search.picture_index import PictureIndex
from conspectus.session.session import Session

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


def find_duplicates(index: PictureIndex, hashes: Sequence[bytes]) -> list[Rows]:
    """Groups of rows that are near-duplicates of each other, or of one that both are; the largest first.

    Two are where their cosine is at least `SAME`, or at least `LIKELY` with at most `BITS` bits of their hashes
    different. All pairs are compared.
    """
    bits = (
        np.frombuffer(b"".join(hashes), np.uint64).reshape(len(hashes), -1) if hashes else np.empty((0, 2), np.uint64)
    )
    parent = np.arange(len(index))
    for rows, others in _pairs(index, bits):
        for first_row, second_row in zip(rows.tolist(), others.tolist(), strict=True):
            first, second = sorted((_root(parent, first_row), _root(parent, second_row)))
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
            left_rows, right_rows = np.nonzero(near & (rows[:, None] < others[None]))
            yield rows[left_rows], others[right_rows]


def _root(parent: Rows, row: int) -> int:
    while (above := int(parent[row])) != row:
        parent[row] = parent[above]
        row = above
    return row


def find_clusters(index: PictureIndex, k: int | None = None) -> tuple[list[tuple[Rows, FloatArray]], int]:
    """Each cluster's rows, the most typical first, and their cosines with its middle; the largest first; and k.

    Spherical k-means on unit vectors. Without `k` it is that of `KS` with the greatest mean simplified silhouette
    (Hruschka et al. 2004): (b - a) / max(a, b), with a the distance (1 - cosine) to the own middle and b to the
    nearest other, over at most 3,000 images.
    """
    sample = _sample(index)
    if len(sample) < 2:
        return ([(np.arange(len(index)), np.ones(len(index), np.float32))] if len(index) else []), len(index)
    tried = [k] if k else [count for count in KS if count < len(sample)] or [1]
    middles = max(
        (_middles(sample, min(count, len(sample))) for count in tried),
        key=lambda candidate: _silhouette(sample, candidate),
    )
    cosines = np.concatenate([unit(index, rows) @ middles.T for rows in _blocks(len(index))])
    nearest = cosines.argmax(axis=1)
    clusters = []
    for number in range(len(middles)):
        rows = np.flatnonzero(nearest == number)
        order = np.argsort(-cosines[rows, number], kind="stable")
        clusters.append((rows[order], cosines[rows[order], number]))
    groups = sorted(
        (cluster for cluster in clusters if len(cluster[0])), key=lambda cluster: (-len(cluster[0]), int(cluster[0][0]))
    )
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
    centroids: FloatArray = means.centroids
    return centroids


def _silhouette(sample: FloatArray, middles: FloatArray) -> float:
    if len(middles) < 2:
        return 0.0
    far = np.sort(1 - sample @ middles.T, axis=1)
    return float(np.mean((far[:, 1] - far[:, 0]) / np.maximum(far[:, 1], 1e-9)))


def unit(index: PictureIndex, rows: Rows) -> FloatArray:
    """The vectors of rows, of length 1 (those of zeros stay)."""
    vectors = index.vectors(rows)
    unit_vectors: FloatArray = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return unit_vectors


def _blocks(count: int) -> list[Rows]:
    return [np.arange(start, min(start + _BLOCK, count)) for start in range(0, count, _BLOCK)]


@dataclass(frozen=True, slots=True)
class CollectionVectors:
    """The vectors of a collection as they were at a change.

    Attributes:
        name: of the collection.
        change: of the catalog, and the encoder.
        index: vectors by the keys of their images.
        hashes: perceptual hashes, in the same order.
        note: which images are not among them.
    """

    name: str
    change: tuple[str, str]
    index: PictureIndex
    hashes: list[bytes]
    note: str

    def hits(self, session: Session, rows: npt.NDArray[np.int64], scores: FloatArray) -> tuple[ImageHit, ...]:
        """The images of these rows, with their scores."""
        return make_hits(session, zip(self.index.keys[rows].tolist(), scores.tolist(), strict=True))


def read_vectors(session: Session, collection: str = "") -> CollectionVectors:
    """The vectors of a collection as it is now; "": the only one.

    Raises:
        NotFoundError: there is no such collection.
        UsageError: there are several, and none is named.
        ModelMismatchError: no image of it has vectors of the encoder in the settings.
    """
    key, name = find_collection(session, collection)
    holder: dict[int, CollectionVectors] = session.parts.of(dict, "images")
    change = (image_sql.change(session.catalog), session.encoder.id)
    vectors = holder.get(key)
    if vectors is None or vectors.change != change:
        vectors = holder[key] = _load(session, key, name, change)
    return vectors


def _load(session: Session, key: int, name: str, change: tuple[str, str]) -> CollectionVectors:
    with session.catalog.snapshot() as now:
        counts = image_sql.encoders(now, key)
        keys, matrix, hashes = image_sql.vectors(now, key, session.encoder.id, session.encoder.dimensions)
    others = sum(counts.values()) - len(keys)
    remedy = "Add them again (`images add FILES…`) to make vectors with the encoder in the settings."
    if others and not keys:
        raise ModelMismatchError(
            f"The vectors of '{name}' are of {', '.join(counts)}, but models.encoder is {session.encoder.id}.",
            f"{remedy} Or set models.encoder back.",
        )
    note = f"{others} images have vectors of another encoder and are left out. {remedy}" if others else ""
    return CollectionVectors(name, change, PictureIndex(keys, matrix), hashes, note)


def make_hits(session: Session, scores: Iterable[tuple[int, float]]) -> tuple[ImageHit, ...]:
    """Images by their keys, each with its score, in this order."""
    by_key = dict(scores)
    images = image_sql.images_of(session.catalog, list(by_key))
    return tuple(ImageHit(rank, by_key[key], image) for rank, (key, image) in enumerate(images.items(), 1))


def find_collection(session: Session, name: str) -> tuple[int, str]:
    """The key and the name of a collection; "": the only one."""
    known = image_sql.names(session.catalog)
    key = image_sql.collection_key(session.catalog, name) if name else next(iter(known)) if len(known) == 1 else None
    if key in known and key is not None:
        return key, known[key]
    names = ", ".join(f"'{known_name}'" for known_name in known.values())
    if not known:
        raise NotFoundError("There is no collection of images yet.", "Make one: `images add FILES…`")
    if name:
        raise NotFoundError(f"There is no collection of images '{name}'.", f"There are: {names}.")
    raise UsageError("There are several collections of images.", f"Name one of them: {names}.")


def find_images(session: Session, name: str, collection: int | None = None) -> list[int]:
    """The keys of the images that a name means: an id, or the path of a file."""
    full_path = str(Path(name).absolute())
    keys = image_sql.find_keys(session.catalog, name, collection) or image_sql.find_keys(
        session.catalog, full_path, collection
    )
    if not keys:
        raise NotFoundError(
            f"There is no image '{name}' in the library.", "`images list` lists the collections and what is in them."
        )
    return keys
