"""Papers as they are classified without a language model: a vector, words, and which sentence is nearest a category."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from conspectus.core.arrays import FloatArray
from conspectus.core.groups import grouped
from conspectus.lexicon import STOP_WORDS
from conspectus.models.protocol import TokenVectors
from conspectus.records import Paper, Passage
from conspectus.records.passage import embedding_text
from conspectus.records.review import Category
from conspectus.review.classify.model import TrainingPapers, unit_rows
from conspectus.session.session import Session
from conspectus.store.vectors import matrix_of, own_passages, tokens_of

AT_ONCE = 256
"""Papers in memory at one time."""
MOST_PASSAGES = 200
"""Passages of a paper whose vectors are read; the others of a book add nothing to their mean."""
_FEWEST_WORDS = 3
"""Content words of a sentence that may decide, if there is one with so many."""
_WORDS = re.compile(r"[^\W\d_][\w-]*")


@dataclass(frozen=True, slots=True)
class EmbeddedPaper:
    """A paper that can be classified by its vectors.

    Attributes:
        vector: the unit mean of its first passage and of the mean of all, float32 [dimensions].
        words: of title and first passage, in small letters.
        first: that passage, which is the abstract where there is one.
        tokens: word vectors of that passage, if the embedder gives them.
    """

    paper: Paper
    vector: FloatArray
    words: Sequence[str]
    first: Passage
    tokens: TokenVectors | None


def load_papers(session: Session, keys: Sequence[int]) -> list[EmbeddedPaper]:
    """Papers by their keys, in this order; those without an embedded first passage are left out."""
    catalog, model = session.catalog, session.embedder.id
    passages_by_paper = {key: passages[:MOST_PASSAGES] for key, passages in own_passages(catalog, keys).items()}
    papers = catalog.papers_by_key(list(passages_by_paper))
    firsts = {key: passages[0] for key, passages in passages_by_paper.items()}
    texts, tokens = catalog.passages_by_key([*firsts.values()]), tokens_of(catalog, [*firsts.values()], model)
    embedded_papers = []
    vectors = _pooled_vectors(session, passages_by_paper)
    for key in keys:
        if key in papers and key in vectors and firsts[key] in texts:
            first = texts[firsts[key]].passage
            words = words_of(f"{papers[key].title} {first.text}")
            embedded_papers.append(EmbeddedPaper(papers[key], vectors[key], words, first, tokens.get(firsts[key])))
    return embedded_papers


def _pooled_vectors(session: Session, passages_by_paper: dict[int, list[int]]) -> dict[int, FloatArray]:
    pooled: dict[int, FloatArray] = {}
    for block in _blocks(passages_by_paper):
        keys = [key for passages in block.values() for key in passages]
        known, matrix = matrix_of(session.catalog, keys, session.embedder.id)
        rows = {key: row for row, key in enumerate(known)}
        for paper, passages in block.items():
            if passages[0] in rows:
                mean = matrix[[rows[key] for key in passages if key in rows]].mean(axis=0)
                pooled[paper] = unit_rows((matrix[rows[passages[0]]] + mean)[None])[0]
    return pooled


def _blocks(passages_by_paper: dict[int, list[int]]) -> Iterator[dict[int, list[int]]]:
    """The papers in parts of a few thousand passages."""
    block: dict[int, list[int]] = {}
    for paper, passages in passages_by_paper.items():
        block[paper] = passages
        if sum(map(len, block.values())) > 4 * AT_ONCE:
            yield block
            block = {}
    yield block


def training_papers(papers: Sequence[EmbeddedPaper], dimensions: int) -> TrainingPapers:
    """Papers to learn from; there may be none."""
    vectors = np.array([paper.vector for paper in papers], np.float32).reshape(len(papers), dimensions)
    return TrainingPapers(vectors, [paper.words for paper in papers])


def words_of(text: str) -> list[str]:
    """The words of a text, in small letters."""
    return _WORDS.findall(text.lower())


def category_text(category: Category) -> str:
    """What is embedded for a category."""
    return f"{category.name}: {category.description}" if category.description else category.name


@dataclass(frozen=True, slots=True)
class SentenceFinder:
    """Finds the sentence of a paper that is nearest a category, by the word vectors that are stored.

    Attributes:
        directions: of each category, away from the others, float32 [categories, dimensions of words]; None where the
            embedder gives no word vectors: then shared words decide.
        words: of each category's description.
    """

    directions: FloatArray | None
    words: Sequence[frozenset[str]]

    @classmethod
    def of(
        cls,
        descriptions: Sequence[tuple[str, TokenVectors | None]],
        examples: Sequence[tuple[EmbeddedPaper, Sequence[int]]],
    ) -> SentenceFinder:
        """By descriptions with their word vectors, and examples with the places of their categories."""
        words = [frozenset(words_of(text)) - STOP_WORDS for text, _ in descriptions]
        labelled = grouped((place, example.tokens) for example, places in examples for place in places)
        rows = []
        for place, (_, tokens) in enumerate(descriptions):
            known = [
                token_vectors
                for token_vectors in (tokens, *labelled.get(place, ()))
                if token_vectors is not None and len(token_vectors.vectors)
            ]
            if not known:
                return cls(None, words)
            rows.append(np.mean([token_vectors.vectors.mean(axis=0) for token_vectors in known], axis=0))
        means = np.array(rows, np.float32)
        away = means - means.mean(axis=0) if len(means) > 1 else means
        return cls(unit_rows(away), words)

    def find(self, paper: EmbeddedPaper, category: int) -> tuple[str, str] | None:
        """The ids of the passage and the sentence that are nearest a category (its place); None without sentences."""
        scored = [(self._score(paper, category, place), -place) for place in range(len(paper.first.spans))]
        if not scored:
            return None
        return paper.first.id, paper.first.spans[-max(scored)[1]].id

    def _score(self, embedded_paper: EmbeddedPaper, category: int, place: int) -> tuple[bool, float]:
        """Whether a sentence is long enough, and how near it is."""
        span = embedded_paper.first.spans[place]
        if self.directions is None or embedded_paper.tokens is None:
            words = set(words_of(span.text)) - STOP_WORDS
            return len(words) >= _FEWEST_WORDS, len(words & self.words[category]) / max(len(words), 1)
        _, before = embedding_text(embedded_paper.paper, embedded_paper.first)
        begin, end = np.searchsorted(embedded_paper.tokens.starts, (before + span.start, before + span.end))
        vectors = embedded_paper.tokens.vectors[begin:end].astype(np.float32)
        near = float((vectors @ self.directions[category]).mean()) if len(vectors) else 0.0
        return len(vectors) >= _FEWEST_WORDS, near
