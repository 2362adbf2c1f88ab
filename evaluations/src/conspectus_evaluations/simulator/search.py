"""How the simulator searches: BM25 over title and abstract in memory, and the conditions of a query as masks."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from conspectus.lexicon import STOP_WORDS
from conspectus_evaluations.simulator.works import SimulatedWork

K1, B = 1.2, 0.75
_WORD = re.compile(r"\w+")
Mask = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.float32]


class Match(NamedTuple):
    """Which works fit a condition, and how well."""

    mask: Mask
    scores: Scores


def split_words(text: str) -> list[str]:
    """Words in small letters, in the singular where the plural is a common one."""
    return [_singular(word) for word in _WORD.findall(text.lower())]


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word[:-1]


def subject_words(text: str) -> list[str]:
    """`split_words` without function words, unless there are no others."""
    words = split_words(text)
    return [word for word in words if word not in STOP_WORDS] or words


def has_subject(text: str) -> bool:
    """Whether a word is no function word."""
    return any(word not in STOP_WORDS for word in split_words(text))


class WorkIndex:
    """The words of works; conditions give a mask over all works, in their order."""

    def __init__(self, works: Sequence[SimulatedWork], narrower: Mapping[str, frozenset[str]]) -> None:
        self.works = works
        self._narrower = narrower
        self._docs: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        self._counts: defaultdict[str, array[int]] = defaultdict(partial(array, "H"))
        lengths = np.zeros(len(works), np.float32)
        singular: dict[str, str] = {}
        for row, work in enumerate(works):
            written = Counter(_WORD.findall(f"{work.data.title} {work.data.abstract}".lower()))
            lengths[row] = written.total()
            counts: dict[str, int] = {}
            for word, count in written.items():
                form = singular.get(word) or singular.setdefault(word, _singular(word))
                counts[form] = counts.get(form, 0) + count
            for form, count in counts.items():
                self._docs[form].append(row)
                self._counts[form].append(min(count, 65_535))
        self._norm = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean()) if len(works) else 1.0))

    def everything(self) -> Match:
        """All works, none better than another."""
        size = len(self.works)
        return Match(np.ones(size, np.bool_), np.zeros(size, np.float32))

    def word(self, word: str) -> Match:
        """Works with a word, as `split_words` gives it, by BM25."""
        size = len(self.works)
        mask, scores = np.zeros(size, np.bool_), np.zeros(size, np.float32)
        if word in self._docs:
            rows = np.frombuffer(self._docs[word], np.uint32)
            counts = np.frombuffer(self._counts[word], np.uint16).astype(np.float32)
            idf = math.log(1 + (size - len(rows) + 0.5) / (len(rows) + 0.5))
            mask[rows] = True
            scores[rows] = idf * counts * (K1 + 1) / (counts + self._norm[rows])
        return Match(mask, scores)

    def words(self, text: str, every: bool) -> Match:
        """Works with any of the words that carry a subject, or with every one of them."""
        matches = [self.word(word) for word in dict.fromkeys(subject_words(text))]
        if not matches:
            return self.everything()
        return (intersect if every else unite)(matches)

    def phrase(self, text: str, part: str = "") -> Match:
        """Works that have words next to each other, function words too.

        Args:
            text: the words.
            part: `title` or `abstract`, where they have to be; "" is either.
        """
        wanted = split_words(text)
        if not wanted:
            return self.everything()
        mask, scores = intersect([self.word(word) for word in wanted])
        if len(wanted) > 1 or part:
            needle = f" {' '.join(wanted)} "
            for row in np.flatnonzero(mask).tolist():
                data = self.works[row].data
                texts = [data.title, data.abstract] if not part else [getattr(data, part)]
                mask[row] = any(needle in f" {' '.join(split_words(each))} " for each in texts)
        return Match(mask, np.where(mask, scores, 0))

    def part(self, text: str, part: str, every: bool) -> Match:
        """Works with words in `title` or `abstract`."""
        matches = [self.phrase(word, part) for word in dict.fromkeys(subject_words(text))]
        return (intersect if every else unite)(matches) if matches else self.everything()

    def where(self, test: Callable[[SimulatedWork], Any]) -> Match:
        """Works that pass a test."""
        mask = np.fromiter((bool(test(work)) for work in self.works), np.bool_, len(self.works))
        return Match(mask, np.zeros(len(self.works), np.float32))

    def author(self, text: str) -> Match:
        """Works by an author: every word is a word of the same name, or its first letter."""
        wanted = _WORD.findall(text.lower().replace("_", " "))
        initials = [word for word in wanted if len(word) <= 2]
        names = [word for word in wanted if len(word) > 2]

        def is_by(name: str) -> bool:
            words = _WORD.findall(name.lower())
            first = "".join(word[0] for word in words)
            return set(names) <= set(words) and all(i in words or set(i) <= set(first) for i in initials)

        return self.where(lambda work: wanted and any(is_by(author.name) for author in work.data.authors))

    def orcid(self, text: str) -> Match:
        """Works by the author with an ORCID."""
        wanted = text.replace("/", " ").split()[-1].upper()
        return self.where(lambda work: any(author.orcid.upper().endswith(wanted) for author in work.data.authors))

    def venue(self, text: str) -> Match:
        """Works in a journal whose name has all the words."""
        wanted = set(split_words(text))
        return self.where(lambda work: wanted and wanted <= set(split_words(work.data.venue)))

    def mesh(self, text: str) -> Match:
        """Works with a descriptor or a narrower one."""
        term = text.lower().strip()
        wanted = self._narrower.get(term, frozenset((term,)))
        return self.where(lambda work: any(term.lower() in wanted for term in work.mesh))

    def dated(self, low: str, high: str) -> Match:
        """Works published between two dates, both included: `2005`, `2005-03`, `20050301`; `*` or "" is no limit."""
        first, last = _day(low, "0001", "01"), _day(high, "9999", "12")
        return self.where(lambda work: first <= work.day <= last)

    def created(self, low: str, high: str) -> Match:
        """Works taken up between two dates, as `dated`."""
        first, last = _day(low, "0001", "01"), _day(high, "9999", "12")
        return self.where(lambda work: first <= work.created <= last)


def intersect(matches: Iterable[Match]) -> Match:
    """Works in all; their scores added up."""
    listed = list(matches)
    mask = np.logical_and.reduce([match.mask for match in listed])
    return Match(mask, np.where(mask, np.sum([match.scores for match in listed], axis=0), 0))


def unite(matches: Iterable[Match]) -> Match:
    """Works in any; their scores added up."""
    listed = list(matches)
    return Match(
        np.logical_or.reduce([match.mask for match in listed]), np.sum([match.scores for match in listed], axis=0)
    )


def exclude(match: Match) -> Match:
    """Works that do not fit."""
    return Match(~match.mask, np.zeros_like(match.scores))


def _day(text: str, year: str, month: str) -> int:
    """A date as a number, its missing parts filled: 20050301."""
    digits = re.sub(r"\D", "", text)[:8]
    if not digits:
        return int(f"{year}{month}{'01' if month == '01' else '31'}")
    last = "31" if month == "12" else "01"
    return int((digits + f"{month}{last}" if len(digits) == 4 else digits + last if len(digits) == 6 else digits)[:8])
