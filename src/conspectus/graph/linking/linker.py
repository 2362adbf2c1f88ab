"""The names of vocabularies, found in the sentences of a paper: the longest that do not overlap (eq. 1)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import UnavailableError
from conspectus.graph.linking.name_table import (
    HINTED,
    NO_RULES,
    NOTHING,
    ComputedNameTable,
    NameReading,
    NameTable,
    RankedName,
    Rules,
)
from conspectus.graph.linking.plausibility import PlausibilityModel
from conspectus.graph.linking.words import PART, TOKEN, Fuzzy, TokenKeys, is_acronym
from conspectus.lexicon import STOP_WORDS

_DEFINED = re.compile(r"\(([^\W_](?:[^()\s;,]{0,8}[^\W_])?)[;,)]")
"""A short form in brackets: begins and ends with a letter or a number."""
_LISTED = re.compile(r"[;,.:(] ([A-Z][^\W_]{1,5})(?:, |; |: | = )([^\W\d_][\w -]{2,60})[;,.)]")
"""A short form and what it is for, as legends of figures list them: "ONL, outer nuclear layer;"."""
_REACH = 120
"""Characters before the bracket that are looked at."""


def definitions(texts: Iterable[str]) -> dict[str, str]:
    """The short forms that texts define, with what each is short for; the first definition counts."""
    long_forms: dict[str, str] = {}
    for text in texts:
        for short, before in _candidates(text):
            if short not in long_forms and (long := _long_form(short, before)):
                long_forms[short] = long
                if short[-1] == "s" and short[:-1].isupper() and len(short) > 2:
                    long_forms.setdefault(short[:-1], long)
    return long_forms


def _candidates(text: str) -> Iterator[tuple[str, str]]:
    """Short forms, each with a text at whose end its long form may stand."""
    if "(" in text:
        for match in _DEFINED.finditer(text):
            yield match[1], text[max(0, match.start() - _REACH) : match.start()]
    for match in _LISTED.finditer(text):
        if _long_form(match[1], match[2]) == match[2]:
            yield match[1], match[2]


def _long_form(short: str, before: str) -> str:
    """The words at the end of `before` that `short` is made of, "" where it is not."""
    if not any(map(str.isupper, short)) or short.isdigit() or len(short) < 2:
        return ""
    ending = short[-1] == "s" and short[:-1].isupper() and len(short) > 2
    at, signs = len(before), short[:-1] if ending else short
    for number, sign in enumerate(reversed(signs.lower()), 1):
        if not sign.isalnum():
            continue
        at = before.lower().rfind(sign, 0, at)
        while at > 0 and number == len(signs) and before[at - 1].isalnum():
            at = before.lower().rfind(sign, 0, at)
        if at < 0:
            return ""
    long = before[at:].strip()
    return long if len(long.split()) <= min(len(signs) + 5, 2 * len(signs)) and len(long) > len(short) + 1 else ""


REMEDY = "Install it: pip install 'conspectus[graph]'"
_BETWEEN = "\n\n"
"""Stands between texts; no name goes over it."""
SAFE = 3.0
"""The prior of a name that shows that a paper has the concept."""
_KEY = 40
"""Characters of a key, at most."""
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
        model: what leaves out mentions that are not plausible in their paper; None: all count.

    Attributes:
        table: all names, and what they may mean.
    """

    def __init__(
        self,
        names: Iterable[RankedName] | NameTable,
        rules: Rules = NO_RULES,
        fuzzy: float = 0.0,
        words: TokenKeys | Fuzzy | None = None,
        model: PlausibilityModel | None = None,
    ) -> None:
        try:
            from ahocorasick_rs import AhoCorasick, MatchKind
        except ImportError as error:
            raise UnavailableError("A library that finds names in texts is missing.", REMEDY) from error
        self.table = names if isinstance(names, NameTable) else ComputedNameTable(names, rules)
        self.key = self.table.key
        self._readings = list(self.table.readings.values())
        self._automaton = AhoCorasick(list(self.table.readings), matchkind=MatchKind.LeftmostLongest)
        plain = self.table.words if words is None else words
        self._words: TokenKeys | Fuzzy = Fuzzy(self.table.words, fuzzy) if fuzzy else plain
        self._model = model

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
        times = Counter(id(readings) for readings, _, _ in hits)
        seen = Counter(readings[0].concept for readings, _, _ in hits if readings[0].method not in HINTED)
        judge = PaperJudge(self._model, stream, hits) if self._model and not acronyms else None
        bounds = list(accumulate((len(text) + len(_BETWEEN) for text in texts), initial=0))
        matches: list[list[Match]] = [[] for _ in texts]
        for readings, first, last in hits:
            chosen = self._chosen(readings, seen, times[id(readings)], acronyms)
            if chosen and judge:
                chosen = judge.plausible(readings, chosen, first, last)
            if chosen and (place := stream.place(first, last)):
                text = bisect_right(bounds, place[0]) - 1
                start, end = place[0] - bounds[text], place[1] - bounds[text]
                others = tuple((reading.concept, reading.score) for reading in chosen[1:])
                alike = self._alike(texts[text][start:end])
                method = "fuzzy" if alike < 1 else chosen[0].method
                matches[text].append(Match(start, end, chosen[0].concept, chosen[0].score * alike, method, others))
        return matches

    def _alike(self, surface: str) -> float:
        """How like its words are to those of the name: 1 but for fuzzy ones."""
        if not isinstance(self._words, Fuzzy):
            return 1.0
        return min((self._words.alike.get(token, 1.0) for token in TOKEN.findall(surface)), default=1.0)

    @staticmethod
    def _chosen(
        readings: tuple[NameReading, ...], counts: Mapping[int, int], times: int, acronyms: bool
    ) -> Sequence[NameReading]:
        """The readings that the paper allows, the likeliest first; `times` is how often it has this key.

        A key counts for its first reading in `counts`, which is no other name of it.
        """
        if len(readings) == 1 and readings[0].method not in HINTED:
            return readings if readings[0].concept else ()
        weighed = [
            reading._replace(
                score=reading.score + _CONTEXT * (counts.get(reading.concept, 0) > times * (reading is readings[0]))
            )
            for reading in readings
            if reading.method not in HINTED or counts.get(reading.concept) or (acronyms and reading.method == "acronym")
        ]
        return sorted(weighed, key=lambda reading: -reading.score)


