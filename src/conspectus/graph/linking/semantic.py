"""Words that mean nearly what a name does: vectors of n-grams against vectors of names, where no name is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.graph.linking.linker import Match
from conspectus.graph.linking.naming import Reading, Table
from conspectus.graph.linking.words import TOKEN, is_acronym
from conspectus.lexicon import STOP_WORDS

WORDS = 3
"""Of an n-gram, at most."""
SHORTEST = 4
"""Characters of an n-gram or a name; what is shorter says too little by itself."""
PROBED = 32
"""Cells of the index that are looked into; an index of few names has one."""
_FEW = 20_000
_KNOWN = 500_000
"""N-grams that are remembered with what they mean."""
Embed = Callable[[Sequence[str]], FloatArray]
"""Texts -> unit vectors, float32 [texts, dimensions]."""


def names_of(table: Table) -> dict[str, Reading]:
    """The names that n-grams are compared with, as their words' keys, each with its likeliest reading."""
    found = {" ".join(key.split()): readings[0] for key, readings in table.readings.items() if "|" not in key}
    return {name: one for name, one in found.items() if one.concept and one.method == "exact" and len(name) >= SHORTEST}


@dataclass(frozen=True, slots=True)
class _Ngram:
    start: int
    stop: int
    words: str


class Semantic:
    """Finds, beside what a linker found, n-grams that mean nearly what a name does.

    Args:
        table: of all names.
        vectors: of `names_of(table)`, in its order, float [names, dimensions].
        embed: what made them.
        alpha: the least cosine of an n-gram with a name.
    """

    def __init__(self, table: Table, vectors: FloatArray, embed: Embed, alpha: float) -> None:
        self._table, self._embed, self._alpha = table, embed, alpha
        self._names = list(names_of(table).items())
        self._index = _index(vectors)
        self._known: dict[str, tuple[Reading, float] | None] = {}

    def link(self, texts: Sequence[str], found: Sequence[Sequence[Match]]) -> list[list[Match]]:
        """The mentions in each text, in order: those that were found, and the longest of what is near a name beside."""
        if len(self._known) > _KNOWN:
            self._known.clear()
        ngrams = [list(self._ngrams(text, own)) for text, own in zip(texts, found, strict=True)]
        self._learn(sorted({one.words for group in ngrams for one in group} - self._known.keys()))
        return [
            sorted([*own, *self._longest(group)], key=lambda one: one.start)
            for own, group in zip(found, ngrams, strict=True)
        ]

    def _ngrams(self, text: str, found: Sequence[Match]) -> Iterator[_Ngram]:
        """The n-grams over which no mention lies and no mark stands, without stop words at their ends."""
        covered = {at for one in found for at in range(one.start, one.stop)}
        tokens = list(TOKEN.finditer(text))
        for first, token in enumerate(tokens):
            for last, end in enumerate(tokens[first : first + WORDS], first):
                if end.start() in covered or end.end() - 1 in covered or is_acronym(end[0]):
                    break
                if last > first and self._table.marks[text[tokens[last - 1].end() : end.start()]]:
                    break
                ends = token[0].casefold(), end[0].casefold()
                words = " ".join(self._table.key(text[token.start() : end.end()]).split())
                if len(words) >= SHORTEST and not words[0].isdigit() and STOP_WORDS.isdisjoint(ends):
                    yield _Ngram(token.start(), end.end(), words)

    def _learn(self, words: Sequence[str]) -> None:
        """Remember what n-grams mean that were not met before."""
        if words:
            scores, places = self._index.search(self._embed(words), 1)
            for text, score, place in zip(words, scores[:, 0].tolist(), places[:, 0].tolist(), strict=True):
                self._known[text] = (self._names[place][1], score) if score >= self._alpha else None

    def _longest(self, ngrams: Sequence[_Ngram]) -> Iterator[Match]:
        near = [(one, said) for one in ngrams if (said := self._known[one.words])]
        taken: list[_Ngram] = []
        for one, (reading, alike) in sorted(near, key=lambda pair: (pair[0].start - pair[0].stop, -pair[1][1])):
            if all(one.stop <= other.start or other.stop <= one.start for other in taken):
                taken.append(one)
                yield Match(one.start, one.stop, reading.concept, min(1.0, reading.score * alike), "semantic")


def _index(vectors: FloatArray):  # type: ignore[no-untyped-def] # faiss has no types
    import faiss

    cells = int(len(vectors) ** 0.5) if len(vectors) > _FEW else 1
    index = faiss.index_factory(vectors.shape[1], f"IVF{cells},SQfp16", faiss.METRIC_INNER_PRODUCT)
    own = np.asarray(vectors, np.float32)
    index.train(own[:: max(1, len(own) // (64 * cells))])
    index.add(own)
    index.nprobe = min(PROBED, cells)
    return index
