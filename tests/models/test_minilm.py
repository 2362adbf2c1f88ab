"""The default embedder, the real one: right vectors, nothing cut off, the same ones every time."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from importlib import resources

import numpy as np
import pytest

from conspectus.models.minilm import SPEC, MiniLM
from conspectus.models.protocol import Embedder
from conspectus.models.store import ModelStore
from conspectus.testing.models import EmbedderConformance

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def model() -> MiniLM:
    store = ModelStore(os.environ.get("CONSPECTUS_MODELS_STORE"))
    return MiniLM(store.path(SPEC) if store.has(SPEC) else store.root, threads=2)


class TestConformance(EmbedderConformance):
    @pytest.fixture
    def embedder(self, model: MiniLM) -> MiniLM:
        return model


def test_vectors_are_those_of_the_reference(model: MiniLM) -> None:
    """Else searches are worse and nobody notices."""
    known = resources.files("conspectus.models").joinpath("data/minilm_reference.json").read_text("utf-8")
    for case in json.loads(known):
        vector = model.embed_query(case["text"]).vector
        assert float(vector @ np.array(case["vector"], np.float32)) > 0.98
        assert vector.shape == (model.dimensions,) and vector.dtype == np.float32
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_meaning_is_near(model: MiniLM) -> None:
    """Else it finds words only."""
    asked, near, far = (
        item.vector for item in model.embed(["How do stars die?", "A supernova ends its life.", "Tax law of 1902."])
    )
    assert asked @ near > asked @ far + 0.1


def test_the_end_of_a_long_text_matters(model: MiniLM) -> None:
    """Else the second half of a long passage cannot be found by its meaning."""
    long = "The spectrum of the quasar shows broad lines of ionised gas. " * 60
    plain, other = (model.embed_query(long + end) for end in ("", "Sheep graze on a green meadow. " * 20))
    sheep = model.embed_query("sheep on a meadow").vector
    assert sheep @ other.vector > sheep @ plain.vector + 0.05
    assert other.tokens is not None and plain.tokens is not None
    assert other.tokens.starts.max() > len(long)
    words = {
        (long + "Sheep graze on a green meadow. " * 20)[start:].split()[0].strip(".") for start in other.tokens.starts
    }
    assert {"Sheep", "meadow", "quasar"} <= words and not {"The", "of", "on"} & words


def test_a_vector_depends_on_nothing_but_its_text(model: MiniLM) -> None:
    """Else the same paper has another vector after the next `add`."""
    texts = [f"Text number {number} is about {'cats and dogs ' * (number % 7)}." for number in range(40)]
    alone = [model.embed_query(text) for text in texts]
    together = list(model.embed(texts))
    with ThreadPoolExecutor(4) as pool:
        parallel = list(pool.map(model.embed_query, texts))
    for one, two, three in zip(alone, together, parallel, strict=True):
        for other in (two, three):
            np.testing.assert_array_equal(one.vector, other.vector)
            assert one.tokens is not None and other.tokens is not None
            np.testing.assert_array_equal(one.tokens.vectors, other.tokens.vectors)
            np.testing.assert_array_equal(one.tokens.starts, other.tokens.starts)


@pytest.mark.parametrize(
    "text", ["", "   ", "the of and", "?!", "\x00", "🌌" * 50, "a" * 5000, "\u0301\u202e", "x\ud800y"]
)
def test_any_text_has_a_vector(model: MiniLM, text: str) -> None:
    """Else one odd passage breaks `add`, one odd question breaks `ask`."""
    found = model.embed_query(text)
    assert np.isfinite(found.vector).all() and np.linalg.norm(found.vector) == pytest.approx(1.0, abs=1e-4)
    assert found.tokens is not None and len(found.tokens.starts) == len(found.tokens.vectors)


def test_words_point_into_the_text(model: MiniLM) -> None:
    """Else the wrong sentence is quoted as soon as a text has accents or symbols before it."""
    text = "Über 🌌 naïve Ω-models: the α-helix folds."
    tokens = model.embed_query(text).tokens
    assert tokens is not None
    starts = tokens.starts.tolist()
    assert starts == sorted(starts)
    assert {text.index("naïve"), text.index("models"), text.index("helix"), text.index("folds")} <= set(starts)


def test_it_is_an_embedder(model: MiniLM) -> None:
    assert isinstance(model, Embedder)
    assert model.id