def link_question(
    table: NameTable,
    text: str,
    select_concepts: Callable[[Collection[int]], Collection[int]],
    words: TokenKeys | Fuzzy | None = None,
) -> list[Match]:
    """The mentions in a question, of the concepts that `select_concepts` keeps; no more of the table is asked for.

    `words` are those of the table, or nearly those. A longer name of a concept that is not wanted does not stand before
    a shorter one of another.
    """
    words = table.words if words is None else words
    keys = _stream(table, [text], words).keys.split()
    ends = ((at, end) for at in range(len(keys)) for end in range(at, min(len(keys), at + table.longest)))
    readings_by_key = table.of({"".join(f" {key} " for key in keys[at : end + 1]) for at, end in ends})
    every = {reading.concept for readings in readings_by_key.values() for reading in readings}
    passing = {NOTHING.concept, *select_concepts(every)}
    left = {
        key: tuple(reading for reading in readings if reading.concept in passing)
        for key, readings in readings_by_key.items()
    }
    linker = Linker(NameTable(table.words, {key: readings for key, readings in left.items() if readings}), words=words)
    return linker.link_question(text)


def _stream(table: NameTable, texts: Sequence[str], words: Mapping[str, str]) -> _Stream:
    defined = {short: key for short, long in definitions(texts).items() if (key := table.key(long))}
    return _Stream(_BETWEEN.join(texts), words, table.marks, defined)


Hit = tuple[tuple[NameReading, ...], int, int]
"""What a key may mean, and where it begins and ends in a stream."""


