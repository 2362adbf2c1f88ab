"""How plausible it is that a name in a paper means its concept.

Boosted trees weigh what is known of a name and its concept; a logistic regression adds the context in a paper.
`benchmarks/plausibility.py` makes both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from importlib.resources import files
from math import inf, log, log1p
from types import MappingProxyType
from typing import NamedTuple

import msgspec
import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.graph.linking.name_relations import STEM, NameRelations
from conspectus.graph.linking.words import fold, shared_start
from conspectus.lexicon import STOP_WORDS

SURE = 99.0
"""The prior of what is not asked about: names that users or gold say are used."""
DEEPEST = 8
"""Steps above a concept that are looked at."""
MOST_WORDS = 12
"""Words of a profile."""
_SHARED = 6_000
"""Words that all fields of research share."""
_FAR = -3.0
"""The log odds that stand for nothing known of a word."""
_EVERYWHERE = 500
"""The first so many of them are in every other paper."""
_OFTEN = 0.01
"""The share of concepts whose names have a word, above which it says nothing of one."""
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
        heads: how many labels end with the last word of its label.
    """

    label: str = ""
    above: frozenset[str] = frozenset()
    parents: tuple[str, ...] = ()
    depth: int = 0
    below: int = 0
    heads: int = 0


def describe_concepts(labels: Mapping[int, str], parents: Mapping[int, Collection[int]]) -> dict[int, ConceptKind]:
    """What is known of concepts by their labels and by what is above each."""
    heads = {key: head_word(label) for key, label in labels.items()}
    below: Counter[int] = Counter()
    facts_by_key = {}
    for key, label in labels.items():
        depth, ancestors, layer = 0, set[int](), set(parents.get(key, ())) - {key}
        while layer and depth < DEEPEST:
            ancestors |= layer
            depth += 1
            layer = {up for concept in layer for up in parents.get(concept, ())} - ancestors - {key}
        below.update(ancestors)
        above = frozenset(heads[ancestor] for ancestor in ancestors if ancestor in heads)
        next_above = tuple(labels[parent] for parent in parents.get(key, ()) if parent in labels and parent != key)
        facts_by_key[key] = (label, above, next_above, depth)
    last = Counter(heads.values())
    return {key: ConceptKind(*facts, below[key], last[heads[key]]) for key, facts in facts_by_key.items()}


@lru_cache(100_000)
def head_word(label: str) -> str:
    """The word of a label that says what the thing is: the last before `of`, a comma or a bracket."""
    words = label.casefold().replace("_", " ").split()
    end = next((at for at, word in enumerate(words) if at and (word in STOP_WORDS or word[0] in "([")), len(words))
    return words[end - 1].strip(",;:()[].'\"") if words else ""


class ConceptStanding(NamedTuple):
    """What is said of a concept.

    Attributes:
        general: the log odds that it is too general to be listed, but for the library.
        method: the log odds that it is a method or a material.
        above: see `ConceptKind`.
    """

    general: float
    method: float
    above: frozenset[str]


class Tree(msgspec.Struct, frozen=True):
    """A decision tree by its nodes: a leaf leads to itself; others go left where the feature is at most `limit`."""

    feature: list[int]
    limit: list[float]
    left: list[int]
    right: list[int]
    value: list[float]

    def values(self, rows: FloatArray) -> FloatArray:
        """The value of each row of features, float [rows]."""
        feature, limit, left, right = (np.array(column) for column in (self.feature, self.limit, self.left, self.right))
        at, every = np.zeros(len(rows), np.int64), np.arange(len(rows))
        while True:
            after = np.where(rows[every, feature[at]] <= limit[at], left[at], right[at])
            if np.array_equal(after, at):
                return np.array(self.value, np.float32)[at]
            at = after


