"""What a picture is (plot, micrograph, diagram, map, photograph, table), by a linear model over its vector.

The weights are in `kinds.json` beside this module; `benchmarks/picture_kinds.py` makes them and measures them on
pictures of other origins.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import get_args

import msgspec
import numpy as np
import numpy.typing as npt

from conspectus.models.efficientnet import last_roots
from conspectus.records import PictureKind

LEAST = 0.5
"""The probability below which a kind is not to be believed: a picture is then unclassified.

Of 314 pictures of origins that the model never saw, 58 % reach it, and of these the kind of 83.5 % is right.
"""
KINDS: tuple[PictureKind, ...] = get_args(PictureKind)
Floats = npt.NDArray[np.floating]


class Model(msgspec.Struct, frozen=True):
    """Log odds of kinds: `intercepts` and the products of `weights` with the `last_roots` of a vector.

    Attributes:
        encoder: the id of the encoder whose vectors it knows.
        unit: what a whole number in `weights` stands for.
        intercepts: one a kind, in the order of `KINDS`.
        weights: a row a kind, a whole number for each of the last layer.
    """

    encoder: str
    unit: float
    intercepts: tuple[float, ...]
    weights: tuple[tuple[int, ...], ...]

    def probabilities(self, vectors: Floats) -> npt.NDArray[np.float64]:
        """Of each vector, that it is of each kind: float64 [n, kinds]; a row adds up to 1."""
        odds = last_roots(vectors) @ (self.unit * np.array(self.weights, np.float64)).T + np.array(self.intercepts)
        raised = np.exp(odds - odds.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))


@lru_cache(maxsize=1)
def model() -> Model:
    """The one that comes with the program."""
    return msgspec.json.decode(files("conspectus.figures").joinpath("kinds.json").read_bytes(), type=Model)


def kinds_of(vectors: Floats, encoder_id: str) -> list[tuple[PictureKind, float]] | None:
    """Of each picture the most probable kind with its probability; None where nothing is known of such vectors.

    Below `LEAST` the kind is not to be believed.

    Args:
        vectors: raw ones of the encoder, float32 [n, dimensions].
        encoder_id: `Encoder.id`.
    """
    made = model()
    if encoder_id != made.encoder:
        return None
    if not len(vectors):
        return []
    found = made.probabilities(vectors)
    return [(KINDS[best], float(row[best])) for row, best in zip(found, found.argmax(axis=1).tolist(), strict=True)]
