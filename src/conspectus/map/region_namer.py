"""Names of regions from the top down: a subject that a region has and its siblings lack, or two joined by "and".

A phrase scores by (share of the region's texts that have it)^`SHARE` · (how alike its texts and the region's are
spread over the smallest regions)^`SPREAD` · its quality as a subject · exp(`MEANING` · cosine). The spread is the
Bhattacharyya coefficient, so that the name of a large region is said in all its parts, and not in others. The cosine
is of the phrase's vector and the region's mean, less `OTHERS` times the mean of the others' means. Two phrases score as
one that is in the texts of both, and are the name if they score `TWO` times as well as one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.map.region_phrases import PhraseTable
from conspectus.records.atlas import LEVELS

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Embed = Callable[[Sequence[str]], FloatArray]
SHARE, SPREAD = (0.6, 0.5, 0.45), (3.0, 2.3, 1.8)
"""Exponents, by levels."""
MEANING, OTHERS, TWO = 8.0, 0.6, 1.25
PRIOR = 5.0
"""Texts that are added to those of a phrase, spread as all texts are."""
EMBEDDED, PAIRED = 60, 20
"""Phrases of each region whose vectors are read, and of which two are put together; the best of them."""
LEAST = 1.5
"""Texts of a region that must have a phrase, if it has `FEW` or more."""
FEW = 4
BESIDE = 0.25
"""Share of the texts of one of two phrases that the other must have at least."""
ALIKE = 0.75
"""Cosine of two phrases that say the same."""
MAINLY = 0.6
"""Share of a phrase's texts within the parent that a region must have to be called after half of the parent's name."""
TERMS = 8
STEM = 5
"""Characters by which words are taken to be forms of one another."""


@dataclass(frozen=True, slots=True)
class RegionName:
    """The phrases that are a region's name, and those that it has more than others, these first, by their numbers."""

    phrases: tuple[int, ...]
    terms: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Candidates:
    """What a region can be called: scores with phrases, the best first, and its terms."""

    ranked: list[tuple[float, tuple[int, ...]]]
    terms: tuple[int, ...]

    def best(self, taken_phrases: set[int]) -> tuple[float, tuple[int, ...]]:
        """The best that has no phrase of another region."""
        return next((candidate for candidate in self.ranked if not taken_phrases.intersection(candidate[1])), (0.0, ()))


