"""What a picture is: plots, micrographs and maps can be asked for only where this is told, and not told wrongly."""

from __future__ import annotations

import numpy as np
import pytest

from conspectus.figures import kinds
from conspectus.figures.kinds import KINDS, Model, kinds_of

WIDTH = 1280


def test_vectors_of_another_encoder_say_nothing() -> None:
    """Else a change of encoder fills the library with kinds that are drawn by lot."""
    assert kinds_of(np.ones((2, WIDTH), np.float32), "another/1") is None


def test_each_picture_has_a_kind_and_its_probability() -> None:
    """Else nobody can tell what is sure from what is guessed."""
    vectors = np.random.default_rng(0).exponential(0.2, (5, WIDTH)).astype(np.float32)
    found = kinds_of(vectors, "efficientnet-lite0/1")
    assert found is not None and len(found) == 5
    assert all(kind in KINDS and 1 / len(KINDS) <= probability <= 1 for kind, probability in found)
    assert kinds_of(vectors[:0], "efficientnet-lite0/1") == []


def test_a_picture_of_nothing_has_a_kind_too() -> None:
    """An even picture has a vector of noughts: no number of it may be none."""
    ((_, probability),) = kinds_of(np.zeros((1, WIDTH), np.float32), "efficientnet-lite0/1") or []
    assert 0 < probability <= 1


def test_the_kind_is_the_one_with_the_greatest_odds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a model whose answer can be worked out by hand: odds of 2, where the length does not matter."""
    rows = tuple((20, 0) if kind == "map" else (0, 0) for kind in KINDS)
    monkeypatch.setattr(kinds, "model", lambda: Model("mine", 0.1, (0.0,) * len(KINDS), rows))
    for length in (1, 100):
        ((kind, probability),) = kinds_of(np.array([[length, 0]], np.float32), "mine") or []
        assert kind == "map" and probability == pytest.approx(np.e**2 / (np.e**2 + 5))
