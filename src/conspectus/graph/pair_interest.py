"""What makes a pair of entities worth reading about: entities that are specific and surely meant, and not of one kind.

That a sentence will soon join two entities is foretold best of those that are mentioned with everything, and of those
that stand in the same lists (`superior parietal lobule` and `frontal operculum`). Nobody has to be told of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from conspectus.core.groups import grouped
from conspectus.graph.link_prediction import MEASURES, LinkForecast
from conspectus.graph.linking.plausibility import head_word, label_words
from conspectus.graph.linking.words import fold
from conspectus.graph.network import Floats, Ints

NEAR, KIND = 4.0, 8.0
"""What a pair loses that is near in vocabularies, and one that is a kind of what is joined (`left amygdala`)."""
SAME_WORDS = 6.0
"""What a pair loses whose labels have the same words; from half of the words of the shorter label on."""
ALIKE = 1.0
"""What a pair loses for each deviation that its `alike_sentences` are above the mean."""
FEWEST = 100
"""Papers below which nothing can be said of how concepts are used."""
FREE = -3.0
"""The log odds of being too general (`graph.entities`) above which an entity costs a pair as much as it is above."""
COMMON, USUAL = 1.5, 0.05
"""What an entity costs a pair by ln(its share of the papers / `USUAL`), if it is larger."""
BROAD = 0.3
"""What an entity costs a pair by ln(1 + concepts below it)."""
GENERAL = 2.5
"""What an entity costs for being general, from which on it joins nothing and is no suggestion."""
SURE, DOUBT = 0.97, 8.0
"""The mean score of its mentions below which an entity costs a pair, and how much for each 1 below."""
CATEGORY, KINDS = 2.0, 3
"""What a category (`gyrus`) costs a pair: a label of one word that is the head of so many others."""


@dataclass(frozen=True)
class PairInterest:
    """Says what pairs lose.

    Attributes:
        forecast: of the network.
        labels: of its concepts.
        above: what is above concepts, in words; see `ConceptKind`.
        general: the log odds that concepts are too general.
        scores: the mean score of the mentions of concepts.
        below: how many concepts are below concepts.
    """

    forecast: LinkForecast
    labels: Mapping[int, str] = field(default_factory=dict)
    above: Mapping[int, frozenset[str]] = field(default_factory=dict)
    general: Mapping[int, float] = field(default_factory=dict)
    scores: Mapping[int, float] = field(default_factory=dict)
    below: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def costs(self) -> Floats:
        """What each concept costs a pair, float64 [concepts]."""
        heads, words = self._names
        kinds = Counter(head for head, word_set in zip(heads, words, strict=True) if len(word_set) > 1)
        costs = np.zeros(len(heads))
        for row, key in enumerate(self.forecast.network.concepts.tolist()):
            is_category = len(words[row]) == 1 and kinds[heads[row]] >= KINDS
            costs[row] = DOUBT * max(SURE - self.scores.get(key, SURE), 0.0) + CATEGORY * is_category
        return np.asarray(costs + self._generality)

    @cached_property
    def specific(self) -> npt.NDArray[np.bool_]:
        """Which concepts may be an end of a pair or join it, bool [concepts]: in a small library, all."""
        return np.asarray((self._generality < GENERAL) | (self.forecast.network.totals[1] < FEWEST))

    @cached_property
    def _generality(self) -> Floats:
        """What each concept costs a pair because it is general, by itself, in the papers and in its vocabulary."""
        network = self.forecast.network
        keys, papers = network.concepts.tolist(), network.totals[1]
        costs = np.array([max(self.general.get(key, FREE) - FREE, 0.0) for key in keys])
        if papers >= FEWEST:
            costs += COMMON * np.log(np.maximum(np.diag(network.papers) / papers / USUAL, 1.0))
            costs += BROAD * np.log1p([self.below.get(key, 0) for key in keys])
        return costs

    def sameness(self, measures: Floats) -> Floats:
        """What pairs lose for standing in the same sentences' company, by their measures, float64 [..., measures]."""
        at, foresight = MEASURES.index("alike_sentences"), self.forecast.foresight
        if self.forecast.network.totals[1] < FEWEST:  # too few to say what company a concept keeps
            return np.zeros(measures.shape[:-1])
        return np.asarray(ALIKE * np.maximum(measures[..., at] - foresight.means[at], 0) / foresight.deviations[at])

    def textbook(self, row: int, rows: Ints) -> Floats:
        """What a concept loses with others because anybody knows: kinds of what is joined, names and places alike.

        `NEAR` counts by the share of the words above both that are above either.
        """
        concepts, (heads, words) = self.forecast.network.concepts, self._names
        row_above = self.above.get(int(concepts[row]), frozenset[str]())
        around = self.forecast.network.around(row).tolist()
        joined = grouped((heads[neighbour], words[neighbour]) for neighbour in (row, *around))
        losses = np.zeros(len(rows))
        for at, other in enumerate(rows.tolist()):
            above = self.above.get(int(concepts[other]), frozenset())
            near = len(above & row_above) / max(len(above | row_above), 1)
            is_kind = any(word_set <= words[other] for word_set in joined.get(heads[other], ()) if word_set)
            same = len(words[row] & words[other]) / max(min(len(words[row]), len(words[other])), 1)
            losses[at] = NEAR * near + KIND * is_kind + SAME_WORDS * same * (same >= 0.5)
        return losses

    @cached_property
    def kinds(self) -> Ints:
        """Pairs of concepts, the second with all words of the first in its label and more, int64 [pairs, 2]."""
        words = self._names[1]
        rows_with = grouped((word, row) for row, word_set in enumerate(words) for word in word_set)
        pairs = (
            (row, kind)
            for row, word_set in enumerate(words)
            if word_set
            for kind in sorted(set.intersection(*(set(rows_with[word]) for word in word_set)))
            if words[kind] != word_set
        )
        return np.array(list(pairs), np.int64).reshape(-1, 2)

    @cached_property
    def _names(self) -> tuple[list[str], list[frozenset[str]]]:
        """The head and the words of each concept's label."""
        labels = [self.labels.get(key, "") for key in self.forecast.network.concepts.tolist()]
        return [fold(head_word(label)) for label in labels], [
            frozenset(map(fold, label_words(label))) for label in labels
        ]
