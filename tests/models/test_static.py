"""Static vectors: made once of the model, the same whatever was embedded before, and near for texts that are alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conspectus.core.arrays import FloatArray
from conspectus.models import static
from conspectus.models.minilm import SPEC
from conspectus.models.static import DIMENSIONS, SHARED, StaticEmbedder, weigh
from conspectus.models.store import ModelStore
from conspectus.testing.models import EmbedderConformance

pytestmark = pytest.mark.model
MADE: list[int] = []


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors of tokens that need no run of the model, which takes half a minute."""

    def distil(_: Path, count: int, __: int) -> FloatArray:
        MADE.append(count)
        return np.asarray(np.random.default_rng(0).standard_normal((count, DIMENSIONS)), np.float32)

    MADE.clear()
    monkeypatch.setattr(static, "distil", distil)


def make(folder: Path) -> StaticEmbedder:
    return StaticEmbedder(ModelStore().path(SPEC), folder / "store" / "static-1.npy")


class TestStatic(EmbedderConformance):
    """What every embedder does."""

    @pytest.fixture
    def embedder(self, tmp_path: Path) -> StaticEmbedder:
        return make(tmp_path)


def test_a_text_has_one_vector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same passage would be another one after many others, and be found only where it was embedded first."""
    texts = ["Grid cells fire in a hexagonal lattice.", "quokkas hop", "GRID cells", "¿¡", "", "the of"]
    first = [embedding.vector for embedding in make(tmp_path).embed(texts)]
    monkeypatch.setattr(static, "WORDS", 8)  # what is in memory is let go of again and again
    few = make(tmp_path)
    for text, vector in [*zip(texts, first, strict=True)] * 3:
        assert np.array_equal(few.embed_query(text).vector, vector), text
    assert np.allclose(np.linalg.norm(first, axis=1), 1, atol=1e-3)
    assert first[0] @ first[2] > 0.3 > first[0] @ first[1]


def test_what_was_made_is_kept_and_made_again_where_it_is_damaged(tmp_path: Path) -> None:
    """Each start of the program would take half a minute; or a file cut short would end every search."""
    kept = tmp_path / "store" / "static-1.npy"
    vector = make(tmp_path).embed_query("grid cells").vector
    assert np.array_equal(make(tmp_path).embed_query("grid cells").vector, vector) and len(MADE) == 1
    kept.write_bytes(kept.read_bytes()[:1000])
    assert np.array_equal(make(tmp_path).embed_query("grid cells").vector, vector) and len(MADE) == 2


def test_what_all_tokens_share_is_taken_out() -> None:
    """All texts would be near to each other, and no search tell them apart."""
    draw = np.random.default_rng(0)
    shared = draw.standard_normal((SHARED, DIMENSIONS))
    vectors = draw.standard_normal((2000, DIMENSIONS)) + 20 * draw.standard_normal((2000, SHARED)) @ shared + 5
    weighed = weigh(np.asarray(vectors, np.float32))
    assert np.abs(weighed @ shared.T).max() < 0.1 * np.abs(vectors @ shared.T).max()
    norms = np.linalg.norm(weighed, axis=1)
    assert norms[0] == 0 and norms[1000:].mean() > norms[1:100].mean(), "the frequent ones come first and count less"
