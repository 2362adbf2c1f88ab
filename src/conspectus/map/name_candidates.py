"""Names that regions can have: key phrases that their texts have more often than others, concepts, a model's words.

A phrase is in a text that says it, whether or not it is one of the key phrases of that. Of a region's phrases those are
kept that weigh the most by (share of its texts that have it)^`COMMON` · log (how many times as many as by chance): they
are said together, and others have few of them. Its name are those `IN_NAME` by which its texts would be found the best:
the texts that have one of them and its own are the most the same (Dice). So each says what the others leave out. Of
these, and then of the others, those that are the most its own come first: by (share of its texts that have
it)^`NAMING` · (share of the texts that have it that are its own).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from math import log
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from conspectus.core.roles import Role
from conspectus.llm.client import LlmClient
from conspectus.llm.output_spec import OutputSpec
from conspectus.llm.prompts import fenced
from conspectus.records import normal_name

TERMS = 8
"""Kept of each region."""
IN_NAME = 3
LEAST = 0.005
"""Share of a region's texts that a phrase must be in; of more than one."""
COMMON, NAMING = 0.85, 0.7
"""With less, rarer phrases, which are more a region's own, are kept, and come first."""
STEM, SHORTEST = 5, 4
"""Characters by which words are taken to be forms of one another; of shorter ones all, if so many."""
Ints = npt.NDArray[np.int64]
Weight = Callable[[float, float, float, float], float]
"""Of a phrase, by how many texts of a region, of the region's that have it or not, of all that have it, and of all."""


def beyond_chance(own: float, region: float, having: float, texts: float) -> float:
    """See above; below 0 where fewer have it than by chance."""
    weight: float = (own / region) ** COMMON * log(own * texts / (region * having))
    return weight


def overlap(own: float, region: float, having: float, texts: float) -> float:  # noqa: ARG001 - as the others
    """How far the texts that have it and those of the region are the same (Dice)."""
    return 2 * own / (region + having)


def exclusive(own: float, region: float, having: float, texts: float) -> float:  # noqa: ARG001 - as the others
    """See above."""
    weight: float = (own / region) ** NAMING * own / having
    return weight