class PaperJudge:
    """Judges the mentions of a paper.

    Attributes:
        words: the keys of all words of the paper.
    """

    def __init__(self, model: PlausibilityModel, stream: _Stream, hits: Sequence[Hit]) -> None:
        self._model, self._stream = model, stream
        self.words = frozenset(stream.keys.split())
        self._times = Counter(id(readings) for readings, _, _ in hits)
        self._safe: dict[int, set[int]] = {}
        for readings, _, _ in hits:
            if readings[0].prior >= SAFE and readings[0].method not in HINTED:
                self._safe.setdefault(readings[0].concept, set()).add(id(readings))
        self._known: dict[tuple[int, int], float] = {}

    def plausible(
        self, readings: Sequence[NameReading], chosen: Sequence[NameReading], first: int, last: int
    ) -> Sequence[NameReading]:
        """The plausible ones of the readings that were chosen for what is at `first` to `last` of the keys.

        Of those with the same score, that whose label the paper has is first, or the most plausible one.
        """
        if all(reading.prior >= self._model.sure for reading in chosen):
            return chosen
        context = self._model.score_neighbours(*self._stream.words_around(first, last))
        surface, after = self._stream.surface_and_next(first, last)
        weighed = [
            (
                reading,
                reading.prior
                + self._in_paper(readings, reading)
                + self._model.in_mention(reading.profile, surface, after)
                + context,
            )
            for reading in chosen
        ]
        plausible = [pair for pair in weighed if pair[1] >= 0]
        if len(plausible) > 1:
            plausible.sort(key=lambda pair: (-pair[0].score, not self._says_label(pair[0]), -pair[1]))
        return [reading for reading, _ in plausible]

    def _says_label(self, reading: NameReading) -> bool:
        """Whether the paper has all words of the concept's label that the name lacks: `solar system` for `planets`."""
        label = reading.profile.label
        return bool(label) and all(not self.words.isdisjoint((word, word.removesuffix("s"))) for word in label)

    def _in_paper(self, readings: Sequence[NameReading], reading: NameReading) -> float:
        key = id(readings), reading.concept
        if (known := self._known.get(key)) is None:
            times, has_other_name = self.uses(readings, reading)
            known = self._known[key] = self._model.in_paper(
                reading.profile, self.words, times, has_sure_name=has_other_name
            )
        return known

    def uses(self, readings: Sequence[NameReading], reading: NameReading) -> tuple[int, bool]:
        """How often a key is there, and whether one of its concepts is there by another name that is hardly wrong."""
        return self._times[id(readings)], bool(self._safe.get(reading.concept, set()) - {id(readings)})


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
        """Where in the text is what is at `first` to `last` of the keys; None: in a part of an abbreviation."""
        begin, end = bisect_right(self._places, first) - 1, bisect_right(self._places, last - 1) - 1
        left = self._inside(begin, first - self._places[begin], 0)
        right = self._inside(end, last - self._places[end], 1)
        return None if left is None or right is None else (self._starts[begin] + left, self._starts[end] + right)

    def surface_and_next(self, first: int, last: int) -> tuple[str, str]:
        """How the words of what is at `first` to `last` of the keys are written, and the key after it ("": a mark)."""
        begin, end = bisect_right(self._places, first) - 1, bisect_right(self._places, last - 1) - 1
        return "".join(self._parts[begin : end + 1]), next(iter(self.keys[last : last + _KEY].split(" ")[1:]), "")

    def words_around(self, first: int, last: int) -> tuple[str, str]:
        """The words before and after what is at `first` to `last` of the keys, in small letters; "." at a mark."""
        begin, end = bisect_right(self._places, first) - 1, bisect_right(self._places, last - 1) - 1
        return self._read_word(begin, -1), self._read_word(end, 1)

    def _read_word(self, number: int, step: int) -> str:
        at = number + 2 * step
        inside = 0 < at < len(self._parts) and not self._pieces[number + step]
        return self._parts[at].lower() if inside else "."

    def _inside(self, number: int, offset: int, side: int) -> int | None:
        """Where the words of a token begin (0) or end (1) whose keys do so at `offset`."""
        token, piece = self._parts[number], self._pieces[number]
        if offset == (len(piece) if side else 0):
            return len(token) if side and not token.endswith(("'s", "’s")) else side * (len(token) - 2)
        if number in self._long:
            return None
        spans = [match.span() for match in PART.finditer(token)]
        return spans[len(piece[:offset].split()) - side][side]


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


def comparable_names(table: NameTable) -> dict[str, NameReading]:
    """The names that n-grams are compared with, as their words' keys, each with its likeliest reading."""
    reading_by_name = {" ".join(key.split()): readings[0] for key, readings in table.readings.items() if "|" not in key}
    return {
        name: reading
        for name, reading in reading_by_name.items()
        if reading.concept and reading.method == "exact" and len(name) >= SHORTEST
    }


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

    def __init__(self, table: NameTable, vectors: FloatArray, embed: Embed, alpha: float) -> None:
        self._table, self._embed, self._alpha = table, embed, alpha
        self._names = list(comparable_names(table).items())
        self._index = _index(vectors)
        self._known: dict[str, tuple[NameReading, float] | None] = {}

    def link(self, texts: Sequence[str], text_matches: Sequence[Sequence[Match]]) -> list[list[Match]]:
        """The mentions in each text, in order: those that were found, and the longest of what is near a name beside."""
        if len(self._known) > _KNOWN:
            self._known.clear()
        ngrams = [list(self._ngrams(text, matches)) for text, matches in zip(texts, text_matches, strict=True)]
        self._learn(sorted({ngram.words for group in ngrams for ngram in group} - self._known.keys()))
        return [
            sorted([*matches, *self._longest(group)], key=lambda match: match.start)
            for matches, group in zip(text_matches, ngrams, strict=True)
        ]

    def _ngrams(self, text: str, matches: Sequence[Match]) -> Iterator[_Ngram]:
        """The n-grams over which no mention lies and no mark stands, without stop words at their ends."""
        covered = {at for match in matches for at in range(match.start, match.stop)}
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
        near = [(ngram, nearest) for ngram in ngrams if (nearest := self._known[ngram.words])]
        taken: list[_Ngram] = []
        for ngram, (reading, alike) in sorted(near, key=lambda pair: (pair[0].start - pair[0].stop, -pair[1][1])):
            if all(ngram.stop <= other.start or other.stop <= ngram.start for other in taken):
                taken.append(ngram)
                yield Match(ngram.start, ngram.stop, reading.concept, min(1.0, reading.score * alike), "semantic")


def _index(vectors: FloatArray):  # type: ignore[no-untyped-def] # faiss has no types
    import faiss

    cells = int(len(vectors) ** 0.5) if len(vectors) > _FEW else 1
    index = faiss.index_factory(vectors.shape[1], f"IVF{cells},SQfp16", faiss.METRIC_INNER_PRODUCT)
    floats = np.asarray(vectors, np.float32)
    index.train(floats[:: max(1, len(floats) // (64 * cells))])
    index.add(floats)
    index.nprobe = min(PROBED, cells)
    return index
