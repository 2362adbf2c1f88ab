"""Statements of different papers about the same thing are paired; nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

from conspectus.core.arrays import FloatArray
from conspectus.review.report import statement_pairs
from conspectus.review.report.statement_pairs import pair_statements


def _vectors(count: int, seed: int = 0) -> FloatArray:
    found = np.random.default_rng(seed).normal(size=(count, 384)).astype(np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def _texts(count: int) -> list[str]:
    return [f"studies of g{place:04}x, case{place % 7}" for place in range(count)]


@pytest.mark.parametrize("block", [1, 7, 256])
def test_the_planted_pair_comes_first(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair about one thing that is not among the candidates is never judged; blocks must not matter."""
    monkeypatch.setattr(statement_pairs, "_BLOCK", block)
    vectors, texts = _vectors(60), _texts(60)
    near = vectors[3] + 0.3 * vectors[4]
    vectors[50] = near / np.linalg.norm(near)
    best = pair_statements(vectors, texts, range(60))[0]
    assert (best.first, best.second) == (3, 50)
    assert best.score > 0


def test_rare_words_in_common_count() -> None:
    """Vectors alone miss a pair that shares the name of a gene."""
    vectors, texts = _vectors(60), _texts(60)
    texts[10], texts[40] = (
        "Angptl3 supports haematopoietic cells",
        "cells live without Angptl3, haematopoietic ones too",
    )
    best = pair_statements(vectors, texts, range(60))[0]
    assert (best.first, best.second) == (10, 40)


def test_no_pair_within_a_paper_or_of_the_same_words() -> None:
    """A paper does not contradict itself, and a reprint does not contradict the paper."""
    vectors, texts = _vectors(40), _texts(40)
    vectors[1], vectors[2] = vectors[0], vectors[0]
    texts[2] = texts[0].upper()
    found = {pair[:2] for pair in pair_statements(vectors, texts, [0, 0, *range(1, 39)])}
    assert (0, 1) not in found
    assert (0, 2) not in found
    assert (1, 2) in found


def test_other_statements_of_the_paper_do_not_hide_one() -> None:
    """A paper that says five things about one drug is contradicted in the fifth, too."""
    vectors, texts = _vectors(80), _texts(80)
    for place in range(5):
        near = vectors[70] + (0.2 + 0.02 * place) * vectors[place]
        vectors[place] = near / np.linalg.norm(near)
    papers = [0] * 5 + [*range(1, 76)]
    found = {pair[:2] for pair in pair_statements(vectors, texts, papers)}
    assert {(place, 70) for place in range(5)} <= found


def test_each_statement_has_few_pairs() -> None:
    """The judge is a model that costs money: pairs must not grow with the square of the statements."""
    vectors, texts = _vectors(300), _texts(300)
    found = pair_statements(vectors, texts, range(300))
    counts = np.bincount([place for pair in found for place in pair[:2]], minlength=300)
    assert counts.max() <= statement_pairs.NEAREST  # each is of a paper of its own
    assert [pair.score for pair in found] == sorted((pair.score for pair in found), reverse=True)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_few_statements(count: int) -> None:
    """A new library has one paper, or none."""
    assert pair_statements(_vectors(count), _texts(count), [0] * count) == []
    assert all(pair.score > 0 for pair in pair_statements(_vectors(count), _texts(count), range(count)))
