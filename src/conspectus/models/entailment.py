"""Models of entailment in a folder: does a statement follow from a text? An ONNX graph, as those of rerankers.

The usual shapes: three kinds (MNLI), or two, with `entailment` in the names that config.json gives them; two without
such names, the second of which means support (MiniCheck); one number (HHEM), the logit of support.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from conspectus.models.pairs import PairModel, read_json, whole

_ENTAILS = ("entail", "support", "consistent")
_NOT = ("not", "non", "un", "in")
_CONTRADICTS = ("contradict", "refut")


@dataclass(frozen=True, slots=True)
class Entailed:
    """How probable it is that a text supports a statement, and that it contradicts it (0 where no kind says so)."""

    support: float
    contradiction: float = 0.0


class OnnxEntailment(PairModel):
    """See the module, and `PairModel`."""

    noun = "judge"

    def try_out(self) -> None:
        """Read one pair: what is wrong with the folder is told before anything else is paid for. Raises as `of`."""
        self.of("A test.", "A test.")

    def of(self, text: str, statement: str) -> Entailed:
        """Whether `text` supports `statement`.

        A long text is read in windows at its words, half over each other: the one that supports most decides, and of a
        contradiction the one that contradicts most.

        Raises:
            ModelDamagedError: the graph cannot be run, or is none of entailment.
        """
        encoder = self._encoder
        claim = encoder.fitting(whole(statement))
        found = [self._read(encoder.numbers(part, claim)) for part in self._windows(whole(text), claim)]
        return Entailed(max(one.support for one in found), max(one.contradiction for one in found))

    def _windows(self, text: str, claim: str) -> list[str]:
        encoder = self._encoder
        room = encoder.limit - encoder.length(claim) - _SPECIAL
        if encoder.length(text) <= room:
            return [text]
        words = [word[at : at + room] for word in text.split() for at in range(0, len(word), room)]
        many = max(1, len(words) * room // (encoder.length(text) + 1))
        while many > 1 and any(encoder.length(part) > room for part in _cut(words, many)):
            many = many * 4 // 5
        return _cut(words, many)

    def _read(self, values: npt.NDArray[np.float64]) -> Entailed:
        if not len(values) or not np.isfinite(values).all():
            raise self._damaged(f"gives {values.tolist()} for a pair")
        entails, contradicts = self._places(len(values))
        if len(values) == 1:
            support = float(values[0]) if self._are_probabilities else 1 / (1 + np.exp(-np.clip(values[0], -500, 500)))
            return Entailed(float(support))
        shares = values if self._are_probabilities else np.exp(values - values.max())
        shares = shares / shares.sum()
        return Entailed(float(shares[entails]), float(shares[contradicts]) if contradicts is not None else 0.0)

    def _places(self, count: int) -> tuple[int, int | None]:
        """Which number means support, and which contradiction.

        Raises:
            ModelDamagedError: config.json does not say it, and the shape does not either.
        """
        if count == 1:
            return 0, None
        labels = self._labels
        named = [n for n, label in labels.items() if _means_support(label) and n < count]
        against = next((n for n, label in labels.items() if any(w in label for w in _CONTRADICTS) and n < count), None)
        if len(named) == 1:
            return named[0], against
        if count == 2 and not named:
            return 1, None
        raise self._damaged(f"gives {count} numbers, and id2label in config.json does not name entailment")

    @cached_property
    def _labels(self) -> Mapping[int, str]:
        said: Any = read_json(self._files.config, self.noun).get("id2label")
        if not isinstance(said, dict):
            return {}
        return {int(key): str(label).lower() for key, label in said.items() if str(key).isdecimal()}

    @property
    def _are_probabilities(self) -> bool:
        return "prob" in self._encoder.output.lower()


_SPECIAL = 4
"""Tokens that join two texts, at most."""


def _means_support(label: str) -> bool:
    """`entailment`, `supported`; not `not_entailment`, `unsupported`, `inconsistent`."""
    plain = label.replace("-", "_")
    for word in _ENTAILS:
        before, found, _ = plain.partition(word)
        if found and not before.rstrip("_").endswith(_NOT):
            return True
    return False


def _cut(words: list[str], many: int) -> list[str]:
    step = max(1, many // 2)
    last = max(len(words) - many, 0)
    starts = [*range(0, last, step), last]
    return [" ".join(words[start : start + many]) for start in starts]
