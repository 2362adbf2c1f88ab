"""Steer a search: turn its vector towards directions, or away from them, but not far from its question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import UsageError
from conspectus.directions.explain import embed_subject
from conspectus.directions.stored_directions import LoadedDirections, check_embedder, load_directions
from conspectus.directions.training_plan import CLEAR
from conspectus.records.atlas import Mapped
from conspectus.records.directions import describe_certainty
from conspectus.session.session import Session

LEAST = 0.9
"""The least cosine of the vector that is searched for with the question's own."""
CALLED = 0.7
"""What the words that a direction is called count, next to 1 for the direction."""
MOST = 10
"""Directions of one search."""
WEIGHTS = "Weights are numbers above 0 and up to 1: `lensing:0.5` goes half as far as `lensing`."


@dataclass(frozen=True, slots=True)
class Wish:
    """More of a direction, or less (`weight` below 0); 1: as far as the question allows.

    `words`: what it was called; "" of one without a name.
    """

    number: int
    weight: float
    words: str


@dataclass(frozen=True, slots=True)
class Steering:
    """Turns vectors towards directions, or away from them.

    Attributes:
        directions: towards which, of length 1, float32 [wishes, dimensions].
        weights: of each wish; below 0: away from it.
        wishes: which these are, for the user.
        lifts: how much papers have of what is wished for and lack of what is not, 0 to 1, by the keys of those in which
            any of it is active; of all others `unlifted`.
    """

    directions: FloatArray
    weights: FloatArray
    wishes: str
    lifts: Mapping[int, float] = field(default_factory=dict)
    unlifted: float = 0.0

    def turn(self, vector: FloatArray) -> FloatArray:
        """A unit vector turned by the largest weight times the angle whose cosine is `LEAST`."""
        aim = self.weights @ self.directions
        aim = aim - (aim @ vector) * vector
        length = float(np.linalg.norm(aim))
        if length < 1e-6:
            return vector
        angle = float(np.abs(self.weights).max()) * float(np.arccos(LEAST))
        turned_vector = np.cos(angle) * vector + np.sin(angle) * aim / length
        return np.asarray(turned_vector / np.linalg.norm(turned_vector), np.float32)

    @property
    def cosine(self) -> float:
        """Of what is searched for with the question."""
        return float(np.cos(float(np.abs(self.weights).max()) * float(np.arccos(LEAST))))

    @property
    def about(self) -> str:
        """What it does, for the user."""
        return f"Steered: {self.wishes}; cosine with the question {self.cosine:.3f}."


def make_steering(session: Session, more: Sequence[str], less: Sequence[str], of: Mapped = "papers") -> Steering | None:
    """What steers a search towards some directions and away from others; None: nothing was asked for.

    Raises:
        NotFoundError: the library has no directions, or none of these.
        UsageError: a weight that is out of bounds, the same direction twice, or too many.
    """
    if not more and not less:
        return None
    if len(more) + len(less) > MOST:
        raise UsageError(f"{len(more) + len(less)} directions are too many for one search.", f"Give at most {MOST}.")
    direction_set = load_directions(session, of)
    check_embedder(session, direction_set)
    wishes = [read_wish(direction_set, text, sign) for texts, sign in ((more, 1), (less, -1)) for text in texts]
    numbers = [wish.number for wish in wishes]
    if twice := [number for number in numbers if numbers.count(number) > 1]:
        label = direction_set.directions[twice[0]].label
        raise UsageError(f"The direction '{label}' is asked for twice.", "Ask for more of it, or for less.")
    directions = [direction_set.directions[wish.number] for wish in wishes]
    summary = ", ".join(
        f"{'more' if wish.weight > 0 else 'less'} of '{direction.label}' "
        f"({', '.join(filter(None, (f'{abs(wish.weight):g}', describe_certainty(direction))))})"
        for wish, direction in zip(wishes, directions, strict=True)
    )
    aims = [
        aim_at(direction, embed_subject(session, wish.words)) if wish.words else direction
        for wish, direction in zip(wishes, direction_set.autoencoder.decoder[numbers], strict=True)
    ]
    weights = np.array([wish.weight for wish in wishes], np.float32)
    return Steering(np.array(aims), weights, summary, *_find_lifts(direction_set, wishes))


def _find_lifts(direction_set: LoadedDirections, wishes: Sequence[Wish]) -> tuple[dict[int, float], float]:
    """See `Steering`: a paper has all of a direction if it is as active as in the strongest twentieth."""
    codes, weights = direction_set.codes, [wish.weight for wish in wishes]
    share = max(map(abs, weights)) / sum(map(abs, weights))
    unlifted = share * -sum(weight for weight in weights if weight < 0)
    lifts: dict[int, float] = {}
    for wish in wishes:
        rows, places = np.nonzero(codes.numbers == wish.number)
        keys, owner = np.unique(codes.papers[rows], return_inverse=True)
        active = np.zeros(len(keys))
        most = max(float(codes.levels[wish.number]) / CLEAR, 1e-9)
        np.maximum.at(active, owner, np.minimum(codes.values[rows, places].astype(float) / most, 1))
        for key, lift in zip(keys.tolist(), (share * wish.weight * active).tolist(), strict=True):
            lifts[key] = lifts.get(key, unlifted) + lift
    return lifts, unlifted


def aim_at(direction: FloatArray, subject: FloatArray) -> FloatArray:
    """Between a direction and what it is called, which loses less of the question than the direction alone."""
    both = direction + CALLED * subject
    return np.asarray(both / max(float(np.linalg.norm(both)), 1e-9), np.float32)


def read_wish(direction_set: LoadedDirections, text: str, sign: int) -> Wish:
    """What `NAME` or `NAME:WEIGHT` asks for; without a weight it is 1."""
    name, colon, weight = text.rpartition(":")
    value = 1.0
    if colon:
        try:
            value = float(weight)
        except ValueError:
            name = text
    else:
        name = text
    if not 0 < value <= 1:
        raise UsageError(f"'{text}' has the weight {value:g}.", WEIGHTS)
    number = direction_set.number_of(name)
    direction = direction_set.directions[number]
    is_called = name.strip() not in {str(direction.id), direction.label}
    called = name if is_called else direction.label if direction.is_named else ""
    return Wish(number, sign * value, called)
