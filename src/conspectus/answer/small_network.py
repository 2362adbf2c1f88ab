"""The small network that weighs sentences, orders quotes, and decides whether there is an answer."""

from __future__ import annotations

import msgspec
import numpy as np

from conspectus.core.arrays import FloatArray


class SmallNetwork(msgspec.Struct, frozen=True):
    """A network with one hidden layer of rectified units.

    Attributes:
        embedder: that it was made for; of others it says nothing.
        hidden: weights of the hidden units, [measures + 1][units]; the last row are their biases.
        output: weights of the output, [units + measures + 1]: of the units, of the measures themselves, and a bias.
    """

    embedder: str
    names: list[str]
    means: list[float]
    deviations: list[float]
    hidden: list[list[float]]
    output: list[float]

    def probabilities(self, measures: FloatArray) -> FloatArray:
        """Of rows of measures, [rows, measures], each from 0 to 1."""
        scaled = np.clip((measures - np.array(self.means)) / np.array(self.deviations), -4, 4)
        hidden = np.array(self.hidden)
        units = np.maximum(scaled @ hidden[:-1] + hidden[-1], 0)
        odds = np.column_stack([units, scaled, np.ones(len(scaled))]) @ np.array(self.output)
        return np.asarray(1 / (1 + np.exp(-np.clip(odds, -30, 30))), np.float32)
