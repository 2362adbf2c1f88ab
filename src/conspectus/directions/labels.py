"""Labels of directions: the words of papers in which they are active, against near misses and all others.

Without a language model. Two thirds of the papers choose the words, the others say how well they do. A name is a
phrase, a concept or a word that probably says what the direction's texts share, by a logistic regression (`NAMING`)
that `benchmarks/direction_names.py` fits to judgements. The words that such texts surely have more often are added, and
the sum of the log-odds of all says in which texts the direction is active; its area under the curve (AUC) is the
label's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.job_context import emit
from conspectus.directions.autoencoder import Ints
from conspectus.directions.sql import LabelTerm
from conspectus.directions.stored_directions import Codes
from conspectus.parse.text.key_phrases import singular
from conspectus.records.events import Progress

_WORD = re.compile(r"[^\W_]+")
Floats = npt.NDArray[np.float64]
Embed = Callable[[Sequence[str]], FloatArray]
NAMING = {"nearness": 5.75, "strongest": 1.45, "precision": 0.34, "quality": 0.52, "part": -1.26}
"""What counts for a name, as log-odds: the cosine of its vector with the direction; the share of the `STRONGEST` texts
that have it; the logarithm of the share of the texts with it, near misses counted twice, in which the direction is
active; the logarithm of its quality; and the share of the texts with it that have it in a longer term."""
CONSTANT, USUAL = -1.91, 0.36
"""Log-odds of a name by nothing else, and the cosine where vectors of phrases are not to be had."""
STRONGEST = 10
DOUBTFUL = 0.25
"""Probability below which a term is no name: the direction has none, but words. Many of these are of how papers are
written (`Embase`, `uncertainties`), and no subject."""
LEAST = 0.02
"""The least quality that a term counts with, and the quality of words."""
RECALL, PRECISION = 0.7, 0.5
"""Exponents by which the terms are chosen whose vectors are read."""
PRIOR = 2.0
"""Texts without a term that are added to its own, so that rare ones are not the most precise."""
FEWEST_NAMED, OFTENER = 3, 2.0
"""Texts of a direction that have its name, and how many times as often they have it as all texts."""
EMBEDDED = 16
"""Terms of each direction whose vectors are read, the best of them."""
SECOND = 0.9
"""A second phrase is part of the name, if it is so nearly as probable as the first, and is in other texts."""
OTHER_TEXTS = 0.5
"""Share of the texts of the first phrase that may have the second, too."""
CHOOSING = 2 / 3
"""Share of the papers that choose words."""
WORDS, SURE = 24, 2.5
"""Words that are added to a name, at most, and by how many standard errors they have to be more frequent."""
JUDGED = 6000
"""Texts in which a direction is not active, by which words are judged."""
FEWEST = 5
"""Texts in which a direction has to be active among those that judge."""
WITNESSES = 3
"""Papers that a word is kept with; it goes with the last of them."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What texts can be told by.

    Attributes:
        texts: as they are written.
        kinds: `phrase`, `concept` or `word` of each.
        quality: how likely each is a name, 0 to 1; of words far less than of all others; 0: it is none.
        rows: the texts that have it, ascending.
    """

    texts: Sequence[str]
    kinds: Sequence[str]
    quality: Floats
    rows: Sequence[Ints]


@dataclass(frozen=True, slots=True)
class DirectionLabel:
    """What a direction is called: its terms, the papers' keys that have each, and its AUC on papers held out."""

    terms: tuple[LabelTerm, ...]
    witnesses: tuple[tuple[int, ...], ...]
    auc: float


NO_LABEL = DirectionLabel((), (), float("nan"))


