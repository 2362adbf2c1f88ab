"""Phrases of a map's texts that could name its regions: which texts have them, and how they are written.

A text has a phrase that it says in so many words or by a short form, which is written out. It counts whole where it is
in the title or one of the paper's first key phrases, and half in the abstract.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.map.subject_model import singular_words, subject_log_odds
from conspectus.parse.text.key_phrases import breaks_phrase, find_short_forms
from conspectus.records import normal_name

Ints = npt.NDArray[np.int64]
LONGEST = 5
"""Words of a phrase."""
FIRST, MENTIONED = 10, 0.5
"""Key phrases of a paper that it is about, and what a phrase counts that its abstract only mentions."""
OFTEN, FEW_PAPERS = 3, 200
"""Papers of which a phrase is a key phrase; one fewer where there are few papers."""
DEFINED = 3
"""Papers that define a short form as the same, for it to be written out in those that do not define it."""
PART = 0.5
"""Share of a phrase's places with the same word before it, or after, from which on it is a part of a longer one."""
LIKELY, STEEPNESS = -2.0, 0.8
"""Logarithm of the odds of a subject (`subject_log_odds`) that counts half, and of e times the odds that count."""
ENDS, ENDS_POWER = 0.4, 1.5
"""Share of its places where a phrase ends what is said, below which it is taken for the modifier of a noun."""
PLURAL = 2.0
"""What a place counts that has it in the plural, beside one in the singular."""
UNUSUAL, HEADING = 0.05, 0.25
"""What a spelling counts in a title, at the beginning of a text or before a noun, and with capitals as in headings."""
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_BRACKET = re.compile(r"[()\[\]{}]")


@lru_cache(1 << 16)
def _singular_forms(text: str) -> tuple[str, ...]:
    return tuple(singular_words(normal_name(text)).split())


@dataclass(frozen=True, slots=True)
class MinedPaper:
    """A paper as its phrases are looked for: its key phrases as `normal_name` has them, title and abstract."""

    key_phrases: Sequence[str]
    title: str
    abstract: str


@dataclass(frozen=True, slots=True)
class PhraseTable:
    """Phrases and the texts that have them.

    Attributes:
        phrases: as `singular_words` gives them.
        spellings: as most texts write them.
        quality: how likely each is the name of a subject, 0 to 1.
        rows: of each, the texts that have it, ascending.
        weights: of each, what it counts in these.
    """

    phrases: Sequence[str]
    spellings: Sequence[str]
    quality: FloatArray
    rows: Sequence[Ints]
    weights: Sequence[FloatArray]


