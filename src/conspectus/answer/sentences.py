"""The sentences of the passages found, each scored as an answer to the question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from conspectus.catalog.rows import StoredPassage
from conspectus.ingest.merge import embedding_text
from conspectus.models.protocol import Embedding
from conspectus.records import Paper, Passage, Span
from conspectus.search.late import by_stretch, late_interaction, similarities
from conspectus.search.retrieve import Retriever, Scored

SENTENCE_WEIGHT = 0.6
"""Of the sentence itself; its passage has the rest. Chosen on SciFact's rationales (benchmarks/answering.py)."""

MIN_WORDS = 5
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be quoted.

    Attributes:
        support: how well it answers, on a scale that does not depend on what else was found.
        position: the number of the sentence in its passage.
        words: its words, for telling near-duplicates.
    """

    span: Span
    passage: Passage
    paper: Paper
    support: float
    position: int
    words: frozenset[str]


def candidates(retriever: Retriever, question: str, found: Sequence[Scored]) -> list[Candidate]:
    """All sentences of the passages `found`, best first; each sentence once, though passages overlap."""
    stored = retriever.catalog.passages_by_key([scored.key for scored in found])
    papers = retriever.catalog.papers_by_key(sorted({item.paper_key for item in stored.values()}))
    tokens = retriever.catalog.tokens(list(stored), retriever.embedder.id)
    asked = retriever.embedder.embed_query(question)
    best: dict[str, Candidate] = {}
    for scored in found:
        if (item := stored.get(scored.key)) is None:
            continue
        paper = papers[item.paper_key]
        supports = _supports(retriever, asked, scored, item, paper, tokens.get(scored.key))
        for candidate in _quotable(item.passage, paper, supports):
            known = best.get(candidate.span.id)
            if known is None or candidate.support > known.support:
                best[candidate.span.id] = candidate
    return sorted(best.values(), key=lambda candidate: (-candidate.support, candidate.span.id))


def _supports(
    retriever: Retriever, asked: Embedding, scored: Scored, item: StoredPassage, paper: Paper, tokens: object
) -> list[float]:
    """For each span of a passage, how well it answers: by late interaction, or by cosine where there are no words."""
    from conspectus.models.protocol import TokenVectors

    spans = item.passage.spans
    if asked.tokens is None or not isinstance(tokens, TokenVectors):
        vectors = [found.vector for found in retriever.embedder.embed([span.text for span in spans])]
        sentence = [float(vector @ asked.vector) for vector in vectors]
        whole = scored.factors["cosine"]
    else:
        matrix = similarities(asked.tokens, tokens)
        _, before = embedding_text(paper, item.passage)
        sentence = by_stretch(matrix, tokens.starts, [(before + span.start, before + span.end) for span in spans])
        whole = late_interaction(matrix)
    return [SENTENCE_WEIGHT * own + (1 - SENTENCE_WEIGHT) * whole for own in sentence]


def _quotable(passage: Passage, paper: Paper, supports: Sequence[float]) -> Iterator[Candidate]:
    """The sentences that say something: not the title, not a fragment of a few words, not a question."""
    for position, (span, support) in enumerate(zip(passage.spans, supports, strict=True)):
        words = _WORD.findall(span.text.lower())
        if len(words) >= MIN_WORDS and span.text != paper.title and not span.text.endswith("?"):
            yield Candidate(span, passage, paper, support, position, frozenset(words))


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """The Jaccard overlap of two sets of words, 0..1."""
    return len(first & second) / max(len(first | second), 1)


def mean_support(chosen: Sequence[Candidate]) -> float:
    """The mean of the sentences' supports; 0 for none."""
    return float(np.mean([candidate.support for candidate in chosen])) if chosen else 0.0
