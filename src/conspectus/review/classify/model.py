"""Categories of papers from their vectors and words: learnt from descriptions, examples, or both.

A paper is its unit vector less the mean of the others, and the words it has, weighed by tf-idf. The scores of the
categories are linear in both; their probabilities are a softmax of the scores, one of which is that none fits, or a
sigmoid of each where a paper may have several categories. Weights minimise the log-loss of the examples plus
`RIDGE / 2 |W - W0|^2`, where W0 scores a paper by its likeness to the descriptions: without examples the weights are
W0, and each example moves them away.

Papers without a label help, too (self-training, Yarowsky 1995): they are added with the categories that the weights
give them, sharpened, and the weights are fitted again: so the words that go with those of the
descriptions are learnt. Last, one temperature is fitted to predictions for examples that were left out
(Guo et al. 2017), so that a probability of 0.7 is right 7 times in 10. Figures: `benchmarks/review_classify.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.lexicon import STOP_WORDS

SAMPLE = 600
"""Papers without a label that are learnt from, at most."""
MOST_WORDS = 2048
LIKENESS = 8.0
"""Length of a category's vector in W0. A larger one makes probabilities without examples more certain."""
BASE = -3.0
"""Score of a category where papers may have several and nothing is alike: most papers have few of them."""
NONE_UNTAUGHT, NONE_TAUGHT = 0.0, 1.0
"""Score that none fits, without and with examples: with these a paper has to be more alike than by chance."""
RIDGE = 0.3
SHARE = 0.1
"""Of the weight of an example that a paper without a label has."""
ROUNDS = 3
SHARPEN = 2.0
FOLDS = 5
TEMPERATURES = np.exp(np.linspace(-1.2, 1.2, 49))
TEMPERATURE_PRIOR = 10.0
"""Log-loss that a temperature e times too high or too low costs: what few examples say is not believed."""
_STEPS = 150
_CLOSE = 1e-3
_BIAS = 0.3


@dataclass(frozen=True, slots=True)
class WordWeights:
    """The words that papers are compared by: a column and an inverse document frequency of each."""

    columns: Mapping[str, int]
    rarity: FloatArray

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]]) -> WordWeights:
        """The `MOST_WORDS` words that most texts have, of those that two have at least and half of them at most."""
        papers = Counter(word for words in texts for word in {*words} - STOP_WORDS if word[:1].isalpha())
        chosen = [word for word, count in papers.most_common() if 2 <= count <= max(2, len(texts) / 2)][:MOST_WORDS]
        rarity = [log((len(texts) + 1) / papers[word]) for word in chosen]
        return cls({word: column for column, word in enumerate(chosen)}, np.array(rarity, np.float32))

    def rows(self, texts: Sequence[Sequence[str]]) -> FloatArray:
        """Unit rows of tf-idf, float32 [texts, words]."""
        matrix = np.zeros((len(texts), len(self.columns)), np.float32)
        for row, words in zip(matrix, texts, strict=True):
            for word, count in Counter(word for word in words if word in self.columns).items():
                row[self.columns[word]] = (1 + log(count)) * self.rarity[self.columns[word]]
        return unit_rows(matrix)


@dataclass(frozen=True, slots=True)
class CategoryModel:
    """What gives papers probabilities of categories.

    Attributes:
        mean: of the papers' vectors, float32 [dimensions].
        words: that papers are compared by.
        weights: float32 [features, categories].
        several: whether a paper may have several categories.
        temperature: that scores are divided by.
        unseen_scores: of the examples, by models that had not seen them, float32 [examples, categories]; None where
            there were too few to leave some out.
    """

    mean: FloatArray
    words: WordWeights
    weights: FloatArray
    several: bool
    temperature: float = 1.0
    unseen_scores: FloatArray | None = None

    def probabilities(self, vectors: FloatArray, texts: Sequence[Sequence[str]]) -> FloatArray:
        """Probabilities, float32 [papers, categories], of papers with these unit vectors and words."""
        scores = features(vectors, texts, self.mean, self.words) @ self.weights
        return link(scores / self.temperature, self.several)

    @property
    def unseen_probabilities(self) -> FloatArray | None:
        """Those of the examples, by models that had not seen them."""
        return None if self.unseen_scores is None else link(self.unseen_scores / self.temperature, self.several)


@dataclass(frozen=True, slots=True)
class TrainingPapers:
    """Papers to learn from: unit vectors, float32 [papers, dimensions], and words of each."""

    vectors: FloatArray
    texts: Sequence[Sequence[str]]