class PhraseCounter:
    """Counts phrases of papers, which come one after another."""

    def __init__(self, key_phrases: Iterable[Sequence[str]]) -> None:
        papers = [{singular_words(phrase) for phrase in phrases} for phrases in key_phrases]
        counts = Counter(phrase for phrases in papers for phrase in phrases)
        self._often = OFTEN if len(papers) >= FEW_PAPERS else min(OFTEN - 1, max(1, len(papers)))
        self._key_phrases = counts.keys()
        self._known = {phrase for phrase, count in counts.items() if phrase and count >= self._often}
        self._longest = _longest(self._known)
        self._places: Counter[str] = Counter()
        self._ends: Counter[str] = Counter()
        self._before: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._after: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._written: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._small: Counter[str] = Counter()
        self._short: dict[str, str] = {}
        self._defined: set[str] = set()

    def define(self, texts: Iterable[str]) -> None:
        """Learn the short forms that papers define; long forms that are a key phrase of any paper are phrases, too."""
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for text in texts:
            for short, long in find_short_forms(text).items() if "(" in text else ():
                counts[short][long] += 1
        self._defined |= counts.keys()
        for short, longs in counts.items():
            merged: Counter[str] = Counter()
            for long, count in longs.items():
                merged[normal_name(long)] += count
            known = {singular_words(long) for long, count in merged.items() if count >= self._often}
            self._known |= known & self._key_phrases
            long, count = merged.most_common(1)[0]
            if count >= DEFINED and 2 * count >= merged.total():
                self._short[short] = long
        self._longest = _longest(self._known)

    def count(self, paper: MinedPaper) -> dict[str, float]:
        """The phrases that a paper has, with what they count."""
        weights: dict[str, float] = {}
        forms = find_short_forms(paper.abstract) if "(" in paper.abstract else {}
        for text, weight in ((paper.title, 1.0), (paper.abstract, MENTIONED)):
            for phrase in self._read(text, forms, is_title=weight == 1):
                weights[phrase] = max(weight, weights.get(phrase, 0.0))
        for phrase in map(singular_words, paper.key_phrases[:FIRST]):
            if phrase in weights or (phrase in self._known and not paper.abstract):
                weights[phrase] = 1.0
        return weights

    def _read(self, text: str, forms: Mapping[str, str], *, is_title: bool) -> Iterator[str]:
        words, ends, spans = self._split(text, forms)
        if not is_title:
            written = _WORD.findall(text)
            self._small.update(filter(str.islower, written))
            self._small.subtract(word.lower() for word in written if not word.islower())
        start = 0
        while start < len(words):
            most = self._longest.get(words[start], 0)
            length = next((n for n in range(most, 0, -1) if " ".join(words[start : start + n]) in self._known), 0)
            for first in range(start, start + length):
                for last in range(first, min(start + length, len(words))):
                    phrase = " ".join(words[first : last + 1])
                    if phrase in self._known:
                        yield phrase
                        self._note(phrase, words, ends, first, last)
                        if (begin := spans[first]) and (end := spans[last]):
                            usual = ends[last] and first and not is_title
                            self._write(phrase, text[begin[0] : end[1]], 1.0 if usual else UNUSUAL)
            start += length or 1

    def _write(self, phrase: str, written: str, weight: float) -> None:
        form = " ".join(written.split())
        if _BRACKET.search(form):
            return
        is_heading = " " in form and all(word[0].isupper() for word in form.split() if len(word) > len("and"))
        self._written[phrase][form] += weight * (HEADING if is_heading else 1)

    def _note(self, phrase: str, words: Sequence[str], ends: Sequence[bool], first: int, last: int) -> None:
        self._places[phrase] += 1
        self._ends[phrase] += ends[last]
        if first and not ends[first - 1]:
            self._before[phrase][words[first - 1]] += 1
        if not ends[last] and last + 1 < len(words):
            self._after[phrase][words[last + 1]] += 1

    def _split(self, text: str, forms: Mapping[str, str]) -> tuple[list[str], list[bool], list[tuple[int, int] | None]]:
        """Words in the singular, whether what is said ends after each, and where each is written; None: written out."""
        words: list[str] = []
        ends: list[bool] = []
        spans: list[tuple[int, int] | None] = []
        for match in _WORD.finditer(text):
            word = match.group()
            if ends and breaks_phrase(word):
                ends[-1] = True
            long = forms.get(word) or self._short.get(word) or self._short.get(word.removesuffix("s"))
            new = _singular_forms(long or word)
            words += new
            ends += [False] * len(new)
            spans += [None if long else match.span()] * len(new)
            if ends and text[match.end() : match.end() + 1] not in (" ", "\n"):
                ends[-1] = True
        return words, ends, spans

    def table(self, texts: Iterable[Mapping[str, float]]) -> PhraseTable:
        """The phrases that can be names, of texts with what `count` gave for them."""
        rows: defaultdict[str, list[int]] = defaultdict(list)
        weights: defaultdict[str, list[float]] = defaultdict(list)
        for row, text_phrases in enumerate(texts):
            for phrase, weight in text_phrases.items():
                rows[phrase].append(row)
                weights[phrase].append(weight)
        phrases = sorted(phrase for phrase in rows if self._is_whole(phrase) and not self._is_short(phrase))
        odds = subject_log_odds(phrases) if phrases else np.empty(0)
        likely = 1 / (1 + np.exp((LIKELY - odds) / STEEPNESS))
        share = np.array(
            [self._ends[phrase] / self._places[phrase] if self._places[phrase] else ENDS for phrase in phrases]
        )
        return PhraseTable(
            phrases,
            [self._spelling(phrase) for phrase in phrases],
            np.asarray(likely * np.minimum(1, share / ENDS) ** ENDS_POWER, np.float32),
            [np.array(rows[phrase], np.int64) for phrase in phrases],
            [np.array(weights[phrase], np.float32) for phrase in phrases],
        )

    def _is_whole(self, phrase: str) -> bool:
        """Whether it is more than a part of one longer phrase, as "hole" is of "black hole"."""
        most = max((max(counts[phrase].values(), default=0) for counts in (self._before, self._after)), default=0)
        return most < PART * self._places[phrase] or not self._places[phrase]

    def _is_short(self, phrase: str) -> bool:
        """Whether it has an abbreviation; one that nobody defines may be part of a phrase, as DNA is."""
        words = re.split(r"[ -]", self._spelling(phrase))
        short = [word for word in words if sum(map(str.isupper, word)) > 1 or word[:1].isdigit()]
        return bool(short) and (len(words) == 1 or any(word in self._defined or word.isdigit() for word in short))

    def _spelling(self, phrase: str) -> str:
        """As most texts write it; what only titles have is without their capitals, where texts have the words so."""
        written = self._written.get(phrase)
        if not written:
            return phrase
        best = max(written, key=lambda form: (written[form] * (PLURAL if form.endswith("s") else 1), form))
        if written[best] >= HEADING:
            return best
        return " ".join(
            word.lower() if word.istitle() and self._small[word.lower()] > 0 else word for word in best.split()
        )


def _longest(phrases: Iterable[str]) -> dict[str, int]:
    """The first word of phrases -> how many words the longest of these has, at most `LONGEST`."""
    lengths: dict[str, int] = {}
    for words in filter(None, map(str.split, phrases)):
        lengths[words[0]] = max(lengths.get(words[0], 0), min(len(words), LONGEST))
    return lengths
