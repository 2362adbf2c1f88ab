"""Names of regions, of the phrases that their texts have more of than others (class-based TF-IDF).

A phrase weighs √(share of the region's texts that have it) · (share of the texts that have it that are the region's):
the root, so that what nearly all have does not win by that alone, and the share instead of a logarithm, so that a word
of the whole field (energy, theory) names nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

TERMS = 8
"""Kept of each region."""
IN_NAME = 2
FEWEST, LEAST = 2, 0.005
"""Texts that a phrase must be in, as a number and as a share of the region."""
STEM = 5
"""Characters by which words are taken to be forms of one another."""


class Phrases:
    """Of how many texts each phrase is, by region."""

    def __init__(self) -> None:
        self._own: dict[int, Counter[str]] = {}
        self._sizes: Counter[int] = Counter()

    def add(self, region: int, phrases: Iterable[str]) -> None:
        """A text of a region has these."""
        self._own.setdefault(region, Counter()).update(set(phrases))
        self._sizes[region] += 1

    def above(self, parents: Mapping[int, int]) -> Phrases:
        """The same of the regions that these lie in."""
        made = Phrases()
        for region, counts in self._own.items():
            made._own.setdefault(parents[region], Counter()).update(counts)
            made._sizes[parents[region]] += self._sizes[region]
        return made

    def terms(self, least: float = LEAST) -> dict[int, tuple[str, ...]]:
        """Region -> what it has more of than others, the most first, none a form of one before.

        `least`: the share of a region's texts that have it.
        """
        of_all: Counter[str] = Counter()
        for counts in self._own.values():
            of_all.update(counts)
        return {region: self._best(region, of_all, least) for region in self._own}

    def _best(self, region: int, of_all: Counter[str], least: float) -> tuple[str, ...]:
        size = self._sizes[region]
        enough = max(FEWEST, least * size)
        scored = {
            phrase: (count / size) ** 0.5 * count / of_all[phrase]
            for phrase, count in self._own[region].items()
            if count >= min(enough, size)
        }
        return _apart(sorted(scored, key=lambda phrase: (-scored[phrase], phrase)))


def _apart(phrases: Sequence[str]) -> tuple[str, ...]:
    """The first that have no word in common, nor a form of it, and none the other's abbreviation."""
    found: list[str] = []
    seen: set[str] = set()
    for phrase in phrases:
        stems = {word[:STEM].casefold() for word in phrase.replace("-", " ").split() if len(word) > 1}
        if stems and not stems & seen and not any(_stands_for(phrase, one) for one in found):
            found.append(phrase)
            seen |= stems
        if len(found) == TERMS:
            break
    return tuple(found)


def _stands_for(short: str, phrase: str) -> bool:
    """Whether something is the first letters of a phrase's words."""
    return short.casefold() == "".join(word[0] for word in phrase.casefold().replace("-", " ").split())


def names(terms: Mapping[int, Sequence[str]], order: Sequence[int], width: int = IN_NAME) -> dict[int, str]:
    """Region -> a name of its best terms, `width` of them; no two have the same, the first in `order` choose first.

    A region whose texts have no phrases in common is `unnamed`, with a number.
    """
    taken: set[str] = set()
    leading: set[str] = set()
    found: dict[int, str] = {}
    for number, region in enumerate(order, start=1):
        own = [term for term in terms.get(region, ()) if term.casefold() not in leading] or list(terms.get(region, ()))
        wide = width
        name = ", ".join(own[:wide]) or f"unnamed {number}"
        while name in taken and wide < len(own):
            wide += 1
            name = ", ".join(own[:wide])
        name = name if name not in taken else f"{name} ({number})"
        taken.add(name)
        leading |= {own[0].casefold()} if own else set()
        found[region] = name
    return found
