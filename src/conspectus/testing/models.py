"""What every embedder, image encoder and reranker must do: tests that inherit a class here and give its fixture."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np
from PIL import Image, ImageDraw

from conspectus.core.arrays import FloatArray
from conspectus.models.protocol import Embedder, Encoder, Reranker

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
        vectors = [embedding.vector for embedding in embedder.embed(TEXTS)]
        assert len(vectors) == len(TEXTS)
        for vector, text in zip(vectors, TEXTS, strict=True):
            assert vector.shape == (embedder.dimensions,) and vector.dtype == np.float32
            assert abs(float(np.linalg.norm(vector)) - 1) < 1e-3
            alone = next(iter(embedder.embed([text]))).vector
            assert float(alone @ vector) > 0.999, "a text's vector depends on nothing but the text"
        assert float(vectors[0] @ vectors[1]) < 0.999, "different texts have different vectors"

    def test_no_text_is_an_error(self, embedder: Embedder) -> None:
        """Else one odd passage ends an `add`."""
        for text in ODD:
            (embedding,) = embedder.embed([text])
            assert np.isfinite(embedding.vector).all() and abs(float(np.linalg.norm(embedding.vector)) - 1) < 1e-3
        assert list(embedder.embed([])) == []

    def test_a_question_is_near_what_it_asks_for(self, embedder: Embedder) -> None:
        """Else questions live in another space than passages."""
        question = embedder.embed_query("hippocampus replay during sleep").vector
        scores = [float(question @ embedding.vector) for embedding in embedder.embed(TEXTS)]
        assert scores.index(max(scores)) == 0

    def test_words_have_vectors_of_the_same_text(self, embedder: Embedder) -> None:
        """Else late interaction compares words with those of another text."""
        for text, embedding in zip(TEXTS, embedder.embed(TEXTS), strict=True):
            if embedding.tokens is not None:
                assert len(embedding.tokens.starts) == len(embedding.tokens.vectors) > 0
                assert embedding.tokens.vectors.dtype == np.int8 and int(embedding.tokens.starts.max()) < len(text)


MODES = ("1", "L", "LA", "P", "RGBA", "CMYK", "I;16", "F")
SIZES = ((1, 1), (1, 900), (900, 1), (3, 200))
_FEW = 300
"""Pictures that an encoder may take before it gives the first vector."""


class EncoderConformance:
    """The tests. The fixture `encoder` is one."""

    def test_it_says_what_it_is(self, encoder: Encoder) -> None:
        """Else vectors of two models get mixed, or words are sent to one that takes none."""
        assert encoder.id.strip() and encoder.dimensions >= 1
        assert {"image"} <= set(encoder.takes) <= {"image", "text"}

    def test_vectors_come_in_the_order_of_the_pictures(self, encoder: Encoder) -> None:
        """Else a figure is found by what another one shows."""
        pictures = drawings(11)
        vectors = list(encoder.images(pictures))
        assert len(vectors) == len(pictures)
        for vector, picture in zip(vectors, pictures, strict=True):
            is_vector(encoder, vector)
            assert alike(_encode_one(encoder, picture), vector), "a picture's vector depends on nothing but the picture"
        assert len({vector.tobytes() for vector in vectors}) == len(vectors), (
            "different pictures have different vectors"
        )

    def test_no_picture_is_an_error(self, encoder: Encoder) -> None:
        """Else one odd figure ends what looks at all of them."""
        for picture in [Image.new(mode, (7, 5)) for mode in MODES] + [Image.new("RGB", size) for size in SIZES]:
            is_vector(encoder, _encode_one(encoder, picture))
        assert list(encoder.images([])) == []

    def test_pictures_are_taken_as_they_are_needed(self, encoder: Encoder) -> None:
        """Else memory grows with a collection, and an interruption loses all of it."""
        numbers: list[int] = []

        def endless() -> Iterator[Image.Image]:
            for number in count():
                numbers.append(number)
                assert len(numbers) <= _FEW, "it waits for all pictures"
                yield Image.new("RGB", (8, 8), (number % 256, 0, 0))

        is_vector(encoder, next(iter(encoder.images(endless()))))

    def test_a_picture_is_left_as_it_is(self, encoder: Encoder) -> None:
        """Else what is shown, or stored, is not what the file has."""
        picture = drawings(1)[0]
        before = picture.tobytes()
        _encode_one(encoder, picture)
        assert picture.tobytes() == before

    def test_a_copy_is_near(self, encoder: Encoder) -> None:
        """Else a figure that was saved smaller is not found."""
        pictures = drawings(4)
        vectors = list(encoder.images(pictures))
        copy = _encode_one(encoder, pictures[2].resize((150, 110)))
        cosines = [float(copy @ vector / (np.linalg.norm(copy) * np.linalg.norm(vector))) for vector in vectors]
        assert cosines.index(max(cosines)) == 2

    def test_several_threads_may_use_it(self, encoder: Encoder) -> None:
        """Else two who search at once get each other's vectors."""
        pictures = drawings(8)
        alone = [_encode_one(encoder, picture) for picture in pictures]
        with ThreadPoolExecutor(4) as threads:
            together = list(threads.map(lambda picture: _encode_one(encoder, picture), pictures))
        assert all(map(alike, alone, together))

    def test_words_have_vectors_beside_those_of_pictures(self, encoder: Encoder) -> None:
        """Else words find what they do not say, or end the search."""
        if "text" in encoder.takes:
            for text in (*TEXTS, *ODD):
                is_vector(encoder, encoder.text(text))
                assert alike(encoder.text(text), encoder.text(text))


