"""What the papers of a library are about, in noun phrases that several of them have: for examples of questions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from sqlalchemy import select

from conspectus.map.region_phrases import LIKELY, MinedPaper, PhraseCounter
from conspectus.map.subject_model import singular_words, subject_log_odds
from conspectus.records import normal_name
from conspectus.records.results import PaperCounts, SubjectNeighbours, SubjectOverview
from conspectus.session.session import Session
from conspectus.store.schema import papers

READ = 1000
"""Papers whose words are read, spread evenly over the library."""
_SUBJECT = 0.5
"""Quality of a phrase (`PhraseTable`) from which on it is shown."""
_COMMON = 3
"""A phrase that more than one paper in so many has says little of the library; of few papers all may have it."""
_FEW = 10
"""Papers of a library that is small."""
_COMPARED = 60
"""Subjects that are compared with each other."""
_NEIGHBOURS = 5


def is_subject(phrase: str) -> bool:
    """Whether a paper's own phrase, as `normal_name` has it, is rather a subject than words of prose."""
    words = singular_words(phrase)
    return bool(words) and float(subject_log_odds([words])[0]) >= LIKELY


@dataclass(frozen=True, slots=True)
class _Subject:
    """A noun phrase, and the papers that have it, by their places among those that are read."""

    name: str
    rows: frozenset[int]


def find_subjects(session: Session, most: int) -> tuple[PaperCounts, ...]:
    """Noun phrases with the number of papers that have them, of those that are read, the best first."""
    return tuple(PaperCounts(one.name, len(one.rows)) for one in _subjects(session)[:most])


def overview_subjects(session: Session, most: int) -> SubjectOverview:
    """The best subjects, each with those that stand in the same papers; and the vocabulary that fits them."""
    found: SubjectOverview = session.parts.held(
        "subjects together", lambda: _overview(session), session.catalog.change()
    )
    return SubjectOverview(found.subjects[:most], found.vocabulary)


def _overview(session: Session) -> SubjectOverview:
    best = _subjects(session)[:_COMPARED]
    together: list[SubjectNeighbours] = []
    for one in best:
        pairs = [(len(one.rows & other.rows), other) for other in best if not _overlaps(one.name, other.name)]
        near = sorted((pair for pair in pairs if pair[0] > 1), key=lambda pair: -pair[0] / math.sqrt(len(pair[1].rows)))
        if near:
            counts = tuple(PaperCounts(other.name, count) for count, other in near[:_NEIGHBOURS])
            together.append(SubjectNeighbours(one.name, len(one.rows), counts))
    names = [one.name for one in best]
    return SubjectOverview(tuple(together), _fitting_vocabulary(session, names))


def _overlaps(first: str, second: str) -> bool:
    """Whether one phrase is within the other, so that it says nothing that they stand together."""
    return not set(first.split()).isdisjoint(second.split())


def _fitting_vocabulary(session: Session, subjects: Sequence[str]) -> str:
    """The well-known vocabulary whose description is the nearest to the subjects."""
    from conspectus.graph.vocabularies.public_vocabularies import KNOWN

    if not subjects:
        return ""
    texts = [f"{one.title}: {one.about}" for one in KNOWN] + ["; ".join(subjects)]
    vectors = np.array([np.asarray(one.vector) for one in session.embedder.embed(texts)])
    return KNOWN[int(np.argmax(vectors[:-1] @ vectors[-1]))].name


def _subjects(session: Session) -> tuple[_Subject, ...]:
    found: tuple[_Subject, ...] = session.parts.held(
        "subjects", lambda: _count_subjects(session), session.catalog.change()
    )
    return found


def _count_subjects(session: Session) -> tuple[_Subject, ...]:
    keys = [row.key for row in session.catalog.rows(select(papers.c.key).order_by(papers.c.key))]
    chosen = list(islice(keys, 0, None, -(-len(keys) // READ) or 1))
    read = [*session.catalog.papers_by_key(chosen).values()]
    venues = {normal_name(paper.venue) for paper in read}  # some journals have their name among the keywords
    named = [[normal_name(word) for word in (*paper.keywords, *paper.key_phrases)] for paper in read]
    phrases = [[word for word in words if word not in venues] for words in named]
    counter = PhraseCounter(phrases)
    counter.define(paper.abstract for paper in read)
    texts = [
        counter.count(MinedPaper(own, paper.title, paper.abstract)) for paper, own in zip(read, phrases, strict=True)
    ]
    table = counter.table(texts)
    ranked: list[
        tuple[bool, float, str, frozenset[int]]
    ] = []  # one word alone is rarely a subject that somebody asks about
    for spelling, quality, rows, weights in zip(table.spellings, table.quality, table.rows, table.weights, strict=True):
        is_common = len(read) > _FEW and _COMMON * len(rows) > len(read)
        if quality >= _SUBJECT and len(rows) > 1 and not is_common:
            ranked.append((" " not in spelling, -float(quality * np.sum(weights)), spelling, frozenset(map(int, rows))))
    return tuple(_Subject(spelling, rows) for *_, spelling, rows in sorted(ranked, key=lambda row: row[:3]))