class PhraseFinder:
    """Finds phrases, as `normal_name` has them, in texts."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._phrases = {" ".join(phrase.split()) for phrase in phrases}
        lengths: dict[str, set[int]] = {}
        for words in (phrase.split() for phrase in self._phrases if phrase):
            lengths.setdefault(words[0], set()).add(len(words))
        self._lengths = {word: sorted(found, reverse=True) for word, found in lengths.items()}

    def of(self, text: str) -> set[str]:
        """Those that a text says: of those that begin with a word the longest, and none within it."""
        words, found, start = normal_name(text).split(), set(), 0
        while start < len(words):
            for length in self._lengths.get(words[start], ()):
                here = " ".join(words[start : start + length])
                if here in self._phrases and start + length <= len(words):
                    found.add(here)
                    start += length - 1
                    break
            start += 1
        return found


class Phrases:
    """In how many texts each phrase is, by region; a text may count for less than one."""

    def __init__(self) -> None:
        self._own: dict[int, Counter[str]] = {}
        self._sizes: Counter[int] = Counter()

    def add(self, region: int, phrases: Iterable[str] | Mapping[str, float]) -> None:
        """A text of a region has these, each once, or for as much as is said."""
        counts: Any = phrases if isinstance(phrases, Mapping) else dict.fromkeys(phrases, 1)
        self._own.setdefault(region, Counter()).update(counts)
        self._sizes[region] += 1

    def above(self, parents: Mapping[int, int]) -> Phrases:
        """The same of the regions that these lie in."""
        made = Phrases()
        for region, counts in self._own.items():
            made._own.setdefault(parents[region], Counter()).update(counts)
            made._sizes[parents[region]] += self._sizes[region]
        return made

    def terms(self) -> dict[int, tuple[str, ...]]:
        """Region -> what its texts have more of than others, the most its own first, none a form of one before."""
        of_all = self._of_all()
        most = self.best(beyond_chance, LEAST)
        own = {region: self._weights(exclusive, region, terms, of_all) for region, terms in most.items()}
        return {region: tuple(sorted(weights, key=lambda phrase: -weights[phrase])) for region, weights in own.items()}

    def best(self, weight: Weight, least: float) -> dict[int, tuple[str, ...]]:
        """Region -> the phrases that weigh the most, none a form of one before.

        `least`: the share of a region's texts that have it.
        """
        of_all = self._of_all()
        return {region: self._best(region, of_all, weight, least) for region in self._own}

    def _of_all(self) -> Counter[str]:
        of_all: Counter[str] = Counter()
        for counts in self._own.values():
            of_all.update(counts)
        return of_all

    def _weights(
        self, weight: Weight, region: int, phrases: Iterable[str], of_all: Mapping[str, float]
    ) -> dict[str, float]:
        own, size, texts = self._own[region], self._sizes[region], self._sizes.total()
        return {phrase: weight(own[phrase], size, of_all[phrase], texts) for phrase in phrases}

    def _best(self, region: int, of_all: Mapping[str, float], weight: Weight, least: float) -> tuple[str, ...]:
        size = self._sizes[region]
        often = [one for one, count in self._own[region].items() if count >= least * size and (count > 1 or size == 1)]
        weights = self._weights(weight, region, often, of_all)
        return _drop_forms(sorted(weights, key=lambda phrase: (-weights[phrase], phrase)))


def rows_by_phrase(phrases: Set[str], texts: Iterable[Set[str]]) -> dict[str, Ints]:
    """Phrase -> the numbers of the texts that have it, in order."""
    rows: dict[str, list[int]] = {phrase: [] for phrase in phrases}
    for row, said in enumerate(texts):
        for phrase in said & phrases:
            rows[phrase].append(row)
    return {phrase: np.array(found, np.int64) for phrase, found in rows.items()}


def order_for_names(terms: Sequence[str], said: Mapping[str, Ints], own: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    """The terms of a region, those first that make its name; see above.

    Args:
        terms: of the region, the most its own first.
        said: `where_said`.
        own: of each text whether it is the region's.
    """
    has = np.zeros(len(own), np.uint8)  # a bit of each term
    for bit, term in enumerate(terms):
        has[said[term]] |= np.uint8(1 << bit)
    having, of_own = (np.bincount(one, minlength=1 << TERMS) for one in (has, has[own]))
    region, kinds = int(own.sum()), np.arange(1 << TERMS)

    def found(bits: tuple[int, ...]) -> float:
        hit = kinds & sum(1 << bit for bit in bits) > 0
        return overlap(of_own[hit].sum(), region, having[hit].sum(), len(own))

    best = max(combinations(range(len(terms)), min(IN_NAME, len(terms))), key=found)
    others = [bit for bit in range(len(terms)) if bit not in best]
    return tuple(terms[bit] for bit in [*best, *others])


def _drop_forms(phrases: Sequence[str]) -> tuple[str, ...]:
    """The first that have no word in common, nor a form of it, and none the other's abbreviation."""
    found: list[str] = []
    seen: set[str] = set()
    for phrase in phrases:
        stems = {word[:STEM].casefold().removesuffix("s") for word in phrase.replace("-", " ").split() if len(word) > 1}
        is_said = any(_are_forms(stem, one) for stem in stems for one in seen) or any(
            _stands_for(phrase, one) or _stands_for(one, phrase) for one in found
        )
        if stems and not is_said:
            found.append(phrase)
            seen |= stems
        if len(found) == TERMS:
            break
    return tuple(found)


def _are_forms(stem: str, other: str) -> bool:
    """Whether the beginnings of two words are the same, as far as both go."""
    short, long = sorted((stem, other), key=len)
    return stem == other or (len(short) >= SHORTEST and long.startswith(short))


def _stands_for(short: str, phrase: str) -> bool:
    """Whether something is the first letters of a phrase's words."""
    return short.casefold() == "".join(word[0] for word in phrase.casefold().replace("-", " ").split())