class Weights(msgspec.Struct, frozen=True):
    """What is learnt.

    Attributes:
        columns: the features of names that the trees look at; those of what is above a concept begin with `above `.
        general, method: of features of a concept and its label, and of its mentions in a library; the sum is above 0
            where it is too general to be listed, and where it is a method or a material.
        trees, start, slope: the prior is `start` + `slope` × the sum of the trees' values.
        context: weights of features of papers and of single mentions; `before` and `after`: of neighbouring words.
    """

    columns: list[str]
    trees: list[Tree]
    start: float
    slope: float
    context: dict[str, float]
    before: dict[str, float]
    after: dict[str, float]
    general: dict[str, float] = {}
    method: dict[str, float] = {}


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
        relations: to the other names of the vocabularies.
        proper: whether only a capital letter tells it from the name of another concept: `the Galaxy`.
    """

    words: tuple[str, ...]
    concept: ConceptKind
    score: float
    method: str
    meanings: int
    source: str = ""
    relations: NameRelations = NameRelations()
    proper: bool = False


class ResearchWord(NamedTuple):
    """A word that all fields of research share.

    Attributes:
        rank: 1 for the most frequent.
        general, method: how near it is to labels that are too general, and to those of methods and materials: the log
            odds of a regression over its vector.
    """

    rank: int
    general: float
    method: float


@lru_cache(1)
def research_words() -> Mapping[str, ResearchWord]:
    """The words that all fields of research share, folded, most frequent first."""
    lines = files("conspectus.graph.linking").joinpath("research_words.txt").read_text("utf-8").splitlines()
    words = {}
    for rank, line in enumerate(lines, 1):
        word, general, method = line.split()
        words[word] = ResearchWord(rank, int(general) / 10, int(method) / 10)
    return MappingProxyType(words)


@lru_cache(100_000)
def find_research_word(word: str) -> ResearchWord | None:
    """A word, its plural or its singular among those that all fields share; None: they do not share it."""
    words = research_words()
    return words.get(word) or words.get(f"{word}s") or words.get(word.removesuffix("s"))


def shared_rank(word: str) -> int:
    """The rank of a word among those that all fields share; `_SHARED` if they do not."""
    research_word = find_research_word(word)
    return min(research_word.rank, _SHARED) if research_word else _SHARED


def shared(word: str) -> float:
    """How much all fields of research share a word, 0 (not at all) to 1."""
    return 1 - log(shared_rank(word)) / log(_SHARED)


def name_features(use: NameUse) -> dict[str, float]:
    """The features of a name that do not depend on a paper, without what is above its concept."""
    single, kind = float(len(use.words) == 1), use.concept
    common = min(map(shared, use.words), default=0.0)
    label = label_words(kind.label)
    stems = {word[:STEM] for word in use.words}
    extra = min(sum(word[:STEM] not in stems for word in label), 4) / 4
    is_label = float(not extra and len(use.words) == len(label))
    label_stems = {word[:STEM] for word in map(fold, label)}
    outside = sum(word[:STEM] not in label_stems for word in use.words) / max(len(use.words), 1)
    longer = log1p(use.relations.longer) / 6
    features = {
        use.method: 1.0, "single": single, "long": float(len(use.words) > 2), "label": is_label, "score": use.score,
        "common": common, "common single": common * single, "common label": common * is_label,
        "everywhere": float(max(map(shared_rank, use.words), default=_SHARED) < _EVERYWHERE),
        "short": float(sum(map(len, use.words)) < 4), "extra": extra, "common extra": common * extra,
        "meanings": log(use.meanings), "deep": kind.depth / DEEPEST, "leaf": float(not kind.below),
        "below": log1p(kind.below) / 8, "common below": common * log1p(kind.below) / 8, "root": float(not kind.depth),
        "heads": log1p(kind.heads) / 8, "common heads": common * log1p(kind.heads) / 8,
        "outside": outside, "inside": float(is_inside(use)), "alike": use.relations.alike,
        "others": log1p(use.relations.others) / 4, "longer": longer, "longer outside": longer * outside,
        "longer extra": longer * extra,
    }  # fmt: skip
    if use.source:
        stem = shared_start(use.words[0], use.source)
        features["adjective stem"] = stem / max(len(use.source), 1)
        features["adjective left"] = (len(use.source) - stem) / 4
    if single and (ending := next((suffix for suffix in _ENDINGS if use.words[0].endswith(suffix)), "")):
        features[f"-{ending}"] = 1.0
        features[f"-{ending} common"] = common
    return features


def is_inside(use: NameUse) -> bool:
    """Whether all words of a name are in its concept's label, and the label has more: `planets` of the solar system."""
    stems = {word[:STEM] for word in use.words}
    return stems < {word[:STEM] for word in map(fold, label_words(use.concept.label))}


@lru_cache(100_000)
def label_words(label: str) -> tuple[str, ...]:
    """The words of a label that say something."""
    words = (word.strip(",;:()[].'\"") for word in label.casefold().replace("-", " ").replace("_", " ").split())
    return tuple(word for word in words if word and word not in STOP_WORDS)


@dataclass(frozen=True, slots=True)
class Profile:
    """Words that papers have that mean the concept: those of the label that the name lacks, and of what is near it.

    Attributes:
        after: words after the name that may make it a part of another name.
        inside: see `is_inside`.
        proper: see `NameUse`.
    """

    label: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    inside: bool = False
    proper: bool = False


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
        self._common_words = {word for word, times in often.items() if times > max(5, _OFTEN * len(self._words))}

    def of(self, use: NameUse, concept: int) -> Profile:
        """The profile of a concept for one of its names."""
        stems = {word[:STEM] for word in use.words}
        label = [word for word in label_words(use.concept.label) if len(word) > 2 and word[:STEM] not in stems]
        parents = [word for parent in use.concept.parents for word in label_words(parent)]
        every = dict.fromkeys((*self._words[concept], *parents))
        near = [word for word in every if len(word) > 2 and word not in self._common_words and word[:STEM] not in stems]
        near = [word for word in near if word not in label and word not in STOP_WORDS]
        return Profile(tuple(label[:4]), tuple(near[:MOST_WORDS]), use.relations.after, is_inside(use), use.proper)


