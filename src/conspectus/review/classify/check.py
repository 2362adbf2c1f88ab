"""A classification held against labels: a confusion table, precision and recall, and where the two disagree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from conspectus.core.intervals import wilson
from conspectus.records import Paper
from conspectus.records.paper import label_papers
from conspectus.records.review import (
    CategoryChoice,
    CategoryFigures,
    ClassificationCheck,
    LabelDisagreement,
    Review,
    ReviewEntry,
)
from conspectus.review.classify.classification import (
    categories_of,
    cite_category,
    decisions,
    entries_by,
    read_papers,
    read_sentences,
)
from conspectus.review.classify.classifier import describe_categories
from conspectus.review.classify.files import PaperLabels
from conspectus.review.classify.papers import AT_ONCE, EmbeddedPaper, SentenceFinder, load_papers
from conspectus.session.session import Session

MOST_SHOWN = 1000
"""Disagreements that are listed."""
BINS = 10


@dataclass(frozen=True, slots=True)
class LabelledPaper:
    """What a paper's labels are, and what it was given, with the probability of the first category, if there is one."""

    labels: tuple[str, ...]
    categories: tuple[str, ...]
    probability: float | None = None

    @property
    def agrees(self) -> bool:
        """Whether it was given its labels, no more and no less."""
        return set(self.labels) == set(self.categories)


def check_classification(session: Session, review: Review, labels: PaperLabels) -> ClassificationCheck:
    """Hold what classified last against labels; corrections and examples do not count as its own."""
    category_set, by = categories_of(review), review.spec["by"]
    entries = entries_by(session, review, by)
    compared = {
        paper: entries[paper] for paper in labels.of if paper in entries and not entries[paper].value.get("learnt")
    }
    rows = {paper: _compare(entry, labels.of[paper], category_set.names) for paper, entry in compared.items()}
    papers = list(rows.values())
    right, decided = [row.agrees for row in papers], [row for row in papers if row.categories]
    disagreements = [compared[paper] for paper, row in rows.items() if not row.agrees][:MOST_SHOWN]
    return ClassificationCheck(
        review.name,
        by,
        len(papers),
        confusion_table(papers, category_set.names),
        tuple(_figures(papers, name) for name in category_set.names),
        _share(sum(right), len(right)),
        wilson(sum(right), len(right)),
        _share(len(decided), len(papers)),
        _share(sum(row.agrees for row in decided), len(decided)),
        calibration_error(papers),
        tuple(_disagreements(session, review, disagreements, labels.of)),
        len(labels.of) - len(papers),
        labels.failed,
    )


def _compare(entry: ReviewEntry, labels: Sequence[str], names: Sequence[str]) -> LabelledPaper:
    chosen = decisions(entry, names)
    return LabelledPaper(
        tuple(labels), tuple(decision.name for decision in chosen), chosen[0].probability if chosen else None
    )


def _share(count: int, total: int) -> float | None:
    return count / total if total else None


def _figures(papers: Sequence[LabelledPaper], name: str) -> CategoryFigures:
    both = sum(name in row.labels and name in row.categories for row in papers)
    labelled = sum(name in row.labels for row in papers)
    predicted = sum(name in row.categories for row in papers)
    return CategoryFigures(
        name,
        labelled,
        predicted,
        _share(both, predicted),
        wilson(both, predicted),
        _share(both, labelled),
        wilson(both, labelled),
    )


def confusion_table(papers: Sequence[LabelledPaper], names: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Labels (rows) against what was given (columns), `none` last.

    Of a paper with several categories each label that was given counts on the diagonal; each that was missed counts
    with each category that was given wrongly, or with `none`; and each wrong one counts with `none` if no label was
    missed.
    """
    place = {name: number for number, name in enumerate(names)}
    none = len(names)
    table = np.zeros((none + 1, none + 1), np.int64)
    for row in papers:
        missed = [place[name] for name in row.labels if name not in row.categories]
        wrong = [place[name] for name in row.categories if name not in row.labels]
        for name in {*row.labels} & {*row.categories}:
            table[place[name], place[name]] += 1
        if missed or wrong or not row.labels:
            for label in missed or [none]:
                for guess in wrong or [none]:
                    table[label, guess] += 1
    return tuple(tuple(row) for row in table.tolist())


def calibration_error(papers: Sequence[LabelledPaper]) -> float | None:
    """The expected calibration error of the first category of papers, in ten bins of equal width (Naeini et al. 2015).

    It is the mean distance between a bin's mean probability and the share of it that is right, weighed by its size.
    """
    sure = np.array([row.probability for row in papers if row.probability is not None], np.float64)
    if not len(sure):
        return None
    right = np.array([row.categories[0] in row.labels for row in papers if row.probability is not None], np.float64)
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    gaps = np.bincount(bins, sure, BINS) - np.bincount(bins, right, BINS)
    return float(np.abs(gaps).sum() / len(sure))


def _disagreements(
    session: Session, review: Review, entries: Sequence[ReviewEntry], labels: Mapping[str, tuple[str, ...]]
) -> Iterator[LabelDisagreement]:
    """Papers whose categories are not their labels, each of both with the sentence that speaks most for it."""
    category_set = categories_of(review)
    finder = SentenceFinder.of(describe_categories(session, category_set), [])
    keys = session.catalog.keys_of([entry.paper for entry in entries])
    classified_papers = {result.paper.id: result for result in read_papers(session, entries, category_set.names)}
    called = label_papers(result.paper for result in classified_papers.values())
    ids = [name for name in keys if name in classified_papers]
    for start in range(0, len(ids), AT_ONCE):
        block = ids[start : start + AT_ONCE]
        loaded = {
            embedded_paper.paper.id: embedded_paper
            for embedded_paper in load_papers(session, [keys[name] for name in block])
        }
        for name in block:
            paper = classified_papers[name].paper
            chosen = [
                _label(session, label, paper, called[name], loaded.get(name), finder, category_set.names.index(label))
                for label in labels[name]
            ]
            yield LabelDisagreement(paper, tuple(chosen), classified_papers[name].categories)


def _label(
    session: Session,
    label: str,
    paper: Paper,
    called: str,
    loaded: EmbeddedPaper | None,
    finder: SentenceFinder,
    category: int,
) -> CategoryChoice:
    place = finder.find(loaded, category) if loaded else None
    sentence = read_sentences(session, [place]).get(place) if place else None
    return cite_category(label, None, paper, called, sentence)
