"""The numbers of the ranking, by hand."""

import numpy as np
import pytest

from conspectus.models.protocol import TokenVectors
from conspectus.search.candidates import min_max, over_max
from conspectus.search.encoded_query import encode_query
from conspectus.search.retriever import (
    AT_ONCE,
    best_cosines,
    best_cosines_by_stretch,
    score_late_interaction,
    word_cosines,
)
from conspectus.settings import SearchSettings
from helpers import HashEmbedder

EMPTY = np.empty(0)


def test_min_max() -> None:
    """Else cosines, which lie close together, have no weight against BM25."""
    np.testing.assert_allclose(min_max(np.array([0.2, 0.4, 0.3])), [0, 1, 0.5])
    np.testing.assert_allclose(min_max(np.array([0.4, 0.4])), [1, 1])
    np.testing.assert_allclose(min_max(np.array([0.9990001, 0.999])), [1, 1])  # another processor, other last digits
    np.testing.assert_allclose(min_max(np.array([-3.0])), [1])
    assert min_max(EMPTY).size == 0


def test_over_max() -> None:
    """Else a passage that shares no word scores as if it shared some."""
    np.testing.assert_allclose(over_max(np.array([4.0, 0.0, 1.0])), [1, 0, 0.25])
    np.testing.assert_allclose(over_max(np.array([0.0, 0.0])), [0, 0])
    assert over_max(EMPTY).size == 0


def vectors(*rows: tuple[float, float]) -> TokenVectors:
    return TokenVectors(
        np.arange(len(rows), dtype=np.uint32) * 10, np.rint(np.array(rows) * 127).astype(np.int8).reshape(-1, 2)
    )


def test_late_interaction() -> None:
    """Each word of the question against its nearest word of the passage, weighed."""
    query, passage = vectors((1, 0), (0, 1)), vectors((0.6, 0.8), (1, 0), (-1, 0))
    matrix = word_cosines(query, passage)
    np.testing.assert_allclose(matrix, [[0.6, 1, -1], [0.8, 0, 0]], atol=0.01)
    assert best_cosines(matrix).mean() == pytest.approx((1 + 0.8) / 2, abs=0.01)
    assert best_cosines(matrix)[1] == pytest.approx(0.8, abs=0.01)


def test_many_passages_at_once_are_each_as_alone() -> None:
    """Words of one passage must not count for its neighbour, and one without words is no error."""
    draw = np.random.default_rng(5)
    some = [vectors(*draw.standard_normal((int(n), 2)) * 0.5) for n in draw.integers(0, 9, 2 * AT_ONCE + 7)]
    query, weights = vectors((1, 0), (0, 1), (0.6, -0.8)), np.array([0.5, 0.3, 0.2], np.float32)
    alone = [weights @ best_cosines(word_cosines(query, one)) for one in some]
    np.testing.assert_allclose(score_late_interaction(query, some, weights), alone, rtol=1e-5)
    assert {0.0} < set(alone)
    assert score_late_interaction(vectors(), some, np.empty(0, np.float32)) == [0.0] * len(some)
    assert score_late_interaction(query, [], weights) == []


def test_late_interaction_of_stretches() -> None:
    """A sentence is judged by its own words alone: those that begin in it."""
    query, passage = vectors((1, 0), (0, 1)), vectors((0.6, 0.8), (1, 0), (0, 1))
    found = best_cosines_by_stretch(
        word_cosines(query, passage), passage.starts, [(0, 10), (10, 20), (0, 30), (20, 21), (5, 6)]
    )
    np.testing.assert_allclose(found, [[0.6, 0.8], [1, 0], [1, 1], [0, 1], [0, 0]], atol=0.01)
    assert best_cosines_by_stretch(word_cosines(query, passage), passage.starts, []).shape == (0, 2)


def test_without_words_it_is_nothing() -> None:
    """Else a question of stop words alone is an error."""
    none, some = vectors(), vectors((1, 0))
    for query, passage in ((none, some), (some, none), (none, none)):
        matrix = word_cosines(query, passage)
        assert not best_cosines(matrix).any()


def test_rare_words_weigh_more() -> None:
    """Else 'the effect of X' finds what speaks of effects."""
    counts = {"effect": 900, "quokka": 3, "unknown": 0}
    text = "the effect on the quokka unknown"
    asked = encode_query(text, HashEmbedder(), lambda words: [counts[word] for word in words], 1000, SearchSettings())
    weights = dict(zip(["effect", "quokka", "unknown"], asked.weights.tolist(), strict=True))
    assert weights["effect"] < weights["quokka"] < weights["unknown"]
    assert sum(weights.values()) == pytest.approx(1.0, abs=1e-5)
    none = encode_query("the of", HashEmbedder(), lambda words: [], 1000, SearchSettings())
    assert none.weights.size == 0
