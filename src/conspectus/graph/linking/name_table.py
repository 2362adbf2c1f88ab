"""The names of all vocabularies as one table: for each key what it may mean, and how likely."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

from conspectus.graph.linking.name_relations import RelationFinder
from conspectus.graph.linking.plausibility import (
    NO_PROFILE,
    SURE,
    ConceptKind,
    ConceptStanding,
    NameUse,
    PlausibilityModel,
    Profile,
    ProfileMaker,
)
from conspectus.graph.linking.words import PART, TOKEN, NameBreaks, TokenKeys, is_acronym, known_words, shared_start
from conspectus.lexicon import STOP_WORDS
from conspectus.records.vocabularies import NameKind

Pair = tuple[str, int]
"""A surface and a concept."""
SHORT = 4
"""Characters; a shorter form, or an acronym, is believed where two papers have it."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What is added to the names, and what is taken away.

    Attributes:
        use: surfaces that mean a concept, listed by its vocabulary or not.
        leave: surfaces that do not mean a concept; 0 or less as the concept: none at all.
    """

    use: tuple[Pair, ...] = ()
    leave: tuple[Pair, ...] = ()


NO_RULES = Rules()
NO_ENTRIES: Mapping[Any, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class RankedName:
    """A name of a concept.

    Attributes:
        concept: the concept's number, above 0.
        rank: the order of its vocabulary: 0 comes before 1 where a name is ambiguous.
    """

    concept: int
    text: str
    kind: NameKind = NameKind.EXACT
    rank: int = 0


class NameReading(NamedTuple):
    """What a key may mean.

    Attributes:
        method: `exact`; `acronym` and `abbreviation` (only where the paper has the concept by another name, too);
            `adjective`, `form`, `learnt`.
        prior: the log odds that the key means the concept, but for the paper.
        profile: what the paper has if it does.
    """

    concept: int
    score: float
    method: str
    prior: float = SURE
    profile: Profile = NO_PROFILE


HINTED = ("acronym", "abbreviation")
"""Methods that need the concept by another name; only an acronym is told from a word by its capitals."""
OWN_NAMES = (NameKind.PREFERRED, NameKind.LABEL)
NOTHING = NameReading(0, 0.0, "nothing")
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


Readings = Mapping[str, tuple[NameReading, ...]]
"""By key, the likeliest first."""
Dropped = Mapping[tuple[int, str], str]
"""(concept, name) -> why texts are not searched for it, though its vocabulary lists it."""


class NameTable:
    """From key to readings.

    Attributes:
        words, marks: what makes keys of texts.
        readings: those in memory.
        dropped: names that the others show to tell nothing.
    """

    all_standings: Mapping[int, ConceptStanding] = NO_ENTRIES

    def __init__(
        self,
        words: TokenKeys,
        readings: Readings = MappingProxyType({}),
        dropped: Mapping[tuple[int, str], str] | None = None,
    ) -> None:
        self.words, self.marks, self.readings, self.dropped = words, NameBreaks(), readings, dropped or {}

    @cached_property
    def longest(self) -> int:
        """How many words the longest key has."""
        return max((key.count("  ") + 1 for key in self.readings), default=0)

    @property
    def in_memory(self) -> NameTable:
        """The same with all readings in memory."""
        return self

    def key(self, text: str) -> str:
        """A text as the keys of its words, each between two spaces, with `BREAK` where no name goes on."""
        parts = TOKEN.split(text)
        return "".join([self.words[part] if odd % 2 else self.marks[part] for odd, part in enumerate(parts)])

    def of(self, keys: Collection[str]) -> Readings:
        """The readings of those among some keys that have any."""
        return {key: self.readings[key] for key in keys if key in self.readings}

    def standings(self, concepts: Collection[int]) -> dict[int, ConceptStanding]:
        """What is said of concepts before a library is looked at."""
        return {key: self.all_standings[key] for key in concepts if key in self.all_standings}


class ComputedNameTable(NameTable):
    """The table of names as vocabularies list them, of forms that these let expect, and of what is said of them."""

    def __init__(
        self,
        names: Iterable[RankedName],
        rules: Rules,
        kinds: Mapping[int, ConceptKind] = NO_ENTRIES,
        model: PlausibilityModel | None = None,
    ) -> None:
        names = list(names)
        texts = {name.text for name in names} | {surface for surface, _ in rules.use}
        self._acronyms = {text for text in texts if is_acronym(text) and PART.fullmatch(text)}
        super().__init__(TokenKeys(known_words(texts), self._acronyms))
        self._readings_by_key: dict[str, dict[int, NameReading]] = defaultdict(dict)
        self._reasons: dict[str, str] = {}
        self._sources: dict[tuple[str, int], str] = {}
        self._add_listed(names)
        self._proper = set(self._find_proper(names))
        self._add_forms(names)
        self._apply(rules)
        self.dropped = dict(self._dropped_of(names))
        for phrase in LEGENDS:
            self._readings_by_key.setdefault(self.key(phrase), {0: NOTHING})
        if model:
            self._weigh(kinds, model)
            self.all_standings = {key: model.standing(kind) for key, kind in kinds.items()}
        self.readings = {
            key: tuple(sorted(readings.values(), key=lambda reading: (-reading.score, reading.concept)))
            for key, readings in self._readings_by_key.items()
            if readings
        }

    def _weigh(self, kinds: Mapping[int, ConceptKind], model: PlausibilityModel) -> None:
        """Give all readings but those that are learnt, or said, their priors; those that no paper can save go."""
        uses = list(self.uses(kinds))
        for (_, key, reading), prior in zip(uses, model.priors([use for use, _, _ in uses]).tolist(), strict=True):
            if prior + model.most < 0:
                del self._readings_by_key[key][reading.concept]
            else:
                self._readings_by_key[key][reading.concept] = reading._replace(prior=prior)
        profiles = ProfileMaker(
            (concept, tuple(key.split())) for key, readings in self._readings_by_key.items() for concept in readings
        )
        for use, key, reading in self.uses(kinds):
            if reading.prior < model.sure:
                profile = profiles.of(use, reading.concept)
                self._readings_by_key[key][reading.concept] = reading._replace(profile=profile)

    def uses(self, kinds: Mapping[int, ConceptKind]) -> Iterator[tuple[NameUse, str, NameReading]]:
        """What is weighed: each name of each concept of which `kinds` knows, with its key and reading."""
        for key, readings in self._readings_by_key.items():
            words = _key_words(key)
            for reading in list(readings.values()):
                place = key, reading.concept
                if reading.concept in kinds and reading.method != "learnt":
                    source, kind = self._sources.get(place, ""), kinds[reading.concept]
                    relations = self._relations.of(reading.concept, words)
                    facts = reading.score, reading.method, len(readings), source, relations, place in self._proper
                    yield NameUse(words, kind, *facts), key, reading

    @cached_property
    def _relations(self) -> RelationFinder:
        names_by_concept: dict[int, set[Key]] = defaultdict(set)
        for key, readings in self._readings_by_key.items():
            for concept in readings:
                names_by_concept[concept].add(_key_words(key))
        return RelationFinder(names_by_concept)

    def _find_proper(self, names: Sequence[RankedName]) -> Iterator[tuple[str, int]]:
        """The keys, with concepts, of names such as `The Galaxy`, whose last word is another concept's name."""
        for name in names:
            first, _, last = name.text.partition(" ")
            if last.istitle() and " " not in last and first.casefold() in STOP_WORDS:
                others = self._readings_by_key.get(self.key(last), {}).keys() - {name.concept}
                if others:
                    yield self.key(name.text), name.concept

    def _add(self, key: str, reading: NameReading) -> None:
        key = f" {key.strip(' |')} "
        readings = self._readings_by_key[key]
        if key.strip() and (reading.concept not in readings or readings[reading.concept].score < reading.score):
            readings[reading.concept] = reading

    def _add_listed(self, names: Sequence[RankedName]) -> None:
        capitals = {(name.concept, name.text.casefold()) for name in names if name.text in self._acronyms}
        for name in names:
            acronym = name.text in self._acronyms
            if not acronym and (name.concept, name.text.casefold()) in capitals:
                continue
            score = SCORES[name.kind] - _RANK * name.rank
            method = "acronym" if acronym else "abbreviation" if _is_short(name) else "exact"
            self._add(self.key(name.text), NameReading(name.concept, score, method))
            if ", " in name.text:
                turned = " ".join(reversed(name.text.split(", ")))
                self._add(self.key(turned), NameReading(name.concept, score - _FORM / 2, method))

    def _add_forms(self, names: Sequence[RankedName]) -> None:
        """What is learnt of the listed names; no form takes a listed name's place."""
        by_concept: dict[int, set[Key]] = defaultdict(set)
        for key, known_readings in self._readings_by_key.items():
            for concept in known_readings:
                by_concept[concept].add(tuple(key.split()))
        generic = set(self._generic(names))
        self._drop(map(_flat, ((word,) for word in generic)), GENERIC_WORD)
        forms, new_readings = Forms(by_concept, generic), defaultdict[str, list[NameReading]](list)
        for concept, method, form, source in _derive_forms(by_concept, forms):
            key = _flat(form)
            reading = self._readings_by_key.get(_flat(source), {}).get(concept)
            if key not in self._readings_by_key and reading and reading.method == "exact":
                new_readings[key].append(NameReading(concept, reading.score - _FORM, method))
                if method == "adjective":
                    self._sources[key, concept] = source[0]
        self._drop(
            [key for key in self._readings_by_key if "  " not in key and forms.is_adjective(key.strip())], ADJECTIVE
        )
        for key, readings in new_readings.items():
            for reading in readings:
                self._add(key, reading)

    def _drop(self, keys: Iterable[str], reason: str) -> None:
        self._reasons |= {key: reason for key in keys if self._readings_by_key.pop(key, None)}

    def _dropped_of(self, names: Iterable[RankedName]) -> Iterator[tuple[tuple[int, str], str]]:
        """The names that were dropped, without those that a rule wants all the same."""
        for name in names if self._reasons else ():
            key = self.key(name.text)
            if key in self._reasons and name.concept not in self._readings_by_key.get(key, ()):
                yield (name.concept, name.text), self._reasons[key]

    def _generic(self, names: Iterable[RankedName]) -> Iterator[str]:
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
            self._readings_by_key[self.key(surface)][concept] = NameReading(concept, 1.1, "learnt")
        for surface, concept in rules.leave:
            readings = self._readings_by_key.get(self.key(surface), {})
            readings.pop(concept, None) if concept > 0 else readings.clear()


