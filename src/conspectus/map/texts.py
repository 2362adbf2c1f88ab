"""What is mapped: papers, each by the mean of its passages' vectors, or passages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.map import sql as kept
from conspectus.records.atlas import Mapped
from conspectus.records.passage import digest_of_texts
from conspectus.store.catalog import Catalog

Ints = npt.NDArray[np.int64]
Name = tuple[int, str]
"""A text: its paper's key, and its passage's own name; "" of a paper."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Some texts: names, unit vectors [texts, dimensions], and of each paper what stands for what was embedded."""

    names: list[Name]
    vectors: FloatArray
    digests: Mapping[int, bytes]


def texts(catalog: Catalog, model: str, of: Mapped, keys: Sequence[int]) -> Iterator[Texts]:
    """The texts of papers that were embedded with `model`, in batches of papers, in the order of `keys`."""
    for start in range(0, len(keys), kept.BATCH):
        found = kept.read_passage_vectors(catalog, model, keys[start : start + kept.BATCH])
        stretches = dict(kept.slice_by_paper(found.papers))
        digests = {key: digest_of_texts(found.texts[rows]) for key, rows in stretches.items()}
        if of == "passages":
            names = list(zip(found.papers, found.names, strict=True))
            yield Texts(names, _unit(found.vectors), digests)
        else:
            first = [rows.start for rows in stretches.values()]
            # sums serve as means do: they are made as long as one another
            made = np.add.reduceat(found.vectors, first) if first else found.vectors
            yield Texts([(key, "") for key in stretches], _unit(made), digests)


def sampled(catalog: Catalog, model: str, of: Mapped, keys: Sequence[int], most: int, seed: int) -> Texts:
    """At most about `most` of them, drawn evenly; the same for the same library.

    Vectors of papers are read of those that are drawn, of passages all, batch by batch.
    """
    total = kept.count_vectors(catalog, model) if of == "passages" else len(keys)
    share, chance = min(1.0, most / max(total, 1)), np.random.default_rng(seed)
    drawn: list[Texts] = []
    if of == "papers":
        keys = [keys[row] for row in np.flatnonzero(chance.random(len(keys)) < share).tolist()]
    for one in texts(catalog, model, of, keys):
        rows = np.flatnonzero(chance.random(len(one.names)) < share) if of == "passages" else np.arange(len(one.names))
        drawn.append(Texts([one.names[row] for row in rows], one.vectors[rows], {}))
    names = [name for one in drawn for name in one.names]
    return Texts(names, np.concatenate([one.vectors for one in drawn]) if drawn else np.empty((0, 1), np.float32), {})


def _unit(vectors: FloatArray) -> FloatArray:
    made: FloatArray = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return made
