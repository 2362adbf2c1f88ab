"""Decides categories of papers without a language model, and names the sentence that is nearest each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import UsageError
from conspectus.models.protocol import Embedding, TokenVectors
from conspectus.records.review import ReviewEntry
from conspectus.review.classify.classification import VECTORS, CategoryDecision, make_entry
from conspectus.review.classify.files import CategorySet
from conspectus.review.classify.model import SAMPLE, CategoryModel, fit_categories, unit_rows
from conspectus.review.classify.papers import (
    AT_ONCE,
    EmbeddedPaper,
    SentenceFinder,
    category_text,
    load_papers,
    training_papers,
)
from conspectus.session.session import Session

MOST_EXAMPLES = 3000
"""Labels that are learnt from."""
SAME = 0.995
"""Cosine of two descriptions from which on they say the same."""
NEAR = 0.9
Labels = Mapping[str, Sequence[str]]
"""Paper id -> names of its categories; none: no category fits it."""


@dataclass(frozen=True, slots=True)
class VectorClassifier:
    """Decides by vectors and words.

    Attributes:
        least: the probability that a category needs.
        learnt: ids of the papers that were learnt from.
        unseen: probabilities of these by models that had not seen them, if there were enough to leave some out.
        notes: what the user should know.
    """

    category_set: CategorySet
    least: float
    model: CategoryModel
    finder: SentenceFinder
    learnt: frozenset[str]
    unseen: Mapping[str, FloatArray]
    notes: tuple[str, ...]

    @classmethod
    def fit(
        cls, session: Session, category_set: CategorySet, least: float, labels: Labels, papers: Mapping[str, int]
    ) -> VectorClassifier:
        """Learn from descriptions, from labels of papers, and from some of `papers` (id -> key) that have none.

        Raises:
            UsageError: two categories say the same.
        """
        embedded = _embed(session, category_set)
        descriptions = np.stack([embedding.vector for _, embedding in embedded]).astype(np.float32)
        notes = list(_likeness_notes(session, category_set))
        chosen = sorted(labels, key=_order)[:MOST_EXAMPLES]
        if len(chosen) < len(labels):
            notes.append(f"{MOST_EXAMPLES:,} of {len(labels):,} labels were learnt from.")
        examples = list(_load(session, [*session.catalog.keys_of(chosen).values()]))
        others = sorted(papers.keys() - labels.keys(), key=_order)[:SAMPLE]
        sample = list(_load(session, [papers[paper] for paper in others]))
        length = descriptions.shape[1]
        rows = _label_rows(category_set, [labels[example.paper.id] for example in examples])
        model = fit_categories(
            descriptions,
            training_papers(examples, length),
            rows,
            training_papers(sample, length),
            several=category_set.several,
        )
        places = [[category_set.names.index(name) for name in labels[example.paper.id]] for example in examples]
        described = [(text, embedding.tokens) for text, embedding in embedded]
        finder = SentenceFinder.of(described, list(zip(examples, places, strict=True)))
        ids = [example.paper.id for example in examples]
        chances = model.unseen_probabilities
        unseen = {} if chances is None else dict(zip(ids, chances, strict=True))
        return cls(category_set, least, model, finder, frozenset(ids), unseen, tuple(notes))

    def decide(self, papers: Sequence[EmbeddedPaper]) -> list[ReviewEntry]:
        """What is kept of papers."""
        if not papers:
            return []
        rows = training_papers(papers, len(papers[0].vector))
        chances = self.model.probabilities(rows.vectors, rows.texts)
        return [
            self._entry(embedded_paper, paper_chances)
            for embedded_paper, paper_chances in zip(papers, chances, strict=True)
        ]

    def _entry(self, embedded_paper: EmbeddedPaper, chances: FloatArray) -> ReviewEntry:
        paper = embedded_paper.paper.id
        chances = self.unseen.get(paper, chances)
        names = self.category_set.names
        order = np.argsort(-chances[: len(names)], kind="stable").tolist()

        def decide_on(place: int) -> CategoryDecision:
            return CategoryDecision(names[place], float(chances[place]), self.finder.find(embedded_paper, place))

        chosen_places = [place for place in order if chances[place] >= self.least]
        if not self.category_set.several:
            chosen_places = [place for place in chosen_places[:1] if chances[place] >= chances.max()]
        closest = None if chosen_places else decide_on(order[0])
        is_learnt = paper in self.learnt and paper not in self.unseen
        return make_entry(paper, VECTORS, [decide_on(place) for place in chosen_places], closest, learnt=is_learnt)


def describe_categories(session: Session, category_set: CategorySet) -> list[tuple[str, TokenVectors | None]]:
    """The descriptions of categories with their word vectors, for `SentenceFinder`."""
    return [(text, embedding.tokens) for text, embedding in _embed(session, category_set)]


def _embed(session: Session, category_set: CategorySet) -> list[tuple[str, Embedding]]:
    texts = [category_text(category) for category in category_set.categories]
    return list(zip(texts, session.embedder.embed(texts), strict=True))


def _load(session: Session, keys: Sequence[int]) -> Iterator[EmbeddedPaper]:
    for start in range(0, len(keys), AT_ONCE):
        yield from load_papers(session, keys[start : start + AT_ONCE])


def _label_rows(category_set: CategorySet, labels: Sequence[Sequence[str]]) -> FloatArray:
    """1 where an example has a category; unless there may be several, a last column for those that have none."""
    rows = np.array([[name in example_labels for name in category_set.names] for example_labels in labels], np.float32)
    rows = rows.reshape(len(labels), len(category_set.names))
    return (
        rows if category_set.several else np.concatenate([rows, 1 - rows.max(axis=1, keepdims=True, initial=0)], axis=1)
    )


def _likeness_notes(session: Session, category_set: CategorySet) -> Iterator[str]:
    """Pairs of categories whose descriptions are nearly the same.

    Raises:
        UsageError: two are the same.
    """
    names, texts = category_set.names, [category.description or category.name for category in category_set.categories]
    unit = unit_rows(np.stack([embedding.vector for embedding in session.embedder.embed(texts)]))
    likeness = np.triu(unit @ unit.T, 1)
    for first, second in np.argwhere(likeness > NEAR).tolist():
        pair = f"'{names[first]}' and '{names[second]}'"
        if likeness[first, second] > SAME:
            raise UsageError(
                f"The categories {pair} overlap wholly: they say the same.",
                "Describe what sets them apart, or make one of them.",
            )
        yield f"The categories {pair} are hard to distinguish by their descriptions."


def _order(paper_id: str) -> bytes:
    """An order of papers that is the same each time and means nothing."""
    return blake2b(paper_id.encode(), digest_size=8).digest()
