"""What the papers of a library are about, in noun phrases that several of them have: for examples of questions."""

from __future__ import annotations

from itertools import islice

import numpy as np
from sqlalchemy import select

from conspectus.map.region_phrases import LIKELY, MinedPaper, PhraseCounter
from conspectus.map.subject_model import singular_words, subject_log_odds
from conspectus.records import normal_name
from conspectus.records.results import PaperCounts
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


def is_subject(phrase: str) -> bool:
    """Whether a paper's own phrase, as `normal_name` has it, is rather a subject than words of prose."""
    words = singular_words(phrase)
    return bool(words) and float(subject_log_odds([words])[0]) >= LIKELY


def find_subjects(session: Session, most: int) -> tuple[PaperCounts, ...]:
    """Noun phrases with the number of papers that have them, of those that are read, the best first."""
    found: tuple[PaperCounts, ...] = session.parts.held(
        "subjects", lambda: _count_subjects(session), session.catalog.change()
    )
    return found[:most]


def _count_subjects(session: Session) -> tuple[PaperCounts, ...]:
    keys = [row.key for row in session.catalog.rows(select(papers.c.key).order_by(papers.c.key))]
    chosen = list(islice(keys, 0, None, -(-len(keys) // READ) or 1))
    read = [*session.catalog.papers_by_key(chosen).values()]
    phrases = [[normal_name(word) for word in (*paper.keywords, *paper.key_phrases)] for paper in read]
    counter = PhraseCounter(phrases)
    counter.define(paper.abstract for paper in read)
    texts = [
        counter.count(MinedPaper(own, paper.title, paper.abstract)) for paper, own in zip(read, phrases, strict=True)
    ]
    table = counter.table(texts)
    ranked: list[tuple[bool, float, str, int]] = []  # one word alone is rarely a subject that somebody asks about
    for spelling, quality, rows, weights in zip(table.spellings, table.quality, table.rows, table.weights, strict=True):
        is_common = len(read) > _FEW and _COMMON * len(rows) > len(read)
        if quality >= _SUBJECT and len(rows) > 1 and not is_common:
            ranked.append((" " not in spelling, -float(quality * np.sum(weights)), spelling, len(rows)))
    return tuple(PaperCounts(spelling, count) for *_, spelling, count in sorted(ranked))
