"""Expansion (F5): what is searched for is moved towards texts that an answer would resemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from conspectus.models.protocol import FloatArray
from conspectus.search.late import Asked
from conspectus.settings import SearchSettings


def combined(question: FloatArray, others: Sequence[FloatArray], share: float) -> FloatArray:
    """`(1 - share) question + share * mean of the others`, brought to length 1: float32 [dimensions].

    With a share of n / (n + 1) that is the mean of all, as HyDE has it (Gao et al. 2022, eq. 8); with passages found
    first it is Rocchio's feedback without what is not relevant (1971).

    Args:
        question: of length 1, as are the others.
        others: none: the question stays what it is.
        share: 0 (the question alone) to 1 (the others alone).
    """
    if not len(others):
        return question
    made = (1 - share) * question + share * np.mean(np.stack(list(others)), axis=0)
    length = float(np.linalg.norm(made))
    return np.asarray(made / length, np.float32) if length else question


def towards(asked: Asked, others: Sequence[FloatArray], share: float) -> Asked:
    """The question, with the vector that is searched for moved; its words are looked for as before."""
    return replace(asked, moved=combined(asked.vector, others, share)) if len(others) else asked


def how_many(settings: SearchSettings) -> int:
    """How many texts are written or passages taken: as set, else one abstract, three wordings or passages."""
    return settings.expansions or (1 if settings.expand == "hyde" else 3)