class RegionNamer:
    """Names the regions of a map."""

    def __init__(self, table: PhraseTable, labels: Ints, vectors: FloatArray, embed: Embed | None) -> None:
        self._table, self._labels = table, labels
        self._parts = int(labels[:, -1].max(initial=-1)) + 1
        self._texts = np.bincount(labels[:, -1], minlength=self._parts).astype(float)
        self._counts = np.zeros((len(table.phrases), self._parts))
        for number, (rows, weights) in enumerate(zip(table.rows, table.weights, strict=True)):
            self._counts[number] = np.bincount(labels[rows, -1], weights, minlength=self._parts)
        self._above = np.zeros((self._parts, LEVELS), np.int64)
        self._above[labels[:, -1]] = labels
        self._means = [_means(vectors, labels[:, level]) for level in range(LEVELS)]
        self._words = [
            np.array([self._score_words(level, region) for region in self._regions(level)]) for level in range(LEVELS)
        ]
        self._vectors = self._embed(embed)

    def names(self) -> tuple[dict[int, RegionName], ...]:
        """By levels: region -> its name. No two regions of a level have a phrase in common."""
        level_names: list[dict[int, RegionName]] = []
        for level in range(LEVELS):
            level_names.append(self._name_level(level, level_names))
        return tuple(level_names)

    def _name_level(self, level: int, above: Sequence[Mapping[int, RegionName]]) -> dict[int, RegionName]:
        names: dict[int, RegionName] = {}
        waiting: dict[int, _Candidates] = {}
        for region in self._regions(level):
            if level and len(self._siblings(level, region)) == 1:
                names[region] = above[-1][self._parent(level, region)]
            else:
                waiting[region] = self._candidates(level, region, above)
        taken_phrases = {phrase for name in names.values() for phrase in name.phrases}
        while waiting:
            region = max(waiting, key=lambda number: waiting[number].best(taken_phrases)[0])
            candidates = waiting.pop(region)
            phrases = candidates.best(taken_phrases)[1]
            taken_phrases.update(phrases)
            terms = dict.fromkeys((*phrases, *candidates.terms))
            names[region] = RegionName(phrases, tuple(terms)[:TERMS])
        return names

    def _candidates(self, level: int, region: int, above: Sequence[Mapping[int, RegionName]]) -> _Candidates:
        direction = self._direction(level, region)
        scores = self._words[level][region] * np.exp(MEANING * self._vectors @ direction)
        terms = self._terms(scores)
        parent = above[-1][self._parent(level, region)].phrases if level else ()
        for phrase in self._inherited_phrases(level, region, above):
            scores[phrase] = 0
        best = [int(phrase) for phrase in np.argsort(-scores, kind="stable")[: 2 * PAIRED] if scores[phrase] > 0]
        ranked: list[tuple[float, tuple[int, ...]]] = [(float(scores[phrase]), (phrase,)) for phrase in best]
        for pair in combinations(best[:PAIRED], 2):
            if set(pair) != set(parent) and self._differ(*pair):
                score = self._score_pair(level, region, pair, direction)
                ranked.append((score, pair if scores[pair[0]] >= scores[pair[1]] else pair[::-1]))
        return _Candidates(sorted(ranked, key=lambda candidate: -candidate[0]), terms)

    def _inherited_phrases(self, level: int, region: int, above: Sequence[Mapping[int, RegionName]]) -> set[int]:
        """Phrases of the names above that are not the region's: half of its parent's may be, if it has most of it."""
        parts = self._within(level, region)
        other_phrases: set[int] = set()
        for upper in range(level):
            ancestor = int(self._above[parts, upper][0])
            phrases = above[upper][ancestor].phrases
            for phrase in phrases:
                own_count, all_ = (
                    self._counts[phrase, parts].sum(),
                    self._counts[phrase, self._within(upper, ancestor)].sum(),
                )
                if upper < level - 1 or len(phrases) == 1 or own_count < MAINLY * all_:
                    other_phrases.add(phrase)
        return other_phrases

    def _score_words(self, level: int, region: int) -> Floats:
        """The scores of all phrases without their vectors."""
        counts = self._counts[:, self._within(level, region)].sum(axis=1)
        size = self._texts[self._within(level, region)].sum()
        score = self._score_counts(level, region, self._counts) * self._table.quality
        return np.where(counts >= (LEAST if size >= FEW else LEAST / 3), score, 0.0)

    def _score_counts(self, level: int, region: int, counts: Floats) -> Floats:
        """How well phrases name a region by how often they are in the smallest regions: [phrases, regions]."""
        inside = self._within(level, region)
        size = self._texts[inside].sum()
        share = counts[:, inside].sum(axis=1) / size
        spread = counts + PRIOR * self._texts / self._texts.sum()
        spread /= spread.sum(axis=1, keepdims=True)
        alike = np.sqrt(spread[:, inside] * self._texts[inside] / size).sum(axis=1)
        outside = self._within(level - 1, self._parent(level, region)) & ~inside if level else ~inside
        if outside.any():
            other = counts[:, outside].sum(axis=1) / self._texts[outside].sum()
            alike = alike * np.sqrt(share / np.maximum(share + other, 1e-9))
        scores: Floats = share ** SHARE[level] * alike ** SPREAD[level]
        return scores

    def _score_pair(self, level: int, region: int, pair: tuple[int, int], direction: Floats) -> float:
        """The score of two phrases together; 0 where one adds little to the other."""
        inside = self._within(level, region)
        totals = self._counts[list(pair)][:, inside].sum(axis=1)
        if totals.min() < BESIDE * totals.max():
            return 0.0
        has = np.zeros(len(self._labels), np.float32)
        for phrase in pair:
            rows = self._table.rows[phrase]
            has[rows] = np.maximum(has[rows], self._table.weights[phrase])
        counts = np.bincount(self._labels[:, -1], has, minlength=self._parts).astype(float)[None]
        both = self._vectors[pair[0]] + self._vectors[pair[1]]
        cosine = float(both @ direction) / max(float(np.linalg.norm(both)), 1e-9)
        quality = float(np.sqrt(self._table.quality[list(pair)].prod()))
        return float(self._score_counts(level, region, counts)[0]) * quality * float(np.exp(MEANING * cosine)) / TWO

    def _differ(self, first: int, second: int) -> bool:
        stems = [{word[:STEM] for word in self._table.phrases[phrase].split()} for phrase in (first, second)]
        return not stems[0] & stems[1] and float(self._vectors[first] @ self._vectors[second]) < ALIKE

    def _terms(self, scores: Floats) -> tuple[int, ...]:
        """The best phrases that have no word in common."""
        terms: list[int] = []
        seen: set[str] = set()
        for phrase in np.argsort(-scores, kind="stable")[: 10 * TERMS].tolist():
            stems = {word[:STEM] for word in self._table.phrases[phrase].split()}
            if scores[phrase] > 0 and not stems & seen and len(terms) < TERMS:
                terms.append(phrase)
                seen |= stems
        return tuple(terms)

    def _direction(self, level: int, region: int) -> Floats:
        """Where the vector of a good name points: to the region's mean, and away from its siblings' and all others'."""
        means = self._means[level]
        others = [other for other in self._regions(level) if other != region]
        siblings = [other for other in self._siblings(level, region) if other != region] or others
        if not others:
            return np.asarray(means[region], float)
        away = (means[siblings].mean(axis=0) + means[others].mean(axis=0)) / 2
        return np.asarray(means[region] - OTHERS * away, float)

    def _embed(self, embed: Embed | None) -> Floats:
        """Unit vectors of the phrases that can be names; 0 of all others."""
        vectors = np.zeros((len(self._table.phrases), self._means[0].shape[1]))
        scores = [row for level in self._words for row in level]
        best = {
            int(phrase) for row in scores for phrase in np.argsort(-row, kind="stable")[:EMBEDDED] if row[phrase] > 0
        }
        if embed is not None and (phrases := sorted(best)):
            embeddings = embed([self._table.spellings[phrase] for phrase in phrases])
            vectors[phrases] = embeddings / np.maximum(np.linalg.norm(embeddings, axis=1, keepdims=True), 1e-9)
        return vectors

    def _regions(self, level: int) -> range:
        return range(int(self._above[:, level].max(initial=-1)) + 1)

    def _within(self, level: int, region: int) -> npt.NDArray[np.bool_]:
        """Which of the smallest regions lie in one."""
        inside: npt.NDArray[np.bool_] = self._above[:, level] == region
        return inside

    def _parent(self, level: int, region: int) -> int:
        return int(self._above[self._within(level, region), level - 1][0])

    def _siblings(self, level: int, region: int) -> list[int]:
        if not level:
            return list(self._regions(0))
        siblings = np.unique(self._above[self._within(level - 1, self._parent(level, region)), level])
        return [int(sibling) for sibling in siblings]


def _means(vectors: FloatArray, labels: Ints) -> FloatArray:
    """Means of the regions of a level, as unit vectors [regions, dimensions]."""
    sums = np.zeros((int(labels.max(initial=-1)) + 1, vectors.shape[1]))
    np.add.at(sums, labels, vectors)
    return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9), np.float32)


def write_name(spellings: Sequence[str]) -> str:
    """A name of one phrase or two, its first letter a capital, unless a word is spelt with capitals of its own."""
    name = " and ".join(spellings)
    first = re.split("[ -]", name)[0]
    return name[:1].upper() + name[1:] if first.islower() and len(first) > 1 else name
