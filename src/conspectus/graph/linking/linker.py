"""The names of vocabularies, found in the sentences of a paper: the longest that do not overlap (eq. 1)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from conspectus.core.errors import UnavailableError
from conspectus.graph.linking.abbreviations import definitions
from conspectus.graph.linking.fuzzy import Fuzzy
from conspectus.graph.linking.naming import HINTED, NOTHING, Named, Names, Reading, Table
from conspectus.graph.linking.rules import NO_RULES, Rules
from conspectus.graph.linking.words import PART, TOKEN, Words

REMEDY = "Install it: pip install 'conspectus[graph]'"
_BETWEEN = "\n\n"
"""Stands between texts; no name goes over it."""
_CONTEXT = 0.1
"""What a reading gains where the paper has the concept by another name, too."""


@dataclass(frozen=True, slots=True)
class Match:
    """A mention.

    Attributes:
        start, stop: in characters of its text.
        score: how likely the concept is, 0 to 1.2.
        method: how it was found: `Reading.method`, or `fuzzy`.
        others: (concept, score) of what it may mean as well, the likeliest first.
    """

    start: int
    stop: int
    concept: int
    score: float
    method: str
    others: tuple[tuple[int, float], ...] = ()


class Linker:
    """Finds names in texts.

    Args:
        names: of all vocabularies, or the table that was made of them.
        rules: what is learnt, and what users say.
        fuzzy: the least likeness, 0 to 1, of a word to one of names for which it may be taken; 0: none is.
        words: those of the names, or nearly those, where somebody has them.

    Attributes:
        table: all names, and what they may mean.
    """

    def __init__(
        self,
        names: Iterable[Named] | Table,
        rules: Rules = NO_RULES,
        fuzzy: float = 0.0,
        words: Words | Fuzzy | None = None,
    ) -> None:
        try:
            from ahocorasick_rs import AhoCorasick, MatchKind
        except ImportError as error:
            raise UnavailableError("A library that finds names in texts is missing.", REMEDY) from error
        self.table = names if isinstance(names, Table) else Names(names, rules)
        self.key = self.table.key
        self._readings = list(self.table.readings.values())
        self._automaton = AhoCorasick(list(self.table.readings), matchkind=MatchKind.LeftmostLongest)
        plain = self.table.words if words is None else words
        self._words: Words | Fuzzy = Fuzzy(self.table.words, fuzzy) if fuzzy else plain

    def link(self, texts: Sequence[str]) -> list[list[Match]]:
        """The mentions in each text of one paper, in order. What the paper abbreviates is known in all of its texts."""
        return self._link(texts, False)

    def link_question(self, text: str) -> list[Match]:
        """The mentions in a question, acronyms among them that it does not define."""
        return self._link([text], True)[0]

    def _link(self, texts: Sequence[str], acronyms: bool) -> list[list[Match]]:
        stream = _stream(self.table, texts, self._words)
        hits = [
            (self._readings[number], start, end)
            for number, start, end in self._automaton.find_matches_as_indexes(stream.keys)
        ]
        seen = Counter(readings[0].concept for readings, _, _ in hits if readings[0].method not in HINTED)
        bounds = list(accumulate((len(text) + len(_BETWEEN) for text in texts), initial=0))
        found: list[list[Match]] = [[] for _ in texts]
        for readings, first, last in hits:
            chosen = self._chosen(readings, seen, acronyms)
            if chosen and (place := stream.place(first, last)):
                text = bisect_right(bounds, place[0]) - 1
                start, end = place[0] - bounds[text], place[1] - bounds[text]
                others = tuple((one.concept, one.score) for one in chosen[1:])
                alike = self._alike(texts[text][start:end])
                method = "fuzzy" if alike < 1 else chosen[0].method
                found[text].append(Match(start, end, chosen[0].concept, chosen[0].score * alike, method, others))
        return found

    def _alike(self, surface: str) -> float:
        """How like its words are to those of the name: 1 but for fuzzy ones."""
        if not isinstance(self._words, Fuzzy):
            return 1.0
        return min((self._words.alike.get(token, 1.0) for token in TOKEN.findall(surface)), default=1.0)

    @staticmethod
    def _chosen(readings: tuple[Reading, ...], seen: Mapping[int, int], acronyms: bool) -> Sequence[Reading]:
        """The readings that the paper allows, the likeliest first."""
        if len(readings) == 1 and readings[0].method not in HINTED:
            return readings if readings[0].concept else ()
        weighed = [
            Reading(one.concept, one.score + _CONTEXT * (seen.get(one.concept, 0) > (one is readings[0])), one.method)
            for one in readings
            if one.method not in HINTED or seen.get(one.concept) or (acronyms and one.method == "acronym")
        ]
        return sorted(weighed, key=lambda one: -one.score)


def link_question(
    table: Table, text: str, wanted: Callable[[Collection[int]], Collection[int]], words: Words | Fuzzy | None = None
) -> list[Match]:
    """The mentions in a question, of the concepts among some that are `wanted`; no more of the table is asked for.

    `words` are those of the table, or nearly those. A longer name of a concept that is not wanted does not stand before
    a shorter one of another.
    """
    words = table.words if words is None else words
    keys = _stream(table, [text], words).keys.split()
    ends = ((at, end) for at in range(len(keys)) for end in range(at, min(len(keys), at + table.longest)))
    found = table.of({"".join(f" {key} " for key in keys[at : end + 1]) for at, end in ends})
    every = {one.concept for readings in found.values() for one in readings}
    passing = {NOTHING.concept, *wanted(every)}
    left = {key: tuple(one for one in readings if one.concept in passing) for key, readings in found.items()}
    linker = Linker(Table(table.words, {key: readings for key, readings in left.items() if readings}), words=words)
    return linker.link_question(text)


def _stream(table: Table, texts: Sequence[str], words: Mapping[str, str]) -> _Stream:
    defined = {short: key for short, long in definitions(texts).items() if (key := table.key(long))}
    return _Stream(_BETWEEN.join(texts), words, table.marks, defined)


class _Stream:
    """A text as one string of keys, with the way back."""

    def __init__(
        self, text: str, words: Mapping[str, str], marks: Mapping[str, str], defined: Mapping[str, str]
    ) -> None:
        self._parts = TOKEN.split(text)
        self._pieces = [""] * len(self._parts)
        self._pieces[::2] = map(marks.__getitem__, self._parts[::2])
        self._pieces[1::2] = map(words.__getitem__, self._parts[1::2])
        self._long: dict[int, str] = {}
        if defined:
            self._expand(defined)
        self.keys = "".join(self._pieces)
        self._places = list(accumulate(map(len, self._pieces), initial=0))
        self._starts = list(accumulate(map(len, self._parts), initial=0))

    def _expand(self, defined: Mapping[str, str]) -> None:
        """Puts the keys of long forms in the places of short ones, and of their plurals."""
        defined = {f"{short}s": long for short, long in defined.items()} | dict(defined)
        for number, token in enumerate(self._parts):
            if token in defined and number % 2:
                self._long[number] = self._pieces[number] = defined[token]

    def place(self, first: int, last: int) -> tuple[int, int] | None:
        """Where in the text is what stands at `first` to `last` of the keys; None: in a part of an abbreviation."""
        begin, end = bisect_right(self._places, first) - 1, bisect_right(self._places, last - 1) - 1
        left = self._inside(begin, first - self._places[begin], 0)
        right = self._inside(end, last - self._places[end], 1)
        return None if left is None or right is None else (self._starts[begin] + left, self._starts[end] + right)

    def _inside(self, number: int, offset: int, side: int) -> int | None:
        """Where the words of a token begin (0) or end (1) whose keys do so at `offset`."""
        token, piece = self._parts[number], self._pieces[number]
        if offset == (len(piece) if side else 0):
            return len(token) if side and not token.endswith(("'s", "’s")) else side * (len(token) - 2)
        if number in self._long:
            return None
        spans = [match.span() for match in PART.finditer(token)]
        return spans[len(piece[:offset].split()) - side][side]
