"""Which paper to screen next: learnt from the criteria's words before any label, and from the labels as they come.

Two linear classifiers are fitted anew after each label: one on words (TF-IDF), one on the vectors that the library has
of the papers. Their scores are standardised and added, see `VECTOR_WEIGHT`. Besides the labelled papers they are shown
the criteria (what to include as a relevant paper, what to exclude as irrelevant ones) and `PRESUMED` unread papers as
irrelevant with little weight, as in AutoTAR (Cormack & Grossman, arXiv:1504.06868). The first one has further
features: how near a paper's words are to the criteria, which counts for less the more relevant papers are found, and
its marks, which a person sees before reading: no abstract, or a translated title.

The criteria can mislead. So while nothing relevant is found, every second paper is drawn at random.

The numbers below were chosen on five of the ten reviews of `benchmarks/review_screen.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import UnavailableError

RATIO = 20.0
"""How many times as much all relevant papers weigh as all irrelevant ones."""
PRESUMED, PRESUMED_WEIGHT = 100, 0.02
"""Unread papers that are taken as irrelevant, and the weight of each; a labelled paper has 1."""
EXCLUDE_WEIGHT = 0.1
"""Weight of each criterion for exclusion."""
WORD_COST, VECTOR_COST = 0.05, 0.1
"""Regularisation of the two classifiers (C of a linear support vector machine)."""
VECTOR_WEIGHT, HALF_SURE = 0.3, 10
"""Share of the vectors in the score, when many relevant papers are found, and how many are found at half of it.

Vectors of criteria say less of what a review includes than their words do; those of papers say more."""
CLOSENESS, CLOSENESS_HALF = 0.24, 10
"""What one standard deviation of closeness to the criteria counts before any label, and how many relevant papers halve
it. Without it the words that papers happen to share outweigh what the user asked for, as long as few are labelled."""
MARK = 0.5
"""What a mark counts; the words of a paper have the length 1."""
UNSURE = 5
"""Papers without a relevant one after which every second one is drawn at random."""
REMEDY = "Install it: pip install 'conspectus[review]'"
_HASHES = 2**18
_SEED = 39


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """Papers and criteria in one space: words or vectors.

    Attributes:
        papers: [papers, features], sparse or dense.
        include: what to include, [1, features].
        exclude: what to exclude, [criteria, features].
        cost: regularisation of its classifier.
        marks: what else is known of each paper, 0 or 1, [papers, marks].
        closeness: of each paper to what to include, standardised, [papers]; None where it is no feature.
    """

    papers: Any
    include: Any
    exclude: Any
    cost: float
    marks: FloatArray
    closeness: FloatArray | None = None


class ScreenedPaper(NamedTuple):
    """A paper's place in the table, from 0, and why it is next."""

    row: int
    reason: str


def marks_of(title: str, abstract: str) -> tuple[bool, bool]:
    """What a person sees before reading: there is no abstract; the title is in brackets, as translated ones are."""
    return not abstract, title.startswith("[")


def word_features(
    texts: Iterable[str], include: str, exclude: Sequence[str], marks: Sequence[Sequence[bool]] = ()
) -> FeatureTable:
    """TF-IDF of single words, hashed, so that memory does not grow with the vocabulary; and closeness and marks.

    Args:
        marks: of each paper, see `marks_of`; they may be appended while its text is read.

    Raises:
        UnavailableError: scikit-learn is not installed.
    """
    try:
        from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
    except ImportError as error:
        raise UnavailableError("Screening needs scikit-learn, which is not installed.", REMEDY) from error
    hashing = HashingVectorizer(n_features=_HASHES, alternate_sign=False, norm=None, dtype=np.float32)
    counts = hashing.transform(texts)
    tfidf = TfidfTransformer(sublinear_tf=True).fit(counts)
    criteria = tfidf.transform(hashing.transform([include, *exclude]))
    papers = tfidf.transform(counts)
    closeness = _standard((papers @ criteria[:1].T).toarray().ravel())
    known = np.array(marks or [()] * papers.shape[0], np.float32)
    return FeatureTable(papers, criteria[:1], criteria[1:], WORD_COST, known, closeness)


def vector_features(vectors: FloatArray, include: FloatArray, exclude: FloatArray) -> FeatureTable:
    """Vectors of papers, [papers, dimensions] (zeros if a paper has none), and of criteria, from one embedder."""
    return FeatureTable(vectors, include[None], exclude, VECTOR_COST, np.zeros((len(vectors), 0), np.float32))


