"""How plausible it is that a name in a paper means its concept.

Boosted trees weigh what is known of a name and its concept; a logistic regression adds the context in a paper.
`benchmarks/plausibility.py` makes both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from importlib.resources import files
from math import log, log1p
from types import MappingProxyType

import msgspec
import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.lexicon import STOP_WORDS

SURE = 99.0
"""The prior of what is not asked about: names that users or gold say are used."""
DEEPEST = 8
"""Steps above a concept that are looked at."""
MOST_WORDS = 12
"""Words of a profile."""
_COMMON = 30_000
"""An everyday word of this rank, or beyond, is none."""
_OFTEN = 0.01
"""The share of concepts whose names have a word, above which it says nothing of one."""
_PREFIX = 5
"""Characters by which words of one stem are alike."""
_ENDINGS = ("al", "ic", "ive", "ous", "ar", "ed", "ing", "ly", "ion", "ment", "ity", "er", "ance", "ence", "ism")


@dataclass(frozen=True, slots=True)
class ConceptKind:
    """What a vocabulary says of a concept beside its names.

    Attributes:
        label: the name that it is shown by.
        above: the words that say what the concepts above it are (`disease`, `resource`), each once.
        parents: the labels of those next above.
        depth: steps to the highest, at most `DEEPEST`.
        below: how many concepts are below it.
    """

    label: str = ""
    above: frozenset[str] = frozenset()
    parents: tuple[str, ...] = ()
    depth: int = 0
    below: int = 0


def describe_concepts(labels: Mapping[int, str], parents: Mapping[int, Collection[int]]) -> dict[int, ConceptKind]:
    """What is known of concepts by their labels and by what is above each."""
    heads = {key: head_word(label) for key, label in labels.items()}
    below: Counter[int] = Counter()
    found = {}
    for key, label in labels.items():
        depth, ancestors, layer = 0, set[int](), set(parents.get(key, ())) - {key}
        while layer and depth < DEEPEST:
            ancestors |= layer
            depth += 1
            layer = {up for one in layer for up in parents.get(one, ())} - ancestors - {key}
        below.update(ancestors)
        above = frozenset(heads[one] for one in ancestors if one in heads)
        next_above = tuple(labels[one] for one in parents.get(key, ()) if one in labels)
        found[key] = (label, above, next_above, depth)
    return {key: ConceptKind(*said, below[key]) for key, said in found.items()}


@lru_cache(100_000)
def head_word(label: str) -> str:
    """The word of a label that says what the thing is: the last before `of`, a comma or a bracket."""
    words = label.casefold().replace("_", " ").split()
    end = next((at for at, word in enumerate(words) if at and (word in STOP_WORDS or word[0] in "([")), len(words))
    return words[end - 1].strip(",;:()[].'\"") if words else ""


class Tree(msgspec.Struct, frozen=True):
    """A decision tree by its nodes: a leaf leads to itself; others go left where the feature is at most `limit`."""

    feature: list[int]
    limit: list[float]
    left: list[int]
    right: list[int]
    value: list[float]

    def values(self, rows: FloatArray) -> FloatArray:
        """The value of each row of features, float [rows]."""
        feature, limit, left, right = (np.array(one) for one in (self.feature, self.limit, self.left, self.right))
        at, every = np.zeros(len(rows), np.int64), np.arange(len(rows))
        while True:
            after = np.where(rows[every, feature[at]] <= limit[at], left[at], right[at])
            if np.array_equal(after, at):
                return np.array(self.value)[at]
            at = after


class Weights(msgspec.Struct, frozen=True):
    """What is learnt.

    Attributes:
        columns: the features of names that the trees look at; those of what is above a concept begin with `above `.
        trees, start, slope: the prior is `start` + `slope` × the sum of the trees' values.
        context: weights of features of papers; `before` and `after`: of neighbouring words.
    """

    columns: list[str]
    trees: list[Tree]
    start: float
    slope: float
    context: dict[str, float]
    before: dict[str, float]
    after: dict[str, float]


def _weights_file() -> bytes:
    return files("conspectus.graph.linking").joinpath("plausibility.json").read_bytes()


@lru_cache(1)
def read_weights() -> Weights:
    """The weights that come with the program."""
    return msgspec.json.decode(_weights_file(), type=Weights)


@lru_cache(1)
def weights_version() -> str:
    """What changes with the weights."""
    return blake2b(_weights_file(), digest_size=4).hexdigest()


@dataclass(frozen=True, slots=True)
class NameUse:
    """A name, as its key's words, and what it may mean.

    Attributes:
        score: what a name of its kind is worth before the paper is looked at.
        method: how it came to be; see `NameReading`.
        source: the word that an adjective is of.
        meanings: how many concepts may be meant.
    """

    words: tuple[str, ...]
    concept: ConceptKind
    score: float
    method: str
    meanings: int
    source: str = ""


@dataclass(frozen=True)
class NameFeatures:
    """Measures names.

    Attributes:
        ranks: everyday words by their ranks, 1 for the most frequent.
    """

    ranks: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    def common(self, word: str) -> float:
        """How common a word is in everyday texts, 0 (unknown) to 1."""
        rank = self.ranks.get(word, _COMMON)
        return max(0.0, 1 - log(rank) / log(_COMMON))

    def of(self, use: NameUse) -> dict[str, float]:
        """The features of a name that do not depend on a paper, without those of `kinds`."""
        single, kind = float(len(use.words) == 1), use.concept
        common = min(map(self.common, use.words), default=0.0)
        label = label_words(kind.label)
        extra = sum(not any(_alike(one, word) for word in use.words) for one in label)
        is_label = float(not extra and len(use.words) == len(label))
        found = {
            "one": 1.0, use.method: 1.0, "single": single, "long": float(len(use.words) > 2),
            "label": is_label, "score": use.score,
            "common": common, "common single": common * single, "common label": common * is_label,
            "known": single * (common > 0), "short": float(sum(map(len, use.words)) < 4) ,
            "extra": min(extra, 4) / 4, "common extra": common * min(extra, 4) / 4,
            "meanings": log(use.meanings), "deep": kind.depth / DEEPEST, "leaf": float(not kind.below),
            "below": log1p(kind.below) / 8, "common below": common * log1p(kind.below) / 8,
            "root": float(not kind.depth),
        }  # fmt: skip
        if use.source:
            shared = _shared(use.words[0], use.source)
            found["adjective stem"] = shared / max(len(use.source), 1)
            found["adjective left"] = (len(use.source) - shared) / 4
        if single and (ending := next((one for one in _ENDINGS if use.words[0].endswith(one)), "")):
            found[f"-{ending}"] = 1.0
            found[f"-{ending} common"] = common
        return found


def _shared(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _alike(one: str, other: str) -> bool:
    return one[:_PREFIX] == other[:_PREFIX]


@lru_cache(100_000)
def label_words(label: str) -> tuple[str, ...]:
    """The words of a label that say something."""
    words = (word.strip(",;:()[].'\"") for word in label.casefold().replace("-", " ").replace("_", " ").split())
    return tuple(word for word in words if word and word not in STOP_WORDS)


@dataclass(frozen=True, slots=True)
class Profile:
    """Words that papers have that mean the concept: those of the label that the name lacks, and of what is near it."""

    label: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


NO_PROFILE = Profile()


class ProfileMaker:
    """Makes profiles of concepts.

    Args:
        names: all (concept, words) of a table.
    """

    def __init__(self, names: Iterable[tuple[int, tuple[str, ...]]]) -> None:
        self._words: dict[int, dict[str, None]] = defaultdict(dict)
        for concept, words in names:
            self._words[concept].update(dict.fromkeys(words))
        often = Counter(word for words in self._words.values() for word in words)
        self._told = {word for word, times in often.items() if times > max(5, _OFTEN * len(self._words))}

    def of(self, use: NameUse, concept: int) -> Profile:
        """The profile of a concept for one of its names."""
        said = lambda word: len(word) > 2 and not any(_alike(word, own) for own in use.words)  # noqa: E731
        label = [word for word in label_words(use.concept.label) if said(word)]
        parents = [word for parent in use.concept.parents for word in label_words(parent)]
        near = [word for word in (*self._words[concept], *parents) if said(word) and word not in self._told]
        near = [word for word in dict.fromkeys(near) if word not in label and word not in STOP_WORDS]
        return Profile(tuple(label[:4]), tuple(near[:MOST_WORDS]))


@dataclass(frozen=True)
class PlausibilityModel:
    """See the module."""

    weights: Weights
    features: NameFeatures

    def priors(self, uses: Sequence[NameUse]) -> FloatArray:
        """The log odds that names mean their concepts, but for the paper, float [uses]."""
        own = self.weights
        place = {column: at for at, column in enumerate(own.columns)}
        rows = np.zeros((len(uses), max(len(own.columns), 1)))
        for row, use in enumerate(uses):
            for name, value in self.features.of(use).items():
                if (at := place.get(name)) is not None:
                    rows[row, at] = value
            for word in use.concept.above:
                if (at := place.get(f"above {word}")) is not None:
                    rows[row, at] = 1.0
        return np.asarray(own.start + own.slope * sum((tree.values(rows) for tree in own.trees), np.zeros(len(rows))))

    @cached_property
    def most(self) -> float:
        """What a paper can add at most."""
        return self._bound(max)

    @cached_property
    def sure(self) -> float:
        """The prior from which on no paper can change anything."""
        return -self._bound(min)

    def _bound(self, of: Callable[..., float]) -> float:
        """The most (`max`) or least (`min`) that a paper can add."""
        own = self.weights
        context = sum(of(0.0, weight) * _HIGHEST.get(what, 1.0) for what, weight in own.context.items())
        return context + of(own.before.values(), default=0.0) + of(own.after.values(), default=0.0)

    def in_paper(self, profile: Profile, words: Collection[str], times: int, *, named: bool) -> float:
        """What a paper adds; see `context_features`."""
        of = self.weights.context
        return sum(of.get(what, 0.0) * value for what, value in context_features(profile, words, times, named).items())

    def beside(self, before: str, after: str) -> float:
        """What the words before and after a mention add."""
        own = self.weights
        return own.before.get(before, 0.0) + own.after.get(after, 0.0)


_HIGHEST = {"times": 2.0}
"""Features of papers that may be above 1."""


def context_features(profile: Profile, words: Collection[str], times: int, named: bool) -> dict[str, float]:
    """The features of a concept in a paper, by one of its names.

    Args:
        words: all words of the paper.
        times: how often the name is there.
        named: whether another name of the concept, which is hardly ever wrong, is there.
    """
    label = sum(word in words for word in profile.label) / len(profile.label) if profile.label else 0.0
    near = sum(word in words for word in profile.near)
    return {
        "named": float(named), "label said": label, "label unsaid": float(bool(profile.label) and not label),
        "near said": min(near, 4) / 4, "near unsaid": float(bool(profile.near) and not near),
        "times": min(log1p(times) / 4, 2.0),
    }  # fmt: skip
