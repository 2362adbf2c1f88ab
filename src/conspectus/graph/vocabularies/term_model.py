"""Which phrases are terms of a vocabulary: a logistic regression, learnt from the phrases that it has.

What a vocabulary has of the phrases of the papers are its examples, all other phrases count as none (learning from
positive and unlabelled examples, Elkan and Noto 2008: the order of the scores is right, whatever share of the others
are terms).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, log2

import numpy as np

from conspectus.graph.link_prediction import fit_weights
from conspectus.graph.linking.plausibility import shared_rank
from conspectus.graph.linking.words import fold
from conspectus.graph.network import Floats
from conspectus.graph.vocabularies.phrase_counts import PhraseCount, PhraseKey, PhraseStatistics
from conspectus.lexicon.word_lists import GENERAL
from conspectus.parse.text.key_phrases import singular

FEWEST = 30
"""Examples below which the weights are those of `FEATURES` alone."""
RIDGE = 20.0
FEATURES = {
    "papers": 0.3, "loose": -0.5, "bound": 0.3, "again": 0.3, "title": 0.4, "whole": 0.5, "uneven": 0.3,
    "rare": 0.5, "rarest": 0.4, "head": 0.6, "known": 0.4, "acronym": 0.0, "one": -0.6, "three": -0.1,
    "four": -0.3, "general": -0.6, "bare": -0.3,
}  # fmt: skip
"""What is measured of a phrase, with the weights (in deviations) of a vocabulary too small to learn from: our own."""
_BARE = ("ed", "ing", "al", "ive", "ous", "ic", "able", "ar")


@dataclass(frozen=True)
class TermModel:
    """Measures phrases.

    Attributes:
        papers: how many were read.
        heads: how many concepts end with a word.
        words: how many concepts have a word.
        openings: how many phrases begin with a word.
        uses: in how many papers a phrase is, by its words in order.
    """

    papers: int
    heads: Mapping[str, int]
    words: Mapping[str, int]
    openings: Mapping[str, int]
    uses: Mapping[tuple[str, ...], int]

    @classmethod
    def of(cls, table: PhraseStatistics, labels: Collection[str]) -> TermModel:
        """For a vocabulary, by the labels of its concepts, and the phrases of papers."""
        uses = {count.words: count.papers for count in table.counts.values()}
        openings = Counter(words[0] for words in uses if len(words) > 1)
        split = [[singular(word) for word in label.split()] for label in labels]
        heads = Counter(words[-1] for words in split if words)
        return cls(table.papers, heads, Counter(word for words in split for word in set(words)), openings, uses)

    def features(self, phrase: PhraseCount) -> list[float]:
        """As `FEATURES`."""
        words = phrase.words
        ranks = [shared_rank(fold(word)) for word in words]
        by_chance = self.papers * (1 - exp(-phrase.times / self.papers))
        value_by_name = {
            "papers": log(phrase.papers),
            "loose": log(1 + self.openings.get(words[0], 0)) * (len(words) > 1),
            "bound": log(phrase.papers / self.uses.get(words[1:], self.papers)) * (len(words) > 1),
            "again": log(phrase.times / phrase.papers),
            "title": phrase.titles / phrase.papers,
            "whole": phrase.whole_times / phrase.times,
            "uneven": log2(by_chance / phrase.papers),
            "rare": log(min(ranks)),
            "rarest": log(max(ranks)),
            "head": log(1 + self.heads.get(words[-1], 0)),
            "known": sum(word in self.words for word in words) / len(words),
            "acronym": float(any(sum(map(str.isupper, word)) > 1 for word in phrase.writing.split())),
            "one": float(len(words) == 1),
            "three": float(len(words) == 3),
            "four": float(len(words) > 3),
            "general": sum(word in GENERAL for word in words) / len(words),
            "bare": float(words[-1].endswith(_BARE)),
        }
        return [value_by_name[name] for name in FEATURES]

    def score(self, phrases: Mapping[PhraseKey, PhraseCount], covered: Collection[PhraseKey]) -> dict[PhraseKey, float]:
        """The log odds of each phrase, but for a constant."""
        keys = list(phrases)
        values = np.array([self.features(phrases[key]) for key in keys]).reshape(len(keys), len(FEATURES))
        values = (values - values.mean(axis=0)) / (values.std(axis=0) + 1e-9) if keys else values
        prior = np.array(list(FEATURES.values()))
        right = np.array([key in covered for key in keys], np.float64)
        weights = prior
        if right.sum() >= FEWEST:
            weights = fit_weights(values, right, np.ones(len(keys)), prior, RIDGE)
        return dict(zip(keys, _rounded(values, weights), strict=True))


def _rounded(values: Floats, weights: Floats) -> Sequence[float]:
    scores: list[float] = np.round(values @ weights, 6).tolist()
    return scores
