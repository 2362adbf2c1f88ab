"""What every embedder and every reranker must do: tests that inherit a class here and give its fixture."""

from __future__ import annotations

import numpy as np

from conspectus.models.protocol import Embedder, Reranker

TEXTS = (
    "The hippocampus replays sequences during sleep.",
    "Dark matter haloes have a universal density profile.",
    "Ca²⁺ enters through NMDA receptors; p < 0.05.",
)
ODD = ("", " ", "?!", "κοινός 共通 🌌", "a" * 5000, "word " * 3000, "\x00\u202e\ufeff")


class EmbedderConformance:
    """The tests. The fixture `embedder` is one."""

    def test_it_has_an_id_and_a_length(self, embedder: Embedder) -> None:
        """Else vectors of two models get mixed."""
        assert embedder.id.strip() and embedder.dimensions >= 1

    def test_vectors_are_unit_vectors_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        """Else passages are found by their neighbours' words, or by their length."""
        found = [one.vector for one in embedder.embed(TEXTS)]
        assert len(found) == len(TEXTS)
        for vector, text in zip(found, TEXTS, strict=True):
            assert vector.shape == (embedder.dimensions,) and vector.dtype == np.float32
            assert abs(float(np.linalg.norm(vector)) - 1) < 1e-3
            alone = next(iter(embedder.embed([text]))).vector
            assert float(alone @ vector) > 0.999, "a text's vector depends on nothing but the text"
        assert float(found[0] @ found[1]) < 0.999, "different texts have different vectors"

    def test_no_text_is_an_error(self, embedder: Embedder) -> None:
        """Else one odd passage ends an `add`."""
        for text in ODD:
            (found,) = embedder.embed([text])
            assert np.isfinite(found.vector).all() and abs(float(np.linalg.norm(found.vector)) - 1) < 1e-3
        assert list(embedder.embed([])) == []

    def test_a_question_is_near_what_it_asks_for(self, embedder: Embedder) -> None:
        """Else questions live in another space than passages."""
        question = embedder.embed_query("hippocampus replay during sleep").vector
        scores = [float(question @ one.vector) for one in embedder.embed(TEXTS)]
        assert scores.index(max(scores)) == 0

    def test_words_have_vectors_of_the_same_text(self, embedder: Embedder) -> None:
        """Else late interaction compares words with those of another text."""
        for text, one in zip(TEXTS, embedder.embed(TEXTS), strict=True):
            if one.tokens is not None:
                assert len(one.tokens.starts) == len(one.tokens.vectors) > 0
                assert one.tokens.vectors.dtype == np.int8 and int(one.tokens.starts.max()) < len(text)


class RerankerConformance:
    """The tests. The fixture `reranker` is one."""

    def test_it_has_an_id(self, reranker: Reranker) -> None:
        """Else nobody can tell what made a score."""
        assert reranker.id.strip()

    def test_a_text_has_its_own_score(self, reranker: Reranker) -> None:
        """Else the order depends on what stands beside a text."""
        query = "hippocampus replays sequences"
        found = reranker.scores(query, TEXTS)
        assert found.shape == (len(TEXTS),) and np.isfinite(found).all() and int(found.argmax()) == 0
        for text, score in zip(TEXTS, found, strict=True):
            assert abs(float(reranker.scores(query, [text])[0]) - float(score)) < 1e-3

    def test_no_text_is_an_error(self, reranker: Reranker) -> None:
        """Else one odd passage ends a search."""
        assert np.isfinite(reranker.scores("sleep", ODD)).all() and np.isfinite(reranker.scores("", TEXTS)).all()
        assert len(reranker.scores("sleep", [])) == 0
