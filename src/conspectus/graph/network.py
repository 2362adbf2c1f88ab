"""Concepts, and how many sentences and papers mention two of them together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
HALF_LIFE = 5.0
"""Years after which a sentence counts half, from the latest paper on."""
MOST_CONCEPTS = 3000
"""Concepts of a network, at most: those that most papers mention."""


@dataclass(frozen=True)
class Network:
    """Concepts, what joins them, and which papers mention them.

    Attributes:
        concepts: their keys, sorted, int64 [concepts].
        sentences, papers: how many mention two concepts, or (on the diagonal) one, float32 [concepts, concepts].
        lately: as `papers`, newer ones counting more.
        spoken: ln(1 + sentences that mention each), newer ones counting more, float64 [concepts].
        totals: how many sentences and papers there are.
    """

    concepts: Ints
    sentences: npt.NDArray[np.float32]
    papers: npt.NDArray[np.float32]
    lately: npt.NDArray[np.float32]
    spoken: Floats
    totals: tuple[int, int]

    @classmethod
    def of(cls, rows: Iterable[tuple[int, str, int]], years: Mapping[int, int]) -> Network:
        """Of (paper, sentence, concept), sentence by sentence; a paper without a year is a half-life old."""
        return cls.from_mentions(number_rows(rows), years)

    @classmethod
    def from_mentions(cls, mentions: Ints, years: Mapping[int, int], concepts: Ints | None = None) -> Network:
        """Of rows as `number_rows` makes them, or some of these; of the concepts named, or of all."""
        if concepts is None:
            concepts = choose_concepts(mentions)
        mentions = mentions[np.isin(mentions[:, 2], concepts)]
        columns, size = np.searchsorted(concepts, mentions[:, 2]), len(concepts)
        weights = _weights(mentions[:, 0], years)
        papers, lately = _count_papers(mentions[:, 0], columns, weights, size)
        return cls(
            concepts,
            _count_sentences(mentions[:, 1], columns, size),
            papers,
            lately,
            np.log1p(np.bincount(columns, weights, size)),
            (len(np.unique(mentions[:, 1])), len(np.unique(mentions[:, 0]))),
        )

    @cached_property
    def joined(self) -> npt.NDArray[np.bool_]:
        """Which pairs of concepts a sentence joins, bool [concepts, concepts]; none with itself."""
        joined: npt.NDArray[np.bool_] = self.sentences > 0
        np.fill_diagonal(joined, val=False)
        return joined

    @cached_property
    def degrees(self) -> Floats:
        """How many neighbours each concept has."""
        return np.asarray(self.joined.sum(axis=1), np.float64)

    @property
    def rare(self) -> Floats:
        """1 / ln(neighbours) of each concept: what is joined to everything tells little (Adamic and Adar 2003)."""
        return np.asarray(1 / np.log(np.maximum(self.degrees, 2)))

    def around(self, row: int) -> Ints:
        """The neighbours of a concept, sorted."""
        return np.flatnonzero(self.joined[row])

    def shared_neighbours(self, row: int) -> tuple[Floats, Ints]:
        """Over the neighbours that each concept shares with one, the sum of `rare`, and how many they are."""
        near = self.joined[self.around(row)]
        worth = self.rare[self.around(row)] @ near
        return np.round(worth, 9), near.sum(axis=0)  # rounded, so that equals stay equals in whatever order

    def between(self, first: int, second: int) -> list[tuple[int, float]]:
        """The neighbours that two concepts share, with what each adds to the sum, the rarest first."""
        both = np.flatnonzero(self.joined[first] & self.joined[second])
        worth = np.round(self.rare[both], 9)
        order = np.lexsort((both, -worth))
        return [(int(both[at]), float(worth[at])) for at in order]

    def association(self, row: int) -> Floats:
        """How much more often than by chance sentences mention a concept with each other one (Dunning 1993), ≥ 0."""
        sentence_count, each = float(self.sentences[row, row]), np.diag(self.sentences).astype(np.float64)
        return log_likelihoods(self.sentences[row].astype(np.float64), sentence_count, each, self.totals[0])


def log_likelihoods(together: Floats, first: Floats | float, second: Floats, total: int) -> Floats:
    """The log-likelihood ratio of two concepts (Dunning 1993); 0 where they are together no more often than by chance.

    Args:
        together: sentences with both.
        first, second: sentences with each.
        total: sentences that mention anything.
    """

    def entropy(*counts: Floats | float) -> Floats:
        numbers = (np.maximum(number, 0) for number in counts)
        return np.asarray(sum(number * np.log(np.maximum(number, 1)) for number in numbers))

    inside = entropy(together, first - together, second - together, total - first - second + together)
    edges = entropy(first, total - first) + entropy(second, total - second)
    ratio = 2 * (inside - edges + entropy(float(total)))
    return np.where(together * total > first * second, np.maximum(ratio, 0), 0)


def number_rows(rows: Iterable[tuple[int, str, int]]) -> Ints:
    """(paper, running number of the sentence, concept), sorted, each once, int64 [mentions, 3]."""
    return np.unique(np.fromiter(_flatten_rows(rows), np.int64).reshape(-1, 3), axis=0)


def choose_concepts(mentions: Ints, needed: Collection[int] = ()) -> Ints:
    """The concepts that are needed and those that most papers mention, at most `MOST_CONCEPTS`; sorted."""
    pairs = np.unique(mentions[:, [0, 2]], axis=0)[:, 1]
    concepts, papers = np.unique(pairs, return_counts=True)
    if len(concepts) <= MOST_CONCEPTS:
        return concepts
    order = np.lexsort((concepts, -papers, ~np.isin(concepts, list(needed))))
    return np.sort(concepts[order[:MOST_CONCEPTS]])


def _flatten_rows(rows: Iterable[tuple[int, str, int]]) -> Iterator[int]:
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


def _count_sentences(sentences: Ints, columns: Ints, size: int) -> npt.NDArray[np.float32]:
    """The sentences with each pair of columns; a sentence's columns are next to each other, each once."""
    counts = np.zeros(size * size, np.float32)
    counts[:: size + 1] = np.bincount(columns, minlength=size)
    at = np.arange(len(sentences))
    for apart in count(1):
        at = at[at + apart < len(sentences)]
        at = at[sentences[at] == sentences[at + apart]]
        if not len(at):
            break
        first, second = columns[at], columns[at + apart]
        np.add.at(counts, np.concatenate((first * size + second, second * size + first)), 1)
    return counts.reshape(size, size)


def _count_papers(
    papers: Ints, columns: Ints, weights: Floats, size: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The papers with each pair of columns, and the same by their weights."""
    number, lately = np.zeros((2, size, size), np.float32)
    starts = np.flatnonzero(np.diff(papers, prepend=-1))
    if not len(starts):
        return number, lately
    for start, paper_columns in zip(starts.tolist(), np.split(columns, starts[1:]), strict=True):
        block = np.ix_(*[np.unique(paper_columns)] * 2)
        number[block] += 1
        lately[block] += np.float32(weights[start])
    return number, lately
