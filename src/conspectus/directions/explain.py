"""What a direction means, and why two texts are near: their similarity as an exact sum of named directions.

Each vector is `a = c + Σ a_i d_i + r_a`: what all texts share, its active directions, and a rest. The cosine of two is
then `½ c·(a + b) + Σ ½ (a_i d_i·b + b_i d_i·a) + ½ (r_a·b + r_b·a)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from conspectus.core.arrays import FloatArray
from conspectus.core.errors import UsageError
from conspectus.directions.autoencoder import Autoencoder, Ints
from conspectus.directions.stored_directions import Codes, LoadedDirections, check_embedder, match_labels
from conspectus.parse.text.identifiers import identify
from conspectus.records import Passage, normal_name
from conspectus.records.directions import (
    DirectionMatch,
    DirectionReport,
    DirectionText,
    RelatedDirection,
    SimilarityPart,
    SimilarityReport,
)
from conspectus.session.session import Session
from conspectus.store.rows import local_name
from conspectus.store.text_vectors import texts

Floats = npt.NDArray[np.float64]
PASSAGES = 3
"""Passages of a paper in which its strongest sentence is looked for, the first."""
SENTENCES = 12
"""Sentences that are compared, of each paper."""
SHORTEST = 30
"""Characters of a sentence that says something."""
RELATED = 8


def report_direction(session: Session, direction_set: LoadedDirections, number: int, count: int) -> DirectionReport:
    """A direction with the texts in which it is the most active, and those in which it nearly is."""
    codes = direction_set.codes
    strongest, near = codes.rows_of(number), codes.near_misses(number)
    most = float(strongest[1].max(initial=0)) or 1.0
    lists = [
        _read_texts(session, direction_set, number, rows[:count], values[:count] / most)
        for rows, values in (strongest, near)
    ]
    return DirectionReport(
        direction_set.directions[number], lists[0], lists[1], _find_related(direction_set, strongest[0])
    )


def read_strongest(
    session: Session, direction_set: LoadedDirections, number: int, rows: Ints
) -> tuple[DirectionText, ...]:
    """Some texts, each with the sentence that has most of a direction."""
    return _read_texts(session, direction_set, number, rows, np.ones(len(rows), np.float32))


def _find_related(direction_set: LoadedDirections, rows: Ints) -> tuple[RelatedDirection, ...]:
    """The directions that are active in many of its texts, and in fewer others."""
    size, codes = direction_set.autoencoder.size, direction_set.codes
    together = (codes.dense(np.sort(rows), size) > 0).sum(axis=0)
    count = len(rows)
    share = together / max(count, 1)
    lift = share / np.maximum(codes.counts(size) / max(len(codes.papers), 1), 1e-9)
    best = np.argsort(-share * np.log(np.maximum(lift, 1)), kind="stable")
    chosen = [
        int(number)
        for number in best
        if lift[number] > 1 and together[number] < count and direction_set.directions[number].recurs
    ]
    return tuple(
        RelatedDirection(direction.id, direction.label, round(float(share[number]), 4), direction.auc)
        for number in chosen[:RELATED]
        for direction in (direction_set.directions[number],)
    )


def _read_texts(
    session: Session, direction_set: LoadedDirections, number: int, rows: Ints, shares: FloatArray
) -> tuple[DirectionText, ...]:
    codes, catalog = direction_set.codes, session.catalog
    keys = codes.papers[rows].tolist()
    papers = catalog.papers_by_key(list(dict.fromkeys(keys)))
    passages = _passages_of(session, codes, rows)
    best = _best_sentences(session, direction_set, number, passages)
    names = {normal_name(term) for term in direction_set.directions[number].terms}
    direction_texts = []
    for place, row in enumerate(rows.tolist()):
        paper, text_passages = papers[keys[place]], passages[place]
        words = normal_name(" ".join([paper.title, paper.abstract, *(passage.text for passage in text_passages)]))
        unit = text_passages[0].id if codes.units[row] and text_passages else ""
        share = round(float(shares[place]), 4)
        has_label = any(f" {term} " in f" {words} " for term in names)
        direction_texts.append(DirectionText(paper.id, paper.title, paper.year, unit, share, *best[place], has_label))
    return tuple(direction_texts)


def _passages_of(session: Session, codes: Codes, rows: Ints) -> list[list[Passage]]:
    """Of each text the passages in which sentences are looked for."""
    keys = codes.papers[rows].tolist()
    stored = session.catalog.passages_of(list(dict.fromkeys(keys))).values()
    passages = []
    for row, key in zip(rows.tolist(), keys, strict=True):
        paper_passages = sorted(
            (entry.passage for entry in stored if entry.paper_key == key), key=lambda passage: passage.ordinal
        )
        unit = codes.units[row]
        passages.append(
            [passage for passage in paper_passages if local_name(passage.id) == unit]
            if unit
            else paper_passages[:PASSAGES]
        )
    return passages


def _best_sentences(
    session: Session, direction_set: LoadedDirections, number: int, passages: Sequence[Sequence[Passage]]
) -> list[tuple[str, str]]:
    """Of each text the sentence whose vector has most of the direction, and its id."""
    spans = [
        [span for passage in text_passages for span in passage.spans if len(span.text) >= SHORTEST][:SENTENCES]
        for text_passages in passages
    ]
    if direction_set.stored.facts["model"] != session.embedder.id:
        return [(text_spans[0].text, text_spans[0].id) if text_spans else ("", "") for text_spans in spans]
    vectors = np.array(
        [
            embedding.vector
            for embedding in session.embedder.embed([span.text for text_spans in spans for span in text_spans])
        ]
    )
    scores = vectors @ direction_set.autoencoder.encoder[number] if len(vectors) else vectors
    best_sentences, start = [], 0
    for text_spans in spans:
        best = int(scores[start : start + len(text_spans)].argmax()) if text_spans else 0
        best_sentences.append((text_spans[best].text, text_spans[best].id) if text_spans else ("", ""))
        start += len(text_spans)
    return best_sentences


def search_directions(session: Session, direction_set: LoadedDirections, words: str) -> tuple[DirectionMatch, ...]:
    """The directions that words ask for: by their labels, and by which the vector of the words has most of."""
    scores = {match.direction.id: match.score for match in match_labels(direction_set.directions, words)}
    if direction_set.stored.facts["model"] == session.embedder.id:
        cosines = direction_set.autoencoder.decoder @ embed_subject(session, words)
        most = float(cosines.max(initial=0))
        for number in np.flatnonzero(cosines >= max(FAINT * most, LEAST)).tolist():
            key = direction_set.directions[number].id
            scores[key] = scores.get(key, 0) + MEANT * float(cosines[number]) / most
    by_id = {direction.id: direction for direction in direction_set.directions}
    best = sorted((key for key in scores if scores[key] > 0), key=lambda key: (-scores[key], key))
    return tuple(DirectionMatch(by_id[key], round(min(scores[key], 1.0), 4)) for key in best)


def embed_subject(session: Session, words: str) -> FloatArray:
    """The vector of words, of length 1, less that of words without a subject.

    Short texts are more like one another than like papers.
    """
    plain = np.mean([session.embedder.embed_query(word).vector for word in PLAIN], axis=0)
    vector = session.embedder.embed_query(words).vector - plain
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)


PLAIN = ("study", "method", "results", "analysis")
"""Words that are of no subject."""
MEANT, FAINT, LEAST = 0.5, 0.5, 0.15
"""What it counts that the words' vector has more of a direction than of all others, beside 1 for its whole label; and
the part of this cosine, and the cosine, below which others do not count."""


@dataclass(frozen=True, slots=True)
class ExplainedText:
    """A text that is compared: its title, or a question, and its unit vector."""

    name: str
    vector: FloatArray


def explain_similarity(direction_set: LoadedDirections, left: ExplainedText, right: ExplainedText) -> SimilarityReport:
    """Why two texts are near; of a text and itself: what it consists of."""
    shared, parts, activity = split_similarity(direction_set.autoencoder, left.vector, right.vector)
    cosine = float(left.vector.astype(np.float64) @ right.vector.astype(np.float64))
    order = [int(number) for number in np.argsort(-np.abs(parts), kind="stable") if parts[number]]
    listed = tuple(
        SimilarityPart(
            direction_set.directions[number],
            float(parts[number]),
            float(activity[0][number]),
            float(activity[1][number]),
        )
        for number in order
    )
    rest = cosine - shared - sum(part.value for part in listed)
    return SimilarityReport(left.name, right.name, cosine, shared, listed, rest)


def split_similarity(
    autoencoder: Autoencoder, left: FloatArray, right: FloatArray
) -> tuple[float, Floats, tuple[Floats, Floats]]:
    """What all texts share of a similarity; what each direction adds; how active each is in both texts."""
    vectors = np.stack([left, right])
    numbers, values = autoencoder.encode(vectors)
    codes = np.zeros((2, autoencoder.size))
    np.put_along_axis(codes, numbers, values, axis=1)
    along = autoencoder.decoder.astype(np.float64) @ vectors.T.astype(np.float64)
    parts: Floats = (codes[0] * along[:, 1] + codes[1] * along[:, 0]) / 2
    shared = float(autoencoder.centre.astype(np.float64) @ vectors.sum(axis=0, dtype=np.float64)) / 2
    return shared, parts, (codes[0], codes[1])


def read_explained(
    session: Session, direction_set: LoadedDirections, name: str, *, or_question: bool = False
) -> ExplainedText:
    """A paper of the library, or, if it has none of this name, a question; an identifier is no question.

    Raises:
        NotFoundError: there is no such paper.
        UsageError: it was not embedded, or directions are of another embedder.
    """
    check_embedder(session, direction_set)
    if or_question and identify(name) == ("", "") and not session.catalog.find_papers(name):
        return ExplainedText(name, session.embedder.embed_query(name).vector)
    paper = session.paper(name)
    key = session.catalog.paper_key(paper.id)
    text_vectors = next(texts(session.catalog, direction_set.stored.facts["model"], "papers", [key]))
    if not len(text_vectors.vectors):
        raise UsageError(f"The paper '{paper.id}' was not embedded: it has no text.", "Name another paper.")
    return ExplainedText(paper.display_title, text_vectors.vectors[0])
