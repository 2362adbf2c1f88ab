"""Names of regions, of the phrases that their texts have more of than others.

A phrase is in a text that says it, whether or not it is one of the key phrases of that. Of a region's phrases those are
kept that weigh the most by (share of its texts that have it)^`COMMON` · log (how many times as many as by chance): they
are said together, and others have few of them. Its name are those `IN_NAME` by which its texts would be found the best:
the texts that have one of them and its own are the most the same (Dice). So each says what the others leave out. Of
these, and then of the others, those that are the most its own come first: by (share of its texts that have
it)^`NAMING` · (share of the texts that have it that are its own).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import combinations
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

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


class Finder:
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
        return _apart(sorted(weights, key=lambda phrase: (-weights[phrase], phrase)))


def where_said(phrases: Set[str], texts: Iterable[Set[str]]) -> dict[str, Ints]:
    """Phrase -> the numbers of the texts that have it, in order."""
    rows: dict[str, list[int]] = {phrase: [] for phrase in phrases}
    for row, said in enumerate(texts):
        for phrase in said & phrases:
            rows[phrase].append(row)
    return {phrase: np.array(found, np.int64) for phrase, found in rows.items()}


def named_first(terms: Sequence[str], said: Mapping[str, Ints], own: npt.NDArray[np.bool_]) -> tuple[str, ...]:
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


def _apart(phrases: Sequence[str]) -> tuple[str, ...]:
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
