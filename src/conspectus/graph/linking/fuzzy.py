"""Words that are nearly those of names, as misprints are: rapidfuzz, against words of about the same length only."""

from __future__ import annotations

from collections import defaultdict

from conspectus.graph.linking.words import Words, fold

SHORTEST = 6
"""Letters of a word that may be misprinted; a shorter one is too near to others."""


class Fuzzy(dict[str, str]):
    """From a token to the key of the nearest word of names, else to its own. Remembers all that it was asked.

    Args:
        words: the keys of tokens.
        alpha: the least likeness, 0 to 1 (Levenshtein's, by the longer word's length).

    Attributes:
        alike: likeness by token, for those that were taken for another word.
    """

    def __init__(self, words: Words, alpha: float) -> None:
        super().__init__()
        self.alike: dict[str, float] = {}
        self._words, self._alpha = words, alpha
        self._blocks: dict[tuple[str, int], list[str]] = defaultdict(list)
        for word in sorted(words.known):
            if len(word) >= SHORTEST and word.isalpha():
                self._blocks[word[0], len(word)].append(word)

    def __missing__(self, token: str) -> str:
        key = self._words[token]
        word = fold(token)
        if len(word) >= SHORTEST and word.isalpha() and key.strip() not in self._words.known:
            key = self._nearest(token, word) or key
        self[token] = key
        return key

    def _nearest(self, token: str, word: str) -> str:
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import extractOne

        near = [
            one for length in range(len(word) - 1, len(word) + 2) for one in self._blocks.get((word[0], length), ())
        ]
        found = extractOne(word, near, scorer=Levenshtein.normalized_similarity, score_cutoff=self._alpha)
        if not found:
            return ""
        self.alike[token] = found[1]
        return self._words[found[0]]
