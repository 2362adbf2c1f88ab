"""An answer by quoting (`method: extractive`): the sentences that answer best, from several papers if several speak."""

from __future__ import annotations

import time
from collections.abc import Sequence

from conspectus.answer.leads import follow
from conspectus.answer.refusing import judge
from conspectus.answer.rendering import prose
from conspectus.answer.sentences import Candidate, overlap, read
from conspectus.answer.tongues import foreign
from conspectus.core.errors import UsageError
from conspectus.records import Answer, Citation, Filters, Statement, Usage
from conspectus.records.labels import labels
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
    found = retriever.retrieve(asked, filters, max(retriever.settings.candidates, settings.passages))
    led = follow(retriever, asked, found[: settings.passages])
    reading = read(retriever, asked, led.found, led.only)
    verdict = judge(retriever, asked, reading, settings)
    chosen = in_reading_order(choose(verdict.quotable, settings))
    named = labels([candidate.paper for candidate in chosen])
    statements = tuple(_statement(candidate, named[candidate.paper.id]) for candidate in chosen)
    reason = verdict.reason if led.found else why_none(retriever, filters)
    notes = (retriever.note, verdict.note, foreign(question, retriever.embedder))
    return Answer(
        question=question,
        answered=bool(statements),
        reason="" if statements else reason,
        method=METHOD,
        text=prose(statements),
        statements=statements,
        models=(retriever.embedder.id, *led.models),
        usage=Usage(time.perf_counter() - began, len(led.found), len(reading.candidates)),
        note=" ".join(part for part in notes if part),
        probability=verdict.probability,
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