def names(terms: Mapping[int, Sequence[str]], order: Sequence[int], width: int = IN_NAME) -> dict[int, str]:
    """Region -> a name of its first terms, `width` of them; no two have the same, the first in `order` choose first.

    None begins with what another does where it has another term to begin with. A region whose texts have no phrases in
    common is `unnamed`, with a number.
    """
    taken: set[str] = set()
    leads: set[str] = set()
    found: dict[int, str] = {}
    for number, region in enumerate(order, start=1):
        first = list(terms.get(region, ()))[:width]
        new = [term for term in first if term.casefold() not in leads]
        own = list(dict.fromkeys([*new[:1], *terms.get(region, ())]))
        wide = width
        name = ", ".join(own[:wide]) or f"unnamed {number}"
        while name in taken and wide < len(own):
            wide += 1
            name = ", ".join(own[:wide])
        name = name if name not in taken else f"{name} ({number})"
        taken.add(name)
        leads |= {own[0].casefold()} if own else set()
        found[region] = name
    return found


ROLE: Role = "summarise"
PROMPT = "regions"
COVERED = 0.15
"""Share of a region's texts that mention a concept, or of what is below it, where the region may be called so."""
KIND_OF = 0.9
"""What a text that mentions a kind of something counts, beside one that mentions it: what says as much as one of its
kinds alone gives way to that."""
BETA = 1.5
"""So many times as much it counts that a region's texts mention a concept as that others do not. With 1 it is too
often called after what few of its texts mention, though fewer others; with 2 fewer names tell regions apart."""
MORE = 1.03
"""So many times as well two concepts must cover a region as the best alone, and three as two, to be its name."""
LONGEST = 60
"""Letters of a name."""
Parents = Mapping[int, Sequence[int]]
Counts = dict[str, float]
"""Label -> what a text counts that mentions it."""


def cover_texts(texts: Iterable[tuple[int, Iterable[int]]], labels: Mapping[int, str], parents: Parents) -> Phrases:
    """In how many texts of each region there are concepts, counted with all that these are kinds of.

    Args:
        texts: the region of each, and the concepts that it mentions.
        labels: of the concepts that count.
        parents: concept -> those that it is a kind of.
    """
    found = Phrases()
    for region, weights in _weigh_concepts(texts, labels, parents):
        found.add(region, weights)
    return found


def rows_by_concept(
    texts: Iterable[tuple[int, Iterable[int]]], labels: Mapping[int, str], parents: Parents, wanted: Iterable[str]
) -> dict[str, dict[int, float]]:
    """Label that is wanted -> the number of each text that mentions its concept, or of a kind of it -> what it counts.

    Args:
        texts: the number of each instead of its region.
        labels, parents: see `covering`.
        wanted: labels.
    """
    found: dict[str, dict[int, float]] = {label: {} for label in wanted}
    for number, weights in _weigh_concepts(texts, labels, parents):
        for label in weights.keys() & found.keys():
            found[label][number] = weights[label]
    return found


def _weigh_concepts(
    texts: Iterable[tuple[int, Iterable[int]]], labels: Mapping[int, str], parents: Parents
) -> Iterator[tuple[int, Counts]]:
    above: dict[int, Counts] = {}
    for number, concepts in texts:
        weights: Counts = {}
        for concept in concepts:
            if concept in labels:
                for label, weight in _above(concept, labels, parents, above).items():
                    weights[label] = max(weight, weights.get(label, 0))
        yield number, weights


def _above(one: int, labels: Mapping[int, str], parents: Parents, known: dict[int, Counts]) -> Counts:
    """A concept and all that it is a kind of; vocabularies may go in circles."""
    if one not in known:
        found, step, weight = {one: 1.0}, {one}, 1.0
        while step:
            weight *= KIND_OF
            step = {parent for each in step for parent in parents.get(each, ())} - found.keys()
            found |= dict.fromkeys(step, weight)
        known[one] = {labels[each]: weight for each, weight in found.items() if each in labels}
    return known[one]


