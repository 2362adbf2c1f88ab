"""What a picture is: plots, micrographs and maps can be asked for only where this is told, and not told wrongly."""

from __future__ import annotations

import numpy as np
import pytest

from conspectus.figures import figure_vectors as kinds
from conspectus.figures.figure_vectors import KINDS, FigureKindModel, kinds_of
from conspectus.models.efficientnet import PARTS, last_roots, vectors

WIDTH, LAST = sum(PARTS), PARTS[-1]


def test_vectors_of_another_encoder_say_nothing() -> None:
    """Else a change of encoder fills the library with kinds that are drawn by lot."""
    assert kinds_of(np.ones((2, WIDTH), np.float32), "another/1") is None


def test_each_picture_has_a_kind_and_its_probability() -> None:
    """Else nobody can tell what is sure from what is guessed."""
    given = vectors(np.random.default_rng(0).exponential(0.2, (5, WIDTH)).astype(np.float32))
    found = kinds_of(given, "efficientnet-lite0/2")
    assert found is not None and len(found) == 5
    assert all(kind in KINDS and 1 / len(KINDS) <= probability <= 1 for kind, probability in found)
    assert kinds_of(given[:0], "efficientnet-lite0/2") == []


def test_a_picture_of_nothing_has_a_kind_too() -> None:
    """An even picture has a vector of noughts: no number of it may be none."""
    ((_, probability),) = kinds_of(np.zeros((1, WIDTH), np.float32), "efficientnet-lite0/2") or []
    assert 0 < probability <= 1


def test_the_kind_is_the_one_with_the_greatest_odds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a model whose answer can be worked out by hand: odds of 2 where the last layer says one thing alone."""
    rows = tuple((20 * (kind == "map"), *[0] * (LAST - 1)) for kind in KINDS)
    monkeypatch.setattr(kinds, "model", lambda: FigureKindModel("mine", 0.1, (0.0,) * len(KINDS), rows))
    said = np.full((1, WIDTH), 0.01, np.float32)
    said[0, -LAST:] = np.eye(1, LAST)
    ((kind, probability),) = kinds_of(vectors(said), "mine") or []
    assert kind == "map" and probability == pytest.approx(np.e**2 / (np.e**2 + 5), rel=1e-3)


def test_kinds_are_told_from_what_the_last_layer_said() -> None:
    """Else what was learned of it says nothing of vectors from which the common was taken away."""
    said = np.random.default_rng(0).exponential(0.2, (5, WIDTH)).astype(np.float32)
    said[:, -LAST:] /= np.linalg.norm(said[:, -LAST:], axis=1, keepdims=True)
    assert last_roots((17 * vectors(said)).astype(np.float16)) == pytest.approx(said[:, -LAST:], abs=2e-3)
