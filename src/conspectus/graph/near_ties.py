"""Two passages that fit a question nearly alike, told apart by what they say of entities (Ta et al., Algorithm 1)."""

from __future__ import annotations

import numpy as np

from conspectus.core.arrays import FloatArray

THRESHOLD = 0.05
"""From this difference of their cosines on two passages are told apart by these."""
WEIGHTS = ((0.01, 0.10), (0.02, 0.15), (0.03, 0.20), (0.04, 0.25), (0.05, 0.30))
"""Up to a difference, the weight of the spans (Table I)."""


def span_weight(difference: float) -> float:
    """The weight of the spans at a difference of the passages' cosines: 0.1 to 0.3, and 0 above `THRESHOLD`."""
    return next((weight for most, weight in WEIGHTS if difference <= most), 0.0)


def told_apart(
    question: FloatArray, scores: tuple[float, float], spans: tuple[FloatArray, FloatArray]
) -> tuple[float, float]:
    """The scores of the two best passages, the first the better, of which neither gets less than it had.

    Args:
        question: its vector, of length 1, float32 [dimensions].
        scores: the cosines of the passages.
        spans: the vectors of each passage's entity-centred spans, of length 1, float32 [spans, dimensions].
    """
    difference = scores[0] - scores[1]
    if difference >= THRESHOLD:
        return scores
    weight = span_weight(difference)
    first, second = (
        max(score, score * (1 - weight) + float(np.max(rows @ question)) * weight) if len(rows) else score
        for score, rows in zip(scores, spans, strict=True)
    )
    return first, second
