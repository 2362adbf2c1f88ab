"""The names of all vocabularies as one table: for each key what it may mean, and how likely."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from conspectus.graph.linking.forms import Forms, Key
from conspectus.graph.linking.rules import SHORT, Rules
from conspectus.graph.linking.words import PART, TOKEN, Marks, Words, is_acronym, known_words
from conspectus.records.vocabularies import NameKind


@dataclass(frozen=True, slots=True)
class Named:
    """A name of a concept.

    Attributes:
        concept: the concept's number, above 0.
        rank: the order of its vocabulary: 0 comes before 1 where a name is ambiguous.
    """

    concept: int
    text: str
    kind: NameKind = NameKind.EXACT
    rank: int = 0


class Reading(NamedTuple):
    """What a key may mean.

    Attributes:
        method: `exact`; `acronym` and `abbreviation` (only where the paper has the concept by another name, too);
            `adjective`, `form`, `learnt`.
    """

    concept: int
    score: float
    method: str


HINTED = ("acronym", "abbreviation")
"""Methods that need the concept by another name; only an acronym is told from a word by its capitals."""
OWN_NAMES = (NameKind.PREFERRED, NameKind.LABEL)
NOTHING = Reading(0, 0.0, "nothing")
SCORES = {
    NameKind.PREFERRED: 1.0,
    NameKind.LABEL: 1.0,
    NameKind.EXACT: 0.95,
    NameKind.ABBREVIATION: 0.8,
    NameKind.RELATED: 0.6,
    NameKind.BROAD: 0.5,
    NameKind.NARROW: 0.5,
}
"""What a name of each kind is worth before the paper is looked at."""
_RANK = 0.01
"""What each vocabulary before costs a name."""
_FORM = 0.2
"""What a name loses that is made, not listed."""
GENERIC = 0.25
"""A word that ends more of a vocabulary's names tells nothing: `cell` in one of cells."""


GENERIC_WORD, ADJECTIVE = "ends many names", "adjective"
"""Why names are dropped that vocabularies list; the latter where other names have it before nouns only."""
LEGENDS = ("scale bar",)
"""What legends of figures say that is none of its words."""


Readings = Mapping[str, tuple[Reading, ...]]
"""By key, the likeliest first."""
NO_ENTRIES: Mapping[Any, Any] = MappingProxyType({})
Dropped = Mapping[tuple[int, str], str]
"""(concept, name) -> why texts are not searched for it, though its vocabulary lists it."""


class Table:
    """From key to readings.

    Attributes:
        words, marks: what makes keys of texts.
        readings: those in memory.
        dropped: names that the others show to tell nothing.
    """

    def __init__(
        self,
        words: Words,
        readings: Readings = MappingProxyType({}),
        dropped: Mapping[tuple[int, str], str] | None = None,
    ) -> None:
        self.words, self.marks, self.readings, self.dropped = words, Marks(), readings, dropped or {}

    @cached_property
    def longest(self) -> int:
        """How many words the longest key has."""
        return max((key.count("  ") + 1 for key in self.readings), default=0)

    @property
    def whole(self) -> Table:
        """The same with all readings in memory."""
        return self

    def key(self, text: str) -> str:
        """A text as the keys of its words, each between two spaces, with `BREAK` where no name goes on."""
        parts = TOKEN.split(text)
        return "".join([self.words[part] if odd % 2 else self.marks[part] for odd, part in enumerate(parts)])

    def of(self, keys: Collection[str]) -> Readings:
        """The readings of those among some keys that have any."""
        return {key: self.readings[key] for key in keys if key in self.readings}