def fit_categories(
    descriptions: FloatArray,
    examples: TrainingPapers,
    labels: FloatArray,
    sample: TrainingPapers,
    *,
    several: bool = False,
) -> CategoryModel:
    """Learn categories.

    Args:
        descriptions: unit vectors of their descriptions, float32 [categories, dimensions].
        examples: papers with labels; there may be none.
        labels: 1 where an example has a category, else 0, float32 [examples, categories]; unless there may be
            several, a last column says that none fits. Probabilities have it, too.
        sample: papers without labels, of those that will be classified.
        several: whether a paper may have several categories.
    """
    vectors, texts = np.concatenate([examples.vectors, sample.vectors]), [*examples.texts, *sample.texts]
    mean = np.asarray(vectors.mean(axis=0), np.float32) if len(vectors) > 1 else np.zeros_like(descriptions[0])
    words = WordWeights.of(texts)
    rows = features(vectors, texts, mean, words)
    prior = np.zeros((rows.shape[1], labels.shape[1]), np.float32)
    prior[: len(mean), : len(descriptions)] = LIKENESS * unit_rows(descriptions - mean).T
    prior[-1, len(descriptions) :] = (NONE_TAUGHT if len(labels) else NONE_UNTAUGHT) / _BIAS
    if several:
        prior[-1] = BASE / _BIAS
    known, unknown = rows[: len(labels)], rows[len(labels) :]
    learner = _Learner(prior, unknown, several)
    model = CategoryModel(mean, words, learner.weights(known, labels, prior), several)
    folds = _folds(labels)
    if folds is None:
        return model
    unseen = np.empty_like(labels)
    for fold in range(FOLDS):
        rest = folds != fold
        unseen[~rest] = known[~rest] @ learner.weights(known[rest], labels[rest], model.weights)
    return replace(model, unseen_scores=unseen, temperature=_fit_temperature(unseen, labels, several))


@dataclass(frozen=True, slots=True)
class _Learner:
    """Fits weights with a Gaussian prior around `prior`, and with papers without a label."""

    prior: FloatArray
    unknown: FloatArray
    several: bool

    def weights(self, rows: FloatArray, labels: FloatArray, start: FloatArray) -> FloatArray:
        """The weights for these examples; `start` is where the search for them begins."""
        weights = self._fit(rows, labels, np.ones(len(rows), np.float32), start) if len(rows) else self.prior
        if not len(self.unknown):
            return weights
        every = np.concatenate([rows, self.unknown])
        share = np.full(len(self.unknown), SHARE, np.float32)
        shares = np.concatenate([np.ones(len(rows), np.float32), share])
        for _ in range(ROUNDS):
            guesses = link(SHARPEN * (self.unknown @ weights), self.several)
            weights = self._fit(every, np.concatenate([labels, guesses]), shares, weights)
        return weights

    def _fit(self, rows: FloatArray, labels: FloatArray, shares: FloatArray, start: FloatArray) -> FloatArray:
        """Nesterov's accelerated gradient; a step is 1 over the largest curvature that there can be."""
        weighed = np.sqrt(shares)[:, None] * rows
        step = 1 / (0.5 * _largest_square(weighed) + RIDGE)
        now = ahead = start
        pace = 1.0
        for _ in range(_STEPS):
            slope = rows.T @ (shares[:, None] * (link(rows @ ahead, self.several) - labels))
            then = np.asarray(ahead - step * (slope + RIDGE * (ahead - self.prior)), np.float32)
            change = then - now
            faster = (1 + (1 + 4 * pace * pace) ** 0.5) / 2
            ahead, now, pace = then + (pace - 1) / faster * change, then, faster
            if np.abs(change).max() < _CLOSE:
                break
        return np.asarray(now, np.float32)


def features(vectors: FloatArray, texts: Sequence[Sequence[str]], mean: FloatArray, words: WordWeights) -> FloatArray:
    """What scores are linear in, float32 [papers, dimensions + words + 1]."""
    bias = np.full((len(vectors), 1), _BIAS, np.float32)
    return np.concatenate([unit_rows(vectors - mean), words.rows(texts), bias], axis=1)


def link(scores: FloatArray, several: bool) -> FloatArray:
    """Probabilities of scores, float32: a softmax of each row, or a sigmoid of each score."""
    if several:
        return np.asarray(1 / (1 + np.exp(-np.clip(scores, -50, 50))), np.float32)
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float32)


def unit_rows(rows: FloatArray) -> FloatArray:
    """Rows of length 1, float32; rows of zeros stay."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), np.float32)


def _largest_square(rows: FloatArray) -> float:
    """The largest singular value, squared, and a little more (power iteration)."""
    vector = np.ones(rows.shape[1], np.float32)
    for _ in range(12):
        vector = rows.T @ (rows @ (vector / np.linalg.norm(vector)))
    return 1.1 * float(np.linalg.norm(vector))


def _folds(labels: FloatArray) -> npt.NDArray[np.int64] | None:
    """A fold of each example, so that each category's examples are spread evenly; None where there are too few."""
    if len(labels) < 2 * FOLDS:
        return None
    folds = np.empty(len(labels), np.int64)
    main = labels.argmax(axis=1)
    folds[np.argsort(main, kind="stable")] = np.arange(len(labels)) % FOLDS
    return folds


def _fit_temperature(scores: FloatArray, labels: FloatArray, several: bool) -> float:
    def loss(temperature: float) -> float:
        chances = np.clip(link(scores / temperature, several), 1e-6, 1 - 1e-6)
        missed = (1 - labels) * np.log(1 - chances) if several else 0.0
        return float(-(labels * np.log(chances) + missed).sum()) + TEMPERATURE_PRIOR * log(temperature) ** 2

    return float(min(TEMPERATURES, key=loss))