def coverage(own: float, region: float, having: float, texts: float) -> float:  # noqa: ARG001 - as the others
    """How well a concept covers a region: the F-measure, with `BETA`, of finding its texts by that."""
    return (1 + BETA**2) * own / (BETA**2 * region + having)


def one_to_three(
    terms: Sequence[str], said: Mapping[str, Mapping[int, float]], own: npt.NDArray[np.bool_]
) -> tuple[str, ...]:
    """The concept that covers a region best, or two or three if each more makes them by `MORE` better together.

    A concept alone is held against two as if each of its kinds were said by its name: two kinds of one do not beat it.

    Args:
        terms: the concepts that cover it, the best first.
        said: `where_covered`.
        own: of each text whether it is the region's.
    """
    rows = np.unique(np.array([row for term in terms for row in said[term]], np.int64))
    counts = {term: np.zeros(len(rows)) for term in terms}
    for term, count in counts.items():
        count[np.searchsorted(rows, list(said[term]))] = list(said[term].values())
    region, mine = float(own.sum()), own[rows]

    def covered(labels: Sequence[str]) -> float:
        return by(np.max([counts[label] for label in labels], axis=0))

    def by(has: npt.NDArray[np.float64]) -> float:
        return coverage(float(has[mine].sum()), region, float(has.sum()), len(own))

    best, least = tuple(terms[:1]), max((by(np.ceil(counts[term])) for term in terms), default=0.0)
    for width in range(2, IN_NAME + 1):
        wider = max(combinations(terms, width), key=covered, default=())
        if not wider or covered(wider) < MORE * least:
            break
        best, least = wider, covered(wider)
    return best


def name_by_concepts(
    best: Mapping[int, Sequence[str]], terms: Mapping[int, Sequence[str]], order: Sequence[int]
) -> dict[int, str]:
    """Region -> its `one_to_three` concepts; regions without one are left out.

    One that another, before it in `order`, is called after, too, has its next one beside it.
    """
    found: dict[int, str] = {}
    for key in order:
        if own := tuple(best.get(key, ())):
            wider = ((*own, other) for other in terms[key] if other not in own)
            ways = (*map(", ".join, (own, *wider)), f"{', '.join(own)} ({len(found) + 1})")
            found[key] = next(way for way in ways if way not in found.values())
    return found


@dataclass(frozen=True, slots=True)
class SiblingRegion:
    """A region as a model is told of it."""

    key: int
    terms: Sequence[str]
    titles: Sequence[str]


class NamesReply(msgspec.Struct):
    """What the prompt `regions` gives."""

    names: list[str]


async def name_by_model(client: LlmClient, siblings: Sequence[SiblingRegion], language: str) -> dict[int, str]:
    """Region -> its name, of regions that lie within the same one, as a language model calls them."""
    told = "\n\n".join(_describe_group(number, one) for number, one in enumerate(siblings, start=1))
    wanted = OutputSpec(NamesReply, lambda said: find_fault(said.names, len(siblings)))
    values = {"groups": fenced("groups", told), "language": language or "English"}
    said = await client.ask(ROLE, PROMPT, values, wanted)
    return {one.key: " ".join(name.split()) for one, name in zip(siblings, said.names, strict=True)}


def _describe_group(number: int, group: SiblingRegion) -> str:
    titles = "\n".join(f"- {' '.join(title.split())[:200]}" for title in group.titles)
    return f"[{number}] {', '.join(group.terms)}\n{titles}"


def find_fault(said: Sequence[str], wanted: int) -> str:
    """What is wrong with the names of so many regions; "": nothing."""
    if len(said) != wanted:
        return f"There are {wanted} groups, and {len(said)} names."
    if wrong := [name for name in said if not 0 < len(name.strip()) <= LONGEST]:
        return f"A name has 1 to {LONGEST} letters: {wrong[0][:LONGEST]!r} has {len(wrong[0])}."
    if twice := [name for name, count in Counter(name.casefold().strip() for name in said).items() if count > 1]:
        return f"Two groups are called {twice[0]!r}."
    return ""
