"""A screening as it is now: its works, their decisions, and the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from conspectus.core.errors import ConspectusError
from conspectus.core.job_context import emit
from conspectus.core.text import pluralize
from conspectus.records import Metadata, Paper
from conspectus.records.events import Progress
from conspectus.records.review import Review
from conspectus.records.review_screen import (
    Screening,
    ScreeningConflict,
    ScreeningCriteria,
    ScreeningLabel,
    ScreeningStage,
)
from conspectus.review.screen.agreement import measure_agreement
from conspectus.review.screen.criteria import exclude_texts, include_text, parse_criteria
from conspectus.review.screen.labels import (
    ABSTRACT,
    FULL_TEXT,
    ScreeningDecision,
    decide_all,
    labels_of_works,
    last_labels,
    read_labels,
)
from conspectus.review.screen.reading_order import (
    FeatureTable,
    ScreenedPaper,
    marks_of,
    order_unread,
    vector_features,
    word_features,
)
from conspectus.review.screen.stopping_rule import RULE, estimate_relevant, may_stop
from conspectus.review.sql import papers_of
from conspectus.review.works import group_works
from conspectus.session.session import Session
from conspectus.store.vectors import first_vectors

_AT_ONCE = 500
"""Papers in memory at one time, while their words are read."""
_MOST_DISPUTED = 100
"""Conflicts that are shown with their papers."""

_SCREENED = ("title", "authors", "abstract", "year", "keywords")
"""What is read of a paper: what makes it a work, and its words."""


@dataclass(frozen=True, slots=True)
class ScreeningState:
    """A screening with the decisions by title and abstract.

    Attributes:
        keys: id -> key of its papers.
        works: ids of papers that are the same work, in the order of the review.
        labels: those of the stage, the first one first.
        decisions: of each work.
        read_papers: its papers, if they have just been read; else empty. Unpacking them takes a third of a first order.
    """

    review: Review
    criteria: ScreeningCriteria
    keys: Mapping[str, int]
    works: Sequence[tuple[str, ...]]
    labels: Sequence[ScreeningLabel]
    decisions: Sequence[ScreeningDecision]
    read_papers: Sequence[Paper] = ()

    @property
    def ended(self) -> str:
        """When the rest was left unread; "" while screening goes on."""
        return str(self.review.spec.get("ended", ""))

    def is_included(self, paper_id: str) -> bool:
        """Whether the work of a paper is included by title and abstract."""
        return any(
            paper_id in work and decision.state == "include"
            for work, decision in zip(self.works, self.decisions, strict=True)
        )

    def read_order(self) -> list[int]:
        """The numbers of works that have a label, the first one read first."""
        read = [(decision.first, number) for number, decision in enumerate(self.decisions) if decision.first]
        return [number for _, number in sorted(read)]


def load_state(session: Session, review: Review) -> ScreeningState:
    """A screening as it is stored now."""
    catalog = session.catalog
    keys = papers_of(catalog, review)
    digest = _digest([*keys.values()])
    read: list[Paper] = []

    def group() -> list[tuple[str, ...]]:
        read.extend(_papers(session, keys))
        return group_works(read)

    works = session.parts.get_cached("screened works", group, review.id, len(keys), digest)
    criteria = parse_criteria(review.spec.get("criteria", {}))
    labels = read_labels(catalog, review, ABSTRACT)
    return ScreeningState(review, criteria, keys, works, labels, decide_all(works, labels, criteria), read)


def describe_screening(
    session: Session,
    review: Review,
    reviewer: str = "",
    stage: ScreeningStage = ABSTRACT,
    *,
    agreement: bool = False,
    audit: bool = False,
) -> Screening:
    """How far a screening by title and abstract is, and which paper is next for a reviewer (at a stage).

    Args:
        agreement: with the agreement of reviewers, and what they disagree on.
        audit: with all labels, those of full texts, too.
    """
    state = load_state(session, review)
    decisions, read = state.decisions, state.read_order()
    outcomes = [decisions[number].seems for number in read]
    unread = len(state.works) - len(read)
    if stage == FULL_TEXT:
        work, reason = next_full_text(session, state, reviewer)
        notes: tuple[str, ...] = ()
    else:
        work, reason, notes = _next_work(session, state, read, reviewer)
    next_papers = state.works[work] if work is not None else ()
    states = [decision.state for decision in decisions]
    by_reviewer = _labels_by_reviewer(state) if agreement else {}
    return Screening(
        review.id,
        review.name,
        state.criteria,
        len(state.works),
        session.paper(next_papers[0]) if next_papers else None,
        reason,
        next_papers[1:],
        unread,
        states.count("include"),
        states.count("exclude"),
        states.count("waiting"),
        tuple(state.works[number][0] for number, status in enumerate(states) if status == "conflict"),
        estimate_relevant(outcomes, len(state.works)),
        may_stop(outcomes, len(state.works)) if state.works else True,
        RULE,
        state.ended,
        measure_agreement(by_reviewer) if len(by_reviewer) > 1 else None,
        _find_disputed(session, state) if agreement else (),
        read_labels(session.catalog, review) if audit else (),
        notes,
        reviewer,
        stage,
    )


def _find_disputed(session: Session, state: ScreeningState) -> tuple[ScreeningConflict, ...]:
    """Papers on which reviewers disagree, with the last label of each, those on full texts last."""
    full_text_labels = read_labels(session.catalog, state.review, FULL_TEXT)
    full_text_decisions = decide_all(state.works, full_text_labels, state.criteria)
    labels = {ABSTRACT: labels_of_works(state.works, state.labels)}
    labels[FULL_TEXT] = labels_of_works(state.works, full_text_labels)
    places = [
        (stage, number)
        for stage, decisions in ((ABSTRACT, state.decisions), (FULL_TEXT, full_text_decisions))
        for number, decision in enumerate(decisions)
        if decision.state == "conflict"
    ]
    return tuple(
        ScreeningConflict(
            session.paper(state.works[number][0]), stage, tuple(last_labels(labels[stage][number]).values())
        )
        for stage, number in places[:_MOST_DISPUTED]
    )


def _labels_by_reviewer(state: ScreeningState) -> dict[str, dict[str, str]]:
    """Reviewer -> number of a work -> their last label; labels that settled a conflict are no opinion of their own."""
    number_of = {paper: str(number) for number, work in enumerate(state.works) for paper in work}
    by_reviewer: dict[str, dict[str, str]] = {}
    for label in state.labels:
        if label.paper in number_of and not label.resolves:
            by_reviewer.setdefault(label.reviewer, {})[number_of[label.paper]] = label.label
    return by_reviewer


def _next_work(
    session: Session, state: ScreeningState, read: Sequence[int], reviewer: str
) -> tuple[int | None, str, tuple[str, ...]]:
    """The number of the work to read next, why, and what could not be used."""
    decides = bool(reviewer) and reviewer == state.criteria.decides
    for number in read:
        decision = state.decisions[number]
        if decision.state == "conflict" and decides:
            return number, "reviewers disagree", ()
        if decision.state == "waiting" and reviewer not in decision.reviewers:
            return number, "needs the label of another reviewer", ()
    if state.ended or len(read) == len(state.works):
        return None, "", ()
    tables, notes = _feature_tables(session, state)
    labels = {number: state.decisions[number].seems for number in read}
    name = (state.review.id, _names(session, state), *labels.items())
    first: ScreenedPaper = session.parts.get_cached("screening order", lambda: order_unread(tables, labels)[0], *name)
    return first.row, first.reason, notes


def next_full_text(session: Session, state: ScreeningState, reviewer: str) -> tuple[int | None, str]:
    """The number of the first included work whose full text this reviewer has to decide on, and why."""
    labels = read_labels(session.catalog, state.review, FULL_TEXT)
    for number, decision in enumerate(decide_all(state.works, labels, state.criteria)):
        if state.decisions[number].state != "include" or decision.is_made:
            continue
        if decision.state == "conflict" and reviewer == state.criteria.decides:
            return number, "reviewers disagree on the full text"
        if reviewer not in decision.reviewers:
            return number, "included by title and abstract"
    return None, ""


def _names(session: Session, state: ScreeningState) -> str:
    """Changes when the papers of a screening, its criteria or the model of the vectors do."""
    criteria = [include_text(state.criteria), *exclude_texts(state.criteria)]
    return _digest([*state.keys.values(), *criteria, session.embedder.id])


def _feature_tables(session: Session, state: ScreeningState) -> tuple[list[FeatureTable], tuple[str, ...]]:
    """Words and vectors of the works (of each its first paper); the vectors are left out if there are none."""
    features: tuple[list[FeatureTable], tuple[str, ...]] = session.parts.get_cached(
        "screening features", lambda: _make_tables(session, state), state.review.id, _names(session, state)
    )
    return features


def _make_tables(session: Session, state: ScreeningState) -> tuple[list[FeatureTable], tuple[str, ...]]:
    keys = {work[0]: state.keys[work[0]] for work in state.works}
    include, exclude = include_text(state.criteria), exclude_texts(state.criteria)
    read = {paper.id: paper for paper in state.read_papers}
    papers = (read[name] for name in keys) if read else _papers(session, keys)
    marks: list[tuple[bool, bool]] = []
    words = word_features(_texts(papers, marks), include, exclude, marks)
    vectors = first_vectors(session.catalog, list(keys.values()), session.embedder.id)
    if not vectors:
        return [words], ("The papers have no vectors, so only their words are used.",)
    try:
        targets = np.array([session.embedder.embed_query(text).vector for text in (include, *exclude)], np.float32)
    except ConspectusError as error:
        return [words], (f"Only words of the papers are used: {error.message}",)
    matrix = np.zeros((len(keys), targets.shape[1]), np.float32)
    for row, key in enumerate(keys.values()):
        if key in vectors:
            matrix[row] = vectors[key]
    missing = len(keys) - len(vectors)
    notes = (f"{pluralize(missing, 'paper')} without a vector: only words are used there.",) if missing else ()
    return [words, vector_features(matrix, targets[0], targets[1:])], notes


def _papers(session: Session, keys: Mapping[str, int]) -> Iterator[Paper]:
    """Papers by their keys, in this order, a part at a time, with what makes them a work and with their words.

    One that has just been removed is empty.
    """
    listed = list(keys.items())
    for at in range(0, len(listed), _AT_ONCE):
        emit(Progress("reading", at, len(listed), "papers"))
        part = listed[at : at + _AT_ONCE]
        metadata_by_key = session.catalog.metadata_by_key([key for _, key in part])
        for name, key in part:
            metadata = metadata_by_key.get(key, Metadata())
            values = {field: getattr(metadata, field) for field in _SCREENED}
            yield Paper(id=name, **values)


def _texts(papers: Iterable[Paper], marks: list[tuple[bool, bool]]) -> Iterator[str]:
    """The words of each paper that its place in the order is learnt from; its marks are added to `marks`."""
    for paper in papers:
        marks.append(marks_of(paper.title, paper.abstract))
        authors = ("author_" + "_".join(author.name.lower().split()) for author in paper.authors)  # one word each
        yield " ".join((paper.title, paper.abstract, *paper.keywords, *authors))


def _digest(parts: Sequence[object]) -> str:
    return blake2b("\n".join(map(str, parts)).encode(), digest_size=16).hexdigest()
