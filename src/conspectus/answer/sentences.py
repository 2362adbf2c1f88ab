"""The sentences of the passages found, each scored as an answer to the question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from conspectus.answer.answerable import Measured
from conspectus.answer.factual_sentences import states, words_of
from conspectus.answer.requested_kind import asks_for_figure
from conspectus.answer.sentence_model import (
    PassageNearness,
    bearing_measures,
    compare_passages,
    is_dangling,
    load_bearing_model,
    mean_cosines,
)
from conspectus.answer.small_network import SmallNetwork
from conspectus.answer.table_rows import cell_stretches, literal_nearness, row_answers
from conspectus.core.arrays import FloatArray
from conspectus.lexicon import STOP_WORDS
from conspectus.lexicon.word_lists import is_back_matter
from conspectus.models.protocol import TokenVectors
from conspectus.records import Paper, Passage, Span
from conspectus.records.passage import embedding_text
from conspectus.search.candidates import ScoredPassage
from conspectus.search.encoded_query import EncodedQuery
from conspectus.search.retriever import Retriever, best_cosines, best_cosines_by_stretch, word_cosines
from conspectus.store.vectors import tokens_of

SENTENCE_WEIGHT = 0.45
"""Of the sentence itself; its passage has the rest. Of 0.3, 0.45, 0.6 and 0.75 the best on SciFact's rationales."""

MOST_BEFORE = 2
"""Sentences that one is quoted with that begins with a word that stands for something in them."""

