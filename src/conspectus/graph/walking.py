"""Personalised PageRank over passages and the concepts that they speak of (as HippoRAG ranks passages)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
DAMPING = 0.5
"""The part of each step that goes on; the rest goes back to the concepts of the question."""
_STEPS = 100
_ENOUGH = 1e-9


@dataclass(frozen=True, slots=True)
class Walker:
    """Which passages speak of which concepts.

    Attributes:
        concepts: their keys, int64 [concepts].
        passages: ids, [passages].
        ends: of each edge the row of its passage and that of its concept, int64 [2, edges]; each pair once.
    """

    concepts: Ints
    passages: Sequence[tuple[int, str]]
    ends: Ints

    @classmethod
    def of(cls, rows: Iterable[tuple[int, str, int]]) -> Walker:
        """Of (paper's key, passage, concept's key), each as often as it likes."""
        known: dict[tuple[int, str], int] = {}
        ends = ((known.setdefault((paper, passage), len(known)), key) for paper, passage, key in rows)
        flat = np.fromiter(chain.from_iterable(ends), np.int64).reshape(-1, 2)
        pairs = np.unique(flat, axis=0)
        concepts, columns = np.unique(pairs[:, 1], return_inverse=True)
        return cls(concepts, list(known), np.stack((pairs[:, 0], columns.reshape(-1))))

    def ranked(self, seeds: dict[int, float]) -> npt.NDArray[np.float64]:
        """How often one who walks from concept to passage to concept is at each passage, float64 [passages].

        Args:
            seeds: concepts with their weights, where each walk begins; those that nobody speaks of do not count.
        """
        passages, concepts = self.ends
        start = np.zeros(len(self.concepts))
        for key, weight in seeds.items():
            start[self.concepts == key] = weight
        if not start.sum():
            return np.zeros(len(self.passages))
        start /= start.sum()
        per_concept = np.bincount(concepts, minlength=len(self.concepts))
        per_passage = np.bincount(passages, minlength=len(self.passages))
        here, found = start, np.zeros(len(self.passages), np.float64)
        for _ in range(_STEPS):
            found = np.bincount(passages, (here / per_concept)[concepts], len(self.passages)).astype(np.float64)
            back = np.bincount(concepts, (found / per_passage)[passages], len(self.concepts))
            there = (1 - DAMPING) * start + DAMPING * back
            if np.abs(there - here).sum() < _ENOUGH:
                break
            here = there
        return found