@dataclass(frozen=True)
class PlausibilityModel:
    """See the module."""

    weights: Weights

    def priors(self, uses: Sequence[NameUse]) -> FloatArray:
        """The log odds that names mean their concepts, but for the paper, float [uses]."""
        weights = self.weights
        place = {column: at for at, column in enumerate(weights.columns)}
        rows = np.zeros((len(uses), max(len(weights.columns), 1)), np.float32)
        for row, use in enumerate(uses):
            for name, value in name_features(use).items():
                if (at := place.get(name)) is not None:
                    rows[row, at] = value
            for word in use.concept.above:
                if (at := place.get(f"above {word}")) is not None:
                    rows[row, at] = 1.0
        return np.asarray(
            weights.start
            + weights.slope * sum((tree.values(rows) for tree in weights.trees), np.zeros(len(rows), np.float32))
        )

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
        weights = self.weights
        context = sum(of(0.0, weight) * _HIGHEST.get(what, 1.0) for what, weight in weights.context.items())
        return context + of(weights.before.values(), default=0.0) + of(weights.after.values(), default=0.0)

    def standing(self, kind: ConceptKind) -> ConceptStanding:
        """What is said of a concept before a library is looked at."""
        features = {"one": 1.0, **label_features(kind)}
        general, method = (
            sum(weights.get(name, 0.0) * value for name, value in features.items())
            for weights in (self.weights.general, self.weights.method)
        )
        return ConceptStanding(general, method, kind.above)

    def general_in(self, spread: float, burst: float, rank: int) -> float:
        """What a library adds to how general a concept is; see `library_features`."""
        weights = self.weights.general
        return sum(weights.get(name, 0.0) * value for name, value in library_features(spread, burst, rank).items())

    def in_paper(self, profile: Profile, words: Collection[str], times: int, *, has_sure_name: bool) -> float:
        """What a paper adds; see `context_features`."""
        of = self.weights.context
        return sum(
            of.get(what, 0.0) * value for what, value in context_features(profile, words, times, has_sure_name).items()
        )

    def in_mention(self, profile: Profile, surface: str, after: str) -> float:
        """What a mention adds by how it is written, and by the key after it; see `mention_features`."""
        if profile.proper and surface.rsplit(maxsplit=1)[-1].islower():
            return -inf
        of = self.weights.context
        return sum(of.get(what, 0.0) * value for what, value in mention_features(profile, after).items())

    def score_neighbours(self, before: str, after: str) -> float:
        """What the words before and after a mention add."""
        weights = self.weights
        return weights.before.get(before, 0.0) + weights.after.get(after, 0.0)


_HIGHEST = {"times": 2.0}
"""Features of papers that may be above 1."""


def label_features(kind: ConceptKind) -> dict[str, float]:
    """The features of a concept by its label and by what is above it."""
    words = tuple(map(fold, label_words(kind.label))) or ("",)
    features = name_features(NameUse(words, kind, 1.0, "", 1)) | {f"above {word}": 1.0 for word in kind.above}
    for what in ("general", "method"):
        odds = [
            getattr(research_word, what) - _FAR if (research_word := find_research_word(word)) else 0.0
            for word in words
        ]
        features |= {f"{what} head": odds[-1], f"{what} mean": sum(odds) / len(odds)}
    return features


def library_features(spread: float, burst: float, rank: int) -> dict[str, float]:
    """The features of a concept in a library.

    Args:
        spread: the share of papers that mention it.
        burst: residual IDF (Church and Gale 1995): how many times fewer papers mention it than would if its sentences
            were spread over all by chance, as log2.
        rank: of its rarest word among those that all fields share.
    """
    return {"spread": spread, "log spread": log(spread), "burst": burst, "own": log(spread) + log(rank)}


def context_features(profile: Profile, words: Collection[str], times: int, has_sure_name: bool) -> dict[str, float]:
    """The features of a concept in a paper, by one of its names.

    Args:
        words: all words of the paper.
        times: how often the name is there.
        has_sure_name: whether another name of the concept, which is hardly ever wrong, is there.
    """
    label = sum(word in words for word in profile.label) / len(profile.label) if profile.label else 0.0
    near = sum(word in words for word in profile.near)
    return {
        "named": float(has_sure_name), "label said": label, "label unsaid": float(bool(profile.label) and not label),
        "near said": min(near, 4) / 4, "near unsaid": float(bool(profile.near) and not near),
        "times": min(log1p(times) / 4, 2.0),
    }  # fmt: skip


def mention_features(profile: Profile, after: str) -> dict[str, float]:
    """The features of one mention by the key of the word after it."""
    goes_on = after in profile.after
    return {"goes on": float(goes_on), "inside goes on": float(goes_on and profile.inside)}
