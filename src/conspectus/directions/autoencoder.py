"""A top-k sparse autoencoder of unit vectors: each is rebuilt from the few directions that are most active in it.

A vector x has the activations `f = TopK(ReLU(W (x - c) + b))` and is rebuilt as `c + f D`, where the rows of D, the
directions, have length 1 (Gao et al. 2024, "Scaling and evaluating sparse autoencoders"; for embeddings of papers
O'Neill et al. 2024). It is trained to rebuild by k directions and by 4 k (Gao's Multi-TopK): the first mean something,
the others help to rebuild. Directions that were not active lately learn what the others leave (their AuxK); those that
stay dead begin again at the vectors that are rebuilt worst. `c` is the mean, and W begins as D. Directions begin at
anchors, where texts are dense, and keep a cosine of `NEAR_ANCHOR` with them (archetypes, Fel et al. 2025): free ones
are hardly found again from another seed. The optimiser is Adam, its rate falls linearly.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray

Ints = npt.NDArray[np.int64]
BATCH = 1024
"""Vectors of a step of training."""
MORE = 4
"""So many times as many directions rebuild a vector as mean something in it."""
NEAR_ANCHOR = 0.95
"""Least cosine of a direction with its anchor."""
RATE, LAST = 3e-3, 0.05
"""Adam's learning rate at the beginning, and which part of it is left at the end."""
WARM_UP = 20
"""Steps in which the learning rate rises."""
DECAYS = (0.9, 0.999)
AUXILIARY = 1 / 32
"""What the auxiliary loss counts."""
DEAD = 20
"""Steps without being active, after which a direction counts as dead."""
RESTARTS = 6
"""Times, in the first two thirds of the training, at which dead directions begin again."""
AT_ONCE = 4096
"""Vectors encoded at a time."""
PEAKED, NEIGHBOURS, ROUNDS = 8000, 15, 15
"""Vectors among which dense neighbourhoods are looked for, those of one, and rounds of k-means."""
APART = tuple(np.arange(0.3, 0.99, 0.03).tolist())
"""Cosines above which the middles of two neighbourhoods are too near, tried in this order."""
REBUILT = 256
"""Vectors rebuilt at a time."""
_EPSILON, _RIDGE = 1e-8, 1e-3
_ARRAYS = frozenset(("encoder", "bias", "decoder", "centre", "active"))