class Names(Table):
    """The table of names as vocabularies list them, of forms that these let expect, and of what is said of them."""

    def __init__(self, names: Iterable[Named], rules: Rules) -> None:
        names = list(names)
        texts = {name.text for name in names} | {surface for surface, _ in rules.use}
        self._acronyms = {text for text in texts if is_acronym(text) and PART.fullmatch(text)}
        super().__init__(Words(known_words(texts), self._acronyms))
        self._found: dict[str, dict[int, Reading]] = defaultdict(dict)
        self._reasons: dict[str, str] = {}
        self._add_listed(names)
        self._add_forms(names)
        self._apply(rules)
        self.dropped = dict(self._dropped_of(names))
        for phrase in LEGENDS:
            self._found.setdefault(self.key(phrase), {0: NOTHING})
        self.readings = {
            key: tuple(sorted(found.values(), key=lambda one: (-one.score, one.concept)))
            for key, found in self._found.items()
            if found
        }

    def _add(self, key: str, reading: Reading) -> None:
        found = self._found[key]
        if key.strip(" |") and (reading.concept not in found or found[reading.concept].score < reading.score):
            found[reading.concept] = reading

    def _add_listed(self, names: Sequence[Named]) -> None:
        capitals = {(name.concept, name.text.casefold()) for name in names if name.text in self._acronyms}
        for name in names:
            acronym = name.text in self._acronyms
            if not acronym and (name.concept, name.text.casefold()) in capitals:
                continue
            score = SCORES[name.kind] - _RANK * name.rank
            method = "acronym" if acronym else "abbreviation" if _is_short(name) else "exact"
            self._add(self.key(name.text), Reading(name.concept, score, method))
            if ", " in name.text:
                turned = " ".join(reversed(name.text.split(", ")))
                self._add(self.key(turned), Reading(name.concept, score - _FORM / 2, method))

    def _add_forms(self, names: Sequence[Named]) -> None:
        """What is learnt of the listed names; no form takes a listed name's place."""
        by_concept: dict[int, set[Key]] = defaultdict(set)
        for key, found in self._found.items():
            for concept in found:
                by_concept[concept].add(tuple(key.split()))
        generic = set(self._generic(names))
        self._drop(map(_flat, ((word,) for word in generic)), GENERIC_WORD)
        forms, made = Forms(by_concept, generic), defaultdict[str, list[Reading]](list)
        for concept, method, form, source in _made(by_concept, forms):
            key = _flat(form)
            reading = self._found.get(_flat(source), {}).get(concept)
            if key not in self._found and reading and reading.method == "exact":
                made[key].append(Reading(concept, reading.score - _FORM, method))
        self._drop([key for key in self._found if "  " not in key and forms.is_adjective(key.strip())], ADJECTIVE)
        for key, readings in made.items():
            for reading in readings:
                self._add(key, reading)

    def _drop(self, keys: Iterable[str], reason: str) -> None:
        self._reasons |= {key: reason for key in keys if self._found.pop(key, None)}

    def _dropped_of(self, names: Iterable[Named]) -> Iterator[tuple[tuple[int, str], str]]:
        """The names that were dropped, without those that a rule wants all the same."""
        for name in names if self._reasons else ():
            key = self.key(name.text)
            if key in self._reasons and name.concept not in self._found.get(key, ()):
                yield (name.concept, name.text), self._reasons[key]

    def _generic(self, names: Iterable[Named]) -> Iterator[str]:
        """The words that end so many names of a vocabulary that they say nothing."""
        last: dict[int, Counter[str]] = defaultdict(Counter)
        for name in names:
            words = self.key(name.text).split()
            last[name.rank].update(words[-1:])
        for counted in last.values():
            total = counted.total()
            yield from (word for word, times in counted.items() if times > max(20, GENERIC * total))

    def _apply(self, rules: Rules) -> None:
        for surface, concept in rules.use:
            self._found[self.key(surface)][concept] = Reading(concept, 1.1, "learnt")
        for surface, concept in rules.leave:
            found = self._found.get(self.key(surface), {})
            found.pop(concept, None) if concept > 0 else found.clear()


def _made(by_concept: dict[int, set[Key]], forms: Forms) -> Iterator[tuple[int, str, Key, Key]]:
    """Concept, method, form and the name that it is made of."""
    adjectives = defaultdict(list)
    for adjective, noun in forms.nouns.items():
        adjectives[noun].append(adjective)
    for concept, names in by_concept.items():
        for name in names:
            for form in forms.of(name):
                yield concept, "form", form, name
            for adjective in adjectives.get(name[0], ()) if len(name) == 1 else ():
                yield concept, "adjective", (adjective,), name


def _is_short(name: Named) -> bool:
    """Whether a name that is no acronym stands for a longer one: its vocabulary says so, or it has few letters."""
    few = len(name.text) < SHORT and name.text.isascii()  # two characters of other scripts may be a word
    return name.kind is NameKind.ABBREVIATION or (few and name.kind not in OWN_NAMES)


def _flat(key: Key) -> str:
    return "".join(f" {word} " for word in key)