NO_LIMITS: Mapping[int, frozenset[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class QuotableSentence:
    """A sentence that may be quoted.

    Attributes:
        score: how well it answers, for ranking.
        support: whether its passage speaks of the question at all, on a scale that does not depend on what else was
            found: the mean of the cosine and of late interaction (the cosine alone where there are no word vectors).
        position: the number of the sentence in its passage.
        words: its words, for telling near-duplicates.
        bears: the probability that it bears an answer; None where it cannot be told: another embedder.
        measures: what that is made of, float32 [measures].
    """

    span: Span
    passage: Passage
    paper: Paper
    score: float
    support: float
    position: int
    words: frozenset[str]
    bears: float | None = None
    measures: FloatArray | None = None

    @property
    def begin(self) -> int:
        """The number of the sentence that its quote begins with: one before where it begins with "This" or "They"."""
        first = self.position
        while first > max(self.position - MOST_BEFORE, 0) and is_dangling(self.passage.spans[first].text):
            first -= 1
        return first

    @property
    def stands(self) -> bool:
        """Whether it can be read with the sentences that it is quoted with."""
        return not is_dangling(self.passage.spans[self.begin].text)

    @property
    def rank(self) -> float:
        """What sentences are ordered by."""
        return self.score if self.bears is None else self.bears


@dataclass(frozen=True, slots=True)
class ReadPassages:
    """What reading passages for a question gave.

    Attributes:
        candidates: all their sentences, best first; each sentence once, though passages overlap.
        measured: the passages held against the question; none where the embedder gives no vectors of words.
    """

    candidates: list[QuotableSentence]
    measured: list[Measured]


def read(
    retriever: Retriever,
    query: EncodedQuery,
    hits: Sequence[ScoredPassage],
    only: Mapping[int, frozenset[str]] = NO_LIMITS,
) -> ReadPassages:
    """The passages `hits`, read. Of passages whose key `only` has, just the sentences with these ids may be quoted."""
    stored = retriever.catalog.passages_by_key([scored.key for scored in hits])
    papers = retriever.catalog.papers_by_key(sorted({item.paper_key for item in stored.values()}))
    tokens = tokens_of(retriever.catalog, list(stored), retriever.embedder.id)
    captions = asks_for_figure(query.text)
    judged: list[tuple[int, Passage, Paper, _JudgedPassage]] = []
    for scored in hits:
        item = stored.get(scored.key)
        if item is not None and item.paper_key in papers:  # else removed by another process since it was found
            paper = papers[item.paper_key]
            judgement = _judge_passage(retriever, query, scored, item.passage, paper, tokens.get(scored.key))
            judged.append((scored.key, item.passage, paper, judgement))
    model = load_bearing_model() if retriever.embedder.id.startswith(load_bearing_model().embedder) else None
    compared = [
        replace(entry[3], measured=measured) for entry, measured in zip(judged, _compare(judged, model), strict=True)
    ]
    best: dict[str, QuotableSentence] = {}
    for (key, passage, paper, _), judgement in zip(judged, compared, strict=True):
        for candidate in _quotable(passage, paper, judgement, captions=captions):
            if key in only and candidate.span.id not in only[key]:
                continue
            known = best.get(candidate.span.id)
            if known is None or candidate.rank > known.rank:
                best[candidate.span.id] = candidate
    ordered = sorted(best.values(), key=lambda candidate: (-candidate.rank, candidate.span.id))
    return ReadPassages(ordered, [judgement.measured for judgement in compared if judgement.measured])


def _compare(
    judged: Sequence[tuple[int, Passage, Paper, _JudgedPassage]], model: SmallNetwork | None
) -> Iterator[Measured | None]:
    """What was measured of each passage, with the probabilities of a model; None where it says nothing."""
    rows = iter(compare_passages([entry[3].measured.rows for entry in judged if entry[3].measured]))
    for *_, judgement in judged:
        if judgement.measured is None or model is None:
            yield None
        else:
            row = next(rows)
            yield replace(judgement.measured, rows=row, bears=model.probabilities(row))


@dataclass(frozen=True, slots=True)
class _JudgedPassage:
    """The support of a passage, and of each of its sentences the score, the words, and whether it may answer."""

    support: float
    scores: list[float]
    words: list[list[str]]
    fits: list[bool]
    measured: Measured | None = None


def _judge_passage(
    retriever: Retriever,
    query: EncodedQuery,
    scored: ScoredPassage,
    passage: Passage,
    paper: Paper,
    words: TokenVectors | None,
) -> _JudgedPassage:
    cosine, spans = scored.factors["cosine"], passage.spans
    sentence_words = [words_of(span.text) for span in spans]
    if query.tokens is None or words is None:
        vectors = [embedding.vector for embedding in retriever.embedder.embed([span.text for span in spans])]
        scores = _scores([float(vector @ query.vector) for vector in vectors], cosine)
        return _JudgedPassage(cosine, scores, sentence_words, [_fits_literally(query, span) for span in spans])
    _, before = embedding_text(paper, passage)
    places = [(before + span.start, before + span.end) for span in spans]
    matrix = word_cosines(query.tokens, words)
    near, near_by_sentence = best_cosines(matrix), best_cosines_by_stretch(matrix, words.starts, places)
    late_score = float(query.weights @ near)  # late interaction
    fits = [
        not span.cells or row_answers(_in_cells(span, matrix, words, place[0]), best, query.weights)
        for span, place, best in zip(spans, places, near_by_sentence, strict=True)
    ]
    scores = _scores((near_by_sentence @ query.weights).tolist(), late_score)
    title = best_cosines_by_stretch(matrix, words.starts, [(0, len(paper.title))])[0]
    means = mean_cosines(query.tokens, words, places, query.weights)
    title_words = words_of(paper.title)
    rows = bearing_measures(
        query, passage, title_words, sentence_words, PassageNearness(cosine, near, near_by_sentence, title, means)
    )
    measured = Measured(
        paper.id, title_words, sentence_words, cosine, near, near_by_sentence, rows, np.zeros(0, np.float32)
    )
    return _JudgedPassage((cosine + late_score) / 2, scores, sentence_words, fits, measured)


def _in_cells(row: Span, matrix: FloatArray, words: TokenVectors, begin: int) -> FloatArray:
    """Of each word of the question the best cosine with a word of the row's cells. The row begins at `begin`."""
    stretches = [(begin + start, begin + end) for start, end in cell_stretches(row)]
    best: FloatArray = best_cosines_by_stretch(matrix, words.starts, stretches).max(axis=0, initial=0.0)
    return best


def _fits_literally(query: EncodedQuery, span: Span) -> bool:
    """Whether a sentence may answer by its words as written: a row of a table only if it has those asked for."""
    words = [word for word in words_of(query.text) if word not in STOP_WORDS]
    if not span.cells or not words:
        return True
    cells = literal_nearness(words, words_of(" ".join(cell for _, cell in span.cells)))
    weights = np.full(len(words), 1 / len(words), np.float32)
    return row_answers(cells, literal_nearness(words, words_of(span.text)), weights)


def _scores(sentences: Sequence[float], passage: float) -> list[float]:
    return [SENTENCE_WEIGHT * sentence + (1 - SENTENCE_WEIGHT) * passage for sentence in sentences]


def _quotable(passage: Passage, paper: Paper, judged: _JudgedPassage, *, captions: bool) -> Iterator[QuotableSentence]:
    """The sentences that state something. A row of a table states what its cells say, back matter nothing."""
    if passage.kind == "body" and is_back_matter(passage.section):
        return
    measured = judged.measured
    of_each = zip(passage.spans, judged.scores, judged.words, judged.fits, strict=True)
    for position, (span, score, words, fits) in enumerate(of_each):
        if fits and states(passage, position, paper.title, words, captions=captions):
            bears, row = (
                (None, None) if measured is None else (float(measured.bears[position]), measured.rows[position])
            )
            yield QuotableSentence(span, passage, paper, score, judged.support, position, frozenset(words), bears, row)


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """The Jaccard overlap of two sets of words, 0..1."""
    return len(first & second) / max(len(first | second), 1)
