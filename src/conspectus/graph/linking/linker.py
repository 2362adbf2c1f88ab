"""Finds names in texts: the longest that do not overlap."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from conspectus.records.concepts import NameKind

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Named:
    """A name of a concept, given by its key; `rank`: of its vocabulary, the lowest goes before."""

    concept: int
    text: str
    kind: NameKind
    rank: int


@dataclass(frozen=True, slots=True)
class Match:
    """Where a text speaks of a concept; `others`: what else the words could mean, with scores."""

    start: int
    stop: int
    concept: int
    score: float
    method: str
    others: tuple[tuple[int, float], ...] = ()


class Linker:
    """Finds names, whatever their case."""

    def __init__(self, names: Iterable[Named]) -> None:
        self._known: dict[tuple[str, ...], list[int]] = {}
        for one in sorted(names, key=lambda one: one.rank):
            words = tuple(word.casefold() for word in _WORD.findall(one.text))
            if words and one.concept not in self._known.setdefault(words, []):
                self._known[words].append(one.concept)
        self._longest = max(map(len, self._known), default=0)

    def link(self, texts: Sequence[str]) -> list[list[Match]]:
        """What each of the sentences of a paper speaks of, in order."""
        return [list(self._found(text)) for text in texts]

    def _found(self, text: str) -> Iterator[Match]:
        words, at = list(_WORD.finditer(text)), 0
        while at < len(words):
            for number in range(min(self._longest, len(words) - at), 0, -1):
                some = words[at : at + number]
                if concepts := self._known.get(tuple(word.group().casefold() for word in some)):
                    others = tuple((key, 1.0) for key in concepts[1:])
                    yield Match(some[0].start(), some[-1].end(), concepts[0], 1.0, "exact", others)
                    at += number - 1
                    break
            at += 1
