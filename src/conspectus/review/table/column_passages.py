"""Which passages of a paper may state a column: all of a short paper, of a long one the abstract and the best."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from conspectus.core.arrays import FloatArray
from conspectus.evidence.candidates import worth_reading
from conspectus.lexicon import STOP_WORDS
from conspectus.records import Passage
from conspectus.records.review import TableColumn
from conspectus.review.table.proposals import find_matches

SHARE = 0.45
"""Of the room of a call that the passages of one column may fill: others then have room in the same call."""
_FUSION = 10
"""Of reciprocal rank fusion: how much the first ranks count more than those behind them."""
_STEM = 5


def choose_passages(
    column: TableColumn, passages: Sequence[Passage], similarity: Mapping[str, float], room: int
) -> tuple[str, ...]:
    """The ids of the passages that a model reads for a column, in the order of the paper.

    Ranks by words and by vectors are fused (Cormack et al. 2009). The abstract is always read.

    Args:
        column: what is looked for.
        passages: of the paper, in their order.
        similarity: of the column's name and passages, by id; empty: by words alone.
        room: characters that a call has room for.
    """
    candidates = [passage for passage in passages if worth_reading(passage)] or list(passages)
    if sum(len(passage.text) for passage in candidates) <= room:
        return tuple(passage.id for passage in candidates)
    scores = dict.fromkeys((passage.id for passage in candidates), 0.0)
    for ranking in (_by_words(column, candidates), sorted(similarity, key=lambda name: -similarity[name])):
        for rank, name in enumerate(ranking):
            if name in scores:
                scores[name] += 1 / (_FUSION + rank)
    order = sorted(candidates, key=lambda passage: (passage.kind != "abstract", -scores[passage.id], passage.ordinal))
    chosen, left = set[str](), room * SHARE
    for passage in order:
        if passage.kind == "abstract" or len(passage.text) <= left or len(chosen) < 2:
            chosen.add(passage.id)
            left -= len(passage.text)
    return tuple(passage.id for passage in candidates if passage.id in chosen)


def rank_by_vectors(query: FloatArray, vectors: Mapping[str, FloatArray]) -> dict[str, float]:
    """The similarity of a query's vector and those of passages, by id."""
    return {name: float(vector @ query) for name, vector in vectors.items()}


def best_sentence(column: TableColumn, passages: Sequence[Passage]) -> tuple[Passage, int] | None:
    """The passage, and the place of its sentence, that has most of the column's words; None: none has any."""
    stems = _stems(column)
    best, sentence = 0.0, None
    for passage in passages:
        for place, span in enumerate(passage.spans):
            score = _count(stems, span.text) + (0.5 if passage.kind == "abstract" else 0.0)
            if score > best and score >= 1:
                best, sentence = score, (passage, place)
    return sentence


def _by_words(column: TableColumn, passages: Sequence[Passage]) -> list[str]:
    """The ids of the passages that have words of the column, or numbers that are bound to it, the best first."""
    stems = _stems(column)
    scores = {}
    for passage in passages:
        numbers = (
            max((match.strength for span in passage.spans for match in find_matches(column, span.text)), default=0.0)
            if column.kind in ("number", "count")
            else 0.0
        )
        scores[passage.id] = numbers + _count(stems, passage.text)
    return [name for name in sorted(scores, key=lambda name: -scores[name]) if scores[name]]


def _stems(column: TableColumn) -> set[str]:
    words = re.findall(r"[^\W\d_]+", " ".join((column.name, *column.choices)).casefold())
    return {word[:_STEM] for word in words if word not in STOP_WORDS}


def _count(stems: set[str], text: str) -> int:
    return len(stems & {word[:_STEM] for word in re.findall(r"[^\W\d_]+", text.casefold())})
