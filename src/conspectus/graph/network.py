"""Which concepts the sentences of papers join, as arrays: what discovery ranks by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
HALF_LIFE = 5.0
"""Years after which a sentence counts half, from the latest paper on; chosen by `benchmarks/discovery.py choose`."""


@dataclass(frozen=True, slots=True)
class Network:
    """Concepts, what joins them, and which papers speak of them.

    Attributes:
        concepts: their keys, sorted, int64 [concepts].
        spoken: ln(1 + sentences that speak of each), newer ones counting more, float64 [concepts].
        starts: where the neighbours of each begin in `near`, and where they end, int64 [concepts + 1].
        near: the neighbours, rows of `concepts`, sorted, int64 [2 × joined pairs].
        beside: (paper's key, row of a concept that it speaks of), each once, int64 [pairs, 2].
        weights: what each of these counts by the year of its paper, float64 [pairs].
    """

    concepts: Ints
    spoken: Floats
    starts: Ints
    near: Ints
    beside: Ints
    weights: Floats

    @classmethod
    def of(cls, rows: Iterable[tuple[int, str, int]], years: Mapping[int, int]) -> Network:
        """Of (paper, sentence, concept), sentence by sentence; a paper without a year is a half-life old."""
        return cls.made(numbered(rows), years)

    @classmethod
    def made(cls, told: Ints, years: Mapping[int, int]) -> Network:
        """Of rows as `numbered` makes them, or some of these."""
        concepts, columns = np.unique(told[:, 2], return_inverse=True)
        columns, size = columns.reshape(-1), len(concepts)
        first, second = _joined(told[:, 1], columns, size)
        ends = np.stack((np.append(first, second), np.append(second, first)))
        beside = np.unique(np.stack((told[:, 0], columns), 1), axis=0)
        return cls(
            concepts,
            np.log1p(np.bincount(columns, _weights(told[:, 0], years), size)),
            np.append(0, np.cumsum(np.bincount(ends[0], minlength=size))),
            ends[1][np.lexsort((ends[1], ends[0]))],
            beside,
            _weights(beside[:, 0], years),
        )

    def around(self, row: int) -> Ints:
        """The neighbours of a concept, sorted."""
        return self.near[self.starts[row] : self.starts[row + 1]]

    @property
    def rare(self) -> Floats:
        """1 / ln(neighbours) of each concept: what is joined to everything tells little (Adamic and Adar 2003)."""
        return np.asarray(1 / np.log(np.maximum(np.diff(self.starts), 2)))

    def shared(self, row: int) -> tuple[Floats, Ints]:
        """Over the neighbours that each concept shares with one, the sum of `rare`, and how many they are."""
        worth, number, rare = np.zeros(len(self.concepts)), np.zeros(len(self.concepts), np.int64), self.rare
        for between in self.around(row):
            far = self.around(between)
            worth[far] += rare[between]
            number[far] += 1
        return np.round(worth, 9), number  # rounded, so that equals stay equals in whatever order they are added up

    def between(self, one: int, two: int) -> list[tuple[int, float]]:
        """The neighbours that two concepts share, with what each adds to the sum, the rarest first."""
        both = np.intersect1d(self.around(one), self.around(two), assume_unique=True)
        worth = np.round(self.rare[both], 9)
        order = np.lexsort((both, -worth))
        return [(int(both[at]), float(worth[at])) for at in order]

    def papers_beside(self, row: int) -> Ints:
        """How many papers speak of a concept and of each other one, int64 [concepts]."""
        return np.bincount(self.beside[self._beside(row), 1], minlength=len(self.concepts))

    def lately_beside(self, row: int) -> Floats:
        """The same, newer papers counting more, float64 [concepts]."""
        inside = self._beside(row)
        return np.bincount(self.beside[inside, 1], self.weights[inside], len(self.concepts)).astype(np.float64)

    def _beside(self, row: int) -> npt.NDArray[np.bool_]:
        papers, columns = self.beside.T
        return np.isin(papers, papers[columns == row])


def numbered(rows: Iterable[tuple[int, str, int]]) -> Ints:
    """(paper, running number of the sentence, concept), sorted, each once, int64 [mentions, 3]."""
    return np.unique(np.fromiter(_numbered(rows), np.int64).reshape(-1, 3), axis=0)


def _numbered(rows: Iterable[tuple[int, str, int]]) -> Iterator[int]:
    """Paper, running number of the sentence, concept, one after another."""
    number, last = -1, None
    for paper, sentence, concept in rows:
        if last != (paper, sentence):
            number, last = number + 1, (paper, sentence)
        yield from (paper, number, concept)


def _weights(papers: Ints, years: Mapping[int, int]) -> Floats:
    """What a row counts by the year of its paper, float64: 1 of the latest, half of it each `HALF_LIFE` before."""
    keys, rows = np.unique(papers, return_inverse=True)
    latest = max((years[key] for key in keys.tolist() if key in years), default=0)
    ages = np.array([latest - years[key] if key in years else HALF_LIFE for key in keys.tolist()], np.float64)
    return np.asarray(np.exp2(-ages / HALF_LIFE)[rows.reshape(-1)])


def _joined(sentences: Ints, columns: Ints, size: int) -> tuple[Ints, Ints]:
    """Each pair of rows that a sentence joins, once, the lower one first."""
    found, at = [np.zeros(0, np.int64)], np.arange(len(sentences))
    for apart in count(1):  # a sentence's concepts stand beside each other: each with the next, the one after, …
        at = at[at + apart < len(sentences)]
        at = at[sentences[at] == sentences[at + apart]]
        if not len(at):
            break
        found.append(np.unique(columns[at] * size + columns[at + apart]))
    pairs = np.unique(np.concatenate(found))
    return pairs // max(size, 1), pairs % max(size, 1)