def _derive_forms(by_concept: dict[int, set[Key]], forms: Forms) -> Iterator[tuple[int, str, Key, Key]]:
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


def _is_short(name: RankedName) -> bool:
    """Whether a name that is no acronym stands for a longer one: its vocabulary says so, or it has few letters."""
    few = len(name.text) < SHORT and name.text.isascii()  # two characters of other scripts may be a word
    first, *others = name.text.casefold().split()
    sign = len(others) == 1 and first in STOP_WORDS and first != "the"  # `Of stars`, `A stars`
    return sign or name.kind is NameKind.ABBREVIATION or (few and name.kind not in OWN_NAMES)


def _key_words(key: str) -> Key:
    return tuple(word for word in key.split() if word != "|")


def _flat(key: Key) -> str:
    return "".join(f" {word} " for word in key)


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


def adjectives(keys: Keys) -> dict[str, Counter[str]]:
    """For each adjective the nouns that stand for it in other names of the same concepts, with how many concepts."""
    nouns_by_adjective: dict[str, Counter[str]] = defaultdict(Counter)
    for names in keys.values():
        chosen_names = sorted(names)[:MOST_NAMES]
        for pair in {
            pair for after in chosen_names if "of" in after for before in chosen_names if (pair := _pair(before, after))
        }:
            nouns_by_adjective[pair[0]][pair[1]] += 1
    return nouns_by_adjective


