"""The sentences of the passages found, each scored as an answer to the question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from conspectus.answer.stating import WORD, states
from conspectus.catalog.rows import StoredPassage
from conspectus.ingest.merge import embedding_text
from conspectus.models.protocol import TokenVectors
from conspectus.records import Paper, Passage, Span
from conspectus.search.late import Asked, by_stretch, late_interaction, similarities
from conspectus.search.retrieve import Retriever
from conspectus.search.scored import Scored

SENTENCE_WEIGHT = 0.45
"""Of the sentence itself; its passage has the rest. Of 0.3, 0.45, 0.6 and 0.75 the best on SciFact's rationales."""

NO_LIMITS: Mapping[int, frozenset[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be quoted.

    Attributes:
        score: how well it answers, for ranking.
        support: whether its passage speaks of the question at all, on a scale that does not depend on what else was
            found: the mean of the cosine and of late interaction (the cosine alone where there are no word vectors).
        position: the number of the sentence in its passage.
        words: its words, for telling near-duplicates.
    """

    span: Span
    passage: Passage
    paper: Paper
    score: float
    support: float
    position: int
    words: frozenset[str]


def candidates(
    retriever: Retriever, asked: Asked, found: Sequence[Scored], only: Mapping[int, frozenset[str]] = NO_LIMITS
) -> list[Candidate]:
    """All sentences of the passages `found`, best first; each sentence once, though passages overlap.

    Of passages whose key `only` has, just the sentences with these ids.
    """
    stored = retriever.catalog.passages_by_key([scored.key for scored in found])
    papers = retriever.catalog.papers_by_key(sorted({item.paper_key for item in stored.values()}))
    tokens = retriever.catalog.tokens(list(stored), retriever.embedder.id)
    best: dict[str, Candidate] = {}
    for scored in found:
        item = stored.get(scored.key)
        if item is None or item.paper_key not in papers:
            continue  # removed by another process since it was found
        paper = papers[item.paper_key]
        for candidate in _quotable(item.passage, paper, *_judge(retriever, asked, scored, item, paper, tokens)):
            if scored.key in only and candidate.span.id not in only[scored.key]:
                continue
            known = best.get(candidate.span.id)
            if known is None or candidate.score > known.score:
                best[candidate.span.id] = candidate
    return sorted(best.values(), key=lambda candidate: (-candidate.score, candidate.span.id))


def _judge(
    retriever: Retriever,
    asked: Asked,
    scored: Scored,
    item: StoredPassage,
    paper: Paper,
    tokens: dict[int, TokenVectors],
) -> tuple[float, list[float]]:
    """The support of a passage, and the score of each of its sentences."""
    cosine, spans = scored.factors["cosine"], item.passage.spans
    if asked.tokens is None or scored.key not in tokens:
        vectors = [found.vector for found in retriever.embedder.embed([span.text for span in spans])]
        return cosine, _scores([float(vector @ asked.vector) for vector in vectors], cosine)
    matrix = similarities(asked.tokens, tokens[scored.key])
    whole = late_interaction(matrix, asked.weights)
    _, before = embedding_text(paper, item.passage)
    places = [(before + span.start, before + span.end) for span in spans]
    own = by_stretch(matrix, asked.weights, tokens[scored.key].starts, places)
    return (cosine + whole) / 2, _scores(own, whole)


def _scores(sentences: Sequence[float], passage: float) -> list[float]:
    return [SENTENCE_WEIGHT * sentence + (1 - SENTENCE_WEIGHT) * passage for sentence in sentences]


def _quotable(passage: Passage, paper: Paper, support: float, scores: Sequence[float]) -> Iterator[Candidate]:
    """The sentences that state something."""
    for position, (span, score) in enumerate(zip(passage.spans, scores, strict=True)):
        if states(passage, position, paper.title):
            words = frozenset(WORD.findall(span.text.lower()))
            yield Candidate(span, passage, paper, score, support, position, words)


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """The Jaccard overlap of two sets of words, 0..1."""
    return len(first & second) / max(len(first | second), 1)
