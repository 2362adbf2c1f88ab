"""Pairs of statements of different papers that are about the same thing: those that may contradict each other.

What two sentences share says whether they are about the same thing; whether they can both hold is for a judge. Signs of
opposition were tried and left out: told SciFact's refuted claims from its supported ones, denials on one side alone and
vectors had an AUC of 0.55 and 0.61.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.lexicon import STOP_WORDS

NEAREST = 3
"""Each of a pair is of one of so many papers that are nearest to the other."""
EACH = 5
"""Statements of one paper that a statement is paired with, at most."""
NEIGHBOURS = 5
"""Papers whose mean likeness, of the nearest statement of each, is what is usual around a statement. Counted by
statements, several of one paper would hide what it is contradicted by."""
SHARED_WORDS = 0.8
"""The weight of rare words in common next to the cosine of vectors, 1. Of 0.3, 0.5, 0.8 and 1.2 it ranked the planted
pairs of the development half highest."""
_STEM = 6
"""Letters of a word that are compared."""
_BLOCK = 256
"""Statements that are compared with all others at once."""
_WORD = re.compile(r"[^\W\d_]\w+")


class StatementPair(NamedTuple):
    """Two statements by their places.

    `score`: how much more alike they are than each is, on average, with its nearest others.
    """

    first: int
    second: int
    score: float


def pair_statements(
    vectors: FloatArray,
    texts: Sequence[str],
    papers: Sequence[int],
    *,
    crowded: bool = False,
    tell: Callable[[int], object] = lambda _: None,
) -> list[StatementPair]:
    """Pairs of statements of different papers that are about the same thing, the most alike first.

    Likeness is the cosine and the rare words in common, less what is usual around each of the two, so that a crowded
    subject does not outdo the others (CSLS, Conneau et al. 2018). Statements of the same words are no pair.

    Args:
        vectors: unit vectors of the statements, float32 [statements, dimensions].
        texts: their words.
        papers: which paper each is of.
        crowded: whether all are about one subject anyway, so that pairs that are no more alike than usual count too.
        tell: called with the number of statements compared so far.
    """
    count = len(texts)
    if count < 2:
        return []
    likeness = _Likeness(vectors, texts, np.asarray(papers))
    usual = np.concatenate([_mean_of_best(likeness.by_paper(block)) for _, block in likeness.blocks()])
    nearest: list[dict[int, float]] = []
    for begin, block in likeness.blocks():
        scores = block - (usual[begin : begin + len(block), None] + usual[None]) / 2
        nearest += map(likeness.nearest, scores, likeness.by_paper(scores))
        tell(len(nearest))
    return sorted(
        (
            StatementPair(first, second, score)
            for first, neighbours in enumerate(nearest)
            for second, score in neighbours.items()
            if first < second and first in nearest[second] and (crowded or score > 0)
        ),
        key=lambda pair: (-pair.score, pair.first, pair.second),
    )


def _mean_of_best(block: FloatArray) -> FloatArray:
    """The mean of the highest values of each row that are finite; 0 where none is."""
    count = min(NEIGHBOURS, block.shape[1])
    best = np.partition(block, -count, axis=1)[:, -count:]
    known = np.isfinite(best)
    return np.asarray(np.where(known, best, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1), np.float32)


class _Likeness:
    """How alike statements are, in rows for some at once; minus infinity for those of one paper or of the same words.

    The words in common are looked up in lists of who has each word, so that no matrix of all words is made.
    """

    def __init__(self, vectors: FloatArray, texts: Sequence[str], papers: npt.NDArray[np.int64]) -> None:
        self._vectors = np.ascontiguousarray(vectors, np.float32)
        self._papers = papers
        self._order = np.argsort(papers, kind="stable")
        self._starts = np.flatnonzero(np.diff(papers[self._order], prepend=-1))
        words = [_stems(text) for text in texts]
        counts = Counter(word for text_words in words for word in text_words)
        weights = {word: float(np.log(len(texts) / count)) for word, count in counts.items()}
        lengths = [float(np.sqrt(sum(weights[word] ** 2 for word in text_words))) or 1.0 for text_words in words]
        self._words = [
            {word: weights[word] / length for word in text_words}
            for text_words, length in zip(words, lengths, strict=True)
        ]
        having: dict[str, list[int]] = defaultdict(list)
        for place, text_words in enumerate(words):
            for word in text_words:
                having[word].append(place)
        self._having = {word: np.array(places) for word, places in having.items() if len(places) > 1}
        self._shares = {
            word: np.array([self._words[place][word] for place in places], np.float32)
            for word, places in self._having.items()
        }
        same: dict[str, int] = {}
        self._wordings = np.array(
            [same.setdefault(" ".join(text.casefold().split()), at) for at, text in enumerate(texts)]
        )

    def by_paper(self, block: FloatArray) -> FloatArray:
        """The highest value of each paper, float32 [rows, papers], papers ascending."""
        return np.asarray(np.maximum.reduceat(block[:, self._order], self._starts, axis=1), np.float32)

    def nearest(self, row: FloatArray, of_papers: FloatArray) -> dict[int, float]:
        """The best statements of the papers nearest to a statement, by their places, with their scores."""
        score_by_place: dict[int, float] = {}
        count = min(NEAREST, len(of_papers))
        for paper in np.argpartition(of_papers, -count)[-count:]:
            start = self._starts[paper]
            end = self._starts[paper + 1] if paper + 1 < len(self._starts) else len(self._order)
            places = self._order[start:end]
            for place in places[np.argsort(-row[places], kind="stable")[:EACH]]:
                if np.isfinite(row[place]):
                    score_by_place[int(place)] = float(row[place])
        return score_by_place

    def blocks(self) -> Iterator[tuple[int, FloatArray]]:
        """The first place of each block of rows, and its likeness with all, float32 [rows, statements]."""
        for begin in range(0, len(self._words), _BLOCK):
            end = min(begin + _BLOCK, len(self._words))
            rows = self._vectors[begin:end] @ self._vectors.T
            for row, word_weights in zip(rows, self._words[begin:end], strict=True):
                for word, weight in word_weights.items():
                    if word in self._having:
                        row[self._having[word]] += SHARED_WORDS * weight * self._shares[word]
            rows[self._papers[begin:end, None] == self._papers[None]] = -np.inf
            rows[self._wordings[begin:end, None] == self._wordings[None]] = -np.inf
            yield begin, rows


def _stems(text: str) -> tuple[str, ...]:
    words = (word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS)
    return tuple(dict.fromkeys(word[:_STEM] for word in words))
