"""Which phrases papers use, how often and where: candidates for terms that a vocabulary lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from conspectus.graph.linking.linker import definitions
from conspectus.lexicon import STOP_WORDS
from conspectus.parse.text.key_phrases import singular, split_stretches

LONGEST = 4
"""Words of a phrase."""
EXAMPLES = 4
"""Sentences of a phrase that are remembered."""
PRUNED_AT = 400_000
"""Phrases from which on those of the fewest papers are forgotten, until half of them are left."""
_PARTS = re.compile(r"[-‐‑\s]+")

PhraseKey = tuple[str, ...]
"""The words of a phrase in the singular and in small letters, in the order of the alphabet: of all its variants."""


class DatedSentence(NamedTuple):
    """A sentence of a paper: the paper's key and year (0: not known), whether it is the title, its id and text."""

    paper: int
    year: int
    is_title: bool
    id: str
    text: str


@dataclass(slots=True)
class PhraseCount:
    """How a phrase is used.

    Attributes:
        papers, titles: papers that have it, and papers that have it in their title.
        times: how often it occurs; `whole_times`: how often as a whole stretch, not as the end of one.
        years: papers by year.
        writings: how often it is written so.
        before: how often a word comes before it in the same stretch, in the singular.
        sentences: some that have it.
    """

    papers: int = 0
    titles: int = 0
    times: int = 0
    whole_times: int = 0
    last: int = -1
    years: Counter[int] = field(default_factory=Counter)
    writings: Counter[str] = field(default_factory=Counter)
    before: Counter[str] = field(default_factory=Counter)
    sentences: list[DatedSentence] = field(default_factory=list)

    @property
    def writing(self) -> str:
        """As it is written most often."""
        return self.writings.most_common(1)[0][0]

    @property
    def words(self) -> tuple[str, ...]:
        """The words of this in the singular, in order."""
        return tuple(singular(word) for word in self.writing.split())

    def add(self, sentence: DatedSentence, writing: str, before: str) -> None:
        """Count an occurrence after a word of its stretch ("": it is a whole one)."""
        self.times += 1
        if before:
            self.before[singular(before)] += 1
        else:
            self.whole_times += 1
        self.writings[writing] += 1
        if self.last == sentence.paper:
            return
        self.last = sentence.paper
        self.papers += 1
        self.titles += sentence.is_title
        self.years[sentence.year] += 1
        if len(self.sentences) < EXAMPLES and not sentence.is_title:
            self.sentences.append(sentence)

    def take_in(self, other: PhraseCount) -> None:
        """Count the occurrences of another phrase, too.

        Papers that have both are not known: so many papers have one or the other at least.
        """
        self.times += other.times
        self.whole_times += other.whole_times
        self.writings += other.writings
        self.before += other.before
        self.papers, self.titles = max(self.papers, other.papers), max(self.titles, other.titles)
        self.years |= other.years
        self.sentences = (self.sentences + other.sentences)[:EXAMPLES]


@dataclass(frozen=True, slots=True)
class PhraseStatistics:
    """The phrases of some papers, and the short forms that these give them, by what is short for what."""

    counts: dict[PhraseKey, PhraseCount]
    short_forms: dict[PhraseKey, PhraseKey]
    papers: int


def phrase_key(text: str | Iterable[str]) -> PhraseKey:
    """The key of a phrase: the same for its plural, its hyphens and its words in another order."""
    words = _PARTS.split(text) if isinstance(text, str) else [part for word in text for part in _PARTS.split(word)]
    return tuple(sorted(singular(word) for word in words if word and word.casefold() not in STOP_WORDS))


def count_phrases(sentences: Iterable[DatedSentence], fewest: int) -> PhraseStatistics:
    """Count phrases of sentences, paper by paper; those of fewer papers are left out."""
    counts: dict[PhraseKey, PhraseCount] = {}
    short: dict[PhraseKey, Counter[PhraseKey]] = {}
    papers, last = 0, -1
    for sentence in sentences:
        if sentence.paper != last:
            papers, last = papers + 1, sentence.paper
            if len(counts) > PRUNED_AT:
                counts = _forget_rare(counts)
        for words, before in _phrases(sentence):
            if not (key := phrase_key(words)):
                continue
            if key not in counts:
                counts[key] = PhraseCount()
            counts[key].add(sentence, " ".join(words), before)
        for form, long in definitions([sentence.text]).items():
            short.setdefault(phrase_key(form), Counter())[phrase_key(long)] += 1
    kept_counts = {key: count for key, count in counts.items() if count.papers >= fewest}
    forms = {form: long.most_common(1)[0][0] for form, long in short.items()}
    _write_out(kept_counts, forms)
    return PhraseStatistics(kept_counts, forms, papers)


def _write_out(counts: dict[PhraseKey, PhraseCount], forms: Mapping[PhraseKey, PhraseKey]) -> None:
    """Let `MHD turbulence` be a variant of `magnetohydrodynamic turbulence`, where that is a phrase, too."""
    for key in [key for key in counts if len(key) > 1]:
        long = phrase_key(part for word in key for part in forms.get((word,), (word,)))
        if long != key and long in counts:
            counts[long].take_in(counts.pop(key))


def _forget_rare(counts: dict[PhraseKey, PhraseCount]) -> dict[PhraseKey, PhraseCount]:
    """Half of the phrases at most: those of the most papers, so that it is long before the next are forgotten."""
    rare = sorted((count.papers for count in counts.values()), reverse=True)[PRUNED_AT // 2]
    return {key: count for key, count in counts.items() if count.papers > rare}


def _phrases(sentence: DatedSentence) -> Iterator[tuple[list[str], str]]:
    """The stretches of a sentence and the ends of these, each with the word of its stretch before it.

    The first word of a sentence, and all words of a title, lose a capital that says nothing.
    """
    for number, written in split_stretches(sentence.text):
        words = [
            word[:1].lower() + word[1:] if (sentence.is_title or number + at == 0) and word[1:].islower() else word
            for at, word in enumerate(written)
        ]
        for start in range(max(len(words) - LONGEST, 0), len(words)):
            if start == 0 or len(words) - start > 1:
                yield words[start:], words[start - 1] if start else ""