class DirectionLabeller:
    """Labels directions.

    Args:
        codes: of the texts that labels are made from.
        terms: of these.
        decoder: the directions, float32 [size, dimensions].
        embed: gives the vectors of phrases; None: names are chosen without.
        seed: of the split in halves.
    """

    def __init__(self, codes: Codes, terms: Terms, decoder: FloatArray, embed: Embed | None, seed: int = 0) -> None:
        self._codes, self._terms, self._decoder, self._size = codes, terms, decoder, len(decoder)
        chance = np.random.default_rng((seed, 3))
        papers, owner = np.unique(codes.papers, return_inverse=True)
        self._choosing = (chance.random(len(papers)) < CHOOSING)[owner]
        self._chance = chance
        numbers = codes.numbers.astype(np.int64)
        self._active = np.where(codes.clear, numbers, self._size)
        self._near = np.where(codes.clear, self._size, numbers)
        chosen = [rows[self._choosing[rows]] for rows in terms.rows]
        self._frequency = np.array([len(rows) for rows in chosen], np.int64)
        texts = np.concatenate([*chosen, np.zeros(0, np.int64)])
        order = np.argsort(texts, kind="stable")
        self._having = np.repeat(np.arange(len(chosen)), self._frequency)[order]  # the terms of text after text
        self._starts = np.searchsorted(texts[order], np.arange(len(codes.papers) + 1))
        active_numbers = self._active[self._choosing].ravel()
        self._texts = np.bincount(active_numbers, minlength=self._size + 1)[: self._size]
        self._total = int(self._choosing.sum())
        self._scores = self._rank_names(embed)

    def _count(self, codes: Ints, number: int) -> Ints:
        """In how many of the texts that choose, with a direction among these codes, each term is; int64 [terms]."""
        rows = np.flatnonzero((codes == number).any(axis=1) & self._choosing).tolist()
        parts = [self._having[self._starts[row] : self._starts[row + 1]] for row in rows]
        counts: Ints = np.bincount(np.concatenate([self._having[:0], *parts]), minlength=len(self._frequency))
        return counts

    def _rank_names(self, embed: Embed | None) -> list[dict[int, float]]:
        """How probably terms name a direction, the most probable first, of each direction."""
        first = [self._find_candidates(number) for number in range(self._size)]
        terms = np.unique(np.concatenate([*(list(candidates) for candidates in first), np.zeros(0)])).astype(np.int64)
        parts, nearness = self._find_parts(terms), np.full((len(terms), self._size), USUAL)
        if embed is not None and len(terms):
            emit(Progress("naming directions", 0, self._size, "directions"))
            nearness = embed([self._terms.texts[term] for term in terms]) @ self._decoder.T
        rankings = []
        for number, candidates in enumerate(first):
            own = np.searchsorted(terms, list(candidates))
            odds = np.array(list(candidates.values())) + CONSTANT
            odds = odds + NAMING["nearness"] * nearness[own, number] + NAMING["part"] * parts[own]
            probabilities = dict(zip(candidates, (1 / (1 + np.exp(-odds))).round(6).tolist(), strict=True))
            rankings.append(dict(sorted(probabilities.items(), key=lambda pair: (-pair[1], pair[0]))))
        return rankings

    def _find_candidates(self, number: int) -> dict[int, float]:
        """Terms that may name a direction, and what counts for each but for its vector and for longer terms."""
        count, misses = self._count(self._active, number), self._count(self._near, number)
        recall = count / max(int(self._texts[number]), 1)
        more_often = recall / np.maximum(self._frequency / max(self._total, 1), 1e-9)
        fits = np.flatnonzero((count >= FEWEST_NAMED) & (more_often >= OFTENER) & (self._terms.quality > 0))
        precision = count[fits] / (self._frequency[fits] + misses[fits] + PRIOR)
        quality = np.maximum(self._terms.quality[fits], LEAST)
        best = np.argsort(-(recall[fits] ** RECALL * precision**PRECISION * quality), kind="stable")[:EMBEDDED]
        rows = self._codes.rows_of(number)[0]
        strongest = rows[self._choosing[rows]][:STRONGEST]
        odds = {}
        for place in best.tolist():
            term = int(fits[place])
            having = np.isin(strongest, self._terms.rows[term]).mean()
            odds[term] = float(
                NAMING["strongest"] * having
                + NAMING["precision"] * np.log(precision[place] + 0.01)
                + NAMING["quality"] * np.log(quality[place])
            )
        return odds

    def _find_parts(self, terms: Ints) -> Floats:
        """The share of the texts of each of some terms that have it in a longer one: `neuroimaging` is no name."""
        words = [_singular_words(text) for text in self._terms.texts]
        longer = defaultdict(set)
        for term, term_words in enumerate(words):
            if len(term_words) > 1:
                for word in term_words:
                    longer[word].add(term)
        shares = np.zeros(len(terms))
        for place, term in enumerate(terms.tolist()):
            inner = f" {' '.join(words[term])} "
            others = set.intersection(*(longer[word] for word in words[term])) if words[term] else set[int]()
            rows = [
                self._terms.rows[other]
                for other in others
                if len(words[other]) > len(words[term]) and inner in f" {' '.join(words[other])} "
            ]
            within = np.isin(self._terms.rows[term], np.concatenate(rows)) if rows else np.zeros(1)
            shares[place] = within.mean()
        return shares

    def labels(self) -> list[DirectionLabel]:
        """The label of each direction."""
        labels, names = [], self._assign_names()
        for number in range(self._size):
            if number % 20 == 0:
                emit(Progress("naming directions", number, self._size, "directions"))
            labels.append(self._label(number, names[number]))
        return labels

    def _assign_names(self) -> list[list[int]]:
        """The terms of each direction's name; no two have one in common, and those that fit best choose first."""
        ranked = [list(scores) for scores in self._scores]
        waiting = dict(enumerate(ranked))
        names: list[list[int]] = [[] for _ in range(self._size)]
        taken: set[tuple[str, ...]] = set()

        def first(number: int) -> int | None:
            texts = self._terms.texts
            waiting[number] = [term for term in waiting[number] if _singular_words(texts[term]) not in taken]
            return waiting[number][0] if waiting[number] else None

        left = {number for number in waiting if ranked[number]}
        while left:
            number = max(
                left,
                key=lambda candidate: -1.0 if (term := first(candidate)) is None else self._scores[candidate][term],
            )
            left.discard(number)
            if not waiting[number]:  # others are called so: two of these together may be its own
                best, *further = ranked[number]
                names[number] = [best, *[term for term in further if not _alike(self._terms.texts, best, term)][:1]]
                continue
            names[number] = self._pick_names(number, waiting[number])
            taken.update(_singular_words(self._terms.texts[term]) for term in names[number])
        return names

    def _label(self, number: int, names: Sequence[int]) -> DirectionLabel:
        active = (self._active == number).any(axis=1)
        has = self._count(self._active, number)
        if not names:
            return NO_LABEL
        chosen = self._add_words(number, names, has)
        weights = [self._weight(term, number, has) for term in chosen]
        auc = self._judge(chosen, weights, active)
        is_named = self._scores[number][names[0]] >= DOUBTFUL
        name_kinds = ["concept" if self._terms.kinds[term] == "concept" else "phrase" for term in names]
        kinds = [*(name_kinds if is_named else ()), *["word"] * len(chosen)]
        terms = tuple(
            LabelTerm(self._terms.texts[term], kind, round(weight, 3))
            for term, kind, weight in zip(chosen, kinds, weights, strict=False)
        )
        return DirectionLabel(terms, tuple(self._find_witnesses(number, term) for term in chosen), auc)

    def reword(self, number: int, label: DirectionLabel, text: str, words: Collection[str]) -> DirectionLabel:
        """A label in other words: these come before those that it had, and its AUC is that of all that it has now.

        Without any of the words in enough texts, the label stays.
        """
        places = {name: place for place, name in enumerate(self._terms.texts) if self._terms.kinds[place] == "word"}
        singulars = {singular(name): place for name, place in places.items()}
        word_terms = [singulars[word] for word in sorted(words) if word in singulars]
        if not word_terms:
            return label
        others = {name: place for place, name in enumerate(self._terms.texts)} | places
        chosen = list(dict.fromkeys([*word_terms, *(others[label_term.term] for label_term in label.terms)]))
        has, active = self._count(self._active, number), (self._active == number).any(axis=1)
        weights = [self._weight(term, number, has) for term in chosen]
        terms = [
            LabelTerm(self._terms.texts[term], "word", round(w, 3)) for term, w in zip(chosen, weights, strict=True)
        ]
        witnesses = [self._find_witnesses(number, term) for term in chosen]
        model_term = LabelTerm(text, "model", 0.0)
        auc = self._judge(chosen, weights, active)
        return DirectionLabel((model_term, *terms), (witnesses[0], *witnesses), auc)

    def _judge(self, terms: Sequence[int], weights: Sequence[float], active: npt.NDArray[np.bool_]) -> float:
        """The AUC of terms on papers that chose none."""
        rows = self._draw(active, ~self._choosing, JUDGED)
        scores = np.zeros(len(active))
        for term, weight in zip(terms, weights, strict=True):
            scores[self._terms.rows[term]] += weight
        enough = active[rows].sum() >= FEWEST
        return area_under_curve(scores[rows], active[rows]) if enough else float("nan")

    def _pick_names(self, number: int, best: Sequence[int]) -> list[int]:
        """The best phrase, and one that is nearly as good and in other texts."""
        scores, first = self._scores[number], best[0]
        for other in best[1:]:
            both = len(np.intersect1d(self._terms.rows[first], self._terms.rows[other], assume_unique=True))
            apart = both <= OTHER_TEXTS * min(len(self._terms.rows[first]), len(self._terms.rows[other]))
            if apart and scores[other] >= SECOND * scores[first] and not _alike(self._terms.texts, first, other):
                return [first, other]
        return [first]

    def _draw(self, active: npt.NDArray[np.bool_], part: npt.NDArray[np.bool_], most: int) -> Ints:
        """Texts of a part: those in which it is active, and at most so many others."""
        others = np.flatnonzero(part & ~active)
        if len(others) > most:
            others = np.sort(self._chance.choice(others, most, replace=False))
        return np.concatenate([np.flatnonzero(part & active), others])

    def _weight(self, term: int, number: int, has: Ints) -> float:
        """The logarithm of how many times as often texts with the direction have the term; `has`: how many have it."""
        texts = self._texts[number]
        other = (self._frequency[term] - has[term] + 0.5) / (self._total - texts + 1)
        return float(np.log(((has[term] + 0.5) / (texts + 1)) / other))

    def _add_words(self, number: int, names: Sequence[int], has: Ints) -> list[int]:
        """A name and the terms that texts with the direction have more often, the surest first, each once."""
        inside, texts = has + 0.5, self._texts[number] + 1
        other, others = self._frequency - has + 0.5, self._total - self._texts[number] + 1
        sure = np.log((inside / texts) / (other / others)) / np.sqrt(1 / inside + 1 / other)
        order = np.argsort(-sure, kind="stable")
        used_texts = {self._terms.texts[term].casefold() for term in names}
        chosen = list(names)
        for term in order[sure[order] > SURE].tolist():
            if len(chosen) == len(names) + WORDS:
                break
            if (text := self._terms.texts[term].casefold()) not in used_texts:  # a word may be a phrase, too
                used_texts.add(text)
                chosen.append(term)
        return chosen

    def _find_witnesses(self, number: int, term: int) -> tuple[int, ...]:
        rows = self._codes.rows_of(number)[0]
        papers = self._codes.papers[rows[np.isin(rows, self._terms.rows[term])]].tolist()
        papers = papers or self._codes.papers[self._terms.rows[term]].tolist()
        return tuple(dict.fromkeys(papers))[:WITNESSES]


