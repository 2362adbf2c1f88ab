"""How a name of a concept relates to the other names of the vocabularies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from conspectus.lexicon import STOP_WORDS

STEM = 5
"""Characters by which words of one stem are alike."""
_MOST_AFTER = 30
"""Words after a name."""
_LONGEST = 4
"""Words of a name that others may contain."""


class NameRelations(NamedTuple):
    """How a name of a concept relates to the other names of the vocabularies.

    Attributes:
        alike: the share of the concept's other names that have a stem in common with it.
        others: how many other names the concept has.
        longer: how many other concepts have a longer name that contains it.
        after: the words that follow its last word in names.
    """

    alike: float = 1.0
    others: int = 0
    longer: int = 0
    after: tuple[str, ...] = ()


class RelationFinder:
    """Finds how names relate to one another.

    Args:
        names: of each concept, as the words of keys.
    """

    def __init__(self, names: Mapping[int, Collection[tuple[str, ...]]]) -> None:
        self._names = names
        listed = {name for own_names in names.values() for name in own_names}
        self._longer: Counter[tuple[str, ...]] = Counter()
        for own_names in names.values():
            self._longer.update({part for name in own_names for part in _parts(name)} - set(own_names))
        self._after: dict[str, Counter[str]] = defaultdict(Counter)
        for first, second in {pair for name in listed for pair in pairwise(name)}:
            if second not in STOP_WORDS and second.isalpha():
                self._after[first][second] += 1

    def of(self, concept: int, words: tuple[str, ...]) -> NameRelations:
        """The relations of one name of a concept."""
        stems = {word[:STEM] for word in words}
        others = [name for name in self._names.get(concept, ()) if name != words]
        alike = sum(any(word[:STEM] in stems for word in name) for name in others)
        share = alike / len(others) if others else 1.0
        after = tuple(word for word, _ in self._after[words[-1]].most_common(_MOST_AFTER)) if words else ()
        return NameRelations(share, len(others), self._longer[words], after)


def _parts(name: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """All words in a row of a name, but not all of its words."""
    for start in range(len(name)):
        for stop in range(start + 1, min(len(name), start + _LONGEST) + 1):
            if stop - start < len(name):
                yield name[start:stop]
