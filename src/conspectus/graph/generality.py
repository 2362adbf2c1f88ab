"""Entities of which a library says nothing of its own: everyday words, spoken of in all papers alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, inf, log2

ZIPF = 0.1
"""The share of a text that its most frequent word has; the word of rank r has about this, divided by r (Zipf)."""
EVENNESS = 6.0
"""What a residual IDF of 1 is worth, in doublings of how often a word is met beside everyday texts."""
OWN = 5.5
"""Below that an entity is general."""
FEWEST = 100
"""Papers, below which nobody can say."""


@dataclass(frozen=True, slots=True)
class Generality:
    """Tells what is general among entities.

    Args:
        ranks: everyday words by their ranks, 1 for the most frequent.
        papers: how many there are.
        words: how many words these have, about.
    """

    ranks: Mapping[str, int]
    papers: int
    words: int

    def is_general(self, names: Iterable[str], sentences: int, papers: int) -> bool:
        """Whether an entity is, by its names, and by how many sentences and papers speak of it."""
        return self.papers >= FEWEST and self.own(names, sentences, papers) < OWN

    def own(self, names: Iterable[str], sentences: int, papers: int) -> float:
        """How much more the library has to say of it than everyday texts; infinite where it has no everyday name.

        The sum of how many times oftener it is met than its most frequent name is in everyday texts, as log2, and of
        its residual IDF (Church and Gale 1995) by `EVENNESS`: how many times fewer papers speak of it than would if
        its sentences were spread over all by chance, as log2.
        """
        rank = min((self.ranks.get(name.casefold(), inf) for name in names), default=inf)
        if rank == inf:
            return inf
        by_chance = self.papers * (1 - exp(-sentences / self.papers))
        return log2(sentences / self.words * rank / ZIPF) + EVENNESS * log2(by_chance / papers)
