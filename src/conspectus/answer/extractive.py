"""An answer by quoting (`method: extractive`): the sentences that answer best, from several papers if several speak."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import floor

from conspectus.answer.leads import follow
from conspectus.answer.rendering import labels, prose
from conspectus.answer.sentences import Candidate, candidates, overlap
from conspectus.answer.tongues import foreign
from conspectus.errors import UsageError
from conspectus.records import Answer, Citation, Filters, Statement, Usage
from conspectus.search.retrieve import Retriever
from conspectus.search.search import why_none
from conspectus.settings import AnswerSettings

METHOD = "extractive"
NEAR_DUPLICATE = 0.6
REACH = 0.85
"""A further sentence is quoted only when its score is at least this part of the best one's."""


def answer(retriever: Retriever, question: str, filters: Filters, settings: AnswerSettings) -> Answer:
    """Quotes that answer `question`, or the reason why there are none.

    Raises:
        UsageError: an empty question.
    """
    if not question.strip():
        raise UsageError("There is no question: it is empty.", "Ask something in words.")
    with retriever.at_one_moment() as now:
        return _answer(now, question, filters, settings)


def _answer(retriever: Retriever, question: str, filters: Filters, settings: AnswerSettings) -> Answer:
    began = time.perf_counter()
    asked = retriever.asked(question)
    found = retriever.retrieve_for(asked, filters, max(retriever.settings.candidates, settings.passages))
    led = follow(retriever, asked, found[: settings.passages])
    read = led.found
    sentences = candidates(retriever, asked, read, led.only)
    chosen = choose([item for item in sentences if item.support >= settings.threshold], settings)
    named = labels([candidate.paper for candidate in chosen])
    statements = tuple(_statement(candidate, named[candidate.paper.id]) for candidate in in_reading_order(chosen))
    return Answer(
        question=question,
        answered=bool(statements),
        reason="" if statements else _reason(retriever, filters, sentences, settings.threshold, len(read)),
        method=METHOD,
        text=prose(statements),
        statements=statements,
        models=(retriever.embedder.id, *led.models),
        usage=Usage(time.perf_counter() - began, len(read), len(sentences)),
        note=" ".join(part for part in (retriever.note, foreign(question, retriever.embedder)) if part),
    )


def choose(sentences: Sequence[Candidate], settings: AnswerSettings) -> list[Candidate]:
    """The best sentences, without neighbours and near-duplicates, and not too many from one paper."""
    chosen: list[Candidate] = []
    for candidate in sentences:
        if len(chosen) == settings.statements or candidate.score < REACH * sentences[0].score:
            break
        same = [other for other in chosen if other.paper.id == candidate.paper.id]
        if len(same) < settings.per_paper and not any(_too_near(candidate, other) for other in chosen):
            chosen.append(candidate)
    return chosen


def in_reading_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Paper by paper, that of the best sentence first; a paper's sentences as they stand in it."""
    papers = list(dict.fromkeys(candidate.paper.id for candidate in chosen))
    return sorted(
        chosen, key=lambda one: (papers.index(one.paper.id), one.passage.ordinal, one.span.start, one.span.id)
    )


def _too_near(candidate: Candidate, other: Candidate) -> bool:
    neighbour = candidate.passage.id == other.passage.id and abs(candidate.position - other.position) <= 1
    return neighbour or overlap(candidate.words, other.words) >= NEAR_DUPLICATE


def _statement(candidate: Candidate, label: str) -> Statement:
    citation = Citation(candidate.paper, candidate.passage.id, (candidate.span,), candidate.span.text, label)
    return Statement(candidate.span.text, "quoted", (citation,), candidate.score)


def _reason(retriever: Retriever, filters: Filters, sentences: Sequence[Candidate], threshold: float, read: int) -> str:
    if not read:
        return why_none(retriever, filters)
    best = floor(100 * max((item.support for item in sentences), default=0.0)) / 100  # never shown as what is needed
    return (
        f"Nothing in the library answers this: the best of {read} passages has a support of {best:.2f}, "
        f"and {threshold:.2f} is needed (answer.threshold)."
    )