@dataclass(frozen=True, slots=True)
class Autoencoder:
    """A trained autoencoder.

    Attributes:
        encoder: float32 [directions, dimensions].
        bias: of the encoder, float32 [directions].
        decoder: the directions, of length 1: float32 [directions, dimensions].
        centre: what all vectors share, float32 [dimensions].
        active: at most so many directions are active in a vector.
    """

    encoder: FloatArray
    bias: FloatArray
    decoder: FloatArray
    centre: FloatArray
    active: int

    @property
    def size(self) -> int:
        """How many directions there are."""
        return len(self.decoder)

    def encode(self, vectors: FloatArray, count: int = 0) -> tuple[Ints, FloatArray]:
        """The `count` (0: `active`) most active directions of each vector, and how active they are, strongest first.

        Returns int64 and float32 [vectors, count]; where fewer are active, the others have 0. Those behind the
        first `active` count as near misses.
        """
        count = min(count or self.active, self.size)
        numbers = np.empty((len(vectors), count), np.int64)
        values = np.empty((len(vectors), count), np.float32)
        for start in range(0, len(vectors), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            activations = (vectors[rows] - self.centre) @ self.encoder.T + self.bias
            best = np.argpartition(-activations, count - 1, axis=1)[:, :count]
            order = np.argsort(-np.take_along_axis(activations, best, axis=1), axis=1, kind="stable")
            numbers[rows] = np.take_along_axis(best, order, axis=1)
            values[rows] = np.maximum(np.take_along_axis(activations, numbers[rows], axis=1), 0)
        return numbers, values

    def rebuild(self, vectors: FloatArray, count: int = 0) -> FloatArray:
        """The vectors as their `count` most active directions make them best (0: all that it is trained to rebuild by).

        How much of each is found by least squares. Returns float32 [vectors, dimensions], not of unit length.
        """
        count = min(count or MORE * self.active, self.size)
        rebuilt_vectors = np.empty_like(vectors)
        for start in range(0, len(vectors), REBUILT):
            rows = slice(start, start + REBUILT)
            directions = self.decoder[self.encode(vectors[rows], count)[0]]
            products = directions @ directions.transpose(0, 2, 1)
            products[:, np.arange(count), np.arange(count)] += _RIDGE
            shares = np.linalg.solve(products, directions @ (vectors[rows] - self.centre)[:, :, None])
            rebuilt_vectors[rows] = self.centre + (directions * shares).sum(axis=1)
        return rebuilt_vectors

    def to_bytes(self) -> bytes:
        """The weights; `from_bytes` reads them."""
        return pack_arrays(
            {
                "encoder": self.encoder,
                "bias": self.bias,
                "decoder": self.decoder,
                "centre": self.centre,
                "active": np.array(self.active),
            }
        )

    @classmethod
    def from_bytes(cls, raw: bytes) -> Autoencoder:
        """The inverse of `to_bytes`.

        Raises:
            ValueError: these are no such weights.
        """
        arrays = unpack_arrays(raw)
        if _ARRAYS - arrays.keys() or arrays["encoder"].shape != arrays["decoder"].shape:
            raise ValueError("no weights of directions")
        return cls(arrays["encoder"], arrays["bias"], arrays["decoder"], arrays["centre"], int(arrays["active"]))


def pack_arrays(arrays: dict[str, Any]) -> bytes:
    """Arrays by their names, as an `.npz` file has them."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def unpack_arrays(raw: bytes) -> dict[str, Any]:
    """The inverse of `pack_arrays`.

    Raises:
        ValueError: these are no arrays.
    """
    try:
        with np.load(io.BytesIO(raw), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, EOFError, KeyError) as error:
        raise ValueError(f"no arrays ({error})") from error


@dataclass(frozen=True, slots=True)
class Moments:
    """The mean and the scale of vectors: they are trained on as `(x - centre) / scale`."""

    centre: FloatArray
    scale: float


class Trainer:
    """Trains an autoencoder step by step; the same seed and batches make the same one.

    Args:
        anchors: where directions begin, float32 [directions, dimensions], of length 1.
        moments: of the vectors.
        active: directions that are active in a vector, at most.
        steps: of the whole training.
    """

    def __init__(self, anchors: FloatArray, moments: Moments, active: int, steps: int) -> None:
        self.moments, self.active, self.steps, self.done = moments, active, steps, 0
        self.anchors = anchors
        self.weights = {
            "encoder": anchors.copy(),
            "bias": np.zeros(len(anchors), np.float32),
            "decoder": anchors.copy(),
        }
        self._first = {name: np.zeros_like(weights) for name, weights in self.weights.items()}
        self._second = {name: np.zeros_like(weights) for name, weights in self.weights.items()}
        self.idle = np.zeros(len(anchors), np.int64)
        """Steps since each direction was active."""
        self._gap = max(steps * 2 // 3 // RESTARTS, DEAD)

    def step(self, vectors: FloatArray) -> float:
        """Learn from a batch; returns the share of its variance that was not rebuilt."""
        batch = (vectors - self.moments.centre) / self.moments.scale
        activations = batch @ self.weights["encoder"].T + self.weights["bias"]
        every = _top(activations, min(MORE * self.active, activations.shape[1]))
        gradients, error = self._slopes(batch, every)
        clear = _top(every, self.active)
        for name, slope in self._slopes(batch, clear)[0].items():
            gradients[name] += slope
        self.idle = np.where((clear > 0).any(axis=0), 0, self.idle + 1)
        self._add_auxiliary(gradients, batch, activations, error)
        self._descend(gradients)
        worst = np.square(error).sum(axis=1)
        if self.done % self._gap == 0 and self.done <= self.steps * 2 // 3:
            self._restart(batch, worst)
        return float(worst.mean()) / max(float(np.square(batch).sum(axis=1).mean()), _EPSILON)

    def _slopes(self, batch: FloatArray, codes: FloatArray) -> tuple[dict[str, Any], FloatArray]:
        """The gradients of the error with which codes rebuild a batch, and that error."""
        decoder = self.weights["decoder"]
        error = codes @ decoder - batch
        share = 2 / len(batch)
        slope = (error @ decoder.T) * share
        slope[codes <= 0] = 0
        return {"decoder": (codes.T @ error) * share, "encoder": slope.T @ batch, "bias": slope.sum(axis=0)}, error

    def _add_auxiliary(
        self, gradients: dict[str, Any], batch: FloatArray, activations: FloatArray, error: FloatArray
    ) -> None:
        """Have dead directions learn what the others leave."""
        dead = np.flatnonzero(self.idle >= DEAD)
        if not len(dead):
            return
        decoder = self.weights["decoder"][dead]
        codes = _top(activations[:, dead], min(len(dead), 2 * self.active))
        rest = codes @ decoder + error
        share = 2 * AUXILIARY / max(float(np.square(error).sum()), _EPSILON)
        slope = (rest @ decoder.T) * share
        slope[codes <= 0] = 0
        gradients["decoder"][dead] += (codes.T @ rest) * share
        gradients["encoder"][dead] += slope.T @ batch
        gradients["bias"][dead] += slope.sum(axis=0)

    def _descend(self, gradients: dict[str, Any]) -> None:
        """A step of Adam; directions keep their length."""
        decoder = self.weights["decoder"]
        along = np.einsum("ij,ij->i", gradients["decoder"], decoder)
        gradients["decoder"] -= along[:, None] * decoder
        self.done += 1
        rate = RATE * min(1.0, self.done / WARM_UP) * max(1 - self.done / self.steps, LAST)
        first, second = (1 - decay**self.done for decay in DECAYS)
        for name, gradient in gradients.items():
            self._first[name] += (1 - DECAYS[0]) * (gradient - self._first[name])
            self._second[name] += (1 - DECAYS[1]) * (gradient * gradient - self._second[name])
            root = np.sqrt(self._second[name] / second) + _EPSILON
            self.weights[name] -= (rate / first) * self._first[name] / root
        self.weights["decoder"] = _near(_unit(decoder), self.anchors)

    def _restart(self, batch: FloatArray, worst: FloatArray) -> None:
        """Let dead directions begin again at the vectors that are rebuilt worst."""
        dead = np.flatnonzero(self.idle >= DEAD)[: len(batch)]
        if not len(dead):
            return
        start = _unit(batch[np.argsort(-worst, kind="stable")[: len(dead)]])
        self.weights["decoder"][dead], self.weights["bias"][dead] = start, 0
        self.weights["encoder"][dead] = self.anchors[dead] = start
        for moments in (self._first, self._second):
            for moment in moments.values():
                moment[dead] = 0
        self.idle[dead] = 0

    def make_autoencoder(self) -> Autoencoder:
        """What is trained so far, for vectors as they are."""
        encoder, bias, decoder = (self.weights[name] for name in ("encoder", "bias", "decoder"))
        return Autoencoder(
            encoder.copy(), bias * np.float32(self.moments.scale), decoder.copy(), self.moments.centre, self.active
        )

    def state(self) -> dict[str, Any]:
        """All that it takes to go on from here."""
        first = {f"first_{name}": moment for name, moment in self._first.items()}
        second = {f"second_{name}": moment for name, moment in self._second.items()}
        others = {"anchors": self.anchors, "idle": self.idle, "done": np.array(self.done)}
        return {**self.weights, **first, **second, **others}

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from a `state`."""
        for name in self.weights:
            self.weights[name] = state[name]
            self._first[name], self._second[name] = state[f"first_{name}"], state[f"second_{name}"]
        self.anchors, self.idle, self.done = state["anchors"], state["idle"], int(state["done"])


def _top(activations: FloatArray, count: int) -> FloatArray:
    """The `count` largest of each row that are above 0; the others are 0."""
    size = activations.shape[1]
    codes = np.maximum(activations, 0)
    if count < size:
        least = np.partition(activations, size - count, axis=1)[:, size - count, None]
        codes[activations < least] = 0
    return codes


def _near(directions: FloatArray, anchors: FloatArray) -> FloatArray:
    """Directions, those that are too far from their anchors turned back as far as they may go."""
    cosines = np.einsum("ij,ij->i", directions, anchors)
    far = np.flatnonzero(cosines < NEAR_ANCHOR)
    across = _unit(directions[far] - cosines[far, None] * anchors[far])
    directions[far] = NEAR_ANCHOR * anchors[far] + (1 - NEAR_ANCHOR**2) ** 0.5 * across
    return directions


def _unit(rows: FloatArray) -> FloatArray:
    unit_rows: FloatArray = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _EPSILON)
    return unit_rows


