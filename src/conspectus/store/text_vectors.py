"""Papers, or passages, as unit vectors: read batch by batch, in the order of the papers' keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import exists, func, select

from conspectus.core.arrays import FloatArray
from conspectus.records.atlas import Mapped
from conspectus.records.passage import digest_of_texts
from conspectus.store.catalog import Catalog
from conspectus.store.codec import unpack_vectors
from conspectus.store.connection import CatalogReader
from conspectus.store.rows import local_name
from conspectus.store.schema import SUMMARY, passages, vectors
from conspectus.store.vectors import dimensions, key_of

BATCH = 4096
"""Papers of which vectors are in memory at a time."""


@dataclass(frozen=True, slots=True)
class PassageVectors:
    """Passages of some papers, in reading order, with their vectors.

    Attributes:
        papers: each passage's paper, by its key.
        names: each passage's own name.
        texts: digests of what was embedded.
        vectors: float32 [passages, dimensions].
    """

    papers: list[int]
    names: list[str]
    texts: list[bytes]
    vectors: FloatArray


def papers_with_vectors(catalog: CatalogReader, model: str) -> npt.NDArray[np.int64]:
    """The keys of the papers of which a passage of their own has a vector of `model`, int64, ascending."""
    has = exists().where(vectors.c.passage_key == passages.c.key, vectors.c.model_key == key_of(model))
    query = select(passages.c.paper_key).where(passages.c.kind != SUMMARY, has).distinct()
    return catalog.numbers(query.order_by(passages.c.paper_key))


def count_vectors(catalog: CatalogReader, model: str) -> int:
    """How many passages of the papers' own have a vector of `model`."""
    query = select(func.count()).select_from(vectors.join(passages, vectors.c.passage_key == passages.c.key))
    return int(catalog.scalar(query.where(vectors.c.model_key == key_of(model), passages.c.kind != SUMMARY)))


def read_passage_vectors(catalog: CatalogReader, model: str, keys: Sequence[int]) -> PassageVectors:
    """The passages of papers, with their vectors; of `BATCH` papers or so."""
    columns: list[Any] = [passages.c.paper_key, passages.c.ordinal, passages.c.id, vectors.c.digest, vectors.c.vector]
    query = select(*columns).join(vectors, vectors.c.passage_key == passages.c.key)
    query = query.where(vectors.c.model_key == key_of(model), passages.c.kind != SUMMARY)
    rows: list[Any] = sorted(catalog.rows_where(query, passages.c.paper_key, keys), key=lambda row: (row[0], row[1]))
    length = dimensions(catalog, model)
    return PassageVectors(
        [row[0] for row in rows],
        [local_name(row[2]) for row in rows],
        [row[3] for row in rows],
        unpack_vectors([row[4] for row in rows], length),
    )


def slice_by_paper(keys: Sequence[int]) -> Iterator[tuple[int, slice]]:
    """Each paper of a column that has them together, with where its rows stand."""
    start = 0
    for key, group in groupby(keys):
        stop = start + sum(1 for _ in group)
        yield key, slice(start, stop)
        start = stop


Name = tuple[int, str]
"""A text: its paper's key, and its passage's own name; "" of a paper."""


@dataclass(frozen=True, slots=True)
class TextVectors:
    """Some texts: names, unit vectors [texts, dimensions], and of each paper what stands for what was embedded."""

    names: list[Name]
    vectors: FloatArray
    digests: Mapping[int, bytes]


def texts(catalog: Catalog, model: str, of: Mapped, keys: Sequence[int]) -> Iterator[TextVectors]:
    """The texts of papers that were embedded with `model`, in batches of papers, in the order of `keys`."""
    for start in range(0, len(keys), BATCH):
        batch = read_passage_vectors(catalog, model, keys[start : start + BATCH])
        stretches = dict(slice_by_paper(batch.papers))
        digests = {key: digest_of_texts(batch.texts[rows]) for key, rows in stretches.items()}
        if of == "passages":
            names = list(zip(batch.papers, batch.names, strict=True))
            yield TextVectors(names, _unit(batch.vectors), digests)
        else:
            first = [rows.start for rows in stretches.values()]
            # sums serve as means do: they are made as long as one another
            sums = np.add.reduceat(batch.vectors, first) if first else batch.vectors
            yield TextVectors([(key, "") for key in stretches], _unit(sums), digests)


def sample_texts(catalog: Catalog, model: str, of: Mapped, keys: Sequence[int], most: int, seed: int) -> TextVectors:
    """At most about `most` of them, drawn evenly; the same for the same library.

    Vectors of papers are read of those that are drawn, of passages all, batch by batch.
    """
    total = count_vectors(catalog, model) if of == "passages" else len(keys)
    share, chance = min(1.0, most / max(total, 1)), np.random.default_rng(seed)
    drawn: list[TextVectors] = []
    if of == "papers":
        keys = [keys[row] for row in np.flatnonzero(chance.random(len(keys)) < share).tolist()]
    for batch in texts(catalog, model, of, keys):
        rows = (
            np.flatnonzero(chance.random(len(batch.names)) < share) if of == "passages" else np.arange(len(batch.names))
        )
        drawn.append(TextVectors([batch.names[row] for row in rows], batch.vectors[rows], {}))
    names = [name for batch in drawn for name in batch.names]
    return TextVectors(
        names, np.concatenate([batch.vectors for batch in drawn]) if drawn else np.empty((0, 1), np.float32), {}
    )


def _unit(vectors: FloatArray) -> FloatArray:
    unit_vectors: FloatArray = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return unit_vectors