def score_papers(tables: Sequence[FeatureTable], labels: Mapping[int, bool]) -> FloatArray:
    """How relevant each paper seems, of any scale, float64 [papers].

    Args:
        tables: of words, and of vectors if there are any.
        labels: row of a paper -> whether it is relevant.
    """
    count = tables[0].papers.shape[0]
    rows = np.fromiter(labels, np.int64, len(labels))
    unread = np.setdiff1d(np.arange(count), rows)
    random = np.random.default_rng((_SEED, len(rows)))
    presumed = random.choice(unread, min(PRESUMED, len(unread)), replace=False)
    relevant = np.concatenate([np.fromiter(labels.values(), bool, len(labels)), np.zeros(len(presumed), bool)])
    weights = np.where(np.arange(len(relevant)) < len(rows), 1.0, PRESUMED_WEIGHT)
    training_rows = np.concatenate([rows, presumed])
    share = _vector_share(int(relevant.sum())) if len(tables) > 1 else 0.0
    scores = (1 - share) * _standard(_fit(tables[0], training_rows, relevant, weights))
    return np.asarray(
        scores + share * _standard(_fit(tables[1], training_rows, relevant, weights)) if share else scores
    )


def _vector_share(relevant_count: int) -> float:
    """The share of the vectors in the score, once so many relevant papers are found."""
    return VECTOR_WEIGHT * relevant_count / (relevant_count + HALF_SURE)


def _fit(table: FeatureTable, rows: npt.NDArray[np.int64], relevant: npt.NDArray[np.bool_], weights: FloatArray) -> Any:
    """The score of each paper by a classifier of these rows and the criteria, float64 [papers]."""
    from scipy.sparse import hstack, issparse, vstack
    from sklearn.svm import LinearSVC

    parts = [table.papers[rows], table.include, table.exclude]
    further, of_include = _further_features(table, int(relevant.sum()))
    criteria = table.exclude.shape[0]
    further_rows = np.vstack([further[rows], of_include, np.zeros((criteria, further.shape[1]), np.float32)])
    examples = (
        hstack([vstack(parts), further_rows], format="csr")
        if issparse(table.papers)
        else np.hstack([np.vstack(parts), further_rows])
    )
    answers = np.concatenate([relevant, [True], np.zeros(criteria, bool)])
    weights = np.concatenate([weights, [1.0], np.full(criteria, EXCLUDE_WEIGHT)])
    if answers.all():
        return np.zeros(table.papers.shape[0])  # all are read, and all are relevant
    weights[~answers] *= weights[answers].sum() / (RATIO * weights[~answers].sum())
    weights *= len(weights) / weights.sum()
    model = LinearSVC(C=table.cost, random_state=_SEED).fit(examples, answers, weights)
    of_words, of_further = np.split(model.coef_[0], [table.papers.shape[1]])
    return table.papers @ of_words + further @ of_further


def _further_features(table: FeatureTable, relevant_count: int) -> tuple[FloatArray, FloatArray]:
    """Marks and closeness of each paper, [papers, features], and those of what to include, [features].

    What to include is as near to itself as the nearest hundredth of the papers is.
    """
    marks = MARK * table.marks
    if table.closeness is None:
        return marks, np.zeros(marks.shape[1], np.float32)
    closeness = CLOSENESS * CLOSENESS_HALF / (CLOSENESS_HALF + relevant_count) * table.closeness
    of_include = np.zeros(marks.shape[1] + 1, np.float32)
    of_include[-1] = np.quantile(closeness, 0.99)
    return np.column_stack([marks, closeness]).astype(np.float32), of_include


def _standard(scores: Any) -> Any:
    return (scores - scores.mean()) / (scores.std() or 1.0)


def order_unread(tables: Sequence[FeatureTable], labels: Mapping[int, bool]) -> list[ScreenedPaper]:
    """The papers that have no label, the one to read next first.

    Args:
        labels: row of a paper -> whether it is relevant, in the order in which they were given.
    """
    scores = score_papers(tables, labels)
    has_relevant = any(labels.values())
    reason = "by the labels" if has_relevant else "by the criteria"
    rows = [int(row) for row in np.argsort(-scores, kind="stable") if int(row) not in labels]
    order = [ScreenedPaper(row, reason) for row in rows]
    if rows and not has_relevant and len(labels) >= UNSURE and len(labels) % 2:
        number = int(np.random.default_rng((_SEED, len(labels))).integers(len(rows)))
        order.insert(0, order.pop(number)._replace(reason="drawn at random: nothing relevant was found yet"))
    return order