def _pair(before: Key, after: Key) -> tuple[str, str] | None:
    """(`retinal`, `retina`) of `retinal vein` and `vein of retina`."""
    ours, theirs = set(before), set(after) - _SMALL
    only_ours, other = ours - theirs, theirs - ours
    if len(only_ours) == len(other) == 1 and ours & theirs and not ours & _SMALL:
        adjective, noun = *only_ours, *other
        if before[-1] != adjective and after[-1] == noun:
            return adjective, noun
    return None


def endings(pairs: Mapping[str, Counter[str]]) -> Counter[tuple[str, str]]:
    """How endings change from nouns to adjectives, with how many pairs show it."""
    changes: Counter[tuple[str, str]] = Counter()
    for adjective, nouns in pairs.items():
        for noun in nouns:
            shared = shared_start(adjective, noun)
            if shared >= 3 and len(adjective) > shared:
                changes[noun[shared:], adjective[shared:]] += 1
    return changes


class Forms:
    """What is learnt of the names of vocabularies.

    Attributes:
        nouns: for each adjective the noun that it is of.
    """

    def __init__(self, keys: Keys, generic: Collection[str] = ()) -> None:
        self._names = {name for names in keys.values() for name in names if "|" not in name}
        self._after, self._heads = _places(self._names)
        self._single_words = {name[0] for name in self._names if len(name) == 1}
        pairs = adjectives(keys)
        self._endings = {change for change, times in endings(pairs).items() if times >= PATTERNS}
        last = Counter(word[-2:] for word, nouns in pairs.items() for noun in nouns if shared_start(word, noun) >= 3)
        self._adjectival = {ending for ending, times in last.items() if times >= ENDINGS}
        self._often = Counter(word for name in self._names for word in name)
        self._dropped = self._droppable(keys) | set(generic)
        main_nouns = {word: nouns.most_common(1)[0] for word, nouns in pairs.items() if self._is_modifier(word)}
        self.nouns = {
            word: noun
            for word, (noun, times) in main_nouns.items()
            if times >= (PAIRS if word[-2:] in self._adjectival else 5 * PAIRS)
            and len(word) > 4
            and self._fits(word, noun)
        } | self._by_ending()

    def _fits(self, word: str, noun: str) -> bool:
        return noun in self._single_words and self._often[word] <= 20 * self._often[noun]

    def _is_modifier(self, word: str) -> bool:
        """Whether a word is no name and seldom ends one."""
        return word not in self._single_words and self._heads[word] * 5 <= sum(self._after.get(word, {}).values())

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
        for noun in self._single_words:
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
        """Whether a word with an adjective's ending is before others in names, and never ends one."""
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
