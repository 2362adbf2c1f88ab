"""Forms that vocabularies do not list, learnt from their names: adjectives, other orders of words, dropped heads.

That `cardiac` is `heart` is learnt where one concept is called "cardiac vein" and "vein of heart"; that `-um` becomes
`-al` where many such pairs do (`epithelium`, `epithelial`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise, takewhile

Key = tuple[str, ...]
Keys = Mapping[int, set[Key]]
"""The names of each concept, as keys of their words."""

_SMALL = frozenset(("of", "the", "in", "to", "and", "for"))
PAIRS = 2
"""Concepts that have to show a pair of words before it is taken."""
PATTERNS = 2
"""Pairs that have to show a change of endings."""
ENDINGS = 10
"""Pairs that have to show that adjectives end so."""
SHOWN, DROPPED = 5, 0.1
"""Concepts that have to be called without a word that ends their names, and the share of those that have it."""
MOST_NAMES = 12
"""Names of a concept that are compared with one another."""


def shared_start(one: str, other: str) -> int:
    """How many characters two words begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def adjectives(keys: Keys) -> dict[str, Counter[str]]:
    """For each adjective the nouns that stand for it in other names of the same concepts, with how many concepts."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for names in keys.values():
        some = sorted(names)[:MOST_NAMES]
        for pair in {pair for after in some if "of" in after for before in some if (pair := _pair(before, after))}:
            found[pair[0]][pair[1]] += 1
    return found


def _pair(before: Key, after: Key) -> tuple[str, str] | None:
    """(`retinal`, `retina`) of `retinal vein` and `vein of retina`."""
    ours, theirs = set(before), set(after) - _SMALL
    one, other = ours - theirs, theirs - ours
    if len(one) == len(other) == 1 and ours & theirs and not ours & _SMALL:
        adjective, noun = *one, *other
        if before[-1] != adjective and after[-1] == noun:
            return adjective, noun
    return None


def endings(pairs: Mapping[str, Counter[str]]) -> Counter[tuple[str, str]]:
    """How endings change from nouns to adjectives, with how many pairs show it."""
    found: Counter[tuple[str, str]] = Counter()
    for adjective, nouns in pairs.items():
        for noun in nouns:
            shared = shared_start(adjective, noun)
            if shared >= 3 and len(adjective) > shared:
                found[noun[shared:], adjective[shared:]] += 1
    return found


class Forms:
    """What is learnt of the names of vocabularies.

    Attributes:
        nouns: for each adjective the noun that it is of.
    """

    def __init__(self, keys: Keys, generic: Collection[str] = ()) -> None:
        self._names = {name for names in keys.values() for name in names if "|" not in name}
        self._after, self._heads = _places(self._names)
        self._ones = {name[0] for name in self._names if len(name) == 1}
        pairs = adjectives(keys)
        self._endings = {change for change, times in endings(pairs).items() if times >= PATTERNS}
        last = Counter(word[-2:] for word, nouns in pairs.items() for noun in nouns if shared_start(word, noun) >= 3)
        self._adjectival = {ending for ending, times in last.items() if times >= ENDINGS}
        self._often = Counter(word for name in self._names for word in name)
        self._dropped = self._droppable(keys) | set(generic)
        shown = {word: nouns.most_common(1)[0] for word, nouns in pairs.items() if self._is_modifier(word)}
        self.nouns = {
            word: noun
            for word, (noun, times) in shown.items()
            if times >= (PAIRS if word[-2:] in self._adjectival else 5 * PAIRS)
            and len(word) > 4
            and self._fits(word, noun)
        } | self._by_ending()

    def _fits(self, word: str, noun: str) -> bool:
        return noun in self._ones and self._often[word] <= 20 * self._often[noun]

    def _is_modifier(self, word: str) -> bool:
        """Whether a word is no name and seldom ends one."""
        return word not in self._ones and self._heads[word] * 5 <= sum(self._after.get(word, {}).values())

    def _droppable(self, keys: Keys) -> set[str]:
        """Words that names end with, which their concepts are called without as well."""
        total, short = Counter[str](), Counter[str]()
        for names in keys.values():
            for name in names:
                if len(name) == 2:
                    total[name[1]] += 1
                    short[name[1]] += name[:1] in names
        return {head for head, times in short.items() if times >= SHOWN and times >= DROPPED * total[head]}

    def _by_ending(self) -> dict[str, str]:
        """The adjectives that are made by the endings of others, each of the noun that shares most with it."""
        best: dict[str, tuple[float, str]] = {}
        known = defaultdict(list)
        for word in self._after:
            if word[-2:] in self._adjectival and len(word) > 5:
                known[word[:4]].append(word)
        for noun in self._ones:
            for word in {*self._regular(noun), *(word for word in known[noun[:4]] if self._near(noun, word))}:
                closest = shared_start(noun, word) - len(noun) / 100, noun
                if (
                    word[-2:] in self._adjectival
                    and self._is_modifier(word)
                    and self._fits(word, noun)
                    and closest > best.get(word, (0, ""))
                ):
                    best[word] = closest
        return {word: noun for word, (_, noun) in best.items()}

    def _regular(self, noun: str) -> Iterator[str]:
        for before, after in self._endings:
            if len(noun) - len(before) >= 4 and noun.endswith(before):
                yield noun[: len(noun) - len(before)] + after

    @staticmethod
    def _near(noun: str, adjective: str) -> bool:
        shared = shared_start(noun, adjective)
        return len(noun) - shared <= 2 and 2 <= len(adjective) - shared <= 4

    def is_adjective(self, word: str) -> bool:
        """Whether a word with an adjective's ending stands before others in names, and never ends one."""
        times = sum(self._after.get(word, {}).values())
        return (word[-2:] in self._adjectival or word.endswith("ed")) and self._heads[word] * 50 < times

    def of(self, name: Key) -> Iterator[Key]:
        """Other forms of a name: `heart wall` of `wall of heart`; `photoreceptor` of `photoreceptor cell`."""
        if name.count("of") == 1 and "of" in name[1:-1]:
            at = name.index("of")
            yield (*(word for word in name[at + 1 :] if word != "the"), *name[:at])
        if len(name) == 2 and name[1] in self._dropped and self._only_before(*name):
            yield name[:1]

    def _only_before(self, word: str, head: str) -> bool:
        after = self._after[word]
        return (
            self._is_modifier(word)
            and word not in self.nouns
            and len(word) > 3
            and word[-2:] not in self._adjectival
            and not word.endswith(("ed", "ing"))
            and after[head] * 2 >= sum(after.values())
        )


def _places(names: Iterable[Key]) -> tuple[dict[str, Counter[str]], Counter[str]]:
    """For each word what follows it in names, and how often it ends one of two words or more."""
    after: dict[str, Counter[str]] = defaultdict(Counter)
    last: Counter[str] = Counter()
    for name in names:
        for word, following in pairwise(name):
            after[word][following] += 1
        if len(name) > 1:
            last[name[-1]] += 1
    return after, last