def drawings(number: int) -> list[Image.Image]:
    """So many different pictures, 300 × 220 pixels: bars, discs and lines in colours."""
    draw, pictures = np.random.default_rng(7), []
    for _ in range(number):
        picture = Image.new("RGB", (300, 220), tuple(draw.integers(0, 256, 3).tolist()))
        pen = ImageDraw.Draw(picture)
        for shape in (pen.rectangle, pen.ellipse, pen.line):
            (left, right), (top, bottom) = np.sort(draw.integers(0, 300, 2)), np.sort(draw.integers(0, 220, 2))
            shape((int(left), int(top), int(right), int(bottom)), fill=tuple(draw.integers(0, 256, 3).tolist()))
        pictures.append(picture)
    return pictures


def is_vector(encoder: Encoder, vector: FloatArray) -> None:
    """A finite vector of the length that the encoder says."""
    assert vector.shape == (encoder.dimensions,) and vector.dtype == np.float32 and np.isfinite(vector).all()


def alike(vector: FloatArray, other: FloatArray) -> bool:
    """Whether two vectors are the same but for rounding."""
    return bool(np.allclose(vector, other, rtol=1e-3, atol=1e-3 * max(1e-9, float(np.abs(vector).max()))))


def _encode_one(encoder: Encoder, picture: Image.Image) -> FloatArray:
    (vector,) = encoder.images([picture])
    return vector


class RerankerConformance:
    """The tests. The fixture `reranker` is one."""

    def test_it_has_an_id(self, reranker: Reranker) -> None:
        """Else nobody can tell what made a score."""
        assert reranker.id.strip()

    def test_a_text_has_its_own_score(self, reranker: Reranker) -> None:
        """Else the order depends on what stands beside a text."""
        query = "hippocampus replays sequences"
        scores = reranker.scores(query, TEXTS)
        assert scores.shape == (len(TEXTS),) and np.isfinite(scores).all() and int(scores.argmax()) == 0
        for text, score in zip(TEXTS, scores, strict=True):
            assert abs(float(reranker.scores(query, [text])[0]) - float(score)) < 1e-3

    def test_no_text_is_an_error(self, reranker: Reranker) -> None:
        """Else one odd passage ends a search."""
        assert np.isfinite(reranker.scores("sleep", ODD)).all() and np.isfinite(reranker.scores("", TEXTS)).all()
        assert len(reranker.scores("sleep", [])) == 0