def batches(count: int, size: int, seed: int, steps: int) -> Iterator[Ints]:
    """The rows of each step's batch: all rows in a new order each time, ascending within a batch."""
    drawn: Ints = np.empty(0, np.int64)
    number = 0
    for _ in range(steps):
        while len(drawn) < size:
            order = np.random.default_rng((seed, number)).permutation(count)
            drawn, number = np.concatenate([drawn, order]), number + 1
        yield np.sort(drawn[:size])
        drawn = drawn[size:]


def match_directions(decoder: FloatArray, other: FloatArray) -> tuple[Ints, FloatArray]:
    """Of each direction the likest of another autoencoder, and their cosine: int64 and float32 [directions]."""
    cosines = decoder @ other.T
    best = cosines.argmax(axis=1)
    return best, np.take_along_axis(cosines, best[:, None], axis=1)[:, 0]


def find_anchors(vectors: FloatArray, centre: FloatArray, size: int, seed: int) -> FloatArray:
    """Where directions begin, float32 [size, dimensions], of length 1: k-means of the vectors, as angles.

    It begins at the densest vectors that are far enough from one another, so that it hardly depends on chance.
    """
    unit_vectors = _unit(vectors - centre)
    anchors = _find_peaks(unit_vectors[np.random.default_rng((seed, 6)).permutation(len(unit_vectors))[:PEAKED]], size)
    for _ in range(ROUNDS):
        nearest = (unit_vectors @ anchors.T).argmax(axis=1)
        sums = np.zeros_like(anchors)
        np.add.at(sums, nearest, unit_vectors)
        anchors = np.where(sums.any(axis=1, keepdims=True), _unit(sums), anchors)
    return anchors


def _find_peaks(rows: FloatArray, size: int) -> FloatArray:
    """The middles of the densest neighbourhoods: as many as asked for, as far from each other as so many can be."""
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, 0)
    count = min(NEIGHBOURS, len(rows) - 1)
    near = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
    order = np.argsort(-np.take_along_axis(cosines, near, axis=1).mean(axis=1), kind="stable")
    chosen: list[int] = []
    for apart in APART:
        chosen, free = [], np.ones(len(rows), np.bool_)
        for row in order.tolist():
            if free[row]:
                chosen.append(row)
                free &= cosines[row] < apart
                if len(chosen) == size:
                    break
        if len(chosen) == size:
            break
    taken = set(chosen)
    chosen += [row for row in order.tolist() if row not in taken][: size - len(chosen)]
    return _unit(rows[near[chosen]].sum(axis=1) + rows[chosen])