def _singular_words(text: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in _WORD.findall(text))


def _alike(texts: Sequence[str], ours: int, other: int) -> bool:
    """Whether two phrases share a word, or the beginning of one."""
    first, second = ({word[:5].casefold() for word in texts[term].replace("-", " ").split()} for term in (ours, other))
    return bool(first & second)


def area_under_curve(scores: Floats, truth: npt.NDArray[np.bool_]) -> float:
    """The probability that a text that is true scores above one that is not; ties count half."""
    positive = int(truth.sum())
    negative = len(truth) - positive
    if not positive or not negative:
        return 0.5
    levels, ranks = np.unique(scores, return_inverse=True)
    right = np.bincount(ranks, truth, minlength=len(levels))
    wrong = np.bincount(ranks, ~truth, minlength=len(levels))
    below = np.cumsum(wrong) - wrong
    return float((right * (below + wrong / 2)).sum() / (positive * negative))


def find_parents(codes: Codes, size: int) -> Ints:
    """Of each direction the more frequent one whose family it is of; -1: none.

    That is the one that is active in most of its texts, if these are `KIN` of them and `LIFT` times as many as by
    chance.
    """
    first = np.where(codes.clear, codes.numbers, size)[:, : codes.active].astype(np.int64)
    together = np.zeros((size + 1, size + 1), np.int32)
    for column in range(first.shape[1]):
        for other in range(column):
            np.add.at(together, (first[:, column], first[:, other]), 1)
    counts = codes.counts(size)
    by_chance = counts / max(len(codes.papers), 1)
    parents = np.full(size, -1, np.int64)
    for number in range(size):
        share = (together[number, :size] + together[:size, number]) / max(int(counts[number]), 1)
        fits = (share >= KIN) & (share >= LIFT * by_chance) & (counts > counts[number])
        if fits.any():
            parents[number] = np.where(fits, share, -1).argmax()
    return parents


KIN, LIFT = 0.25, 2.0
