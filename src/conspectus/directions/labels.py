"""Labels of directions: the words of papers in which they are active, against near misses and all others.

Without a language model. Two thirds of the papers choose the words, the others say how well they do. A name is a phrase
or a concept that scores `recall^RECALL · precision^PRECISION · quality · exp(MEANING · cosine)`: recall is the share of
the direction's texts that have it, precision the share of the texts that have it, near misses counted twice, in which
the direction is active; the cosine is of the phrase's vector with the direction. Words are added that raise the area
under the curve (AUC) of the sum of their log-odds, which says in which texts the direction is active.
"""

from __future__ import annotations

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

Floats = npt.NDArray[np.float64]
Embed = Callable[[Sequence[str]], FloatArray]
RECALL, PRECISION, MEANING = 0.7, 0.5, 5.0
"""Exponents, and what a cosine counts."""
PRIOR = 2.0
"""Texts without a term that are added to its own, so that rare ones are not the most precise."""
FEWEST_NAMED, OFTENER = 3, 2.0
"""Texts of a direction that have its name, and how many times as often they have it as all texts."""
EMBEDDED = 12
"""Phrases of each direction whose vectors are read, the best of them."""
SECOND = 0.6
"""A second phrase is part of the name, if it scores so much of the first, and is in other texts."""
OTHER_TEXTS = 0.5
"""Share of the texts of the first phrase that may have the second, too."""
CHOOSING = 2 / 3
"""Share of the papers that choose words."""
WORDS = 12
"""Words that are added to a name, at most."""
CANDIDATES = 25
GAIN, SURE = 0.0005, 3.0
"""What a word has to add to the AUC, and by how many standard errors it has to be more frequent."""
CHOSEN, JUDGED = 1500, 6000
"""Texts in which a direction is not active, by which words are chosen, and by which they are judged."""
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
        quality: how likely each is a name, 0 to 1; of words far less than of all others.
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
        self._scores = self._score_names(embed)

    def _count(self, codes: Ints, number: int) -> Ints:
        """In how many of the texts that choose, with a direction among these codes, each term is; int64 [terms]."""
        rows = np.flatnonzero((codes == number).any(axis=1) & self._choosing).tolist()
        parts = [self._having[self._starts[row] : self._starts[row + 1]] for row in rows]
        counts: Ints = np.bincount(np.concatenate([self._having[:0], *parts]), minlength=len(self._frequency))
        return counts

    def _score_names(self, embed: Embed | None) -> list[dict[int, float]]:
        """How well the terms that fit a direction best name it, the best first, of each direction."""
        first = [self._score_terms(number) for number in range(self._size)]
        terms = np.unique([term for scores in first for term in scores])
        if embed is None or not len(terms):
            return first
        emit(Progress("naming directions", 0, self._size, "directions"))
        vectors, rankings = embed([self._terms.texts[term] for term in terms]), []
        for scores, direction in zip(first, self._decoder, strict=True):
            near = np.exp(MEANING * (vectors[np.searchsorted(terms, list(scores))] @ direction)).tolist()
            weighted_scores = {
                term: score * nearness for (term, score), nearness in zip(scores.items(), near, strict=True)
            }
            rankings.append(dict(sorted(weighted_scores.items(), key=lambda pair: (-pair[1], pair[0]))))
        return rankings

    def _score_terms(self, number: int) -> dict[int, float]:
        """The same without what terms mean."""
        count, misses = self._count(self._active, number), self._count(self._near, number)
        recall = count / max(int(self._texts[number]), 1)
        more_often = recall / np.maximum(self._frequency / max(self._total, 1), 1e-9)
        fits = np.flatnonzero((count >= FEWEST_NAMED) & (more_often >= OFTENER) & (self._terms.quality > 0))
        precision = count[fits] / (self._frequency[fits] + misses[fits] + PRIOR)
        scores = recall[fits] ** RECALL * precision**PRECISION * self._terms.quality[fits]
        best = np.argsort(-scores, kind="stable")[:EMBEDDED]
        return dict(zip(fits[best].tolist(), scores[best].tolist(), strict=True))

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
        taken: set[str] = set()

        def first(number: int) -> int | None:
            waiting[number] = [term for term in waiting[number] if self._terms.texts[term].casefold() not in taken]
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
            taken.update(self._terms.texts[term].casefold() for term in names[number])
        return names

    def _label(self, number: int, names: Sequence[int]) -> DirectionLabel:
        active = (self._active == number).any(axis=1)
        choose = self._draw(active, self._choosing, CHOSEN)
        has = self._count(self._active, number)
        if not names or not active[choose].any():
            return NO_LABEL
        chosen = self._add_words(number, names, has, active, choose)
        weights = [self._weight(term, number, has) for term in chosen]
        auc = self._judge(chosen, weights, active)
        kinds = [self._terms.kinds[term] if place < len(names) else "word" for place, term in enumerate(chosen)]
        kinds = ["phrase" if place < len(names) and kind == "word" else kind for place, kind in enumerate(kinds)]
        terms = tuple(
            LabelTerm(self._terms.texts[term], kind, round(weight, 3))
            for term, kind, weight in zip(chosen, kinds, weights, strict=True)
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

    def _add_words(
        self, number: int, names: Sequence[int], has: Ints, active: npt.NDArray[np.bool_], rows: Ints
    ) -> list[int]:
        chosen = list(names)
        truth = active[rows]
        place = np.full(len(active), -1)
        place[rows] = np.arange(len(rows))
        scores = np.zeros(len(rows))

        def column(term: int) -> Floats:
            term_rows = place[self._terms.rows[term]]
            term_scores = np.zeros(len(rows))
            term_scores[term_rows[term_rows >= 0]] = self._weight(term, number, has)
            return term_scores

        for term in chosen:
            scores += column(term)
        best = area_under_curve(scores, truth)
        columns = {term: column(term) for term in self._candidates(number, has) if term not in chosen}
        used_texts = {self._terms.texts[term].casefold() for term in chosen}
        while columns and len(chosen) < len(names) + WORDS:
            areas = {term: area_under_curve(scores + values, truth) for term, values in columns.items()}
            term = max(areas, key=lambda candidate: areas[candidate])
            if areas[term] < best + GAIN:
                break
            added = columns.pop(term)
            if (text := self._terms.texts[term].casefold()) in used_texts:  # a word that is a phrase or a concept, too
                continue
            best, scores = areas[term], scores + added
            used_texts.add(text)
            chosen.append(term)
        return chosen

    def _candidates(self, number: int, has: Ints) -> list[int]:
        """Terms that texts with the direction have more often, the surest first."""
        inside, texts = has + 0.5, self._texts[number] + 1
        other, others = self._frequency - has + 0.5, self._total - self._texts[number] + 1
        sure = np.log((inside / texts) / (other / others)) / np.sqrt(1 / inside + 1 / other)
        return [int(term) for term in np.argsort(-sure, kind="stable")[:CANDIDATES] if sure[term] > SURE]

    def _find_witnesses(self, number: int, term: int) -> tuple[int, ...]:
        rows = self._codes.rows_of(number)[0]
        papers = self._codes.papers[rows[np.isin(rows, self._terms.rows[term])]].tolist()
        papers = papers or self._codes.papers[self._terms.rows[term]].tolist()
        return tuple(dict.fromkeys(papers))[:WITNESSES]


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
