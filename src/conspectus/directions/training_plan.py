"""Train directions on many vectors: sizes by their number, which recur from another seed, and where to go on.

The second training leaves out a tenth of the texts, which its seed draws, looks at the others in another order, and
begins at anchors of its own.

Vectors are read batch by batch from a file that no name leads to, so that memory does not grow with the library, and
nothing of it is left behind.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import UsageError
from conspectus.core.job_context import emit
from conspectus.directions.autoencoder import (
    BATCH,
    Autoencoder,
    Ints,
    Moments,
    Trainer,
    batches,
    find_anchors,
    match_directions,
    pack_arrays,
    unpack_arrays,
)
from conspectus.records.events import Progress

FEWEST = 200
"""Texts, below which directions are chance."""
SMALLEST, LARGEST = 16, 4096
"""Directions: the state of a training of more would not go into one row of SQLite, which takes 1 GB."""
FOR_EACH = 12
"""Texts for each direction, at least, where a user says how many there are to be."""
SEEN, MOST_SEEN = 300_000, 1_500_000
"""Vectors that the training looks at, at least and at most; in between each is looked at `EPOCHS` times."""
EPOCHS = 40
AGAIN, LEFT_OUT = 0.5, 0.1
"""Which part of the steps the second seed has, and which part of the vectors it leaves out."""
ANCHORED = 20_000
"""Vectors, drawn evenly, by which anchors are found."""
CLEAR = 0.4
"""Part of a strong activation from which on a direction is clearly active. Each vector has its most active directions,
whether they fit or not: without this limit labels tell their texts from others with an AUC of .74 in place of .98."""
REPORTED = 50
"""Steps after which progress is reported."""
KEPT_EVERY = 500
"""Steps after which the training is kept, to go on from there."""
SAMPLED = 20_000
"""Vectors by which dead directions are found at the end."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """How directions are trained.

    Attributes:
        size: directions; `active` of them at most in a text.
        steps: of the first seed.
        seed: the first; the second is the next number.
    """

    size: int
    active: int
    steps: int
    seed: int = 0


def plan_training(texts: int, size: int = 0, seed: int = 0) -> TrainingPlan:
    """Sizes for so many texts: about 3.5 √texts directions, a power of two; `size`: as a user says.

    Raises:
        UsageError: there are too few texts, or too few for so many directions.
    """
    if texts < FEWEST:
        raise UsageError(
            f"The library has {texts:,} embedded texts, too few to find directions in.",
            f"At least {FEWEST} are needed; more papers make them clearer.",
        )
    most = min(LARGEST, texts // FOR_EACH)
    if size and not SMALLEST <= size <= most:
        raise UsageError(
            f"{size:,} directions cannot be found in {texts:,} texts.", f"Give a size from {SMALLEST} to {most:,}."
        )
    size = size or min(2 ** round(np.log2(3.5 * texts**0.5)), 1024, most)
    seen = min(max(SEEN, EPOCHS * texts), MOST_SEEN)
    return TrainingPlan(size, max(3, round(np.log2(size)) - 2), max(seen // min(BATCH, texts), 1), seed)


class VectorFile:
    """Unit vectors in a file without a name, as float16; `folder` is on the disk that has room. A context manager.

    Raises:
        UsageError: all vectors are the same.
    """

    def __init__(self, parts: Iterable[FloatArray], folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - open as long as this is
        try:
            self.moments = self._write(parts)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _write(self, parts: Iterable[FloatArray]) -> Moments:
        total, squares, self.count, self.dimensions = np.zeros(1), 0.0, 0, 1
        for part in parts:
            self._file.write(part.astype(np.float16).tobytes())
            total = total + part.sum(axis=0, dtype=np.float64)
            squares += float(np.square(part, dtype=np.float64).sum())
            self.count += len(part)
            self.dimensions = part.shape[1]
        self._file.flush()
        centre = total / max(self.count, 1)
        scale = max(squares / max(self.count, 1) - float(centre @ centre), 0.0) ** 0.5
        if self.count and scale < 1e-3:
            raise UsageError(
                "All vectors of the library are the same, so there are no directions in them.",
                "Set another embedder (`models.embedder`) and compute the vectors again: `library reindex`.",
            )
        return Moments(centre.astype(np.float32), scale)

    def read(self, rows: Ints) -> FloatArray:
        """The vectors of these rows, float32 [rows, dimensions]."""
        stored: Any = np.memmap(self._file, np.float16, "r", shape=(self.count, self.dimensions))
        return np.asarray(stored[rows], np.float32)


class Checkpoints(Protocol):
    """Where an unfinished training is kept."""

    def load(self) -> bytes | None:
        """What was kept last; None: nothing."""

    def save(self, state: bytes) -> None:
        """Keep where the training is."""


@dataclass(frozen=True, slots=True)
class TrainedDirections:
    """What a training made.

    Attributes:
        autoencoder: without directions that are never active.
        recurrence: the cosine of each with the likest of a second seed, float32 [directions].
        levels: from which on each is clearly active, float32 [directions].
        dead: how many were never active, and left out.
        unexplained: the share of the variance of held-back vectors that is not rebuilt.
    """

    autoencoder: Autoencoder
    recurrence: FloatArray
    levels: FloatArray
    dead: int
    unexplained: float


def train(vectors: VectorFile, plan: TrainingPlan, checkpoints: Checkpoints | None = None) -> TrainedDirections:
    """Train twice, from two seeds: the first makes the directions, the second tells which recur."""
    checkpoint = unpack_arrays(state) if checkpoints and (state := checkpoints.load()) else {}
    second_steps = max(round(AGAIN * plan.steps), 1)
    total = plan.steps + second_steps

    def save(first: Trainer, second: Trainer | None, done: int) -> None:
        emit(Progress("training directions", done, total, "steps"))
        if checkpoints and (done % KEPT_EVERY == 0 or done == plan.steps):
            states = {f"a_{name}": value for name, value in first.state().items()}
            states |= {f"b_{name}": value for name, value in second.state().items()} if second else {}
            checkpoints.save(pack_arrays(states))

    first = _start(vectors, np.arange(vectors.count), plan, checkpoint, "a_")
    _run(first, vectors, np.arange(vectors.count), plan, lambda done: save(first, None, done))
    other = replace(plan, steps=second_steps, seed=plan.seed + 1)
    order = np.random.default_rng((other.seed, 7)).permutation(vectors.count)
    rows = np.sort(order[: max(round((1 - LEFT_OUT) * vectors.count), plan.size)])
    second = _start(vectors, rows, other, checkpoint, "b_")
    _run(second, vectors, rows, other, lambda done: save(first, second, plan.steps + done))
    return _measure(vectors, first.make_autoencoder(), second.make_autoencoder(), plan.seed)


def _start(vectors: VectorFile, rows: Ints, plan: TrainingPlan, checkpoint: dict[str, Any], prefix: str) -> Trainer:
    """A training as it was kept, or at its beginning."""
    state = {name.removeprefix(prefix): value for name, value in checkpoint.items() if name.startswith(prefix)}
    if state and state["decoder"].shape == (plan.size, vectors.dimensions):
        trainer = Trainer(state["anchors"], vectors.moments, plan.active, plan.steps)
        trainer.resume(state)
        return trainer
    emit(Progress("finding where directions begin", 0, 1, "trainings"))
    drawn = np.random.default_rng((plan.seed, 1)).permutation(len(rows))[:ANCHORED]
    anchors = find_anchors(vectors.read(np.sort(rows[drawn])), vectors.moments.centre, plan.size, plan.seed)
    return Trainer(anchors, vectors.moments, plan.active, plan.steps)


def _run(trainer: Trainer, vectors: VectorFile, rows: Ints, plan: TrainingPlan, report: Callable[[int], None]) -> None:
    size = min(BATCH, len(rows))
    for number, batch in enumerate(batches(len(rows), size, plan.seed, plan.steps)):
        if number < trainer.done:
            continue
        trainer.step(vectors.read(rows[batch]))
        if trainer.done % REPORTED == 0 or trainer.done == plan.steps:
            report(trainer.done)


def _measure(vectors: VectorFile, autoencoder: Autoencoder, other: Autoencoder, seed: int) -> TrainedDirections:
    """Leave out dead directions, and compare the others with those of the second seed."""
    order = np.random.default_rng((seed, 2)).permutation(vectors.count)[:SAMPLED]
    sample = vectors.read(np.sort(order))
    numbers, values = autoencoder.encode(sample)
    alive = np.unique(numbers[values > 0])
    rebuilt = autoencoder.rebuild(sample)
    unexplained = float(np.square(sample - rebuilt).sum() / np.square(sample - autoencoder.centre).sum())
    live_autoencoder = Autoencoder(
        autoencoder.encoder[alive],
        autoencoder.bias[alive],
        autoencoder.decoder[alive],
        autoencoder.centre,
        autoencoder.active,
    )
    recurrence = match_directions(live_autoencoder.decoder, other.decoder)[1]
    levels = np.array([find_level(values[(numbers == number) & (values > 0)]) for number in alive], np.float32)
    return TrainedDirections(live_autoencoder, recurrence, levels, autoencoder.size - len(alive), unexplained)


def find_level(values: FloatArray) -> float:
    """`CLEAR` of a strong activation (the 95th percentile)."""
    return CLEAR * float(np.quantile(values, 0.95))
